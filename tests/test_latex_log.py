"""The check of the LaTeX log finds what must not be printed, and where."""

import importlib.util
from pathlib import Path

SPEC = importlib.util.spec_from_file_location("check_latex_log", Path(__file__).parents[1] / "conf/check_latex_log.py")
check_latex_log = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_latex_log)

TEX = r"""\chapter{Kernels}
\label{\detokenize{execution/kernels:kernels}}
a long line"""
LOG = r"""Overfull \hbox (9.9pt too wide) in paragraph at lines 3--3
\TU/texgyrepagella(0)/m/n/10 short
Overfull \hbox (12.5pt too wide) in paragraph at lines 3--4
\TU/texgyrepagella(0)/m/n/10 a long line
Overfull \hbox (88.0pt too wide) has occurred while \output is active
Missing character: There is no ⌘ (U+2318) in font texgyrepagella!
LaTeX Warning: Reference `nowhere' on page 3 undefined on input line 2.
"""


def test_problems_carry_their_place(tmp_path, capsys):
    log = tmp_path / "book.log"
    log.write_text(LOG, encoding="utf-8")
    log.with_suffix(".tex").write_text(TEX, encoding="utf-8")
    assert check_latex_log.check(log) == 4
    report = capsys.readouterr().err
    assert "9.9" not in report
    assert "book.tex:3: in execution/kernels:kernels: 12.5 pt past the margin" in report
    assert "88.0 pt" in report
    assert "U+2318" in report
    assert "book.tex:2" in report


def test_clean_log(tmp_path, capsys):
    log = tmp_path / "book.log"
    log.write_text("Underfull \\hbox (badness 10000)\n", encoding="utf-8")
    assert check_latex_log.check(log) == 0
    assert capsys.readouterr().err == ""
