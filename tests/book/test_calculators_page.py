"""Calculators: what an author may write, and that a page computes what the library does."""

import random

import pytest
from live import answers, drawn, parsed, same

from aiinfra.book.calls import Cases

CASE = "```{case} eight\nmodel=llama-3.1-70b device=h100-sxm devices=8 dtype=bf16 batch=16 context=2176\n```\n\n"
BODY = """\
title: A decode step
case: "@eight"
inputs:
  model: [llama-3.1-8b, llama-3.1-70b, gpt-oss-120b, deepseek-v3]
  device: {of: [h100-sxm, mi300x, a100-80-sxm]}
  dtype: {of: [bf16, fp8, fp4]}
  weights: {of: [bf16, fp8, fp4]}
  batch: {from: 1, to: 512, log: true}
  context: {from: 128, to: 131072, log: true}
  devices: {from: 1, to: 8}
outputs:
  - {label: Reading, ask: memory-time @eight in ms, race: true}
  - {label: Computing, ask: compute-time @eight in ms, race: true}
  - {label: At least, ask: decode-step-bound @eight in ms, worked: true}
  - {label: Rate, ask: "decode-rate-bound @eight as ,.0f"}
  - {label: Three, ask: 'memory-time @eight + compute-time @eight * 2 - "1 ms" in ms'}
  - {label: Share, ask: 'overlap-bound t_mem="(memory-time @eight)" t_comp="(compute-time @eight)" / decode-step-bound @eight as .3f'}
  - {label: Whole, ask: kv-bytes @eight / weight-bytes @eight as ceil}
plot:
  x: batch
  y: {label: ms, log: true}
  series:
    - {label: reading, ask: memory-time @eight in ms}
    - {label: computing, ask: compute-time @eight in ms}
"""


def page(body: str = BODY) -> str:
    return f"# One\n\n{CASE}```{{calculator}} step\n{body}```\n"


@pytest.fixture(scope="module")
def built(library):
    book = library("calculators", {"one": page()})
    app = book.build()
    assert book.warnings(app) == []
    return app.outdir


def test_the_page_computes_what_the_library_does(built):
    """200 random settings of every input: the same number to the twelfth digit, or a refusal on both sides."""
    script = built / "_static/calculators/one.js"
    cases = Cases()
    cases.add("eight", CASE.splitlines()[1])
    rng = random.Random(11)
    [data] = parsed(script)
    given = [drawn(data, rng) for _ in range(200)]
    found = answers(script, "step", given)
    seen = {"number": 0, "refused": 0}
    for inputs, row in zip(given, found, strict=True):
        for output, value in zip(data["outputs"], row, strict=True):
            seen[same(output["request"], cases, inputs, value)] += 1
    assert seen["number"] > 300 and seen["refused"] > 100, seen


NESTED = """\
title: Work
inputs:
  sequence: {from: 1, to: 4096, start: 8}
outputs:
  - label: A step
    ask: training-step-flops model=llama-3.1-8b forward_flops="(forward-flops model=llama-3.1-8b pairs='(causal-pairs)')"
"""


def test_a_request_within_a_request_is_held_to_its_symbol(library):
    """A sequence of nothing has no work, which the command refuses as what a step is computed from."""
    book = library("nested", {"one": page(NESTED)})
    app = book.build()
    assert book.warnings(app) == []
    script, given = app.outdir / "_static/calculators/one.js", [{"sequence": n} for n in (1, 8, 0)]
    [data] = parsed(script)
    found = [row[0] for row in answers(script, "step", given)]
    kinds = [same(data["outputs"][0]["request"], Cases(), inputs, f) for inputs, f in zip(given, found, strict=True)]
    assert kinds == ["number", "number", "refused"]
    assert found[2] == "forward_flops = 0: must be a finite number above zero with unit FLOP"


def test_the_first_case_stands_on_the_page(built):
    text = (built / "one.html").read_text()
    first = text[text.index('class="first-case"') :]
    for shown in ("5.61 ms", "0.293 ms", "lower bound", "Llama 3.1 70B", "<svg"):
        assert shown.replace(" ", "\N{NO-BREAK SPACE}") in first or shown in first


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("from: 1, to: 512", "from: 512, to: 1", "the range must rise"),
        ("from: 1, to: 512", "from: 32, to: 512", "start 16"),
        ("batch: {", "btach: {", "unknown symbol 'btach'; near: batch"),
        ("llama-3.1-8b,", "llama-9,", "unknown model 'llama-9'"),
        ("x: batch", "x: model", "must be an input with a range"),
        ("race: true}\n  - {label: Computing", "rase: true}\n  - {label: Computing", "unknown field of output 'rase'"),
        (
            "worked: true}\n  - {label: Rate",
            "worked: true}\n  - {label: Bad, ask: 1 + 1, worked: true}\n  - {label: Rate",
            "worked takes one formula",
        ),
        ("title: A decode step\n", "", "'title' of calculator is missing"),
        ("[llama-3.1-8b, llama-3.1-70b, gpt-oss-120b, deepseek-v3]", "[llama-3.1-8b]", "start llama-3.1-70b is not among"),
    ],
)
def test_a_mistake_is_one_warning_at_its_line(library, before, after, message):
    assert before in BODY
    book = library("mistake", {"one": page(BODY.replace(before, after))})
    found = book.warnings(book.build())
    assert len(found) == 1 and message in found[0][2] and found[0][:2] == ("one", 7), found


def test_print_has_the_first_case(library):
    book = library("printed", {"one": page()})
    app = book.build("latex")
    assert book.warnings(app) == []
    text = next(app.outdir.glob("*.tex")).read_text()
    assert "bookbox}{calculator}" in text and "5.61" in text and "step-plot.pdf" in text
