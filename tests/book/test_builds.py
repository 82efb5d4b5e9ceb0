"""What a second build reads and writes, and that several processes make the same pages as one."""

import os
import time
from functools import cache
from pathlib import Path

import pytest
from mistakes import d

from aiinfra.book import base

PACKAGE = base.PACKAGE
PARENT = {"index"}  # Sphinx writes the page with the table of contents whenever it read a page of it
CHAPTERS = {
    "speed": f"# Speed\n\n{d('formula', 'amdahl-speedup')}\n\n{d('exercise', 'ex-speed', 'How fast?')}\n\n"
    + d("solution", "ex-speed", "So.", answer="amdahl-speedup part=0.5 factor=2"),
    "cache": f"# Cache\n\n{d('case', 'one', 'model=llama-3.1-8b batch=1 context=512')}\n\nTakes {{value}}`kv-bytes @one`.\n\n"
    + d("flip", "weight-bytes = kv-bytes over batch @one"),
    "device": "# Device\n\nHolds {value}`h100-sxm capacity`.\n",
    "answers": f"# Answers\n\n{d('answers')}\n",
    "nested": "# Nested\n\nGains {value}`amdahl-speedup part=0.5 factor=\"(kv-bytes-per-token model=llama-3.1-8b / '1 B')\"`.\n",
    "plain": "# Plain\n\nNo numbers.\n",
}


@pytest.fixture
def book(library):
    """A book that is built and up to date."""
    book = library("incremental", CHAPTERS)
    assert book.warnings(book.build()) == []
    again = book.build()
    assert (again.read, again.written) == (set(), set())
    return book


def touch(path: Path) -> None:
    """Make a file look newer than every page."""
    later = time.time() + 60
    os.utime(path, (later, later))


@pytest.mark.parametrize(
    ("file", "pages"),
    [
        ("formulas/scaling.py", {"speed", "nested"}),
        ("formulas/kv_cache.py", {"cache", "nested"}),
        ("formulas/weights.py", {"cache"}),  # the other side of the flip
        ("formulas/cost.py", set()),
        ("symbols.py", {"speed", "cache", "nested"}),
        ("catalog/models/meta.toml", {"cache", "nested"}),
        ("catalog/models/qwen.toml", set()),
        ("catalog/devices/nvidia.toml", {"device"}),
        ("catalog/measurements.toml", set()),
    ],
)
def test_a_page_depends_on_what_it_uses(library, file, pages):
    env = shared(library).env  # Sphinx reads a page again when one of its dependencies is newer
    assert {page for page, files in env.dependencies.items() if PACKAGE / file in map(Path, files)} == pages


@cache
def shared(library):
    return library("shared", CHAPTERS).build("dummy")


def test_a_changed_formula_rebuilds_the_pages_that_use_it(library, tmp_path, monkeypatch):
    monkeypatch.setattr(base, "formula_files", lambda key: (str(tmp_path / key),))
    for key in ("amdahl-speedup", "kv-bytes", "kv-bytes-per-token", "weight-bytes"):
        (tmp_path / key).touch()
    book = library("formula", CHAPTERS)
    book.build()
    touch(tmp_path / "weight-bytes")
    app = book.build()
    assert (app.read, app.written - PARENT) == ({"cache"}, {"cache", "answers"})  # the answers are those of other chapters


def test_a_changed_chapter_rebuilds_itself_and_who_shows_it(book):
    changed = CHAPTERS["speed"].replace("factor=2", "factor=4")
    touch(book.write("speed", changed))
    app = book.build()
    assert (app.read, app.written - PARENT) == ({"speed"}, {"speed", "answers"})
    assert "1.6" in (app.outdir / "answers.html").read_text(encoding="utf-8")


def test_a_removed_exercise_leaves_the_answers(book):
    touch(book.write("speed", "# Speed\n"))
    app = book.build()
    assert book.warnings(app) == []
    assert app.written - PARENT == {"speed", "answers"}
    assert "Exercise" not in (app.outdir / "answers.html").read_text(encoding="utf-8")


def test_two_processes_write_what_one_writes(library):
    chapters = {f"{name}-{at}": text.replace("ex-speed", f"ex-{at}") for at in range(2) for name, text in CHAPTERS.items()}
    chapters["speed-1"] = chapters["speed-1"].replace("amdahl-speedup\n```", "amdahl-limit\n```", 1)
    book = library("parallel", chapters)
    pages = []
    for options in ({}, {"parallel": 2}):
        app = book.build(freshenv=True, builddir=book.folder / f"_build/{options.get('parallel', 1)}", **options)
        assert book.warnings(app) == []
        pages.append({path.name: path.read_bytes() for path in app.outdir.glob("*.html")})
        domain = app.env.get_domain("aiinfra")
        assert sorted(domain.data["boxes"]) == ["ex-0", "ex-1", "flip-cache-0-1", "flip-cache-1-1"]
        assert domain.data["gatherers"] == {"answers-0", "answers-1"}
        assert domain.exercises() == ["ex-0", "ex-1"]
    assert pages[0].keys() == pages[1].keys()
    assert [name for name in pages[0] if pages[0][name] != pages[1][name]] == []
