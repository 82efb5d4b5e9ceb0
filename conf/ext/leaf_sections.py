"""Mark sections that hold no others, so that a style sheet can let a browser lay them out when they are reached."""

from docutils import nodes


def mark(app, doctree, docname):
    """Give such a section the class ``leaf``."""
    if app.builder.format == "html" and app.builder.name != "epub":
        for section in doctree.findall(nodes.section):
            inside = isinstance(section.parent, nodes.section)
            if inside and not any(isinstance(child, nodes.section) for child in section.children):
                section["classes"].append("leaf")


def setup(app):
    app.connect("doctree-resolved", mark)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
