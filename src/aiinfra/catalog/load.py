"""Reads the catalogue's TOML files and refuses what breaks the schema, naming file, entry and field."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path

from aiinfra import sources
from aiinfra.catalog.schema import ACHIEVED, KINDS, Achieved, Also, Device, Facts, Measurement, Model, Peak, Value
from aiinfra.errors import AIInfraError, CatalogError, UnknownName, brief, unknown
from aiinfra.formats import BYTES, FORMATS
from aiinfra.units import Quantity, parse, parse_unit

HERE = Path(__file__).parent
PROVENANCE = ("source", "at", "read", "kind", "verified")
OPTIONAL = ("note", "derivation")
HEAD = re.compile(r'^\[(?:"([^"\]]+)"|([\w-]+))\][ \t]*$', re.M)  # of an entry, not of a table in it
FAMILY = re.compile(r'^family = "([^"]+)"', re.M)


def _entries(paths: list[Path]) -> Iterator[tuple[str, str, dict]]:
    """(where, key, table) of every entry; a key may stand once in all files together."""
    seen: dict[str, str] = {}
    for path in paths:
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:  # also what is not UTF-8
            raise CatalogError(f"{path.name}: not TOML, or a key declared twice: {error}") from None
        for key, table in tables.items():
            where = f"{path.name}, {key}"
            if not isinstance(table, dict):
                raise CatalogError(f"{where}: expected a table, not {brief(table)}")
            if key in seen:
                raise CatalogError(f"{where}: the key is declared twice, first in {seen[key]}")
            seen[key] = path.name
            yield where, key, table


def _value(where: str, table: object, unit: str) -> Value:
    """A value with its provenance, or the field that is missing or wrong."""
    if not isinstance(table, dict) or "value" not in table:
        raise CatalogError(f"{where} = {brief(table)}: expected a table with value, {', '.join(PROVENANCE)}")
    lacking = [name for name in PROVENANCE if name not in table]
    if lacking:
        raise CatalogError(f"{where} = {brief(table['value'])}: lacks {', '.join(lacking)}; every value needs its source")
    extra = set(table) - {"value", "also", *PROVENANCE, *OPTIONAL}
    if extra:
        raise CatalogError(f"{where}: {unknown('field', min(extra), ['value', 'also', *PROVENANCE, *OPTIONAL])}")
    if table["kind"] not in KINDS:
        raise CatalogError(f"{where}: {unknown('kind', table['kind'], KINDS)}")
    _provenance(where, table)
    _texts(where, table, OPTIONAL)
    ready = {"value": _typed(where, table["value"], unit), "read": str(table["read"])}
    if "also" in table:
        ready["also"] = _also(where, table["also"], unit)
    return Value(**table | ready)


def _also(where: str, rows: object, unit: str) -> tuple[Also, ...]:
    """What other sources give for a value."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise CatalogError(f"{where}: also = {brief(rows)} must be a list of tables")
    found = []
    for row in rows:
        lacking = [n for n in ("value", "source", "at", "read") if n not in row]
        if lacking:
            raise CatalogError(f"{where}, also: lacks {', '.join(lacking)}; every value needs its source")
        extra = set(row) - {"value", "source", "at", "read", "note"}
        if extra:
            raise CatalogError(f"{where}, also: {unknown('field', min(extra), ['value', 'source', 'at', 'read', 'note'])}")
        _where_from(f"{where}, also", row)
        _texts(f"{where}, also", row, ("note",))
        found.append(Also(**row | {"value": _typed(f"{where}, also", row["value"], unit), "read": str(row["read"])}))
    return tuple(found)


def _texts(where: str, table: dict, names: tuple) -> None:
    for name in names:
        if not isinstance(table.get(name, ""), str):
            raise CatalogError(f"{where}: {name} = {brief(table[name])} must be text")


def _where_from(where: str, table: dict) -> None:
    """Source, place in it, and the day it was read."""
    _texts(where, table, ("source",))
    if table["source"] not in sources.titles():
        raise CatalogError(f"{where}: {unknown('source', table['source'], sources.titles())}")
    if not isinstance(table["at"], str) or not table["at"].strip():
        raise CatalogError(f"{where}: at = {brief(table['at'])} must say where in the source")
    if not isinstance(table["read"], date):
        raise CatalogError(f"{where}: read = {brief(table['read'])} must be a date, such as 2026-12-01")


