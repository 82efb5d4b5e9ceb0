"""Finds room for the labels inside a plot: next to their point, off the curves and off each other."""

from __future__ import annotations

import numpy as np

from . import style
from .sheet import font, leading, text_width

Rect = tuple[float, float, float, float]  # left, bottom, right, top in points inside the axes


class Labels:
    def __init__(self, axes, width: float, height: float):
        self.axes, self.width, self.height = axes, width, height
        self.samples: list[np.ndarray] = []
        self.taken: list[Rect] = []

    def _points(self, x, y) -> np.ndarray:
        """Data to points from the lower left corner of the axes."""
        inside = (self.axes.transData - self.axes.transAxes).transform(np.column_stack([np.atleast_1d(x), np.atleast_1d(y)]))
        return inside * [self.width, self.height]

    def avoid(self, x, y) -> None:
        """Keep labels off a curve."""
        at = self._points(x, y)
        for a, b in zip(at, at[1:]):
            steps = int(min(max(np.hypot(*(b - a)) // 4, 1), 200))
            self.samples.append(a + (b - a) * np.linspace(0, 1, steps, endpoint=False)[:, None])

    def block(self, x: float, y: float, radius: float = 4) -> None:
        """Keep labels off a marker."""
        (a, b), = self._points(x, y)
        self.taken.append((a - radius, b - radius, a + radius, b + radius))

    def put(self, x: float | None, y: float | None, text: str, *, centred: bool = False) -> None:
        """Write a label beside a point, a vertical line (no y) or a level (no x), where it disturbs least."""
        wide = text_width(text, style.SMALL)
        high = leading(style.SMALL) * (text.count("\n") + 1)
        if centred:
            (a, b), = self._points(x, y)
            spots = [(a - wide / 2 + dx, b - high / 2 + dy) for dy in (0, -14, 14, -28, 28) for dx in (0, -30, 30, -60, 60)]
        elif y is None:
            (a, _), = self._points(x, self.axes.get_ylim()[0])
            levels = np.arange(self.height - high - 1, 2, -6)
            spots = [(left, bottom) for bottom in levels for left in (a + 4, a - wide - 4)]
        elif x is None:
            (_, b), = self._points(self.axes.get_xlim()[0], y)
            across = np.linspace(4, self.width - wide - 4, 12)
            spots = [(left, bottom) for bottom in (b + 2, b - high - 2) for left in across]
        else:
            (a, b), = self._points(x, y)
            spots = [(left, bottom) for away in (7, 14, 24) for left, bottom in (
                (a + away, b + away / 2 - 3), (a + away, b - high - away / 2 + 3), (a - wide - away, b + away / 2 - 3),
                (a - wide - away, b - high - away / 2 + 3), (a - wide / 2, b + away), (a - wide / 2, b - high - away))]
        self._write(*min(enumerate(spots), key=lambda s: (self._cost(*s[1], wide, high), s[0]))[1], wide, high, text)

    def head(self, band) -> None:
        """The name of a band, at its top or at its left."""
        wide, high = text_width(band.label, style.SMALL), leading(style.SMALL) * (band.label.count("\n") + 1)
        if band.axis == "x":
            low, top = self.axes.get_xlim(), self.axes.get_ylim()[1]
            (a, _), (b, _) = self._points([max(band.start, low[0]), min(band.end, low[1])], [top, top])
            left = min(max((a + b) / 2 - wide / 2, 0), self.width - wide)
            self._write(left, self.height - high - 1, wide, high, band.label)
        else:
            x, low = self.axes.get_xlim()[0], self.axes.get_ylim()
            (_, a), (_, b) = self._points([x, x], [max(band.start, low[0]), min(band.end, low[1])])
            self._write(5, (a + b) / 2 - high / 2, wide, high, band.label)

    def _cost(self, left: float, bottom: float, wide: float, high: float) -> float:
        right, top = left + wide, bottom + high
        cost = 40.0 * (max(0, -left) + max(0, right - self.width) + max(0, -bottom) + max(0, top - self.height))
        if self.samples:
            at = np.concatenate(self.samples)
            cost += 10.0 * np.count_nonzero((at[:, 0] > left - 2) & (at[:, 0] < right + 2) & (at[:, 1] > bottom - 1) & (at[:, 1] < top + 1))
        for a, b, c, d in self.taken:
            cost += 5.0 * max(0, min(right, c) - max(left, a)) * max(0, min(top, d) - max(bottom, b))
        return cost

    def _write(self, left: float, bottom: float, wide: float, high: float, text: str) -> None:
        self.taken.append((left, bottom, left + wide, bottom + high))
        for k, row in enumerate(text.split("\n")):
            y = bottom + high - (k + 0.78) * leading(style.SMALL)
            self.axes.text(left / self.width, y / self.height, row, transform=self.axes.transAxes, color=style.light("ink"),
                           fontproperties=font(style.SMALL), verticalalignment="baseline", parse_math=False, zorder=6)
