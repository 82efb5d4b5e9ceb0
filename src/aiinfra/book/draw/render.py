"""A figure as SVG for a page, SVG for a file and PDF for print, each the same bytes on every run."""

from __future__ import annotations

import io
import os
import re
import threading
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import matplotlib
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from . import check, style

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_NAMES = {tones[0]: name for name, tones in style.COLOURS.items()}

# Matplotlib reads these only while it writes, from one global table: hold a lock, and a fresh one after a fork.
_RC = {"svg.fonttype": "none", "svg.hashsalt": "aiinfra", "pdf.fonttype": 42, "pdf.compression": 6}
_lock = threading.Lock()


def _fresh_lock() -> None:
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fresh_lock)


def _write(figure: Figure, canvas, write: str, metadata: dict) -> bytes:
    out = io.BytesIO()
    with _lock, matplotlib.rc_context(_RC):
        getattr(canvas(figure), write)(out, metadata=metadata)
    return out.getvalue()


@dataclass(frozen=True)
class Drawing:
    """A figure under a name that is unique in its page, with a title and a text alternative."""

    figure: Figure
    name: str
    title: str
    description: str

    @cached_property
    def svg(self) -> str:
        """For an HTML page: no fixed size, colours through custom properties with the light value as fallback."""
        themed = re.sub(r"#[0-9a-f]{6}\b", lambda m: f"var(--draw-{_NAMES[m[0]]},{m[0]})" if m[0] in _NAMES else m[0],
                        self._body)
        share = self.figure.get_figwidth() * 72 / style.TEXT_WIDTH
        return self._svg(themed, f'style="font-family:{style.FONT_STACK};max-width:{share * style.WIDEST:.4g}rem;'
                                 f'min-width:{share * style.NARROWEST:.4g}rem"')

    @cached_property
    def html(self) -> str:
        """The SVG in the box that the style sheet knows."""
        return f'<div class="draw">{self.svg}</div>'

    @cached_property
    def standalone(self) -> str:
        """For a file of its own, as EPUB needs it: literal light colours on white."""
        width, height = self._size
        white = f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        attributes = f'width="{width}" height="{height}" font-family="\'DejaVu Sans\',Helvetica,Arial,sans-serif"'
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + self._svg(white + self._body, attributes)

    @cached_property
    def pdf(self) -> bytes:
        """For print: light colours, TrueType fonts embedded."""
        metadata = {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None, "Title": self.title}
        return _write(self.figure, FigureCanvasPdf, "print_pdf", metadata)

    @cached_property
    def _size(self) -> tuple[str, str]:
        width, height = self.figure.get_size_inches() * 72
        return f"{width:.5g}", f"{height:.5g}"

    @cached_property
    def _body(self) -> str:
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        return _strip(_write(self.figure, FigureCanvasSVG, "print_svg", metadata), self.name)

    def _svg(self, body: str, attributes: str) -> str:
        width, height = self._size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
                f'aria-labelledby="{self.name}-title {self.name}-desc" stroke-linejoin="round" {attributes}>\n'
                f'<title id="{self.name}-title">{escape(self.title)}</title>\n'
                f'<desc id="{self.name}-desc">{escape(self.description)}</desc>\n{body}</svg>\n')


def render(figure: Figure, name: str, title: str, description: str | None = None) -> Drawing:
    """Make a drawing; without a ``description`` the figure's own, generated from its values, is used."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise ValueError(f"name: {name!r} is not allowed; must be letters, digits, - and _, a letter first")
    check.text("title", title, empty=False)
    description = getattr(figure, "description", "") if description is None else description
    check.text("description", description, empty=False)
    return Drawing(figure, name, title, description)


def _strip(source: bytes, name: str) -> str:
    """What Matplotlib drew without its scaffolding: shapes and text, with ids that begin with ``name``."""
    root = ElementTree.fromstring(source)
    ids: dict[str, str] = {}

    def own(old: str) -> str:
        return ids.setdefault(old, f"{name}-{len(ids) + 1}")

    def refer(value: str) -> str:
        return re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{own(m[1])})", value)

    def children(element) -> str:
        return "".join(write(child) for child in element)

    def write(element) -> str:
        tag = element.tag.removeprefix(_SVG)
        if not isinstance(element.tag, str) or tag in ("style", "title") or tag.endswith("}metadata") or tag == "metadata":
            return ""
        attributes = {}
        for key, value in element.attrib.items():
            if key == _HREF:
                attributes["href"] = "#" + own(value[1:])
            elif key == "id":
                if tag in ("clipPath", "pattern", "path"):
                    attributes["id"] = own(value)
                elif re.fullmatch(r"curve-\d+", value):  # what belongs to one curve of a plot, so that a page can hide it
                    attributes["class"] = value
            elif key == "style":
                attributes["style"] = _declarations(refer(value))
            elif key == "transform":
                value = re.sub(r"rotate\(-?0 [^)]*\)", "", value).strip()
                if value:
                    attributes[key] = _short(value)
            else:
                attributes[key] = _short(refer(value)) if key != "patternUnits" else value
        if tag == "g" and not attributes:
            return children(element)
        text = escape(element.text) if tag == "text" and element.text else ""
        inside = text + children(element)
        if tag in ("defs", "g") and not inside:
            return ""
        opening = tag + "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items() if value)
        end = "" if tag in ("pattern", "clipPath") else "\n"
        return f"<{opening}>{inside}</{tag}>{end}" if inside else f"<{opening}/>{end}"

    body = children(root)
    return _unused(body, ids.values())


def _unused(body: str, ids) -> str:
    """Drop the ids that nothing refers to."""
    for name in ids:
        if f"#{name})" not in body and f'"#{name}"' not in body:
            body = body.replace(f' id="{name}"', "")
    return body


def _short(value: str) -> str:
    """Coordinates to a hundredth of a point, on one line."""
    value = re.sub(r"-?\d+\.\d+(?:e-?\d+)?", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), value)
    return " ".join(value.split()).replace("-0 ", "0 ")


def _declarations(value: str) -> str:
    """CSS without blanks; the font family is the page's, so only size and weight stay."""
    kept = []
    for declaration in filter(None, (part.strip() for part in value.split(";"))):
        key, _, what = (part.strip() for part in declaration.partition(":"))
        if key == "font":
            size = re.search(r"([\d.]+)px", what)
            kept.append(f"font-size:{float(size[1]):g}px")
            if re.search(r"\b(bold|700)\b", what):
                kept.append("font-weight:700")
        elif (key, what) not in {("stroke-linejoin", "round"), ("stroke-linecap", "butt"), ("text-anchor", "start"),
                                 ("stroke-linejoin", "miter"), ("stroke-opacity", "1"), ("fill-opacity", "1")}:
            kept.append(f"{key}:{what}")
    return ";".join(kept)
