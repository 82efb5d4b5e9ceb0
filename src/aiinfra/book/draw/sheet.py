"""A sheet to draw on: points from the top left, on a Matplotlib figure without axes or global state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from . import check, style


class Picture(Figure):
    """A Matplotlib figure that can say in words what it shows."""

    description: str = ""
    series: Sequence = ()  # the curves of a plot with the roles and dashes that they were given


@lru_cache(maxsize=64)
def font(size: float, bold: bool = False) -> FontProperties:
    return FontProperties(family=style.FONT, size=size, weight="bold" if bold else "normal")


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = style.SIZE, bold: bool = False) -> float:
    """Width in points of the longest line of a text."""
    measure = text_to_path.get_text_width_height_descent
    return max((float(measure(line, font(size, bold), False)[0]) for line in text.split("\n") if line), default=0.0)


def leading(size: float) -> float:
    """Distance between two base lines."""
    return 1.25 * size


def baseline(centre: float, size: float) -> float:
    """The base line of a text whose capitals are centred on a height."""
    return centre + 0.36 * size


def wrap(text: str, width: float, size: float = style.SIZE, bold: bool = False) -> str:
    """Break a text into lines no wider than ``width`` where its spaces allow it."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, size, bold) > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return "\n".join(lines)


class Sheet:
    """Collects shapes; ``finish`` fixes the height and gives the figure."""

    def __init__(self, width: float = style.TEXT_WIDTH):
        self.width = check.number("width", width, least=200)
        self.figure = Picture(figsize=(self.width / 72, 1), facecolor="none")
        self._points = Affine2D()
        self._transform = self._points + self.figure.dpi_scale_trans
        self._reach: list[float] = []

    def add(self, artist, left: float, right: float, name: str = ""):
        self._reach += [left, right]
        artist.set_transform(self._transform)
        artist.set_label(name or "_")
        artist.set_clip_on(False)
        self.figure.add_artist(artist, clip=False)
        return artist

    def box(self, x, y, width, height, role: str, *, name: str = "", hatch: bool = False, strong: bool = False):
        """A rectangle in the colours of a role; its face has exactly the given size."""
        patch = Rectangle((x, y), width, height, facecolor=style.fill(role), edgecolor=style.edge(role),
                          linewidth=style.LINE, zorder=2)
        if role == "free":
            patch.set_linestyle((0, (3, 2)))
        if hatch or role == "wait":
            patch.set_hatch("////")
            patch.set_hatch_linewidth(0.5)
        if strong:
            patch.set(edgecolor=style.light("ink"), linewidth=1.8, zorder=3)
        return self.add(patch, x, x + width, name)

    def plate(self, x, y, width, height, colour: str = style.light("surface")):
        """Plain ground behind a label, over lines and patterns."""
        return self.add(Rectangle((x, y), width, height, facecolor=colour, edgecolor="none", zorder=3.5), x, x + width)

    def node(self, x, y, width, height, role: str, *, name: str = ""):
        """A rounded box: a thing, not a quantity."""
        patch = FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=3", linewidth=style.LINE,
                               facecolor=style.fill(role), edgecolor=style.edge(role), zorder=2)
        return self.add(patch, x, x + width, name)

    def line(self, xs: Sequence[float], ys: Sequence[float], *, colour: str = "muted", width: float = style.LINE,
             dashes: Sequence[float] = (), name: str = "", zorder: float = 1):
        line = Line2D(xs, ys, color=style.light(colour), linewidth=width, zorder=zorder,
                      solid_capstyle="butt", dash_capstyle="butt")
        if dashes:
            line.set_dashes(list(dashes))
        known = [value for value in xs if value == value]  # NaN breaks a line
        return self.add(line, min(known), max(known), name)

    def arrow(self, x, y, dx: float, dy: float, *, colour: str = "muted", size: float = 5):
        """An arrow head with its tip at (x, y), pointing along the unit vector (dx, dy)."""
        back, half = size, size * 0.42
        tip = [(x, y), (x - back * dx - half * dy, y - back * dy + half * dx),
               (x - back * dx + half * dy, y - back * dy - half * dx)]
        return self.add(Polygon(tip, closed=True, facecolor=style.light(colour), edgecolor="none", zorder=3), x, x)

    def text(self, x, y, text: str, *, align: str = "left", size: float = style.SIZE, colour: str = "ink",
             bold: bool = False, centred: bool = False):
        """Lines of text from a first base line, or ``centred`` on a height. Never read as mathtext."""
        lines = text.split("\n")
        if centred:
            y = baseline(y, size) - leading(size) * (len(lines) - 1) / 2
        for i, line in enumerate(lines):  # one artist a line keeps the anchor when the page has another font
            wide = text_width(line, size, bold)
            left = x - {"left": 0, "center": wide / 2, "right": wide}[align]
            self.add(Text(x, y + i * leading(size), line, fontproperties=font(size, bold), color=style.light(colour),
                          horizontalalignment=align, verticalalignment="baseline", parse_math=False, zorder=4),
                     left, left + wide)

    def key(self, entries: dict[str, str], x: float, y: float) -> float:
        """A line or more of colour patches with their meaning; returns the height used."""
        left, top = x, y
        for role, meaning in entries.items():
            check.one_of("key", role, style.ROLES)
            width = 14 + text_width(check.text("key", meaning, empty=False), style.SMALL) + 14
            if x > left and x + width > self.width:
                x, y = left, y + 13
            self.box(x, y, 10, 8, role)
            self.text(x + 14, y + 4, meaning, size=style.SMALL, centred=True)
            x += width
        return y - top + 16 if entries else 0.0

    def finish(self, height: float, description: str) -> Picture:
        """Cut to what was drawn, so that a narrow drawing stays readable on a narrow screen."""
        left, right = min(self._reach) - 2, max(self._reach) + 2
        self.figure.set_size_inches((right - left) / 72, height / 72)
        self._points.scale(1, -1).translate(-left, height).scale(1 / 72)
        self.figure.description = description
        return self.figure
