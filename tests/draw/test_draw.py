"""The drawing kit: to scale, self-contained, the same bytes every time, and strict about what it draws."""

import os
import re
import subprocess
import sys
import threading
from xml.etree import ElementTree

import pytest

from aiinfra.book.draw import (
    CSS,
    Band,
    Bar,
    Hop,
    Mark,
    Node,
    Part,
    Region,
    Row,
    Series,
    Span,
    lines,
    memory,
    path,
    render,
    style,
    ticks,
    tiles,
    timeline,
    topology,
)

WEIGHTS, CAPACITY = 141.1, 80.0


def request():
    return timeline([Row("compute", [Span(0, 100, "prefill", critical=True)]),
                     Row("memory", [Span(100, 778.4, "decode, 128 steps", "memory", divisions=128, critical=True)]),
                     Row("host", [Span(0, 1.5, "tokenise", "host"), Span(778.4, 780, "detokenise", "wait")])],
                    marks=[Mark(100, None, "first token")])


def fits():
    return memory([Bar("1 × H100", CAPACITY, [Part("weights", WEIGHTS)]),
                   Bar("8 × H100, each", CAPACITY, [Part("weights", WEIGHTS / 8), Part("KV cache", 21.5, "kv")])])


def levels():
    return path([Node("NVMe", role="host"), Node("host RAM"), Node("HBM", "80 GB"), Node("on-chip")], [Hop(7), Hop(64), Hop(3350)])


def curves():
    x = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    return lines([Series(f"{n} H100", x, [max(42.1 / n, v * 0.14 / n) for v in x]) for n in (1, 2, 8)], "batch size, requests",
                 "step time, ms", log_x=2, log_y=True, marks=[Mark(295, None, "ridge"), Mark(None, 50, "target"), Mark(8, 5.3, "step")],
                 bands=[Band(295, 512, "compute bound", role="compute")], points=[(16, 24.5, "measured")],
                 regions=[Region(x, [20] * 10, [40] * 10, "spread")])


FIGURES = {
    "request": request, "fits": fits, "levels": levels, "curves": curves,
    "switch": lambda: topology("switch", 8, link_label="450 GB/s one way", switch_label="NVLink switch"),
    "ring": lambda: topology("ring", 5, highlight=[0]),
    "mesh": lambda: topology("mesh", 8, label="MI300X"),
    "split": lambda: tiles(8192, 28672, 8192, 3584, labels={(0, j): f"GPU {j}" for j in range(8)}),
    "mask": lambda: tiles(8, 8, 1, 1, shaded=lambda i, j: j <= i, key={"weights": "computed", "free": "masked"}),
}


def named(figure, start):
    return [artist for artist in figure.get_children() if str(artist.get_label()).startswith(start)]


def width(box):
    return box.get_width()


# To scale -----------------------------------------------------------------------------------------------------------

def test_spans_are_to_scale():
    figure = request()
    prefill, = named(figure, "span:prefill")
    decode, = named(figure, "span:decode")
    token, = named(figure, "span:tokenise")
    assert width(decode) / width(prefill) == pytest.approx(678.4 / 100)
    assert width(token) / width(prefill) == pytest.approx(0.015)
    assert decode.get_x() == pytest.approx(prefill.get_x() + width(prefill))


def test_parts_and_capacity_are_to_scale():
    figure = fits()
    inside, beyond, shard = named(figure, "part:weights")
    cache, = named(figure, "part:KV")
    limit, = named(figure, "limit:80")
    assert (width(inside) + width(beyond)) / width(inside) == pytest.approx(WEIGHTS / CAPACITY)
    assert width(shard) / width(cache) == pytest.approx(WEIGHTS / 8 / 21.5)
    assert limit.get_xdata()[0] == pytest.approx(inside.get_x() + width(inside))
    assert beyond.get_hatch() and not inside.get_hatch()
    over, = named(figure, "over")
    assert over.get_xdata()[1] == pytest.approx(beyond.get_x() + width(beyond))


def test_free_memory_fills_up_to_what_is_usable():
    free, = named(memory([Bar("H100", 80, [Part("weights", 40)], usable=72)]), "part:free")
    part, = named(memory([Bar("H100", 80, [Part("weights", 40)], usable=72)]), "part:weights")
    assert width(free) / width(part) == pytest.approx(32 / 40)
    assert not named(memory([Bar("H100", 80, [Part("weights", 40)])], free=False), "part:free")


