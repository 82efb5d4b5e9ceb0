"""Exercises with solutions: folded under the question on screen, gathered at the end of the printed book."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import directives

from aiinfra.book import base
from aiinfra.book.base import BookDirective
from aiinfra.book.counted import counted, counted_box
from aiinfra.errors import BadValue, unknown


class solution_node(nodes.General, nodes.Element):
    """The solution of an exercise, under its question until it is moved."""


class answers_list(nodes.General, nodes.Element):
    """Where the printed book gathers the solutions."""


class ExerciseDirective(BookDirective):
    """``{exercise} name``: a question; ``:title:`` and, for a harder one, ``:hard:``."""

    required_arguments = 1
    has_content = True
    option_spec = {"title": directives.unchanged_required, "hard": directives.flag, "name": directives.unchanged}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name in self.env.get_domain("aiinfra").data["boxes"]:
            raise BadValue(f"exercise {name!r} is declared twice")
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
        boxes = {n for n, row in domain.data["boxes"].items() if row[0] == "exercise" and row[1] == self.env.docname}
        if name not in boxes:
            raise unknown("exercise", name, boxes)
        node = solution_node(exercise=name, docname=self.env.docname)
        self.set_source_info(node)
        self.body(node)
        if "answer" in self.options:
            answer = self.ask(self.options["answer"])
            parts = base.shown(answer.value, f"{answer.spec} {answer.unit}".strip())
            node += nodes.paragraph("", "", nodes.strong("", "Answer: "), *parts, nodes.Text("."), classes=["answer"])
            domain.note_answer(name, [p.deepcopy() for p in parts])
        return [node]


class AnswersDirective(BookDirective):
    """``{answers}``: all solutions in print, a list of links and results on screen."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        return [answers_list()]


def gather(app, doctree, docname) -> None:
    """In print, move each solution to the list; on screen, fill the list with links and results."""
    places = list(doctree.findall(answers_list))
    domain = app.env.get_domain("aiinfra")
    if app.builder.format == "latex" and places:
        boxes = {box["ids"][0]: box for box in doctree.findall(counted_box)}
        for node in list(doctree.findall(solution_node)):
            node.parent.remove(node)
            box = boxes[nodes.make_id(node["exercise"])]
            anchor = f"solution-{node['exercise']}"
            page = nodes.raw("", rf"page~\pageref{{{anchor}}}", format="latex")
            box += nodes.paragraph("", "", nodes.emphasis("", "Solution: "), page)
            link = nodes.reference("", box["shown"], refuri=f"%{box['docname']}#{box['ids'][0]}", internal=True)
            places[0] += nodes.raw("", rf"\phantomsection\label{{{anchor}}}", format="latex")
            places[0] += nodes.paragraph("", "", nodes.strong("", "", link))
            places[0] += node.children
    for place in places:
        if app.builder.format != "latex":
            items = []
            for name, (kind, *_rest) in sorted(domain.data["boxes"].items(), key=lambda row: row[1][1:3]):
                if kind == "exercise":
                    line = nodes.paragraph("", "", domain.box_link(app.builder, docname, name))
                    if name in domain.data["answers"]:
                        line += [nodes.Text(": "), *[p.deepcopy() for p in domain.data["answers"][name][1]]]
                    items.append(nodes.list_item("", line))
            place += nodes.bullet_list("", *items)
        place.replace_self(place.children)


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
