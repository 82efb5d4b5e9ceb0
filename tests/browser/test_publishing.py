"""Every page of the built book: nothing goes wrong on it, nothing leaves for another host, it fits a phone and can be used by all."""

import re
import zipfile
from html import unescape

import pytest
from conftest import BOOK, ROOT, SHOTS

pytest.importorskip("axe_playwright_python")
from axe_playwright_python.sync_playwright import Axe

PAGES = sorted(str(path.relative_to(BOOK)) for path in BOOK.rglob("*.html") if "_static" not in path.parts)
KINDS = {
    "start": "index.html",
    "chapter": "foundations/estimating.html",
    "table": "appendix/devices.html",
    "symbols": "appendix/notation.html",
    "command": "library/command.html",
    "python": "library/python.html",
    "index": "genindex.html",
    "search": "search.html?q=cache",
    "missing": "404.html",
}
# No rule but contrast depends on light or dark.
LIGHT = {"resultTypes": ["violations"], "preload": False}
DARK = LIGHT | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# Equations are thousands of small boxes in the colour of their text, hidden from screen readers: one word stands for each.
SHORTER = """
() => {
  for (const box of document.querySelectorAll(".katex-html")) box.textContent = "formula";
  for (const box of document.querySelectorAll(".katex-mathml")) box.textContent = "formula";
}
"""
OUT_OF_REACH = """
() => [...document.querySelectorAll("article *")].filter((box) => box.scrollWidth > box.clientWidth + 1 && box.tabIndex < 0
  && box.clientWidth && ["auto", "scroll"].includes(getComputedStyle(box).overflowX) && !box.querySelector("a, button, input"))
  .map((box) => `${box.tagName}.${box.className}`)
"""
WIDE = """
(width) => [...document.querySelectorAll("article *")].filter((box) => box.getBoundingClientRect().right > width + 1)
  .map((box) => `${box.tagName}.${box.className}`).slice(-3)
"""


def settled(page):
    page.evaluate("document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone_and_everybody_can_use_it(name, book, open_page):
    page = open_page(f"{book}/{name}")
    settled(page)
    assert page.evaluate(OUT_OF_REACH) == [], "scrolls, and no key reaches it"
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{wide} pixels wide on a screen of {width}: {page.evaluate(WIDE, width)}"
    page.set_viewport_size({"width": 1280, "height": 900})
    settled(page)
    page.evaluate(SHORTER)
    found = {}
    for scheme, options in (("light", LIGHT), ("dark", DARK)):
        page.emulate_media(color_scheme=scheme)
        for rule in Axe().run(page, options=options).response["violations"]:
            found[f"{scheme}: {rule['id']}"] = [node["target"] for node in rule["nodes"]][:3]
    assert found == {}


@pytest.mark.parametrize("name", [name for name in PAGES if (BOOK / name).with_suffix(".md").is_file()])
def test_a_twin_says_what_its_page_says(name):
    html, markdown = (BOOK / name).read_text(encoding="utf-8"), (BOOK / name).with_suffix(".md").read_text(encoding="utf-8")
    plain = " ".join(re.sub(r"</?su[bp]>|[*\\\\]", "", markdown).split())
    values = [" ".join(unescape(re.sub(r"<[^>]*>", "", v)).split()) for v in re.findall(r'<span class="value"[^>]*>(.*?)</span>', html)]
    at = 0
    for value in values:  # in the order of the page
        if "katex" not in value and not re.search(r"\s·\s|×", value):
            at = plain.find(value, at)
            assert at >= 0, value
    numbers = re.findall(r'<span class="eqno">(\([\w.]+\))', html)
    assert re.findall(r"^(\([\w.]+\)) `[\w-]+`$", markdown, re.MULTILINE) == numbers
    rest = re.sub(r"```.*?```|`[^`\n]*`", "", markdown, flags=re.DOTALL)
    assert not re.search(r"\{[a-z]+\}`|^:::|\{\{ ", rest, re.MULTILINE)


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_of_each_kind_of_page(kind, book, open_page):
    """For review: what they show is not judged here."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    for look, options in {"light": {}, "dark": {"scheme": "dark"}, "phone": {"width": 390}}.items():
        page = open_page(f"{book}/{KINDS[kind]}", **options)
        settled(page)
        page.screenshot(path=SHOTS / f"{kind}-{look}.png")


@pytest.mark.parametrize("chosen", ["light", "dark"])
def test_chosen_colours_are_there_before_anything_is_painted(chosen, book, open_page):
    page = open_page(f"{book}/index.html", scheme="light")
    page.evaluate("(chosen) => localStorage.setItem('theme', chosen)", chosen)
    page.reload(wait_until="commit")
    page.wait_for_selector(f'body[data-theme="{chosen}"]', state="attached")
    settled(page)
    assert page.evaluate("document.body.dataset.theme") == chosen
    code = page.evaluate("getComputedStyle(document.body).getPropertyValue('--color-code-background').trim()")
    assert code == {"light": "#f2f2f2", "dark": "#202020"}[chosen]  # of Pygments' styles a11y-light and native


def test_a_missing_page_leads_back_from_any_depth(book, open_page):
    page = open_page(f"{book}/404.html")
    content = page.content()
    page.route("**/foundations/deep/nowhere.html", lambda route: route.fulfill(body=content, content_type="text/html"))
    page.goto(f"{book}/foundations/deep/nowhere.html")
    page.get_by_role("search").get_by_label("Search the book").fill("roofline")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_selector("#search-results li")
    assert page.url.startswith(f"{book}/search.html?q=roofline")


def test_search_shows_where_a_word_stands(book, open_page):
    page = open_page(f"{book}/search.html?q=prefill")
    page.wait_for_selector("#search-results .context")
    assert "refill" in page.inner_text("#search-results .context >> nth=0")


# From a zip, as files


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    archive = ROOT / "docs/_build/zip/ai-infra-book-html.zip"
    assert archive.is_file(), "pack the book first: python conf/build.py zip"
    folder = tmp_path_factory.mktemp("zip")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return folder / "ai-infra-book"


def test_pages_work_as_files(unpacked, browser):
    wrong = []
    page = browser.new_context().new_page()
    page.on("console", lambda m: m.type in ("error", "warning") and wrong.append((page.url, m.text)))
    page.on("pageerror", lambda e: wrong.append((page.url, str(e))))
    page.on("request", lambda r: r.url.startswith(("file:", "data:", "blob:")) or wrong.append((page.url, r.url)))
    for name in PAGES:
        if name != "404.html":  # a server's answer: its addresses begin at the root
            page.goto((unpacked / name).as_uri())
            settled(page)
    page.fill(".sidebar-search", "occupancy")
    page.press(".sidebar-search", "Enter")
    page.wait_for_selector("#search-results li a")
    page.click("#search-results li a >> nth=0")
    page.wait_for_selector("article h1")
    assert page.url.startswith(unpacked.as_uri())
    page.context.close()
    assert wrong == []
