"""A page as Markdown, from its resolved document: what a reader sees, with formulas as LaTeX and every number in its place."""

import re
from functools import singledispatchmethod
from posixpath import normpath

from docutils import nodes
from sphinx import addnodes
from sphinx.util.math import get_node_equation_number

from aiinfra.book.counted import counted_box, counted_title
from aiinfra.book.exercises import solution_node
from aiinfra.book.figures import drawing_node
from katex_math import display_source

SILENT = (nodes.comment, nodes.raw, nodes.target, addnodes.index, nodes.substitution_definition, nodes.colspec, nodes.meta)
HINTS = ("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning")


def escaped(text):
    """Text that Markdown leaves as it is."""
    text = re.sub(r"([\\*`$])", r"\\\1", text)
    text = re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)
    return re.sub(r"<(?=[A-Za-z/!?])", r"\\<", text)


def tex_source(text):
    """LaTeX without the marks by which scripts find pieces of a formula."""
    found = re.search(r"\\html(?:Class|Id|Data)\{[^{}]*\}\{", text)
    while found:
        at, depth = found.end(), 1
        while depth and at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0) if text[at - 1] != "\\" else 0
            at += 1
        text = f"{text[: found.start()]}{text[found.end() : at - 1]}{text[at:]}"
        found = re.search(r"\\html(?:Class|Id|Data)\{[^{}]*\}\{", text)
    return " ".join(text.split())


