"""``aiinfra sweep``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from aiinfra.cli.deployment import deployment, scenario
from aiinfra.cli.output import Table, emit, formats

MOST_SHOWN = 2_000
RANGE = re.compile(r"([0-9]+)\.\.([0-9]+)(?:(:|x)([0-9]+))?")


@click.command("sweep")
@deployment
@click.option("--over", multiple=True, required=True, metavar="NAME=VALUES", help="Values: 1,2,4 or 1..256 or 1..256:8 or 1..1024x2.")
@click.option("--result", "results", multiple=True, metavar="NAME", help="Results, by --json's names; several times.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write .csv or .parquet in place of printing.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the first result as .svg, .png or .pdf.")
@click.option("--dask", metavar="ADDRESS", help="Scheduler whose workers compute the blocks.")
@formats
@click.pass_context
def command(ctx, over, results, out, plot, dask, form: str | None = None, fields: dict | None = None, file=None) -> None:
    """Many deployments: every combination of the values of some fields. Ctrl-C keeps what is done.

    \b
      $ aiinfra sweep --model llama-3.1-8b --device h100-sxm --over batch=1..64x8 --result decode.bound
      batch   decode.bound
    """
    from aiinfra.errors import BadValue

    try:
        from aiinfra.scenario.sweep import RESULTS, sweep
    except ModuleNotFoundError:
        raise BadValue("a sweep needs NumPy: pip install 'aiinfra[arrays]'") from None

    axes = {}
    for text in over:
        name, sign, listed = text.partition("=")
        if not sign or name in axes:
            raise BadValue(f"--over {text}: expected NAME=VALUES, each name once")
        axes[name] = values(listed)
    first = {name: listed[0] for name, listed in axes.items()}
    s = scenario(first | (fields or {}) | first, file)
    with Progress(form is None) as tick:
        found = sweep(s, axes, results or RESULTS, client=dask, progress=tick)
    for point, why in found.refused.items():
        click.echo(f"refused {', '.join(map(str, point))}: {why}", err=True)
    head = (*found.axes, *found.results)
    if out is not None:
        write(out, head, found)
    if plot is not None:
        draw(plot, found)
    if out is None and plot is None:
        rows = [tuple(row.values()) for row, _ in zip(found.rows(), range(MOST_SHOWN if form is None else found.size), strict=False)]
        shown = readable(s, found, rows) if form is None else rows
        document = {"axes": {n: list(v) for n, v in found.axes.items()}, "rows": [dict(zip(head, row, strict=True)) for row in rows]}
        note = [f"the first {MOST_SHOWN:,} of {found.size:,}; --out writes all"] if form is None and found.size > MOST_SHOWN else []
        emit(form, "sweep", document, [Table(head, shown)], note)


def readable(s, found, rows: list[tuple]) -> list[tuple]:
    """Rows with results in the units that suit them."""
    from aiinfra.cli.output import shown
    from aiinfra.units import Quantity

    e, first = s.estimate(strict=False), len(found.axes)
    units = [(name, e.unit(name)) for name in found.results]
    given = [(row[:first], zip(units, row[first:], strict=True)) for row in rows]
    return [(*point, *("–" if v != v else shown(name, Quantity(v, unit)) for (name, unit), v in values)) for point, values in given]


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


def write(path: Path, head: tuple, found) -> None:
    """All points that were computed, as CSV or Parquet."""
    from aiinfra.errors import BadValue

    if path.suffix == ".csv":
        import csv

        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(row.values() for row in found.rows())
    elif path.suffix == ".parquet":
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise BadValue("Parquet needs pyarrow: pip install 'aiinfra[parquet]'") from None
        parquet.write_table(pyarrow.table(found.columns()), path)
    else:
        raise BadValue(f"--out {path.name}: must end in .csv or .parquet")


def draw(path: Path, found) -> None:
    """The first result over the first axis of numbers, a line for each combination of the others."""
    from aiinfra.errors import BadValue

    if path.suffix not in (".svg", ".png", ".pdf"):
        raise BadValue(f"--plot {path.name}: must end in .svg, .png or .pdf")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BadValue("a plot needs matplotlib: pip install 'aiinfra[plots]'") from None
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
