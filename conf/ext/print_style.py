"""What the printed book sets in its own way: paragraphs of some classes, and long lines of numbers.

Sphinx makes environments of classes for blocks alone. `bookwhere` and so on, and `fitmath`, are in preamble.tex.
"""

from docutils import nodes
from sphinx.writers.latex import LaTeXTranslator

CLASSES = ("where", "inputs")


class Translator(LaTeXTranslator):
    def environments(self, node):
        return [name for name in CLASSES if name in node["classes"]]

    def visit_paragraph(self, node):
        self.body.extend(f"\n\\begin{{book{name}}}" for name in self.environments(node))
        super().visit_paragraph(node)

    def depart_paragraph(self, node):
        super().depart_paragraph(node)
        self.body.extend(f"\\end{{book{name}}}\n" for name in self.environments(node))

    def visit_math_block(self, node):
        tex = node.astext()
        if node.get("label") or not tex.startswith(r"\begin{aligned}"):
            super().visit_math_block(node)
        self.body.append(f"\\begin{{equation*}}\\fitmath{{{tex}}}\\end{{equation*}}")
        raise nodes.SkipNode


def setup(app):
    app.set_translator("latex", Translator)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