def _provenance(where: str, table: dict) -> None:
    _where_from(where, table)
    if not isinstance(table["verified"], bool):
        raise CatalogError(f"{where}: verified = {brief(table['verified'])} must be true or false")


def _typed(where: str, value: object, unit: str) -> object:
    if unit == "flag":
        if not isinstance(value, bool):
            raise CatalogError(f"{where} = {brief(value)}: must be true or false")
        return value
    if unit == "text":
        if not isinstance(value, str) or not value:
            raise CatalogError(f"{where} = {brief(value)}: must be text")
        return value
    if unit == "word":
        if not isinstance(value, str) or value not in BYTES:
            raise CatalogError(f"{where}: {unknown('format', value, BYTES)}")
        return value
    if unit == "format":
        if not isinstance(value, str) or value not in FORMATS:
            raise CatalogError(f"{where}: {unknown('format', value, FORMATS)}")
        return value
    if unit == "count":
        if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
            raise CatalogError(f"{where} = {brief(value)}: must be a whole number above zero")
        return value
    if not isinstance(value, str):
        raise CatalogError(f"{where} = {brief(value)}: must be text with a unit, such as '80 {unit}'")
    try:
        quantity = parse(value)
    except AIInfraError as error:
        raise CatalogError(f"{where}: {error}") from None
    if quantity.unit.dims != parse_unit(unit)[1].dims:
        raise CatalogError(f"{where} = {brief(value)}: unit must measure {unit}")
    if not quantity.value > 0:
        raise CatalogError(f"{where} = {brief(value)}: must be above zero")
    return Quantity(quantity.value, quantity.unit)


def _build(kind: type, where: str, key: str, table: dict, **ready) -> object:
    """One entry of a dataclass whose sourced fields carry a unit in their metadata."""
    known = {f.name: f for f in fields(kind) if f.name not in ("key", *ready)}
    extra = set(table) - set(known) - {"peak", "achieved", "config", "published_of"}
    if extra:
        raise CatalogError(f"{where}: {unknown('field', min(extra), known)}")
    made = {}
    for name, spec in known.items():
        unit = spec.metadata.get("unit")
        if name not in table:
            if spec.default is MISSING:
                raise CatalogError(f"{where}: field {name} is missing")
        elif unit is None:
            if not isinstance(table[name], str) or not table[name]:
                raise CatalogError(f"{where}: {name} = {brief(table[name])} must be text")
            made[name] = table[name]
        else:
            made[name] = _value(f"{where}, {name}", table[name], unit)
    return kind(key=key, **made, **ready)


def _peak(where: str, table: dict) -> Peak:
    lacking = [n for n in ("input", "accumulate", "sparse", "unit_kind") if n not in table]
    if lacking:
        raise CatalogError(f"{where}: a peak lacks {', '.join(lacking)}")
    head = {n: table[n] for n in ("input", "accumulate", "sparse", "unit_kind")}
    _texts(where, table, ("input", "accumulate", "unit_kind"))
    where = f"{where}, peak {head['input']}"
    if head["input"] not in BYTES:
        raise CatalogError(f"{where}: {unknown('format', head['input'], BYTES)}")
    if not isinstance(head["sparse"], bool):
        raise CatalogError(f"{where}: sparse = {head['sparse']!r} must be true or false")
    if "per_clock" in table:
        head["per_clock"] = _typed(f"{where}, per_clock", table["per_clock"], "count")
    return Peak(**head, rate=_value(where, {k: v for k, v in table.items() if k not in head}, "FLOP/s"))


def _achieved(where: str, table: dict) -> Achieved:
    needed = ("what", "value", "how", *PROVENANCE)
    lacking = [n for n in needed if n not in table]
    if lacking:
        raise CatalogError(f"{where}: achieved lacks {', '.join(lacking)}; every measurement needs its source")
    where = f"{where}, achieved"
    extra = set(table) - {*needed, "input", "note"}
    if extra:
        raise CatalogError(f"{where}: {unknown('field', min(extra), [*needed, 'input', 'note'])}")
    _texts(where, table, ("what", "how", "input", "note"))
    if table["what"] not in ACHIEVED:
        raise CatalogError(f"{where}: {unknown('measurement', table['what'], ACHIEVED)}")
    where = f"{where} {table['what']}"
    if table["kind"] != "measured":
        raise CatalogError(f"{where}: kind = {brief(table['kind'])} must be 'measured'")
    if (table["what"] == "matrix") != bool(table.get("input")):
        raise CatalogError(f"{where}: input = {brief(table.get('input', ''))}: a matrix rate names its format, others have none")
    if table.get("input"):
        _typed(f"{where}, input", table["input"], "word")
    if not table["how"].strip():
        raise CatalogError(f"{where}: how must say the program, the sizes and the conditions")
    _provenance(where, table)
    return Achieved(**table | {"value": _typed(where, table["value"], ACHIEVED[table["what"]]), "read": str(table["read"])})


