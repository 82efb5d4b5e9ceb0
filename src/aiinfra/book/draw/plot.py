"""Curves over a linear or logarithmic axis, labelled at their ends, with marks, bands and measured points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

from . import check, style, ticks
from .place import Labels
from .sheet import Picture, font, leading, text_width, wrap

LEAST_TOP, BOTTOM = 8.0, 32.0  # points around the axes
END_LABEL = 0.3  # of the width, the most that labels at the line ends may take


@dataclass(frozen=True)
class Series:
    """A curve; ``role`` and ``dash`` (0 to 5) are handed out in order where they are not given."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    role: str | None = None
    dash: int | None = None


@dataclass(frozen=True)
class Mark:
    """A moment or a level: a line where only ``x`` or ``y`` is given, a dot where both are."""

    x: float | None
    y: float | None
    text: str


@dataclass(frozen=True)
class Band:
    """A shaded stretch of one axis."""

    start: float
    end: float
    label: str = ""
    axis: str = "x"
    role: str = "other"


@dataclass(frozen=True)
class Region:
    """The area between two curves over the same x."""

    x: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    label: str = ""
    role: str = "other"


def lines(series: Sequence[Series], x_label: str, y_label: str, *, log_x: bool | int = False, log_y: bool | int = False,
          marks: Sequence[Mark] = (), bands: Sequence[Band] = (), regions: Sequence[Region] = (),
          points: Sequence[tuple[float, float, str]] = (), x_range: tuple[float, float] | None = None,
          y_range: tuple[float, float] | None = None, legend: bool | None = None, width: float = style.TEXT_WIDTH,
          height: float = 235.0, years: bool = False) -> Picture:
    """``log_x=True`` is decades, ``log_x=2`` powers of two; ``points`` are measurements; ``legend`` overrides the choice.

    With ``years`` the x axis holds years, which print without a comma. Points alone need no series.
    """
    series = [_styled(i, s) for i, s in enumerate(series if points else check.some("series", series))]
    for name, value in {"x_label": x_label, "y_label": y_label}.items():
        check.text(name, value, empty=False)
    for name, value in {"log_x": log_x, "log_y": log_y}.items():
        if value not in (False, True, 2, 10):
            raise ValueError(f"{name}: {value!r} is not allowed; must be False, True, 2 or 10")
    check.number("width", width, least=200)
    check.number("height", height, least=100)
    curves = [_curve(s, log_x, log_y) for s in series]
    points = [(check.number("point x", x), check.number("point y", y), check.text("point label", text)) for x, y, text in points]
    _check_extras(marks, bands, regions, points, log_x, log_y)

    xs = [v for x, _ in curves for v in (x[0], x[-1])] + [p[0] for p in points]
    ys = [v for _, y in curves for v in (y.min(), y.max())] + [p[1] for p in points] + [m.y for m in marks if m.y is not None]
    x_low, x_high = _range("x_range", x_range, xs, log_x, pad=False)
    y_low, y_high = _range("y_range", y_range, ys, log_y, pad=True)

    x_ticks, y_ticks = (_ticks(low, high, log, most) for low, high, log, most in
                        ((x_low, x_high, log_x, 9), (y_low, y_high, log_y, 7)))
    y_names = ticks.labels(y_ticks)
    left = max(text_width(name, style.SMALL) for name in y_names) + 8
    figure = Picture(figsize=(width / 72, height / 72), facecolor="none")
    top = LEAST_TOP + leading(style.SIZE)

    names = [wrap(s.label, END_LABEL * width - 14, style.SIZE) for s in series]
    right = max((text_width(name) for name in names), default=0) + 14
    heights = [leading(style.SIZE) * (name.count("\n") + 1) for name in names]
    plot_height = height - top - BOTTOM
    ends = [_end(x, y, x_low, x_high, y_low, y_high, log_x, log_y) for x, y in curves]
    wanted = [(1 - e) * plot_height for e in ends if e is not None]
    spots = _spread(wanted, heights, plot_height) if series and len(wanted) == len(ends) else None
    direct = spots is not None and right <= END_LABEL * width + 14 and all(
        abs(a - b) <= 2.2 * leading(style.SIZE) for a, b in zip(spots, wanted))
    if legend is not None:
        direct = direct and not legend
    if not series or len(series) == 1 and not series[0].label:
        direct, right = True, 10.0
    if not direct:
        right = 14.0
        top += _legend(figure, series, left, width, height, top)

    figure.text(0.002, 1 - (LEAST_TOP + 2) / height, y_label, fontproperties=font(style.SIZE), color=style.light("ink"),
                parse_math=False, verticalalignment="baseline")
    plot_width, plot_height = width - left - right, height - top - BOTTOM
    axes = figure.add_axes((left / width, BOTTOM / height, plot_width / width, plot_height / height), facecolor="none")
    _axis(axes.xaxis, "x", axes, log_x, (x_low, x_high), x_ticks, plot_width, years)
    _axis(axes.yaxis, "y", axes, log_y, (y_low, y_high), y_ticks, None)
    axes.set_xlabel(x_label, fontproperties=font(style.SIZE), color=style.light("ink"), labelpad=4, parse_math=False)
    for name, spine in axes.spines.items():
        spine.set(visible=name in ("left", "bottom"), color=style.light("muted"), linewidth=style.LINE)

    labels = Labels(axes, plot_width, plot_height)
    for band in bands:
        _band(axes, band, labels)
    for region in regions:
        axes.fill_between(region.x, region.low, region.high, facecolor=style.fill(region.role), alpha=0.7, linewidth=0, zorder=0.8)
    for i, (s, (x, y)) in enumerate(zip(series, curves)):
        line, = axes.plot(x, y, color=style.edge(s.role), linewidth=1.7, zorder=3, label=s.label or "_", solid_capstyle="butt",
                          gid=f"curve-{i}")
        if style.DASHES[s.dash]:
            line.set_dashes(style.DASHES[s.dash])
        labels.avoid(x, y)
    if series and direct and series[0].label:
        wanted = [(1 - e) * plot_height for e in ends]
        _end_labels(axes, series, names, wanted, _spread(wanted, heights, plot_height), plot_width, plot_height)
    _marks(axes, marks, labels)
    for region in regions:
        if region.label:
            i = int(np.argmax([h / lo if log_y and lo > 0 else h - lo for lo, h in zip(region.low, region.high)]))
            middle = (region.low[i] * region.high[i]) ** 0.5 if log_y else (region.low[i] + region.high[i]) / 2
            labels.put(region.x[i], middle, region.label, centred=True)
    for x, y, text in points:
        _dot(axes, x, y, marker="D", markersize=5.5, markerfacecolor=style.light("surface"), markeredgewidth=1.2, label="point")
        labels.block(x, y)
    for x, y, text in points:
        if text:
            labels.put(x, y, text)
    figure.series = series
    figure.description = _describe(series, curves, x_label, y_label, log_x, log_y, marks, points, years)
    return figure


