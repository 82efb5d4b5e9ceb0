"""Generated tables: the ledger of a scenario, and the appendices of symbols, formulas, devices, models, results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import yaml
from docutils import nodes
from docutils.parsers.rst import directives

from aiinfra import catalog
from aiinfra.book import base
from aiinfra.book.base import BookDirective, fields
from aiinfra.book.counted import counted
from aiinfra.catalog.schema import ACHIEVED, Achieved, printed
from aiinfra.catalog.totals import counted as counted_total
from aiinfra.engine.formula import formula, formula_keys
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, MissingInput, unknown
from aiinfra.units import Quantity, byte, flop, second


class LedgerDirective(BookDirective):
    """``{ledger} title``: one row per kind of data: what moves, how much, how many times, through which path, who waits.

    Each row has ``what``, ``bytes``, ``times``, ``path``, ``bandwidth`` and ``waits``, and where trips cost time of
    their own, ``trip`` (time of one) and ``trips`` (how many each time). Operations, at a rate in FLOP/s, may stand for
    bytes. What happens beside something slower is ``hidden``: its time stands in brackets and is not in the sum.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"name": directives.unchanged_required}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        body, total = [], Quantity(0, second)
        for row in base.rows(yaml.safe_load("\n".join(self.content)), "ledger"):
            row = fields(row, "ledger row", ("what", "bytes", "times", "path", "bandwidth", "waits"), ("trip", "trips", "hidden"))
            size, times, bandwidth = (self.ask(row[n]) for n in ("bytes", "times", "bandwidth"))
            time = self._time(row, size.value, bandwidth.value) * times.value
            if not row.get("hidden"):
                total = total + time
            cells = [self.cell(row["what"]), base.shown(size.value), base.shown(times.value), self.cell(row["path"])]
            shown = [nodes.Text("("), *base.shown(time), nodes.Text(")")] if row.get("hidden") else base.shown(time)
            body.append([*cells, shown, self.cell(row["waits"])])
        strong = [nodes.strong("", "", *base.shown(total))]
        body.append([nodes.strong("", "Sum of what is waited for"), "", "", "", strong, ""])
        box = counted(self, "ledger", self.arguments[0])
        head = ["What moves", "How much", "How many times", "Through which path", "Time", "Who waits"]
        box += base.make_table(head, body, [22, 13, 11, 20, 14, 20], "ledger-table")
        return [box]

    def cell(self, text: object) -> list[nodes.Node]:
        found, messages = self.parse_inline(self.label(text), lineno=self.lineno)
        return [*found, *messages]

    def _time(self, row: dict, size: Quantity, bandwidth: Quantity) -> Quantity:
        """The time of one pass."""
        if size.unit.dims == flop.dims:
            return formula("compute-time")(step_flops=size, devices=1, peak=bandwidth)
        if "trip" in row:
            given = {"trips": self.ask(row.get("trips", 1)).value, "alpha": self.ask(row["trip"]).value}
            return formula("transfer-time-with-trips")(data=size, beta=bandwidth, **given)
        if "trips" in row:
            raise BadValue("ledger row: trips without trip, the time of one")
        return formula("transfer-time")(data=size, beta=bandwidth)


class ComparisonDirective(BookDirective):
    """``{comparison} title``: entries of the catalogue side by side, one row each.

    ``rows`` are keys, or ``{it: KEY, label: TEXT}``; ``columns`` have a ``label`` and a ``request`` in which ``IT`` stands for the
    entry, and may have a ``width``. A value that an entry does not have is a dash.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"name": directives.unchanged_required}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        body = self.yaml(("rows", "columns"), ("head", "first"))
        entries = self.entries(body["rows"], "rows")
        columns = [fields(c, "column", ("label", "request"), ("width",)) for c in base.rows(body["columns"], "columns")]
        cells = [[text] for _, text in entries]
        for column in columns:
            for row, answer in zip(cells, self.ask_about(column["request"], entries), strict=True):
                row.append(base.shown(answer.value, answer.format) if answer else "–")
        first = body.get("first", 22)
        widths = [first, *(c.get("width", (100 - first) // len(columns)) for c in columns)]
        head = [self.label(body.get("head", "")), *(self.label(c["label"]) for c in columns)]
        box = counted(self, "comparison", self.arguments[0])
        box += base.make_table(head, cells, widths, "ledger-table")
        return [box]


class SymbolsDirective(BookDirective):
    """``{symbols}``: the notation of the book."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(base.PACKAGE / "symbols.py"))
        rows = []
        for s in table().symbols.values():
            name = nodes.literal("", s.name, ids=[f"notation-{s.name.replace('_', '-').lower()}"])  # where the search and the cards lead
            rows.append([base.symbol_math(s.name), s.meaning, s.unit.text or "–", name])
        self.env.get_domain("aiinfra").data["notation"] = self.env.docname
        return [base.make_table(["Symbol", "Meaning", "Unit", "Name in code"], rows, [10, 57, 13, 20], "longtable")]


