"""Reading a page: what stands below it, previews of equations, what is wide, and the search."""

import pytest
from books import ROOT

EXTENSIONS = ["myst_parser", "sphinxcontrib.bibtex", "aiinfra.book", "katex_math"]
EXTENSIONS += ["accessible", "symbol_cards", "equation_previews", "page_notes"]
LONG = "".join(f"| {n} {'word' * 12}" for n in range(6)) + "|\n"
ONE = f"""# One & only

Words before.

## First

```{{formula}} kv-bytes-per-token
```

```{{worked}} kv-bytes-per-token model=llama-3.1-70b
```

## Second

It is {{eq}}`kv-bytes-per-token`, and elsewhere {{eq}}`weight-bytes`.

$$
{"a + " * 60} a
$$

{LONG}{"|---" * 6}|
{LONG}
"""
TWO = """# Two

```{formula} weight-bytes
```

```{derivation} weight-bytes
```
"""
SETTINGS = {
    "project": "A Book",
    "author": "Some One",
    "copyright": "2031, Some One",
    "release": "1.2",
    "html_baseurl": "https://example.org/book/",
    "repository": "https://example.org/repo",
    "extensions": EXTENSIONS,
    "html_theme_options": {"top_of_page_buttons": []},
    "templates_path": [str(ROOT / "conf/templates")],
}


@pytest.fixture(scope="module")
def address(tiny):
    return tiny("reading", {"one": ONE, "two": TWO}, **SETTINGS)


@pytest.fixture
def files(address, tmp_path_factory):
    """The same book as files, without a server."""
    return (tmp_path_factory.getbasetemp() / "reading0/_build/html").as_uri()


def test_a_page_says_how_to_cite_it_without_scripts(address, open_page):
    page = open_page(address + "/one.html", scripts=False)
    page.locator(".cite summary").click()
    text, entry = page.locator(".citation").all_inner_texts()
    assert text == "Some One. “One & only.” A Book, version 1.2, chapter 1, 2031. https://example.org/book/one.html"
    assert entry.splitlines() == [
        "@misc{aiinfra-one,",
        "  author = {{Some One}},",
        r"  title = {{One \& only}},",
        "  howpublished = {A Book, version 1.2, chapter 1},",
        "  year = {2031},",
        "  url = {https://example.org/book/one.html},",
        "}",
    ]


def test_a_section_is_cited_with_its_number_and_address(address, open_page):
    page = open_page(address + "/one.html#second")
    page.locator(".cite summary").click()
    assert page.get_by_label("Section").input_value() == "second"  # the one that the address names
    page.get_by_label("Section").select_option("1.1 First")
    text, entry = page.locator(".citation").all_inner_texts()
    assert text == "Some One. “One & only: First.” A Book, version 1.2, section 1.1, 2031. https://example.org/book/one.html#first"
    assert "@misc{aiinfra-one-first," in entry and r"title = {{One \& only: First}}" in entry
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_text("Copy BibTeX").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == entry


def test_a_report_takes_the_selected_number_and_its_place(address, open_page):
    page = open_page(address + "/one.html")
    link = page.locator(".report")
    assert "template=wrong-number.yml" in link.get_attribute("href") and "printed" not in link.get_attribute("href")
    page.locator(".counted .inputs").select_text()
    page.wait_for_function("document.querySelector('.report').href.includes('printed=')")
    query = page.evaluate("Object.fromEntries(new URL(document.querySelector('.report').href).searchParams)")
    assert query["printed"].startswith("Inputs.") and query["where"].startswith("1.1 First, Example 1.1, One & only")
    assert {"template", "where", "printed"} == set(query)


def test_without_a_repository_there_is_nowhere_to_report_to(tiny, open_page):
    page = open_page(tiny("alone", {"one": "# One\n"}, **SETTINGS | {"repository": "", "html_baseurl": ""}) + "/one.html")
    assert page.locator(".page-notes .report").count() == 0
    page.locator(".cite summary").click()
    text, entry = page.locator(".citation").all_inner_texts()
    assert text == "Some One. “One.” A Book, version 1.2, chapter 1, 2031." and "url" not in entry


def shown(page):
    """The text of the preview of an equation once it is there."""
    page.locator(".equation-preview:visible").wait_for()
    return "".join(page.locator(".equation-preview .katex-html").inner_text().split()).replace("\u200b", "")


def test_a_number_shows_the_equation_of_its_own_page_on_hover(address, open_page):
    page = open_page(address + "/one.html")
    page.locator("#second a[href='#equation-kv-bytes-per-token']").hover()
    assert shown(page).startswith("mkv=2L")
    page.keyboard.press("Escape")
    assert page.locator(".equation-preview").is_hidden()
    page.locator("h1").hover()
    page.locator("#second a[href='#equation-kv-bytes-per-token']").hover()
    assert shown(page)


