"""``aiinfra schema``."""

from __future__ import annotations

from importlib.resources import files

import click


@click.command("schema")
def command() -> None:
    """The JSON Schema of what --json prints, for all commands.

    \b
      $ aiinfra schema
      "title": "aiinfra/1",
    """
    click.echo(files("aiinfra.cli").joinpath("schema.json").read_text(encoding="utf-8"), nl=False)