class used_in(nodes.General, nodes.Element):
    """A link to where a formula is derived, known when all chapters are read."""


class FormulasDirective(BookDirective):
    """``{formulas}``: every formula with what it says and where it is derived."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.env.get_domain("aiinfra").note_gatherer(self.env.docname)
        found: list[nodes.Node] = []
        for key in formula_keys():
            f = formula(key)
            base.formula_dependency(self.env, key)
            line = self.paragraph(f": {f.says}")
            line.insert(0, [nodes.strong("", "", nodes.literal("", key)), nodes.Text(" "), used_in(key=key)])
            found += [line, *self.equation(f.latex)]
        return [nodes.container("", *found, classes=["formula-list"])]


def resolve_uses(app, doctree, docname) -> None:
    """Put the links in."""
    domain = app.env.get_domain("aiinfra")
    for node in list(doctree.findall(used_in)):
        link = domain.formula_link(app.builder, docname, node["key"])
        node.replace_self(link if link is not None else nodes.Text("(not derived in a chapter yet)"))


def gatherers(app, env) -> list[str]:
    """Pages that show what other pages hold are written again whenever a page was read."""
    domain = env.get_domain("aiinfra")
    return sorted(domain.data["gatherers"]) if domain.changed else []


FIELD_NAMES = {
    "released": "released", "published_total": "tensor total, published", "published_round": "parameters, as rounded",
    "published_active": "active parameters, as rounded", "n_param": "parameters of the language model",
    "n_active": "active parameters", "n_layer": "layers", "d_model": "width", "n_q": "query heads", "n_kv": "key/value heads",
    "d_head": "head width", "d_ff": "MLP width", "n_expert": "routed experts", "n_chosen": "experts per token",
    "vocab": "token table rows", "max_context": "longest context",
    "tied": "embedding and head tied", "dtype": "published format", "year": "year", "capacity": "memory, as sold",
    "capacity_usable": "memory, usable", "memory_bandwidth": "memory bandwidth", "link_bandwidth": "link, one direction",
    "link_domain": "devices in a link domain", "host_link_bandwidth": "host link, one direction", "power": "power",
    "units": "compute units", "clock": "clock", "registers": "registers", "on_chip": "on-chip memory", "cache": "shared cache",
    "topology": "topology of the link", "nic_bandwidth": "network, one direction", "process": "process", "price": "price on demand",
}  # fmt: skip


class CatalogDirective(BookDirective):
    """Shared by ``{devices}`` and ``{models}``: an overview, then each entry with source and locator of every value."""

    folder: str
    entries: Callable[[], dict]
    overview: dict[str, int]  # a column's value and its width in per cent
    described: Callable[[object], list[nodes.Node]]  # what stands under the name of an entry

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.depend()
        found: list[nodes.Node] = [self.overview_table()]
        for entry in self.entries().values():
            section = nodes.section(ids=[nodes.make_id(f"{self.folder}-{entry.key}")], names=[entry.key])
            section += nodes.title("", "", nodes.Text(entry.name))
            section += self.described(entry)
            found.append(section)
        return found

    def depend(self) -> None:
        for path in (base.PACKAGE / "catalog" / self.folder).glob("*.toml"):
            self.env.note_dependency(str(path))

    @staticmethod
    def line(lead: list[nodes.Node], content: list[nodes.Node]) -> nodes.paragraph:
        return nodes.paragraph("", "", *lead, nodes.Text(" "), *content)

    def values(self, entry):
        for name, label in FIELD_NAMES.items():
            if name in entry.data:
                yield label, entry.data[name]
        for peak in getattr(entry, "peaks", ()):
            usual = "int32" if peak.input.startswith("int") else "fp64" if peak.input == "fp64" else "fp32"
            other_sum = f", {peak.accumulate.upper()} sum" if peak.accumulate != usual else ""
            yield f"{peak.input.upper()}{' sparse' * peak.sparse}{other_sum}{', vector' * (peak.unit_kind == 'vector')}", peak.rate

    def source(self, value) -> list[nodes.Node]:
        """Where a value stands, and what is to be said of it."""
        mark = "" if value.verified else " (not checked at the source)"
        derived = f" = {value.derivation}" if getattr(value, "derivation", "") else ""
        note = f" {value.note[0].upper()}{value.note[1:].rstrip('.')}." if value.note else ""
        return [*self.cite(value.source), nodes.Text(f" {_breakable(value.at)}{derived}{mark}.{note}")]

    def cite(self, source: str) -> list[nodes.Node]:
        found, messages = self.parse_inline(f"{{cite}}`{source}`", lineno=self.lineno)
        return [*found, *messages]

    def overview_table(self) -> nodes.table:
        rows = []
        for entry in self.entries().values():
            cells = []
            for name in self.overview:
                value = self.look_up(entry, name)
                cells.append("–" if value is None else _tied(printed(value.value)))
            rows.append([nodes.reference("", entry.name, refid=nodes.make_id(f"{self.folder}-{entry.key}")), *cells])
        head = [self.folder.removesuffix("s").capitalize(), *(FIELD_NAMES.get(n, n) for n in self.overview)]
        widths = self.overview.values()
        return base.make_table(head, rows, [100 - sum(widths), *widths], "overview")

    @staticmethod
    def look_up(entry, name: str) -> catalog.Value | None:
        return entry.data.get(name)


class DevicesDirective(CatalogDirective):
    """``{devices}``: an overview, and of each device every value under the source that gives it."""

    folder = "devices"
    overview = {"capacity": 12, "memory_bandwidth": 15, "BF16 dense": 19, "link_bandwidth": 15, "power": 12}
    entries = staticmethod(catalog.devices)

    @staticmethod
    def look_up(entry, name: str) -> catalog.Value | None:
        if name != "BF16 dense":
            return entry.data.get(name)
        has = any(p.input == "bf16" and not p.sparse for p in entry.peaks)
        return entry.peak("bf16") if has else None

    def described(self, entry) -> list[nodes.Node]:
        box = nodes.container("", classes=["modelentry"])
        box += nodes.paragraph("", "", nodes.Text("In the library: "), nodes.literal("", repr(entry)), nodes.Text("."))
        found: dict[str, dict[str, list[str]]] = {}
        agreeing: dict[str, list[str]] = {}
        for name, value in self.values(entry):
            derived = f"= {value.derivation}" if value.derivation else ""
            kind = "" if value.kind in ("datasheet", "derived") else value.kind
            said = (kind, value.at, derived, "" if value.verified else "not checked at the source", value.note.rstrip("."))
            words = "; ".join(x for x in said if x)
            found.setdefault(value.source, {}).setdefault(words, []).append(self.named(name, value.value))
            for other in value.also:
                if value is entry.price or other not in value.disagreeing:
                    agreeing.setdefault(other.source, []).append(self.named(name, other.value))
        for source, groups in found.items():
            texts = [f"{', '.join(names)} ({_breakable(words)})" for words, names in groups.items()]
            box += self.line(self.cite(source), [nodes.Text(f"{'; '.join(texts)}.")])
        if agreeing:
            parts: list[nodes.Node] = []
            for source, names in agreeing.items():
                parts += [*([nodes.Text("; ")] if parts else []), *self.cite(source), nodes.Text(f" {', '.join(names)}")]
            box += self.line(_lead("Also in"), [*parts, nodes.Text(".")])
        return [box]

    @staticmethod
    def named(name: str, value: object) -> str:
        """A value as its source prints it, with its label."""
        shown = str(value) if name == "year" else printed(value)
        return f"{name} {_tied(shown) if len(shown) < 24 else shown}"


class DisagreementsDirective(DevicesDirective):
    """``{disagreements}``: every value of a device for which another source prints another number."""

    head = {"Device": 14, "Value": 13, "Taken": 12, "Other": 12, "Ratio": 8, "Where, and why": 41}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.depend()
        rows = []
        for entry in self.entries().values():
            alike: dict[tuple, list[str]] = {}  # formats that differ in the same way share a row
            for name, value in self.values(entry):
                for other in value.disagreeing if value is not entry.price else ():  # offers of others, no disagreement
                    ratio = f"{float(other.value) / float(value.value):.4g}" if isinstance(value.value, Quantity) else "–"
                    key = (printed(value.value), printed(other.value), ratio, value.source, other.source, other.at, other.note)
                    alike.setdefault(key, []).append(name)
            for (taken, another, ratio, source, other, at, note), names in alike.items():
                why = nodes.Text(f" {_breakable(at)}{f': {note}' if note else ''}.")
                where = [*self.cite(source), *([] if other == source else [nodes.Text(" against "), *self.cite(other)]), why]
                device = nodes.reference("", entry.key, refid=nodes.make_id(f"{self.folder}-{entry.key}"))
                rows.append([device, "; ".join(names), taken, another, ratio, where])
        return [base.make_table(list(self.head), rows, [*self.head.values()], "longtable", "sources")]


class AchievedDirective(DevicesDirective):
    """``{achieved} DEVICE …``: what was measured of matrix products, memory and links, beside the rated value.

    Without devices, of all that have such a measurement; ``:what:`` is ``matrix``, ``memory`` or ``link``, one or several.
    """

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {"what": directives.unchanged_required}
    head = {"Device": 15, "What": 10, "Rated": 12, "Achieved": 12, "Share": 8, "How, and source": 43}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.depend()
        kinds = self.options.get("what", " ".join(ACHIEVED)).split()
        for kind in kinds:
            if kind not in ACHIEVED:
                raise unknown("measurement", kind, ACHIEVED)
        named = [catalog.device(name) for name in " ".join(self.arguments).split()]
        found = [(d, a) for d in named or self.entries().values() for a in d.achieved if a.what in kinds]
        if lacking := [d.key for d in named if not any(d is other for other, _ in found)]:
            raise MissingInput(f"{', '.join(lacking)}: the catalogue has no measured {' or '.join(kinds)}")
        found.sort(key=lambda pair: (kinds.index(pair[1].what), pair[1].input, pair[0].name))
        rows = [self.row(device, measured) for device, measured in found]
        return [base.make_table(list(self.head), rows, [*self.head.values()], "longtable", "sources")]

    def row(self, device: catalog.Device, measured: Achieved) -> list:
        rated = device.rated(measured.what, measured.input or None)
        share = f"{100 * float(measured.value) / float(rated.value):.0f}\N{NO-BREAK SPACE}%" if rated else "–"
        what = f"{measured.what}, {measured.input.upper()}" if measured.input else measured.what
        mark = "" if measured.verified else " (not checked at the source)"
        note = f" {measured.note[0].upper()}{measured.note[1:].rstrip('.')}." if measured.note else ""
        where = nodes.Text(f" {_breakable(measured.at)}{mark}.{note}")
        how = [nodes.Text(f"{_breakable(measured.how.rstrip('.'))}. "), *self.cite(measured.source), where]
        return [device.name, what, printed(rated.value) if rated else "–", printed(measured.value), share, how]


class ModelsDirective(CatalogDirective):
    """``{models}``: what is published of each model, what its configuration says, and what the ledger makes of it."""

    folder = "models"
    overview = {"n_param": 21, "n_active": 19, "n_layer": 9, "d_model": 9, "max_context": 14}
    entries = staticmethod(catalog.models)

    def described(self, entry) -> list[nodes.Node]:
        a, ledger = entry.architecture, entry.ledger()
        box = nodes.container("", classes=["modelentry"])
        fixed = f", and {Quantity(ledger.fixed_bytes, byte)} of fixed size" if ledger.fixed_bytes else ""
        state = f"{Quantity(ledger.token_bytes, byte)} of state per token of context{fixed}, in {ledger.kv.name.upper()}"
        active = f", {ledger.active:,} active" if ledger.active != ledger.parameters else ""
        others = "".join(f"; {n:,} in section {name}" for name, n in ledger.sections.items() if name != "language")
        counts = f"{ledger.parameters:,} parameters{active}{others}. {'; '.join(a.describe())}. {state}."
        box += self.line(_lead("Counted"), [nodes.literal("", repr(entry)), nodes.Text(f": {counts}")])
        if entry.published_total:
            apart = entry.published_total.value - counted_total(entry)
            verdict = f"{abs(apart):,} {'more' if apart > 0 else 'fewer'} than the ledger" if apart else "the ledger gives it exactly"
            head = nodes.Text(f"{entry.published_total.value:,} parameters ({', '.join(entry.published_of)}): {verdict}. ")
            box += self.line(_lead("Published total"), [head, *self.source(entry.published_total)])
        rounded = [(v, word) for v, word in ((entry.published_round, "in all"), (entry.published_active, "active")) if v]
        if rounded:
            texts = [[nodes.Text(f"{v} {word} "), *self.source(v)] for v, word in rounded]
            box += self.line(_lead("As rounded"), [n for i, t in enumerate(texts) for n in ([nodes.Text(" ")] if i else []) + t])
        for facts in entry.facts:
            box += self.line(_lead("Configuration"), [*self.source(facts), nodes.Text(f" {_compact(facts.fields)}.")])
        if text := "; ".join(a.warnings):
            box += self.line(_lead("Left open"), [nodes.Text(f"{text[0].upper()}{text[1:]}.")])
        return [box]


def _tied(text: str) -> str:
    """Text that stays on one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _lead(text: str) -> list[nodes.Node]:
    return [nodes.strong("", text), nodes.Text(".")]


