"""How an estimate is computed: a list of formulas, each with where its inputs come from. One point and arrays go the same way.

A name is a phase and what is meant, ``decode.memory``. A step that rests on assumptions is computed at their slow and at their
fast end, as ``decode.expected.slow`` and ``decode.expected.fast``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from aiinfra.engine.evaluate import check
from aiinfra.engine.table import table
from aiinfra.errors import BadValue

ENDS = (".slow", ".fast")


class Step(NamedTuple):
    """One formula: its result's name, its key, and for each of its symbols the name of a value, or a number."""

    name: str
    formula: str
    inputs: Mapping[str, str | int]
    ends: bool = False


def _pass(phase: str, tokens: str, least: str = "reductions", passes: str | int = 1) -> tuple[Step, ...]:
    """One pass, of a prompt or of a decode step: its clocks, its bound and its forecast."""
    p = phase + "."
    return (
        Step(p + "memory", "memory-time", {"step_bytes": p + "bytes", "devices": 1, "beta_mem": "beta_mem"}),
        Step(p + "compute", "compute-time", {"step_flops": p + "flops", "devices": 1, "peak": "peak"}),
        Step(p + "message", "reduced-vector", {"tokens": tokens, "d_model": "d_model", "b_act": "b_act"}),
        Step(p + "wire", "reduce-least-time", {"n_reduce": least, "message": p + "message", "beta_link": "beta_link"}),
        Step(p + "least.bytes", "step-bytes", {"weight_read": p + "least.weights", "kv_bytes": p + "least.state"}),
        Step(p + "least.memory", "memory-time", {"step_bytes": p + "least.bytes", "devices": 1, "beta_mem": "beta_mem"}),
        Step(p + "least.compute", "compute-time", {"step_flops": p + "least.flops", "devices": 1, "peak": "peak"}),
        Step(p + "bound", "pass-bound", {"t_mem": p + "least.memory", "t_comp": p + "least.compute", "t_wire": p + "wire"}),
        Step(p + "reduced", "all-reduce-bytes", {"devices": "tp", "message": p + "message"}),
        Step(
            p + "link", "reduce-time",
            {"n_pass": passes, "n_reduce": "reductions", "alpha_ar": "alpha_ar", "all_reduce_bytes": p + "reduced", "eta_link": "eta_link",
             "beta_link": "beta_link"},
            ends=True,
        ),
        Step(
            p + "expected", "pass-forecast",
            {"t_mem": p + "memory", "eta_mem": "eta_mem", "t_comp": p + "compute", "eta_comp": "eta_comp", "t_link": p + "link",
             "t_host": "t_host", "n_pass": passes},
            ends=True,
        ),
    )  # fmt: skip


