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
WHAT = {
    "eta_mem": "share of the memory bandwidth: whole decode steps at the slow end, one large matrix-vector product at the fast end",
    "eta_comp": "share of the dense peak: a whole training step at the slow end, one large matrix product at the fast end",
    "eta_link": "share of the link bandwidth that a collective reaches",
}
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
            WHAT["eta_mem"],
            "gptfast-llama3.1-8b-tp1-bf16, trtllm-h100-gemv-65536x16384-bf16",
        ),
        Assumption(
            "eta_comp", _measured("llama3-405b-training-16384-long") / float(peak),
            _measured("trtllm-h100-gemm-8192x10240x8192-bf16") / float(peak),
            WHAT["eta_comp"],
            "llama3-405b-training-16384-long, trtllm-h100-gemm-8192x10240x8192-bf16",
        ),
        Assumption(
            "eta_link", _measured("nccl-h200-8-allreduce-8gib-ring") / float(h100.link_bandwidth.value.value),
            _measured("nccl-h100-allreduce-ring") / float(h100.link_bandwidth.value.value),
            WHAT["eta_link"], "nccl-h200-8-allreduce-8gib-ring, nccl-h100-allreduce-ring",
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


FIXED = {  # measurements of the times that do not depend on how much is moved
    "alpha_ar": ("nccl-h100-8-allreduce-16kib", "trtllm-h100-8-allreduce-16kib"), "t_host": ("gptfast-llama3.1-8b-tp8-bf16",),
}  # fmt: skip


def elsewhere(found: Mapping[str, Assumption], device: Device, tp: int) -> tuple[str, ...]:
    """A line where fixed times that count were measured on other devices only."""
    named = [name for name in FIXED if found[name].source != "given" and (tp > 1 or name == "t_host")]
    devices = dict.fromkeys(catalog.measurement(key).device for name in named for key in FIXED[name])
    return (f"{' and '.join(named)}: measured on {', '.join(devices)}, not on {device.key}",) if named and device.key not in devices else ()


@lru_cache(maxsize=256)
def achieved(device: Device, dtype: str) -> dict[str, Assumption]:
    """Shares that were measured on the device itself, which take the place of the defaults.

    A product or a copy that is measured alone is the fast end. Whole steps reach less, so that the slow end is the default's,
    where that is lower; links, which a collective has for itself, go from the least to the most that was measured.
    """
    found = {}
    for symbol, what in (("eta_mem", "memory"), ("eta_comp", "matrix"), ("eta_link", "link")):
        records = [a for a in device.achieved if a.what == what and (what != "matrix" or a.input == dtype)]
        rated = device.rated(what, dtype)
        if not records or rated is None:
            continue
        shares = [min(float(a.value.value) / float(rated.value.value), 1.0) for a in records]
        slow = min(shares) if what == "link" else min(*shares, defaults()[symbol].slow)
        sources = ", ".join(dict.fromkeys(a.source for a in records))
        found[symbol] = Assumption(symbol, slow, max(shares), f"{WHAT[symbol]} on {device.key}", sources)
    return found


def of(device: Device, dtype: str, given: Mapping[str, object]) -> dict[str, Assumption]:
    """The assumptions of a scenario: a number, or a pair (slow, fast), in place of what was measured on the device, or by default."""
    found = defaults() | achieved(device, dtype)
    for name, value in given.items():
        if name not in found:
            raise unknown("assumption", name, found)
        pair = value if isinstance(value, (list, tuple)) else (value, value)
        if len(pair) != 2:
            raise BadValue(f"{name} = {brief(value)}: must be a number, or two: slow and fast")
        slow, fast = (clean(table().symbols[name], v) for v in pair)
        if name in SHARES and not 0 < min(slow, fast) <= max(slow, fast) <= 1:
            raise BadValue(f"{name} = {brief(value)}: must be a share above 0 and at most 1")
        if (slow > fast) if name.startswith("eta") else (slow < fast and name in ("alpha_ar", "t_host")):
            raise BadValue(f"{name} = {brief(value)}: the slow end comes first, and it is not slower")
        found[name] = Assumption(name, slow, fast, "given", "given")
    return found