def _styled(i: int, s: Series) -> Series:
    check.text(f"series {i + 1}: label", s.label)
    role = style.SERIES[i % len(style.SERIES)] if s.role is None else check.one_of(f"series {s.label!r}: role", s.role, style.ROLES)
    patterns = len(style.DASHES)
    dash = i % patterns if s.dash is None else check.count(f"series {s.label!r}: dash", s.dash, least=0, most=patterns - 1)
    return Series(s.label, s.x, s.y, role, dash)


def _curve(s: Series, log_x, log_y) -> tuple[np.ndarray, np.ndarray]:
    where = f"series {s.label!r}"
    try:
        x, y = (np.asarray(v, dtype=float).ravel() for v in (s.x, s.y))
    except (TypeError, ValueError):
        raise ValueError(f"{where}: x, y: not numbers; must be sequences of finite numbers") from None
    if len(x) != len(y) or len(x) < 2:
        raise ValueError(f"{where}: {len(x)} x and {len(y)} y; must be as many of each and at least two")
    for name, values, log in (("x", x, log_x), ("y", y, log_y)):
        if not np.isfinite(values).all():
            raise ValueError(f"{where}: {name}: {values[~np.isfinite(values)][0]} is not allowed; must be finite")
        if log and (values <= 0).any():
            raise ValueError(f"{where}: {name}: {values[values <= 0][0]:g} is not allowed; must be above 0 on a logarithmic axis")
    if (np.diff(x) < 0).any():
        raise ValueError(f"{where}: x: not in rising order; must rise")
    return x, y


