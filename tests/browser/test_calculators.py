"""Every calculator of the book: what it computes, what it refuses, the link that carries its state, keys, and no scripts."""

import random
import sys
import urllib.parse

import pytest
from books import ROOT

sys.path.insert(0, str(ROOT / "tests/book"))
from live import cases_of, drawn, same  # noqa: E402
from test_calculators_page import page as chapter  # noqa: E402
from test_estimates_page import drawn as deployment  # noqa: E402
from test_estimates_page import held_against  # noqa: E402

CHAPTER = chapter()
PAGES = ["estimating", "models-as-work", "workloads", "agents-and-training", "accelerators", "precision-power-choice"]
HOSTILE = [
    "",
    "  ",
    "<b>7</b>",
    "<script>alert(1)</script>",
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "٣",
    "１２",
    "7" * 5000,
    "1,000",
    "0x10",
    "5 parsec",
]
SETTINGS = """(given) => {
  const c = aiinfra.calculators[given.name];
  return given.settings.map((settings) => c.data.outputs.map((row) => {
    const inputs = {};
    for (const input of c.data.inputs) {
      const value = settings[input.name];
      inputs[input.sets || input.name] = input.sets ? input.values[input.options.indexOf(value)] : value;
    }
    try { const a = aiinfra.ask(c.page, row.ask, inputs); return [a.value, aiinfra.answerText(a)]; }
    catch (error) { if (!(error instanceof aiinfra.Refused)) throw error; return error.message; }
  }));
}"""


@pytest.mark.parametrize("name", PAGES)
def test_each_calculator_gives_the_library_s_numbers(book, open_page, name):
    page = open_page(f"{book}/foundations/{name}.html")
    cases = cases_of(ROOT / f"docs/foundations/{name}.md")
    every = page.evaluate("Object.values(aiinfra.calculators).map((c) => c.data)")
    assert len(every) >= 3
    for data in every:
        rng = random.Random(data["name"])
        given = [drawn(data, rng) for _ in range(200)]
        numbers = 0
        for inputs, row in zip(given, page.evaluate(SETTINGS, {"name": data["name"], "settings": given}), strict=True):
            for output, found in zip(data["outputs"], row, strict=True):
                numbers += same(output["request"], cases, inputs, found) == "number"
        assert numbers >= 100 * len(data["outputs"]) / 2, (data["name"], numbers)


def results(page, name):
    return page.locator(f"[data-calculator={name}] .calculator-results td.result").all_text_contents()


def field(page, name):
    return page.locator(f"#{name}")


def test_a_number_is_typed_and_the_results_follow(book, open_page):
    page = open_page(f"{book}/foundations/estimating.html")
    before = results(page, "calc-fits")
    field(page, "calc-fits-devices").fill("4")
    after = results(page, "calc-fits")
    assert before != after and after[2] != before[2]
    assert after[2] in page.locator("[data-calculator=calc-fits] .numbers .worked-line").text_content().replace("\xa0", " ")
    page.get_by_role("button", name="Reset").first.click()
    assert results(page, "calc-fits") == before


def test_what_binds_is_marked(book, open_page):
    page = open_page(f"{book}/foundations/estimating.html")
    marked = page.locator("[data-calculator=calc-step] tr.binds")
    assert "Memory" in marked.text_content() and "binds" in marked.text_content()
    field(page, "calc-step-context").fill("128")
    field(page, "calc-step-batch").fill("2048")
    assert "Arithmetic" in marked.text_content()


def test_hostile_text_is_refused_beside_the_field(book, open_page):
    page = open_page(f"{book}/foundations/estimating.html")
    before = results(page, "calc-move")
    for text in HOSTILE:
        for name in ("calc-move-data", "calc-move-trips"):
            box = field(page, name)
            box.fill(text)
            beside = page.locator(f"#{name}-refused")
            assert beside.is_visible() and 0 < len(beside.text_content()) < 200 and beside.locator("*").count() == 0, text
            assert box.get_attribute("aria-invalid") == "true" and results(page, "calc-move") == before, text
    field(page, "calc-move-trips").fill("2")
    assert not page.locator("#calc-move-trips-refused").is_visible()


