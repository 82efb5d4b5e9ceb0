"""What a reference to an equation of another page shows: `_static/equations/`, one script each, asked for when it is first wanted.

A script and not a page: it can be had from a file that is opened without a server.
"""

import re
import shutil
from pathlib import Path

from docutils import nodes

from aiinfra.book.live import on_screen
from aiinfra.book.live.data import text
from katex_math import labelled, store

HIDDEN = re.compile(r'<span class="katex-mathml">.*?</math></span>', re.DOTALL)  # the link leads a screen reader to the equation itself


def write(app, env):
    if not on_screen(app):
        return
    folder = Path(app.outdir, "_static", "equations")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for docname in env.found_docs:
        for label, html in labelled(store(app.doctreedir, docname)).items():
            name = nodes.make_id(f"equation-{label}")
            line = f"(aiinfra.equations = aiinfra.equations || {{}})[{text(name)}] = {text(HIDDEN.sub('', html))};\n"
            folder.joinpath(f"{name}.js").write_text(line, encoding="utf-8")


def setup(app):
    app.connect("env-updated", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
