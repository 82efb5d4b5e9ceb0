"""The command in the book: its lines are run while the book is built, and its reference is read from the program."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import tempfile
from dataclasses import fields
from importlib.resources import files
from pathlib import Path

import click
from docutils import nodes
from docutils.parsers.rst import directives

from aiinfra import catalog
from aiinfra.book import base
from aiinfra.book.base import BookDirective
from aiinfra.book.tables import used_in
from aiinfra.cli import COMMANDS, cli, main
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, brief
from aiinfra.units import Quantity

WIDTH = 80  # of the terminal in which help is printed
ONE_LINE, SHRUNK = 100, 140  # characters of a line that fit the printed page, and that fit it in smaller type
NAME = re.compile(r"[\w-]+(\.[\w-]+)*")
PIECE = re.compile(r"(\d+)(-(\d*))?")


class printed(nodes.General, nodes.Element):
    """What a line printed; ``columns`` is the length of its longest line."""


class CommandDirective(BookDirective):
    """``{command}``: lines that begin with ``aiinfra``, each run and set with what it prints.

    ``:exit:`` is the exit code that the last line must have, 0 unless given. ``:tables: memory, result`` shows the tables of what is
    printed that begin so, ``:lines: 1-4, 9-`` these lines.
    ``:file: NAME`` makes the body a file, which later lines of the page find; ``cat NAME`` shows one that a line has written.
    """

    has_content = True
    option_spec = {"exit": directives.nonnegative_int, **dict.fromkeys(("file", "lines", "tables"), directives.unchanged_required)}

    @base.guarded
    def run(self) -> list[nodes.Node]:
        if not self.content:
            raise BadValue("the body is empty: expected lines such as 'aiinfra list models'")
        for folder in ("catalog", "cli", "formulas", "scenario"):
            for path in sorted((base.PACKAGE / folder).rglob("*.*")):
                if path.suffix in (".py", ".toml", ".json"):
                    self.env.note_dependency(str(path))
        kept = self.cases.files
        if "file" in self.options:
            return self.file(self.options["file"], kept)
        lines = "\n".join(self.content).replace("\\\n", " ").splitlines()
        shown = "\n".join(self.content).replace("\\\n", "\\\0").splitlines()
        found: list[nodes.Node] = []
        for at, (line, as_written) in enumerate(zip(lines, shown, strict=True)):
            code, text = execute(line, kept)
            wanted = self.options.get("exit", 0) if at == len(lines) - 1 else 0
            if code != wanted:
                last = text.strip().splitlines()[-1:] or ["it prints nothing"]
                raise BadValue(f"{brief(line)} ends with exit code {code}, not {wanted}: {last[0]}")
            text = chosen(tables(text, self.options.get("tables", "")), self.options.get("lines", ""))
            found += self.pair(as_written.replace("\0", "\n"), text)
        return found

    def file(self, name: str, kept: dict[str, bytes]) -> list[nodes.Node]:
        if not NAME.fullmatch(name):
            raise BadValue(f"file {brief(name)}: expected a plain name, such as deployment.toml")
        text = "\n".join(self.content)
        kept[name] = f"{text}\n".encode()
        label = nodes.paragraph("", "", nodes.literal("", name), classes=["file-name"])
        block = nodes.literal_block(text, text, language="toml" if name.endswith(".toml") else "text")
        return [label, block]

    @staticmethod
    def pair(line: str, text: str) -> list[nodes.Node]:
        """A line, and what it printed in a block of its own, so that copying one does not copy the other."""
        found: list[nodes.Node] = [nodes.literal_block(line, line, language="sh", classes=["command"])]
        if text:
            box = printed(columns=max(map(len, text.splitlines())))
            box += nodes.literal_block(text, text, language="text")
            found.append(box)
        return found


def execute(line: str, kept: dict[str, bytes]) -> tuple[int, str]:
    """Exit code and text of one line, run in a folder with the files of the page; what it writes is kept for the next."""
    words = shlex.split(line)
    if words[:1] == ["cat"] and len(words) == 2 and words[1] in kept:
        return 0, kept[words[1]].decode().rstrip()
    if words[:1] != ["aiinfra"]:
        raise BadValue(f"{brief(line)}: expected a line that begins with aiinfra, or cat and a file of the page")
    columns = os.environ.get("COLUMNS")
    text, errors, code = io.StringIO(), io.StringIO(), 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in kept.items():
            Path(name).write_bytes(content)
        os.environ["COLUMNS"] = str(WIDTH)
        try:
            with contextlib.redirect_stdout(text), contextlib.redirect_stderr(errors):
                main(words[1:])
        except SystemExit as done:
            code = done.code if isinstance(done.code, int) else int(done.code is not None)
        finally:
            if columns is None:
                del os.environ["COLUMNS"]
            else:
                os.environ["COLUMNS"] = columns
        kept |= {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    said = "\n\n".join(filter(None, (part.getvalue().strip("\n") for part in (text, errors))))
    return code, "\n".join(row.rstrip() for row in said.splitlines())


def chosen(text: str, which: str) -> str:
    """Some lines of a text, with a mark where others are left out.

    >>> print(chosen("a\\nb\\nc\\nd", "1, 3-"))
    a
    …
    c
    d
    """
    rows = text.splitlines()
    if not which:
        return text
    found, last = [], 0
    for part in which.split(","):
        piece = PIECE.fullmatch(part.strip())
        if not piece:
            raise BadValue(f"lines {brief(which)}: expected numbers and ranges, such as 1-4, 9-")
        low = int(piece[1])
        high = int(piece[3] or len(rows)) if piece[2] else low
        if not last < low <= high <= len(rows):
            raise BadValue(f"lines {brief(which)}: of {len(rows)} lines, in their order")
        found += ["…"] if low > last + 1 else []
        found += rows[low - 1 : high]
        last = high
    return "\n".join([*found, "…"] if last < len(rows) else found)


def tables(text: str, which: str) -> str:
    """The parts of a text between empty lines that begin with one of some words, with a mark where others are left out.

    >>> print(tables("head\\n\\n a  b\\n 1  2\\n\\n c  d\\n 3  4", "a"))
    …
    <BLANKLINE>
     a  b
     1  2
    <BLANKLINE>
    …
    """
    if not which:
        return text
    parts, wanted, found = re.split(r"\n\s*\n", text), [name.strip() for name in which.split(",")], []
    for name in wanted:
        if not name or not any(part.strip().startswith(name) for part in parts):
            raise BadValue(f"tables {brief(which)}: nothing that is printed begins with {name!r}")
    for part in parts:
        kept = any(part.strip().startswith(name) for name in wanted)
        found += [part] if kept else ["…"] if found[-1:] != ["…"] else []
    return "\n\n".join(found)


class CliDirective(BookDirective):
    """``{cli}``: every command with its use, its example and its options, as the program has them."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        for path in (base.PACKAGE / "cli").glob("*.py"):
            self.env.note_dependency(str(path))
        top = click.Context(cli, info_name="aiinfra")
        found = [*self.described(cli), self.options_of(cli, top), nodes.paragraph("", cli.epilog or "")]
        for name in COMMANDS:
            command = cli.get_command(top, name)
            ctx = click.Context(command, info_name=name, parent=top)
            section = nodes.section(ids=[nodes.make_id(f"aiinfra-{name}")], names=[f"aiinfra {name}"])
            section += nodes.title("", "", nodes.literal("", f"aiinfra {name}"))
            use = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
            section += nodes.literal_block(use, use, language="text", classes=["use"])
            section += self.described(command)
            section += self.options_of(command, ctx)
            found.append(section)
        return found

    @staticmethod
    def described(command: click.Command) -> list[nodes.Node]:
        """The help of a command, its example as a block."""
        found: list[nodes.Node] = []
        for part in re.split(r"\n\s*\n", (command.help or "").strip()):
            if part.strip().startswith("\b"):
                rows = [row.strip() for row in part.strip().splitlines()[1:]]
                found.append(nodes.literal_block("\n".join(rows), "\n".join(rows), language="console"))
            else:
                found.append(nodes.paragraph("", " ".join(part.split())))
        return found

    @staticmethod
    def options_of(command: click.Command, ctx: click.Context) -> nodes.Node:
        records = [p.get_help_record(ctx) for p in command.get_params(ctx) if isinstance(p, click.Option)]
        rows = [[nodes.literal("", name), nodes.inline("", says, support_smartquotes=False)] for name, says in filter(None, records)]
        return base.make_table(["Option", "Meaning"], rows, [38, 62], "reference-table")


