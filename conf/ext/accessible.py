"""What a screen reader needs and the theme leaves out: the level of captions, and names for the two side bars."""

MENDED = {
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Contents of the book">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
}


def mend_pages(app):
    if app.builder.format != "html" or app.builder.name == "epub":
        return
    render = app.builder.templates.render

    def mended(template, context):
        page = render(template, context)
        for found, instead in MENDED.items():
            page = page.replace(found, instead)
        return page

    app.builder.templates.render = mended


def setup(app):
    app.connect("builder-inited", mend_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
