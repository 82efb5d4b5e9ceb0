"""What the cards of symbols say: `_static/symbols.js`, once for the book, keyed by what KaTeX prints for a symbol.

An equation carries no mark for this: the script compares what stands on the page with these keys.
"""

import json
import re
from pathlib import Path

from aiinfra.engine.table import table
from katex_math import render

LEAF = re.compile(r'class="mord (math\w+|text)')


def key(html):
    """The letters of a symbol as they are printed, after the alphabet of the first: `mathnormal nkv`."""
    shown = html[html.index('class="katex-html"') :]
    letters = re.sub(r"<[^>]*>|\u200b|\s", "", "<" + shown)
    found = LEAF.search(shown)
    return f"{found[1] if found else ''} {letters}"


def write(app):
    if app.builder.format != "html" or app.builder.name == "epub":
        return
    symbols = table().symbols.values()
    answers = render([[s.latex, False] for s in symbols])
    rows = {key(answer["html"]): [s.name, s.meaning, s.unit.text] for s, answer in zip(symbols, answers, strict=True)}
    page = "appendix/notation"
    data = json.dumps({"page": page if page in app.env.found_docs else "", "rows": rows}, ensure_ascii=False, separators=(",", ":"))
    path = Path(app.outdir, "_static", "symbols.js")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"aiinfra.symbols = {data.replace('<', chr(92) + 'u003c')};\n", encoding="utf-8")


def setup(app):
    app.connect("builder-inited", lambda app: app.add_js_file("symbols.js", loading_method="defer", priority=600))
    app.connect("env-updated", lambda app, env: write(app))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
