"""``{estimate} name``: a deployment that a reader changes, with what `aiinfra estimate` prints for it; in print, its first case."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes

from aiinfra.book import base
from aiinfra.book.base import BookDirective
from aiinfra.book.counted import counted
from aiinfra.book.live import deployments, on_screen
from aiinfra.cli import estimate as command
from aiinfra.scenario import Scenario

FIRST = {"model": "llama-3.1-70b", "device": "h100-sxm", "tp": 8, "batch": 32, "prompt": 2048, "output": 128}


class estimate_node(nodes.General, nodes.Element):
    """A deployment; the children are its first case."""


class EstimateDirective(BookDirective):
    """``{estimate} name``: fields of the first case as ``key: value``; the title is the argument's box."""

    required_arguments = 1
    has_content = True

    @base.guarded
    def run(self) -> list[nodes.Node]:
        body = self.yaml((), ("title", *Scenario.__dataclass_fields__))
        title = self.label(body.pop("title", "A deployment"))
        self.options["name"] = self.arguments[0]
        e = Scenario.of(FIRST | body).estimate()
        node = estimate_node(name=self.arguments[0], first=FIRST | body)
        self.set_source_info(node)
        node += self.paragraph(" ".join(f"`{line}`." if i == 0 else f"{line}." for i, line in enumerate(command.head(e))))
        for table in (command.memory(e), command.speeds(e)):
            rows = [[str(cell) for cell in row] for row in table.rows]
            node += base.make_table(
                [str(head) for head in table.head], rows, [40] + [60 // (len(table.head) - 1)] * (len(table.head) - 1), "calculator-table"
            )
        box = counted(self, "calculator", title)
        box += node
        return [box]


def write_scripts(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """The scripts of a page with a deployment."""
    if doctree is None or not on_screen(app) or not any(doctree.findall(estimate_node)):
        return
    deployments.write(Path(app.outdir, "_static"))
    app.add_js_file("deployments/base.js", loading_method="defer", priority=600)


def visit_html(self, node) -> None:
    first = self.attval(deployments.text(node["first"]))
    self.body.append(f'<div class="calculator" data-deployment="{node["name"]}" data-first="{first}"><div class="first-case">')


def depart_html(self, node) -> None:
    self.body.append("</div></div>\n")


def add_nodes(app) -> None:
    """Register the deployment with its visitors and the writer of its scripts."""
    app.add_node(estimate_node, html=(visit_html, depart_html), latex=(base.nothing, base.nothing))
    app.connect("html-page-context", write_scripts)