def code(text):
    """A piece of code; its fence is longer than any in it."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}"


def indented(blocks, lead):
    """Blocks as one item of a list."""
    text = "\n\n".join(blocks).split("\n")
    return "\n".join([lead + text[0], *(" " * len(lead) + line if line else "" for line in text[1:])])


class Markdown:
    """Writes one document; ``builder`` knows the numbers of chapters, figures and equations."""

    def __init__(self, builder, docname):
        self.builder, self.env, self.docname, self.level = builder, builder.env, docname, 0

    def text(self, doctree):
        return "\n\n".join(self.blocks(doctree)) + "\n"

    def blocks(self, node):
        """The blocks of a node's children; inline children that stand side by side are one block."""
        found, line = [], []
        for child in [*node.children, None]:
            if child is not None and isinstance(child, (nodes.Inline, nodes.Text)) and not isinstance(child, SILENT):
                line.append(self.inline(child))
                continue
            if "".join(line).strip():
                found.append("".join(line).strip())
            line = []
            if child is not None and not isinstance(child, SILENT):
                found += self.block(child)
        return found

    def line(self, node):
        """All of a node's text, on one line."""
        return "".join(self.inline(child) for child in node.children).strip()

    def marked(self, mark, node):
        """Text between marks, which may not stand beside its spaces."""
        text = "".join(self.inline(child) for child in node.children)
        inner = text.strip(" ")
        return text.replace(inner, f"{mark}{inner}{mark}") if inner else text

    # Within a line

    @singledispatchmethod
    def inline(self, node):
        return "" if isinstance(node, SILENT) else "".join(self.inline(child) for child in node.children)

    @inline.register
    def _(self, node: nodes.Text):
        return escaped(node.astext()).replace("\n", " ")

    @inline.register
    def _(self, node: nodes.literal):
        return code(node.astext().replace("\n", " "))

    @inline.register
    def _(self, node: nodes.math):
        return f"${tex_source(node.astext())}$"

    @inline.register(nodes.emphasis)
    @inline.register(nodes.title_reference)
    def _(self, node):
        return self.marked("*", node)

    @inline.register
    def _(self, node: nodes.strong):
        return self.marked("**", node)

    @inline.register
    def _(self, node: nodes.superscript):
        return f"<sup>{self.line(node)}</sup>"

    @inline.register
    def _(self, node: nodes.subscript):
        return f"<sub>{self.line(node)}</sub>"

    @inline.register
    def _(self, node: nodes.image):
        return f"![{node.get('alt', '')}]({node['uri']})"

    @inline.register
    def _(self, node: nodes.reference):
        number = ".".join(map(str, node.get("secnumber") or ())) + ". "
        text, address = number.removeprefix(". ") + self.line(node), node.get("refuri", "")
        if "refid" in node or not address or address.startswith("#"):
            return text  # on this page
        if node.get("internal"):
            path, _, anchor = address.partition("#")
            here = self.docname.rpartition("/")[0]
            if normpath(f"{here}/{path}".lstrip("/")).removesuffix(".html") in self.env.found_docs:
                address = path.removesuffix(".html") + ".md" + (f"#{anchor}" if anchor else "")
        return f"[{text}]({address})"

    # Blocks

    @singledispatchmethod
    def block(self, node):
        return self.blocks(node)

    @block.register
    def _(self, node: nodes.section):
        self.level += 1
        found = self.blocks(node)
        self.level -= 1
        return found

    @block.register
    def _(self, node: nodes.title):
        if not isinstance(node.parent, nodes.section):
            return [f"**{self.line(node)}**"]
        numbers = self.env.toc_secnumbers.get(self.docname, {})
        anchors = ["", *(f"#{name}" for name in node.parent["ids"])] if self.level == 1 else [f"#{name}" for name in node.parent["ids"]]
        number = next((numbers[anchor] for anchor in anchors if numbers.get(anchor)), ())
        lead = ".".join(map(str, number)) + ". " if number else ""
        return [f"{'#' * min(self.level, 6)} {lead}{self.line(node)}"]

    @block.register(nodes.rubric)
    @block.register(nodes.caption)
    def _(self, node):
        return [f"**{self.line(node)}**"]

    @block.register
    def _(self, node: nodes.TextElement):
        if any(isinstance(child, (nodes.bullet_list, nodes.title)) for child in node.children):  # contents, which Sphinx nests so
            return self.blocks(node)
        return [self.line(node)] if self.line(node) else []

    @block.register
    def _(self, node: nodes.math_block):
        found = [f"$$\n{tex_source(display_source(node.astext()))}\n$$"]
        if node["number"]:
            found.append(f"({get_node_equation_number(self, node)}) {code(node['label'])}")
        return found

    @block.register(nodes.literal_block)
    @block.register(nodes.doctest_block)
    def _(self, node):
        language = node.get("language", "python")
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", node.astext())), default=0))
        return [f"{fence}{'' if language in ('default', 'none') else language}\n{node.astext().rstrip()}\n{fence}"]

    @block.register
    def _(self, node: nodes.bullet_list):
        return ["\n".join(indented(self.blocks(item), "- ") for item in node.children)]

    @block.register
    def _(self, node: nodes.enumerated_list):
        letters = node.get("enumtype") == "loweralpha"
        start = node.get("start", 1)
        leads = [f"- ({chr(96 + at)}) " if letters else f"{at}. " for at in range(start, start + len(node.children))]
        return ["\n".join(indented(self.blocks(item), lead) for lead, item in zip(leads, node.children, strict=True))]

    @block.register
    def _(self, node: nodes.definition_list):
        return ["\n".join(indented([f"**{self.line(item[0])}**", *self.blocks(item[-1])], "- ") for item in node.children)]

    @block.register
    def _(self, node: nodes.field_list):
        return ["\n".join(indented([f"**{self.line(field[0])}**", *self.blocks(field[1])], "- ") for field in node.children)]

    @block.register
    def _(self, node: nodes.block_quote):
        return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(self.blocks(node)).split("\n"))]

    @block.register
    def _(self, node: nodes.Admonition):
        name = type(node).__name__
        lead = [f"**{name.capitalize()}**"] if name in HINTS else []
        return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join([*lead, *self.blocks(node)]).split("\n"))]

    @block.register
    def _(self, node: nodes.transition):
        return ["---"]

    @block.register
    def _(self, node: nodes.citation):
        return [f"**[{self.line(node[0])}]** " + " ".join(block for child in node[1:] for block in self.block(child))]

    @block.register
    def _(self, node: nodes.table):
        title = [f"**{self.numbered('table', node)}{self.line(part)}**" for part in node.findall(nodes.title)]
        head = [self.row(row) for part in node.findall(nodes.thead) for row in part.children]
        body = [self.row(row) for part in node.findall(nodes.tbody) for row in part.children]
        wide = max(map(len, head + body))
        lines = [row + [""] * (wide - len(row)) for row in (head or [[""] * wide]) + body]
        rows = ["| " + " | ".join(cells) + " |" for cells in lines]
        return [*title, "\n".join([rows[0], "|" + " --- |" * wide, *rows[1:]])]

    def row(self, row):
        """The cells of a row, an empty one where a cell goes on."""
        cells = []
        for entry in row.children:
            text = "<br>".join(" ".join(block.split("\n")) for block in self.blocks(entry))
            text = re.sub(r"\$[^$]*\$", lambda found: found[0].replace(r"\|", r"\Vert ").replace("|", r"\vert "), text)
            cells += [text.replace("|", r"\|"), *[""] * entry.get("morecols", 0)]
        return cells

    @block.register
    def _(self, node: nodes.figure):
        captions = [self.numbered("figure", node) + self.line(part) for part in node.findall(nodes.caption)]
        return [block for child in node.children if not isinstance(child, nodes.caption) for block in self.block(child)] + captions

    def numbered(self, kind, node):
        numbers = self.env.toc_fignumbers.get(self.docname, {}).get(kind, {})
        number = next((numbers[name] for name in node["ids"] if name in numbers), None)
        return self.env.config.numfig_format[kind] % ".".join(map(str, number)) + ". " if number else ""

    @block.register
    def _(self, node: nodes.image):
        return [self.inline(node)]

    @block.register
    def _(self, node: drawing_node):
        return [f"*[Figure: {escaped(node['description'])}]*"]

    @block.register
    def _(self, node: counted_title):
        box = node.parent
        return [f"**{box['shown']}.** {self.line(node)}".strip()] if isinstance(box, counted_box) else [self.line(node)]

    @block.register
    def _(self, node: solution_node):
        return ["**Solution**", *self.blocks(node)]

    @block.register
    def _(self, node: addnodes.desc):
        names = [code(child.astext().replace("\n", " ")) for child in node.findall(addnodes.desc_signature) if child.parent is node]
        told = [block for child in node.children if isinstance(child, addnodes.desc_content) for block in self.blocks(child)]
        return [indented(["<br>".join(names), *told], "- ")]
