"""Devices and the links between them: a switch, a ring or a full mesh."""

from __future__ import annotations

import math
from collections.abc import Sequence

from . import check, style
from .sheet import Picture, Sheet, text_width

KINDS = ("switch", "ring", "mesh")
HIGH = 28.0  # points, a device


def topology(kind: str, devices: int | Sequence[str], *, label: str = "GPU", link_label: str = "", switch_label: str = "switch",
             role: str = "compute", highlight: Sequence[int] = (), width: float = style.TEXT_WIDTH) -> Picture:
    """``devices`` is a count, named ``label`` 0, 1, …, or the names; ``highlight`` marks some by index.

    In a ring the arrows give the one direction in which data moves; in a mesh every pair has a link.
    """
    check.one_of("kind", kind, KINDS)
    least = 3 if kind == "ring" else 2
    if isinstance(devices, str) or not isinstance(devices, Sequence):
        names = [f"{check.text('label', label)} {i}".strip() for i in range(check.count("devices", devices, least=least, most=32))]
    else:
        names = [check.text("device name", name, empty=False) for name in devices]
        check.count("devices", len(names), least=least, most=32)
    check.text("link_label", link_label)
    check.text("switch_label", switch_label, empty=False)
    check.one_of("role", role, style.ROLES)
    marked = {check.count("highlight", i, least=0, most=len(names) - 1) for i in highlight}
    roles = ["highlight" if i in marked else role for i in range(len(names))]

    sheet = Sheet(width)
    wide = max(max(text_width(name) for name in names) + 14, 40.0)
    if kind == "switch":
        height = _switch(sheet, names, roles, wide, link_label, switch_label)
    elif kind == "ring":
        height = _ring(sheet, names, roles, wide, link_label)
    else:
        height = _mesh(sheet, names, roles, wide, link_label)
    return sheet.finish(height, _describe(kind, names, link_label, switch_label))


def _device(sheet: Sheet, name: str, role: str, x: float, y: float, wide: float) -> None:
    """A device centred on a point."""
    sheet.node(x - wide / 2, y - HIGH / 2, wide, HIGH, role, name=f"device:{name}")
    sheet.text(x, y, name, align="center", centred=True)


def _columns(sheet: Sheet, n: int, wide: float, most_gap: float) -> list[float]:
    """Centres of n devices in a row, in the middle of the sheet."""
    gap = min(most_gap, (sheet.width - 2 - n * wide) / max(n - 1, 1))
    if gap < 6:
        raise ValueError(f"devices: {n} in a row are too wide for the page; must have shorter names or be fewer")
    left = (sheet.width - n * wide - (n - 1) * gap) / 2 + wide / 2
    return [left + i * (wide + gap) for i in range(n)]


def _two_rows(sheet: Sheet, n: int, wide: float, most_gap: float) -> list[list[float]]:
    """Up to four devices stand in one row, more in two."""
    upper = n if n <= 4 else math.ceil(n / 2)
    rows = [_columns(sheet, upper, wide, most_gap)]
    if n > upper:
        rows.append(rows[0] if n == 2 * upper else rows[0][: n - upper])
    return rows


def _switch(sheet: Sheet, names, roles, wide: float, link_label: str, switch_label: str) -> float:
    rows = _two_rows(sheet, len(names), wide, 46)
    top, reach, bar = 2 + HIGH / 2, 34.0, 24.0
    switch = top + HIGH / 2 + reach
    left, right = min(rows[0]) - wide / 2, max(rows[0]) + wide / 2
    sheet.box(left, switch, right - left, bar, "link", name="switch")
    sheet.text((left + right) / 2, switch + bar / 2, switch_label, align="center", bold=True, centred=True)
    bottom = switch + bar + reach + HIGH / 2
    device = 0
    for row, y in zip(rows, (top, bottom)):
        inner = y + HIGH / 2 if y == top else y - HIGH / 2
        for x in row:
            sheet.line([x, x], [inner, switch if y == top else switch + bar], colour="purple", width=2.2, name="link")
            _device(sheet, names[device], roles[device], x, y, wide)
            device += 1
    if link_label:
        sheet.text(rows[0][0] + 6, top + HIGH / 2 + reach / 2, link_label, size=style.SMALL, centred=True)
    return (bottom + HIGH / 2 if len(rows) > 1 else switch + bar) + 3