class FieldsDirective(BookDirective):
    """``{fields}``: the fields of a scenario, with what each is unless given."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        from aiinfra.cli.deployment import FIELDS
        from aiinfra.scenario import Scenario

        for name in ("cli/deployment.py", "scenario/inputs.py"):
            self.env.note_dependency(str(base.PACKAGE / name))
        rows = []
        for f in fields(Scenario):
            says = FIELDS[f.name][1] if f.name in FIELDS else "Assumptions in place of those below: a number, or two, slow and fast."
            unless = "" if f.default in (None, f.default_factory) else str(f.default)
            if f.name in ("model", "device"):
                unless = "must be given"
            rows.append([nodes.literal("", f.name), says, unless if isinstance(f.default, (int, str, float)) or unless else "–"])
        return [base.make_table(["Field", "Meaning", "Unless given"], rows, [18, 57, 25], "reference-table")]


class AssumptionsDirective(BookDirective):
    """``{assumptions}``: what an estimate assumes, from slow to fast, with the measurements behind it."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        from aiinfra.scenario.assumptions import defaults

        for name in ("scenario/assumptions.py", "catalog/measurements.toml"):
            self.env.note_dependency(str(base.PACKAGE / name))
        rows = []
        for a in defaults().values():
            unit = table().symbols[a.symbol].unit
            ends = dict.fromkeys(Quantity(v, unit).text() for v in (a.slow, a.fast))
            why = [nodes.Text(f"{a.why[0].upper()}{a.why[1:]}. "), *self.sources(a.source)]
            rows.append([base.symbol_math(a.symbol), nodes.literal("", a.symbol), " to ".join(ends), why])
        head = ["Symbol", "Name", "Slow to fast", "What it is, and where from"]
        return [base.make_table(head, rows, [10, 18, 20, 52], "reference-table")]

    def sources(self, keys: str) -> list[nodes.Node]:
        """Citations of the measurements and documents that a text names."""
        if keys == "assumed":
            return [nodes.Text("Assumed.")]
        named = [key.strip() for key in keys.split(",")]
        cited = dict.fromkeys(m.source if (m := catalog.measurements().get(key)) else key for key in named)
        found, messages = self.parse_inline(" ".join(f"{{cite}}`{key}`" for key in cited), lineno=self.lineno)
        measured = [key for key in named if key in catalog.measurements()]
        return [*found, *messages, nodes.Text(f" ({', '.join(measured)})" if measured else "")]