def test_pipes_are_in_proportion_or_say_that_they_are_not():
    fast, slow = named(path([Node("a"), Node("b"), Node("c")], [Hop(450), Hop(50)]), "hop:")
    assert fast.get_height() / slow.get_height() == pytest.approx(9)
    seven, pcie, hbm = (hop.get_height() for hop in named(levels(), "hop:"))
    assert seven < pcie < hbm
    assert "logarithm" in render(levels(), "levels", "Levels").svg
    assert "logarithm" in levels().description


def test_a_path_too_wide_for_a_row_stands_in_a_column():
    hops = named(path([Node(f"a place with a long name {i}") for i in range(6)], [Hop(b) for b in (10, 20, 30, 40, 50)]), "hop:")
    assert hops[1].get_width() / hops[0].get_width() == pytest.approx(2)
    assert hops[1].get_y() > hops[0].get_y()


def test_tiles_are_to_scale_and_the_last_ones_are_the_rest():
    found = {box.get_label(): box for box in named(tiles(1000, 1500, 400, 1000), "tile:")}
    whole, rest = found["tile:0,0"], found["tile:2,1"]
    assert len(found) == 6
    assert width(whole) / whole.get_height() == pytest.approx(1000 / 400)
    assert (width(rest) / width(whole), rest.get_height() / whole.get_height()) == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize("kind, links", [("switch", 6), ("ring", 6), ("mesh", 15)])
def test_every_topology_has_its_links(kind, links):
    figure = topology(kind, 6)
    assert len(named(figure, "link")) == links
    assert len(named(figure, "device:")) == 6


def test_curves_hold_the_given_values():
    axes, = curves().axes
    first = axes.lines[0]
    assert list(first.get_ydata()[:2]) == [42.1, 42.1]
    dashes = {line.get_label(): line._unscaled_dash_pattern for line in axes.lines if "H100" in line.get_label()}
    assert len({str(d) for d in dashes.values()}) == 3  # told apart without colour


def test_nothing_leaves_the_sheet():
    for name, make in FIGURES.items():
        figure = make()
        figure.draw_without_rendering()
        edge = figure.bbox.width + 1.5
        for text in figure.findobj(lambda artist: hasattr(artist, "get_text") and artist.get_text() and artist.get_visible()):
            box = text.get_window_extent()
            assert box.x0 > -1.5 and box.x1 < edge and box.y0 > -3 and box.y1 < figure.bbox.height + 3, (name, text.get_text())


# Output -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", FIGURES)
def test_svg_is_well_formed_small_and_self_contained(name):
    import gzip
    drawing = render(FIGURES[name](), name, "A <title> & more")
    root = ElementTree.fromstring(drawing.svg)
    assert drawing.svg.startswith("<svg ") and "width" not in root.attrib and root.get("role") == "img"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids)) and all(i.startswith(name + "-") for i in ids)
    assert set(root.get("aria-labelledby").split()) <= set(ids)
    references = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', drawing.svg)
    assert {a or b for a, b in references} <= set(ids)
    assert re.findall(r"https?://[^\"]*", drawing.svg) == ["http://www.w3.org/2000/svg"]
    assert "<style" not in drawing.svg and "<script" not in drawing.svg
    assert set(re.findall(r"#[0-9a-f]{6}", drawing.svg)) <= {light for light, _ in style.COLOURS.values()}
    assert len(gzip.compress(drawing.svg.encode())) < 8192


def test_two_drawings_share_no_id():
    def ids(name):
        return set(re.findall(r' id="([^"]+)"', render(curves(), name, "Curves").svg))
    assert not ids("one") & ids("two")


def test_text_stays_text():
    svg = render(request(), "request", "Request").svg
    assert ">prefill<" in svg or "prefill" in "".join(ElementTree.fromstring(svg).itertext())
    assert "$" in render(lines([Series("$1 and $2", [1, 2], [1, 2])], "x", "$ per $"), "money", "Money").svg