def _check_extras(marks, bands, regions, points, log_x, log_y) -> None:
    def coordinate(field, value, log):
        check.number(field, value, **({"above": 0} if log else {}))

    for mark in marks:
        check.text("mark text", mark.text)
        if mark.x is None and mark.y is None:
            raise ValueError(f"mark {mark.text!r}: neither x nor y is given; must have at least one")
        for name, value, log in (("x", mark.x, log_x), ("y", mark.y, log_y)):
            if value is not None:
                coordinate(f"mark {mark.text!r}: {name}", value, log)
    for band in bands:
        where = f"band {check.text('band label', band.label)!r}"
        check.one_of(f"{where}: axis", band.axis, ("x", "y"))
        check.one_of(f"{where}: role", band.role, style.ROLES)
        log = log_x if band.axis == "x" else log_y
        coordinate(f"{where}: start", band.start, log)
        coordinate(f"{where}: end", band.end, log)
        if band.end <= band.start:
            raise ValueError(f"{where}: end: {band.end:g} is not allowed; must be above the start, {band.start:g}")
    for region in regions:
        check.one_of(f"region {region.label!r}: role", region.role, style.ROLES)
        for side in (region.low, region.high):
            _curve(Series(region.label, region.x, side), log_x, log_y)
        if any(h < lo for lo, h in zip(region.low, region.high)):
            raise ValueError(f"region {region.label!r}: high: below low; must be at least low everywhere")
    for x, y, text in points:
        coordinate(f"point {text!r}: x", x, log_x)
        coordinate(f"point {text!r}: y", y, log_y)


def _range(field, given, values, log, pad) -> tuple[float, float]:
    if given is not None:
        low, high = (check.number(field, v, **({"above": 0} if log else {})) for v in given)
        if high <= low:
            raise ValueError(f"{field}: {high:g} is not allowed; the end must be above the start, {low:g}")
        return low, high
    low, high = float(min(values)), float(max(values))
    if log:
        if low == high:
            return low / 2, high * 2
        grow = (high / low) ** 0.06 if pad else 1.0
        return low / grow, high * grow
    if low == high:
        return low - abs(low) * 0.5 - 0.5, high + abs(high) * 0.5 + 0.5
    if pad:
        grow = 0.06 * (high - low)
        low, high = (0.0 if 0 <= low < 0.35 * high else low - grow), high + grow
    return low, high


def _ticks(low, high, log, most) -> list[float]:
    return ticks.logarithmic(low, high, most, 2 if log == 2 and log is not True else 10) if log else ticks.linear(low, high, most)


def _axis(axis, name, axes, log, limits, values, room, years=False) -> None:
    if log:
        getattr(axes, f"set_{name}scale")("log")
    getattr(axes, f"set_{name}lim")(*limits)
    names = [f"{v:.0f}" for v in values] if years else ticks.labels(values)
    if room is not None:  # thin the names where they would touch
        widest = max(text_width(n, style.SMALL) for n in names) + 8
        every = next((k for k in range(1, len(names) + 1) if len(names) / k * widest <= room), len(names))
        names = [n if i % every == 0 else "" for i, n in enumerate(names)]
    axis.set_major_locator(FixedLocator(values))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FixedFormatter(names))
    axis.set_tick_params(length=0, pad=4)
    for label in axis.get_ticklabels():
        label.set(fontproperties=font(style.SMALL), color=style.light("muted"), parse_math=False)
    axis.grid(True, color=style.light("grid"), linewidth=0.7)
    axes.set_axisbelow(True)


def _fraction(value, low, high, log) -> float:
    return float(np.log(value / low) / np.log(high / low)) if log else (value - low) / (high - low)


def _end(x, y, x_low, x_high, y_low, y_high, log_x, log_y) -> float | None:
    """The height, from 0 to 1, at which a curve leaves on the right; None where it ends earlier."""
    if _fraction(x[-1], x_low, x_high, log_x) < 0.985:
        return None
    at = _fraction(float(np.interp(x_high, x, y)), y_low, y_high, log_y)
    return at if -0.01 <= at <= 1.01 else None


def _spread(wanted: Sequence[float], heights: Sequence[float], room: float) -> list[float] | None:
    """Centres near the wanted ones that keep labels apart; None where they do not all fit."""
    if sum(heights) > room:
        return None
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    spots = list(wanted)
    for _ in range(200):
        moved = False
        for a, b in zip(order, order[1:]):
            lack = (heights[a] + heights[b]) / 2 - (spots[b] - spots[a])
            if lack > 0.01:
                spots[a] -= lack / 2
                spots[b] += lack / 2
                moved = True
        if not moved:
            break
    edge = -0.5 * heights[0]  # a label may pass the axes by half a line
    for a in order:
        spots[a] = max(spots[a], edge + heights[a] / 2)
        edge = spots[a] + heights[a] / 2
    edge = room + 0.5 * heights[0]
    for a in reversed(order):
        spots[a] = min(spots[a], edge - heights[a] / 2)
        edge = spots[a] - heights[a] / 2
    return spots


