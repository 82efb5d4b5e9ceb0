"""``aiinfra solve``."""

from __future__ import annotations

import click

from aiinfra.cli.inputs import KEY, asked, formula_inputs
from aiinfra.cli.output import Table, emit, formats, quantity


@click.command("solve")
@KEY
@click.option("--for", "symbol", required=True, help="The input that is sought.")
@formula_inputs
@formats
def command(key: str, symbol: str, model, device, dtype, given, form: str | None = None) -> None:
    """The value of one input of KEY at which its result, given by name, is reached.

    \b
      $ aiinfra solve kv-bytes --for context --model llama-3.1-70b kv_bytes="40 GB" batch=16
      context = 7,629
    """
    from aiinfra.engine.formula import formula

    found, dtype, own = asked(model, device, dtype, given)
    value = formula(key).solve_for(symbol, *found, dtype=dtype, **own)
    document = {"formula": key, "symbol": symbol, **quantity(value)}
    table = Table(("symbol", "value", "unit"), [(symbol, value.value, value.unit.text)])
    emit(form, "solve", document, [table] if form == "csv" else [], [f"{symbol} = {value!r}"])
