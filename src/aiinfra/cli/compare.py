"""``aiinfra compare``."""

from __future__ import annotations

from pathlib import Path

import click

from aiinfra.cli.output import Table, emit, formats, quantity, shown

TITLES = {"results": "an instance", "per_device": "a device", "all_replicas": "all replicas"}  # of which a result is, for people


@click.command("compare")
@click.argument("first", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("second", nargs=-1, required=True, metavar="SECOND|NAME=VALUE…")
@formats
def command(first: Path, second: tuple[str, ...], form: str | None = None) -> None:
    """Two deployments side by side: scenario files FIRST and SECOND, or FIRST with some of its fields changed.

    \b
      $ aiinfra compare deployment.toml device=h200-sxm
      changed   device   h100-sxm   h200-sxm
    """
    from aiinfra import words
    from aiinfra.scenario import Scenario
    from aiinfra.scenario.compare import compare

    a = Scenario.load(first)
    b = Scenario.load(second[0]) if len(second) == 1 and "=" not in second[0] else a.but(**words.pairs(second))
    found = compare(a.estimate(), b.estimate())
    groups = {
        "changed": found.inputs, "therefore": found.causes, "binds": found.binds, "results": found.results, "per_device": found.per_device,
        "all_replicas": found.all_replicas,
    }  # fmt: skip
    every = [(group, c) for group, cs in groups.items() for c in cs]
    rows = [
        (TITLES.get(group, group), c.name, *(_text(c.name, v) for v in (c.first, c.second)), f"{c.factor:.4g}" if c.factor else "")
        for group, c in every
    ]
    document = {
        group: [{"name": c.name, "first": _plain(c.first), "second": _plain(c.second), "factor": c.factor} for c in cs]
        for group, cs in groups.items()
    }
    emit(form, "compare", document, [Table(("", "value", "first", "second", "factor"), rows)])


def _text(name: str, value) -> str:
    return shown(name, value) if hasattr(value, "text") else str(value)


def _plain(value):
    return quantity(value) if hasattr(value, "relation") else value if isinstance(value, (str, int, float, type(None))) else str(value)
