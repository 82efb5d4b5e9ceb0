"""What fits: the largest batch and the longest context, and what to change where a scenario does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiinfra.errors import AIInfraError
from aiinfra.formats import format_of
from aiinfra.units import Quantity, byte

if TYPE_CHECKING:
    from aiinfra.scenario.estimate import Estimate
    from aiinfra.scenario.inputs import Scenario


def explain(estimate: Estimate) -> str:
    """Why a scenario does not fit: by how much, and the smallest changes that would do, in one line."""
    s, v = estimate.scenario, estimate.values
    over, budget = Quantity(-v["memory.headroom"], byte), Quantity(v["memory_share"] * v["usable"], byte)
    parts = (("weights", "memory.weights"), ("workspace", "memory.workspace"))
    state = Quantity(v["batch"] * v["memory.request"], byte)
    of = ", ".join(f"{what} {Quantity(v[name], byte).text()}" for what, name in parts) + f", state {state.text()}"
    ways = list(changes(s, int(v["memory.batch_max"])))
    able = f"; it fits with {', or '.join(ways)}" if ways else "; no single change of tp, batch or formats makes it fit"
    return f"{s.architecture.key} on {s.tp} x {s.hardware.key}: needs {over.text()} more than the {budget.text()} of a device ({of}){able}"


def changes(s: Scenario, most: int):
    """Single changes that make a scenario fit, the smallest of each kind."""
    if most >= 1:
        yield f"batch <= {most:,}"
    domain = int(s.hardware.link_domain.value) if s.hardware.link_domain else 1
    for tp in range(s.tp + 1, domain + 1):
        if _fits(s, tp=tp):
            yield f"tp = {tp}"
            break
    for name in ("weights", "kv"):
        for to in ("fp8", "int4-group128") if name == "weights" else ("fp8",):
            present = getattr(s, name)
            if (present is None or format_of(present).element > format_of(to).element) and _fits(s, **{name: to}):
                yield f"{name} = {to}"
                break


def _fits(s: Scenario, **change) -> bool:
    try:
        return s.but(**change).estimate(strict=False).fits
    except AIInfraError:
        return False


def longest_context(estimate: Estimate) -> int:
    """The most tokens, prompt and answer, that every request of the batch may hold; 0 where none fits."""
    v, ledger, page = estimate.values, estimate.ledger, estimate.scenario.page
    room = v["memory.headroom"] + v["batch"] * v["memory.request"]
    low, high = 0, estimate.scenario.architecture.max_context or 10**9
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if v["batch"] * ledger.paged(middle, block=page) <= room else (low, middle - 1)
    return low