class ResultsDirective(BookDirective):
    """``{results}``: every result of an estimate by name: what it is, of what kind, and the formula that gives it."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        from aiinfra.scenario.estimate import GIVEN, RELATIONS
        from aiinfra.scenario.steps import COST, ENERGY, STEPS

        self.env.get_domain("aiinfra").note_gatherer(self.env.docname)
        for path in (base.PACKAGE / "scenario").glob("*.py"):
            self.env.note_dependency(str(path))
        symbols, rows = table().symbols, []
        for name, (symbol, origin) in GIVEN.items():
            s = symbols[symbol]
            rows.append([nodes.literal("", name), f"{s.meaning}{_unit(s)}", "given", origin])
        for step in (*STEPS, *COST, *ENERGY):
            record = table().record(step.formula)
            s = symbols[record.symbol]
            kind = "expected" if step.ends else base.KIND[RELATIONS.get(step.name, record.relation)]
            link = [nodes.literal("", step.formula), nodes.Text(" "), used_in(key=step.formula)]
            ends = [nodes.Text(", "), nodes.literal("", ".slow"), nodes.Text(" and "), nodes.literal("", ".fast")] if step.ends else []
            rows.append([[nodes.literal("", step.name), *ends], f"{s.meaning}{_unit(s)}", kind, link])
        head = ["Name", "What it is", "Kind", "From"]
        return [base.make_table(head, rows, [29, 30, 13, 28], "longtable", "reference-table")]


def _unit(symbol) -> str:
    return f" ({symbol.unit.text})" if symbol.unit.text else ""


class AliasesDirective(BookDirective):
    """``{aliases}``: the short names of results, and what they stand for."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        from aiinfra.cli.estimate import ALIASES

        self.env.note_dependency(str(base.PACKAGE / "cli/estimate.py"))
        rows = [[nodes.literal("", name), nodes.literal("", result)] for name, result in ALIASES.items()]
        return [base.make_table(["Short", "Name"], rows, [30, 70], "reference-table")]


