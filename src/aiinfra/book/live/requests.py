"""Requests of the book as data for the page: the same words that give a number in print, evaluated anew in the browser.

A request becomes terms and the signs between them. A term is a formula with what it is given, or a number where nothing that a
reader can change is in it.
"""

from __future__ import annotations

import re

from aiinfra import formats
from aiinfra.book import calls
from aiinfra.book.calls import Cases
from aiinfra.engine import codegen, evaluate
from aiinfra.engine.formula import formula
from aiinfra.engine.table import table
from aiinfra.errors import BadValue
from aiinfra.units import Quantity, Unit


def unit_of(unit: Unit) -> dict:
    """A unit as the scripts know it."""
    return {"dims": [float(e) for e in unit.dims], "text": unit.text}


def compiled(text: str, cases: Cases, nested: bool = False) -> dict:
    """A request as data.

    >>> compiled('memory-time step_bytes="8 GB" devices=1 beta_mem="2 TB/s" in ms', Cases())["terms"][0]["given"]["step_bytes"]
    8000000000
    """
    unit, spec, terms, signs = calls.parsed(text)
    return {"terms": [_term(words, cases, nested) for words in terms], "signs": signs, "unit": unit, "spec": spec}


def _term(words: tuple[str, ...], cases: Cases, nested: bool) -> dict:
    head, rest = words[0], list(words[1:])
    if head not in table().records or "=" in rest or rest[:1] == ["solve"]:
        return constant(calls.ask(_joined(words), cases).value)
    shared, own = cases.settings(rest)
    settings = calls.merge(shared, own)
    entries = {kind: settings.pop(kind) for kind in calls.ENTRIES if kind in settings}
    for kind, key in entries.items():
        calls.ENTRIES[kind](key)  # an unknown one is refused here
    dtype = settings.pop("dtype", None)
    if "float" in settings:
        settings = {n: str(v) for n, v in formats.FLOATS[settings.pop("float")].symbols().items()} | settings
    given = dict(given_of(name, value, cases) for name, value in settings.items())
    kept = sorted({n for name in own for n in (name, evaluate.FORMAT_WORDS.get(name, name))}) if nested else []
    return {"key": head, "given": given, "entries": entries, "dtype": dtype, "kept": kept}


def given_of(name: str, value: str, cases: Cases) -> tuple[str, object]:
    """A setting as a symbol and its number in base units, or the request that gives it."""
    if value.startswith("(") and value.endswith(")"):
        return name, {"ask": compiled(value[1:-1], cases, nested=True)}
    if name in evaluate.FORMAT_WORDS:
        return evaluate.FORMAT_WORDS[name], formats.bytes_of(value)
    return name, evaluate.clean(table().symbols[name], calls.number_or_text(value))


def constant(value: Quantity) -> dict:
    """A term that does not change."""
    return {"value": float(value), "unit": unit_of(value.unit), "relation": value.relation}


def _joined(words: tuple[str, ...]) -> str:
    return " ".join(f"'{w}'" if re.search(r"\s", w) else w for w in words)


def keys(request: dict) -> set[str]:
    """The formulas that a request names."""
    found = set()
    for term in request["terms"]:
        if "key" in term:
            found.add(term["key"])
            found |= {key for value in term["given"].values() if isinstance(value, dict) for key in keys(value["ask"])}
    return found


def closure(names: set[str]) -> list[str]:
    """Some formulas, and those that they can be computed through."""
    t, seen, queue = table(), set(), sorted(names)
    while queue:
        key = queue.pop()
        if key not in seen:
            seen.add(key)
            queue += [t.defines[name] for name in t.records[key].inputs if name in t.defines]
    return sorted(seen)


def functions(found: list[str]) -> str:
    """The formulas as an object of the page's script: what each computes, from what, and where it holds."""
    t, lines = table(), []
    for key in found:
        record, f = t.records[key], formula(key)
        checks = ", ".join(
            f"[{codegen.javascript(condition)}, {codegen_text(text)}]"
            for condition, (_, _, text) in zip(f.valid, record.checks, strict=True)
        )
        head = {"symbol": record.symbol, "inputs": record.inputs, "relation": record.relation, "holds": record.holds}
        head |= {"resolves": record.resolves}
        lines.append(f"{codegen_text(key)}: {{...{codegen_text(head)}, of: {f.javascript}, checks: [{checks}]}}")
    return "{\n" + ",\n".join(lines) + "\n}"


def codegen_text(found: object) -> str:
    """A literal of a script."""
    from aiinfra.book.live.data import text

    return text(found)


def symbols(found: list[str], more: set[str]) -> dict[str, dict]:
    """What the page must know of the symbols of some formulas and of others."""
    t = table()
    names = more | {name for key in found for name in (t.records[key].symbol, *t.records[key].inputs)}
    rows = {}
    for name in sorted(names):
        info = t.symbols[name]
        rows[name] = {"meaning": info.meaning, "unit": unit_of(info.unit), "allowed": evaluate.allowed(info)}
        rows[name] |= {"whole": info.whole, "minimum": info.minimum, "positive": info.positive}
    return rows


def entries(kind: str, chosen: set[str], dtypes: set[str | None], names: set[str]) -> dict[str, dict]:
    """Entries of the catalogue with the values that some symbols have there, for each format computed in."""
    found = {}
    for key in sorted(chosen):
        entry = calls.ENTRIES[kind](key)
        values = {dtype or "": _values(entry, dtype, names) for dtype in sorted(dtypes, key=str)}
        row = {"name": entry.name, "values": values, "refuses": {n: why for n, why in entry.refuses.items() if n in names}}
        if kind == "model":
            row["format"] = entry.published_format
            row["values"] = {"": values[""]} if "" in values else {"": _values(entry, None, names)}  # a model's do not depend on it
        row["lacks"] = {n: why for n in sorted(names) if (why := entry.lacks(n, entry.published_format if kind == "model" else None))}
        row["lacks"].pop("peak", None)
        found[key] = row
    return found


def _values(entry, dtype: str | None, names: set[str]) -> dict[str, float]:
    return {name: value for name, value in entry.symbols(dtype).items() if name in names and isinstance(value, (int, float))}


def override_check(name: str) -> None:
    """Refuse an input that no request can take."""
    known = [*calls.ENTRIES, *calls.WORDS, *table().symbols]
    if name not in known:
        raise BadValue(f"{name!r} is no input of a request")
