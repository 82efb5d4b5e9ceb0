"""``aiinfra explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from aiinfra.cli.inputs import KEY, asked, formula_inputs
from aiinfra.cli.output import Table, emit, formats, quantity

if TYPE_CHECKING:
    from aiinfra.engine.tree import Node


@click.command("explain")
@KEY
@formula_inputs
@formats
def command(key: str, model, device, dtype, given, form: str | None = None) -> None:
    """The tree from the result of KEY down to what was given and what the catalogue says, with sources and sections of the book.

    \b
      $ aiinfra explain kv-bytes --model llama-3.1-70b batch=16 context=8192
      kv_bytes = 42.9 GB   [kv-bytes]
    """
    from aiinfra.engine.formula import formula

    found, dtype, own = asked(model, device, dtype, given)
    node = formula(key).explain(*found, dtype=dtype, **own)
    emit(form, "explain", {"name": key, "tree": tree(node)}, [flat(node)] if form == "csv" else [], node.lines())


def flat(node: Node) -> Table:
    """A tree as rows with their depths."""
    rows = [(depth, n.name, n.value.value, n.value.unit.text, n.value.relation, n.origin, n.section) for depth, n, _ in node.walk()]
    return Table(("depth", "name", "value", "unit", "relation", "origin", "section"), rows)


def tree(node: Node) -> dict:
    """A tree as JSON has it."""
    where = {"section": node.section} if node.section else {}
    return {"name": node.name, **quantity(node.value), "origin": node.origin, **where, "parts": [tree(part) for part in node.parts]}
