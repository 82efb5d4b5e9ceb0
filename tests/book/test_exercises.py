"""The page judges answers as a teacher would: right, rounded, or which slip was made."""

from pathlib import Path

import pytest
from books import Book
from node import run

from aiinfra.book import calls
from aiinfra.book.exercises import field, labelled


def judged(request: str, *texts: str) -> list[str]:
    """Kind, and factor with its direction, of each answer to a request."""
    script = (
        "return given.texts.map((t) => { try { const f = aiinfra.judge(t, given.field);"
        " return f.kind === 'factor' ? `${f.way} ${f.factor}` : f.kind; } catch (e) {"
        " if (e instanceof aiinfra.Refused) return 'refused'; throw e; } });"
    )
    return run(script, {"texts": texts, "field": field("", calls.ask(request))}, ("numbers", "exercises"))


def test_right_with_and_without_unit():
    assert judged('"21.0636 ms"', "21.1 ms", "21.1", "0.0210636 s", "21.2", "21.06 ms") == ["right", "right", "right", "rounded", "right"]
    assert judged('"80 GB" in GB', "80", "80 GB", "80e9 B", "640 Gbit") == ["right"] * 4


@pytest.mark.parametrize("base", ["1000", "1024"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_powers_of_prefixes(base, n):
    factor, name = int(base) ** n, base if n == 1 else f"{base}^{n}"
    assert judged('"7 GB" in GB', f"{7 * factor}", f"{7 / factor:.12g}") == [f"large {name}", f"small {name}"]


def test_other_factors():
    factors = ["large 2", "small 2", "large 8", "small 8", "wrong", "large 1.024^3"]
    assert judged('"7 GB" in GB', "14", "3.5", "56", "0.875", "70", "7 GiB") == factors
    assert judged('"21 %" in %', "21", "21 %", "0.21", "-21") == ["right", "right", "small 100", "sign"]


def test_share_near_one_is_held_to_what_is_left():
    assert judged('"99.95 %" in % as .4g', "99.95", "99.9504", "99.9", "99 %") == ["right", "right", "wrong", "wrong"]
    assert judged('"90 %" in %', "90.7") == ["rounded"]


def test_unit_zero_negative_and_whole():
    assert judged('"7 GB" in GB', "7 s", "7 FLOP") == ["unit", "unit"]
    assert judged('"7 GB" - "7 GB" in GB', "0", "0 GB", "5") == ["right", "right", "wrong"]
    assert judged('"3 ms" - "10 ms" in ms', "-7", "−7 ms", "7") == ["right", "right", "sign"]
    assert judged("1 * 300 as floor", "300", "302", "299") == ["right", "wrong", "wrong"]


def test_thousands():
    assert judged("1 * 1024 as floor", "1,024", "1024") == ["right", "right"]
    assert judged('"1.024 GB" in MB', "1,024", "1,024.0 MB") == ["refused", "right"]


def test_hostile_text_is_refused():
    texts = ["", "<b>1</b>", "1e999", "NaN", "٣", "9" * 5000, "1;alert(1)", "Infinity"]
    assert judged('"7 GB" in GB', *texts) == ["refused"] * len(texts)


PAGES = {
    "one": "# One\n\n```{exercise} ex-one\nHow long?\n```\n\n```{hint}\nDivide.\n```\n\n```{hint}\nMind the prefix.\n```\n\n"
    '```{solution} ex-one\n:answer: |\n:  time: "21 GB" / "1 TB/s" in ms\n:  parts: 2 * 8\nSo it is.\n```\n',
    "two": "# Two\n\n```{answers}\n```\n",
}


def test_print_gives_hints_before_the_solution(tmp_path):
    book = Book(tmp_path, PAGES)
    app = book.build("latex")
    assert not book.warnings(app)
    tex = next(Path(app.outdir).glob("*.tex")).read_text()
    order = [tex.index(text) for text in ("How long?", "chapter{Two}", "Divide.", "Mind the prefix.", "So it is.", "time: ", "parts: 16")]
    assert order == sorted(order)


def test_several_numbers_have_a_label_each():
    assert labelled("a: b c\n\nd e: f") == [("a", "b c"), ("d e", "f")]
    assert labelled("b c") == [("", "b c")]