def test_a_link_carries_the_state(book, open_page):
    page = open_page(f"{book}/foundations/estimating.html")
    field(page, "calc-step-batch").fill("96")
    page.locator("#calc-step-device").select_option("h200-sxm")
    wanted = results(page, "calc-step")
    link = page.evaluate("aiinfra.calculators['calc-step'].link()")
    assert "calc-step.batch=96" in link and link.endswith("#calc-step")
    other = open_page(link)
    assert results(other, "calc-step") == wanted
    assert "came with the link" in other.locator("[data-calculator=calc-step] .status").text_content()


DAMAGED = {"batch": ["x", "1e999", "-4", "5 GB", ""], "model": ["<b>"], "nothing": ["1"]}


def test_a_damaged_link_shows_the_first_case_and_says_so(tiny, open_page):
    address = tiny("damaged", {"one": CHAPTER}) + "/one.html"
    first = results(open_page(address), "step")
    for name, texts in DAMAGED.items():
        for text in texts:
            page = open_page(f"{address}?step.{name}={urllib.parse.quote(text)}#step")
            assert results(page, "step") == first
            assert "damaged" in page.locator(".status").text_content()


def test_keys_alone_do(book, open_page):
    page = open_page(f"{book}/foundations/estimating.html")
    before = results(page, "calc-amdahl")
    field(page, "calc-amdahl-part").focus()
    page.keyboard.press("Tab")  # the slider
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    assert results(page, "calc-amdahl") != before
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Reset":
            break
    page.keyboard.press("Enter")
    assert results(page, "calc-amdahl") == before


def test_without_scripts_the_first_case_stands(book, open_page):
    page = open_page(f"{book}/foundations/estimating.html", scripts=False)
    first = page.locator("[data-calculator=calc-step] .first-case")
    assert first.locator("table").is_visible() and first.locator("svg").first.is_visible()
    assert page.locator(".calculator-form").count() == 0


def test_a_slider_is_quick(book, open_page):
    """From the slider's event to new numbers and a drawn plot: the median of 50 moves, after ten to warm up."""
    page = open_page(f"{book}/foundations/estimating.html")
    page.locator("[data-calculator=calc-step] .calculator-plot").scroll_into_view_if_needed()
    page.locator("[data-calculator=calc-step] .calculator-plot canvas").wait_for()
    took = page.evaluate("""() => {
      const slider = document.querySelector('#calc-step-batch').parentElement.querySelector('input[type=range]');
      const found = [];
      for (let i = 0; i < 60; i++) {
        slider.value = 100 + 13 * i;
        const start = performance.now();
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        found.push(performance.now() - start);
      }
      return found.slice(10).sort((a, b) => a - b);
    }""")
    assert took[len(took) // 2] <= 16, took


def test_a_deployment_is_what_the_command_prints(book, open_page):
    page = open_page(f"{book}/library/deployment.html")
    page.locator(".memory-bar .part").first.wait_for()
    devices = page.evaluate("Object.keys(aiinfra.calculators.deployment.page.devices)")
    rng = random.Random(4)
    for model in ("llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "qwen3-next-80b-a3b", "gemma-3-27b"):
        page.locator("#deployment-model").select_option(model)
        while not page.evaluate("(model) => model in (aiinfra.calculators.deployment.profiles || {})", model):
            page.wait_for_timeout(20)
        given = [deployment(rng, model, devices) for _ in range(40)]
        found = page.evaluate(
            """(given) => { const c = aiinfra.calculators.deployment; return given.map((s) => {
              try { const e = aiinfra.estimate(c.page, c.profiles[s.model], s); delete e.values; return e; }
              catch (error) { if (!(error instanceof aiinfra.Refused)) throw error; return error.message; } }); }""",
            given,
        )
        for s, e in zip(given, found, strict=True):
            held_against(s, e)


def test_a_deployment_says_that_it_does_not_fit(book, open_page):
    page = open_page(f"{book}/library/deployment.html")
    page.locator(".memory-bar .part").first.wait_for()
    page.locator("#deployment-tp").select_option("1")
    assert "does not fit: needs" in page.locator(".verdict").text_content()
    page.locator("#deployment-weights").select_option("fp8")
    assert "--weights fp8" in page.locator("[data-deployment] pre.command").text_content()
