"""Rows of boxes along one scale: what a timeline and a memory figure share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from . import style
from .sheet import Sheet, leading, text_width, wrap

PAD = 3.5  # points between a box and the text in it
LABEL_WIDTH = 96.0  # points, the widest row label before it wraps


@dataclass
class Box:
    """A length on the scale with its label; ``short`` is the label on one line."""

    start: float
    end: float
    label: str
    short: str
    role: str
    name: str
    hatch: bool = False
    strong: bool = False
    divisions: int = 1


@dataclass
class Lane:
    """A row of boxes, the room it wants below, and the labels that found no room in its boxes."""

    label: str
    boxes: Sequence[Box]
    below: float = 0.0
    outside: list[tuple[Box, int]] = field(default_factory=list)
    top: float = 0.0  # of the bar, once placed

    @property
    def lanes(self) -> int:
        return max((lane for _, lane in self.outside), default=-1) + 1


class Rows:
    """Lays out lanes on a sheet: labels left, boxes right, narrow boxes labelled above."""

    def __init__(self, sheet: Sheet, lanes: Sequence[Lane], largest: float, bar: float, gap: float, right: float = 0.0):
        self.sheet, self.lanes, self.bar, self.gap = sheet, lanes, bar, gap
        names = [wrap(lane.label, LABEL_WIDTH) for lane in lanes]
        self.names = names
        self.left = max(text_width(name) for name in names) + 10 if any(names) else 2.0
        room = sheet.width - self.left - max(right, 2.0)
        self.scale = room / largest
        for _ in range(6):  # labels above a box near the right end may need a smaller scale
            over = max((self._place(lane) for lane in lanes), default=0.0)
            if over <= 0.01:
                break
            room -= over
            self.scale = room / largest

    def x(self, value: float) -> float:
        return self.left + value * self.scale

    def _place(self, lane: Lane) -> float:
        """Choose the labels that go above the bar; return by how much the widest passes the sheet."""
        lane.outside = []
        taken: list[tuple[float, float, int]] = []
        over = 0.0
        for box in sorted(lane.boxes, key=lambda b: -(b.start + b.end)):
            if not box.label or self._inside(box)[0]:
                continue
            start = self.x((box.start + box.end) / 2)
            end = start + PAD + text_width(box.short, style.SMALL) + 6
            level = 0
            while any(at == level and start < right and left < end for left, right, at in taken):
                level += 1
            taken.append((start, end, level))
            lane.outside.append((box, level))
            over = max(over, end - 6 - self.sheet.width)
        return over

    def _inside(self, box: Box) -> tuple[str, float]:
        """The form and the size of the label that fits in the box, or an empty string."""
        room = (box.end - box.start) * self.scale - 2 * PAD
        for size in (style.SIZE, style.SMALL):
            for label in (box.short, box.label, wrap(box.short, room, size)):
                if text_width(label, size) <= room and (label.count("\n") + 1) * leading(size) <= self.bar:
                    return label, size
        return "", style.SIZE

    def draw(self, y: float) -> float:
        """Draw every lane from ``y`` down; returns the bottom of the last."""
        sheet, line = self.sheet, leading(style.SMALL)
        for lane, name in zip(self.lanes, self.names):
            lane.top = y + lane.lanes * line + (3 if lane.lanes else 0)
            if name:
                sheet.text(self.left - 8, lane.top + self.bar / 2, name, align="right", centred=True)
            for box in lane.boxes:
                self._draw(box, lane.top)
            for box, level in lane.outside:
                x, base = self.x((box.start + box.end) / 2), lane.top - 4 - level * line
                sheet.line([x, x], [base - style.SMALL * 0.75, lane.top], width=0.6)
                sheet.plate(x + 2, base - 7, text_width(box.short, style.SMALL) + 2, line)
                sheet.text(x + 3, base, box.short, size=style.SMALL)
            y = lane.top + self.bar + lane.below + self.gap
        return y - self.gap

    def _draw(self, box: Box, top: float) -> None:
        x, width = self.x(box.start), (box.end - box.start) * self.scale
        self.sheet.box(x, top, width, self.bar, box.role, name=box.name, hatch=box.hatch, strong=box.strong)
        if box.divisions > 1 and width / box.divisions >= 1.5:
            edges = [x + width * i / box.divisions for i in range(1, box.divisions)]
            self._ruling(edges, top, box.role)
        label, size = self._inside(box)
        if label:
            middle = top + self.bar / 2
            if box.hatch or box.role == "wait" or box.divisions > 1:
                wide, high = text_width(label, size) + 4, (label.count("\n") + 1) * leading(size)
                self.sheet.plate(x + (width - wide) / 2, middle - high / 2, wide, high, style.fill(box.role))
            self.sheet.text(x + width / 2, middle, label, align="center", size=size, centred=True)

    def _ruling(self, edges: Sequence[float], top: float, role: str) -> None:
        """All division lines of a box as one path."""
        xs: list[float] = []
        ys: list[float] = []
        for edge in edges:
            xs += [edge, edge, float("nan")]
            ys += [top, top + self.bar, float("nan")]
        self.sheet.line(xs, ys, colour=style.ROLES[role], width=0.4, zorder=3.1)
