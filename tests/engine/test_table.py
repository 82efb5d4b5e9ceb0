"""The kept numeric code: made anew when stale, not needed to be writable, safe when two make it at once."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aiinfra.engine import table

ROOT = Path(__file__).parents[2]
ASK = "from aiinfra import formula; print(repr(formula('transfer-time')(data='8 GB', beta='2 GB/s')))"
LEAN = "import sys; assert not {'sympy', 'numpy'} & sys.modules.keys(), 'heavy'"


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the engine needs, and a way to run Python on it."""
    shutil.copytree(ROOT / "src/aiinfra", tmp_path / "src/aiinfra", ignore=shutil.ignore_patterns("__pycache__", "book", "_numeric*"))
    shutil.copytree(ROOT / "bib", tmp_path / "bib")
    return tmp_path


def start(checkout: Path, code: str) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def output(process: subprocess.Popen) -> str:
    text, _ = process.communicate(timeout=60)
    assert process.returncode == 0, text
    return text.strip()


def test_two_processes_may_make_it_at_once_and_the_third_needs_no_sympy(checkout):
    both = [start(checkout, ASK) for _ in range(2)]
    assert [output(p) for p in both] == [">= 4 s", ">= 4 s"]
    assert [p.name for p in (checkout / "src/aiinfra/engine").glob("_numeric*")] == ["_numeric.py"]
    assert output(start(checkout, f"{ASK}; {LEAN}")) == ">= 4 s"


@pytest.mark.parametrize("stale", ["SOURCES = 'old'\n", "", "not Python ("])
def test_what_is_stale_or_broken_is_made_anew(checkout, stale):
    kept = checkout / "src/aiinfra/engine/_numeric.py"
    kept.write_text(stale)
    assert output(start(checkout, ASK)) == ">= 4 s"
    assert "def p0(" in kept.read_text()


def test_a_changed_formula_is_seen(checkout):
    assert output(start(checkout, ASK)) == ">= 4 s"
    module = checkout / "src/aiinfra/formulas/transfer.py"
    module.write_text(re.sub(r'(Formula\(\s*"transfer-time", t_move, )data / beta', r"\g<1>3 * data / beta", module.read_text()))
    assert output(start(checkout, ASK)) == ">= 12 s"


def test_a_package_that_cannot_be_written_works(checkout):
    code = f"import tempfile; tempfile.mkstemp = lambda **_: (_ for _ in ()).throw(PermissionError(13, 'read-only')); {ASK}"
    assert output(start(checkout, code)) == ">= 4 s"
    assert not list((checkout / "src/aiinfra/engine").glob("_numeric*"))


def test_the_digest_covers_every_formula_module(checkout, monkeypatch):
    monkeypatch.setattr(table, "PACKAGE", checkout / "src/aiinfra")
    before = table.digest()
    (checkout / "src/aiinfra/formulas/new_topic.py").write_text("")
    assert table.digest() != before


def test_evaluating_needs_neither_sympy_nor_numpy():
    output(start(ROOT, ASK))  # makes the code, if that is still to do
    code = "from aiinfra import device, formula, model; step = formula('decode-step-bound'); "
    code += "step(model('qwen3-8b'), device('h100-sxm'), devices=1, batch=1, context=0)"
    assert output(start(ROOT, f"{code}; {LEAN}")) == ""


def test_importing_needs_neither_sympy_nor_numpy():
    assert output(start(ROOT, f"import aiinfra; dir(aiinfra); {LEAN}")) == ""


def test_an_unknown_name_of_the_package():
    assert "has no attribute 'formla'; it has formula" in output(
        start(ROOT, "import aiinfra\ntry: aiinfra.formla\nexcept AttributeError as error: print(error)")
    )
