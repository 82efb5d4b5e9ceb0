"""Exercises in a browser: answers by keyboard alone, progress that stays, and a page that reads without scripts."""

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
        assert verdict in result.inner_text()
    done = page.locator(".exercises-done")
    assert "1 of 1" in done.inner_text()
    page.reload()
    assert "1 of 1" in done.inner_text()
    done.get_by_role("button").press("Enter")
    page.reload()
    assert "0 of 1" in done.inner_text()


def test_without_scripts(tiny, open_page):
    page = open_page(tiny("plain-exercises", {"one": CHAPTER}) + "/one.html", scripts=False)
    assert page.get_by_text("How long?").is_visible()
    assert not page.locator(".check").is_visible()
    page.locator("details.solution:not(.hint) > summary").click()
    assert page.get_by_text("So it is.").is_visible()
