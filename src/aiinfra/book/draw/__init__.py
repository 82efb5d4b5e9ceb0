"""The drawing kit of the book: plots and diagrams, to scale, in one visual language.

It takes plain numbers and labels and knows nothing of Sphinx or SymPy::

    figure = timeline([Row("GPU", [Span(0, 100, "prefill")])], "ms")
    drawing = render(figure, "one-request", "One request on a timeline")
    drawing.html, drawing.standalone, drawing.pdf
"""

from .memory import Bar, Part, memory
from .path import Hop, Node, path
from .plot import Band, Mark, Region, Series, lines
from .render import Drawing, render
from .sheet import Picture
from .style import CSS, ROLES, TEXT_WIDTH
from .tiles import tiles
from .timeline import Row, Span, timeline
from .topology import topology

__all__ = [
    "CSS", "ROLES", "TEXT_WIDTH", "Band", "Bar", "Drawing", "Hop", "Mark", "Node", "Part", "Picture", "Region", "Row",
    "Series", "Span", "lines", "memory", "path", "render", "tiles", "timeline", "topology",
]
