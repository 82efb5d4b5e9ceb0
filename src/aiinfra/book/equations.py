"""Directives for formulas: the formula itself, its derivation, a worked example, a flip; and the role for a number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes

from aiinfra import catalog, formulas
from aiinfra.book import base
from aiinfra.book.base import BookDirective, BookRole
from aiinfra.book.calls import OPERATORS, Call, ask, split
from aiinfra.book.counted import counted
from aiinfra.engine import analysis, evaluate, latex
from aiinfra.engine.derivation import DERIVATIONS, Line
from aiinfra.engine.formula import Formula, formula, formula_keys
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, unknown
from aiinfra.units import Quantity

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class CaseDirective(BookDirective):
    """``{case} name``: named inputs for the rest of the chapter."""

    required_arguments = 1
    has_content = True

    @base.guarded
    def run(self) -> list[nodes.Node]:
        text = " ".join(self.content)
        base.depend_on(self.env, text)
        self.cases.add(self.arguments[0], text)
        return []


class FormulaDirective(BookDirective):
    """``{formula} key``: the numbered equation, what it says, when it holds, where its symbols are explained."""

    required_arguments = 1
    option_spec = {"nowhere": directives.flag}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        f = formula(self.arguments[0])
        base.formula_dependency(self.env, f.key)
        box = nodes.container(classes=["formula"])
        box += self.equation(f.latex, f.key)
        cites = "".join(f" {{cite}}`{key}`" for key in f.cites)
        kind = {"=": "", ">=": "A lower bound. ", "<=": "An upper bound. ", "~": "A model. "}[f.relation]
        holds = f" *Holds for:* {f.holds}." if f.holds else ""
        says = self.paragraph(f"{kind}{f.says}{cites}{holds}", "says")
        says += [nodes.Text(" "), nodes.inline("", "", nodes.literal("", f.key), classes=["key"])]
        box += says
        if "nowhere" not in self.options:
            box += self._where(f)
        index = addnodes.index(entries=[("single", f"formula; {f.key}", f"equation-{f.key}", "", None)])
        return [index, box]

    def _where(self, f: Formula) -> nodes.paragraph | list:
        """What the symbols mean, each where the chapter first uses it."""
        known = self.env.temp_data.setdefault("aiinfra-explained", set())
        names = [n for n in (f.symbol, *f.inputs) if n not in known]
        known.update(names)
        if not names:
            return []
        parts: list[nodes.Node] = [nodes.emphasis("", "Where: ")]
        for i, name in enumerate(names):
            info = table().symbols[name]
            unit = f" ({info.unit.text})" if info.unit.text else ""
            parts += [nodes.Text("; " if i else ""), base.symbol_math(name), nodes.Text(f": {info.meaning}{unit}")]
        return nodes.paragraph("", "", *parts, nodes.Text("."), classes=["where"])


LETTERS = "abcdefghijklmnopqrstuvwxyz"


class DerivationDirective(BookDirective):
    """``{derivation} key``: the steps in one column, their reasons below."""

    required_arguments = 1

    @base.guarded
    def run(self) -> list[nodes.Node]:
        f = formula(self.arguments[0])
        formulas.load()
        if f.key not in DERIVATIONS:
            raise unknown("derivation", f.key, DERIVATIONS)
        base.formula_dependency(self.env, f.key)
        found = DERIVATIONS[f.key]
        box = nodes.container(classes=["derivation"])
        lines = list(found.lines)
        opening = lines.pop(0) if lines[0].expr == f.left else None  # "what is sought is …" introduces the chain
        if len(lines) == 1 and lines[0].expr == f.right:  # nothing to show that the formula does not
            return [self.paragraph("*Why:* " + " ".join(self.reason(line) for line in (opening, lines[0]) if line))]
        if opening:
            box += self.paragraph(self.reason(opening))
        box += self.equation(self.tex(f, lines))
        reasons = nodes.enumerated_list(enumtype="loweralpha", prefix="(", suffix=")")
        reasons += [nodes.list_item("", self.paragraph(self.reason(line))) for line in lines]
        box += reasons
        return [box]

    def reason(self, line: Line) -> str:
        text = line.why if line.why.endswith((".", ":")) else line.why + "."
        if line.premise:
            text += f" {{eq}}`{line.premise}`"
            base.formula_dependency(self.env, line.premise)
        if line.sampled:
            text += " *(Checked at random points, not proved.)*"
        return text

    @staticmethod
    def tex(f: Formula, lines: list[Line]) -> str:
        rows = []
        for letter, line in zip(LETTERS, lines, strict=False):
            lead = "" if rows else latex.expression(f.left)
            under = ""
            if isinstance(line.condition, tuple):
                symbol, value = line.condition
                sign = r"\to" if value.is_infinite else "="
                under = rf"\quad\text{{for }} {latex.expression(symbol)} {sign} {latex.expression(value)}"
            elif line.condition is not None:
                under = rf"\quad\text{{for }} {latex.expression(line.condition)}"
            rows.append(rf"{lead} & {latex.RELATIONS[line.relation]} {latex.expression(line.expr)}{under} && \text{{({letter})}}")
        return r"\begin{aligned}" + r" \\[6pt] ".join(rows) + r"\end{aligned}"


class given_node(nodes.inline):
    """Inputs of a worked example that have one source; on screen their values go with them, for the cards of symbols."""


def visit_given_html(self, node) -> None:
    data = {"data-given": json.dumps(node["values"], ensure_ascii=False, separators=(",", ":")), "data-origin": node["origin"]}
    self.body.append(self.starttag(node, "span", "", **({} if self.builder.name == "epub" else data)))


def depart_given_html(self, node) -> None:
    self.body.append("</span>")


def add_nodes(app: Sphinx) -> None:
    """Called by the extension of the book."""
    app.add_node(given_node, html=(visit_given_html, depart_given_html), latex=(base.nothing, base.nothing))


class WorkedDirective(BookDirective):
    """``{worked} request``: symbols, the numbers put in, the result, and where each input comes from."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"title": directives.unchanged_required, "name": directives.unchanged_required}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        answer = self.ask(self.arguments[0])
        if answer.call is None:
            raise BadValue(f"{self.arguments[0]!r}: a worked example takes one formula; use {{value}} for arithmetic")
        call = answer.call
        f = call.formula
        given = call.pruned()
        steps, supplied, known = f.prepare(call.entries, given, call.dtype)
        values = supplied | known
        evaluate.run(steps, values)
        box = counted(self, "example", self.options.get("title", f.says.rstrip(".")))
        self.body(box)
        sign = latex.RELATIONS[f.relation]
        result = latex.quantity(answer.value, answer.format)
        lines = [rf"{latex.expression(f.left)} & {sign} {latex.expression(f.right)}"]
        numbers = base.put_in(f, values)
        if numbers != [f"& = {result}"]:
            lines += numbers
        lines.append(rf"& = {result}" if len(lines) > 1 else rf"& {sign} {result}")
        box += self.equation(r"\begin{aligned}" + r" \\[6pt] ".join(lines) + r"\end{aligned}")
        box += self._inputs(f, call, values, known, {s.name: s.record.key for s in steps[:-1]})
        return [box]

    def _inputs(self, f, call, values, known, made) -> nodes.paragraph:
        """The inputs grouped by where they come from."""
        symbols = table().symbols
        groups: dict[str, dict[str, dict[str, str]]] = {}
        for name in f.inputs:
            value = repr(Quantity(values[name], symbols[name].unit)).replace(" ", "\N{NO-BREAK SPACE}")
            origin, source = self._origin(name, call, known, made)
            groups.setdefault(origin, {}).setdefault(source, {})[name] = value
        found = nodes.paragraph("", "", nodes.emphasis("", "Inputs."), nodes.Text(" "), classes=["inputs"])
        for i, (origin, by) in enumerate(groups.items()):
            found += nodes.Text(f"{'. ' if i else ''}{origin}: ")
            for j, (source, texts) in enumerate(by.items()):
                found += [nodes.Text(", ")] * bool(j)
                found += self._given(origin, source, texts)
        found += nodes.Text(".")
        return found

    def _given(self, origin: str, source: str, texts: dict[str, str]) -> given_node:
        """The inputs that have one source, and its citation."""
        found = given_node(origin=origin, values=texts)
        for i, (name, value) in enumerate(texts.items()):
            found += [nodes.Text(", ")] * bool(i)
            found += [base.symbol_math(name), nodes.Text(f"\N{NO-BREAK SPACE}= {value}")]
        if source:
            cited, messages = self.parse_inline(source.strip(), lineno=self.lineno)
            found += [nodes.Text(" "), *cited, *messages]
        return found

    def _origin(self, name: str, call: Call, known: dict, made: dict) -> tuple[str, str]:
        """What an input is, or which entry it belongs to; and its citation or equation."""
        if name in made:
            return "Computed", f" {{eq}}`{made[name]}`"
        if name in call.asked:
            return self._answer_origin(call.asked[name])
        if name in known:
            return "Given", ""
        found = evaluate.source_of(name, call.entries, call.dtype)
        return (found[0].name, f" {{cite}}`{found[1].source}`") if found else ("Given", "")

    def _answer_origin(self, request: str) -> tuple[str, str]:
        """The same for the answer to a request: a measurement outweighs what was computed from it."""
        words = split(request)
        measured = dict.fromkeys(catalog.measurement(w).source for w in words if w in catalog.measurements())
        if measured:
            return "Measured", "".join(f" {{cite}}`{source}`" for source in measured)
        if words[0] in formula_keys() and not set(words) & set(OPERATORS):
            return "Computed", f" {{eq}}`{words[0]}`"
        entry = catalog.models().get(words[0]) or catalog.devices().get(words[0])
        if entry is not None and len(words) == 2:
            return entry.name, f" {{cite}}`{entry.data[words[1]].source}`"
        return "Computed", ""


