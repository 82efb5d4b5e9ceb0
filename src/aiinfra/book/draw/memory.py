"""What fits in memory: stacked parts against a capacity, drawn to scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import check, style, ticks
from .rows import Box, Lane, Rows
from .sheet import Picture, Sheet, text_width


@dataclass(frozen=True)
class Part:
    """Something that takes memory; ``text`` replaces the printed size."""

    label: str
    size: float
    role: str = "weights"
    text: str = ""


@dataclass(frozen=True)
class Bar:
    """One memory: its nominal ``capacity``, what of it is ``usable``, and the parts in it."""

    label: str
    capacity: float
    parts: Sequence[Part]
    usable: float | None = None

    @property
    def total(self) -> float:
        return float(sum(part.size for part in self.parts))

    @property
    def limit(self) -> float:
        return float(self.capacity if self.usable is None else self.usable)

    @property
    def over(self) -> float:
        return self.total - self.limit


def memory(bars: Sequence[Bar], unit: str = "GB", *, free: bool = True, key: dict[str, str] | None = None,
           width: float = style.TEXT_WIDTH) -> Picture:
    """Bars on one scale; what passes the limit is hatched beyond its line and measured below the bar."""
    bars = check.some("bars", bars)
    check.text("unit", unit, empty=False)
    lanes = [_lane(bar, unit, free) for bar in bars]
    largest = max(max(bar.capacity, bar.total) for bar in bars)
    same = len({(bar.capacity, bar.usable) for bar in bars}) == 1
    for bar, lane in zip(bars, lanes):
        lane.below = (13 if not same else 0) + (14 if bar.over > 0 else 0)

    sheet = Sheet(width)
    layout = Rows(sheet, lanes, largest, bar=30, gap=12, right=_right(bars, unit, largest, sheet.width))
    y = sheet.key(key, layout.left, 2) if key else 2.0
    bottom = layout.draw(y + (17 if same else 2))
    if same:
        _limits(sheet, layout, bars[0], unit, y + 4, bottom + 5, base=y + 9)
    for bar, lane in zip(bars, lanes):
        low = lane.top + layout.bar
        if not same:
            _limits(sheet, layout, bar, unit, lane.top - 4, low + 13, base=low + 12)
        if bar.over > 0:
            _over(sheet, layout, bar, unit, low + (4 if same else 17))
    return sheet.finish(bottom + 7, _describe(bars, unit))


def _lane(bar: Bar, unit: str, free: bool) -> Lane:
    where = f"bar {check.text('bar label', bar.label)!r}"
    check.number(f"{where}: capacity", bar.capacity, above=0)
    if bar.usable is not None and check.number(f"{where}: usable", bar.usable, above=0) > bar.capacity:
        raise ValueError(f"{where}: usable: {bar.usable:g} is not allowed; must be at most the capacity, {bar.capacity:g}")
    boxes, start = [], 0.0
    for part in check.some(f"{where}: parts", bar.parts):
        name = check.text(f"{where}: part label", part.label)
        check.one_of(f"{where}, part {name!r}: role", part.role, style.ROLES)
        size = check.number(f"{where}, part {name!r}: size", part.size, least=0)
        boxes += _split(bar.limit, start, start + size, name, _size(part, unit), part.role)
        start += size
    if free and start < bar.limit:
        boxes += _split(bar.limit, start, bar.limit, "free", f"{ticks.amount(bar.limit - start)} {unit}", "free")
    return Lane(bar.label, boxes)


def _size(part: Part, unit: str) -> str:
    return check.text("part text", part.text) or f"{ticks.amount(part.size)} {unit}"


def _split(limit: float, start: float, end: float, name: str, size: str, role: str) -> list[Box]:
    """A part as the piece within the limit and the hatched piece beyond it; the longer one has the label."""
    cuts = [start, limit, end] if start < limit < end else [start, end]
    longest = max(range(len(cuts) - 1), key=lambda i: cuts[i + 1] - cuts[i])
    stacked, flat = (f"{name}\n{size}", f"{name} {size}") if name else (size, size)
    return [Box(a, b, stacked if i == longest else "", flat if i == longest else "", role, f"part:{name}", hatch=a >= limit)
            for i, (a, b) in enumerate(zip(cuts, cuts[1:]))]


def _captions(bar: Bar, unit: str) -> list[tuple[float, str, str, tuple]]:
    """The lines across a bar: value, text, side of the text, dashes."""
    if bar.usable is None:
        return [(bar.capacity, f"capacity {ticks.amount(bar.capacity)} {unit}", "right", ())]
    return [(bar.usable, f"usable {ticks.amount(bar.usable)} {unit}", "right", (2, 1.5)),
            (bar.capacity, f"capacity {ticks.amount(bar.capacity)} {unit}", "left", ())]


def _right(bars: Sequence[Bar], unit: str, largest: float, width: float) -> float:
    """Room on the right for capacities named beyond their line."""
    return max([6.0] + [text_width(text, style.SMALL) + 6 - (1 - value / largest) * width / 2
                        for bar in bars for value, text, side, _ in _captions(bar, unit) if side == "left"])


def _limits(sheet: Sheet, layout: Rows, bar: Bar, unit: str, top: float, bottom: float, base: float) -> None:
    for value, text, align, dashes in _captions(bar, unit):
        x = layout.x(value)
        if align == "right" and text_width(text, style.SMALL) + 4 > x:
            align = "left"
        sheet.line([x, x], [top, bottom], colour="ink", width=1.3, dashes=dashes, zorder=3.4, name=f"limit:{value:g}")
        sheet.text(x + (4 if align == "left" else -4), base, text, align=align, size=style.SMALL)


def _over(sheet: Sheet, layout: Rows, bar: Bar, unit: str, y: float) -> None:
    """A measured line under what does not fit."""
    start, end = layout.x(bar.limit), layout.x(bar.total)
    text = f"{ticks.amount(bar.over)} {unit} too much"
    wide = text_width(text, style.SMALL, True)
    sheet.line([start + 2, end], [y, y], colour="red", width=1.6, name="over")
    x = start + 4 if wide > end - start - 8 else (start + end) / 2 - wide / 2
    sheet.text(min(x, sheet.width - wide), y + 10, text, size=style.SMALL, colour="red", bold=True)


def _describe(bars: Sequence[Bar], unit: str) -> str:
    sentences = ["Memory drawn to scale."]
    for bar in bars:
        parts = ", ".join(f"{p.label.replace(chr(10), ' ')} {_size(p, unit)}".strip() for p in bar.parts)
        limit = "" if bar.usable is None else f" ({ticks.amount(bar.usable)} {unit} usable)"
        rest = (f"{ticks.amount(bar.over)} {unit} too much" if bar.over > 0 else f"{ticks.amount(-bar.over)} {unit} free")
        sentences.append(f"{bar.label.replace(chr(10), ' ') or 'Memory'}, {ticks.amount(bar.capacity)} {unit}{limit}: {parts}; {rest}.")
    return " ".join(sentences)
