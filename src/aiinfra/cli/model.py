"""``aiinfra model``."""

from __future__ import annotations

import click

from aiinfra.cli.inputs import FORMAT, MODEL, entries
from aiinfra.cli.output import Table, emit, formats, quantity

WHOLE = click.IntRange(min=1, max=10**9)


@click.command("model")
@click.argument("model", metavar="NAME|PATH", shell_complete=MODEL)
@click.option("--context", type=WHOLE, default=8192, show_default=True, help="Tokens of a request in a decode step.")
@click.option("--batch", type=WHOLE, default=1, show_default=True, help="Requests of the step.")
@click.option("--weights", shell_complete=FORMAT, help="Format of all matrices of the layers.")
@click.option("--kv", shell_complete=FORMAT, help="Format of the cache.")
@click.option("--tp", type=WHOLE, default=1, show_default=True, help="Devices that share it; the ledger is that of one.")
@click.option("--rows", is_flag=True, help="Every matrix and operator.")
@formats
def command(model: str, context: int, batch: int, weights, kv, tp: int, rows: bool, form: str | None = None) -> None:
    """The ledger of a model: parameters, bytes, state of a request, operations of a decode step.

    \b
      $ aiinfra model llama-3.1-70b
      parameters        70,553,706,496
    """
    from aiinfra.units import Quantity, byte, flop

    [entry] = entries(model, None)
    ledger = entry.ledger(weights, kv, tp)
    work = ledger.decode(context, batch=batch)
    totals = {
        "parameters": Quantity(ledger.parameters), "active": Quantity(ledger.active), "bytes": Quantity(ledger.bytes, byte),
        "state per token": Quantity(ledger.token_bytes, byte), "fixed state": Quantity(ledger.fixed_bytes, byte),
        f"state at {context:,}": Quantity(ledger.state(context), byte), "step, operations": Quantity(work.flops, flop),
        "step, weights read": Quantity(work.weight_read, byte), "step, state read": Quantity(work.state_read, byte),
    }  # fmt: skip
    detail = [
        (e.row.name, e.row.part, e.row.shape, e.row.layers, e.row.parameters, str(e.row.format), e.row.bytes, e.flops, e.read, e.state)
        for e in work.entries
    ]
    head = ("row", "part", "in x out", "layers", "parameters", "format", "bytes", "step_flops", "weights_read", "state_read")
    a = entry if hasattr(entry, "blocks") else entry.architecture
    lines = [f"{a.key}: {a.family}, {a.n_layer} layers, {a.d_model:,} wide", *a.describe(), *(f"note: {w}" for w in a.warnings)]
    document = {
        "model": a.key, "family": a.family, "layers": a.n_layer, "tp": tp, "context": context, "batch": batch,
        "warnings": list(a.warnings), "totals": {name: quantity(q) for name, q in totals.items()},
        "rows": [dict(zip(head, row, strict=True)) for row in detail],
    }  # fmt: skip
    shown = [(name, f"{q.value:,}" if name in ("parameters", "active") else repr(q)) for name, q in totals.items()]
    tables = [Table(("total", "value"), shown)]
    if rows or form == "csv":
        tables = [Table(head, detail)] if form == "csv" else [*tables, Table(head, detail)]
    emit(form, "model", document, tables, lines)