def _ring(sheet: Sheet, names, roles, wide: float, link_label: str) -> float:
    n = len(names)
    upper = math.ceil(n / 2)
    columns = _columns(sheet, upper, wide, 40)
    top, bottom = 2 + HIGH / 2, 2 + HIGH / 2 + HIGH + 44
    # Clockwise: the upper row left to right, the lower one right to left, spread over the same length.
    lower = list(reversed(columns))
    if n % 2:
        step = (columns[-1] - columns[0]) / (n - upper) if n > upper else 0
        lower = [columns[-1] - step * (i + 0.5) for i in range(n - upper)]
    places = [(x, top) for x in columns] + [(x, bottom) for x in lower]
    for i, (x, y) in enumerate(places):
        _link(sheet, (x, y), places[(i + 1) % n], wide, arrow=True)
    for name, role, (x, y) in zip(names, roles, places):
        _device(sheet, name, role, x, y, wide)
    if link_label:
        sheet.text((columns[0] + columns[-1]) / 2, (top + bottom) / 2, link_label, align="center", size=style.SMALL, centred=True)
    return bottom + HIGH / 2 + 3


def _link(sheet: Sheet, start, end, wide: float, arrow: bool) -> None:
    """A link from edge to edge of two devices."""
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    reach = min(wide / 2 / abs(dx) if dx else math.inf, HIGH / 2 / abs(dy) if dy else math.inf)
    stop = reach + (1 if arrow else 0)
    tail = stop + (5 if arrow else 0)
    sheet.line([x0 + dx * reach, x1 - dx * tail], [y0 + dy * reach, y1 - dy * tail], colour="purple", width=2.2, name="link")
    if arrow:
        sheet.arrow(x1 - dx * stop, y1 - dy * stop, dx, dy, colour="purple", size=8)


def _mesh(sheet: Sheet, names, roles, wide: float, link_label: str) -> float:
    n = len(names)
    down = max(40.0, n * 11.0)
    across = min(max(down * 1.7, n * wide / math.pi * 1.25), (sheet.width - wide - 4) / 2)
    label_room = text_width(link_label, style.SMALL) if link_label else 0
    cx, cy = sheet.width / 2, 2 + HIGH / 2 + down
    places = [(cx + across * math.sin(a), cy - down * math.cos(a)) for a in (2 * math.pi * (i + 0.5) / n for i in range(n))]
    for i, start in enumerate(places):
        for end in places[i + 1:]:
            sheet.line([start[0], end[0]], [start[1], end[1]], colour="purple", width=1.1 if n > 5 else 1.8, name="link")
    for name, role, (x, y) in zip(names, roles, places):
        _device(sheet, name, role, x, y, wide)
    height = max(y for _, y in places) + HIGH / 2 + 4
    if label_room:
        sheet.text(cx, height + 10, link_label, align="center", size=style.SMALL)
        height += 15
    return height


def _describe(kind: str, names, link_label: str, switch_label: str) -> str:
    n, each = len(names), f", {link_label}" if link_label else ""
    listed = f"{names[0]} to {names[-1]}" if n > 4 else ", ".join(names)
    if kind == "switch":
        text = f"{n} devices ({listed}), each with one link to {switch_label}{each}."
    elif kind == "ring":
        text = f"{n} devices ({listed}) in a ring, each sending to the next{each}."
    else:
        text = f"{n} devices ({listed}), every pair joined by a link, {n * (n - 1) // 2} links{each}."
    return text.replace("\n", " ")