STEPS = (
    Step("memory.workspace", "activation-bytes", {"b_act": "b_act", "tokens": "pass.tokens", "d_in": "widest.in", "d_out": "widest.out"}),
    Step(
        "memory.batch_max", "requests-that-fit",
        {"memory_share": "memory_share", "usable": "usable", "reserve": "reserve", "workspace": "memory.workspace",
         "weight_bytes": "memory.weights", "request_state": "memory.request"},
    ),
    Step(
        "memory.used", "instance-memory",
        {"weight_bytes": "memory.weights", "batch": "batch", "request_state": "memory.request", "workspace": "memory.workspace",
         "reserve": "reserve"},
    ),
    Step("memory.headroom", "headroom", {"memory_share": "memory_share", "usable": "usable", "device_bytes": "memory.used"}),
    Step(
        "memory.batch_shared", "requests-that-share",
        {"memory_share": "memory_share", "usable": "usable", "reserve": "reserve", "workspace": "memory.workspace",
         "weight_bytes": "memory.weights", "request_state": "memory.request", "own_state": "memory.own"},
    ),
    Step(
        "memory.batch_mean", "requests-on-average",
        {"memory_share": "memory_share", "usable": "usable", "reserve": "reserve", "workspace": "memory.workspace",
         "weight_bytes": "memory.weights", "mean_state": "memory.mean"},
    ),
    Step("prefill.bytes", "step-bytes", {"weight_read": "prefill.weights", "kv_bytes": "prefill.state"}),
    *_pass("prefill", "fresh", "prefill.least.reductions", "prefill.passes"),
    Step("decode.state", "batch-state-read", {"batch": "batch", "token_state": "request.state"}),
    Step("request.least.state", "shared-state-read", {"batch": "batch", "token_state": "request.state", "shared_state": "request.shared"}),
    Step("decode.least.state", "batch-state-read", {"batch": "batch", "token_state": "request.least.state"}),
    Step("decode.least.flops", "batch-flops", {"batch": "batch", "token_flops": "request.least.flops"}),
    Step("decode.flops", "batch-flops", {"batch": "batch", "token_flops": "request.flops"}),
    Step("decode.bytes", "step-bytes", {"weight_read": "decode.weights", "kv_bytes": "decode.state"}),
    *_pass("decode", "batch"),
    Step("answer.bound", "answer-time", {"t_prefill": "prefill.bound", "t_step": "decode.bound", "answer": "output"}),
    Step("answer.expected", "answer-time", {"t_prefill": "prefill.expected", "t_step": "decode.expected", "answer": "output"}, ends=True),
    Step(
        "service.rate.bound", "instance-rate-bound",
        {"prefill_flops": "prefill.least.flops", "answer": "output", "token_flops": "request.least.flops", "peak": "peak",
         "weight_read": "decode.least.weights", "batch": "batch", "token_state": "request.least.state", "beta_mem": "beta_mem"},
    ),
    Step(
        "service.rate.expected", "instance-rate",
        {"batch": "batch", "t_prefill": "prefill.expected", "answer": "output", "t_step": "decode.expected"}, ends=True,
    ),
    Step(
        "service.tpot.expected", "token-time-in-service",
        {"t_step": "decode.expected", "batch": "batch", "t_prefill": "prefill.expected", "answer": "output"}, ends=True,
    ),
    Step("service.tokens.bound", "served-token-rate", {"done_rate": "service.rate.bound", "answer": "output"}),
    Step("service.tokens.expected", "served-token-rate", {"done_rate": "service.rate.expected", "answer": "output"}, ends=True),
    Step("decode.mfu", "mfu", {"step_flops": "decode.flops", "t_step": "decode.expected", "devices": 1, "peak": "peak"}, ends=True),
    Step("decode.mbu", "mbu", {"step_bytes": "decode.bytes", "t_step": "decode.expected", "devices": 1, "beta_mem": "beta_mem"}, ends=True),
    Step("prefill.mfu", "mfu", {"step_flops": "prefill.flops", "t_step": "prefill.expected", "devices": 1, "peak": "peak"}, ends=True),
)  # fmt: skip
LINKS = ("reduce-least-time", "reduce-time")  # formulas of what only several devices do
COST = (
    Step("cost.bound", "cost-per-token", {"devices": "tp", "price": "price", "rate": "service.tokens.bound"}),
    Step("cost.expected", "cost-per-token", {"devices": "tp", "price": "price", "rate": "service.tokens.expected"}, ends=True),
)
ENERGY = (Step("energy.expected", "energy-per-token", {"devices": "tp", "power": "power", "rate": "service.tokens.expected"}, ends=True),)


def run(steps: tuple[Step, ...], values: dict, arrays: bool = False) -> None:
    """Compute all steps on numbers, or on arrays that broadcast, adding their results to the values."""
    t = table()
    functions = t.arrays() if arrays else None
    for step in steps:
        record = t.record(step.formula)
        for end in ENDS if step.ends else ("",):
            given = [_value(values, step.inputs[name], end) for name in record.inputs]
            if functions is not None:
                values[step.name + end] = functions[step.formula][0](*given)
                continue
            if record.checks:
                check(record, dict(zip(record.inputs, given, strict=True)))
            try:
                values[step.name + end] = record.point(*given)
            except (ZeroDivisionError, OverflowError):
                raise BadValue(f"{step.name}: {step.formula} has no finite value here") from None


def alone(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], dict[str, int]]:
    """The steps of one device by itself, and the times of the links, which are nothing."""
    links = tuple(step for step in steps if step.formula in LINKS)
    return tuple(step for step in steps if step not in links), dict.fromkeys(names(links), 0)


def names(steps: tuple[Step, ...]) -> set[str]:
    """The names of the results of some steps."""
    return {step.name + end for step in steps for end in (ENDS if step.ends else ("",))}


def source(values: Mapping, name: str | int, end: str) -> str:
    """The name under which a step at one end of the assumptions finds a value."""
    return f"{name}{end}" if end and f"{name}{end}" in values else str(name)


def _value(values: Mapping, name: str | int, end: str):
    return name if isinstance(name, int) else values[source(values, name, end)]
