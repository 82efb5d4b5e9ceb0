"""Published serving measurements beside what a scenario of the same kind gives: a bound, and a range that is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from aiinfra import catalog
from aiinfra.catalog import Measurement
from aiinfra.scenario.estimate import Estimate
from aiinfra.scenario.inputs import Scenario
from aiinfra.units import Quantity


class Compared(NamedTuple):
    """A measurement, what bounds it, and what was expected; ``share`` is how much of the bound was reached."""

    measurement: Measurement
    bound: Quantity
    slow: Quantity
    fast: Quantity
    share: float

    @property
    def possible(self) -> bool:
        """Whether the measurement is within the bound; one that is not refutes the bound, or is not what it says."""
        return self.share <= 1

    @property
    def foreseen(self) -> bool:
        """Whether it lies in the range that was expected."""
        low, high = sorted((self.slow.value, self.fast.value))
        return low <= self.measurement.value.value <= high


def _one_user(e: Estimate, end: str) -> float:
    return e.values["output"] / e.values[f"answer.{end}"]


def _step(e: Estimate, end: str) -> float:
    return e.values[f"decode.{end}"]


def _together(e: Estimate, end: str) -> float:
    return e.values[f"service.tokens.{end}"]


def _whole(e: Estimate, end: str) -> float:
    return e.values[f"answer.{end}"]


# what was measured -> the result that it is, and whether less is better
KINDS: dict[str, tuple[Callable[[Estimate, str], float], bool]] = {
    "answer tokens per second of one user": (_one_user, False),
    "answer tokens per second of all requests together": (_together, False),
    "mean time between two answer tokens of one request": (_step, True),
    "time of one batch: prefill of 32 and 128 answer tokens": (_whole, True),
}


def scenario(m: Measurement, **more) -> Scenario:
    """The scenario that a measurement describes; where a source does not say how many requests ran together, as many as fit, or one."""
    together = m.what == "answer tokens per second of all requests together"
    given = {"batch": m.batch or ("max" if together else 1), "prompt": m.prompt, "output": m.answer, "tp": m.devices or 1}
    return Scenario(model=m.model, device=m.device, weights=m.weights, kv=m.kv, **given | more)


def _freest(m: Measurement) -> Estimate:
    """The scenario with all of the memory and, where as many run as fit, requests admitted at their mean length."""
    free = {"assume": {"memory_share": 1}, "chunk": 1}
    if m.batch or m.what != "answer tokens per second of all requests together":
        return scenario(m, **free).estimate()
    most = int(scenario(m, batch=1, **free).estimate().values["memory.batch_mean"])
    return scenario(m, batch=most, **free).estimate(strict=False)


def compare(m: Measurement) -> Compared:
    """A measurement beside its scenario."""
    result, less = KINDS[m.what]
    # a bound must hold for any engine: it may take all of the memory
    bound = result(_freest(m), "bound")
    expected = scenario(m).estimate()
    slow, fast = result(expected, "expected.slow"), result(expected, "expected.fast")
    measured, unit = m.value.value, m.value.unit
    share = bound / measured if less else measured / bound
    return Compared(m, Quantity(bound, unit, ">=" if less else "<="), Quantity(slow, unit, "~"), Quantity(fast, unit, "~"), float(share))


def comparable() -> list[Measurement]:
    """The measurements of the catalogue that describe a deployment."""
    return [m for m in catalog.measurements().values() if m.what in KINDS and m.model and m.device]
