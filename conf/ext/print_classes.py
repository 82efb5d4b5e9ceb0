"""The printed book sets paragraphs of these classes as environments of its preamble; Sphinx does so for blocks alone."""

from sphinx.writers.latex import LaTeXTranslator

CLASSES = ("where", "inputs", "answer")


class Translator(LaTeXTranslator):
    def environments(self, node):
        return [name for name in CLASSES if name in node["classes"]]

    def visit_paragraph(self, node):
        self.body.extend(f"\n\\begin{{book{name}}}" for name in self.environments(node))
        super().visit_paragraph(node)

    def depart_paragraph(self, node):
        super().depart_paragraph(node)
        self.body.extend(f"\\end{{book{name}}}\n" for name in self.environments(node))


def setup(app):
    app.set_translator("latex", Translator)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
