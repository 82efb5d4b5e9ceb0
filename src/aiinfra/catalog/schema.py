"""What a catalogue entry holds. One record per value: what it is, who says so, where, and when it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from aiinfra.errors import MissingInput
from aiinfra.formats import bytes_of
from aiinfra.units import Quantity, parse

if TYPE_CHECKING:
    from aiinfra.architecture import Architecture

KINDS = ("datasheet", "config", "paper", "card", "derived", "measured")


@dataclass(frozen=True, slots=True)
class Also:
    """What another source gives for a value; the value that the book takes is that of its `Value`."""

    value: object
    source: str
    at: str
    read: str
    note: str = ""

    def __str__(self) -> str:
        return printed(self.value)


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
    also: tuple[Also, ...] = ()

    def __str__(self) -> str:
        return str(self.value)

    @property
    def disagreeing(self) -> tuple[Also, ...]:
        """Other sources whose value is another one, and not the same rounded otherwise."""
        return tuple(other for other in self.also if not _same(self.value, other.value))


def printed(value: object) -> str:
    """A value with all the digits that its source prints, in the source's unit.

    >>> printed(parse("3352.32 GB/s")), printed(parse("80 GB")), printed(132)
    ('3,352.32 GB/s', '80 GB', '132')
    """
    if not isinstance(value, Quantity):
        return f"{value:,}" if isinstance(value, int) else str(value)
    unit = value.unit.text
    return f"{value.to(unit) if unit else value.value:,.12g} {unit}".rstrip()


def half_digit(value: Quantity) -> float:
    """Half of the last digit that a source prints: how far rounding alone can put it from another source.

    >>> half_digit(parse("3.35 TB/s")), half_digit(parse("989 TFLOP/s"))
    (5000000000.0, 500000000000.0)
    """
    number = Decimal(printed(value).split()[0].replace(",", ""))
    return 0.5 * 10.0 ** min(number.as_tuple().exponent, 0) * float(parse(f"1 {value.unit.text}").value if value.unit.text else 1)


def _same(one: object, other: object) -> bool:
    """Equal to the last digit that both print; 2 TB/s is not 2,039 GB/s, though it rounds to it."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        rounding = min(max(half_digit(one), half_digit(other)), 0.01 * float(one))
        return abs(float(one) - float(other)) <= rounding * (1 + 1e-9)
    return one == other


@dataclass(frozen=True, slots=True)
class Peak:
    """A peak rate for one input format, accumulator and sparsity; dense and sparse are never one entry."""

    input: str
    accumulate: str
    sparse: bool
    unit_kind: str
    rate: Value
    per_clock: int | None = None  # operations of one unit in one clock, where they are published


@dataclass(frozen=True, slots=True)
class Achieved:
    """What somebody measured on a device: never a peak, and never kept in the field of one."""

    what: str  # matrix, memory or link; a link in one direction
    value: Quantity
    how: str  # program, sizes, and conditions such as clock or power
    source: str
    at: str
    read: str
    kind: str
    verified: bool
    input: str = ""  # format of a matrix product
    note: str = ""


ACHIEVED = {"matrix": "FLOP/s", "memory": "B/s", "link": "B/s"}  # what is measured, and in which unit


def _sourced(unit: str, *, required: bool = True):
    """A field that holds a `Value`; ``unit`` is a unit text, or ``count``, ``flag``, ``word`` or ``text``."""
    extra = {} if required else {"default": None}
    return field(metadata={"unit": unit}, **extra)


@dataclass(frozen=True, slots=True)
class Facts:
    """Fields of a model's configuration that one source gives, under the names of ``config.json``."""

    fields: Mapping
    source: str
    at: str
    read: str
    kind: str
    verified: bool
    note: str = ""


