"""What a page knows of a plot beyond its drawing: values to read, curves to switch off, and all numbers as a CSV file."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from html import escape
from pathlib import Path

from sphinx.util.osutil import relative_uri

from aiinfra.book.draw import style
from aiinfra.book.draw.sheet import Picture
from aiinfra.book.live.data import text

FOLDER = "_static/plots"


@dataclass(frozen=True)
class Plot:
    """The values of a plot: its curves, with the roles they were drawn in, its points, and where the axes stand in the drawing."""

    x: dict
    y: dict
    curves: tuple
    points: tuple
    box: tuple[float, float, float, float]  # left, top, width and height in per cent
    unit: str

    @classmethod
    def of(cls, figure: Picture, spec: dict, unit: str = "") -> Plot:
        """From what the drawing kit was told, and the figure that it made, which says where the axes are."""
        axes = figure.axes[0]
        (x_low, x_high), (y_low, y_high), place = axes.get_xlim(), axes.get_ylim(), axes.get_position()
        x = {"label": spec["x_label"], "log": bool(spec["log_x"]), "low": float(x_low), "high": float(x_high)}
        y = {"label": spec["y_label"], "log": bool(spec["log_y"]), "low": float(y_low), "high": float(y_high)}
        if spec.get("years"):
            x["years"] = True
        box = tuple(round(100 * float(share), 3) for share in (place.x0, 1 - place.y1, place.width, place.height))
        return cls(x, y, tuple(figure.series), tuple(spec.get("points", ())), box, unit)

    def script(self, name: str) -> str:
        """The values as the page reads them, to six digits; curves over the same x share one list."""
        shared: list[list[float]] = []
        series = []
        for curve in self.curves:
            xs = [_short(x) for x in curve.x]
            if xs not in shared:
                shared.append(xs)
            series.append({"label": curve.label, "role": curve.role, "xs": shared.index(xs), "ys": [_short(y) for y in curve.y]})
        points = [[_short(x), _short(y), label] for x, y, label in self.points]
        data = {"x": self.x, "y": self.y, "xs": shared, "series": series, "points": points}
        return f"(aiinfra.plots = aiinfra.plots || {{}})[{text(name)}] = {text(data)};\n"

    def csv(self) -> str:
        """A column of x and one for each curve, numbers in full; points stand below, with their names in a column of their own."""
        x, y = self.x["label"], self.y["label"]
        header = [f"{x} ({self.unit})" if self.unit and not x.endswith((f"({self.unit})", f" {self.unit}")) else x]
        header += [f"{curve.label}: {y}" if curve.label else y for curve in self.curves]
        if self.points:
            header += [f"points: {y}" if self.curves else y, "point"]
        columns = [dict(zip(curve.x, curve.y, strict=True)) for curve in self.curves]
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(header)
        for value in sorted({value for column in columns for value in column}):
            found = [_full(column[value]) if value in column else "" for column in columns]
            rows.writerow([_full(value), *found, *(["", ""] if self.points else [])])
        for value, height, label in self.points:
            rows.writerow([_full(value), *[""] * len(columns), _full(height), label])
        return out.getvalue()


def _short(value: float) -> float | int:
    short = float(f"{value:.6g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _full(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def html(builder, name: str, plot: Plot, drawing: str) -> str:
    """The drawing with its controls; writes the values of the plot beside the page."""
    folder = Path(builder.outdir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath(f"{name}.js").write_text(plot.script(name), encoding="utf-8")
    folder.joinpath(f"{name}.csv").write_text(plot.csv(), encoding="utf-8")
    address = relative_uri(builder.get_target_uri(builder.current_docname), f"{FOLDER}/{name}")
    buttons = "".join(
        f'<button type="button" aria-pressed="true" style="--curve:var(--draw-{style.ROLES[curve.role]})">{escape(curve.label)}</button>'
        for curve in plot.curves
        if len(plot.curves) > 1
    )
    group = f'<div class="plot-series" role="group" aria-label="Curves that are shown">{buttons}</div>' if buttons else ""
    link = f'<a href="{address}.csv" download>data (CSV)</a>'
    box = " ".join(f"{share:g}" for share in plot.box)
    tools = f'<div class="plot-tools">{group}{link}</div>'
    return f'<div class="plot" data-plot="{name}" data-src="{address}.js" data-box="{box}">{drawing}{tools}</div>'