def _facts(where: str, table: dict) -> Facts:
    lacking = [n for n in ("fields", *PROVENANCE) if n not in table]
    if lacking:
        raise CatalogError(f"{where}: a config lacks {', '.join(lacking)}; every value needs its source")
    extra = set(table) - {"fields", *PROVENANCE, "note"}
    if extra:
        raise CatalogError(f"{where}, config: {unknown('field', min(extra), ['fields', *PROVENANCE, 'note'])}")
    if table["kind"] not in KINDS:
        raise CatalogError(f"{where}, config: {unknown('kind', table['kind'], KINDS)}")
    if not isinstance(table["fields"], dict) or not table["fields"]:
        raise CatalogError(f"{where}, config: fields = {brief(table['fields'])} must be a table")
    _provenance(f"{where}, config", table)
    _texts(f"{where}, config", table, ("note",))
    return Facts(**table | {"read": str(table["read"])})


def _merge(where: str, config: dict, fields: dict) -> None:
    """Put the fields of one source beside those of others; nested tables are merged, and no field has two sources."""
    for name, value in fields.items():
        if isinstance(value, dict) and isinstance(config.get(name, {}), dict):
            _merge(where, config.setdefault(name, {}), value)
        elif name in config:
            raise CatalogError(f"{where}: two sources give {name}")
        else:
            config[name] = None if value == "null" else value  # TOML has no null; a field without a value is not one left out


def _model(where: str, key: str, table: dict) -> Model:
    blocks = table.get("config")
    if not isinstance(blocks, list) or not blocks or not all(isinstance(b, dict) for b in blocks):
        raise CatalogError(f"{where}: config = {brief(blocks)} must be a list of tables, [[KEY.config]]")
    facts = tuple(_facts(where, block) for block in blocks)
    config: dict = {}
    for block in facts:
        _merge(where, config, block.fields)
    sections = table.get("published_of", ["language"])
    if not isinstance(sections, list) or not sections or not all(isinstance(x, str) for x in sections):
        raise CatalogError(f"{where}: published_of = {brief(sections)} must be a list of sections")
    return _build(Model, where, key, table, facts=facts, config=config, published_of=tuple(sections))


