"""A scenario: what is deployed on what, for which requests; checked as a whole before anything is computed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from aiinfra import architecture, catalog
from aiinfra.architecture.split import check
from aiinfra.engine.evaluate import clean, named
from aiinfra.engine.table import table
from aiinfra.errors import AIInfraError, BadType, BadValue, MissingInput, brief, unknown, whole
from aiinfra.formats import FORMATS, bytes_of, format_of

if TYPE_CHECKING:
    from aiinfra.architecture import Architecture
    from aiinfra.scenario.assumptions import Assumption
    from aiinfra.scenario.estimate import Estimate
    from aiinfra.units import Quantity

MOST = 10**9
OWN_EXAMPLES = {"price": "'$2.50/h'", "power": "'700 W'", "memory": "'64 GB'"}
OWN = {"price": "price", "power": "power", "usable": "memory"}  # symbol <- field that replaces what the catalogue says
WHOLE = {"tp": 1, "replicas": 1, "prompt": 1, "output": 2, "chunk": 1, "page": 1}  # the least that each may be


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One deployment: ``replicas`` instances of a model, each on ``tp`` devices of one scale-up domain.

    ``batch`` counts the requests that one instance decodes together, or is ``"max"`` for as many as fit; ``concurrency``, in its place,
    counts those of all replicas. ``prefix_hit`` is the share of the prompt found in the cache. ``weights`` and ``kv`` are number
    formats, those of the config unless given; ``dtype`` is the format computed in, which follows from the weights and the
    device unless given. ``assume`` replaces assumptions: a number, or a pair of a slow and a fast value.

    Raises `BadValue`, `BadType`, `UnknownName`, `UnitError` or `MissingInput`, each with one line.
    """

    model: object  # a name of the catalogue, a path, a config, or an Architecture
    device: object  # a name of the catalogue, or a Device
    tp: int = 1
    replicas: int = 1
    prompt: int = 1024
    output: int = 256
    batch: int | str | None = None
    concurrency: int | None = None
    prefix_hit: float = 0
    weights: str | None = None
    kv: str | None = None
    activations: str = "bf16"
    dtype: str | None = None
    chunk: int = 8192  # tokens of the largest pass
    page: int = 16  # tokens of one page of the cache
    price: str | Quantity | None = None  # of one device, with its unit; in place of the catalogue's
    power: str | Quantity | None = None
    memory: str | Quantity | None = None  # usable memory of one device, which for a CPU is what is installed
    assume: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __post_init__(self):
        for name, least in WHOLE.items():
            whole(name, getattr(self, name), least, MOST)
        if self.batch is not None and self.concurrency is not None:
            raise BadValue(f"batch = {brief(self.batch)} and concurrency = {brief(self.concurrency)}: give one of them")
        if self.batch is not None and not (isinstance(self.batch, str) and self.batch == "max"):
            whole("batch", self.batch, 1, MOST)
        if self.concurrency is not None:
            whole("concurrency", self.concurrency, self.replicas, MOST)
        if isinstance(self.prefix_hit, bool) or not isinstance(self.prefix_hit, (int, float)) or not 0 <= self.prefix_hit < 1:
            raise BadValue(f"prefix_hit = {brief(self.prefix_hit)}: must be a share from 0 to below 1")
        if not isinstance(self.assume, Mapping):
            raise BadType(f"assume = {brief(self.assume)}: must be a table of assumptions")
        for name, read in (("weights", format_of), ("kv", format_of), ("activations", bytes_of), ("dtype", bytes_of)):
            if getattr(self, name) is not None or name == "activations":
                named(name, read, getattr(self, name))
        check(self.architecture, self.tp)
        most = self.architecture.max_context
        if most is not None and self.prompt + self.output > most:
            raise BadValue(f"prompt + output = {self.prompt + self.output:,}: {self.architecture.key} takes {most:,} tokens at most")
        domain = self.hardware.link_domain
        if domain is not None and self.tp > domain.value:
            raise BadValue(f"tp = {self.tp}: the links of {self.hardware.key} join {domain.value} devices; replicas can be more")
        _ = self.assumptions, self.facts  # what they refuse is refused now

    @cached_property
    def architecture(self) -> Architecture:
        """The model's architecture."""
        if isinstance(self.model, (catalog.Model,)):
            return self.model.architecture
        if hasattr(self.model, "blocks"):
            return self.model
        if isinstance(self.model, str) and self.model in catalog.models():
            return catalog.model(self.model).architecture
        return architecture.load(self.model)

    @cached_property
    def hardware(self) -> catalog.Device:
        """The device."""
        return self.device if isinstance(self.device, catalog.Device) else catalog.device(self.device)

    @cached_property
    def assumptions(self) -> dict[str, Assumption]:
        """Assumptions by symbol."""
        from aiinfra.scenario import assumptions

        return assumptions.of(self.hardware, self.computed_in, self.assume)

    @cached_property
    def computed_in(self) -> str:
        """The format that the matrix units compute in: the one of the weights where the device has it, else that of the activations."""
        if self.dtype is not None:
            self.hardware.peak(self.dtype)  # refuses a format that the device lacks
            return self.dtype
        have = {p.input for p in self.hardware.peaks if not p.sparse}
        named = FORMATS[self.weights] if self.weights else self._widest
        kind = {1: "int8" if named.name.startswith("int8") else "fp8", 0.5: "fp4" if "fp4" in named.name else ""}.get(named.element, "")
        if kind in have:
            return kind
        self.hardware.peak(self.activations)
        return self.activations

    @cached_property
    def _widest(self):
        """The format of most of the weights, by the config."""
        rows = [row for row in self.architecture.formatted() if row.kind == "matrix" and row.section == "language"]
        return max(rows, key=lambda row: row.parameters).format

    @cached_property
    def facts(self) -> dict[str, float]:
        """What the device supplies, by symbol; price, power and memory as given, where they are."""
        found = self.hardware.symbols(self.computed_in)
        for symbol, name in OWN.items():
            value = getattr(self, name)
            if isinstance(value, (int, float)) and not isinstance(value, bool):  # $2.50/h and 2.50 $/s are too easily confused
                raise BadType(f"{name} = {brief(value)}: must be text with its unit, such as {OWN_EXAMPLES[name]}")
            if value is not None:
                found[symbol] = named(name, partial(clean, table().symbols[symbol]), value)
        if self.hardware.price is not None:
            found.setdefault("price", self.hardware.price.value.value)
        for name in ("beta_mem", *(("beta_link",) if self.tp > 1 else ())):
            if name not in found:
                raise MissingInput(f"{self.hardware.lacks(name)}, so that no bound can be given")
        if "usable" not in found:
            if "capacity" not in found:
                raise MissingInput(f"{self.hardware.key} has no published capacity; memory= says how much is installed")
            found["usable"] = found["capacity"]
        return found

    @property
    def cached(self) -> int:
        """Prompt tokens found in the cache."""
        return min(int(self.prompt * self.prefix_hit), self.prompt - 1)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was taken for granted, in words."""
        found = list(self.architecture.warnings)
        if self.hardware.capacity_usable is None and self.memory is None:
            found.append(f"{self.hardware.key}: usable memory is not published; the capacity on the label is taken, which is more")
        stored = FORMATS[self.weights] if self.weights else self._widest
        if self.dtype is None and self.computed_in == self.activations and stored.element < bytes_of(self.activations):
            here = self.activations.upper()
            found.append(f"{self.hardware.key} has no peak for {stored.name}: weights are converted, computed in {here}")
        others = [name for name in self.architecture.ledger().sections if name != "language"]
        if others:
            found.append(f"only the language model is counted, not {', '.join(others)}")
        if self.cached:
            found.append(
                "memory and what is expected count a cached prefix for each request; bounds and memory.batch_shared let them share it"
            )
        if not self.architecture.dense:
            found.append("what is expected reads the experts that even routing touches on average; bounds read those of one token")
        if self.batch == "max":
            found.append("batch = max: as many requests as fit when all have their full length; memory.batch_mean fit at their mean length")
        if bytes_of(self.computed_in) < bytes_of(self.activations):
            found.append(
                f"all operations are counted at the peak of {self.computed_in}; scores, head or router in wider formats take longer"
            )
        from aiinfra.scenario.assumptions import elsewhere

        return (*found, *elsewhere(self.assumptions, self.hardware, self.tp))

    def estimate(self, *, strict: bool = True) -> Estimate:
        """What follows; with ``strict`` a deployment that does not fit into memory is refused, with what would."""
        from aiinfra.scenario.estimate import Estimate

        return Estimate(self, strict=strict)

    def but(self, **changes) -> Scenario:
        """The same with some fields changed."""
        for name in changes:
            if name not in FIELDS:
                raise unknown("field of a scenario", name, FIELDS)
        return replace(self, **changes)

    @classmethod
    def load(cls, path: str | Path) -> Scenario:
        """A scenario from a TOML file with the fields of this class; ``assume`` is a table."""
        return cls.of(fields_of(path), str(path))

    @classmethod
    def of(cls, found: Mapping[str, object], where: str = "scenario") -> Scenario:
        """A scenario from a mapping; a name that is no field is refused."""
        try:
            for name in found:
                if name not in FIELDS:
                    raise unknown("field of a scenario", name, FIELDS)
            for name in ("model", "device"):
                if name not in found:
                    raise MissingInput(f"a scenario needs {name}")
            return cls(**found)
        except AIInfraError as error:
            raise type(error)(f"{where}: {error}") from None


def fields_of(path: str | Path) -> dict[str, object]:
    """The fields that a TOML file holds, as they stand there."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise BadValue(f"{path}: not a file")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadValue(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or a number longer than Python reads
        raise BadValue(f"{path}: not a TOML file: {' '.join(str(error).split())}") from None


FIELDS = tuple(f.name for f in fields(Scenario))