def test_a_number_shows_an_equation_of_another_page_to_the_keyboard(address, open_page):
    page = open_page(address + "/one.html")
    link = page.locator("#second a[href*='two.html#equation-weight-bytes']")
    page.locator("#second a[href='#equation-kv-bytes-per-token']").focus()
    page.keyboard.press("Tab")
    assert link.evaluate("node => node === document.activeElement")
    assert shown(page).startswith("W=N")
    page.keyboard.press("Tab")
    assert page.locator(".equation-preview").is_hidden()


def test_a_preview_of_another_page_needs_no_server(files, open_page):
    page = open_page(files + "/one.html")
    page.locator("#second a[href*='two.html#equation-weight-bytes']").hover()
    assert shown(page).startswith("W=N")


QUERIES = {
    "kv-bytes-per-token": "foundations/estimating.html#equation-kv-bytes-per-token",
    "b_kv": "appendix/notation.html#notation-b-kv",
    "MFU": "appendix/notation.html#notation-mfu",
    "arithmetic intensity": "appendix/notation.html#notation-intensity",
}


@pytest.mark.parametrize("served", [True, False], ids=["served", "as files"])
@pytest.mark.parametrize("query", QUERIES)
def test_the_search_leads_to_formulas_and_symbols(book, open_page, query, served):
    where = book if served else (ROOT / "docs/_build/html").as_uri()
    page = open_page(f"{where}/search.html?q={query.replace(' ', '+')}")
    link = page.locator(f"#search-results a[href*='{QUERIES[query]}']").first
    link.wait_for()
    link.click()
    page.wait_for_url(f"**/{QUERIES[query]}")
    assert page.locator(f"[id='{QUERIES[query].partition('#')[2]}']").count() == 1
    assert page.evaluate("CSS.highlights.get('searched').size")  # the words are marked
    assert not page.locator("math span, svg rect.highlighted").count()  # but nothing is put into formulas and drawings


def test_what_is_wide_says_so_at_its_edge_and_scrolls_by_keyboard(address, open_page):
    page = open_page(address + "/one.html", width=320)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    table = page.locator(".table-wrapper")
    assert "more" in table.get_attribute("class") and "before" not in table.get_attribute("class")
    shadow = "node => getComputedStyle(node).boxShadow"
    before = table.evaluate(shadow)
    table.focus()
    page.keyboard.press("End")
    table.evaluate("node => node.scrollLeft = node.scrollWidth")
    page.locator(".table-wrapper.before:not(.more)").wait_for()
    assert table.evaluate(shadow) != before
    assert page.locator(".equation.more", has_text="a + a").count() == 1
    page.emulate_media(media="print")
    assert table.evaluate(shadow) == "none"
    assert page.locator(".page-notes").is_hidden()


def test_the_focus_of_an_equation_is_not_cut_off(address, open_page):
    page = open_page(address + "/one.html")
    page.locator(".formula .equation").focus()
    page.keyboard.press("Shift")  # from here on the page knows a keyboard
    found = "node => { const look = getComputedStyle(node); return [look.outlineStyle, look.outlineOffset]; }"
    assert page.locator(".formula .equation").evaluate(found) == ["solid", "-2px"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_a_page_with_all_of_it_is_accessible(address, open_page, scheme, width):
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(address + "/one.html", scheme=scheme, width=width)
    page.locator(".cite summary").click()
    page.locator("#second a[href*='two.html#equation-weight-bytes']").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert shown(page)
    found = Axe().run(page)
    assert not found.response["violations"], found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_bar_shows_how_far_a_page_is_read(address, open_page):
    page = open_page(address + "/one.html", height=400)
    bar = page.locator(".reading-progress")
    share = "node => new DOMMatrix(getComputedStyle(node).transform).a"
    assert bar.evaluate(share) == 0
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.wait_for_function("new DOMMatrix(getComputedStyle(document.querySelector('.reading-progress')).transform).a > 0.99")


def test_a_link_into_a_chapter_leads_there_although_scripts_add_to_the_page(book, open_page):
    page = open_page(book + "/foundations/estimating.html#equation-arithmetic-intensity")
    page.wait_for_timeout(2000)  # calculators and exercises above it are there
    assert 0 <= page.locator("#equation-arithmetic-intensity").evaluate("node => node.getBoundingClientRect().top") < 100
    page.mouse.move(600, 300)
    page.mouse.wheel(0, 600)
    page.wait_for_timeout(1000)
    left = page.evaluate("scrollY")
    page.goto(book + "/foundations/workloads.html")
    page.go_back()
    page.wait_for_timeout(1000)
    assert page.evaluate("scrollY") == left  # and who comes back is where they were
