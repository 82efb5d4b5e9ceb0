"""Where the answer turns: the batch, context, bandwidth or number of devices at which something else binds a decode step."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aiinfra.engine.formula import formula
from aiinfra.errors import AIInfraError, OutsideValidity
from aiinfra.scenario.questions import binds

if TYPE_CHECKING:
    from aiinfra.scenario.estimate import Estimate

FAR = 1 << 24  # no search goes beyond


class Flip(NamedTuple):
    """From ``at`` on, ``then`` binds in place of ``now``; None: it never does, and ``why`` says so, or that it does not fit."""

    of: str  # batch, context, bandwidth, tp
    at: float | None
    now: str
    then: str
    how: str  # solved or searched
    why: str = ""


def flips(estimate: Estimate) -> list[Flip]:
    """The turning points of the decode step's bound, one for each thing that one could change."""
    now = binds(estimate)
    found = [*_batch(estimate, now), *_context(estimate, now), *_bandwidth(estimate, now), *_devices(estimate)]
    return found


def _batch(e: Estimate, now: str):
    v = e.values
    if now == "compute":
        return
    if e.scenario.architecture.dense:
        given = {"weight_read": v["decode.weights"], "token_flops": v["request.flops"], "token_state": v["request.state"]}
        try:
            at = formula("step-balance-batch")(**given, peak=v["peak"], beta_mem=v["beta_mem"])
            yield Flip("batch", float(at), now, "compute", "solved", _room(e, float(at), e.scenario.prompt + e.scenario.output))
        except OutsideValidity:
            why = "reading a request's state takes longer than its operations"
            yield Flip("batch", None, now, "compute", "solved", why)
        return

    def crossed(batch: int) -> bool:
        read = (e.ledger.weights_read(batch) + batch * v["request.state"]) / v["beta_mem"]
        return batch * v["request.flops"] / v["peak"] >= read

    at = _first(crossed)
    why = _room(e, at, e.scenario.prompt + e.scenario.output) if at else "reading a request's state takes longer than its operations"
    yield Flip("batch", at, now, "compute", "searched", why)


def _context(e: Estimate, now: str):
    v, batch = e.values, e.values["batch"]
    if now == "state":
        return
    most = e.scenario.architecture.max_context or FAR

    def crossed(context: int) -> bool:
        state = batch * e.ledger.state_read(context)
        if state < v["decode.weights"]:
            return False
        compute = batch * e.ledger.decode(max(context, 1)).flops / v["peak"]
        return (v["decode.weights"] + state) / v["beta_mem"] >= max(compute, v["decode.wire"])

    at = _first(crossed, most)
    why = _room(e, batch, at) if at else "within the contexts that the model takes, weights, arithmetic or links take longer"
    yield Flip("context", at, now, "state", "searched", why)


def _bandwidth(e: Estimate, now: str):
    v = e.values
    if now in ("weights", "state"):
        others = {"compute": v["decode.compute"], "links": v["decode.wire"]}
        then = max(others, key=others.get)
        yield Flip("bandwidth", v["decode.memory"] / others[then] * v["beta_mem"], now, then, "solved")


def _devices(e: Estimate):
    s = e.scenario
    domain = int(s.hardware.link_domain.value) if s.hardware.link_domain else 1
    for tp in range(max(2, s.tp), domain + 1):
        try:
            other = s.but(tp=tp).estimate(strict=False)
        except AIInfraError:
            continue
        if other.values["decode.link.slow"] > other.values["decode.expected.slow"] / 2:
            yield Flip("tp", tp, "reading or arithmetic", "the exchange, at the slow end of what is expected", "searched")
            return


def _room(e: Estimate, batch: float, context: int) -> str:
    """Says so where so many requests of such a length do not fit into memory."""
    room = e.values["memory.headroom"] + e.values["batch"] * e.values["memory.request"]
    return "" if batch * e.ledger.paged(context, block=e.scenario.page) <= room else "more than fits into memory"


def _first(crossed, most: int = FAR) -> int | None:
    """The first whole number at which something holds that then goes on holding."""
    if not crossed(most):
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if crossed(middle) else (middle, high)
    return high
