"""Where data flows and how fast: places joined by pipes as thick as their bandwidth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from . import check, style, ticks
from .sheet import Picture, Sheet, leading, text_width, wrap

THICKEST, THINNEST = 40.0, 2.5  # points
WIDEST_RATIO = 100.0  # beyond this a pipe in proportion would vanish, so thickness follows the logarithm


@dataclass(frozen=True)
class Node:
    """A place that holds data."""

    label: str
    detail: str = ""
    role: str = "memory"


@dataclass(frozen=True)
class Hop:
    """From one place to the next; ``label`` replaces the printed bandwidth."""

    bandwidth: float
    label: str = ""
    role: str = "link"


def path(nodes: Sequence[Node], hops: Sequence[Hop], unit: str = "GB/s", *, slowest: bool = True,
         width: float = style.TEXT_WIDTH) -> Picture:
    """Places in a row, or in a column where a row is too narrow; the slowest hop stands out."""
    nodes, hops = check.some("nodes", nodes), check.some("hops", hops)
    check.text("unit", unit, empty=False)
    if len(nodes) != len(hops) + 1:
        raise ValueError(f"hops: {len(hops)} given for {len(nodes)} nodes; must be one fewer than the nodes")
    for node in nodes:
        check.text("node label", node.label, empty=False)
        check.text("node detail", node.detail)
        check.one_of(f"node {node.label!r}: role", node.role, style.ROLES)
    for i, hop in enumerate(hops, 1):
        check.number(f"hop {i}: bandwidth", hop.bandwidth, above=0)
        check.text(f"hop {i}: label", hop.label)
        check.one_of(f"hop {i}: role", hop.role, style.ROLES)
    names = [hop.label or f"{ticks.amount(hop.bandwidth)} {unit}" for hop in hops]
    least = min(hop.bandwidth for hop in hops) if slowest and len(hops) > 1 else -1.0
    bold = [hop.bandwidth == least for hop in hops]
    thick, logarithmic = thicknesses([hop.bandwidth for hop in hops])
    note = "Pipe thickness: " + ("logarithm of the bandwidth" if logarithmic else "in proportion to the bandwidth")
    note += "; the slowest hop in bold." if any(bold) else "."

    sheet = Sheet(width)
    texts = [(wrap(node.label, 84, bold=True), wrap(node.detail, 84, style.SMALL)) for node in nodes]
    wide = [max(text_width(a, bold=True), text_width(b, style.SMALL)) + 14 for a, b in texts]
    spans = [max(text_width(wrap(name, 60), style.SMALL, True) + 10, 34.0) for name in names]
    draw = _across if sum(wide) + sum(spans) <= width - 2 else _down
    left, height = draw(sheet, nodes, hops, texts, wide, spans, names, thick, bold)
    sheet.text(left, height + 9, note, size=style.SMALL, colour="muted")
    return sheet.finish(height + 13, _describe(nodes, names, hops, bold, logarithmic))


def thicknesses(bandwidths: Sequence[float]) -> tuple[list[float], bool]:
    """Thickness of each pipe, and whether it follows the logarithm."""
    low, high = min(bandwidths), max(bandwidths)
    if high / low <= WIDEST_RATIO:
        return [THICKEST * b / high for b in bandwidths], False
    step = (THICKEST - THINNEST) / math.log(high / low)
    return [THINNEST + step * math.log(b / low) for b in bandwidths], True


def _node(sheet: Sheet, node: Node, text: tuple[str, str], x: float, y: float, wide: float, high: float) -> None:
    sheet.node(x, y, wide, high, node.role, name=f"node:{node.label}")
    label, detail = text
    rows = label.count("\n") + 1
    total = rows * leading(style.SIZE) + ((detail.count("\n") + 1) * leading(style.SMALL) if detail else 0)
    top = y + (high - total) / 2
    sheet.text(x + wide / 2, top + 0.8 * leading(style.SIZE), label, align="center", bold=True)
    if detail:
        sheet.text(x + wide / 2, top + rows * leading(style.SIZE) + 0.8 * leading(style.SMALL), detail,
                   align="center", size=style.SMALL)


def _high(text: tuple[str, str]) -> float:
    return (text[0].count("\n") + 1) * leading(style.SIZE) + (text[1].count("\n") + 1 if text[1] else 0) * leading(style.SMALL) + 12


def _across(sheet, nodes, hops, texts, wide, spans, names, thick, bold) -> tuple[float, float]:
    labels = [wrap(name, 60 if text_width(name, style.SMALL, True) > 60 else 200, style.SMALL) for name in names]
    above = max(label.count("\n") + 1 for label in labels) * leading(style.SMALL)
    high = max([THICKEST + 2 * above + 10] + [_high(text) for text in texts])
    spare = (sheet.width - 2 - sum(wide) - sum(spans)) / len(hops)
    spans = [span + min(spare, 60.0) for span in spans]
    left, middle = (sheet.width - sum(wide) - sum(spans)) / 2, 2 + high / 2
    x = left
    for i, node in enumerate(nodes):
        _node(sheet, node, texts[i], x, 2, wide[i], high)
        x += wide[i]
        if i < len(hops):
            sheet.box(x, middle - thick[i] / 2, spans[i], thick[i], hops[i].role, name=f"hop:{i}").set_zorder(1.5)
            lines = labels[i].count("\n")
            sheet.text(x + spans[i] / 2, middle - thick[i] / 2 - 4 - lines * leading(style.SMALL), labels[i], align="center",
                       size=style.SMALL, bold=bold[i])
            x += spans[i]
    return left, 2 + high + 4


def _down(sheet, nodes, hops, texts, wide, spans, names, thick, bold) -> tuple[float, float]:
    across, y = max([*wide, THICKEST + 20]), 2.0
    left = (sheet.width - across - max(text_width(n, style.SMALL, True) for n in names) / 2) / 2
    for i, node in enumerate(nodes):
        high = _high(texts[i])
        _node(sheet, node, texts[i], left, y, across, high)
        y += high
        if i < len(hops):
            sheet.box(left + (across - thick[i]) / 2, y, thick[i], 26, hops[i].role, name=f"hop:{i}").set_zorder(1.5)
            x = left + (across + thick[i]) / 2 + 7
            sheet.text(x, y + 13, names[i].replace("\n", " "), size=style.SMALL, bold=bold[i], centred=True)
            y += 26
    return left, y + 4


def _describe(nodes, names, hops, bold, logarithmic) -> str:
    parts = [nodes[0].label]
    for node, name in zip(nodes[1:], names):
        parts.append(f"{name} to {node.label}")
    text = "Data path from " + ", then ".join(parts).replace("\n", " ") + "."
    details = [f"{n.label}: {n.detail}" for n in nodes if n.detail]
    text += (" " + "; ".join(details).replace("\n", " ") + ".") if details else ""
    if any(bold):
        i = bold.index(True)
        text += f" The slowest hop is {nodes[i].label} to {nodes[i + 1].label}, {names[i]}.".replace("\n", " ")
        fastest = max(hop.bandwidth for hop in hops)
        text += f" The fastest is {ticks.amount(fastest / hops[i].bandwidth)} times as fast."
    return text + (" Pipe thickness follows the logarithm." if logarithmic else "")
