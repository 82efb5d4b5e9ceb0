"""What a chapter asks of a model's ledger: numbers for the prose, and tables of its matrices, its state and what rules leave out.

A request is ``ledger MODEL QUANTITY`` with settings, such as ``ledger deepseek-v3 decode-flops context=8192 part=attention``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from docutils import nodes
from docutils.parsers.rst import directives

from aiinfra import catalog, roofline
from aiinfra.architecture.ledger import Ledger, Work
from aiinfra.architecture.rows import KINDS, Row, terms
from aiinfra.book import base
from aiinfra.book.base import BookDirective
from aiinfra.book.counted import counted
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, UnknownName, brief, unknown
from aiinfra.formats import FORMATS
from aiinfra.units import Quantity, byte, flop, second

COUNTS = ("context", "batch", "prompt", "cached", "answer", "steps", "block", "sequence")
WORDS = ("latent", "logits", "convention", "recompute", "windows", "section", "part", "row")
FORMAT_WORDS = ("weights", "kv")

# what is asked -> (settings it needs, settings it may have, how it is computed)
PREFILL = ("batch", "cached", "logits", "convention", "latent")
DECODE = ("batch", "steps", "latent")
PHASES: dict[str, tuple[tuple, tuple, Callable[..., Work]]] = {
    "prefill": (("prompt",), PREFILL, Ledger.prefill),
    "decode": (("context",), DECODE, Ledger.decode),
    "answer": (("prompt", "answer"), ("batch",), Ledger.answer),
    "training": (("sequence",), ("batch", "recompute", "convention"), Ledger.training),
}
STORED = ("parameters", "active", "bytes")
STATE = {
    "token-bytes": (),
    "fixed-bytes": (),
    "state": ("context",),
    "state-read": ("context",),
    "state-paged": ("context", "block", "windows"),
}
WORK = ("flops", "weights", "state", "read", "written")
QUANTITIES = (*STORED, *STATE, *(f"{phase}-{what}" for phase in PHASES for what in WORK))


@lru_cache(maxsize=64)
def ledger_of(key: str, weights: str | None, kv: str | None) -> Ledger:
    """The ledger of a catalogued model, kept: a plot asks for it at every point."""
    return catalog.model(key).ledger(weights, kv)


def ask(words: list[str], own: Mapping[str, object], shared: Mapping[str, object]) -> Quantity:
    """The answer to ``MODEL QUANTITY`` with settings of its own and of cases, which may be of no use."""
    model, what, *extra = [*words, "", ""][: max(len(words), 2)]
    if extra or not what:
        raise BadValue(f"ledger {' '.join(words)}: expected a model and a quantity, such as 'ledger llama-3.1-8b parameters'")
    if what not in QUANTITIES:
        raise unknown("quantity of a ledger", what, QUANTITIES)
    known = {*COUNTS, *WORDS, *FORMAT_WORDS}
    for name in own:
        if name not in known:
            raise unknown("setting of a ledger", name, known)
    settings = {n: v for n, v in shared.items() if n in known} | dict(own)
    read: set[str] = {"weights", "kv"}
    ledger = ledger_of(model, settings.get("weights"), settings.get("kv"))
    found = _compute(ledger, what, settings, read)
    unused = sorted(set(own) - read)
    if unused:
        raise UnknownName(f"{what} of a ledger does not use {', '.join(unused)}; it uses {', '.join(sorted(read))}")
    return found


def _compute(ledger: Ledger, what: str, settings: Mapping, read: set[str]) -> Quantity:
    section = settings.get("section")
    if what in STORED:
        read |= {"part", "row", "section"}
        rows = [row for row in ledger.rows if row.section == (section or "language")]
        value = sum(getattr(row, what) for row in _matching(rows, settings, lambda row: row))
        return Quantity(value, byte) if what == "bytes" else Quantity(value)
    if what in STATE:
        read |= set(STATE[what])
        inputs = {n: _count(settings, n) if n in COUNTS else settings[n] for n in STATE[what] if n in settings}
        if "context" in STATE[what] and "context" not in inputs:
            raise BadValue(f"{what} of a ledger needs context")
        method = {"state": ledger.state, "state-read": ledger.state_read, "state-paged": ledger.paged}.get(what)
        value = method(**inputs) if method else getattr(ledger, what.replace("-", "_"))
        return Quantity(value, byte)
    phase, _, quantity = what.partition("-")
    needed, known, method = PHASES[phase]
    lacking = [n for n in needed if n not in settings]
    if lacking:
        raise BadValue(f"{what} of a ledger needs {', '.join(lacking)}")
    read |= {*needed, *known, "section"}
    inputs = {n: _count(settings, n) if n in COUNTS else settings[n] for n in (*needed, *known) if n in settings}
    work = method(ledger, **inputs) if section is None else method(ledger, **inputs, sections=(section,))
    if quantity in ("flops", "weights"):
        read |= {"part", "row"}
        entries = _matching(work.entries, settings, lambda entry: entry.row)
        if quantity == "flops":
            return Quantity(sum(e.flops for e in entries), flop)
        return Quantity(sum(e.read for e in entries), byte, _kind(ledger))
    value = {"state": work.state_read, "read": work.read, "written": work.state_written}[quantity]
    return Quantity(value, byte, _kind(ledger) if quantity == "read" else "=")


def _kind(ledger: Ledger) -> str:
    """Weight reads of experts rest on a model of routing; all others are exact."""
    return "=" if ledger.architecture.dense else "~"


def _matching(items, settings: Mapping, row_of: Callable) -> list:
    """The items whose row is of the part, or has the name, that the settings ask for."""
    part, name = settings.get("part"), settings.get("row")
    found = [i for i in items if part in (None, row_of(i).part) and name in (None, row_of(i).name)]
    if not found:
        names = {row_of(i).part for i in items} if part else {row_of(i).name for i in items}
        raise unknown("part of the ledger" if part else "row of the ledger", part or name, names)
    return found


def _count(settings: Mapping, name: str) -> int:
    value = settings[name]
    number = value.value if isinstance(value, Quantity) else value
    if isinstance(number, str):
        try:
            number = float(number)
        except ValueError:
            raise BadValue(f"{name} = {brief(value)}: must be a whole number") from None
    if number != int(number):
        raise BadValue(f"{name} = {number}: must be a whole number")
    return int(number)


# Tables


def dim_math(dim: str) -> str:
    """A size as LaTeX, in the symbols of the book where they are declared."""
    known = table().symbols

    def factor(f) -> str:
        return known[f].latex if f in known else f"{f:,}".replace(",", r"\,") if isinstance(f, int) else rf"\mathrm{{{f}}}"

    return " + ".join(r"\,".join(factor(f) for f in term if f != 1 or len(term) == 1) for term in terms(dim))


class MatricesDirective(BookDirective):
    """``{matrices} MODEL``: every matrix and operator of a catalogued model, what it holds and what it costs.

    ``:context:`` is the context of the decode step whose operations are shown, ``:section:`` another section than language.
    """

    required_arguments = 1
    option_spec = {"context": directives.positive_int, "section": directives.unchanged, "name": directives.unchanged_required}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        model = catalog.model(self.arguments[0])
        base.depend_on(self.env, model.key)
        context, section = self.options.get("context", 8192), self.options.get("section", "language")
        ledger = ledger_of(model.key, None, None)
        work = ledger.decode(context, sections=(section,))
        total = sum(row.parameters for row in ledger.chosen((section,)))
        rows = []
        for entry in work.entries:
            row = entry.row
            if not entry.flops and row.parameters < total / 2000:
                continue
            share = f"{100 * row.parameters / total:.2f}\N{NO-BREAK SPACE}%" if row.parameters else "–"
            cells = [self.cell(row.parameters), share, self.cell(entry.flops, flop)]
            rows.append([self.named(row), self.shape(row), self.number(row), *cells])
        small = total - sum(e.row.parameters for e in work.entries if e.flops or e.row.parameters >= total / 2000)
        if small:
            rows.append(["norms and other vectors", "", "", self.cell(small), f"{100 * small / total:.2g}\N{NO-BREAK SPACE}%", "–"])
        sums = [nodes.strong("", "", *base.shown(Quantity(total), ",.0f")), "100\N{NO-BREAK SPACE}%"]
        sums.append(nodes.strong("", "", *base.shown(Quantity(work.flops, flop))))
        rows.append([nodes.strong("", "Sum"), "", "", *sums])
        title = f"{model.name}: matrices, and the operations of one decode step with {context:,} tokens of context"
        box = counted(self, "ledger", title)
        head = ["Matrix or operator", "Shape: in × out", "Number", "Parameters", "Share", "Operations"]
        box += base.make_table(head, rows, [21, 26, 13, 16, 10, 14], "ledger-table")
        return [box]

    def named(self, row: Row) -> list[nodes.Node]:
        return [nodes.Text(row.name.replace("_", "_\N{ZERO WIDTH SPACE}"))]

    def shape(self, row: Row) -> list[nodes.Node]:
        if not KINDS[row.kind].parameters:
            return [nodes.Text("–")]
        tex = rf"{dim_math(row.d_in)} \times {dim_math(row.d_out)}"
        return [nodes.math(tex, tex, classes=["known"]), nodes.Text(f" = {row.shape}")]

    def number(self, row: Row) -> str:
        copies = row.value(row.copies)
        used = row.value(row.used)
        return f"{row.layers}" + (f" × {copies}, {used} used" if copies != used else f" × {copies}" if copies > 1 else "")

    @staticmethod
    def cell(value: float, unit=None) -> list[nodes.Node] | str:
        if not value:
            return "–"
        return base.shown(Quantity(value, unit)) if unit else base.shown(Quantity(value), ",.0f")


class StatesDirective(BookDirective):
    """``{states} MODEL …``: what the layers of some models keep of a request, stored and read by a decode step.

    ``:context:`` lists the contexts for which bytes are shown, ``:kv:`` the format of the cache.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"context": directives.unchanged, "kv": directives.unchanged, "name": directives.unchanged_required}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        contexts = [int(c) for c in self.options.get("context", "8192 131072").split()]
        kv = self.options.get("kv", "bf16")
        rows = []
        for key in self.arguments[0].split():
            model = catalog.model(key)
            base.depend_on(self.env, key)
            ledger = ledger_of(key, None, kv)
            fixed = base.shown(Quantity(ledger.fixed_bytes, byte)) if ledger.fixed_bytes else "–"
            cells = [base.shown(Quantity(ledger.token_bytes, byte)), fixed]
            for context in contexts:
                cells += [base.shown(Quantity(ledger.state(context), byte)), base.shown(Quantity(ledger.state_read(context), byte))]
            rows.append([model.name, *cells])
        box = counted(self, "ledger", f"State of one request, cache in {FORMATS[kv].name.upper()}")
        head = ["Model", "Per token", "Fixed"]
        for context in contexts:
            head += [f"Stored at {context:,}", f"Read per step at {context:,}"]
        wide = (100 - 24) // (len(head) - 1)
        box += base.make_table(head, rows, [24, *[wide] * (len(head) - 1)], "ledger-table")
        return [box]