def _compact(fields: dict) -> str:
    """Fields of a configuration as one text; a long list as its distinct values."""

    def one(value: object) -> str:
        if isinstance(value, dict):
            return "{" + _compact(value) + "}"
        if isinstance(value, list) and len(value) > 8:
            kinds = dict.fromkeys(_breakable(str(v)) for v in value)
            return f"[{len(value)}: {', '.join(list(kinds)[:6])}{', …' if len(kinds) > 6 else ''}]"
        if isinstance(value, str) and len(value) > 24 and len(set(value)) < 8:  # a letter for each layer
            return f"[{len(value)}: {', '.join(f'{n} × {letter}' for letter, n in Counter(value).items())}]"
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return _breakable(text)

    return ", ".join(f"{_breakable(name)} {one(value)}" for name, value in fields.items())


def _breakable(text: str) -> str:
    """A long word may end its line after a sign, but no number may."""
    return re.sub(r"(?<=[-_.,/*])(?=\S)(?!(?<=\d[.,])\d)", "\N{ZERO WIDTH SPACE}", text)


class MeasurementsDirective(BookDirective):
    """``{measurements}``: every published measurement with its conditions and source."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(base.PACKAGE / "catalog" / "measurements.toml"))
        rows = []
        for m in catalog.measurements().values():
            cite, messages = self.parse_inline(f"{{cite}}`{m.source}`", lineno=self.lineno)
            where = f"{m.devices or 1} × {catalog.device(m.device).name}" if m.device else ""
            model = catalog.model(m.model).name if m.model else ""
            mark = "" if m.verified else " (not checked at the source)"
            shown = base.shown(m.value, m.value.unit.text)
            what = [nodes.Text(f"{m.what}; {', '.join(x for x in (model, m.weights, where) if x)}")]
            rows.append([what, shown, [*cite, *messages, nodes.Text(f" {m.at}{mark}. {m.note}")]])
        return [base.make_table(["What", "Value", "Source and conditions"], rows, [28, 14, 58], "longtable", "sources")]


def add_nodes(app) -> None:
    """Register the node and the resolution of links."""
    app.add_node(used_in)
    app.connect("doctree-resolved", resolve_uses, priority=150)
    app.connect("env-updated", gatherers)
