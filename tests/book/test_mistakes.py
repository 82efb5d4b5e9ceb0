"""Tiny chapters with a mistake: exactly one warning, at its file and line, and never a traceback."""

import random

import pytest
from mistakes import CASE, LEDGER, MEMORY, MISTAKES, PLOT, d

from aiinfra.engine.formula import formula_keys


@pytest.fixture(scope="module")
def found(library):
    """Warnings (line, message) by chapter, of a book with one mistake in each."""
    chapters = {}
    for number, (text, _, _) in enumerate(MISTAKES):
        chapters[f"m{number}"] = f"# Title\n\n{text.replace('fig-p', f'fig-p{number}').replace('fig-m', f'fig-m{number}')}\n"
    book = library("mistakes", chapters)
    warnings = book.warnings(book.build("dummy"))
    assert {name for name, _, _ in warnings} == chapters.keys()
    return {chapter: [(line, message) for name, line, message in warnings if name == chapter] for chapter in chapters}


@pytest.mark.parametrize("number", range(len(MISTAKES)), ids=lambda n: MISTAKES[n][2][:50])
def test_a_mistake_is_one_located_warning(found, number):
    text, line, expected = MISTAKES[number]
    [(at, message)] = found[f"m{number}"]
    expected = expected.replace("fig-p", f"fig-p{number}").replace("{page}", f"m{number}")
    assert at == line + 2
    assert message.startswith(expected[:-1]) if expected.endswith("…") else message == expected


@pytest.mark.parametrize(
    ("chapters", "expected"),
    [
        ({"a": d("formula", "mfu"), "b": d("formula", "mfu")}, ("b", 3, "formula: equation 'mfu' is declared twice, first in a")),
        ({"a": d("exercise", "ex"), "b": d("exercise", "ex")}, ("b", 3, "exercise: 'ex' is declared twice, first as exercise in a")),
        ({"a": d("exercise", "ex"), "b": d("solution", "ex")}, ("b", 3, "solution: unknown exercise 'ex'; known: none")),
        ({"a": "{eq}`mfu`"}, ("a", 3, "equation not found: mfu")),
        ({"a": d("symbols", body="x")}, ("a", 3, "'symbols': Has content, but none permitted")),
        ({"a": d("formula", "mfu", nowere="")}, ("a", 4, "'formula': Unknown option key: 'nowere' (allowed: ['nowhere'])")),
    ],
)
def test_mistakes_between_chapters(library, chapters, expected):
    book = library("between", {name: f"# Title\n\n{text}\n" for name, text in chapters.items()})
    assert book.warnings(book.build("dummy")) == [expected]


def test_two_processes_that_declare_one_name(library):
    chapters = {f"c{i}": f"# Title\n\n{d('exercise', 'ex' if i in (0, 7) else f'ex-{i}')}\n" for i in range(8)}
    book = library("processes", chapters)
    [(name, _, message)] = book.warnings(book.build("dummy", parallel=2))
    assert name in {"c0", "c7"}
    assert message.startswith("exercise: 'ex' is declared twice, first as exercise in c")


def test_a_page_with_a_mistake_warns_again(library):
    book = library("again", {"a": "# Title\n\n{value}`kv-byte`\n", "b": "# Good\n"})
    first, second = (book.warnings(book.build("dummy")) for _ in range(2))
    assert first == second != []


WORDS = [
    "@one", "@", "=", "a=", "=b", "solve", "over", "in", "as", "in ms", "as .3g", "as d", "/", "*", "-", "+ 1", "80",
    '"80 GB"', "'", '"', "\\", "\\\\", "model=llama-3.1-70b", "model=", "device=h100-sxm", "batch=2", "batch=1e400",
    "batch=-0", "weights=fp8", "b_w=1", "dtype=nope", "peak", "bf16", "h100-sxm", "llama-3.1-70b", "context", "{", "}",
    "{{", "}}", "{{ }}", "{{ x }}", "%", "$", "$2/h", "$x$", "&", "<b>", "\xb5s", "\u0661", "\x7f", "#", "[", "]", ": ",
    "- ", "~", "!!python/object:os.system", "*a", "&a", "0x1F", "1_000", "1:30", "2026-12-01", ".inf", ".nan", "true",
    "null", "''", "a" * 3000, "9" * 400, "1e999",
]  # fmt: skip
KINDS = [
    "case", "formula", "derivation", "worked", "flip", "plot", "diagram memory", "diagram timeline", "diagram path", "diagram topology",
    "diagram tiles", "ledger", "exercise", "solution", "answers", "symbols",
]  # fmt: skip
BODIES = [
    *(text.split("\n", 1)[1].rsplit("\n", 1)[0] for text in (PLOT, MEMORY, LEDGER)),
    "title: t\ncaption: c\nrows:\n- label: r\n  spans: [{lasts: 1, label: a, divisions: 3}]\nmarks: [{x: 1, text: a}]",
    "title: t\ncaption: c\nnodes: [{label: a}, {label: b, role: link}]\nhops: [{bandwidth: 3, label: c}]",
    "title: t\ncaption: c\nkind: ring\ndevices: 8\nlink_label: a",
    "title: t\ncaption: c\nrows: 8\ncolumns: 8\ntile_rows: 2\ntile_columns: 4\nside: true",
]


def hostile(seed: int) -> str:
    """A chapter of directives and roles with arguments, options and bodies that nobody would write."""
    draw = random.Random(seed)
    keys = [*formula_keys(), "kv-bytes = weight-bytes over batch", "memory-time = compute-time over batch"]

    def request() -> str:
        return " ".join([draw.choice(keys), *draw.choices(WORDS, k=draw.randrange(5))])

    def body() -> str:
        lines = draw.choice(BODIES).split("\n")
        at = draw.randrange(len(lines))
        field, colon, rest = lines[at].partition(":")
        word = draw.choice(WORDS)
        changed = [f"{field}{colon} {word}", f"{word}: {rest}", word, f"{field}: {{a: [{rest}]}}", ""]
        return "\n".join([*lines[:at], draw.choice(changed), *lines[at + 1 :]])

    parts = [CASE.replace("one", draw.choice(["one", "two", "@", "{"]))]
    for _ in range(25):
        kind = draw.choice(KINDS)
        argument = draw.choice([request(), draw.choice(WORDS), "", f"x-{seed}"])
        options = {draw.choice(["title", "name", "below", "answer", "hard", "class"]): request() for _ in range(draw.randrange(2))}
        parts += [d(kind, argument, draw.choice([body(), request(), ""]), **options), "", f"- {{value}}`{request().replace('`', '')}`", ""]
    return "\n".join(["# Hostile", "", *parts])


def test_hostile_chapters_give_warnings_only(library):
    book = library("hostile", {f"h{seed}": hostile(seed) for seed in range(8)})
    warnings = book.warnings(book.build("dummy"))
    assert len(warnings) > 100
    assert [w for w in warnings if "Traceback" in w[2] or not w[0]] == []
