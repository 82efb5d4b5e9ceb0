"""Damaged links, refused values, data that do not come, and what a reader's browser forbids."""

import sys
import urllib.parse

import pytest
from books import ROOT

sys.path.insert(0, str(ROOT / "tests/book"))
from test_calculators_page import page as chapter  # noqa: E402

STATE = """() => { const c = aiinfra.calculators.deployment; return {
  fields: Object.fromEntries([...c.fields].map(([name, f]) => [name, f.control.value])),
  values: Object.fromEntries([...c.fields].map(([name, f]) => [name, String(f.value)])),
  parts: [...c.fields.get("tp").control.options].map((o) => o.value), command: c.command.textContent }; }"""
FIRST = "aiinfra estimate --model llama-3.1-70b --device h100-sxm --tp 8 --batch 32 --prompt 2048 --output 128"
DAMAGED = [
    "model=nope",
    "model=__proto__",
    "__proto__=1",
    "constructor=1",
    "tp=3",
    "tp=16",  # more than the links of the first device join
    "batch=1e999",
    "weights=",
    "prefix_hit=1",
    "output=1",
    "prompt=999999",  # more than the model takes
    "model=phi-4&deployment.tp=8",
    "model=gpt-2",
]


def deployment(book, open_page, query=""):
    page = open_page(f"{book}/library/deployment.html{query}")
    page.locator(".memory-bar .part").first.wait_for()
    return page


@pytest.mark.parametrize("query", DAMAGED)
def test_a_damaged_link_of_a_deployment_shows_the_first_case(book, open_page, query):
    page = deployment(book, open_page, f"?deployment.{query}")
    page.get_by_text("The link is damaged").wait_for()
    said = page.locator("[data-deployment] .status").inner_text()
    state = page.evaluate(STATE)
    assert state["command"] == FIRST and len(said) < 200
    assert state["fields"] == state["values"]


@pytest.mark.parametrize("query", ["model=phi-4&deployment.tp=2", "tp=2&deployment.model=phi-4", "model=phi-4"])
def test_a_model_of_a_link_brings_its_parts(book, open_page, query):
    page = deployment(book, open_page, f"?deployment.{query}")
    page.get_by_text("came with the link").wait_for()
    state = page.evaluate(STATE)
    assert state["parts"] == ["1", "2"] and "--model phi-4 --device h100-sxm --tp 2 " in state["command"]
    page.get_by_role("button", name="Reset").click()
    assert page.evaluate(STATE)["command"] == FIRST


def test_a_refused_model_leaves_everything_as_it_was(book, open_page):
    page = deployment(book, open_page)
    before = page.evaluate(STATE)
    for _ in range(2):  # while its data load, and when they are there
        page.locator("#deployment-model").select_option("gpt-2")
        page.get_by_text("gpt-2 takes 1,024 tokens at most").wait_for()
        assert page.evaluate(STATE) == before


