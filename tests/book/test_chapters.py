"""The book itself: every formula has its chapter, every source its use, and nothing is asked for by hand."""

import re
from io import StringIO
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.console import strip_escape_sequences
from sphinx.util.docutils import docutils_namespace, patch_docutils

from aiinfra import catalog, formulas, sources
from aiinfra.engine.derivation import DERIVATIONS
from aiinfra.scenario import assumptions

FORMULAS = formulas.load()
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FILES = [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]
PAGES = {path.relative_to(DOCS): path.read_text(encoding="utf-8") for path in FILES}
CITED = re.compile(r"\{cite(?::\w+)?\}`([^`]+)`")


def directives(name: str) -> list[str]:
    """The argument of every directive of a name, outside the pages that explain them."""
    pattern = re.compile(rf"^(?:```+|:::+)\{{{name}\}} *(\S*)", re.M)
    return [found for path, text in PAGES.items() if path.name != "contributing.md" for found in pattern.findall(text)]


def catalogue_sources() -> set[str]:
    """Every source that a value, a peak rate, another source of either or a measurement names."""
    found = {m.source for m in catalog.measurements().values()}
    named = {key for a in assumptions.defaults().values() for key in a.source.split(", ")}
    found |= named & sources.titles().keys()  # others are measurements, or assumed
    for entry in [*catalog.models().values(), *catalog.devices().values()]:
        values = [*entry.data.values(), *getattr(entry, "facts", ()), *(peak.rate for peak in getattr(entry, "peaks", ()))]
        found |= {value.source for value in values}
        found |= {other.source for value in values for other in getattr(value, "also", ())}
        found |= {measured.source for measured in getattr(entry, "achieved", ())}
    return found


def cited_in_text() -> set[str]:
    return {key.strip() for text in PAGES.values() for keys in CITED.findall(text) for key in keys.split(",")}


def cited_by_formulas() -> set[str]:
    return {key for f in FORMULAS.values() for key in f.cites}


@pytest.mark.parametrize("kind", ["formula", "derivation"])
def test_every_formula_stands_in_one_chapter(kind):
    found = directives(kind)
    wanted = FORMULAS if kind == "formula" else FORMULAS.keys() & DERIVATIONS.keys()
    assert sorted(found) == sorted(wanted)


def test_every_cited_key_is_known():
    assert (cited_in_text() | cited_by_formulas() | catalogue_sources()) - sources.titles().keys() == set()


def test_every_source_is_used():
    assert sources.titles().keys() - cited_in_text() - cited_by_formulas() - catalogue_sources() == set()


def test_every_exercise_has_its_solution():
    assert directives("exercise") == directives("solution")


def test_every_page_is_in_the_contents():
    listed = [
        str(page.parent / name)
        for page, text in PAGES.items()
        for contents in re.findall(r"```\{toctree\}(.*?)```", text, re.S)
        for name in re.findall(r"^([\w/-]+)$", contents, re.M)
    ]
    assert sorted(listed) == sorted(str(path.with_suffix("")) for path in PAGES if path.name != "index.md")


GENERATED = ["formulas", "symbols", "devices", "disagreements", "models", "measurements", "answers", "bibliography"]


@pytest.mark.parametrize("name", GENERATED)
def test_every_appendix_is_generated_once(name):
    assert len(directives(name)) == 1


def test_all_achieved_values_stand_in_the_appendix():
    assert "" in directives("achieved")


def test_pages_load_nothing_from_elsewhere():
    assert [path for path, text in PAGES.items() if re.search(r"<(script|iframe|img|link)\b|!\[[^]]*\]\(https?:", text)] == []


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The book, read with its own settings; its warnings are on the application."""
    out = tmp_path_factory.mktemp("book")
    with patch_docutils(ROOT / "conf"), docutils_namespace():
        app = Sphinx(DOCS, ROOT / "conf", out, out / "doctrees", "dummy", {"nitpicky": True}, status=None, warning=StringIO())
        app.build()
    return app


def test_the_book_has_no_warning(built):
    assert strip_escape_sequences(built._warning.getvalue()) == ""


def test_every_formula_has_a_number(built):
    assert FORMULAS.keys() - built.env.get_domain("math").equations.keys() == set()


def test_every_exercise_has_an_answer(built):
    domain = built.env.get_domain("aiinfra")
    assert sorted(domain.data["answers"]) == sorted(domain.exercises())