class FlipDirective(BookDirective):
    """``{flip} KEY = KEY over SYMBOL settings``: where one quantity overtakes another."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = dict.fromkeys(("title", "below", "above", "name"), directives.unchanged_required)

    @base.guarded
    def run(self) -> list[nodes.Node]:
        answer = self.ask(self.arguments[0])
        if answer.flip is None:
            raise BadValue(f"{self.arguments[0]!r}: expected KEY = KEY over SYMBOL and inputs")
        call, second, symbol = answer.flip.call, answer.flip.other, answer.flip.symbol
        first = call.formula
        box = counted(self, "flip", self.options.get("title", "Where it flips"))
        self.body(box)
        known = set(call.inputs)
        for entry in call.entries:
            known |= set(entry.symbols(call.dtype))
        left, right = latex.expression(first.left), latex.expression(second.left)
        if first.symbol == second.symbol:
            left, right = latex.expression(first.right), latex.expression(second.right)
        solved = analysis.solution(first, second, symbol, known)
        info = table().symbols[symbol]
        result = latex.quantity(answer.value, answer.format)
        tex = rf"\begin{{aligned}}& {left} = {right} \\[6pt] & {info.latex} = {latex.expression(solved)} = {result}\end{{aligned}}"
        box += self.equation(tex)
        printed = str(answer).replace(" ", "\N{NO-BREAK SPACE}")
        sides = [f"**{side.capitalize()} {printed}:** {self.options[side]}" for side in ("below", "above") if side in self.options]
        if sides:
            box += self.paragraph(" ".join(sides), "sides")
        return [box]


class ValueRole(BookRole):
    """``{value}`request```: a computed number."""

    @base.guarded
    def run(self) -> tuple[list[nodes.Node], list]:
        base.depend_on(self.env, self.text)
        answer = ask(self.text, base.cases_of(self.env))
        kind = base.KIND[answer.call.formula.relation] if answer.call else ""
        title = f"{answer.call.formula.key} ({kind})" if answer.call else self.text
        node = base.value_node("", "", *base.shown(answer.value, answer.format), title=title)
        return [node], []
