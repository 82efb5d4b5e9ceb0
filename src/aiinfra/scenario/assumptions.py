"""What an estimate assumes of kernels, links and engines: each a slow and a fast value with the measurements behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from aiinfra import catalog
from aiinfra.engine.evaluate import clean
from aiinfra.engine.formula import formula
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, brief, unknown

if TYPE_CHECKING:
    from aiinfra.catalog import Device

ASSUMED = "assumed"
SHARES = ("eta_mem", "eta_comp", "eta_link", "memory_share")


@dataclass(frozen=True, slots=True)
class Assumption:
    """A quantity that no data sheet gives, from its slow to its fast end, in base units."""

    symbol: str
    slow: float
    fast: float
    why: str
    source: str  # keys of measurements or of the bibliography

    def __str__(self) -> str:
        return f"{self.slow:.4g}" if self.slow == self.fast else f"{self.slow:.4g} to {self.fast:.4g}"


def _measured(key: str) -> float:
    return float(catalog.measurement(key).value)


@lru_cache(maxsize=1)
def defaults() -> dict[str, Assumption]:
    """The assumptions that hold unless a scenario says otherwise, by symbol.

    >>> 0.6 < defaults()["eta_mem"].slow < defaults()["eta_mem"].fast < 1
    True
    """
    h100, whole = catalog.device("h100-sxm"), catalog.measurement("gptfast-llama3.1-8b-tp1-bf16")
    beta, peak = h100.memory_bandwidth.value, h100.peak("bf16").value
    entries, context = (catalog.model(whole.model), catalog.device(whole.device)), whole.prompt + whole.answer // 2
    step = formula("mbu")(*entries, batch=1, context=context, devices=1, t_step=1 / float(whole.value))
    found = (
        Assumption(
            "eta_mem", float(step), _measured("trtllm-h100-gemv-65536x16384-bf16") / float(beta),
            "share of the memory bandwidth: whole decode steps at the slow end, one large matrix-vector product at the fast end",
            "gptfast-llama3.1-8b-tp1-bf16, trtllm-h100-gemv-65536x16384-bf16",
        ),
        Assumption(
            "eta_comp", _measured("llama3-405b-training-16384-long") / float(peak),
            _measured("trtllm-h100-gemm-8192x10240x8192-bf16") / float(peak),
            "share of the dense peak: a whole training step at the slow end, one large matrix product at the fast end",
            "llama3-405b-training-16384-long, trtllm-h100-gemm-8192x10240x8192-bf16",
        ),
        Assumption(
            "eta_link", 336 / 448, _measured("nccl-h100-allreduce-ring") / float(h100.link_bandwidth.value),
            "share of the link bandwidth that a ring reaches", "nccl-h100-allreduce-ring",
        ),
        Assumption(
            "alpha_ar", _measured("nccl-h100-8-allreduce-16kib"), _measured("trtllm-h100-8-allreduce-16kib"),
            "time of a short all-reduce: a general library at the slow end, an engine's own kernel at the fast end",
            "nccl-h100-8-allreduce-16kib, trtllm-h100-8-allreduce-16kib",
        ),
        Assumption(
            "t_host", _rest(float(step)), 0,
            "time of a pass in which devices wait for their host: what remains of a small model's step on eight devices at the slow end; "
            "none at the fast end: an engine can prepare the next step meanwhile",
            "gptfast-llama3.1-8b-tp8-bf16",
        ),
        Assumption("memory_share", 0.92, 0.92, "share of a device's memory that the engine takes: vLLM's default", "vllm2026config"),
        Assumption("reserve", 0, 0, "memory for the runtime beside weights, state and workspace, inside that share", ASSUMED),
    )  # fmt: skip
    return {a.symbol: a for a in found}


def _rest(share: float) -> float:
    """What a measured step of a small model on eight devices takes beyond reading and exchange at the slow end."""
    m = catalog.measurement("gptfast-llama3.1-8b-tp8-bf16")
    entries, context = (catalog.model(m.model), catalog.device(m.device)), m.prompt + m.answer // 2
    reading = float(formula("memory-time")(*entries, batch=1, context=context, devices=m.devices)) / share
    short = _measured("nccl-h100-8-allreduce-16kib")
    return 1 / float(m.value) - reading - 2 * catalog.model(m.model).architecture.n_layer * short


def of(device: Device, given: Mapping[str, object]) -> dict[str, Assumption]:
    """The assumptions of a scenario: a number, or a pair (slow, fast), in place of the default."""
    found = dict(defaults())
    for name, value in given.items():
        if name not in found:
            raise unknown("assumption", name, found)
        pair = value if isinstance(value, (list, tuple)) else (value, value)
        if len(pair) != 2:
            raise BadValue(f"{name} = {brief(value)}: must be a number, or two: slow and fast")
        slow, fast = (clean(table().symbols[name], v) for v in pair)
        if name in SHARES and not 0 < min(slow, fast) <= max(slow, fast) <= 1:
            raise BadValue(f"{name} = {brief(value)}: must be a share above 0 and at most 1")
        found[name] = Assumption(name, slow, fast, "given", "given")
    return found
