"""Captions of the contents say which level of heading they are, as a screen reader needs it."""

PLACES = ("body", "furo_navigation_tree")


def add_levels(app, pagename, templatename, context, doctree):
    for place in PLACES:
        if isinstance(context.get(place), str):
            context[place] = context[place].replace('role="heading">', 'role="heading" aria-level="2">')


def setup(app):
    app.connect("html-page-context", add_levels, priority=900)  # after the theme has made its navigation
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
