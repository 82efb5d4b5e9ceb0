"""What every command prints: a table for people, JSON with a versioned schema, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from aiinfra.units import Quantity

SCHEMA = "aiinfra/1"


@dataclass
class Table:
    """Rows under a head; ``title`` stands above it."""

    head: Sequence[str]
    rows: list[Sequence[object]] = field(default_factory=list)
    title: str = ""


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
    """A table as text, as wide as its contents: no number is ever cut."""
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
    click.echo("\n".join(line.rstrip() for line in text.getvalue().rstrip().splitlines()))
