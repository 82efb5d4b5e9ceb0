"""What every command prints: a table for people, JSON with a versioned schema, or CSV."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from aiinfra.units import Quantity

SCHEMA = "aiinfra/1"
MANY = 500  # rows that Rich draws quickly


@dataclass
class Table:
    """Rows under a head; ``title`` stands above it. The last column of one that ``folds`` may stand on a line of its own."""

    head: Sequence[str]
    rows: list[Sequence[object]] = field(default_factory=list)
    title: str = ""
    folds: bool = False


def formats(command: Callable) -> Callable:
    """The options --json and --csv, which every command takes; the choice arrives as ``form``."""

    def chosen(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            if "form" in ctx.params:
                raise click.UsageError("--json and --csv exclude each other")
            ctx.params["form"] = param.name

    for name, says in (("csv", "Print CSV."), ("json", "Print JSON; its schema: aiinfra schema.")):
        command = click.option(f"--{name}", is_flag=True, expose_value=False, callback=chosen, help=says)(command)
    return command


def quantity(q: Quantity) -> dict:
    """A quantity in base units, as JSON has it; a unit with a prefix, such as TB/s, is not that of its value."""
    from aiinfra.units import parse_unit, spell

    plain = not q.unit.text or parse_unit(q.unit.text)[0] == 1
    return {"value": q.value, "unit": q.unit.text if plain else spell(q.unit.dims), "relation": q.relation}


def shown(name: str, q: Quantity) -> str:
    """A result for people: prices by the million tokens, everything else in the unit that suits its size."""
    return q.text(".3g $/Mtoken" if name.startswith("cost") else "")


def emit(form: str | None, command: str, document: dict, tables: Iterable[Table], lines: Iterable[str] = ()) -> None:
    """Print a result in the form that was asked for; CSV holds the first table."""
    tables = list(tables)
    if form == "json":
        click.echo(json.dumps({"schema": SCHEMA, "command": command, **document}, indent=2, ensure_ascii=False, allow_nan=False))
        return
    if form == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(tables[0].head)
        writer.writerows(tables[0].rows)
        click.echo(text.getvalue(), nl=False)
        return
    for line in lines:
        click.echo(line)
    for table in tables:
        show(table)


def show(table: Table) -> None:
    """A table as text, as wide as its contents: no number is ever cut. In a terminal that is narrower the last column stands below."""
    text = drawn(table) if len(table.rows) <= MANY else laid_out(table)
    width = max(map(len, text)) if table.folds and sys.stdout.isatty() else 0
    if width > get_terminal_size().columns:
        rows = [line for *row, last in table.rows for line in ((*row,), (f"  {last}", *[""] * (len(row) - 1)))]
        text = laid_out(Table(table.head[:-1], rows, table.title), spanning=True)
    click.echo("\n".join(text))


def drawn(table: Table) -> list[str]:
    """The lines of a table that Rich draws."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(box=box.SIMPLE_HEAD, title=Text(table.title) if table.title else None, title_justify="left", pad_edge=False)
    for name in table.head:
        made.add_column(Text(name), no_wrap=True)
    for row in table.rows:
        made.add_row(*(Text(str(cell)) for cell in row))
    width = Console(width=100_000).measure(made).maximum
    text = io.StringIO()
    Console(file=text, width=max(width, len(table.title) + 1), color_system=None).print(made)
    return [line.rstrip() for line in text.getvalue().rstrip().splitlines()]


def laid_out(table: Table, *, spanning: bool = False) -> list[str]:
    """The same lines at once: Rich measures every cell several times, which takes minutes for very many rows.

    Where cells span, one that stands alone in its row sets no width.
    """
    from rich.cells import cell_len

    rows = [tuple(map(str, row)) for row in (table.head, *table.rows)]
    measured = [row for row in rows if not (spanning and not any(row[1:]))]
    widths = [max(map(cell_len, column)) for column in zip(*measured, strict=True)]
    lines = [" " + "   ".join(cell + " " * (w - cell_len(cell)) for cell, w in zip(row, widths, strict=True)) for row in rows]
    rule = " " + "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (sum(widths) + 3 * (len(widths) - 1))
    title = [table.title] if table.title else []
    return [*title, "", *(line.rstrip() for line in (lines[0], rule, *lines[1:]))]
