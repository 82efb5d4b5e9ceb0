"""What makes pages live: scripts and styles that work on what stands on the page without them.

`assets/` holds one classic script for each job, in the order of `SCRIPTS`; they share the object `aiinfra` and are written as one file.
Nothing is fetched, and nothing needs a server: a page opened as a file works like one on the site.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ASSETS = Path(__file__).parent / "assets"
VENDOR = Path(__file__).parent / "vendor"
SCRIPTS = (
    "elements",
    "numbers",
    "ticks",
    "reading",
    "plots",
    "charts",
    "formulas",
    "calculator",
    "estimate",
    "deployment",
    "exercises",
    "symbols",
    "progress",
    "notes",
    "search",
)  # what others use comes first


def on_screen(app: Sphinx) -> bool:
    """Whether pages are written for a browser: not in EPUB or print."""
    return app.builder.format == "html" and app.builder.name != "epub"


def write(app: Sphinx) -> None:
    """The scripts as one file, and their styles as another."""
    from aiinfra.book.live.data import looks, units

    if not on_screen(app):
        return
    static = Path(app.outdir, "_static")
    static.mkdir(parents=True, exist_ok=True)
    tables = f"const aiinfra = {{}};\naiinfra.units = {units()};\naiinfra.looks = {looks()};\n"
    scripts = [tables, *((ASSETS / f"{n}.js").read_text(encoding="utf-8") for n in SCRIPTS)]
    static.joinpath("live.js").write_text("\n".join(scripts), encoding="utf-8")
    styles = [path.read_text(encoding="utf-8") for path in (VENDOR / "uplot.min.css", *sorted(ASSETS.glob("*.css")))]
    static.joinpath("live.css").write_text("\n".join(styles), encoding="utf-8")
    chart = [VENDOR / "uplot.min.js", ASSETS / "chart.js"]  # most pages have no chart, so it comes when it is asked for
    static.joinpath("chart.js").write_text("\n".join(path.read_text(encoding="utf-8") for path in chart), encoding="utf-8")
    app.add_js_file("live.js", loading_method="defer")
    app.add_css_file("live.css")


def setup(app: Sphinx) -> None:
    """Called by the extension of the book."""
    app.connect("builder-inited", write)
