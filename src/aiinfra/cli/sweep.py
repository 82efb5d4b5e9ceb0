"""``aiinfra sweep``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from aiinfra.cli.deployment import deployment, merged
from aiinfra.cli.output import SCHEMA, Table, emit, formats

MOST_SHOWN = 2_000
MOST_REFUSED = 5
SUFFIXES = {"out": (".csv", ".parquet"), "plot": (".svg", ".png", ".pdf")}
RANGE = re.compile(r"([0-9]+)\.\.([0-9]+)(?:(:|x)([0-9]+))?")


@click.command("sweep")
@deployment
@click.option("--over", multiple=True, required=True, metavar="NAME=VALUES", help="Values: 1,2,4 or 1..256 or 1..256:8 or 1..1024x2.")
@click.option("--result", "results", multiple=True, metavar="NAME", help="Results, by --json's names or short names; several times.")
@click.option("--assert", "limits", multiple=True, metavar="LIMIT", help="Keep points where it holds: 'tpot<=40ms'; exit with 1 if none.")
@click.option("--most", metavar="NAME", help="Only the point with the most of a result or an input.")
@click.option("--least", metavar="NAME", help="Only the point with the least.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write .csv or .parquet in place of printing.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the first result as .svg, .png or .pdf.")
@click.option("--dask", metavar="ADDRESS", help="Scheduler whose workers compute the blocks.")
@formats
@click.pass_context
def command(
    ctx, over, results, limits, most, least, out, plot, dask, form: str | None = None, fields: dict | None = None, file=None
) -> None:
    """Many deployments: every combination of the values of some fields. Ctrl-C keeps what is done.

    With --assert only the points that keep a limit remain, and with --most or --least the best of them: the largest batch that
    keeps 40 ms is --over batch=1..256 --assert "tpot<=40ms" --most batch.

    \b
      $ aiinfra sweep --model llama-3.1-8b --device h100-sxm --over batch=1..64x8 --result decode.bound
      batch   decode.bound
    """
    from aiinfra.cli import limits as limit
    from aiinfra.cli.estimate import ALIASES
    from aiinfra.errors import BadValue

    try:
        from aiinfra.scenario.sweep import RESULTS, sweep
    except ModuleNotFoundError:
        raise BadValue("a sweep needs NumPy: pip install 'aiinfra[arrays]'") from None

    if most and least:
        raise BadValue("--most and --least exclude each other")
    for name, path in (("out", out), ("plot", plot)):
        if path is not None:
            writable(name, path)
    axes = read(over)
    bounds = [limit.read(text) for text in limits]
    base = {name: value for name, value in merged(fields, file).items() if name not in axes}
    wanted = [*(results or RESULTS), *(one.name for one in bounds), *(name for name in (most, least) if name and name not in axes)]
    wanted = list(dict.fromkeys(ALIASES.get(name, name) for name in wanted))
    with Progress(form is None) as tick:
        found = sweep(base, axes, wanted, client=dask, progress=tick)
    outer = [name for name in axes if name not in INNER]
    for where, why in list(found.refused.items())[:MOST_REFUSED]:
        click.echo(f"refused {', '.join(map(str, where))}: {why}".replace("refused :", "refused:"), err=True)
    if len(found.refused) > MOST_REFUSED:
        click.echo(f"refused {len(found.refused) - MOST_REFUSED:,} more", err=True)
    if found.done and len(found.refused) == found.done:
        raise BadValue("no combination is possible" if outer else next(iter(found.refused.values())))
    units = units_of(base, found)
    for one in bounds if units else ():
        name = ALIASES.get(one.name, one.name)
        found = found.only(one.kept(found.results[name], units[name]))
    if most or least:
        found = found.best(ALIASES.get(most or least, most or least), most=bool(most))
    if out is not None:
        write(out, found)
    if plot is not None:
        draw(plot, found)
    if out is None and plot is None:
        show(form, found, units, outer)
    if bounds and next(found.rows(), None) is None:
        click.echo(f"aiinfra: no point keeps {', '.join(limits)}", err=True)
        ctx.exit(1)


INNER = ("prompt", "output", "batch", "concurrency")  # what is computed within a block, and is never refused with it


def writable(name: str, path: Path) -> None:
    """Refuse a file that could not be written before anything is computed."""
    from importlib.util import find_spec

    from aiinfra.errors import BadValue

    if path.suffix not in SUFFIXES[name]:
        *some, last = SUFFIXES[name]
        raise BadValue(f"--{name} {path.name}: must end in {', '.join(some)} or {last}")
    if not path.parent.is_dir():
        raise BadValue(f"--{name} {path}: there is no folder {path.parent}")
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise BadValue("Parquet needs pyarrow: pip install 'aiinfra[parquet]'")
    if name == "plot" and find_spec("matplotlib") is None:
        raise BadValue("a plot needs matplotlib: pip install 'aiinfra[plots]'")


def read(over: tuple[str, ...]) -> dict[str, list]:
    """The axes of --over, each name once."""
    from aiinfra.errors import BadValue, brief

    axes = {}
    for text in over:
        name, sign, listed = text.partition("=")
        if not sign or name in axes:
            raise BadValue(f"--over {brief(text)}: expected NAME=VALUES, each name once")
        axes[name] = values(listed)
    return axes


def units_of(base: dict, found) -> dict:
    """The unit of each result; none where no point was computed."""
    from aiinfra.scenario.sweep import point

    one = next(found.rows(), None)
    if one is None:
        return {}
    e = point(base, {name: one[name] for name in found.axes}).estimate(strict=False)
    return {name: e.unit(name) for name in found.results}


def show(form: str | None, found, units: dict, outer: list[str]) -> None:
    """The points as a table; as CSV or JSON row by row, since there may be millions."""
    from itertools import islice

    head = (*found.axes, *found.results)
    if form == "csv":
        lines(sys.stdout, found)
    elif form == "json":
        refused = [{"point": dict(zip(outer, where, strict=True)), "why": why} for where, why in found.refused.items()]
        stream({"axes": {name: list(v) for name, v in found.axes.items()}, "refused": refused}, found)
    else:
        rows = [tuple(row.values()) for row in islice(found.rows(), MOST_SHOWN + 1)]
        note = [f"the first {MOST_SHOWN:,} points of {found.size:,} at most; --out writes all"] if len(rows) > MOST_SHOWN else []
        emit(None, "sweep", {}, [Table(head, readable(units, found, rows[:MOST_SHOWN]))], note)


def stream(document: dict, found) -> None:
    """A JSON document whose rows are written one by one; a result that a point does not have is null."""
    import json
    from math import isfinite

    opening = json.dumps({"schema": SCHEMA, "command": "sweep", **document}, indent=2, ensure_ascii=False)
    click.echo(opening.removesuffix("\n}") + ',\n  "rows": [', nl=False)
    sign = "\n"
    for row in found.rows():
        plain = {name: None if isinstance(v, float) and not isfinite(v) else v for name, v in row.items()}
        sys.stdout.write(f"{sign}    {json.dumps(plain, ensure_ascii=False)}")
        sign = ",\n"
    click.echo("\n  ]\n}")


def readable(units: dict, found, rows: list[tuple]) -> list[tuple]:
    """Rows with results in the units that suit them."""
    from aiinfra.cli.output import shown
    from aiinfra.units import Quantity

    first = len(found.axes)
    given = [(row[:first], zip(units.items(), row[first:], strict=True)) for row in rows]
    return [(*at, *("–" if v != v else shown(name, Quantity(v, unit)) for (name, unit), v in values)) for at, values in given]


def values(text: str) -> list:
    """Values from 1,2,4 or a range: 1..8, 1..64:8 (step), 1..64x2 (factor).

    >>> values("1..64x4"), values("1..9:4"), values("h100-sxm,mi300x")
    ([1, 4, 16, 64], [1, 5, 9], ['h100-sxm', 'mi300x'])
    """
    from aiinfra import words
    from aiinfra.errors import BadValue, brief

    found = []
    for part in text.split(","):
        if not part.strip():
            raise BadValue(f"--over {brief(text)}: an empty value")
        fits = RANGE.fullmatch(part.strip())
        if not fits:
            found.append(words.number(part))
            continue
        low, high, kind, step = int(fits[1]), int(fits[2]), fits[3], int(fits[4] or 1)
        if high < low or step < 1 or (kind == "x" and (step < 2 or low < 1)) or high - low > 10_000_000:
            raise BadValue(f"--over {brief(part)}: expected LOW..HIGH, LOW..HIGH:STEP or LOW..HIGHxFACTOR")
        if kind == "x":
            while low <= high:
                found.append(low)
                low *= step
        else:
            found += range(low, high + 1, step)
    return found


class Progress:
    """A bar on a terminal; nothing elsewhere."""

    def __init__(self, wanted: bool):
        self.bar = None
        self.wanted = wanted and sys.stderr.isatty()

    def __enter__(self):
        if not self.wanted:
            return None
        from rich import progress
        from rich.console import Console

        self.bar = progress.Progress(console=Console(stderr=True), transient=True)
        self.bar.start()
        task = self.bar.add_task("sweep", total=None)
        return lambda done, of: self.bar.update(task, completed=done, total=of)

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.stop()


def lines(file, found) -> None:
    """All points that were computed, as CSV."""
    import csv

    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*found.axes, *found.results))
    writer.writerows(row.values() for row in found.rows())


def write(path: Path, found) -> None:
    """All points that were computed, as CSV or Parquet."""
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            lines(file, found)
        return
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(found.columns()), path)


def draw(path: Path, found) -> None:
    """The first result over the first axis of numbers, a line for each combination of the others."""
    from matplotlib.figure import Figure

    from aiinfra.errors import BadValue

    x = next((n for n, v in found.axes.items() if all(isinstance(i, (int, float)) for i in v) and len(v) > 1), None)
    if x is None:
        raise BadValue("a plot needs an axis of at least two numbers")
    name, lines = next(iter(found.results)), {}
    for row in found.rows():
        label = ", ".join(f"{n} {row[n]}" for n in found.axes if n != x)
        lines.setdefault(label, []).append((row[x], row[name]))
    if len(lines) > 24:
        raise BadValue(f"a plot of {len(lines)} lines cannot be read: 24 at most")
    figure = Figure(figsize=(8, 5))
    axes = figure.subplots()
    for label, points in lines.items():
        axes.plot(*zip(*points, strict=True), marker=".", label=label or None)
    axes.set(xlabel=x, ylabel=name, xscale="log", yscale="log")
    if any(lines):
        axes.legend()
    figure.savefig(path)
