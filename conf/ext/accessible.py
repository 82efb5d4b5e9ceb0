"""What a screen reader or a keyboard needs and the theme leaves out: levels of captions, names of side bars, a way into long lines."""

import re

MENDED = {
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Contents of the book">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<th class="head"><p></p></th>': "<td></td>",  # the corner of a table
    'role="doc-biblioentry"': 'role="listitem"',
    '<div class="content-icon-container">': '<div class="content-icon-container" role="region" aria-label="Tools of this page">',
    '<div class="highlight"><pre>': '<div class="highlight"><pre tabindex="0">',
}
UP = re.compile(r'<a href="#" class="back-to-top.*?</a>', re.DOTALL)


def mend_pages(app):
    if app.builder.format != "html" or app.builder.name == "epub":
        return
    render = app.builder.templates.render

    def mended(template, context):
        page = render(template, context)
        for found, instead in MENDED.items():
            page = page.replace(found, instead)
        return UP.sub(r'<nav aria-label="Top of this page">\g<0></nav>', page, count=1)

    app.builder.templates.render = mended


def setup(app):
    app.connect("builder-inited", mend_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
