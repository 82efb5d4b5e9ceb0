"""Exercises with solutions: folded under the question on screen, gathered at the end of the printed book."""

from __future__ import annotations

import json
from itertools import takewhile

from docutils import nodes
from docutils.parsers.rst import directives

from aiinfra.book import base
from aiinfra.book.base import BookDirective
from aiinfra.book.calls import Answer
from aiinfra.book.counted import counted, counted_box
from aiinfra.errors import unknown
from aiinfra.units import parse_unit


class solution_node(nodes.General, nodes.Element):
    """The solution of an exercise, under its question until it is moved."""


class hint_node(nodes.General, nodes.Element):
    """A first step towards the solution, folded on screen."""


class answers_list(nodes.General, nodes.Element):
    """Where the printed book gathers the solutions."""


class ExerciseDirective(BookDirective):
    """``{exercise} name``: a question; ``:title:`` and, for a harder one, ``:hard:``."""

    required_arguments = 1
    has_content = True
    option_spec = {"title": directives.unchanged_required, "hard": directives.flag}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        self.options["name"] = name
        title = self.options.get("title", "") + (" *(harder)*" if "hard" in self.options else "")
        return [self.body(counted(self, "exercise", title.strip()))]


class SolutionDirective(BookDirective):
    """``{solution} exercise``: the way and the result; ``:answer:`` is a request whose value is the answer.

    Where several numbers are asked, ``:answer:`` has a line ``label: request`` for each.
    """

    required_arguments = 1
    has_content = True
    option_spec = {"answer": directives.unchanged_required}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        domain = self.env.get_domain("aiinfra")
        boxes = {n for n, row in domain.data["boxes"].items() if row[:2] == (self.env.docname, "exercise")}
        if name not in boxes:
            raise unknown("exercise", name, boxes)
        parts: list[nodes.Node] = []
        fields: list[dict] = []
        if "answer" in self.options:
            for label, request in labelled(self.options["answer"]):
                answer = self.ask(request)
                parts += [nodes.Text(f"{'; ' if parts else ''}{label}{': ' if label else ''}"), *base.shown(answer.value, answer.format)]
                fields.append(field(label, answer))
        domain.note_answer(name, [p.deepcopy() for p in parts])
        node = solution_node(anchor=domain.data["boxes"][name][3], fields=fields)
        self.set_source_info(node)
        self.body(node)
        if parts:
            node += nodes.paragraph("", "", nodes.strong("", "Answer: "), *parts, nodes.Text("."), classes=["answer"])
        return [node]


class HintDirective(BookDirective):
    """``{hint}``: a first step, between an exercise and its solution."""

    has_content = True

    @base.guarded
    def run(self) -> list[nodes.Node]:
        return [self.body(hint_node())]


def labelled(text: str) -> list[tuple[str, str]]:
    """Labels and requests of the lines of ``:answer:``.

    >>> labelled("weights: weight-bytes @one in GB\\ncache: kv-bytes @one in GB")
    [('weights', 'weight-bytes @one in GB'), ('cache', 'kv-bytes @one in GB')]
    """
    rows = [line.rpartition(": ") for line in text.splitlines() if line.strip()]
    return [(label.strip(), request.strip()) for label, _, request in rows]


def field(label: str, answer: Answer) -> dict:
    """What a page needs to judge an answer: the value in base units, how it is printed, and half of the last digit printed."""
    number, _, unit = str(answer).replace("%", " %").partition(" ")
    mantissa, _, exponent = number.replace(",", "").partition("e")
    factor = float(parse_unit(unit)[0]) if unit else 1.0
    step = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])) * factor
    value = float(answer.value)
    dims = [int(e) for e in answer.value.unit.dims]
    printed = float(number.replace(",", "")) * factor
    whole = not any(dims) and not unit and value.is_integer()
    return {"label": label, "value": value, "dims": dims, "unit": unit, "printed": printed, "half": step / 2, "whole": whole}


