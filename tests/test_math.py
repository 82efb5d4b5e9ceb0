"""Formulas on the page: rendered without scripts, numbered, readable aloud, and wrong ones named with their place."""

import re
from pathlib import Path

import pytest
from sphinx.testing.util import SphinxTestApp

EXTENSIONS = Path(__file__).parents[1] / "conf/ext"
CONF = """
extensions = ["myst_parser", "katex_math", "part_numbers", "epub_properties"]
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "katex"
numfig = math_numfig = True
epub_identifier = epub_uid = epub_basename = "book"
version = "1"
"""
INDEX = """# Book

```{toctree}
:numbered:

one
```

```{toctree}
:numbered:

two
```
"""


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Build a book of two parts with one chapter each; return the application."""
    monkeypatch.syspath_prepend(EXTENSIONS)
    source = tmp_path / "book"
    source.mkdir()
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    (source / "index.md").write_text(INDEX, encoding="utf-8")
    (source / "one.md").write_text("# One\n", encoding="utf-8")

    apps = []

    def run(builder, chapter):
        (source / "two.md").write_text(chapter, encoding="utf-8")
        apps.append(SphinxTestApp(builder, srcdir=source))
        apps[-1].build()
        return apps[-1]

    yield run
    for app in apps:
        app.cleanup()


def test_html_is_rendered_and_numbered_through_the_book(build):
    app = build("html", "# Two\n\n$m_\\mathrm{kv}$\n\n$$\na &= b \\\\\n  &< c\n$$ (pair)\n")
    page = (app.outdir / "two.html").read_text(encoding="utf-8")
    assert app.warning.getvalue() == ""
    assert page.count('class="katex"') == 2
    assert "<mi>kv</mi>" in page
    assert '<span class="eqno">(2.1)' in page
    assert not re.search(r'(src|href)="(https?:)?//[^"]*(katex|mathjax)', page)


def test_epub_declares_its_mathml(build):
    app = build("epub", "# Two\n\n$a < b$\n")
    page = (app.outdir / "two.xhtml").read_text(encoding="utf-8")
    package = (app.outdir / "content.opf").read_text(encoding="utf-8")
    assert "<math" in page
    assert "katex" not in page
    assert re.findall(r'href="(\w+)\.xhtml" [^>]*properties="mathml"', package) == ["two"]


def test_mistakes_are_located_warnings(build):
    app = build("html", "# Two\n\n$\\frac{1}{$\n\nand $x_\\foo$\n")
    first, second = app.warning.getvalue().strip().splitlines()
    assert "two.md:3: " in first and "KaTeX parse error" in first
    assert "two.md:5: " in second and r"\foo" in second
