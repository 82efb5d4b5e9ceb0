"""What fits: the largest batch and the longest context, and what to change where a scenario does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiinfra.errors import AIInfraError
from aiinfra.formats import format_of
from aiinfra.units import Quantity, byte

if TYPE_CHECKING:
    from aiinfra.scenario.estimate import Estimate
    from aiinfra.scenario.inputs import Scenario


CHUNKS = (4096, 2048, 1024, 512, 256)  # sizes of the largest pass that are tried, the smallest change first


def explain(estimate: Estimate) -> str:
    """Why a scenario does not fit: by how much, and the smallest changes that would do, in one line."""
    s, v = estimate.scenario, estimate.values
    over, budget = Quantity(-v["memory.headroom"], byte), Quantity(v["memory_share"] * v["usable"], byte)
    parts = (("weights", "memory.weights"), ("workspace", "memory.workspace"))
    state = Quantity(v["batch"] * v["memory.request"], byte)
    of = ", ".join(f"{what} {Quantity(v[name], byte).text()}" for what, name in parts) + f", state {state.text()}"
    ways = list(changes(s, int(v["memory.batch_max"])))
    able = f"; it fits with {', or '.join(ways)}" if ways else "; no single change of tp, batch, lengths or formats makes it fit"
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
    if s.chunk > 256:
        smaller = next((n for n in CHUNKS if n < s.chunk and _fits(s, chunk=n)), None)
        if smaller:
            yield f"chunk = {smaller:,}"
    shorter = _shorter(s)
    if shorter:
        yield f"prompt <= {shorter:,}"
    if not isinstance(s.assume.get("memory_share"), (list, tuple)):
        share = next((p / 100 for p in range(1, 99) if p / 100 > s.assumptions["memory_share"].slow and _share(s, p / 100)), None)
        if share:
            yield f"memory_share = {share:.2f}"
    for name in ("weights", "kv"):
        for to in ("fp8", "int4-group128") if name == "weights" else ("fp8",):
            present = getattr(s, name)
            if (present is None or format_of(present).element > format_of(to).element) and _fits(s, **{name: to}):
                yield f"{name} = {to}"
                break


def _share(s: Scenario, share: float) -> bool:
    return _fits(s, assume={**s.assume, "memory_share": share})


def _shorter(s: Scenario) -> int:
    """The longest prompt that fits; 0 where none does."""
    low, high = 0, s.prompt - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(s, prompt=middle) else (low, middle - 1)
    return low


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
