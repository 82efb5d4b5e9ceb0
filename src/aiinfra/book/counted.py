"""Examples, flips and exercises: boxes numbered by chapter, with a title and an anchor."""

from __future__ import annotations

from docutils import nodes

NAMES = {
    "example": "Example", "flip": "Flip", "exercise": "Exercise", "ledger": "Ledger", "comparison": "Table", "calculator": "Calculator",
}  # fmt: skip


class counted_box(nodes.General, nodes.Element):
    """A numbered box; its first child is a `counted_title`."""


class counted_title(nodes.Part, nodes.TextElement):
    """The title line of a numbered box; the number is put in when the book's order is known."""


def counted(directive, kind: str, title: str) -> counted_box:
    """A new box of a kind, counted within its document."""
    env = directive.env
    counts = env.temp_data.setdefault("aiinfra-counts", {})
    number = counts.get(kind, 0) + 1
    name = directive.options.get("name") or f"{kind}-{env.docname.replace('/', '-')}-{number}"
    anchor = nodes.make_id(name) or f"{kind}-{number}"
    env.get_domain("aiinfra").note_box(kind, name, env.docname, number, anchor)
    counts[kind] = number
    box = counted_box(kind=kind, number=number, docname=env.docname, classes=["counted", kind], ids=[anchor])
    directive.set_source_info(box)
    directive.state.document.note_explicit_target(box, box)
    found, messages = directive.parse_inline(title, lineno=directive.lineno)
    box += counted_title("", "", *found, *messages)
    return box


def number_of(env, kind: str, docname: str, number: int) -> str:
    """``1.3`` for the third of its kind in chapter 1; a page within a chapter goes on where the chapter's own page ends."""
    chapter = env.toc_secnumbers.get(docname, {}).get("")
    if chapter:
        return f"{chapter[0]}.{number}"
    above = next((page for page, under in env.toctree_includes.items() if docname in under and page != env.config.root_doc), None)
    if above is None:
        return str(number)
    before = sum(page == above and what == kind for page, what, *_ in env.get_domain("aiinfra").data["boxes"].values())
    return number_of(env, kind, above, number + before)


def put_numbers(app, doctree, docname) -> None:
    """Write the number into each title."""
    for box in doctree.findall(counted_box):
        if "shown" not in box:
            box["shown"] = f"{NAMES[box['kind']]} {number_of(app.env, box['kind'], box['docname'], box['number'])}"


def visit_box_html(self, node) -> None:
    self.body.append(self.starttag(node, "div"))


def depart_box_html(self, node) -> None:
    self.body.append("</div>\n")


def visit_title_html(self, node) -> None:
    self.body.append(f'<p class="counted-title"><strong>{node.parent["shown"]}.</strong> ')


def depart_title_html(self, node) -> None:
    self.add_permalink_ref(node.parent, "Link to this box")
    self.body.append("</p>\n")


def visit_box_latex(self, node) -> None:
    target = "".join(self.hypertarget(anchor, withdoc=True, anchor=False) for anchor in node["ids"])
    self.body.append(f"\n\\begin{{bookbox}}{{{node['kind']}}}\\phantomsection{target}\n")


def depart_box_latex(self, node) -> None:
    self.body.append("\n\\end{bookbox}\n")


def visit_title_latex(self, node) -> None:
    self.body.append(f"\\bookboxtitle{{{node.parent['shown']}}}{{")


def depart_title_latex(self, node) -> None:
    self.body.append("}\n\n")


def add_nodes(app) -> None:
    """Register the nodes with their visitors."""
    app.add_node(counted_box, html=(visit_box_html, depart_box_html), latex=(visit_box_latex, depart_box_latex))
    app.add_node(counted_title, html=(visit_title_html, depart_title_html), latex=(visit_title_latex, depart_title_latex))
    app.connect("doctree-resolved", put_numbers, priority=100)