class RulesDirective(BookDirective):
    """``{rules} MODEL …``: what the rules 2N (decode) and 6N (training) give, against the exact sum of a ledger.

    ``:context:`` lists the contexts.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"context": directives.unchanged, "name": directives.unchanged_required}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        contexts = [int(c) for c in self.options.get("context", "2048 32768 131072").split()]
        rows = []
        for key in self.arguments[0].split():
            model = catalog.model(key)
            base.depend_on(self.env, key)
            ledger = ledger_of(key, None, None)
            for context in contexts:
                work = ledger.decode(context)
                parts = work.by_part()
                scores = sum(e.flops for e in work.entries if e.row.reach is not None)
                state = parts.get("recurrent", 0) and sum(e.flops for e in work.entries if e.row.kind in ("gated recurrence", "delta rule"))
                training = ledger.training(context)
                rows.append(
                    [
                        model.name,
                        f"{context:,}",
                        base.shown(Quantity(work.flops, flop)),
                        f"{2 * ledger.active / work.flops:.2f}",
                        f"{2 * ledger.parameters / work.flops:.2f}",
                        f"{100 * (scores + state) / work.flops:.1f}\N{NO-BREAK SPACE}%",
                        f"{6 * ledger.active * context / training.flops:.2f}",
                    ]
                )
        box = counted(self, "ledger", "Rules of thumb over the exact count")
        head = ["Model", "Context", "One decode step, exact", "2 × active", "2 × total", "Scores, values, state", "6 × active, training"]
        box += base.make_table(head, rows, [22, 11, 17, 11, 11, 15, 13], "ledger-table")
        return [box]


class RooflineDirective(BookDirective):
    """``{roofline} MODEL DEVICE``: every operator of a pass on one device, its intensity, its least time and what binds it.

    ``:context:`` is that of a decode step, ``:prompt:`` the length of prompts processed instead; ``:batch:`` counts requests.
    ``:dtype:`` is the format computed in, ``:weights:`` and ``:kv:`` those of weights and cache, ``:devices:`` share the work.
    """

    required_arguments = 2
    numbers = dict.fromkeys(("context", "prompt", "batch", "devices"), directives.positive_int)
    option_spec = {**numbers, **dict.fromkeys(("dtype", "weights", "kv", "name"), directives.unchanged_required)}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        model, device = catalog.model(self.arguments[0]), catalog.device(self.arguments[1])
        base.depend_on(self.env, model.key)
        base.depend_on(self.env, device.key)
        dtype, batch, n = self.options.get("dtype", "bf16"), self.options.get("batch", 1), self.options.get("devices", 1)
        if ("prompt" in self.options) == ("context" in self.options):
            raise BadValue("give either context, of a decode step, or prompt, of prompts to process")
        ledger = ledger_of(model.key, self.options.get("weights"), self.options.get("kv"))
        if "prompt" in self.options:
            work, phase = ledger.prefill(self.options["prompt"], batch=batch), f"prompts of {self.options['prompt']:,} tokens"
        else:
            work, phase = ledger.decode(self.options["context"], batch=batch), f"a decode step at {self.options['context']:,} tokens"
        placed = roofline.place(roofline.operators(work), device, dtype, n)
        many = "" if batch == 1 else f", {batch:,} requests"
        box = counted(self, "ledger", f"{model.name} on {n if n > 1 else 'one'} {device.name} in {dtype.upper()}: {phase}{many}")
        head = ["Operator", "Layers", "Operations", "Bytes", "FLOP per byte", "Least time", "Share", "Binds"]
        box += base.make_table(head, self.rows(placed), [22, 8, 14, 13, 11, 12, 9, 11], "ledger-table")
        return [box]

    @staticmethod
    def rows(placed: tuple[roofline.Placed, ...]) -> list[list]:
        """A row for each operator that takes a thousandth of the time, one for the others, and the sum."""
        total = sum(p.time for p in placed)

        def times(time: float, digits: int = 1) -> list:
            return [base.shown(Quantity(time, second)), f"{100 * time / total:.{digits}f}\N{NO-BREAK SPACE}%"]

        rows, rest = [], 0.0
        for p in placed:
            o = p.operator
            if p.time < total / 1000:
                rest += p.time
                continue
            counts = [base.shown(Quantity(o.flops, flop)) if o.flops else "–", base.shown(Quantity(o.bytes, byte)), f"{o.intensity:,.3g}"]
            rows.append([o.name.replace("_", "_\N{ZERO WIDTH SPACE}"), str(o.layers), *counts, *times(p.time), p.binds])
        if rest:
            rows.append(["all others", "", "", "", "", *times(rest, 2), ""])
        strong = nodes.strong("", "", *base.shown(Quantity(total, second)))
        return [*rows, [nodes.strong("", "Sum, one after the other"), "", "", "", "", strong, "", ""]]
