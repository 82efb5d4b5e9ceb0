"""Plots and diagrams made from computed values: inline SVG on screen, a file in EPUB, PDF in print."""

from __future__ import annotations

from math import inf
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.nodes import make_id

from aiinfra.book import base, draw, plots
from aiinfra.book.base import BookDirective, fields, rows
from aiinfra.book.calls import ask
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, OutsideValidity, brief, unknown

MOST = 10_000  # points of a curve, devices or rows; more cannot be seen


class drawing_node(nodes.General, nodes.Element):
    """A drawing: its SVG is made when the page is read, PDF and the stand-alone file when they are asked for."""


class FigureDirective(BookDirective):
    """A numbered figure whose body says what to draw; the argument is its name for ``{numref}``."""

    required_arguments = 1
    has_content = True
    option_spec = {"class": directives.class_option}

    def figure(self, kind: str, spec: dict, body: dict, unit: str = "") -> list[nodes.Node]:
        name = make_id(self.env, self.state.document, "", self.arguments[0])
        title = self.label(body["title"])
        alt = self.label(body["alt"]) if "alt" in body else None
        drawing = draw.render(getattr(draw, kind)(**spec), name, title, alt)
        node = drawing_node(kind=kind, spec=spec, name=name, title=title, alt=alt, html=drawing.html, description=drawing.description)
        node["file"] = f"{self.env.docname.replace('/', '-')}-{name}"  # unique in the book
        if kind == "lines":
            node["plot"] = plots.Plot.of(drawing.figure, spec, unit)
        figure = nodes.figure("", node, align="default", classes=["drawn"])
        self.set_source_info(figure)
        caption, messages = self.parse_inline(self.label(body["caption"]), lineno=self.lineno)
        figure += nodes.caption("", "", *caption, *messages)
        figure["names"].append(self.arguments[0])
        self.state.document.note_explicit_target(figure, figure)
        return [figure]

    @staticmethod
    def _rows(body: dict, name: str, required: tuple, known: tuple) -> list[dict]:
        """The rows of one field, each with known fields; none where the field is left out."""
        return [fields(row, name.removesuffix("s"), required, known) for row in rows(body[name], name)] if name in body else []

    def number(self, request: object, **override) -> float:
        """A bare number: given, or the answer to a request in the unit it names."""
        if isinstance(request, (int, float)) and not isinstance(request, bool):
            return float(request)
        return self.ask(str(request), **override).number

    def count(self, request: object, what: str, most: int = MOST) -> int:
        """A whole number, of things that can be drawn."""
        found = self.number(request)
        if not 1 <= found <= most or found != int(found):
            raise BadValue(f"{what} = {brief(request)}: must be a whole number from 1 to {most}")
        return int(found)


