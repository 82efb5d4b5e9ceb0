"""``aiinfra eval``."""

from __future__ import annotations

import click

from aiinfra.cli.inputs import KEY, asked, formula_inputs, limits
from aiinfra.cli.output import Table, emit, formats, quantity


@click.command("eval")
@KEY
@formula_inputs
@limits
@formats
@click.pass_context
def command(ctx, key: str, model, device, dtype, given, limits, form: str | None = None) -> None:
    """Evaluate the formula KEY with values of a model and a device, and inputs of your own.

    \b
      $ aiinfra eval decode-step-bound --model llama-3.1-70b --device h100-sxm devices=8 batch=32 context=2048
      decode-step-bound >= 5.988 ms
    """
    from aiinfra.cli import limits as limit
    from aiinfra.engine.formula import formula
    from aiinfra.errors import unknown

    f = formula(key)
    found, dtype, own = asked(model, device, dtype, given)
    bounds = [limit.read(text) for text in limits]
    for one in bounds:
        if one.name not in ("", key, f.symbol):
            raise unknown("result", one.name, (key, f.symbol))
    value = f(*found, dtype=dtype, **own)
    inputs = used(f, found, dtype, own)
    rows = [(name, row["shown"], row["source"]) for name, row in inputs.items()]
    plain = {name: {n: v for n, v in row.items() if n != "shown"} for name, row in inputs.items()}
    document = {"formula": key, **quantity(value), "result": f.symbol, "inputs": plain}
    line = f"{key} {'= ' if value.relation == '=' else ''}{value!r}"  # a bound or a model shows its sign itself
    broken = [one for one in bounds if not one.holds(value)]
    head = ("input", "value", "source")
    if form == "csv":  # the result is its first row, in base units like all others
        result = document["value"], document["unit"]
        head, rows = ("name", "value", "unit", "relation", "source"), [(f.symbol, *result, value.relation, key)]
        rows += [(name, row["value"], row["unit"], "=", row["source"]) for name, row in plain.items()]
    emit(form, "eval", document, [Table(head, rows)], [line])
    if key in ("mfu", "mbu") and value.value > 1:  # more than all of it
        why = "operations that sparsity skips, a peak of another format" if key == "mfu" else "bytes that a cache delivered"
        click.echo(f"aiinfra: note: {key} above 100 %: {why}, or a wrong time", err=True)
    for one in broken:
        click.echo(f"aiinfra: {line} breaks {one.name}{one.sign}{one.value.text()}", err=True)
    if broken:
        ctx.exit(1)


def used(f, found: tuple, dtype, own: dict) -> dict[str, dict]:
    """The inputs that a formula read from outside, with their sources."""
    from aiinfra.engine import evaluate
    from aiinfra.engine.table import table
    from aiinfra.units import Quantity

    steps, supplied, given = f.prepare(found, own, dtype)
    values, symbols = supplied | given, table().symbols
    rows = {}
    for name in sorted(evaluate.used(steps), key=list(symbols).index):
        q = Quantity(values[name], symbols[name].unit)
        source = None if name in given else evaluate.source_of(name, found, dtype)
        origin = f"{source[0].key}: {source[1].source}" if source else "given" if name in given else "config"
        rows[name] = {"value": q.value, "unit": q.unit.text, "meaning": symbols[name].meaning, "source": origin, "shown": repr(q)}
        if source:
            rows[name] |= {"at": source[1].at, "read": source[1].read}
    return rows
