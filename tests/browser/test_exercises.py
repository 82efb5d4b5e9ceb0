"""Exercises in a browser: answers by keyboard alone, progress that stays, and a page that reads without scripts."""

import json
from html import unescape
from html.parser import HTMLParser

import pytest
from books import ROOT

from aiinfra.units import parse_unit

BOOK = ROOT / "docs/_build/html"
SOURCES = sorted(page for page in (ROOT / "docs").glob("*/*.md") if "\n```{exercise}" in page.read_text(encoding="utf-8"))
CHAPTERS = [page.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for page in SOURCES]
POWERS = {"": 1, "^2": 2, "^3": 3}
SLIPS = {"2": 2.0, "8": 8.0} | {base + power: float(base) ** n for base in ("1000", "1024") for power, n in POWERS.items()}
WORDS = ["", " ", "<img src=x onerror=alert(1)>", "NaN", "Infinity", "1;alert(1)", "constructor"]
HOSTILE = [*WORDS, "9" * 5000, "1e999", "1 2", "٣", "\u202e1"]
JUDGE = """(plan) => plan.map(([at, row, text]) => {
  const field = JSON.parse(document.querySelectorAll("[data-exercise]")[at].dataset.fields)[row];
  try { const { kind, factor, way } = aiinfra.judge(text, field); return factor ? `${way} ${factor}` : kind; }
  catch (error) { if (error instanceof aiinfra.Refused) return error.message.includes("\\n") ? "lines" : "refused"; throw error; }
})"""


class Fields(HTMLParser):
    """The fields of the exercises of a page, as they were written when the book was built."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "data-exercise" in found:
            self.found.append((found["data-exercise"], json.loads(unescape(found["data-fields"]))))


def in_unit(field, number):
    """A number of a field in the unit that the book prints."""
    return number / float(parse_unit(field["unit"])[0]) if field["unit"] else number


def planned(field):
    """Texts that a reader may type, and what is to be said of each."""
    unit, shown, exact = field["unit"], f"{in_unit(field, field['printed']):.12g}", in_unit(field, field["value"])
    yield from {shown: "right", f"{exact!r} {unit}".strip(): "right", f" {exact:.10e} ": "right"}.items()
    for name, slip in SLIPS.items():
        yield f"{exact * slip!r} {unit}".strip(), f"large {name}"
        yield f"{exact / slip!r}", f"small {name}"
    yield f"{exact!r} {'B' if field['dims'] == list(parse_unit('s')[1].dims) else 's'}", "unit"
    yield f"{-exact!r}", "sign"
    yield f"{exact * 10!r}", "wrong"
    yield f"{exact * 1.3!r}", "wrong"
    if any(a and b for a, b in zip(field["dims"], parse_unit("B")[1].dims, strict=True)):
        yield f"{exact * 1.024**3!r}", "large 1.024^3"  # GiB for GB
        yield f"{exact / 1.024**3!r}", "small 1.024^3"
    yield from ((text, "refused") for text in HOSTILE)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_of_the_book(book, open_page, chapter):
    exercises = Fields(BOOK / chapter).found
    rows = [(at, row, field) for at, (_, fields) in enumerate(exercises) for row, field in enumerate(fields)]
    plan = [(at, row, text, kind) for at, row, field in rows for text, kind in planned(field)]
    page = open_page(f"{book}/{chapter}")
    verdicts = page.evaluate(JUDGE, [step[:3] for step in plan])
    wrong = [(exercises[at][0], text[:40], kind, said) for (at, _, text, kind), said in zip(plan, verdicts, strict=True) if said != kind]
    assert not wrong, wrong[:10]
    assert page.locator(".check form").count() == len(exercises)
    assert page.locator(".counted.exercise").count() == page.locator("details.solution:not(.hint)").count() == len(exercises)
    assert page.locator("details.hint").count() >= len(exercises)
    type_the_first(page, *exercises[0], len(exercises))


def type_the_first(page, name, fields, of):
    """The first exercise of a page, from its hint on by keys alone."""
    box = page.locator(f"[data-exercise={name}]")
    inputs, results, done = box.locator("input"), box.locator("output"), page.locator(".exercises-done")
    page.locator("details.hint > summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.hint").first.get_attribute("open") is not None
    while page.evaluate("document.activeElement.tagName") != "INPUT":  # links of the hint come before
        page.keyboard.press("Tab")
    for i, field in enumerate(fields):
        assert inputs.nth(i).evaluate("e => e === document.activeElement")
        page.keyboard.type("<b>1</b>")
        page.keyboard.press("Enter")
        assert "is not a number" in results.nth(i).text_content() and inputs.nth(i).get_attribute("aria-invalid") == "true"
        page.keyboard.press("Control+a")
        page.keyboard.type(f"{in_unit(field, field['printed']):.12g} {field['unit']}".strip())
        page.keyboard.press("Tab")
    assert f"0 of {of} exercises" in done.text_content()
    page.keyboard.press("Enter")  # on the button
    assert results.all_inner_texts() == ["Right."] * len(fields)
    assert f"1 of {of} exercises" in done.text_content() and box.get_by_role("img", name="answered").is_visible()
    page.reload()
    assert f"1 of {of} exercises" in done.text_content()
    done.get_by_role("button").press("Enter")
    assert f"0 of {of} exercises" in done.text_content() and not box.get_by_role("img", name="answered").is_visible()


def test_the_list_of_answers_counts_the_whole_book(book, open_page):
    names = [name for chapter in CHAPTERS for name, _ in Fields(BOOK / chapter).found]
    page = open_page(f"{book}/appendix/answers.html")
    page.evaluate("names => localStorage.setItem('aiinfra-exercises', JSON.stringify(names))", [*names[:3], "gone"])
    page.reload()
    assert f"3 of {len(names)} exercises" in page.locator(".exercises-done").text_content()
    assert page.get_by_role("img", name="answered").count() == 3
    page.evaluate("localStorage.setItem('aiinfra-exercises', '{broken')")
    page.reload()
    assert f"0 of {len(names)} exercises" in page.locator(".exercises-done").text_content()


CHAPTER = """# One

```{exercise} ex-one
How long?
```

```{hint}
Divide.
```

```{solution} ex-one
:answer: 1 * "21 GB" / "1 TB/s" in ms
So it is.
```

```{answers}
```
"""


def test_answer_progress_and_forget(tiny, open_page):
    address = tiny("exercises", {"one": CHAPTER}) + "/one.html"
    page = open_page(address)
    field, result = page.get_by_label("Your answer"), page.locator(".check output")
    verdicts = {"21 s": "Too large by a factor of 1000", "<b>1</b>": "is not a number", "21 B": "Wrong unit", "0.021 s": "Right."}
    for text, verdict in verdicts.items():
        field.fill(text)
        field.press("Enter")
        assert verdict in result.text_content()
    done = page.locator(".exercises-done")
    assert "1 of 1" in done.text_content()
    page.reload()
    assert "1 of 1" in done.text_content()
    done.get_by_role("button").press("Enter")
    page.reload()
    assert "0 of 1" in done.text_content()


def test_without_scripts(tiny, open_page):
    page = open_page(tiny("plain-exercises", {"one": CHAPTER}) + "/one.html", scripts=False)
    assert page.get_by_text("How long?").is_visible()
    assert not page.locator(".check").is_visible()
    page.locator("details.solution:not(.hint) > summary").click()
    assert page.get_by_text("So it is.").is_visible()