class PlotDirective(FigureDirective):
    """``{plot} name``: requests over a range of one input, or entries of the catalogue as points."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        if any(line.startswith("entries:") for line in self.content) and not any(line.startswith("series:") for line in self.content):
            return self.entries_alone()
        body = self.yaml(("title", "caption", "x", "y", "series"), ("alt", "marks", "bands", "points", "entries", "x_range", "y_range"))
        axis = fields(body["x"], "x", ("symbol", "from", "to"), ("log", "points", "label", "whole", "in"))
        scale = fields(body["y"], "y", ("label",), ("log",))
        symbol = axis["symbol"]
        if symbol not in table().symbols:
            raise unknown("symbol", symbol, table().symbols)
        info = table().symbols[symbol]
        x_values = self._points(axis)
        spec = {
            "series": [self._series(row, symbol, axis, x_values) for row in rows(body["series"], "series")],
            "x_label": axis.get("label") or info.meaning,
            "y_label": scale["label"],
            "log_x": axis.get("log", False),
            "log_y": scale.get("log", False),
        }
        return self.figure("lines", spec | self._extras(body), body, axis.get("in") or info.unit.text)

    def entries_alone(self) -> list[nodes.Node]:
        """Entries of the catalogue as points, without a curve."""
        body = self.yaml(("title", "caption", "x", "y", "entries"), ("alt", "marks", "bands", "points", "x_range", "y_range"))
        x, y = fields(body["x"], "x", ("label",), ("log", "years")), fields(body["y"], "y", ("label",), ("log",))
        axes = {"x_label": x["label"], "y_label": y["label"], "log_x": x.get("log", False), "log_y": y.get("log", False)}
        axes["years"] = x.get("years", False)
        return self.figure("lines", {"series": [], **axes, **self._extras(body)}, body)

    def _extras(self, body: dict) -> dict:
        """What stands beside the curves: ranges, marks, points and bands."""
        spec: dict = {}
        for name in ("x_range", "y_range"):
            if name in body:
                spec[name] = tuple(self.number(end) for end in rows(body[name], name))
                if len(spec[name]) != 2:
                    raise BadValue(f"{name} = {brief(body[name])}: must be two numbers")
        spec["marks"] = [
            draw.Mark(self._maybe(m, "x"), self._maybe(m, "y"), self.label(m["text"]))
            for m in self._rows(body, "marks", ("text",), ("x", "y"))
        ]
        spec["points"] = [
            (self.number(p["x"]), self.number(p["y"]), self.label(p["text"]))
            for p in self._rows(body, "points", ("x", "y", "text"), ())
        ]
        for group in self._rows(body, "entries", ("of", "x", "y"), ()):
            of = self.entries(group["of"], "entries")
            for (_, text), x, y in zip(of, self.ask_about(group["x"], of), self.ask_about(group["y"], of), strict=True):
                if x and y:
                    spec["points"].append((x.number, y.number, text))
        spec["bands"] = [
            draw.Band(self.number(b["from"]), self.number(b["to"]), self.label(b["text"]), b.get("axis", "x"))
            for b in self._rows(body, "bands", ("from", "to", "text"), ("axis",))
        ]
        return spec

    def _maybe(self, row: dict, name: str) -> float | None:
        return self.number(row[name]) if name in row else None

    def _points(self, axis: dict) -> list[float]:
        low, high, count = self.number(axis["from"]), self.number(axis["to"]), self.count(axis.get("points", 120), "x, points")
        if not low < high < inf or axis.get("log") and not low > 0:
            raise BadValue(f"x from {low:g} to {high:g}: the range must rise{', from above zero' if axis.get('log') else ''}")
        if count < 2:
            raise BadValue("x, points = 1: a curve takes two or more")
        if axis.get("log"):
            found = [low * (high / low) ** (i / (count - 1)) for i in range(count)]
        else:
            found = [low + (high - low) * i / (count - 1) for i in range(count)]
        if table().symbols[axis["symbol"]].whole or axis.get("whole"):
            found = sorted({round(x) for x in found})
        return found

    def _series(self, row: dict, symbol: str, axis: dict, x_values: list[float]):
        row = fields(row, "series", ("label", "y"), ("role", "dash", "until"))
        if "until" in row:
            end = self.number(row["until"])
            x_values = [x for x in x_values if x < end] + [min(end, x_values[-1])]
        unit = axis.get("in")
        xs, ys = [], []
        for x in x_values:
            try:
                point = {symbol: f"{x!r} {unit}" if unit else x}
                y = (ask(str(row["y"]), self.cases, **point) if xs else self.ask(row["y"], **point)).number  # the first notes what it uses
            except OutsideValidity:
                continue  # the curve ends where its formula does
            xs.append(x)
            ys.append(y)
        if len(xs) < 2:
            raise BadValue(f"series {row['label']!r}: its formula holds at fewer than two points of the range")
        return draw.Series(self.label(row["label"]), xs, ys, role=row.get("role"), dash=row.get("dash"))


class DiagramDirective(FigureDirective):
    """``{diagram} kind name``: a memory bar, timeline, data path, topology or tiles, to scale."""

    required_arguments = 2

    @base.guarded
    def run(self) -> list[nodes.Node]:
        kind = self.arguments.pop(0)
        makers = {"memory": self.memory, "timeline": self.timeline, "path": self.path, "topology": self.topology, "tiles": self.tiles}
        if kind not in makers:
            raise unknown("diagram", kind, makers)
        return makers[kind](kind)

    def _key(self, body: dict) -> dict:
        if "key" not in body:
            return {}
        return {"key": {role: self.label(text) for role, text in fields(body["key"], "key", (), draw.ROLES).items()}}

    def memory(self, kind: str) -> list[nodes.Node]:
        body = self.yaml(("title", "caption", "bars"), ("alt", "unit", "key"))
        bars = []
        for bar in self._rows(body, "bars", ("label", "capacity", "parts"), ("usable",)):
            parts = self._rows(bar, "parts", ("label", "size"), ("role",))
            bars.append(
                draw.Bar(
                    self.label(bar["label"]),
                    self.number(bar["capacity"]),
                    [draw.Part(self.label(p["label"]), self.number(p["size"]), role=p.get("role", "weights")) for p in parts],
                    usable=self.number(bar["usable"]) if "usable" in bar else None,
                )
            )
        return self.figure(kind, {"bars": bars, "unit": body.get("unit", "GB"), **self._key(body)}, body)

    def timeline(self, kind: str) -> list[nodes.Node]:
        body = self.yaml(("title", "caption", "rows"), ("alt", "unit", "key", "marks"))
        tracks = []
        for row in self._rows(body, "rows", ("label", "spans"), ()):
            spans, now = [], 0.0
            for span in self._rows(row, "spans", ("lasts",), ("start", "label", "role", "divisions", "critical")):
                start = self.number(span["start"]) if "start" in span else now
                now = start + self.number(span["lasts"])
                spans.append(
                    draw.Span(
                        start,
                        now,
                        self.label(span.get("label", "")),
                        role=span.get("role", "compute"),
                        divisions=span.get("divisions", 1),
                        critical=span.get("critical", False),
                    )
                )
            tracks.append(draw.Row(self.label(row["label"]), spans))
        spec = {"rows": tracks, "unit": body.get("unit", "ms"), **self._key(body)}
        if "marks" in body:
            marks = self._rows(body, "marks", ("x", "text"), ())
            spec["marks"] = [draw.Mark(self.number(m["x"]), None, self.label(m["text"])) for m in marks]
        return self.figure(kind, spec, body)

    def path(self, kind: str) -> list[nodes.Node]:
        body = self.yaml(("title", "caption", "nodes", "hops"), ("alt", "unit"))
        stops = self._rows(body, "nodes", ("label",), ("detail", "role"))
        hops = self._rows(body, "hops", ("bandwidth",), ("label", "role"))
        spec = {
            "nodes": [draw.Node(self.label(n["label"]), self.label(n.get("detail", "")), role=n.get("role", "memory")) for n in stops],
            "hops": [draw.Hop(self.number(h["bandwidth"]), self.label(h.get("label", "")), role=h.get("role", "link")) for h in hops],
            "unit": body.get("unit", "GB/s"),
        }
        return self.figure(kind, spec, body)

    def topology(self, kind: str) -> list[nodes.Node]:
        body = self.yaml(("title", "caption", "kind", "devices"), ("alt", "label", "link_label", "switch_label"))
        spec = {"kind": body["kind"], "devices": self.count(body["devices"], "devices")}
        spec |= {name: self.label(body[name]) for name in ("label", "link_label", "switch_label") if name in body}
        return self.figure(kind, spec, body)

    def tiles(self, kind: str) -> list[nodes.Node]:
        names = ("rows", "columns", "tile_rows", "tile_columns")
        body = self.yaml(("title", "caption", *names), ("alt", "row_label", "column_label", "role", "side"))
        spec = {name: self.count(body[name], name, most=10**9) for name in names}  # the kit limits how many tiles are drawn
        spec |= {name: self.label(body[name]) for name in ("row_label", "column_label") if name in body}
        spec |= {name: body[name] for name in ("role", "side") if name in body}
        return self.figure(kind, spec, body)


def drawing(node):
    """The drawing of a node, made again."""
    return draw.render(getattr(draw, node["kind"])(**node["spec"]), node["name"], node["title"], node["alt"])


def visit_html(self, node) -> None:
    if self.builder.name != "epub":
        self.body.append(plots.html(self.builder, node["file"], node["plot"], node["html"]) if "plot" in node else node["html"])
        raise nodes.SkipNode
    name = f"{node['file']}.svg"
    folder = Path(self.builder.outdir, self.builder.imagedir)
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath(name).write_text(drawing(node).standalone, encoding="utf-8")
    self.body.append(f'<img src="{self.builder.imgpath}/{name}" alt="{self.attval(node["description"])}" />')
    raise nodes.SkipNode


def visit_latex(self, node) -> None:
    name = f"{node['file']}.pdf"
    Path(self.builder.outdir, name).write_bytes(drawing(node).pdf)
    self.body.append(rf"\noindent\sphinxincludegraphics{{{name}}}")
    raise nodes.SkipNode


def add_nodes(app) -> None:
    """Register the drawing with its visitors."""
    app.add_node(drawing_node, html=(visit_html, None), latex=(visit_latex, None))


def write_styles(app) -> None:
    """The colours of drawings, light and dark, as one more style sheet."""
    if app.builder.format == "html" and app.builder.name != "epub":
        static = Path(app.outdir, "_static")
        static.mkdir(parents=True, exist_ok=True)
        static.joinpath("drawings.css").write_text(draw.CSS, encoding="utf-8")
        app.add_css_file("drawings.css")
