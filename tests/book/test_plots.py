"""Values of plots beside their pages."""

import csv
import json

import pytest

import aiinfra

CHAPTER = """# Plots

```{plot} fig-step
title: A decode step
caption: The least time of a step.
x: {symbol: beta_mem, from: 1, to: 8, points: 15, in: TB/s}
y: {label: least time (ms)}
series:
  - {label: "70 B, all", y: decode-step-bound model=llama-3.1-70b device=h100-sxm devices=1 batch=1 context=2176 in ms}
  - {label: "<8 B>", y: decode-step-bound model=llama-3.1-8b device=h100-sxm devices=1 batch=1 context=2176 in ms, until: 5.2}
marks: [{x: 3.35, text: H100}]
points: [{x: 3, y: 4.5, text: "a point, measured"}]
```

```{plot} fig-alone
title: One
caption: One curve.
x: {symbol: batch, from: 1, to: 4, whole: true, label: requests}
y: {label: time (ms)}
series: [{label: "", y: decode-step-bound model=llama-3.1-8b device=h100-sxm devices=1 context=2176 in ms}]
```
"""


@pytest.fixture(scope="module")
def site(library):
    book = library("plots", {"part/one": CHAPTER}, html_copy_source=False)
    app = book.build("html")
    assert not book.warnings(app)
    return app.outdir


def bound(name, x):
    given = {"devices": 1, "batch": 1, "context": 2176, "beta_mem": x}
    return float(aiinfra.formula("decode-step-bound")(aiinfra.model(name), aiinfra.device("h100-sxm"), **given)) * 1e3


def test_the_file_of_a_plot_holds_what_the_formula_gives(site):
    with site.joinpath("_static/plots/part-one-fig-step.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[1:] == ["70 B, all: least time (ms)", "<8 B>: least time (ms)", "points: least time (ms)", "point"]
    assert header[0].endswith("(TB/s)")
    curves, (point,) = rows[:-1], rows[-1:]
    assert point == ["3", "", "", "4.5", "a point, measured"]
    assert len(curves) == 16  # fifteen and the end of the second curve
    for x, large, small, *rest in curves:
        assert rest == ["", ""]
        assert bool(small) == (float(x) <= 5.2) and bool(large) == (float(x) != 5.2)
        for name, value in (("llama-3.1-70b", large), ("llama-3.1-8b", small)):
            if value:
                assert float(value) == pytest.approx(bound(name, float(x) * 1e12), rel=1e-14)


def test_the_page_reads_the_same_values_to_six_digits(site):
    text = site.joinpath("_static/plots/part-one-fig-step.js").read_text(encoding="utf-8")
    assert "<" not in text
    data = json.loads(text.partition("] = ")[2].removesuffix(";\n"))
    assert len(data["xs"]) == 2  # the second curve ends earlier
    for name, series in zip(("llama-3.1-70b", "llama-3.1-8b"), data["series"], strict=True):
        for x, y in zip(data["xs"][series["xs"]], series["ys"], strict=True):
            assert y == pytest.approx(bound(name, x * 1e12), rel=2e-5)
    assert (data["x"]["low"], data["x"]["high"]) == (1, 8)


def test_the_page_names_its_files_from_where_it_lies(site):
    page = site.joinpath("part/one.html").read_text(encoding="utf-8")
    assert 'href="../_static/plots/part-one-fig-step.csv" download' in page
    assert 'data-src="../_static/plots/part-one-fig-alone.js"' in page
    assert page.count('aria-pressed="true"') == 2 and "&lt;8 B&gt;</button>" in page  # one curve needs no switch
    assert page.count('class="curve-1"') >= 1


def test_books_on_paper_and_readers_have_the_drawing_alone(library):
    book = library("plots-epub", {"one": CHAPTER})
    app = book.build("epub")
    assert not book.warnings(app)
    page = app.outdir.joinpath("one.xhtml").read_text(encoding="utf-8")
    assert "CSV" not in page and "<button" not in page and "plots/" not in page
    assert not app.outdir.joinpath("_static/plots").exists()
