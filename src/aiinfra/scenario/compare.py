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

RATES = ("service.tokens.bound", "service.tokens.expected.slow", "service.tokens.expected.fast")  # of one instance


class Change(NamedTuple):
    """A value in the first and in the second deployment; ``factor`` is the second over the first, where both are numbers."""

    name: str
    first: Quantity | object
    second: Quantity | object
    factor: float | None


class Comparison(NamedTuple):
    """``inputs`` that differ, ``causes``: values of catalogue and ledger that differ with them, and ``results`` of one instance.

    Where ``tp`` or ``replicas`` differ, an instance is not the same thing in both: ``per_device`` and ``all_replicas`` give its rates
    for what is.
    """

    inputs: tuple[Change, ...]
    causes: tuple[Change, ...]
    results: tuple[Change, ...]
    binds: tuple[Change, ...]  # what binds each phase, where that changed
    per_device: tuple[Change, ...] = ()
    all_replicas: tuple[Change, ...] = ()


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
    per_device = all_replicas = ()
    if (a.tp, a.replicas) != (b.tp, b.replicas):
        per_device = tuple(_scaled(n, first[n] / a.tp, second[n] / b.tp) for n in RATES)
        all_replicas = tuple(_scaled(n, first[n] * a.replicas, second[n] * b.replicas) for n in RATES)
    return Comparison(tuple(inputs), tuple(causes), tuple(results), tuple(binds), per_device, all_replicas)


def _scaled(name: str, x: Quantity, y: Quantity) -> Change:
    return Change(name, x, y, y.value / x.value if x.value else None)


def _same(x: object, y: object) -> bool:
    try:
        return bool(x == y)
    except (TypeError, ValueError):
        return False


def _change(name: str, first: Estimate, second: Estimate) -> Change:
    x, y = first.values[name], second.values[name]
    return Change(name, first[name], second[name], y / x if x else None)
