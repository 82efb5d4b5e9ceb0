"""Entries of the catalogue side by side, as a table and as points of a plot."""

import re

import pytest
from mistakes import d

from aiinfra import device
from aiinfra.book.calls import about

TABLE = """\
head: Device
rows: [h100-sxm, {it: m3-ultra-80, label: 'A {{ m3-ultra-80 capacity }} machine'}]
columns:
- {label: bandwidth, request: IT memory_bandwidth}
- {label: BF16, request: 'IT peak bf16 / "1 TFLOP/s" as ,.0f', width: 20}
- {label: sweep, request: memory-sweep device=IT in ms}"""
FORMATS = "rows: [e4m3, bf16]\ncolumns: [{label: largest, request: largest-value float=IT}]"
POINTS = """\
title: Years
caption: Peaks.
x: {label: year, years: true}
y: {label: TFLOP/s, log: true}
entries:
- {of: [h100-sxm, {it: b200-sxm, label: B200}, m3-ultra-80], x: IT year, y: IT peak bf16 in TFLOP/s}"""


@pytest.fixture(scope="module")
def page(library):
    parts = [d("comparison", "Two of them", TABLE), d("comparison", "Formats", FORMATS), d("plot", "fig-y", POINTS)]
    book = library("comparison", {"one": "# One\n\n" + "\n\n".join(parts) + "\n"})
    app = book.build("html")
    assert book.warnings(app) == []
    return (app.outdir / "one.html").read_text(encoding="utf-8")


def cells(page: str) -> list[list[str]]:
    rows = re.findall(r"<tr.*?</tr>", page, re.S)
    return [[re.sub("<[^>]*>", "", c).replace("\u00a0", " ").strip() for c in re.findall(r"<t[dh].*?</t[dh]>", r, re.S)] for r in rows]


def test_a_row_for_each_entry_and_a_dash_for_what_is_not_published(page):
    assert cells(page)[:3] == [
        ["Device", "bandwidth", "BF16", "sweep"],
        [device("h100-sxm").name, "3.35 TB/s", "989", "23.9 ms"],
        ["A 512 GB machine", "819 GB/s", "–", "625 ms"],
    ]


def test_number_formats_are_entries_too(page):
    assert cells(page)[4] == ["FP8, E4M3", "448"]


def test_points_are_drawn_for_what_is_published(page):
    assert "NVIDIA H100 SXM5 80 GB: 989.4 in 2022." in page
    assert "B200: 2,250 in 2024." in page
    assert "Ultra" not in page.split("Point,")[-1]


def test_the_key_takes_the_place_of_a_whole_word():
    assert about("IT peak / UNIT IT2", "x") == "x peak / UNIT IT2"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("h100-sxm,", "h100-smx,", "comparison: unknown entry 'h100-smx'; near: h100-sxm"),
        ("IT memory_bandwidth", "IT bandwidth", "comparison: unknown field of h100-sxm 'bandwidth'"),
        ("IT memory_bandwidth", "m3-ultra-80 peak bf16", "comparison: m3-ultra-80 has no published peak dense bf16"),
        ("label: bandwidth, ", "", "comparison: the field 'label' of column is missing"),
        ("{it: m3-ultra-80, label", "{its: m3-ultra-80, label", "comparison: unknown field of row of rows 'its'"),
        ("float=IT", "float=e4m4", "comparison: unknown floating-point format 'e4m4'; near: e4m3"),
    ],
)
def test_mistakes_are_named(library, old, new, says):
    text = TABLE if old in TABLE else FORMATS
    book = library("wrong-comparison", {"one": f"# One\n\n{d('comparison', 'A', text.replace(old, new))}\n"})
    [warning] = book.warnings(book.build("html"))
    assert warning[:2] == ("one", 3)
    assert warning[2].startswith(says)
