"""What the directives share: the chapter's cases, located warnings, dependencies, and pieces of pages."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

import aiinfra
from aiinfra.book.calls import Answer, Cases, ask
from aiinfra.engine import latex
from aiinfra.engine.formula import Formula
from aiinfra.engine.table import table
from aiinfra.errors import AIInfraError, BadValue
from aiinfra.units import Quantity

logger = logging.getLogger(__name__)
PACKAGE = Path(aiinfra.__file__).parent


def cases_of(env) -> Cases:
    """The cases that the current document has declared so far."""
    return env.temp_data.setdefault("aiinfra-cases", Cases())


def guarded(method: Callable) -> Callable:
    """Turn an author's mistake into a warning at its line; the page is built without that piece."""

    @functools.wraps(method)
    def run(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except SphinxError:
            raise
        except AIInfraError as error:
            message = str(error)
        except yaml.YAMLError as error:
            message = f"the body is not YAML: {' '.join(str(error).split())}"
        except (TypeError, ValueError, KeyError) as error:  # the drawing kit's refusals are plain builtin errors
            message = " ".join(str(error).split()) or type(error).__name__
        return self.refuse(message)

    return run


class BookDirective(SphinxDirective):
    """A directive whose mistakes are warnings and whose inputs are dependencies."""

    def refuse(self, message: str) -> list[nodes.Node]:
        logger.warning("%s: %s", self.name, message, location=self.get_location(), type="aiinfra", subtype=self.name)
        return []

    @property
    def cases(self) -> Cases:
        return cases_of(self.env)

    def ask(self, text: str, **override) -> Answer:
        depend_on(self.env, text)
        return ask(str(text), self.cases, **override)

    def yaml(self, required: Iterable[str], known: Iterable[str]) -> dict:
        """The body as a mapping with known fields."""
        body = yaml.safe_load("\n".join(self.content)) or {}
        return fields(body, self.name, required, known)

    def paragraph(self, text: str, *classes: str) -> nodes.paragraph:
        found, messages = self.parse_inline(text, lineno=self.lineno)
        return nodes.paragraph("", "", *found, *messages, classes=list(classes))

    def body(self, node: nodes.Element) -> nodes.Element:
        """Parse the directive's content into a node."""
        node += self.parse_content_to_nodes(allow_section_headings=False)
        return node

    def equation(self, tex: str, label: str = "", name: str = "") -> list[nodes.Node]:
        """A displayed equation; with a label it is numbered and `{eq}` finds it."""
        node = nodes.math_block(tex, tex, nowrap=False, number=None, label=label or None, docname=self.env.docname)
        self.set_source_info(node)
        if not label:
            return [node]
        domain = self.env.get_domain("math")
        domain.note_equation(self.env.docname, label, location=node)
        node["number"] = domain.get_equation_number_for(label)
        target = nodes.target("", "", ids=[nodes.make_id(f"equation-{label}")])
        self.state.document.note_explicit_target(target)
        return [target, node]


class BookRole(SphinxRole):
    """A role whose mistakes are warnings."""

    def refuse(self, message: str) -> tuple[list[nodes.Node], list]:
        logger.warning("%s: %s", self.name, message, location=self.get_location(), type="aiinfra", subtype=self.name)
        return [nodes.inline("", self.text, classes=["problematic"])], []


def fields(body: object, what: str, required: Iterable[str], known: Iterable[str]) -> dict:
    """A mapping that has what is required and nothing unknown."""
    if not isinstance(body, dict):
        raise BadValue(f"{what}: expected lines 'field: value', not {body!r}")
    known = [*required, *known]
    for name in body:
        if name not in known:
            from aiinfra.errors import unknown

            raise unknown(f"field of {what}", name, known)
    for name in required:
        if name not in body:
            raise BadValue(f"{what}: the field {name!r} is missing")
    return body


def depend_on(env, text: str) -> None:
    """Rebuild the page when a formula, the symbols or the catalogue that a request reads change."""
    words = str(text).split()
    for word in words:
        if word in table().records:
            formula_dependency(env, word)
    if any("=" in w or w.startswith("@") for w in words) or words and words[0] not in table().records:
        for path in (PACKAGE / "catalog").rglob("*.toml"):
            env.note_dependency(str(path))


def formula_dependency(env, key: str) -> None:
    """The module of a formula, and those of the formulas that it can be computed through."""
    t = table()
    seen: set[str] = set()
    queue = [key]
    while queue:
        record = t.records[queue.pop()]
        if record.key in seen:
            continue
        seen.add(record.key)
        env.note_dependency(inspect.getsourcefile(import_module(record.module)))
        queue += [t.defines[name] for name in record.inputs if name in t.defines]
    env.note_dependency(str(PACKAGE / "symbols.py"))


def shown(value: Quantity, spec: str = "") -> list[nodes.Node]:
    """A printed quantity as text whose parts stay on one line; powers of ten are set as such."""
    text = format(value, spec)
    number, _, unit = text.partition(" ")
    found: list[nodes.Node] = []
    mantissa, e, exponent = number.partition("e")
    found.append(nodes.Text(mantissa.replace("-", "\N{MINUS SIGN}")))
    if e:
        found += [nodes.Text("\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10"), nodes.superscript("", str(int(exponent)).replace("-", "\N{MINUS SIGN}"))]
    if unit:
        found.append(nodes.Text("\N{NO-BREAK SPACE}" + unit))
    return found


KIND = {"=": "exact", ">=": "lower bound", "<=": "upper bound", "~": "model"}


class value_node(nodes.inline):
    """A computed number in the prose; on screen its title says which formula gave it."""


def visit_value_html(self, node) -> None:
    self.body.append(self.starttag(node, "span", "", CLASS="value", title=node["title"]))


def depart_value_html(self, node) -> None:
    self.body.append("</span>")


def nothing(self, node) -> None:
    """Visitor for what a builder does not mark."""


def symbol_math(name: str) -> nodes.math:
    """A symbol as inline math."""
    tex = table().symbols[name].latex
    return nodes.math(tex, tex)


def make_table(head: list[str], rows: list[list], widths: list[int], *classes: str) -> nodes.table:
    """A docutils table; a cell is text, a node or a list of inline nodes."""

    def cell(content) -> nodes.entry:
        if isinstance(content, str):
            content = [nodes.Text(content)]
        elif isinstance(content, nodes.Node):
            content = [content]
        if len(content) == 1 and isinstance(content[0], (nodes.math_block, nodes.paragraph)):
            return nodes.entry("", content[0])
        return nodes.entry("", nodes.paragraph("", "", *content))

    group = nodes.tgroup("", cols=len(widths))
    group += [nodes.colspec(colwidth=w) for w in widths]
    group += nodes.thead("", nodes.row("", *map(cell, head)))
    group += nodes.tbody("", *(nodes.row("", *map(cell, row)) for row in rows))
    return nodes.table("", group, classes=["colwidths-given", *classes])


def values_tex(f: Formula, values: dict) -> str:
    """The right side with numbers in the place of symbols."""
    symbols = table().symbols
    numbers = {n: latex.quantity(Quantity(values[n], symbols[n].unit)) for n in f.inputs}
    return latex.expression(f.right, numbers)