# symbol of the book <- field of a configuration, under its names in different families
CONFIG_NAMES = {
    "n_layer": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "d_model": ("hidden_size", "n_embd", "d_model"),
    "n_q": ("num_attention_heads", "n_head", "n_heads"),
    "n_kv": ("num_key_value_heads", "num_kv_heads", "n_head_kv"),
    "d_head": ("head_dim",),
    "d_ff": ("intermediate_size", "ffn_dim", "n_inner"),
    "vocab": ("vocab_size",),
    "max_context": ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"),
    "tied": ("tie_word_embeddings",),
    "dtype": ("dtype", "torch_dtype"),
    "n_expert": ("n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts"),
    "n_chosen": ("num_experts_per_tok", "num_experts_per_token", "top_k_experts"),
}


COUNTED = frozenset({*CONFIG_NAMES, "n_param", "n_active"})  # values of a model that come from its architecture


@dataclass(frozen=True)
class Model:
    """A model: the facts of its configuration with their sources, and what its makers print of its size.

    Shapes and counts are not stored: they come from the architecture that the configuration gives.
    """

    kind = "model"
    key: str
    name: str
    vendor: str
    family: str
    facts: tuple[Facts, ...]
    config: Mapping  # the fields of all sources, as a config.json would hold them
    released: Value | None = _sourced("count", required=False)
    published_total: Value | None = _sourced("count", required=False)  # parameters, exactly
    published_round: Value | None = _sourced("text", required=False)  # parameters, as the maker rounds them
    published_active: Value | None = _sourced("text", required=False)
    published_of: tuple[str, ...] = ("language",)  # sections that the published total counts

    @cached_property
    def architecture(self) -> Architecture:
        """The typed architecture that the configuration gives."""
        from aiinfra.architecture import families  # on demand: reading the catalogue needs no architecture
        from aiinfra.architecture.config import Config

        return families.read(Config(self.config, self.key), self.key)

    def ledger(self, weights: str | None = None, kv: str | None = None, tp: int = 1):
        """The ledger of the architecture: per matrix, parameters, operations and bytes."""
        return self.architecture.ledger(weights, kv, tp)

    @property
    def published_format(self) -> str:
        """The format of the published weights, where they are not quantised."""
        return self.architecture.dtype

    @cached_property
    def data(self) -> dict[str, Value]:
        """Its values by name: what is published, and what the architecture gives, each with where it comes from."""
        found = {n: v for n in ("released", "published_total", "published_round", "published_active") if (v := getattr(self, n))}
        a, ledger = self.architecture, self.ledger()
        total = self._derived(ledger.parameters, "sum of the ledger's rows, which the configuration gives")
        active = self._derived(ledger.active, "sum of the rows that serve one token; token tables count whole")
        found |= {"n_param": total, "n_active": active}
        shapes = a.symbols() | {"max_context": a.max_context, "tied": a.tied, "dtype": a.dtype}
        shapes |= {n: a.agreed(n) for n in ("n_q", "n_kv", "d_head")}
        return found | {n: self._configured(n, v) for n, v in shapes.items() if n in CONFIG_NAMES and v is not None}

    def _derived(self, value: object, how: str) -> Value:
        facts, unseen = self.facts[0], [f for f in self.facts if not f.verified]
        note = "; ".join(f.note for f in unseen)
        return Value(value, facts.source, f"{how}: {facts.at}", facts.read, "derived", not unseen, note)

    def _configured(self, symbol: str, value: object) -> Value:
        for facts in self.facts:
            for place, table in (("", facts.fields), ("text_config.", facts.fields.get("text_config", {}))):
                name = next((n for n in CONFIG_NAMES[symbol] if table.get(n) is not None), None)
                if name is not None:
                    return Value(value, facts.source, f"{place}{name}, {facts.at}", facts.read, facts.kind, facts.verified, facts.note)
        return self._derived(value, "follows from other fields of the configuration, or is its family's default")

    def __getattr__(self, name: str) -> Value:
        if name in COUNTED and name in self.data:
            return self.data[name]
        raise AttributeError(f"a model has no {name}" if name not in COUNTED else f"{self.key} has no single {name}; its ledger counts it")

    def __getstate__(self) -> dict:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # what was computed from them is computed again

    def source_of(self, symbol: str) -> Value | None:
        """Where the value of a symbol comes from."""
        if symbol in ("b_w", "b_kv", "b_act"):
            return self.data["dtype"]
        found = self.data.get("tied" if symbol == "untied" else symbol)
        if found is None and symbol in (supplied := self.architecture.symbols()):
            return self._derived(supplied[symbol], "read from the configuration")
        return found

    def lacks(self, symbol: str, dtype: str | None = None) -> str:
        """Why the entry does not supply one of its own symbols, in words."""
        return self.architecture.lacks(symbol, dtype)

    @property
    def refuses(self) -> Mapping[str, str]:
        """Symbols that a formula for dense models must not define for this one, and why."""
        return self.architecture.refuses

    def symbols(self, dtype: str | None = None) -> dict:
        """Values by symbol name; a new mapping each time."""
        return self.architecture.symbols(dtype)

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"model({self.key!r})"