def test_colours_follow_the_theme_in_html_and_are_literal_elsewhere():
    drawing = render(fits(), "fits", "Fits")
    used = set(re.findall(r"var\((--draw-[a-z-]+),", drawing.svg)) - {"--draw-font"}
    assert {"--draw-ink", "--draw-blue", "--draw-blue-fill", "--draw-red"} <= used
    dark = CSS[CSS.index('body[data-theme="dark"]'):]
    assert all(f"{name}:" in CSS and f"{name}:" in dark for name in used)
    assert 'body[data-theme="auto"]' in CSS and "prefers-color-scheme:dark" in CSS
    assert drawing.standalone.startswith("<?xml") and "var(" not in drawing.standalone
    ElementTree.fromstring(drawing.standalone.encode())


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("tone", [0, 1])
def test_text_has_contrast_in_both_themes(tone):
    colours = {name: tones[tone] for name, tones in style.COLOURS.items()}
    for name, colour in colours.items():
        if name.endswith("-fill"):
            assert contrast(colours["ink"], colour) >= 7, name
        elif name not in ("surface", "grid"):
            assert contrast(colour, colours["surface"]) >= 4.5, name


CHILD = """
import hashlib
from test_draw import FIGURES, render
for name, make in FIGURES.items():
    d = render(make(), name, name)
    print(name, hashlib.sha256(d.svg.encode() + d.standalone.encode() + d.pdf).hexdigest())
"""


def test_bytes_do_not_depend_on_the_process():
    here = os.path.dirname(__file__)

    def start(seed):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([here, *sys.path])}
        return subprocess.Popen([sys.executable, "-c", CHILD], env=env, stdout=subprocess.PIPE, text=True)

    one, two = (child.communicate()[0] for child in [start("1"), start("2")])
    assert one == two and one.count("\n") == len(FIGURES)


def test_pdf_has_no_date_and_real_fonts():
    pdf = render(request(), "request", "Request").pdf
    assert pdf.startswith(b"%PDF") and b"CreationDate" not in pdf and b"/CIDFontType2" in pdf


