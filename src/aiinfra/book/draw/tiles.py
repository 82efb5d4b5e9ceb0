"""A matrix cut into tiles, drawn to scale: a split weight matrix, a block of a kernel, a causal mask."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from . import check, style, ticks
from .sheet import Picture, Sheet, leading, text_width, wrap

MOST = 1024  # tiles
LONGEST, SHORTEST = 200.0, 12.0  # points, the sides of the drawn matrix


def tiles(rows: int, columns: int, tile_rows: int, tile_columns: int, *, row_label: str = "rows", column_label: str = "columns",
          labels: Mapping[tuple[int, int], str] | None = None, shaded: Callable[[int, int], str | bool | None] | None = None,
          role: str = "weights", key: dict[str, str] | None = None, side: float = LONGEST,
          width: float = style.TEXT_WIDTH) -> Picture:
    """The tile (i, j) takes the role that ``shaded(i, j)`` names, ``role`` where it is true, nothing where false.

    Without ``shaded`` every tile has ``role``. The last tile of a row or column is smaller where the cut leaves a rest.
    """
    for name, value in {"rows": rows, "columns": columns}.items():
        check.count(name, value)
    check.count("tile_rows", tile_rows, most=rows)
    check.count("tile_columns", tile_columns, most=columns)
    down, across = math.ceil(rows / tile_rows), math.ceil(columns / tile_columns)
    if down * across > MOST:
        raise ValueError(f"tiles: {down} by {across} is {down * across} tiles; must be at most {MOST}")
    check.text("row_label", row_label)
    check.text("column_label", column_label)
    check.one_of("role", role, style.ROLES)
    names = dict(labels or {})
    for i, j in names:
        check.count(f"labels: row of tile {(i, j)}", i, least=0, most=down - 1)
        check.count(f"labels: column of tile {(i, j)}", j, least=0, most=across - 1)

    sheet = Sheet(width)
    side = check.number("side", side, above=2 * SHORTEST)
    scale = min(side / rows, min(1.6 * side, width - 110) / columns)
    if min(rows, columns) * scale < SHORTEST:
        most = f"the longer side must be at most {side / SHORTEST:.0f} times the shorter"
        raise ValueError(f"rows, columns: {rows} by {columns} is too narrow to draw to scale; {most}")
    row_text = wrap(f"{ticks.amount(rows)} {row_label}".strip(), 90, style.SMALL)
    column_text = f"{ticks.amount(columns)} {column_label}".strip()
    margin = text_width(row_text, style.SMALL) + 12
    x0 = max(margin, (width - columns * scale) / 2)
    key_height = sheet.key(key, x0, 2) if key else 0.0
    y0 = key_height + 18
    _measure(sheet, x0, y0, columns * scale, rows * scale, column_text, row_text)
    roles = []
    for i in range(down):
        for j in range(across):
            found = shaded(i, j) if shaded else True
            tile = check.one_of(f"shaded({i}, {j})", found, style.ROLES) if isinstance(found, str) else role if found else None
            roles.append(tile)
            x, y = x0 + j * tile_columns * scale, y0 + i * tile_rows * scale
            wide = min(tile_columns, columns - j * tile_columns) * scale
            high = min(tile_rows, rows - i * tile_rows) * scale
            box = sheet.box(x, y, wide, high, tile or "free", name=f"tile:{i},{j}")
            box.set(linestyle="-", linewidth=0.6 if down * across <= 256 else 0.3)
            if not tile:
                box.set(edgecolor=style.light("grid"), zorder=1.9)
            if (i, j) in names:
                _name(sheet, check.text("labels", names[i, j]), x, y, wide, high)
    frame = sheet.line([x0, x0 + columns * scale, x0 + columns * scale, x0, x0],
                       [y0, y0, y0 + rows * scale, y0 + rows * scale, y0], colour="ink", width=1.0, name="frame", zorder=3)
    frame.set_solid_joinstyle("miter")
    description = _describe(rows, columns, tile_rows, tile_columns, down, across, row_label, column_label, roles, key)
    return sheet.finish(y0 + rows * scale + 3, description)


def _name(sheet: Sheet, text: str, x: float, y: float, wide: float, high: float) -> None:
    """A label in its tile, in the largest size that fits."""
    for size in (style.SIZE, style.SMALL, 6.5):
        for form in (text, wrap(text, wide - 4, size)):
            if text_width(form, size) <= wide - 3 and (form.count("\n") + 1) * leading(size) <= high:
                sheet.text(x + wide / 2, y + high / 2, form, align="center", size=size, centred=True)
                return
    raise ValueError(f"labels: {text!r} does not fit in its tile; must be shorter")


def _measure(sheet: Sheet, x: float, y: float, wide: float, high: float, across: str, down: str) -> None:
    """Dimension lines above and to the left."""
    for xs, ys in (([x, x + wide], [y - 6, y - 6]), ([x - 6, x - 6], [y, y + high])):
        sheet.line(xs, ys, width=0.7)
    for a, b in ((x, y - 6), (x + wide, y - 6)):
        sheet.line([a, a], [b - 2.5, b + 2.5], width=0.7)
    for a, b in ((x - 6, y), (x - 6, y + high)):
        sheet.line([a - 2.5, a + 2.5], [b, b], width=0.7)
    sheet.text(x + wide / 2, y - 10, across, align="center", size=style.SMALL)
    sheet.text(x - 11, y + high / 2, down, align="right", size=style.SMALL, centred=True)


def _describe(rows, columns, tile_rows, tile_columns, down, across, row_label, column_label, roles, key) -> str:
    n = ticks.amount
    text = (f"Matrix of {n(rows)} {row_label} by {n(columns)} {column_label}, drawn to scale, in {down} by {across} tiles "
            f"of {n(tile_rows)} by {n(tile_columns)}.")
    used = [role for role in style.ROLES if role in roles]
    if None in roles or len(used) > 1:
        counts = [((key or {}).get(role, role), roles.count(role)) for role in used]
        if None in roles:
            counts.append(((key or {}).get("free", "empty"), roles.count(None)))
        text += " Tiles: " + ", ".join(f"{count} {name}" for name, count in counts) + "."
    return text
