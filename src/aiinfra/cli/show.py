"""``aiinfra show``."""

from __future__ import annotations

import click

from aiinfra.cli.output import Table, emit, formats, quantity
from aiinfra.units import Quantity


@click.command("show")
@click.argument("name")
@formats
def command(name: str, form: str | None = None) -> None:
    """Everything known of NAME: a formula, a model, a device, a symbol or a measurement.

    \b
      $ aiinfra show n_kv
      n_kv: key/value heads per layer
    """
    from aiinfra import catalog
    from aiinfra.engine.table import table
    from aiinfra.errors import unknown

    places = (
        (table().records, _formula), (catalog.models(), _entry), (catalog.devices(), _entry), (table().symbols, _symbol),
        (catalog.measurements(), _measurement),
    )  # fmt: skip
    for known, describe in places:
        if name in known:
            kind, lines, rows, fields = describe(known[name])
            head = ("symbol", "meaning", "unit") if kind == "formula" else ("field", "value", "source")
            emit(form, "show", {"kind": kind, "name": name, **fields}, [Table(head, rows)] if rows else [], lines)
            return
    raise unknown("name", name, [n for known, _ in places for n in known])


def _formula(record) -> tuple:
    from aiinfra.engine.table import table

    symbols = table().symbols
    kinds = {"=": "exact", ">=": "a lower bound", "<=": "an upper bound", "~": "a model"}
    lines = [f"{record.key}: {record.says}", f"{record.symbol} {record.relation} f({', '.join(record.inputs)}): {kinds[record.relation]}"]
    lines += [f"holds for: {record.holds}"] if record.holds else []
    lines += [f"sources: {', '.join(record.cites)}"] if record.cites else []
    names = (record.symbol, *record.inputs)
    rows = [(n, symbols[n].meaning, symbols[n].unit.text or "–") for n in names]
    fields = {"says": record.says, "holds": record.holds, "relation": record.relation, "result": record.symbol}
    inputs = {n: {"meaning": symbols[n].meaning, "unit": symbols[n].unit.text} for n in record.inputs}
    fields |= {"inputs": inputs, "cites": list(record.cites)}
    return "formula", lines, rows, fields


def _symbol(info) -> tuple:
    from aiinfra.engine.table import table

    uses = [r.key for r in table().records.values() if info.name in (r.symbol, *r.inputs)]
    lines = [f"{info.name}: {info.meaning}", f"unit: {info.unit.text or 'none'}", f"in: {', '.join(uses)}"]
    return "symbol", lines, [], {"meaning": info.meaning, "unit": info.unit.text, "formulas": uses}


def _measurement(m) -> tuple:
    lines = [f"{m.key}: {m.what}", f"{m.value!r}, {m.source}, {m.at}, read {m.read}", *([m.note] if m.note else [])]
    fields = {"what": m.what, **quantity(m.value), "source": m.source, "at": m.at, "read": m.read, "note": m.note}
    return "measurement", lines, [], fields


def _entry(entry) -> tuple:
    rows, values = [], {}

    def add(name: str, value) -> None:
        shown = value.value
        rows.append((name, shown.text() if isinstance(shown, Quantity) else shown, f"{value.source}, {value.at}"))
        plain = quantity(shown) if isinstance(shown, Quantity) else {"value": shown}
        values[name] = plain | {"source": value.source, "at": value.at, "read": value.read, "verified": value.verified}

    for name, value in entry.data.items():
        add(name, value)
    for peak in getattr(entry, "peaks", ()):
        kind = "sparse" if peak.sparse else "dense"
        add(f"peak {peak.input}, {peak.accumulate} accumulator, {kind}, {peak.unit_kind}", peak.rate)
    return entry.kind, [f"{entry.key}: {entry.name}, {entry.vendor}"], rows, {"title": entry.name, "vendor": entry.vendor, "values": values}
