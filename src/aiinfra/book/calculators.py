"""Calculators: requests that a reader can change, on screen with the very expressions that are typeset; in print, their first case."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from sphinx.util.nodes import make_id

from aiinfra import catalog, formats
from aiinfra.book import base, calls, draw
from aiinfra.book.base import BookDirective, fields, rows
from aiinfra.book.counted import counted
from aiinfra.book.figures import drawing_node
from aiinfra.book.live import on_screen, requests
from aiinfra.book.live.data import text
from aiinfra.engine import evaluate, latex
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, OutsideValidity, unknown
from aiinfra.units import Quantity, parse_unit

CHOICES = {
    "model": "model",
    "device": "device",
    "dtype": "format computed in",
    "weights": "format of the weights",
    "kv": "format of the cache",
}
CHOICES |= {"activations": "format of the activations"}
POINTS = 96  # of a curve


class calculator_node(nodes.General, nodes.Element):
    """A calculator: ``data`` is what the page's script makes it from; the children are its first case, as it is printed."""


class CalculatorDirective(BookDirective):
    """``{calculator} name``: inputs that a reader changes, outputs that follow, and a plot of them; see ``docs/contributing.md``."""

    required_arguments = 1
    has_content = True

    @base.guarded
    def run(self) -> list[nodes.Node]:
        name = self.options["name"] = self.arguments[0]
        body = self.yaml(("title", "inputs", "outputs"), ("case", "about", "plot"))
        self.start_case = str(body.get("case", ""))
        self.start: dict[str, object] = {}  # of each input, as a request is given it
        inputs = [self.input(str(n), row) for n, row in fields(body["inputs"], "inputs", (), body["inputs"] or {}).items()]
        outputs = [self.output(row) for row in rows(body["outputs"], "outputs")]
        data = {"name": name, "inputs": inputs, "outputs": [row for row, _, _ in outputs]}
        box = counted(self, "calculator", self.label(body["title"]))
        if "about" in body:
            box += self.paragraph(str(body["about"]))
        node = calculator_node(data=data, title=str(body["title"]))
        self.set_source_info(node)
        node += self.printed(inputs, outputs)
        for row, answer, label in outputs:
            if row.get("worked"):
                node += self.worked(row, answer)
        if "plot" in body:
            data["plot"], figure = self.plot(name, body["plot"], body)
            node += figure
        data["needs"] = self.needs(data)
        box += node
        return [box]

    # Inputs

    def input(self, name: str, body: object) -> dict:
        """A field for a number, or a choice among entries or formats."""
        if isinstance(body, list):
            body = {"of": body}
        body = fields(body or {}, f"input {name}", (), ("of", "from", "to", "log", "in", "start", "label", "whole"))
        settings = self.settings()
        if name in CHOICES or name == "float":
            return self.choice(name, body, settings)
        if name not in table().symbols:
            raise unknown("symbol", name, [*table().symbols, *CHOICES])
        info = table().symbols[name]
        started = body.get("start", settings.get(name))
        if started is None:
            raise BadValue(f"input {name}: start is missing, and the case does not give it")
        start = requests.given_of(name, str(started), self.cases)[1]
        if isinstance(start, dict):
            start = self.ask(str(started)[1:-1]).value.value
        unit = str(body.get("in", ""))
        if unit:
            parse_unit(unit)
        found = {"name": name, "label": self.label(body.get("label", info.meaning)), "unit": unit, "start": start}
        found["whole"] = bool(body.get("whole", info.whole))
        if "from" in body:
            low, high = (requests.given_of(name, str(body[end]), self.cases)[1] for end in ("from", "to"))
            if not low < high or body.get("log") and not low > 0 or not low <= start <= high:
                raise BadValue(f"input {name}: from {low:g} to {high:g}, start {start:g}: the range must rise and hold the start")
            found |= {"from": low, "to": high, "log": bool(body.get("log", False))}
        self.start[name] = start
        return found

    def choice(self, name: str, body: dict, settings: dict) -> dict:
        options = [str(key) for key in rows(body.get("of"), f"input {name}")]
        known = {"model": catalog.models, "device": catalog.devices}.get(name, lambda: formats.BYTES)()
        for key in options:
            if key not in known:
                raise unknown(name, key, known)
        start = str(body.get("start", settings.get(name, options[0])))
        if start not in options:
            raise BadValue(f"input {name}: start {start} is not among {', '.join(options)}")
        labels = [known[key].name if name in ("model", "device") else key.upper() for key in options]
        found = {"name": name, "label": self.label(body.get("label", CHOICES[name])), "options": options, "labels": labels, "start": start}
        if name in evaluate.FORMAT_WORDS:
            found |= {"sets": evaluate.FORMAT_WORDS[name], "values": [formats.bytes_of(key) for key in options]}
        self.start[name] = start
        return found

    def settings(self) -> dict:
        """The settings from which the inputs start."""
        shared, own = self.cases.settings(calls.split(self.start_case))
        return calls.merge(shared, own)

    # Outputs

    def output(self, body: object) -> tuple[dict, calls.Answer, str]:
        row = fields(body, "output", ("label", "ask"), ("race", "worked", "note"))
        request = str(row["ask"])
        base.depend_on(self.env, request)
        answer = self.ask(request, **self.start)
        label = self.label(row["label"])
        found = {"label": label, "ask": requests.compiled(request, self.cases), "request": request}
        found |= {name: row[name] for name in ("race", "note") if name in row}
        if row.get("worked"):
            if answer.call is None:
                raise BadValue(f"output {label!r}: worked takes one formula")
            found["worked"] = True
        return found, answer, label

    def worked(self, row: dict, answer: calls.Answer) -> nodes.Element:
        """The formula with its numbers put in; each number can be found by the script."""
        f = answer.call.formula
        steps, supplied, known = f.prepare(answer.call.entries, answer.call.pruned(), answer.call.dtype)
        values = supplied | known
        evaluate.run(steps, values)
        symbols = table().symbols
        numbers = {n: marked(f"n-{n}", latex.text(repr(Quantity(values[n], symbols[n].unit)))) for n in f.inputs}
        result = marked("n-result", latex.quantity(answer.value, answer.format))
        tex = rf"{latex.expression(f.left)} {latex.RELATIONS[f.relation]} {latex.expression(f.right, numbers)} = {result}"
        row["numbers"] = list(f.inputs)
        box = nodes.container(classes=["worked-line"])
        box += self.equation(tex)
        return box

    def printed(self, inputs: list[dict], outputs: list) -> nodes.table:
        """The first case as a table."""
        found = [[f"{row['label']}", self.shown_start(row)] for row in inputs]
        for row, answer, label in outputs:
            kind = base.KIND[answer.value.relation]
            found.append([[nodes.strong("", label)], [*base.shown(answer.value, answer.format), nodes.Text(f" ({kind})")]])
        return base.make_table(["Input or result", "Value"], found, [60, 40], "calculator-table")

    def shown_start(self, row: dict) -> object:
        if "options" in row:
            return row["labels"][row["options"].index(row["start"])]
        return base.shown(Quantity(row["start"], table().symbols[row["name"]].unit), row["unit"])

    # Plot

    def plot(self, name: str, body: object, whole: dict) -> tuple[dict, nodes.Element]:
        """Requests over one input, as data for the page and as a drawing of the first case."""
        body = fields(body, "plot", ("x", "y", "series"), ("alt",))
        x = str(body["x"])
        inputs = {row["name"]: row for row in (self.input(n, r) for n, r in whole["inputs"].items())}
        if x not in inputs or "from" not in inputs[x]:
            raise BadValue(f"plot, x = {x!r}: must be an input with a range")
        axis, y = inputs[x], fields(body["y"], "y", ("label",), ("log",))
        series = [fields(row, "series", ("label", "ask"), ("role", "dash")) for row in rows(body["series"], "series")]
        asked = [str(row["ask"]) for row in series]
        for request in asked:
            base.depend_on(self.env, request)
        lines = []
        for row, request in zip(series, asked, strict=True):
            xs, ys = [], []
            for value in points(axis, axis["whole"]):
                try:
                    ys.append(calls.ask(request, self.cases, **{**self.start, x: value}).number)
                    xs.append(value / float(parse_unit(axis["unit"])[0]) if axis["unit"] else value)
                except OutsideValidity:
                    continue  # the curve ends where its formula does
            lines.append(draw.Series(self.label(row["label"]), xs, ys, role=row.get("role"), dash=row.get("dash")))
        label = axis["label"] + (
            f" ({axis['unit'] or table().symbols[x].unit.text})" if axis["unit"] or table().symbols[x].unit.text else ""
        )
        log_y = bool(y.get("log", False))
        spec = {"series": lines, "x_label": label, "y_label": y["label"], "log_x": axis["log"], "log_y": log_y}
        data = {"x": x, "label": label, "y": y["label"], "log": log_y}
        data["series"] = [
            {"label": line.label, "ask": requests.compiled(request, self.cases), "request": request, "role": line.role, "dash": line.dash}
            for line, request in zip(lines, asked, strict=True)
        ]
        ident = make_id(self.env, self.state.document, "", f"{name}-plot")
        title = self.label(whole["title"])
        alt = self.label(body["alt"]) if "alt" in body else None
        drawing = draw.render(draw.lines(**spec), ident, title, alt)
        node = drawing_node(kind="lines", spec=spec, name=ident, title=title, alt=alt, html=drawing.html, description=drawing.description)
        node["file"] = f"{self.env.docname.replace('/', '-')}-{ident}"
        return data, node

    # Data

    def needs(self, data: dict) -> dict:
        """The formulas, symbols and entries that the page must have."""
        asked = [row["ask"] for row in (*data["outputs"], *data.get("plot", {}).get("series", ()))]
        found: dict[str, set] = {"formulas": set(), "model": set(), "device": set(), "dtypes": {None}}
        for request in asked:
            found["formulas"] |= requests.keys(request)
            _entries(request, found)
        for row in data["inputs"]:
            if row["name"] in ("model", "device"):
                found[row["name"]] |= set(row["options"])
            if row["name"] == "dtype":
                found["dtypes"] |= set(row["options"])
        found["dtypes"] |= {catalog.model(key).published_format for key in found["model"]}
        found["symbols"] = {row["name"] for row in data["inputs"] if row["name"] in table().symbols}
        found["symbols"] |= {row["sets"] for row in data["inputs"] if "sets" in row}
        return found