def _end_labels(axes, series, names, wanted, spots, plot_width, plot_height) -> None:
    indent = 10 if any(abs(end - spot) > 1.5 for end, spot in zip(wanted, spots)) else 6
    for i, (s, name, end, spot) in enumerate(zip(series, names, wanted, spots)):
        colour, rows = style.edge(s.role), name.split("\n")
        if abs(end - spot) > 1.5:
            axes.plot([1, 1 + 8 / plot_width], [1 - end / plot_height, 1 - spot / plot_height], transform=axes.transAxes,
                      color=colour, linewidth=0.7, clip_on=False, zorder=2, solid_capstyle="butt", gid=f"curve-{i}")
        for k, row in enumerate(rows):
            down = spot + 0.36 * style.SIZE + (k - (len(rows) - 1) / 2) * leading(style.SIZE)
            axes.text(1 + indent / plot_width, 1 - down / plot_height, row, transform=axes.transAxes,
                      color=colour, fontproperties=font(style.SIZE), verticalalignment="baseline", parse_math=False, zorder=5,
                      gid=f"curve-{i}")


def _legend(figure, series, left, width, height, top) -> float:
    """Samples of the lines with their names above the axes; returns the height used."""
    x, y = left, top + 6
    for i, s in enumerate(series):
        wide = 26 + text_width(s.label) + 16
        if x > left and x + wide > width:
            x, y = left, y + leading(style.SIZE) + 2
        sample = Line2D([x / width, (x + 22) / width], [1 - (y - 3) / height] * 2, color=style.edge(s.role), linewidth=1.7,
                        transform=figure.transFigure, solid_capstyle="butt", gid=f"curve-{i}")
        if style.DASHES[s.dash]:
            sample.set_dashes(style.DASHES[s.dash])
        figure.add_artist(sample)
        figure.text((x + 26) / width, 1 - y / height, s.label, fontproperties=font(style.SIZE), color=style.light("ink"),
                    verticalalignment="baseline", parse_math=False, gid=f"curve-{i}")
        x += wide
    return y - top + 8


def _band(axes, band: Band, labels: Labels) -> None:
    span = axes.axvspan if band.axis == "x" else axes.axhspan
    span(band.start, band.end, facecolor=style.fill(band.role), alpha=0.5, linewidth=0, zorder=0.7, label=f"band:{band.label}")
    if band.label:
        labels.head(band)


def _dot(axes, x, y, **look) -> None:
    """A marker, whole at the border of the axes too."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    axes.plot([x], [y], markeredgecolor=style.light("ink"), linestyle="", zorder=5,
              clip_on=not (left <= x <= right and low <= y <= high), **look)


def _marks(axes, marks: Sequence[Mark], labels: Labels) -> None:
    ink = style.light("ink")
    for mark in marks:
        if mark.x is not None and mark.y is not None:
            _dot(axes, mark.x, mark.y, marker="o", markersize=5, markerfacecolor=ink, label="mark")
            labels.block(mark.x, mark.y)
        elif mark.x is not None:
            axes.axvline(mark.x, color=ink, linewidth=0.8, linestyle=(0, (4, 3)), zorder=2)
        else:
            axes.axhline(mark.y, color=ink, linewidth=0.8, linestyle=(0, (4, 3)), zorder=2)
        if mark.x is None or mark.y is None:  # no label across a line, least of all across another mark's
            labels.avoid(axes.get_xlim() if mark.x is None else [mark.x] * 2, axes.get_ylim() if mark.y is None else [mark.y] * 2)
    for mark in marks:
        if mark.text:
            labels.put(mark.x, mark.y, mark.text)


def _describe(series, curves, x_label, y_label, log_x, log_y, marks, points, years) -> str:
    n = ticks.amount
    scales = {(False, False): "linear axes", (True, True): "logarithmic axes", (True, False): "a logarithmic x axis",
              (False, True): "a logarithmic y axis"}[bool(log_x), bool(log_y)]
    text = [f"Plot of “{y_label}” against “{x_label}”, on {scales}."]
    for s, (x, y) in zip(series, curves):
        sentence = f"{s.label or 'The curve'}: from {n(y[0])} at {n(x[0])} to {n(y[-1])} at {n(x[-1])}"
        low, high = int(y.argmin()), int(y.argmax())
        if y[high] > max(y[0], y[-1]):
            sentence += f", highest {n(y[high])} at {n(x[high])}"
        if y[low] < min(y[0], y[-1]):
            sentence += f", lowest {n(y[low])} at {n(x[low])}"
        text.append(sentence + ".")
    for mark in marks:
        at = ", ".join(f"{axis} = {n(v)}" for axis, v in (("x", mark.x), ("y", mark.y)) if v is not None)
        text.append(f"{mark.text or 'Mark'}: {at}.")
    name = "Measured point" if series else "Point"
    text += [f"{name}{', ' + label if label else ''}: {n(y)} {f'in {x:.0f}' if years else f'at {n(x)}'}." for x, y, label in points]
    return " ".join(text).replace("\n", " ")
