"""``aiinfra list``."""

from __future__ import annotations

import click

from aiinfra.cli.output import Table, emit, formats

KINDS = ("formulas", "models", "devices", "symbols", "measurements")


@click.command("list")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("text", default="")
@formats
def command(kind: str, text: str, form: str | None = None) -> None:
    """Names of a KIND, with what each means; TEXT keeps those that contain it.

    \b
      $ aiinfra list formulas kv-bytes-per
      kv-bytes-per-token  One key and one value in every layer, for every key/value head.
    """
    from aiinfra.errors import brief

    found = [(name, says) for name, says in rows(kind) if text.lower() in f"{name} {says}".lower()]
    document = {"kind": kind, "entries": [{"name": name, "says": says} for name, says in found]}
    if not found and form is None:
        click.echo(f"none of the {len(rows(kind))} {kind} contains {brief(text)}")
        return
    emit(form, "list", document, [Table(("name", "says"), found)])


def rows(kind: str) -> list[tuple[str, str]]:
    """Name and meaning of everything of a kind."""
    from aiinfra import catalog
    from aiinfra.engine.table import table

    if kind == "formulas":
        return [(r.key, r.says) for r in table().records.values()]
    if kind == "symbols":
        return [(s.name, s.meaning + (f" ({s.unit.text})" if s.unit.text else "")) for s in table().symbols.values()]
    if kind == "measurements":
        return [(key, m.what) for key, m in catalog.measurements().items()]
    found = catalog.models() if kind == "models" else catalog.devices()
    return [(key, entry.name) for key, entry in found.items()]
