"""When things happen: a request or a schedule, drawn to scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import check, style, ticks
from .plot import Mark
from .rows import Box, Lane, Rows
from .sheet import Picture, Sheet, leading, text_width


@dataclass(frozen=True)
class Span:
    """From ``start`` to ``end``; ``divisions`` rules it into equal steps, ``critical`` puts it on the critical path."""

    start: float
    end: float
    label: str = ""
    role: str = "compute"
    divisions: int = 1
    critical: bool = False


@dataclass(frozen=True)
class Row:
    """One resource or activity: its name and its spans."""

    label: str
    spans: Sequence[Span]


def timeline(rows: Sequence[Row], unit: str = "ms", *, marks: Sequence[Mark] = (), key: dict[str, str] | None = None,
             end: float | None = None, width: float = style.TEXT_WIDTH) -> Picture:
    """Rows of spans over one time axis from 0; ``marks`` are moments, ``key`` explains roles."""
    rows = check.some("rows", rows)
    check.text("unit", unit, empty=False)
    lanes = [_lane(row) for row in rows]
    last = max(box.end for lane in lanes for box in lane.boxes)
    last = last if end is None else check.number("end", end, least=last)
    check.number("rows: the end of the last span", last, above=0)
    for mark in marks:
        if check.number(f"mark {mark.text!r}: x", mark.x, least=0) > last:
            raise ValueError(f"mark {mark.text!r}: x: {mark.x:g} is not allowed; must be at most the end, {last:g}")

    sheet = Sheet(width)
    layout = Rows(sheet, lanes, last, bar=24, gap=9, right=12)
    y = sheet.key(key, layout.left, 2) if key else 2.0
    y, heads = _heads(sheet, layout, marks, y)
    bottom = layout.draw(y)
    axis = bottom + 7
    for x, top, _ in heads:
        sheet.line([x, x], [top, axis], dashes=(3, 2), colour="ink", width=0.7, zorder=3.2)
    _connect(sheet, layout)

    values = ticks.linear(0, last, most=6)
    names = ticks.labels(values)
    unit_width = text_width(unit, style.SMALL) + 4
    sheet.line([layout.x(0), layout.x(last)], [axis, axis])
    for value, name in zip(values, names):
        x = layout.x(value)
        sheet.line([x, x], [axis, axis + 3])
        sheet.text(x, axis + 12, name, align="center", size=style.SMALL, colour="muted")
        if value == values[-1]:
            at = x + text_width(name, style.SMALL) / 2 + 3
            fits = at + unit_width <= sheet.width
            sheet.text(at if fits else sheet.width, axis + (12 if fits else 22), unit, size=style.SMALL,
                       colour="muted", align="left" if fits else "right")
            height = axis + (16 if fits else 26)
    if any(box.strong for lane in lanes for box in lane.boxes):
        sheet.text(layout.x(0), height + 8, "Thick outline: the critical path.", size=style.SMALL, colour="muted")
        height += 13
    return sheet.finish(height, _describe(rows, unit, marks, last))


def _lane(row: Row) -> Lane:
    name = check.text("row label", row.label)
    boxes = []
    for i, span in enumerate(check.some(f"row {name!r}: spans", row.spans), 1):
        where = f"row {name!r}, span {i}"
        check.text(f"{where}: label", span.label)
        check.one_of(f"{where}: role", span.role, style.ROLES)
        start = check.number(f"{where}: start", span.start, least=0)
        end = check.number(f"{where}: end", span.end)
        if end < start:
            raise ValueError(f"{where}: end: {end:g} is not allowed; must be at least the start, {start:g}")
        boxes.append(Box(start, end, span.label, span.label.replace("\n", " "), span.role, f"span:{span.label}",
                         strong=span.critical, divisions=check.count(f"{where}: divisions", span.divisions)))
    ordered = sorted(boxes, key=lambda box: (box.start, box.end))
    for before, after in zip(ordered, ordered[1:]):
        if after.start < before.end * (1 - 1e-9):
            raise ValueError(f"row {name!r}: span {after.short!r}: start: {after.start:g} is not allowed; "
                             f"must be at least the end of {before.short!r}, {before.end:g}")
    return Lane(name, boxes)


def _heads(sheet: Sheet, layout: Rows, marks: Sequence[Mark], y: float):
    """Names of the moments above the rows, in as many lines as keep them apart."""
    heads: list[tuple[float, float, int]] = []
    taken: list[tuple[float, float, int]] = []
    for mark in sorted(marks, key=lambda m: m.x):
        x, wide = layout.x(mark.x), text_width(mark.text, style.SMALL)
        align = "left" if x + wide + 2 <= sheet.width else "right"
        left, right = (x, x + wide + 8) if align == "left" else (x - wide - 8, x)
        level = 0
        while any(at == level and left < b and a < right for a, b, at in taken):
            level += 1
        taken.append((left, right, level))
        top = y + level * leading(style.SMALL)
        heads.append((x, top, level))
        sheet.text(x + (3 if align == "left" else -3), top + 8, mark.text, size=style.SMALL, align=align)
    levels = max((level for *_, level in heads), default=-1) + 1
    return y + levels * leading(style.SMALL) + (5 if levels else 0), heads


def _connect(sheet: Sheet, layout: Rows) -> None:
    """Join the spans of the critical path where it changes rows."""
    path = sorted(((box, lane) for lane in layout.lanes for box in lane.boxes if box.strong), key=lambda p: p[0].start)
    for (before, above), (after, below) in zip(path, path[1:]):
        if above is below:
            continue
        down = below.top > above.top
        start, stop = (above.top + layout.bar, below.top) if down else (above.top, below.top + layout.bar)
        xs = [layout.x(before.end), layout.x(after.start)]
        middle = (start + stop) / 2
        sheet.line([xs[0], xs[0], xs[1], xs[1]], [start, middle, middle, stop], colour="ink", width=1.8, zorder=3)


def _describe(rows, unit, marks, last) -> str:
    sentences = [f"Timeline from 0 to {ticks.amount(last)} {unit}, drawn to scale."]
    for row in rows:
        spans = list(row.spans)
        shown = [f"{(s.label or s.role).replace(chr(10), ' ')} from {ticks.amount(s.start)} to {ticks.amount(s.end)} {unit}"
                 + (f" in {s.divisions} steps" if s.divisions > 1 else "") for s in spans[:8]]
        if len(spans) > 8:
            shown.append(f"and {len(spans) - 8} more, the last to {ticks.amount(max(s.end for s in spans))} {unit}")
        sentences.append(f"{row.label.replace(chr(10), ' ') or 'Row'}: {'; '.join(shown)}.")
    critical = [s.label.replace("\n", " ") for s in sorted((s for r in rows for s in r.spans if s.critical), key=lambda s: s.start)]
    if critical:
        sentences.append(f"Critical path: {', '.join(critical)}.")
    sentences += [f"{m.text} at {ticks.amount(m.x)} {unit}." for m in marks]
    return " ".join(sentences)
