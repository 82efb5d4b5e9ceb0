"""What the directives share: the chapter's cases, located warnings, dependencies, and pieces of pages."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.errors import SphinxError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

import aiinfra
from aiinfra import catalog
from aiinfra.book.calls import Answer, Cases, about, ask, fill
from aiinfra.engine import latex
from aiinfra.engine.formula import Formula
from aiinfra.engine.table import table
from aiinfra.errors import AIInfraError, BadType, BadValue, MissingInput, brief, unknown
from aiinfra.formats import FLOATS
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
        except (TypeError, ValueError, KeyError, ArithmeticError) as error:  # the drawing kit's refusals are plain builtin errors
            message = " ".join(str(error).split()) or type(error).__name__
        return self.refuse(message)

    return run


class BookDirective(SphinxDirective):
    """A directive whose mistakes are warnings and whose inputs are dependencies."""

    def refuse(self, message: str) -> list[nodes.Node]:
        warn(self, message)
        return []

    @property
    def cases(self) -> Cases:
        return cases_of(self.env)

    def ask(self, request: object, **override) -> Answer:
        depend_on(self.env, str(request))
        return ask(str(request), self.cases, **override)

    def entries(self, body: object, what: str) -> list[tuple[str, str]]:
        """Key and label of devices, models or number formats that a list names, each by its key or as ``{it: KEY, label: TEXT}``."""
        known = {**catalog.devices(), **catalog.models(), **FLOATS}
        found = []
        for row in rows(body, what):
            row = fields(row if isinstance(row, dict) else {"it": row}, f"row of {what}", ("it",), ("label",))
            if row["it"] not in known:
                raise unknown("entry", row["it"], known)
            found.append((row["it"], self.label(row["label"]) if "label" in row else known[row["it"]].name))
        return found

    def ask_about(self, request: object, entries: list[tuple[str, str]]) -> list[Answer | None]:
        """The answers to one request for each entry in the place of ``IT``; None where an entry has no such value."""
        found, lacking = [], None
        for key, _ in entries:
            try:
                found.append(self.ask(about(request, key)))
            except MissingInput as error:
                found.append(None)
                lacking = error
        if not any(found):
            raise lacking  # what nobody has was asked for wrongly
        return found

    def label(self, text: object) -> str:
        """A text of the body, with the answers to the requests in it."""
        if isinstance(text, (dict, list)) or text is None:
            raise BadType(f"expected text, not {brief(text)}")
        return fill(str(text), self.ask)

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

    def equation(self, tex: str, label: str = "") -> list[nodes.Node]:
        """A displayed equation; with a label it is numbered and `{eq}` finds it."""
        node = nodes.math_block(tex, tex, nowrap=False, number=None, label=label or None, docname=self.env.docname)
        self.set_source_info(node)
        if not label:
            return [node]
        domain = self.env.get_domain("math")
        if label in domain.equations:
            raise BadValue(f"equation {label!r} is declared twice, first in {domain.equations[label][0]}")
        domain.note_equation(self.env.docname, label, location=node)
        node["number"] = domain.get_equation_number_for(label)
        target = nodes.target("", "", ids=[nodes.make_id(f"equation-{label}")])
        self.state.document.note_explicit_target(target)
        return [target, node]


class BookRole(SphinxRole):
    """A role whose mistakes are warnings."""

    def get_location(self) -> str:
        """The line of the role itself; the parser knows only where its paragraph starts."""
        source, line = self.get_source_info()
        try:
            rest = "\n".join(Path(source).read_text(encoding="utf-8").splitlines()[line - 1 :])
        except OSError:
            return super().get_location()
        words = r"\s+".join(map(re.escape, self.text.split()))
        found = re.search(rf"{{{self.name}}}`\s*{words}\s*`", rest)
        return f"{source}:{line + rest.count(chr(10), 0, found.start() if found else 0)}"

    def refuse(self, message: str) -> tuple[list[nodes.Node], list]:
        warn(self, message)
        return [nodes.inline("", self.text, classes=["problematic"])], []


def warn(place: BookDirective | BookRole, message: str) -> None:
    """A located warning; the page is read again by the next build, so that the warning stays until the mistake goes."""
    logger.warning("%s: %s", place.name, message, location=place.get_location(), type="aiinfra", subtype=place.name)
    place.env.note_reread()


def fields(body: object, what: str, required: Iterable[str], known: Iterable[str]) -> dict:
    """A mapping that has what is required and nothing unknown."""
    if not isinstance(body, dict):
        raise BadType(f"expected lines 'field: value' for {what}, not {brief(body)}")
    known = [*required, *known]
    for name in body:
        if name not in known:
            raise unknown(f"field of {what}", name, known)
    for name in required:
        if body.get(name) is None:
            raise BadValue(f"the field {name!r} of {what} is {'empty' if name in body else 'missing'}")
    return body


def rows(body: object, what: str) -> list:
    """A list that is not empty."""
    if not isinstance(body, list) or not body:
        raise BadType(f"expected a list for {what}, one '- …' per row, not {brief(body)}")
    return body


def depend_on(env, text: str) -> None:
    """Rebuild the page when a formula, the symbols or a catalogue entry that a request names change."""
    for word in set(re.findall(r"[\w.-]+", text)):
        if word in table().records:
            formula_dependency(env, word)
        if word in entry_files():
            env.note_dependency(entry_files()[word])


@functools.cache
def entry_files() -> dict[str, str]:
    """The file of each entry of the catalogue."""
    files = (PACKAGE / "catalog").rglob("*.toml")
    return {key: str(file) for file in files for key in re.findall(r'^\["?([^]"]+)"?]', file.read_text(encoding="utf-8"), re.M)}


def formula_dependency(env, key: str) -> None:
    """Rebuild the page when what a formula is made of changes."""
    for file in formula_files(key):
        env.note_dependency(file)


@functools.cache
def formula_files(key: str) -> tuple[str, ...]:
    """The symbols, the module of a formula, and those of the formulas that it can be computed through."""
    t = table()
    seen: set[str] = set()
    queue = [key]
    while queue:
        record = t.records[queue.pop()]
        if record.key not in seen:
            seen.add(record.key)
            queue += [t.defines[name] for name in record.inputs if name in t.defines]
    modules = sorted({t.records[k].module for k in seen})
    return str(PACKAGE / "symbols.py"), *(inspect.getsourcefile(import_module(m)) for m in modules)


def shown(value: Quantity, spec: str = "") -> list[nodes.Node]:
    """A printed quantity as text whose parts stay on one line; powers of ten are set as such."""
    text = value.text(spec)
    number, _, unit = text.partition(" ")
    found: list[nodes.Node] = []
    mantissa, e, exponent = number.partition("e")
    found.append(nodes.Text(mantissa.replace("-", "\N{MINUS SIGN}")))
    if e:
        power = str(int(exponent)).replace("-", "\N{MINUS SIGN}")
        found += [nodes.Text("\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10"), nodes.superscript("", power)]
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
    """A symbol as inline math; its class says that the letter is the symbol, not one that an author chose for the moment."""
    tex = table().symbols[name].latex
    return nodes.math(tex, tex, classes=["known"])


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


WIDE = 62  # printed characters that fit one line of the page


def put_in(f: Formula, values: dict) -> list[str]:
    """The right side with numbers in the place of symbols, as the lines of an aligned equation."""
    numbers = {n: _number_tex(Quantity(values[n], table().symbols[n].unit)) for n in f.inputs}
    whole = latex.expression(f.right, numbers)
    terms, unit = latex.terms(f.right, numbers)
    if latex.width(whole) <= WIDE or len(terms) < 2:
        return [f"& = {whole}"]
    rows = [" + ".join(terms[:1]), *terms[1:]]
    if unit:
        rows = [rf"\bigl({rows[0]}", *rows[1:-1], rf"{rows[-1]}\bigr){unit}"]
    return [f"& = {rows[0]}", *(rf"& \quad {{}} + {row}" for row in rows[1:])]


def _number_tex(value: Quantity) -> str:
    """Four digits of a quantity; a large count as a power of ten, since its digits stand among the inputs."""
    if not any(value.unit.dims) and abs(value.value) >= 1e7:
        return latex.text(f"{value.value:.3e}")
    return latex.text(repr(value))