def _entries(request: dict, found: dict) -> None:
    for term in request["terms"]:
        for kind, key in term.get("entries", {}).items():
            found[kind].add(key)
        found["dtypes"].add(term.get("dtype"))
        for value in term.get("given", {}).values():
            if isinstance(value, dict):
                _entries(value["ask"], found)


def marked(name: str, tex: str) -> str:
    """LaTeX that a script can find on the page."""
    return rf"\htmlClass{{{name}}}{{{tex}}}"


def points(axis: dict, whole: bool) -> list[float]:
    """The values of an input along its range."""
    low, high = axis["from"], axis["to"]
    shares = [i / (POINTS - 1) for i in range(POINTS)]
    found = [low * (high / low) ** s if axis["log"] else low + (high - low) * s for s in shares]
    return sorted({round(v) for v in found}) if whole else found


def page_script(found: list[dict]) -> str:
    """What a page's calculators need, as a classic script."""
    needs = [data["needs"] for data in found]
    formulas = requests.closure(set().union(*(n["formulas"] for n in needs)))
    symbols = requests.symbols(formulas, set().union(*(n["symbols"] for n in needs)))
    dtypes = set().union(*(n["dtypes"] for n in needs))
    models, devices = (requests.entries(kind, set().union(*(n[kind] for n in needs)), dtypes, set(symbols)) for kind in ("model", "device"))
    calculators = [{n: v for n, v in data.items() if n != "needs"} for data in found]
    parts = {"symbols": symbols, "models": models, "devices": devices, "calculators": calculators}
    rest = "".join(f",\n{name}: {text(value)}" for name, value in parts.items())
    return f"aiinfra.page({{formulas: {requests.functions(formulas)}{rest}}});\n"


def write_script(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """The script of a page with calculators."""
    if doctree is None or not on_screen(app):
        return
    found = [node["data"] for node in doctree.findall(calculator_node)]
    if found:
        file = Path(app.outdir, "_static", "calculators", f"{pagename}.js")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page_script(found), encoding="utf-8")
        app.add_js_file(f"calculators/{pagename}.js", loading_method="defer", priority=600)


def visit_html(self, node) -> None:
    self.body.append(f'<div class="calculator" data-calculator="{self.attval(node["data"]["name"])}"><div class="first-case">')


def depart_html(self, node) -> None:
    self.body.append("</div></div>\n")


def add_nodes(app) -> None:
    """Register the calculator with its visitors and the writer of its scripts."""
    app.add_node(calculator_node, html=(visit_html, depart_html), latex=(base.nothing, base.nothing))
    app.connect("html-page-context", write_script)
