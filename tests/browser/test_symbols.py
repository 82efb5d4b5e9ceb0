"""Symbols explain themselves: by pointer, finger and keyboard."""

import pytest
from books import ROOT

ONE = r"""# One

```{formula} kv-bytes-per-token
```

```{worked} kv-bytes-per-token model=llama-3.1-70b
```

After $n$ messages there are $n\,n_\mathrm{kv}$ of them.
"""
SETTINGS = {
    "extensions": ["myst_parser", "sphinxcontrib.bibtex", "aiinfra.book", "katex_math", "accessible", "symbol_cards"],
    "html_theme_options": {"top_of_page_buttons": []},
    "templates_path": [str(ROOT / "conf/templates")],
}


@pytest.fixture(scope="module")
def address(tiny):
    notation = "# Notation\n\n```{symbols}\n```\n"
    return tiny("symbols", {"one": ONE, "appendix/notation": notation}, **SETTINGS) + "/one.html"


def symbol(page, box, name):
    """A symbol of an equation, which is marked when a reader comes to it."""
    equation = page.locator(box).first
    equation.dispatch_event("pointerover", {"pointerType": "mouse"})
    return equation.locator(f"[data-symbol={name}]").first


def card(page):
    return page.locator(".symbol-card:visible")


def test_a_pointer_on_a_symbol_is_told_symbol_meaning_and_name(address, open_page):
    page = open_page(address)
    symbol(page, ".formula .equation", "n_kv").hover()
    assert "key/value heads per layer" in card(page).inner_text()
    assert card(page).locator("code").inner_text() == "n_kv"
    assert card(page).locator(".katex").text_content().replace("\u200b", "") == "nkv"
    page.locator("h1").hover()
    card(page).wait_for(state="detached")


def test_a_worked_example_adds_value_origin_and_citation(address, open_page):
    page = open_page(address)
    symbol(page, ".counted .equation", "n_kv").hover()
    given = card(page).locator(".given")
    assert given.inner_text().startswith("= 8, Llama 3.1 70B ")  # as the configuration of the model has it
    assert given.get_by_role("link").get_attribute("href").startswith("index.html#")


def test_a_click_leads_to_the_notation(address, open_page):
    page = open_page(address)
    symbol(page, ".formula .equation", "n_kv").click()
    page.wait_for_url("**/appendix/notation.html#notation-n-kv")


def test_arrow_keys_walk_the_symbols_of_an_equation(address, open_page):
    page = open_page(address)
    box = page.locator(".formula .equation").first
    box.focus()
    names = []
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        names.append(card(page).locator("code").inner_text())
    assert names == ["kv_token", "n_layer", "n_kv", "d_head", "b_kv", "kv_token"]
    page.keyboard.press("ArrowLeft")
    assert card(page).locator("code").inner_text() == "b_kv"
    page.keyboard.press("Escape")
    assert not card(page).count()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**/appendix/notation.html#notation-kv-token")


def test_a_tap_shows_a_card_and_another_hides_it(address, open_page):
    page = open_page(address, width=390, has_touch=True, is_mobile=True)
    assert page.locator(".equation[tabindex]").count() == page.locator(".equation:is(.more, .before)").count()
    page.locator(".formula .equation .mord.mathnormal", has_text="L").first.tap()
    assert "layers" in card(page).inner_text()
    page.locator("h1").tap()
    assert not card(page).count()
    assert page.url == address


def test_a_bare_letter_of_the_author_is_not_taken_for_a_symbol(address, open_page):
    page = open_page(address)
    chosen = page.locator("p", has_text="After").locator(".math")
    for math in chosen.all():
        math.dispatch_event("pointerover", {"pointerType": "mouse"})
    assert chosen.locator("[data-symbol]").count() == 1  # n_kv in the second
    assert chosen.locator("[data-symbol=n_kv]").count() == 1
    page.locator(".where .math").first.dispatch_event("pointerover", {"pointerType": "mouse"})
    assert page.locator(".where [data-symbol=kv_token]").count() == 1


def test_without_scripts_the_equation_is_there_and_no_more_promised(address, open_page):
    page = open_page(address, scripts=False)
    assert page.locator(".formula .equation .katex-html").is_visible()
    assert not page.locator(".equation[tabindex], .equation[role]").count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_card_can_be_read_in_both_schemes(address, open_page, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(address, scheme=scheme)
    symbol(page, ".counted .equation", "n_kv").hover()
    card(page).wait_for()
    found = Axe().run(page)
    assert not found.response["violations"], found.generate_report()


CHAPTERS = sorted(path.stem for path in (ROOT / "docs/foundations").glob("*.md"))
UNKNOWN = """() => {
  const maths = [...document.querySelectorAll(".equation, .math.known")];
  for (const math of maths) math.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
  return maths.filter((math) => !math.querySelector("[data-symbol]")).map((math) => math.querySelector("annotation").textContent);
}"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_equation_and_every_symbol_of_a_chapter_explains_itself(book, open_page, chapter):
    page = open_page(f"{book}/foundations/{chapter}.html")
    assert page.evaluate(UNKNOWN) == []
