"""From catalogue entries and keywords to checked numbers, and through the formulas that link them.

Nothing here imports SymPy: the functions that are called were generated from the expressions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import inf
from numbers import Integral, Real
from operator import itemgetter
from typing import NamedTuple

from aiinfra import formats
from aiinfra.errors import AIInfraError, BadType, BadValue, MissingInput, OutsideValidity, UnitError, UnknownName, brief, unknown
from aiinfra.units import Quantity, parse, spell

MOST = sys.float_info.max  # a larger number has no float
FORMAT_WORDS = {"weights": "b_w", "kv": "b_kv", "activations": "b_act"}


class Step(NamedTuple):
    """One formula of a plan: evaluate ``record`` on named values and keep the result as ``name``."""

    name: str
    record: object
    args: tuple[str, ...]
    read: Callable  # the arguments from a mapping of values, as a tuple

    @classmethod
    def of(cls, name: str, record) -> Step:
        args = record.inputs
        one_or_none = {0: lambda values: (), 1: lambda values: (values[args[0]],)}
        return cls(name, record, args, one_or_none.get(len(args)) or itemgetter(*args))


def clean(info, value: object) -> Real:
    """A checked number in base units for one symbol, or one line that says what is allowed."""
    given = value
    if type(value) is not float and type(value) is not int:
        value = _number(info, value)
    low = info.minimum
    inside = (-MOST if low is None else low) < value <= MOST or (value == low and not info.positive)
    if not inside or (info.whole and value != int(value)):
        shown = brief(given if isinstance(given, str) else value)
        raise BadValue(f"{info.name} = {shown}: must be {allowed(info)} ({info.meaning})")
    return int(value) if info.whole else value


def allowed(info) -> str:
    """What a symbol takes, in words."""
    kind = "a whole number" if info.whole else "a finite number"
    if info.minimum is not None:
        kind += " above zero" if info.positive else ", zero or more"
    return kind + (f" with unit {info.unit.text}" if any(info.unit.dims) else "")


def named(field: str, read: Callable, value: object) -> object:
    """What is read from a value; a refusal says of which field."""
    try:
        return read(value)
    except AIInfraError as error:
        raise type(error)(f"{field}: {error}") from None


def _number(info, value: object) -> Real:
    if isinstance(value, bool):
        raise BadType(f"{info.name} = {brief(value)}: must be {allowed(info)}, not a bool ({info.meaning})")
    if isinstance(value, str):
        if not any(info.unit.dims):
            raise BadType(f"{info.name} = {brief(value)}: must be {allowed(info)}, not text ({info.meaning})")
        value = named(info.name, parse, value)
    if isinstance(value, Quantity):
        if value.unit.dims != info.unit.dims:
            given = spell(value.unit.dims) or "a plain number"
            raise UnitError(f"{info.name} = {value}: unit must be {info.unit.text or 'none'}, not {given} ({info.meaning})")
        value = value.value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        try:
            return float(value)
        except OverflowError:  # a fraction beyond all floats
            return inf
    raise BadType(f"{info.name} = {brief(value)}: must be {allowed(info)}, not {type(value).__name__} ({info.meaning})")


@lru_cache(maxsize=256)
def catalogue(entries: tuple, dtype: str | None) -> tuple[dict, frozenset]:
    """What entries supply, by symbol name, and the names; kept, so it must not be changed."""
    supplied: dict = {}
    kinds = [entry.kind for entry in entries]
    for entry in entries:
        if kinds.count(entry.kind) > 1:
            raise BadValue(f"two entries of kind {entry.kind!r}: {', '.join(e.key for e in entries if e.kind == entry.kind)}; give one")
        supplied.update(entry.symbols(computed_in(entries, dtype)))
    return supplied, frozenset(supplied)


def gather(table, entries: tuple, inputs: Mapping[str, object], dtype: str | None) -> tuple[dict, dict]:
    """All supplied values by symbol name: (values from the catalogue, values from keywords)."""
    if dtype is not None:
        named("dtype", formats.bytes_of, dtype)
    for entry in entries:
        if getattr(type(entry), "kind", None) is None:
            raise BadType(f"{brief(entry)}: expected a catalogue entry, such as model('llama-3.1-70b') or device('h100-sxm')")
    supplied = dict(catalogue(entries, dtype)[0])
    given: dict = {}
    symbols = table.symbols
    for name, value in inputs.items():
        info = symbols.get(name)
        if info is None:
            target = FORMAT_WORDS.get(name)
            if target is None:
                raise unknown("symbol", name, [*symbols, *FORMAT_WORDS, "dtype"])
            if target in inputs:
                raise BadValue(f"{target} is given twice: as {name}={brief(value)} and as {target}={brief(inputs[target])}; give one")
            given[target] = named(name, formats.bytes_of, value)
        else:
            given[name] = clean(info, value)
    return supplied, given


def computed_in(entries: tuple, dtype: str | None) -> str | None:
    """The format computed in: as said, else that of the model's published weights."""
    return dtype or next((e.published_format for e in entries if e.kind == "model"), None)


