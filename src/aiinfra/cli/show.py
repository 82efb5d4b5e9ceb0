"""``aiinfra show``."""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple

import click

from aiinfra.cli.output import Table, emit, formats, quantity
from aiinfra.units import Quantity

PROVENANCE = ("source", "at", "read", "kind", "verified", "note", "derivation")
KINDS = {"=": "exact", ">=": "a lower bound", "<=": "an upper bound", "~": "a model"}


class Shown(NamedTuple):
    """Something that is shown: its kind, lines above the table, the table for people and for CSV, and the fields of JSON."""

    kind: str
    lines: list[str]
    table: Table
    csv: Table
    fields: dict


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
            found = describe(known[name])
            tables = [found.csv] if form == "csv" else [found.table] if found.table.rows else []
            emit(form, "show", {"kind": found.kind, "name": name, **found.fields}, tables, found.lines)
            return
    raise unknown("name", name, [n for known, _ in places for n in known])


def _formula(record) -> Shown:
    from aiinfra import sources
    from aiinfra.engine.table import table

    symbols = table().symbols
    right = expression(record)
    conditions = [text for _, _, text in record.checks]
    lines = [f"{record.key}: {record.says}", f"{record.symbol} {record.relation} {right}   ({KINDS[record.relation]})"]
    lines += [f"holds for: {record.holds}"] if record.holds else []
    lines += [f"only where {', '.join(conditions)}"] if conditions else []
    lines += [f"source: {key}, {sources.titles()[key]}" for key in record.cites]
    rows = [(n, symbols[n].meaning, symbols[n].unit.text) for n in (record.symbol, *record.inputs)]
    inputs = {n: {"meaning": symbols[n].meaning, "unit": symbols[n].unit.text} for n in record.inputs}
    found = {"says": record.says, "holds": record.holds, "relation": record.relation, "result": record.symbol}
    found |= {"unit": symbols[record.symbol].unit.text, "expression": right, "conditions": conditions, "inputs": inputs}
    found["cites"] = list(record.cites)
    head = ("symbol", "meaning", "unit")
    return Shown("formula", lines, Table(head, [(n, m, u or "–") for n, m, u in rows]), Table(head, rows), found)


def expression(record) -> str:
    """The right side as Python writes it, from the generated code: SymPy would take longer to load than all the rest."""
    import ast
    import inspect

    class Quotients(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            return ast.BinOp(node.args[0], ast.Div(), node.args[1]) if getattr(node.func, "id", "") == "div" else node

    try:
        text = inspect.getsource(record.point)
    except OSError:  # a package that cannot be written keeps no code
        return f"f({', '.join(record.inputs)})"
    return ast.unparse(Quotients().visit(ast.parse(text).body[0].body[0].value)).replace("math.", "")


def _symbol(info) -> Shown:
    from aiinfra.engine import evaluate
    from aiinfra.engine.table import table

    defined = [r.key for r in table().records.values() if r.symbol == info.name]
    read = [r.key for r in table().records.values() if info.name in r.inputs]
    allowed = evaluate.allowed(info)
    lines = [f"{info.name}: {info.meaning}", f"takes {allowed}", f"unit: {info.unit.text or 'none'}"]
    lines += [f"given by: {', '.join(defined)}"] if defined else []
    lines += [f"read by: {', '.join(read)}"] if read else []
    found = {"meaning": info.meaning, "unit": info.unit.text, "allowed": allowed, "latex": info.latex, "defined": defined, "formulas": read}
    rows = [("defines", key) for key in defined] + [("reads", key) for key in read]
    return Shown("symbol", lines, Table(()), Table(("how", "formula"), rows), found)


def _measurement(m) -> Shown:
    from aiinfra.catalog.schema import printed

    given = {f.name: v for f in fields(m) if (v := getattr(m, f.name)) is not None and f.name not in ("key", "what", "value", *PROVENANCE)}
    rows = [("value", m.value), *given.items()]
    lines = [f"{m.key}: {m.what}", f"{m.source}, {m.at}, read {m.read}{_unseen(m)}", *([m.note] if m.note else [])]
    found = {"what": m.what, **quantity(m.value), "source": m.source, "at": m.at, "read": m.read, "verified": m.verified, "note": m.note}
    found["conditions"] = {name: _plain(v) if isinstance(v, Quantity) else v for name, v in given.items()}
    csv = [(name, *_number(v), m.source, m.at) for name, v in rows]
    table = Table(("field", "value"), [(name, printed(v)) for name, v in rows])
    return Shown("measurement", lines, table, Table(("field", "value", "unit", "source", "at"), csv), found)


def _entry(entry) -> Shown:
    """A model or a device: every value as its source prints it."""
    from aiinfra.catalog.schema import printed

    rows = list(entry.data.items())
    for peak in getattr(entry, "peaks", ()):
        kind = "sparse" if peak.sparse else "dense"
        rows.append((f"peak {peak.input}, {peak.accumulate} accumulator, {kind}, {peak.unit_kind}", peak.rate))
    for a in getattr(entry, "achieved", ()):
        rows.append((f"achieved {' '.join(filter(None, (a.what, a.input)))}", a))
    lines = [f"{entry.key}: {entry.name}, {entry.vendor}"]
    found = {"title": entry.name, "vendor": entry.vendor}
    if entry.kind == "model":
        a = entry.architecture
        lines += [*a.describe(), *(f"left open: {w}" for w in a.warnings), f"its matrices: aiinfra model {entry.key} --rows"]
        found |= {"family": a.family, "layers": a.describe(), "warnings": list(a.warnings)}
    text, csv, values, measured = [], [], {}, []
    for name, value in rows:
        where = "; ".join(filter(None, (f"{value.source}, {value.at}{_unseen(value)}", getattr(value, "how", ""))))
        text.append((name, _year(name, value.value) or printed(value.value), where))
        text += [("  another source", printed(o.value), f"{o.source}, {o.at}") for o in getattr(value, "disagreeing", ())]
        provenance = {n: v for n in PROVENANCE if (v := getattr(value, n, "")) not in ("", None)}
        csv.append((name, *_number(value.value), *(getattr(value, n, "") for n in PROVENANCE)))
        csv += [(name, *_number(o.value), *(getattr(o, n, "") for n in PROVENANCE)) for o in getattr(value, "also", ())]
        row = _plain(value.value) | provenance
        if also := getattr(value, "also", ()):
            row["also"] = [_plain(o.value) | {"source": o.source, "at": o.at, "read": o.read, "note": o.note} for o in also]
        if hasattr(value, "how"):  # what was measured may be so more than once
            measured.append({"what": value.what, "input": value.input, "how": value.how, **row})
        else:
            values[name] = row
    found |= {"values": values} | ({"achieved": measured} if measured else {})
    head = ("field", "value", "source")
    return Shown(entry.kind, lines, Table(head, text), Table(("field", "value", "unit", *PROVENANCE), csv), found)


def _plain(value: object) -> dict:
    return quantity(value) if isinstance(value, Quantity) else {"value": value}


def _number(value: object) -> tuple[object, str]:
    """A value and its unit as CSV has them: in base units."""
    found = _plain(value)
    return found["value"], found.get("unit", "")


def _year(name: str, value: object) -> str:
    return str(value) if name in ("year", "released") else ""


def _unseen(value) -> str:
    return "" if value.verified else " (not checked at the source)"
