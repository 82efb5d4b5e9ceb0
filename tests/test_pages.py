"""Pages of the theme as a screen reader meets them."""

from pathlib import Path

from sphinx.testing.util import SphinxTestApp

EXTENSIONS = Path(__file__).parents[1] / "conf/ext"
CONF = 'extensions = ["myst_parser", "accessible"]\nhtml_theme = "furo"\n'
INDEX = "# Book\n\n```{toctree}\n:caption: Part\n\none\n```\n"


def test_captions_have_a_level_and_side_bars_a_name(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(EXTENSIONS)
    for name, text in {"conf.py": CONF, "index.md": INDEX, "one.md": "# One\n\n## A\n\n## B\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    app = SphinxTestApp("html", srcdir=tmp_path)
    app.build()
    pages = [(app.outdir / f"{name}.html").read_text(encoding="utf-8") for name in ("index", "one")]
    app.cleanup()
    for page in pages:
        assert 'role="heading" aria-level="2"' in page and 'role="heading">' not in page
        assert page.count("<aside") == page.count('aria-label="Contents of the book"') + page.count('aria-label="On this page"')