def _device(where: str, key: str, table: dict) -> Device:
    rows = table.get("peak", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise CatalogError(f"{where}: peak = {brief(rows)} must be a list of tables")
    peaks = tuple(_peak(where, row) for row in rows)
    names = [(p.input, p.accumulate, p.sparse, p.unit_kind) for p in peaks]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice:
        raise CatalogError(f"{where}: two peaks for {twice}")
    rows = table.get("achieved", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise CatalogError(f"{where}: achieved = {brief(rows)} must be a list of tables")
    return _build(Device, where, key, table, peaks=peaks, achieved=tuple(_achieved(where, row) for row in rows))


def read_models(paths: list[Path]) -> dict[str, Model]:
    """Models of some files, by key."""
    return {key: _model(where, key, table) for where, key, table in _entries(paths)}


def read_devices(paths: list[Path]) -> dict[str, Device]:
    """Devices of some files, by key."""
    return {key: _device(where, key, table) for where, key, table in _entries(paths)}


def read_measurements(paths: list[Path]) -> dict[str, Measurement]:
    """Measurements of some files, by key."""
    found = {}
    known = [f.name for f in fields(Measurement) if f.name != "key"]
    for where, key, table in _entries(paths):
        lacking = [n for n in ("what", "value", "source", "at", "read", "verified") if n not in table]
        if lacking:
            raise CatalogError(f"{where}: lacks {', '.join(lacking)}; every measurement needs its source")
        extra = set(table) - set(known)
        if extra:
            raise CatalogError(f"{where}: {unknown('field', min(extra), known)}")
        _provenance(where, table)
        row = table | {"read": str(table["read"])}
        _texts(where, table, ("what", "note", "model", "device", "weights", "kv", "dtype"))
        for name in ("devices", "batch", "prompt", "answer", "context"):
            if name in row:
                _typed(f"{where}, {name}", row[name], "count")
        for name in ("weights", "kv", "dtype"):
            if name in row:
                _typed(f"{where}, {name}", row[name], "word" if name == "dtype" else "format")
        for name in ("value", "size"):
            if name in row:
                try:
                    row[name] = parse(row[name])
                except AIInfraError as error:
                    raise CatalogError(f"{where}, {name}: {error}") from None
        found[key] = Measurement(key=key, **row)
    return found


class Entries(Mapping):
    """Entries by key, each read from its piece of a file when it is asked for: most programs ask for one or two."""

    def __init__(self, folder: Path, build: Callable[[str, str, dict], object]):
        self._build = build
        self._pieces: dict[str, tuple[str, str]] = {}
        self._made: dict[str, object] = {}
        for path in sorted(folder.glob("*.toml")):
            text = path.read_text(encoding="utf-8")
            heads = list(HEAD.finditer(text))
            for head, end in zip(heads, [*(h.start() for h in heads[1:]), len(text)], strict=True):
                self._pieces[head[1] or head[2]] = (path.name, text[head.start() : end])

    def __getitem__(self, key: str):
        if key not in self._made:
            name, text = self._pieces[key]
            self._made[key] = self._build(f"{name}, {key}", key, tomllib.loads(text)[key])
        return self._made[key]

    @cached_property
    def families(self) -> dict[str, str]:
        """Family by key, without building the entries."""
        found = {key: FAMILY.search(text) for key, (_, text) in self._pieces.items()}
        return {key: family[1] for key, family in found.items() if family}

    def __iter__(self) -> Iterator[str]:
        return iter(self._pieces)

    def __len__(self) -> int:
        return len(self._pieces)


@lru_cache(maxsize=1)
def models() -> Entries:
    """All models by key."""
    return Entries(HERE / "models", _model)


@lru_cache(maxsize=1)
def devices() -> Entries:
    """All devices by key."""
    return Entries(HERE / "devices", _device)


@lru_cache(maxsize=1)
def measurements() -> dict[str, Measurement]:
    """All published measurements by key."""
    return read_measurements([HERE / "measurements.toml"])


def _plain(name: str) -> str:
    """A name without what people type differently: ``H100 SXM`` and ``h100-sxm`` are one."""
    return re.sub(r"[\s_-]+", "", name.lower())


def _beginnings(key: str) -> set[str]:
    """Where a name may be cut short: at a hyphen, and between letters and digits."""
    return {_plain(key[: part.end()]) for part in re.finditer(r"\d+|[^\W\d_]+", key)}


def _find(kind: str, key: object, entries: Entries):
    """The entry of a name; a short name that several share lists them instead of choosing one."""
    if not isinstance(key, str):
        raise unknown(kind, key, entries)
    if key in entries:
        return entries[key]
    name = _plain(key)
    for known in entries:
        if _plain(known) == name:
            return entries[known]
    variants = sorted(k for k, family in entries.families.items() if _plain(family) == name)
    if len(variants) == 1:
        return entries[variants[0]]
    variants = variants or sorted(k for k in entries if name in _beginnings(k))
    if len(variants) > 1:
        raise UnknownName(f"{kind} {brief(key)} has several variants; say which: {', '.join(variants)}")
    raise unknown(kind, key, entries)


def model(key: str) -> Model:
    """A model of the catalogue.

    >>> model("llama-3.1-70b").n_kv.value
    8
    """
    return _find("model", key, models())


def device(key: str) -> Device:
    """A device of the catalogue; a family with several variants lists them.

    >>> print(device("h100-sxm").memory_bandwidth)
    3.35 TB/s
    >>> device("H100 SXM")
    device('h100-sxm')
    >>> device("H200")
    Traceback (most recent call last):
    aiinfra.errors.UnknownName: device 'H200' has several variants; say which: h200-nvl, h200-sxm
    """
    return _find("device", key, devices())


def measurement(key: str) -> Measurement:
    """A published measurement."""
    if not isinstance(key, str) or key not in measurements():
        raise unknown("measurement", key, measurements())
    return measurements()[key]
