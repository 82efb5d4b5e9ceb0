"""Exercises with solutions: folded under the question on screen, gathered at the end of the printed book."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import directives

from aiinfra.book import base
from aiinfra.book.base import BookDirective
from aiinfra.book.counted import counted, counted_box
from aiinfra.errors import unknown


class solution_node(nodes.General, nodes.Element):
    """The solution of an exercise, under its question until it is moved."""


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
    """``{solution} exercise``: the way and the result; ``:answer:`` is a request whose value is the answer."""

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
        if "answer" in self.options:
            answer = self.ask(self.options["answer"])
            parts = base.shown(answer.value, answer.format)
        domain.note_answer(name, [p.deepcopy() for p in parts])
        node = solution_node(anchor=domain.data["boxes"][name][3])
        self.set_source_info(node)
        self.body(node)
        if parts:
            node += nodes.paragraph("", "", nodes.strong("", "Answer: "), *parts, nodes.Text("."), classes=["answer"])
        return [node]


class AnswersDirective(BookDirective):
    """``{answers}``: all solutions in print, a list of links and results on screen."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.env.get_domain("aiinfra").note_gatherer(self.env.docname)
        return [answers_list()]


def gather(app, doctree, docname) -> None:
    """In print, move each solution to the list; on screen, fill the list with links and results."""
    places = list(doctree.findall(answers_list))
    if app.builder.format != "latex":
        for place in places:
            place.replace_self(results(app, docname))
        return
    for place in places[:1]:
        boxes = {box["ids"][0]: box for box in doctree.findall(counted_box)}
        for node in list(doctree.findall(solution_node)):
            node.parent.remove(node)
            place += moved(node, boxes[node["anchor"]])
    for place in places:
        place.replace_self(place.children)


def results(app, docname: str) -> nodes.bullet_list:
    """A link to each exercise of the book, and its result where it has one."""
    domain = app.env.get_domain("aiinfra")
    found = nodes.bullet_list()
    for name in domain.exercises():
        line = nodes.paragraph("", "", domain.box_link(app.builder, docname, name))
        _, answer = domain.data["answers"].get(name, ("", []))
        if answer:
            line += [nodes.Text(": "), *[p.deepcopy() for p in answer]]
        found += nodes.list_item("", line)
    return found


def moved(solution: solution_node, box: counted_box) -> list[nodes.Node]:
    """A solution as it stands in the list; its exercise says on which page that is."""
    anchor = f"solution-{box['ids'][0]}"
    page = nodes.raw("", rf"page~\pageref{{{anchor}}}", format="latex")
    box += nodes.paragraph("", "", nodes.emphasis("", "Solution: "), page)
    label = nodes.raw("", rf"\phantomsection\label{{{anchor}}}", format="latex")
    link = nodes.reference("", box["shown"], refuri=f"%{box['docname']}#{box['ids'][0]}", internal=True)
    return [label, nodes.paragraph("", "", nodes.strong("", "", link)), *solution.children]


def visit_solution_html(self, node) -> None:
    if self.builder.name == "epub":  # readers of e-books fold unreliably
        self.body.append('<div class="solution"><p><strong>Solution</strong></p>')
    else:
        self.body.append('<details class="solution"><summary>Solution</summary>')


def depart_solution_html(self, node) -> None:
    self.body.append("</div>\n" if self.builder.name == "epub" else "</details>\n")


def add_nodes(app) -> None:
    """Register the nodes; in print a solution has moved before anything is written."""
    app.add_node(solution_node, html=(visit_solution_html, depart_solution_html), latex=(base.nothing, base.nothing))
    app.add_node(answers_list)
    app.connect("doctree-resolved", gather, priority=200)
