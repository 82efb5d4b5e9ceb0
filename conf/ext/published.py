"""What a published book has beside its pages.

Each page has a twin in Markdown, for readers' own assistants, with `llms.txt` as its list and `llms-full.txt` as the whole; and it says
in its head what it is about. Where the address of the site is known there are also a card for links to a page, a map of the site
and `robots.txt`. `404.html` works at any depth: its addresses begin at the root.
"""

import os
import re
from html import escape
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from xml.sax.saxutils import escape as escape_xml

from sphinx import addnodes

from cards import draw_card
from markdown_text import Markdown

NOT_PROSE = re.compile(r"[#$|*>`(!-]|\d+\. ")  # how other blocks begin
LONG = 200  # characters of a description that others still show


def on_screen(app):
    return app.builder.name == "html"


def twin(app, docname):
    return Path(app.outdir, f"{docname}.md")


def plain(markdown):
    """Text without the marks of Markdown."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"</?su[bp]>|(?<!\\)[*`$]", "", text)
    return re.sub(r"\\([\\*`$_<])", r"\1", text)


def title(markdown):
    return plain(markdown.split("\n", 1)[0].lstrip("# "))


def description(markdown):
    """The first sentences of a page, as many as are shown elsewhere."""
    prose = next((block for block in markdown.split("\n\n") if block.strip() and not NOT_PROSE.match(block)), "")
    sentences = re.split(r"(?<=[.?!])\s+(?=[A-Z])", plain(prose).replace("\N{NO-BREAK SPACE}", " ").strip())
    found = sentences[0]
    if len(found) > LONG:
        return found[: found.rfind(" ", 0, LONG)].rstrip(",;:") + " …"
    for sentence in sentences[1:]:
        if len(found) + len(sentence) >= LONG:
            break
        found += f" {sentence}"
    return found


def write_twin(app, docname, templatename, context, doctree):
    """The twin of a page, and what its head says of it."""
    if not on_screen(app):
        return
    if docname == "404":
        context["parts"] = parts(app)
    if doctree is None:
        return
    text = Markdown(app.builder, docname).text(doctree)
    twin(app, docname).parent.mkdir(parents=True, exist_ok=True)
    twin(app, docname).write_text(text, encoding="utf-8")
    name, about = title(text), description(text) or app.config.subtitle
    site = app.config.html_baseurl
    facts = {"og:title": name, "og:type": "article", "og:site_name": app.config.project, "og:description": about}
    if docname == app.config.root_doc:
        facts["og:type"] = "website"
    if site:
        card = f"_static/cards/{docname.replace('/', '-')}.png"
        draw_card(Path(app.outdir, card), app.config.project, part_of(app, docname), name)
        facts |= {"og:url": urljoin(site, app.builder.get_target_uri(docname)), "og:image": urljoin(site, card)}
        facts |= {"og:image:alt": f"{app.config.project}: {name}", "twitter:card": "summary_large_image"}
    lines = [f'<meta name="description" content="{escape(about)}">']
    kinds = {key: "name" if key.startswith("twitter") else "property" for key in facts}
    lines += [f'<meta {kinds[key]}="{key}" content="{escape(value)}">' for key, value in facts.items()]
    address = escape(docname.rpartition("/")[2])
    lines += [f'<link rel="alternate" type="text/markdown" href="{address}.md" title="This page as Markdown">']
    context["metatags"] = context.get("metatags", "") + "".join(f"\n    {line}" for line in lines)


def parts(app):
    """Captions of the contents page, each with its pages in reading order."""
    found = []
    for toctree in app.env.get_doctree(app.config.root_doc).findall(addnodes.toctree):
        pages = [page for docname in toctree["includefiles"] for page in (docname, *below(app.env, docname))]
        found.append((toctree.get("caption") or app.config.project, [(page, app.env.titles[page].astext()) for page in pages]))
    return found


def below(env, docname):
    for inner in env.toctree_includes.get(docname, ()):
        yield inner
        yield from below(env, inner)


def part_of(app, docname):
    return next((caption for caption, pages in parts(app) if docname in [page for page, _ in pages]), app.config.subtitle)


def write_lists(app, exception):
    """`llms.txt` in the form of llmstxt.org, the whole book as one Markdown file, and what the address of the site allows."""
    if exception or not on_screen(app):
        return
    site, root, out = app.config.html_baseurl, app.config.root_doc, Path(app.outdir)
    texts = {page: twin(app, page).read_text(encoding="utf-8") for page in [root, *(p for _, pages in parts(app) for p, _ in pages)]}
    lines = [f"# {app.config.project}", "", f"> {app.config.subtitle}. {description(texts[root])}", ""]
    lines += ["Every page of the book as Markdown: formulas are LaTeX, and each number was computed from the formula beside it."]
    lines += ["An equation has its number and the key by which the Python library `aiinfra` knows it."]
    lines += [f"[All pages in one file]({site}llms-full.txt)."]
    for caption, pages in parts(app):
        lines += ["", f"## {caption}", ""]
        lines += [f"- [{title(texts[page])}]({site}{page}.md): {description(texts[page])}".removesuffix(": ") for page, _ in pages]
    out.joinpath("llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    out.joinpath("llms-full.txt").write_text("\n\n".join(f"<!-- {page}.md -->\n\n{text}" for page, text in texts.items()), encoding="utf-8")
    mend_missing(out / "404.html", urlsplit(site or os.environ.get("READTHEDOCS_CANONICAL_URL", "")).path or "/")
    if site:
        addresses = [urljoin(site, app.builder.get_target_uri(page)) for page in texts]
        rows = "".join(f"<url><loc>{escape_xml(address)}</loc></url>\n" for address in addresses)
        schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
        sitemap = f'<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="{schema}">\n{rows}</urlset>\n'
        out.joinpath("sitemap.xml").write_text(sitemap, encoding="utf-8")
        out.joinpath("robots.txt").write_text(f"User-agent: *\nAllow: /\n\nSitemap: {urljoin(site, 'sitemap.xml')}\n", encoding="utf-8")


def mend_missing(page, root):
    """Make addresses begin at the root: a server answers with this page wherever another is missing."""
    if page.is_file():
        relative = r'(?<= )(href|src|action|data-content_root)="(?![a-z]+:|/|#)(?:\./)?([^"]*)"'
        text = re.sub(relative, lambda found: f'{found[1]}="{root}{found[2]}"', page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")


def close_address(app, config):
    if config.html_baseurl:
        config.html_baseurl = config.html_baseurl.rstrip("/") + "/"


def missing_page(app):
    return [("404", {}, "404.html")] if on_screen(app) else []


def setup(app):
    app.add_config_value("subtitle", "", "html", types=[str])
    app.connect("config-inited", close_address)
    app.connect("html-collect-pages", missing_page)
    app.connect("html-page-context", write_twin)
    app.connect("build-finished", write_lists, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
