"""The five questions of a deployment: what moves, how much, how many times, through which path, and who waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aiinfra.engine.table import table
from aiinfra.units import Quantity, byte, flop, second

if TYPE_CHECKING:
    from aiinfra.scenario.estimate import Estimate


class Line(NamedTuple):
    """One row of the ledger of one device: ``amount`` each time, so many ``times`` for a request, at rated speed in ``time`` each time."""

    phase: str
    what: str
    amount: Quantity
    times: int
    path: str
    time: Quantity
    waits: str


def lines(estimate: Estimate) -> list[Line]:
    """Load, prefill and decode of one device of an instance; of decoding, the steps of one batch."""
    s, v = estimate.scenario, estimate.values
    steps, chunks = s.output - 1, v["prefill.passes"]
    found = []

    def add(phase: str, what: str, amount: float, unit, times: int, path: str, rate: float, waits: str) -> None:
        if amount:
            key, left, right = ("compute-time", "step_flops", "peak") if unit is flop else ("transfer-time", "data", "beta")
            record = table().record(key)
            given = {left: amount, right: rate, "devices": 1}
            time = Quantity(record.point(*[given[name] for name in record.inputs]), second, ">=")
            found.append(Line(phase, what, Quantity(amount, unit), times, path, time, waits))

    host = s.hardware.host_link_bandwidth
    if host is not None:
        add("load", "weights", v["memory.weights"], byte, 1, "host link", host.value.value, "everyone, before the first request")
    waits = "the first token, and every step between"
    add("prefill", "weights", v["prefill.weights"] / chunks, byte, chunks, "memory", v["beta_mem"], waits)
    add("prefill", "state of earlier tokens", v["prefill.state"] / chunks, byte, chunks, "memory", v["beta_mem"], "the first token")
    add("prefill", "operations", v["prefill.flops"], flop, 1, "arithmetic", v["peak"], waits)
    add("decode", "weights", v["decode.weights"], byte, steps, "memory", v["beta_mem"], "all requests of the batch")
    add("decode", "state", v["decode.state"], byte, steps, "memory", v["beta_mem"], "all requests of the batch")
    add("decode", "operations", v["decode.flops"], flop, steps, "arithmetic", v["peak"], "all requests of the batch")
    if s.tp > 1:
        for phase, times in (("prefill", 1), ("decode", steps)):
            size, rounds = v[f"{phase}.reduced"], v["reductions"] * times
            add(phase, "vectors to reduce", size, byte, rounds, "scale-up link", v["beta_link"], "all devices, in each layer")
    order = {"load": 0, "prefill": 1, "decode": 2}
    return sorted(found, key=lambda line: order[line.phase])


def binds(estimate: Estimate, phase: str = "decode") -> str:
    """What takes longest in a pass at rated speeds, by what is expected to be read: ``weights``, ``state`` (both are reading), ``compute``
    or ``links``."""
    v = estimate.values
    clocks = {"memory": v[f"{phase}.memory"], "compute": v[f"{phase}.compute"], "links": v[f"{phase}.wire"]}
    most = max(clocks, key=clocks.get)
    if most != "memory":
        return most
    return "weights" if v[f"{phase}.weights"] >= v[f"{phase}.state"] else "state"