def test_threads_do_not_disturb_each_other():
    want = render(curves(), "curves", "Curves").svg
    got = []
    workers = [threading.Thread(target=lambda: got.append(render(curves(), "curves", "Curves").svg)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert got == [want] * 4


def test_no_global_state():
    code = "import sys, aiinfra.book.draw; sys.exit(bool({'matplotlib.pyplot', 'sympy', 'sphinx'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).returncode == 0


def test_a_description_is_made_from_the_values_and_can_be_replaced():
    assert "61.1 GB too much" in fits().description
    assert "prefill from 0 to 100 ms" in request().description and "Critical path: prefill, decode" in request().description
    assert "478.6 times as fast" in levels().description
    assert "1 H100: from 42.1 at 1 to 71.68 at 512" in curves().description
    assert "8 devices" in FIGURES["switch"]().description and "28 links" in FIGURES["mesh"]().description
    assert "36 computed, 28 masked" in FIGURES["mask"]().description
    assert "<desc id=\"f-desc\">Mine</desc>" in render(fits(), "f", "Fits", "Mine").svg


def test_ticks_are_humane():
    assert ticks.labels(ticks.logarithmic(1, 100)) == ["1", "2", "5", "10", "20", "50", "100"]
    assert ticks.labels(ticks.logarithmic(1, 1000)) == ["1", "3", "10", "30", "100", "300", "1,000"]
    assert ticks.labels(ticks.logarithmic(1e3, 1e9)) == ["1k", "10k", "100k", "1M", "10M", "100M", "1G"]
    assert ticks.labels(ticks.logarithmic(1, 512, 9, 2)) == ["1", "4", "16", "64", "256"]
    assert ticks.labels(ticks.linear(0, 780, 6)) == ["0", "200", "400", "600"]
    assert ticks.labels(ticks.logarithmic(1e-6, 1e-3)) == ["10⁻⁶", "3·10⁻⁶", "10⁻⁵", "3·10⁻⁵", "10⁻⁴", "3·10⁻⁴", "10⁻³"]
    assert len(ticks.logarithmic(1.1, 1.9)) >= 3
    assert [ticks.amount(v) for v in (0, 141.1, 3350, 28672, 5.3, -2)] == ["0", "141.1", "3,350", "28,672", "5.3", "−2"]


# Refusals -----------------------------------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
ONE = [Series("a", [1, 2], [1, 2])]
REFUSED = {
    "no rows": (lambda: timeline([]), "rows: nothing"),
    "no spans": (lambda: timeline([Row("GPU", [])]), "row 'GPU': spans: nothing"),
    "span backwards": (lambda: timeline([Row("GPU", [Span(2, 1, "x")])]), "row 'GPU', span 1: end: 1 .* at least the start, 2"),
    "span from NaN": (lambda: timeline([Row("GPU", [Span(NAN, 1)])]), "start: nan"),
    "span before 0": (lambda: timeline([Row("GPU", [Span(-1, 1)])]), "start: -1"),
    "overlap": (lambda: timeline([Row("GPU", [Span(0, 2, "a"), Span(1, 3, "b")])]), "at least the end of 'a', 2"),
    "no time": (lambda: timeline([Row("GPU", [Span(0, 0)])]), "above 0"),
    "role": (lambda: timeline([Row("GPU", [Span(0, 1, role="pink")])]), "'pink' is not known; must be one of weights"),
    "mark outside": (lambda: timeline([Row("GPU", [Span(0, 1)])], marks=[Mark(2, None, "m")]), "at most the end, 1"),
    "divisions": (lambda: timeline([Row("GPU", [Span(0, 1, divisions=0)])]), "divisions: 0"),
    "no bars": (lambda: memory([]), "bars: nothing"),
    "no parts": (lambda: memory([Bar("b", 80, [])]), "bar 'b': parts: nothing"),
    "capacity 0": (lambda: memory([Bar("b", 0, [Part("w", 1)])]), "capacity: 0 .* above 0"),
    "size < 0": (lambda: memory([Bar("b", 80, [Part("w", -1)])]), "part 'w': size: -1"),
    "size text": (lambda: memory([Bar("b", 80, [Part("w", "1")])]), "size: '1' is not a number"),
    "size bool": (lambda: memory([Bar("b", 80, [Part("w", True)])]), "size: True is not a number"),
    "usable": (lambda: memory([Bar("b", 80, [Part("w", 1)], usable=81)]), "usable: 81 .* at most the capacity"),
    "hops": (lambda: path([Node("a"), Node("b")], [Hop(1), Hop(2)]), "one fewer than the nodes"),
    "bandwidth 0": (lambda: path([Node("a"), Node("b")], [Hop(0)]), "hop 1: bandwidth: 0"),
    "bandwidth inf": (lambda: path([Node("a"), Node("b")], [Hop(INF)]), "hop 1: bandwidth: inf"),
    "kind": (lambda: topology("star", 8), "'star' is not known; must be one of switch, ring, mesh"),
    "one device": (lambda: topology("ring", 1), "devices: 1"),
    "half devices": (lambda: topology("ring", 2.5), "devices: 2.5"),
    "highlight": (lambda: topology("ring", 4, highlight=[4]), "highlight: 4"),
    "rows 0": (lambda: tiles(0, 1, 1, 1), "rows: 0"),
    "tile too big": (lambda: tiles(4, 4, 5, 1), "tile_rows: 5"),
    "many tiles": (lambda: tiles(100, 100, 1, 1), "must be at most 1024"),
    "narrow": (lambda: tiles(1, 1000, 1, 10), "too narrow"),
    "label": (lambda: tiles(4, 4, 1, 1, labels={(4, 0): "x"}), "row of tile"),
    "label too long": (lambda: tiles(16, 16, 1, 1, labels={(0, 0): "a long name"}), "does not fit"),
    "no series": (lambda: lines([], "x", "y"), "series: nothing"),
    "lengths": (lambda: lines([Series("a", [1, 2], [1])], "x", "y"), "as many of each"),
    "NaN": (lambda: lines([Series("a", [1, 2], [1, NAN])], "x", "y"), "series 'a': y: nan"),
    "text": (lambda: lines([Series("a", [1, 2], [1, "b"])], "x", "y"), "not numbers"),
    "log of 0": (lambda: lines([Series("a", [0, 2], [1, 2])], "x", "y", log_x=True), "series 'a': x: 0 .* logarithmic"),
    "falling x": (lambda: lines([Series("a", [2, 1], [1, 2])], "x", "y"), "must rise"),
    "no label": (lambda: lines(ONE, "", "y"), "x_label: ''"),
    "band": (lambda: lines(ONE, "x", "y", bands=[Band(2, 1)]), "above the start, 2"),
    "mark": (lambda: lines(ONE, "x", "y", marks=[Mark(None, None, "m")]), "neither x nor y"),
    "point": (lambda: lines(ONE, "x", "y", log_y=True, points=[(1, 0, "p")]), "point 'p': y: 0"),
    "range": (lambda: lines(ONE, "x", "y", x_range=(2, 1)), "x_range"),
    "name": (lambda: render(fits(), "a b", "t"), "name: 'a b'"),
    "title": (lambda: render(fits(), "a", " "), "title"),
    "control": (lambda: render(fits(), "a", "a\x00b"), "title"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_values_are_refused_in_one_line(case):
    make, message = REFUSED[case]
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
