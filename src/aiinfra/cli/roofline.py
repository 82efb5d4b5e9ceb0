"""``aiinfra roofline``."""

from __future__ import annotations

import click

from aiinfra.cli.inputs import DEVICE, FORMAT, MODEL, entries
from aiinfra.cli.output import Table, emit, formats

WHOLE = click.IntRange(min=1, max=10**9)


@click.command("roofline")
@click.argument("model", shell_complete=MODEL)
@click.argument("device", shell_complete=DEVICE)
@click.option("--dtype", default="bf16", show_default=True, shell_complete=FORMAT, help="Format computed in.")
@click.option("--context", type=WHOLE, help="Tokens of a request in a decode step.  [default: 8192]")
@click.option("--prompt", type=WHOLE, help="Prompts of this length in place of a decode step.")
@click.option("--batch", type=WHOLE, default=1, show_default=True, help="Requests.")
@click.option("--devices", type=WHOLE, default=1, show_default=True, help="Devices that share the work evenly.")
@click.option("--weights", shell_complete=FORMAT, help="Format of all matrices of the layers.")
@click.option("--kv", shell_complete=FORMAT, help="Format of the cache.")
@formats
def command(model, device, dtype, context, prompt, batch, devices, weights, kv, form: str | None = None) -> None:
    """Every operator of MODEL on DEVICE: operations, bytes, least time, and whether arithmetic or memory binds.

    \b
      $ aiinfra roofline llama-3.1-8b h100-sxm --batch 64
      scores and values  attention  32
    """
    from aiinfra import roofline
    from aiinfra.errors import BadValue
    from aiinfra.units import Quantity, byte, flop, second

    if prompt and context:
        raise BadValue("give either --context, of a decode step, or --prompt, of prompts to process")

    entry, machine = entries(model, device)
    ledger = entry.ledger(weights, kv)
    work = ledger.prefill(prompt, batch=batch) if prompt else ledger.decode(context or 8192, batch=batch)
    placed = roofline.place(roofline.operators(work), machine, dtype, devices)
    head = ("operator", "part", "layers", "flops", "bytes", "intensity", "time", "binds")
    rows = [(o.name, o.part, o.layers, o.flops, o.bytes, o.intensity, p.time, p.binds) for p in placed for o in (p.operator,)]
    shown = [
        (r[0], r[1], r[2], repr(Quantity(r[3], flop)), repr(Quantity(r[4], byte)), f"{r[5]:.4g}", repr(Quantity(r[6], second)), r[7])
        for r in rows
    ]
    total = Quantity(sum(p.time for p in placed), second, ">=")
    operators = [dict(zip(head, r, strict=True)) for r in rows]
    document = {"model": entry.key, "device": machine.key, "dtype": dtype, "devices": devices, "operators": operators}
    emit(form, "roofline", document, [Table(head, rows if form else shown)], [f"one after the other: {total!r}"])
