"""Tiny books: written from texts, built in this process."""

import re
from pathlib import Path

from sphinx.testing.util import SphinxTestApp
from sphinx.util.console import strip_escape_sequences

ROOT = Path(__file__).parents[1]
CONF = f"""
extensions = ["myst_parser", "sphinxcontrib.bibtex", "katex_math", "part_numbers", "epub_properties", "aiinfra.book"]
bibtex_bibfiles = {[str(path) for path in sorted((ROOT / "bib").glob("*.bib"))]}
myst_enable_extensions = ["colon_fence", "dollarmath"]
html_math_renderer = "katex"
html_theme = "basic"
nitpicky = numfig = math_numfig = True
numfig_secnum_depth = 1
exclude_patterns = ["_build"]
epub_basename = epub_identifier = epub_uid = "book"
version = copyright = "1"
"""
WARNING = re.compile(r"^(?:(.*?)(?::(\d*))?: )?(?:WARNING|ERROR|CRITICAL): (.*?)(?: \[[\w.]+\])?$")


class Book:
    """A folder of chapters with an index; a build returns the application that made it."""

    def __init__(self, folder: Path, chapters: dict[str, str], index: str = "```{bibliography}\n```\n", **settings):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        listed = "\n".join(chapters)
        self.write("index", f"# Book\n\n```{{toctree}}\n:numbered:\n\n{listed}\n```\n\n{index}")
        self.write("conf", CONF + "".join(f"{name} = {value!r}\n" for name, value in settings.items()), ".py")
        for name, text in chapters.items():
            self.write(name, text)

    def write(self, name: str, text: str, ending: str = ".md") -> Path:
        path = self.folder / f"{name}{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def build(self, builder: str = "html", **options) -> SphinxTestApp:
        """Build what is out of date; ``app.read`` and ``app.written`` are the documents that were."""
        app = SphinxTestApp(builder, srcdir=self.folder, **options)
        app.read, app.written = set(), set()
        app.connect("source-read", lambda _, name, text: app.read.add(name))
        app.connect("doctree-resolved", lambda _, tree, name: app.written.add(name))
        try:
            app.build()
        finally:
            app.cleanup()
        return app

    def warnings(self, app: SphinxTestApp) -> list[tuple[str, int, str]]:
        """(document, line, message) of every warning."""
        found = []
        for line in strip_escape_sequences(app.warning.getvalue()).splitlines():
            path, number, message = WARNING.match(line).groups() if WARNING.match(line) else ("", 0, line)
            inside = path and path.startswith(str(self.folder))
            name = str(Path(path).relative_to(self.folder).with_suffix("")) if inside else path
            found.append((name, int(number or 0), message))
        return found
