"""Two deployments side by side: what was changed, what follows for every result, and through which values."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from aiinfra.scenario.estimate import Estimate
    from aiinfra.units import Quantity

SHOWN = (
    "memory.used", "memory.batch_max", "prefill.bound", "prefill.expected.slow", "prefill.expected.fast", "decode.bound",
    "decode.expected.slow", "decode.expected.fast", "service.tpot.expected.slow", "service.tpot.expected.fast", "service.tokens.bound",
    "service.tokens.expected.slow", "service.tokens.expected.fast", "cost.bound", "cost.expected.slow", "cost.expected.fast",
)  # fmt: skip


class Change(NamedTuple):
    """A value in the first and in the second deployment; ``factor`` is the second over the first, where both are numbers."""

    name: str
    first: Quantity | object
    second: Quantity | object
    factor: float | None


class Comparison(NamedTuple):
    """``inputs`` that differ, ``causes``: values of catalogue and ledger that differ with them, and ``results``."""

    inputs: tuple[Change, ...]
    causes: tuple[Change, ...]
    results: tuple[Change, ...]
    binds: tuple[Change, ...]  # what binds each phase, where that changed


def compare(first: Estimate, second: Estimate) -> Comparison:
    """What changed between two estimates, and why.

    >>> from aiinfra.scenario import Scenario
    >>> one = Scenario(model="llama-3.1-8b", device="h100-sxm")
    >>> found = compare(one.estimate(), one.but(device="h200-sxm").estimate())
    >>> [change.name for change in found.inputs], [change.name for change in found.causes if change.name == "beta_mem"]
    (['device'], ['beta_mem'])
    """
    a, b = first.scenario, second.scenario
    inputs = [
        Change(f.name, x, y, None) for f in fields(a) if (x := getattr(a, f.name)) is not (y := getattr(b, f.name)) and not _same(x, y)
    ]
    given = [n for n in first if n in second.values and first.step(n) is None and second.step(n) is None]
    causes = [_change(n, first, second) for n in given if first.values[n] != second.values[n] and n not in {c.name for c in inputs}]
    results = [_change(n, first, second) for n in SHOWN if n in first.values and n in second.values]
    binds = [Change(f"{p}: what binds", x, y, None) for p in ("prefill", "decode") if (x := first.binds(p)) != (y := second.binds(p))]
    return Comparison(tuple(inputs), tuple(causes), tuple(results), tuple(binds))


def _same(x: object, y: object) -> bool:
    try:
        return bool(x == y)
    except (TypeError, ValueError):
        return False


def _change(name: str, first: Estimate, second: Estimate) -> Change:
    x, y = first.values[name], second.values[name]
    return Change(name, first[name], second[name], y / x if x else None)
