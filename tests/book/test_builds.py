"""What a second build reads and writes, and that several processes make the same pages as one."""

import os
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from mistakes import d

import aiinfra

PACKAGE = Path(aiinfra.__file__).parent
PARENT = {"index"}  # Sphinx writes the page with the table of contents whenever it read a page of it
CHAPTERS = {
    "speed": f"# Speed\n\n{d('formula', 'amdahl-speedup')}\n\n{d('exercise', 'ex-speed', 'How fast?')}\n\n"
    + d("solution", "ex-speed", "So.", answer="amdahl-speedup part=0.5 factor=2"),
    "cache": f"# Cache\n\n{d('case', 'one', 'model=llama-3.1-8b batch=1 context=512')}\n\nTakes {{value}}`kv-bytes @one`.\n\n"
    + d("flip", "weight-bytes = kv-bytes over batch @one"),
    "device": "# Device\n\nHolds {value}`h100-sxm capacity`.\n",
    "answers": f"# Answers\n\n{d('answers')}\n",
    "plain": "# Plain\n\nNo numbers.\n",
}


@pytest.fixture
def book(library):
    """A book that was built a second ago."""
    book = library("incremental", CHAPTERS)
    assert book.warnings(book.build()) == []
    again = book.build()
    assert (again.read, again.written) == (set(), set())
    return book


@contextmanager
def touched(*paths: Path):
    """Files that look newer than every page; their times come back afterwards."""
    before = [(path, path.stat()) for path in paths]
    later = time.time() + 60
    try:
        for path in paths:
            os.utime(path, (later, later))
        yield
    finally:
        for path, stat in before:
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize(
    ("file", "read"),
    [
        ("formulas/scaling.py", {"speed"}),
        ("formulas/kv_cache.py", {"cache"}),
        ("formulas/weights.py", {"cache"}),  # the other side of the flip
        ("formulas/cost.py", set()),
        ("symbols.py", {"speed", "cache"}),
        ("catalog/models/llama.toml", {"cache"}),
        ("catalog/models/qwen.toml", set()),
        ("catalog/devices/nvidia.toml", {"device"}),
        ("catalog/measurements.toml", set()),
    ],
)
def test_a_changed_source_rebuilds_the_pages_that_use_it(book, file, read):
    with touched(PACKAGE / file):
        app = book.build()
    assert app.read == read
    assert app.written - PARENT == (read | {"answers"} if read else set())  # the answers are those of other chapters


def test_a_changed_chapter_rebuilds_itself_and_who_shows_it(book):
    changed = CHAPTERS["speed"].replace("factor=2", "factor=4")
    with touched(book.write("speed", changed)):
        app = book.build()
    assert (app.read, app.written - PARENT) == ({"speed"}, {"speed", "answers"})
    assert "1.6" in (app.outdir / "answers.html").read_text(encoding="utf-8")


def test_a_removed_exercise_leaves_the_answers(book):
    with touched(book.write("speed", "# Speed\n")):
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