def source_of(symbol: str, entries: tuple, dtype: str | None) -> tuple | None:
    """The entry that supplies a symbol, and its value there with the source."""
    for entry in entries:
        args = (computed_in(entries, dtype),) if entry.kind == "device" else ()
        value = entry.source_of(symbol, *args)
        if value is not None:
            return entry, value
    return None


def plan(table, record, known: frozenset, entries: tuple = (), dtype: str | None = None) -> tuple[Step, ...]:
    """The formulas to evaluate, in order, to get from known values to this formula's result.

    Where something is missing, the entries say whether they should have supplied it.
    """
    steps: dict[str, Step] = {}
    missing: dict[str, None] = {}

    def need(name: str, chain: tuple[str, ...]) -> None:
        if name in known or name in steps:
            return
        source = table.defines.get(name)
        if source is None or name in chain:
            missing[name] = None
            return
        for entry in entries:
            if name in entry.refuses:
                raise MissingInput(f"{record.key} needs {name} ({table.symbols[name].meaning}); {entry.refuses[name]}")
        found = table.record(source)
        for arg in found.inputs:
            need(arg, (*chain, name))
        steps[name] = Step.of(name, found)

    for arg in record.inputs:
        need(arg, (record.symbol,))
    if missing:
        raise MissingInput(f"{record.key} needs {'; '.join(_wanted(table, name, entries, dtype) for name in missing)}")
    return (*steps.values(), Step.of(record.symbol, record))


def _wanted(table, name: str, entries: tuple, dtype: str | None) -> str:
    info = table.symbols[name]
    unit = f", in {info.unit.text}" if info.unit.text else ""
    why = [said for e in entries if (said := e.lacks(name, computed_in(entries, dtype)))]
    return f"{name} ({'; '.join([info.meaning + unit, *why])})"


def used(steps: tuple[Step, ...]) -> set[str]:
    """Names that a plan reads from outside."""
    made = {s.name for s in steps[:-1]}
    return {a for s in steps for a in s.args} - made


def run(steps: tuple[Step, ...], values: dict) -> Real:
    """Evaluate a plan; every result is checked before it is used."""
    for name, record, args, read in steps:
        if record.checks:
            check(record, values)
        try:
            result = record.point(*read(values))
        except (ZeroDivisionError, OverflowError, ValueError):
            result = None
        if result is None or not -MOST <= result <= MOST:
            raise BadValue(f"{record.key} has no finite value at {shown(args, values)}")
        values[name] = result
    return result


def check(record, values: Mapping) -> None:
    """Refuse a point outside the conditions that the formula states."""
    for test, args, text in record.checks:
        try:
            holds = test(*[values[a] for a in args])
        except ZeroDivisionError:
            holds = False
        if not holds:
            words = f" ({record.holds})" if record.holds else ""
            raise OutsideValidity(f"{record.key} holds only for {text}{words}; here {shown(args, values)}")


def shown(args: tuple[str, ...], values: Mapping) -> str:
    from aiinfra.engine.table import table  # only to print: the table itself imports nothing from here

    symbols = table().symbols
    return ", ".join(f"{a} = {Quantity(values[a], symbols[a].unit)!r}" for a in args)


def unused(record, steps: tuple[Step, ...], given: Mapping) -> None:
    """Refuse a keyword that changes nothing: it is a misunderstanding or a slip."""
    extra = sorted(set(given) - used(steps))
    if extra:
        raise UnknownName(f"{record.key} does not use {', '.join(extra)}; it uses {', '.join(sorted(used(steps))) or 'no input'}")
