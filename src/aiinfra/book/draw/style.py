"""The one visual language of the book: sizes, colours and the roles that use them.

Matplotlib draws with the light hex values below. In HTML each of them becomes a CSS custom property
(``--draw-blue``), so one drawing reads well on a light and on a dark page; print and EPUB keep the hex.
Every hue has a strong tone for lines and edges and a ``-fill`` tone on which ink-coloured text stays readable.
"""

from __future__ import annotations

TEXT_WIDTH = 382.0  # points: the text width of the printed page
SIZE = 8.5  # points, text
SMALL = 7.5  # points, tick labels and details
LINE = 0.8  # points, edges
WIDEST, NARROWEST = 46, 32  # rem on a screen for a drawing of the full text width
FONT = "DejaVu Sans"  # ships with Matplotlib, so a drawing is the same on every machine
FONT_STACK = "var(--draw-font,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif)"

#: name: (light, dark). The six hues differ in lightness too, so that red-green blind readers can tell them apart.
COLOURS = {
    "ink": ("#1c2127", "#e3e6e9"),
    "muted": ("#59636e", "#a3adb7"),
    "grid": ("#dde2e7", "#353b42"),
    "surface": ("#fffffe", "#131416"),
    "blue": ("#0a62b8", "#63b8f2"),
    "blue-fill": ("#b5d3f5", "#113f72"),
    "orange": ("#a06a00", "#f2bd3e"),
    "orange-fill": ("#fde5a8", "#64400c"),
    "green": ("#0b5c49", "#35cf9a"),
    "green-fill": ("#b4ecd0", "#125442"),
    "purple": ("#b5409c", "#f19ad6"),
    "purple-fill": ("#f3c3dd", "#682f60"),
    "red": ("#992b10", "#f4744a"),
    "red-fill": ("#fdbca9", "#571c0c"),
    "slate": ("#68727c", "#8d969f"),
    "slate-fill": ("#e8ebef", "#2b323b"),
}

#: What a colour stands for, the same in every figure of the book.
ROLES = {
    "weights": "blue",
    "memory": "blue",
    "kv": "orange",
    "activations": "green",
    "compute": "green",
    "link": "purple",
    "over": "red",
    "highlight": "red",
    "host": "slate",
    "other": "slate",
    "wait": "slate",  # always hatched
    "free": "slate",  # always empty, with a dashed edge
}
SERIES = ("weights", "kv", "compute", "link", "over", "other")  # the order in which a plot hands out colours
DASHES = ((), (5, 2), (1.2, 1.6), (7, 2, 1.2, 2), (9, 2.5), (3, 1.5, 1.2, 1.5, 1.2, 1.5))  # told apart without colour


def light(name: str) -> str:
    """The hex value that stands for a colour in Matplotlib."""
    return COLOURS[name][0]


def edge(role: str) -> str:
    """The strong tone of a role."""
    return light(ROLES[role])


def fill(role: str) -> str:
    """The tone of a role that text can stand on."""
    return light("surface") if role in ("free", "wait") else light(ROLES[role] + "-fill")


def _properties(tone: int) -> str:
    return "".join(f"--draw-{name}:{tones[tone]};" for name, tones in COLOURS.items())


#: The style sheet of the drawings, for a page whose body carries ``data-theme`` (light, dark or auto).
#: On a narrow screen a drawing keeps a readable width (set on each) and scrolls inside its own box.
CSS = f"""\
body{{{_properties(0)}}}
@media not print{{
body[data-theme="dark"]{{{_properties(1)}}}
@media(prefers-color-scheme:dark){{body[data-theme="auto"]{{{_properties(1)}}}}}
}}
.draw{{overflow-x:auto;margin:1em 0}}
.draw>svg{{display:block;width:100%;height:auto;margin:0 auto}}
@media print{{.draw>svg{{min-width:0!important}}}}
"""