@dataclass(frozen=True)
class Device:
    """An accelerator. Link bandwidths count one direction; a field that the vendor does not publish is None."""

    kind = "device"
    refuses = MappingProxyType({})  # a device stands in no formula's way
    key: str
    name: str
    vendor: str
    family: str
    peaks: tuple[Peak, ...]
    achieved: tuple[Achieved, ...] = ()
    year: Value | None = _sourced("count", required=False)
    capacity: Value | None = _sourced("B", required=False)
    capacity_usable: Value | None = _sourced("B", required=False)
    memory_bandwidth: Value | None = _sourced("B/s", required=False)
    link_bandwidth: Value | None = _sourced("B/s", required=False)
    link_domain: Value | None = _sourced("count", required=False)
    host_link_bandwidth: Value | None = _sourced("B/s", required=False)
    power: Value | None = _sourced("W", required=False)
    units: Value | None = _sourced("count", required=False)  # SMs, compute units, cores: what the peak rates are spread over
    clock: Value | None = _sourced("Hz", required=False)  # at which the peak rates are printed
    registers: Value | None = _sourced("B", required=False)  # all units together
    on_chip: Value | None = _sourced("B", required=False)  # memory that programs manage, all units together
    cache: Value | None = _sourced("B", required=False)  # the last level that all units share
    topology: Value | None = _sourced("text", required=False)  # of the scale-up link
    nic_bandwidth: Value | None = _sourced("B/s", required=False)  # scale-out network of one device in the reference system, one direction
    process: Value | None = _sourced("text", required=False)
    price: Value | None = _sourced("$/h", required=False)  # on demand in a public cloud, of one device, on the date read

    # symbol of the book <- field
    FIELDS = MappingProxyType(
        {
            "capacity": "capacity",
            "usable": "capacity_usable",
            "beta_mem": "memory_bandwidth",
            "beta_link": "link_bandwidth",
            "beta_host": "host_link_bandwidth",
            "units": "units",
            "clock": "clock",
            "registers": "registers",
            "price": "price",
            "power": "power",
        }
    )

    @cached_property
    def data(self) -> dict[str, Value]:
        """Its values by name, without the peak rates."""
        return {n: v for n, v in vars(self).items() if isinstance(v, Value)}

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

    def rated(self, what: str, dtype: str | None = None) -> Value | None:
        """The published rate that a measurement of ``matrix``, ``memory`` or ``link`` is held against, if there is one.

        >>> from aiinfra import device
        >>> print(device("h100-sxm").rated("memory"))
        3.35 TB/s
        """
        if what == "matrix":
            return None if self.lacks("peak", dtype) else self.peak(dtype)
        return {"memory": self.memory_bandwidth, "link": self.link_bandwidth}[what]

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
                number = value.value
                found[symbol] = number.value if isinstance(number, Quantity) else number
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