def test_a_model_whose_data_do_not_come_is_refused_and_may_come_later(book, open_page):
    page = deployment(book, open_page)
    before = page.evaluate(STATE)
    page.route("**/deployments/phi-4.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.locator("#deployment-model").select_option("phi-4")
    page.get_by_text("could not be loaded").wait_for()
    assert page.evaluate(STATE) == before
    page.unroute("**/deployments/phi-4.js")
    page.locator("#deployment-model").select_option("phi-4")
    page.locator("[data-deployment] pre.command", has_text="--model phi-4 ").wait_for()


def test_without_the_data_of_the_first_model_its_first_case_stands(book, open_page):
    page = open_page(f"{book}/404.html")  # the route must be there before the page
    page.route("**/deployments/llama-3.1-70b.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(f"{book}/library/deployment.html")
    page.get_by_text("could not be loaded").wait_for()
    assert page.locator("[data-deployment] .first-case").is_visible() and not page.locator(".verdict").is_visible()


def test_the_last_of_many_models_stands(book, open_page):
    page = deployment(book, open_page)
    last = page.evaluate("""() => {
      const field = document.querySelector('#deployment-model'), keys = [...field.options].slice(0, 30).map((o) => o.value);
      for (const key of keys) { field.value = key; field.dispatchEvent(new Event('change')); }
      return keys.at(-1);
    }""")
    page.locator("[data-deployment] pre.command", has_text=f"--model {last} ").wait_for()
    state = page.evaluate(STATE)
    assert state["fields"]["model"] == last and state["fields"] == state["values"]


def test_a_number_that_holds_once_another_field_changes_is_taken(book, open_page):
    page = deployment(book, open_page)
    page.locator("#deployment-prompt").fill("1000000")
    beside = page.locator("#deployment-prompt-refused")
    assert "131,072 tokens at most" in beside.inner_text() and page.evaluate(STATE)["values"]["prompt"] == "2048"
    page.locator("#deployment-batch").fill("x")
    page.locator("#deployment-prompt").fill("100000")
    assert not beside.is_visible() and page.locator("#deployment-batch-refused").is_visible()
    page.locator("#deployment-model").select_option("gpt-2")
    page.get_by_text("gpt-2 takes").wait_for()
    page.locator("#deployment-prompt").fill("896")  # the model was refused: it stays so, and says nothing any more
    assert not page.locator("#deployment-model-refused").is_visible()
    assert page.evaluate(STATE)["values"]["model"] == "llama-3.1-70b" and page.locator("#deployment-batch").input_value() == "x"


def test_a_deployment_follows_a_slider(book, open_page):
    """A step of the slider, with the curve of 48 batches and all tables, within a frame of the screen."""
    page = deployment(book, open_page)
    page.locator("[data-deployment] .calculator-plot canvas").wait_for()
    took = page.evaluate("""() => {
      const slider = document.querySelector('#deployment-batch').parentElement.querySelector('input[type=range]'), found = [];
      for (let i = 0; i < 60; i++) {
        slider.value = 13 * i;
        const start = performance.now();
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        found.push(performance.now() - start);
      }
      return found.slice(10).sort((a, b) => a - b);
    }""")
    assert took[len(took) // 2] <= 16, took


BLOCKED = "Object.defineProperty(window, 'localStorage', { configurable: true, get() { throw new DOMException('denied'); } });"


@pytest.fixture(scope="module")
def one(tiny):
    return tiny("hostile", {"one": chapter()}) + "/one.html"


def test_without_storage_a_page_works(one, open_page):
    page = open_page(one)
    page.context.add_init_script(BLOCKED)
    page.reload()
    page.locator("#step-batch").fill("32")
    assert "32" in page.evaluate("aiinfra.calculators.step.link()")
    page.locator(".theme-toggle").locator("visible=true").first.click()


def test_print_has_the_whole_first_case_whatever_is_on_screen(one, open_page):
    page = open_page(one)
    page.emulate_media(media="print")
    first = page.locator("[data-calculator=step] .first-case")
    before = first.inner_text()
    page.emulate_media(media="screen")
    page.locator("#step-batch").fill("512")
    page.emulate_media(media="print")
    assert first.is_visible() and first.inner_text() == before and first.locator(".worked-line").is_visible()
    assert not page.locator(".calculator-form").is_visible()


@pytest.mark.parametrize("query", ["step.__proto__=1", "step.toString=1", "step.=1", "step.device=__proto__", "step.batch=" + "9" * 3000])
def test_names_that_every_object_has_are_no_inputs(one, open_page, query):
    page = open_page(f"{one}?{query}")
    said = page.locator(".status").inner_text()
    assert "The link is damaged" in said and len(said) < 200


def test_a_link_of_all_defaults_is_the_bare_page(one, open_page):
    page = open_page(one)
    starts = page.evaluate("aiinfra.calculators.step.data.inputs.map((row) => [`step.${row.name}`, String(row.start)])")
    same = open_page(f"{one}?{urllib.parse.urlencode(dict(starts))}")
    assert "came with the link" in same.locator(".status").inner_text()
    assert same.evaluate("aiinfra.calculators.step.link()") == f"{one}#step"