class AnswersDirective(BookDirective):
    """``{answers}``: all solutions in print, a list of links and results on screen."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.env.get_domain("aiinfra").note_gatherer(self.env.docname)
        return [answers_list()]


def gather(app, doctree, docname) -> None:
    """In print, move each solution with its hints to the list; on screen, fill the list with links and results."""
    places = list(doctree.findall(answers_list))
    if app.builder.format != "latex":
        for place in places:
            place.replace_self(results(app, docname))
        return
    for place in places[:1]:
        boxes = {box["ids"][0]: box for box in doctree.findall(counted_box)}
        for node in list(doctree.findall(solution_node)):
            hints = hints_before(node)
            for one in (*hints, node):
                one.parent.remove(one)
            place += moved(node, hints, boxes[node["anchor"]])
    for place in places:
        place.replace_self(place.children)


def hints_before(solution: solution_node) -> list[hint_node]:
    """The hints between an exercise and its solution, in their order."""
    earlier = solution.parent.children[: solution.parent.index(solution)]
    return list(takewhile(lambda node: isinstance(node, hint_node), reversed(earlier)))[::-1]


def results(app, docname: str) -> nodes.bullet_list:
    """A link to each exercise of the book, and its result where it has one."""
    domain = app.env.get_domain("aiinfra")
    found = nodes.bullet_list(classes=["answers"])
    for name in domain.exercises():
        line = nodes.paragraph("", "", domain.box_link(app.builder, docname, name))
        _, answer = domain.data["answers"].get(name, ("", []))
        if answer:
            line += [nodes.Text(": "), *[p.deepcopy() for p in answer]]
        found += nodes.list_item("", line)
    return found


def moved(solution: solution_node, hints: list[hint_node], box: counted_box) -> list[nodes.Node]:
    """A solution as it stands in the list; its exercise says on which page that is."""
    anchor = f"solution-{box['ids'][0]}"
    page = nodes.raw("", rf"page~\pageref{{{anchor}}}", format="latex")
    box += nodes.paragraph("", "", nodes.emphasis("", "Solution: "), page)
    label = nodes.raw("", rf"\phantomsection\label{{{anchor}}}", format="latex")
    link = nodes.reference("", box["shown"], refuri=f"%{box['docname']}#{box['ids'][0]}", internal=True)
    return [label, nodes.paragraph("", "", nodes.strong("", "", link)), *hints, *solution.children]


def visit_solution_html(self, node) -> None:
    if self.builder.name == "epub":  # readers of e-books fold unreliably
        self.body.append('<div class="solution"><p><strong>Solution</strong></p>')
    else:
        if node["fields"]:  # a script makes the form: without scripts nothing stands here
            fields = json.dumps(node["fields"], ensure_ascii=False, separators=(",", ":"))
            attributes = {"data-exercise": node["anchor"], "data-fields": fields, "hidden": "hidden"}
            self.body.append(self.starttag(node, "div", "", CLASS="check", **attributes) + "</div>\n")
        self.body.append('<details class="solution"><summary>Solution</summary>')


def depart_solution_html(self, node) -> None:
    self.body.append("</div>\n" if self.builder.name == "epub" else "</details>\n")


def visit_hint_html(self, node) -> None:
    if self.builder.name == "epub":
        self.body.append('<div class="hint"><p><strong>Hint</strong></p>')
    else:
        self.body.append('<details class="solution hint"><summary>Hint</summary>')


def visit_hint_latex(self, node) -> None:
    self.body.append("\n\n\\textit{Hint:} ")


def add_nodes(app) -> None:
    """Register the nodes; in print a solution has moved before anything is written."""
    app.add_node(solution_node, html=(visit_solution_html, depart_solution_html), latex=(base.nothing, base.nothing))
    app.add_node(hint_node, html=(visit_hint_html, depart_solution_html), latex=(visit_hint_latex, base.nothing))
    app.add_node(answers_list)
    app.connect("doctree-resolved", gather, priority=200)
