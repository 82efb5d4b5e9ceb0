"""Estimates of whole deployments in the book: published serving measurements beside their bound and what was expected."""

from __future__ import annotations

from docutils import nodes

from aiinfra import catalog
from aiinfra.book import base
from aiinfra.book.base import BookDirective
from aiinfra.book.counted import counted
from aiinfra.errors import BadValue, unknown
from aiinfra.scenario.published import Compared, comparable, compare


class PredictionsDirective(BookDirective):
    """``{predictions}``: every published serving measurement beside the bound and the range that its scenario gives.

    A measurement that beats its bound fails the build, unless a line of the body explains it: ``KEY: why``.
    """

    has_content = True

    @base.guarded
    def run(self) -> list[nodes.Node]:
        for name in ("measurements.toml", "devices", "models"):
            self.env.note_dependency(str(base.PACKAGE / "catalog" / name))
        explained = dict(line.split(": ", 1) for line in self.content if ": " in line)
        known = [m.key for m in comparable()]
        for key in explained:
            if key not in known:
                raise unknown("measurement", key, known)
        rows, foreseen = [], 0
        for m in comparable():
            found = compare(m)
            if not found.possible and m.key not in explained:
                raise BadValue(f"{m.key}: {m.value.text()} is measured, and {found.bound} is the bound: explain it or mend one of them")
            foreseen += found.foreseen
            cite, messages = self.parse_inline(f"{{cite}}`{m.source}`", lineno=self.lineno)
            batch = f", batch {m.batch}" if m.batch else ""
            formats = f", {m.weights.upper()}" if m.weights else ""
            machine = f"{m.devices} × {catalog.device(m.device).name}"
            what = f"{catalog.model(m.model).name}{formats}, {machine}: {m.prompt} + {m.answer} tokens{batch}; "
            why = f" {explained[m.key]}" if m.key in explained else ""
            unit = m.value.unit.text
            cells = [base.shown(found.bound, unit), [*base.shown(found.slow, unit), nodes.Text(" to "), *base.shown(found.fast, unit)]]
            measured = base.shown(m.value, unit)
            share = f"{100 * found.share:.0f}\N{NO-BREAK SPACE}%"
            rows.append([[nodes.Text(f"{what}{m.what} "), *cite, *messages, nodes.Text(why)], *cells, measured, share, residual(found)])
        title = f"{len(rows)} published measurements beside their bounds; {foreseen} lie in the range that was expected"
        box = counted(self, "comparison", title)
        head = ["Deployment and quantity", "Bound", "Expected, slow to fast", "Measured", "Of the bound", "Residual"]
        box += base.make_table(head, rows, [31, 17, 18, 16, 7, 11], "ledger-table", "longtable")
        return [box]


def residual(found: Compared) -> str:
    """How far a measurement lies outside the range that was expected, in its own quantity."""
    if found.foreseen:
        return "in the range"
    low, high = sorted((found.slow.value, found.fast.value))
    value = found.measurement.value.value
    end, side = (low, "below") if value < low else (high, "above")
    return f"{100 * abs(value / end - 1):.0f}\N{NO-BREAK SPACE}% {side}"
