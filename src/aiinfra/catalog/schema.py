"""What a catalogue entry holds. One record per value: what it is, who says so, where, and when it was read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from aiinfra.errors import MissingInput
from aiinfra.formats import bytes_of
from aiinfra.units import Quantity

KINDS = ("datasheet", "config", "paper", "card", "derived", "measured")


@dataclass(frozen=True, slots=True)
class Value:
    """A value with its provenance; ``value`` is a `Quantity`, a whole number, a bool or a word."""

    value: object
    source: str
    at: str
    read: str
    kind: str
    verified: bool
    note: str = ""
    derivation: str = ""

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Peak:
    """A peak rate for one input format, accumulator and sparsity; dense and sparse are never one entry."""

    input: str
    accumulate: str
    sparse: bool
    unit_kind: str
    rate: Value


def _sourced(unit: str, *, required: bool = True):
    """A field that holds a `Value`; ``unit`` is a unit text, or ``count``, ``flag`` or ``word``."""
    extra = {} if required else {"default": None}
    return field(metadata={"unit": unit}, **extra)


@dataclass(frozen=True)
class Model:
    """A dense decoder: its shape and the format of its published weights."""

    kind = "model"
    key: str
    name: str
    vendor: str
    family: str
    n_param: Value = _sourced("count")
    n_layer: Value = _sourced("count")
    d_model: Value = _sourced("count")
    n_q: Value = _sourced("count")
    n_kv: Value = _sourced("count")
    d_head: Value = _sourced("count")
    d_ff: Value = _sourced("count")
    vocab: Value = _sourced("count")
    max_context: Value = _sourced("count")
    tied: Value = _sourced("flag")
    dtype: Value = _sourced("word")  # format of the published weights

    def source_of(self, symbol: str) -> Value | None:
        """Where the value of a symbol comes from."""
        if symbol in ("b_w", "b_kv", "b_act"):
            return self.dtype
        return self.tied if symbol == "untied" else getattr(self, symbol, None)

    def lacks(self, symbol: str, dtype: str | None = None) -> str:
        """Why the entry does not supply one of its own symbols: a model always does."""
        return ""

    def symbols(self, dtype: str | None = None) -> dict:
        """Values by symbol name; a new mapping each time."""
        return dict(self._symbols)

    @cached_property
    def _symbols(self) -> dict:
        counts = ("n_param", "n_layer", "d_model", "n_q", "n_kv", "d_head", "vocab")
        element = bytes_of(self.dtype.value)
        found = {name: getattr(self, name).value for name in counts}
        return found | {"untied": int(not self.tied.value), "b_w": element, "b_kv": element, "b_act": element}

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"model({self.key!r})"


@dataclass(frozen=True)
class Device:
    """An accelerator. Link bandwidths count one direction; a field that the vendor does not publish is None."""

    kind = "device"
    key: str
    name: str
    vendor: str
    family: str
    peaks: tuple[Peak, ...]
    year: Value | None = _sourced("count", required=False)
    capacity: Value | None = _sourced("B", required=False)
    capacity_usable: Value | None = _sourced("B", required=False)
    memory_bandwidth: Value | None = _sourced("B/s", required=False)
    link_bandwidth: Value | None = _sourced("B/s", required=False)
    link_domain: Value | None = _sourced("count", required=False)
    host_link_bandwidth: Value | None = _sourced("B/s", required=False)
    power: Value | None = _sourced("W", required=False)

    # symbol of the book <- field
    FIELDS = MappingProxyType(
        {
            "capacity": "capacity",
            "usable": "capacity_usable",
            "beta_mem": "memory_bandwidth",
            "beta_link": "link_bandwidth",
            "power": "power",
        }
    )

    def peak(self, dtype: str, *, accumulate: str | None = None, sparse: bool = False) -> Value:
        """The peak rate of a format on matrix units, else on vector units; dense unless asked otherwise.

        Where several accumulators are published, FP32 (INT32 for integers) is meant unless one is named.
        """
        found = [p for p in self.peaks if p.input == dtype and p.sparse == sparse and accumulate in (None, p.accumulate)]
        found.sort(key=lambda p: (p.unit_kind != "tensor", p.accumulate not in ("fp32", "int32")))
        if not found:
            have = sorted({f"{p.input}{' sparse' if p.sparse else ''}" for p in self.peaks})
            what = f"peak {'sparse' if sparse else 'dense'} {dtype}" + (f" with {accumulate} accumulator" if accumulate else "")
            raise MissingInput(f"{self.key} has no published {what}; it has {', '.join(have) or 'none'}")
        return found[0].rate

    def source_of(self, symbol: str, dtype: str | None = None) -> Value | None:
        """Where the value of a symbol comes from."""
        if symbol == "peak":
            return self.peak(dtype) if dtype else None
        return getattr(self, self.FIELDS[symbol]) if symbol in self.FIELDS else None

    def lacks(self, symbol: str, dtype: str | None = None) -> str:
        """Why the device does not supply one of its own symbols, in words; empty where it is not its to supply."""
        if symbol == "peak":
            if dtype is None:
                return f"dtype= says which peak of {self.key} is meant"
            try:
                self.peak(dtype)
            except MissingInput as error:
                return str(error)
        if symbol in self.FIELDS and getattr(self, self.FIELDS[symbol]) is None:
            return f"{self.key} has no published {self.FIELDS[symbol].replace('_', ' ')}"
        return ""

    def symbols(self, dtype: str | None = None) -> dict:
        """Values by symbol name, with the dense peak of ``dtype`` where there is one; a new mapping each time."""
        if dtype not in self._by_dtype:
            self._by_dtype[dtype] = self._collect(dtype)
        return dict(self._by_dtype[dtype])

    @cached_property
    def _by_dtype(self) -> dict:
        return {}

    def _collect(self, dtype: str | None) -> dict:
        found = {}
        for symbol, name in self.FIELDS.items():
            value = getattr(self, name)
            if value is not None:
                found[symbol] = value.value.value
        if dtype is not None:
            bytes_of(dtype)  # an unknown format is an error, a known one without a peak leaves the symbol open
            if any(p.input == dtype and not p.sparse for p in self.peaks):
                found["peak"] = self.peak(dtype).value.value
        return found

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"device({self.key!r})"


@dataclass(frozen=True)
class Measurement:
    """A published measurement with the inputs that its source states."""

    key: str
    what: str
    value: Quantity
    source: str
    at: str
    read: str
    verified: bool
    note: str = ""
    model: str | None = None
    device: str | None = None
    devices: int | None = None
    weights: str | None = None
    kv: str | None = None
    dtype: str | None = None
    batch: int | None = None
    prompt: int | None = None
    answer: int | None = None
    context: int | None = None
    size: Quantity | None = None