class SchemaDirective(BookDirective):
    """``{schema}``: the fields that ``--json`` prints, command by command, from the schema that the program carries."""

    @base.guarded
    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(base.PACKAGE / "cli/schema.json"))
        schema = json.loads(files("aiinfra.cli").joinpath("schema.json").read_text(encoding="utf-8"))
        found: list[nodes.Node] = []
        shared = [name for name in schema["$defs"] if name not in COMMANDS]
        for name in (*shared, *(n for n in COMMANDS if n in schema["$defs"])):
            part = schema["$defs"][name]
            command = name in COMMANDS
            section = nodes.section(ids=[nodes.make_id(f"json-{name}")], names=[f"json {name}"])
            section += nodes.title("", "", nodes.literal("", f"aiinfra {name}" if command else name))
            if says := part.get("description"):
                section += nodes.paragraph("", says)
            rows = list(self.fields(part, schema["$defs"]))
            section += base.make_table(["Field", "What it holds"], rows, [34, 66], "reference-table")
            found.append(section)
        return found

    def fields(self, part: dict, known: dict):
        """A row for each field of an object, with those of the definitions that it builds on."""
        for other in part.get("allOf", ()):
            yield from self.fields(known[other["$ref"].rpartition("/")[2]], known)
        required = {*part.get("required", ()), *(n for one in part.get("anyOf", ()) for n in one.get("required", ()))}
        own = {n: p for n, p in part.get("properties", {}).items() if n != "command"}
        for name in [*own, *sorted(required - own.keys())]:
            inherited = any(name in known[o["$ref"].rpartition("/")[2]].get("properties", {}) for o in part.get("allOf", ()))
            if not inherited:
                optional = "" if name in part.get("required", ()) else ", where there is one"
                yield [nodes.literal("", name), f"{_kind(own.get(name, {}))}{optional}"]


def _kind(part: dict) -> str:
    """What a field holds, in words."""
    if "$ref" in part:
        return part["$ref"].rpartition("/")[2]
    if "enum" in part:
        values = ", ".join(str(v) for v in part["enum"])
        return f"{part['description']}: {values}" if "description" in part else f"one of {values}"
    kind = part.get("type", "any value")
    kind = " or ".join({"null": "nothing"}.get(k, k) for k in kind) if isinstance(kind, list) else kind
    if kind == "array":
        kind = "list" + (f" of {_kind(part['items'])}" if "$ref" in part.get("items", {}) else "")
        kind += f" of objects with {', '.join(part['items']['required'])}" if "required" in part.get("items", {}) else ""
    elif kind == "object" and "additionalProperties" in part:
        kind = f"table by name, each {_kind(part['additionalProperties'])}"
    if kind == "object" and "required" in part or kind.endswith("each object"):
        inner = part.get("required") or part["additionalProperties"].get("required", ())
        kind += f" with {', '.join(inner)}" if inner else ""
    return f"{kind}: {part['description']}" if "description" in part else kind


def visit_printed_html(self, node) -> None:
    self.body.append('<div class="printed">\n')


def depart_printed_html(self, node) -> None:
    self.body.append("</div>\n")


def visit_printed_latex(self, node) -> None:
    size = ""
    if ONE_LINE < node["columns"] <= SHRUNK:
        points = 8 * ONE_LINE / node["columns"]
        size = rf"\fvset{{fontsize=\fontsize{{{points:.2f}}}{{{1.25 * points:.2f}}}\selectfont}}"
    self.body.append(rf"\begingroup\sphinxsetup{{VerbatimColor={{RGB}}{{255,255,255}}}}{size}" "\n")


def depart_printed_latex(self, node) -> None:
    self.body.append("\\endgroup\n")


def add_nodes(app) -> None:
    """Register the node with its visitors."""
    app.add_node(printed, html=(visit_printed_html, depart_printed_html), latex=(visit_printed_latex, depart_printed_latex))
