"""The operators of a pass held against a device: which of arithmetic and memory binds each.

>>> from aiinfra import device, model, roofline
>>> work = model("llama-3.1-70b").ledger().decode(context=8192, batch=64)
>>> for placed in roofline.place(roofline.operators(work), device("h100-sxm"), "bf16")[3:5]:
...     print(placed.operator.name, placed.binds, f"{placed.operator.intensity:.1f}")
q_proj memory 63.0
k_proj memory 59.8
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from aiinfra.engine.table import table
from aiinfra.errors import BadValue, MissingInput, brief
from aiinfra.formats import bytes_of

if TYPE_CHECKING:
    from aiinfra.architecture.ledger import Entry, Work
    from aiinfra.catalog import Device


class Operator(NamedTuple):
    """What one operator does in a pass, in all ``layers`` that have it: operations, and bytes that must pass through memory."""

    name: str
    part: str
    layers: int
    flops: int
    weights: float  # bytes read, each once
    state: float  # bytes of state read and written
    activations: float  # bytes of vectors read and written

    @property
    def bytes(self) -> float:
        """All bytes that pass through memory."""
        return self.weights + self.state + self.activations

    @property
    def intensity(self) -> float:
        """Operations for each byte."""
        return self.flops / self.bytes


class Placed(NamedTuple):
    """An operator on a device: the two times that bound it from below, in seconds, for all its layers."""

    operator: Operator
    compute: float
    memory: float

    @property
    def time(self) -> float:
        """The longer of both: no implementation is faster that moves each byte through memory."""
        return max(self.compute, self.memory)

    @property
    def binds(self) -> str:
        """``compute`` or ``memory``."""
        return "compute" if self.compute > self.memory else "memory"


def operators(work: Work, activations: str = "bf16", fused: bool = False) -> tuple[Operator, ...]:
    """The operators of a pass: matrices, scores and values, recurrences, norms; the same operators of different layers together.

    Biases and other vectors that belong to an operator's neighbours are one entry of their own, so that all bytes of the pass
    are counted. ``fused``: vectors between operators never pass through memory; only weights and state count.
    """
    b_act = 0 if fused else bytes_of(activations)
    found: dict[tuple[str, str], Operator] = {}
    for entry in work.entries:
        row = entry.row
        beside = row.kind == "vector" and row.part != "norm"
        name, part = ("vectors", "other") if beside else (row.name, row.part)
        moved = 0 if beside else _moved(entry, b_act)
        one = Operator(name, part, row.layers, entry.flops, entry.read, entry.state + entry.written, moved)
        same = found.get((part, name))
        if same is not None:
            layers = same.layers if beside else same.layers + one.layers
            one = Operator(name, part, layers, *(a + b for a, b in zip(same[3:], one[3:], strict=True)))
        found[part, name] = one
    return tuple(found.values())


def place(found: Iterable[Operator], device: Device, dtype: str, devices: int = 1) -> tuple[Placed, ...]:
    """Each operator's times at rated bandwidth and at the dense peak of ``dtype``, split evenly over ``devices``.

    A device whose peak or bandwidth is not published is refused by `MissingInput`, which names the field.
    """
    if isinstance(devices, bool) or not isinstance(devices, int) or devices < 1:
        raise BadValue(f"devices = {brief(devices)}: must be a whole number above zero")
    values = device.symbols(dtype) | {"devices": devices}
    for name in ("peak", "beta_mem"):
        if name not in values:
            raise MissingInput(device.lacks(name, dtype))
    compute, memory = table().record("compute-time"), table().record("memory-time")
    given_compute, given_memory = [values.get(n) for n in compute.inputs], [values.get(n) for n in memory.inputs]
    at_flops, at_bytes = compute.inputs.index("step_flops"), memory.inputs.index("step_bytes")
    placed = []
    for operator in found:
        given_compute[at_flops], given_memory[at_bytes] = operator.flops, operator.weights + operator.state + operator.activations
        placed.append(Placed(operator, compute.point(*given_compute), memory.point(*given_memory)))
    return tuple(placed)


def _moved(entry: Entry, b_act: float) -> float:
    """Bytes of an operator's inputs and outputs, all its layers."""
    row, value = entry.row, entry.row.value
    if row.kind in ("matrix", "product"):
        widths = value(row.d_in), value(row.d_out)
    elif row.kind == "table":
        widths = 0, value(row.d_out)
    elif row.kind in ("convolution", "vector"):
        widths = value(row.d_out), value(row.d_out)
    elif row.kind == "attention":
        widths = value("n_q") * value(row.d_key), value("n_q") * value(row.d_value)
    elif row.kind == "index":
        widths = value("n_index*d_index"), 0
    else:  # a recurrence
        widths = value("2*n_rec_k*d_rec_k+n_rec*d_rec_v"), value("n_rec*d_rec_v")
    record = table().record("activation-bytes")
    given = {"b_act": b_act, "tokens": entry.tokens * value(row.used), "d_in": widths[0], "d_out": widths[1]}
    return record.point(*[given[name] for name in record.inputs]) * row.layers
