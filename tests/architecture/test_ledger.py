"""Ledgers: the algebra of their rows gives their numbers, and laws that hold for every model."""

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from aiinfra import architecture, errors, formula, model, models
from aiinfra.architecture.rows import FULL, Reach
from aiinfra.formats import FORMATS
from aiinfra.symbols import SYMBOLS, one_flop

KEYS = list(models())
SOME = ["llama-3.1-8b", "deepseek-v3.2", "deepseek-v4-flash", "gemma-3-27b", "llama-4-scout", "minimax-m3", "qwen3-next-80b-a3b"]
MORE = ["mamba2-2.7b", "kimi-k3", "nemotron-3-nano-30b-a3b", "gpt-oss-20b", "gemma-4-31b", "mixtral-8x7b", "glm-5.3", "opt-13b"]
MORE.append("mimo-v2-flash")
some = st.sampled_from(SOME + MORE)
lengths = st.integers(1, 20_000)
batches = st.integers(1, 300)
REACHES = [FULL, Reach("window", 7), Reach("chunk", 5), Reach("compressed", 4), Reach("chosen", 3, 2), Reach("blocks", 4, 3)]
REACHES.append(Reach("fixed"))


def sees(reach, position):
    """Entries that the token at a position meets, entry by entry."""
    if reach.kind == "window":
        return sum(1 for other in range(1, position + 1) if position - other < reach.size)
    if reach.kind == "chunk":
        return sum(1 for other in range(1, position + 1) if (other - 1) // reach.size == (position - 1) // reach.size)
    if reach.kind == "compressed":
        return sum(1 for end in range(reach.size, position + 1, reach.size))
    if reach.kind == "chosen":
        return min(reach.best, sum(1 for end in range(reach.size, position + 1, reach.size)))
    if reach.kind == "blocks":
        own = (position - 1) // reach.size
        kept = set(range(own + 1)) if own < reach.best else {own, *range(reach.best - 1)}
        return sum(1 for other in range(1, position + 1) if (other - 1) // reach.size in kept)
    return 1 if reach.kind == "fixed" else position


@pytest.mark.parametrize("reach", REACHES, ids=lambda r: r.kind)
def test_a_reach_counts_what_a_loop_over_positions_counts(reach):
    total = 0
    for length in range(1, 61):
        assert reach.entries(length) == sees(reach, length)
        total += sees(reach, length)
        assert reach.pairs(length) == total
        assert reach.widest(length) == max(sees(reach, position) for position in range(1, length + 1))
    assert reach.entries(0) == reach.pairs(0) == 0


@pytest.mark.parametrize("key", KEYS)
def test_the_algebra_of_the_rows_gives_their_numbers(key):
    ledger = model(key).ledger()
    for what, length, wanted in (
        ("parameters", 1, ledger.parameters),
        ("flops", 100, ledger.prefill(100, logits="all").flops),
        ("flops", 9_000, ledger.prefill(9_000, logits="all").flops),
    ):
        values = {SYMBOLS[name]: value for name, value in ledger.shared.items() if name in SYMBOLS}
        put = values | {SYMBOLS["sequence"]: sympy.Integer(length), one_flop: 1}
        assert ledger.expression(what).xreplace(put).doit() == wanted


@settings(max_examples=60, deadline=None)
@given(some, lengths, lengths, batches)
def test_a_prompt_may_be_cut_anywhere(key, first, second, batch):
    """Operations on tokens and pairs add up, whatever is processed at once; latent attention as absorbed, since expanding is paid again."""
    ledger = model(key).ledger()
    whole = ledger.prefill(first + second, batch=batch, latent="absorbed", logits="all").flops
    parts = [ledger.prefill(first, batch=batch, latent="absorbed", logits="all")]
    parts.append(ledger.prefill(second, batch=batch, cached=first, latent="absorbed", logits="all"))
    assert sum(part.flops for part in parts) == whole


@settings(max_examples=40, deadline=None)
@given(some, st.integers(1, 3_000), st.integers(2, 30), batches)
def test_an_answer_is_its_prompt_and_its_steps(key, prompt, answer, batch):
    ledger = model(key).ledger()
    steps = [ledger.decode(prompt + i, batch=batch) for i in range(1, answer)]
    first, whole = ledger.prefill(prompt, batch=batch), ledger.answer(prompt, answer, batch=batch)
    assert whole.flops == first.flops + sum(s.flops for s in steps)
    assert whole.state_read == first.state_read + sum(s.state_read for s in steps)
    assert whole.state_written == pytest.approx(first.state_written + sum(s.state_written for s in steps))
    assert whole.weight_read == pytest.approx(first.weight_read + sum(s.weight_read for s in steps))


@settings(max_examples=80, deadline=None)
@given(some, lengths, st.integers(1, 5_000), batches, st.integers(1, 300))
def test_more_never_costs_less(key, context, further, batch, more):
    ledger = model(key).ledger()
    assert ledger.state(context + further) >= ledger.state(context)
    assert ledger.prefill(context + further).flops > ledger.prefill(context).flops
    one, two = ledger.decode(context, batch=batch), ledger.decode(context, batch=batch + more)
    assert two.flops * batch == one.flops * (batch + more)
    assert one.weight_read <= two.weight_read <= ledger.bytes * (1 + 1e-12) + 1e-3 + _tied(ledger)


def _tied(ledger):
    return sum(row.bytes_of_one for row in ledger.rows if row.tied)


@settings(max_examples=80, deadline=None)
@given(some, lengths, st.integers(1, 512))
def test_pages_hold_what_is_kept_and_less_than_a_page_more(key, context, block):
    ledger = model(key).ledger()
    capped, unified = ledger.paged(context, block=block), ledger.paged(context, block=block, windows="unified")
    assert ledger.state(context) <= capped <= unified + sum(2 * block * r.entry(ledger.kv.element) * r.layers for r in ledger.state_rows)
    assert ledger.paged(context, block=1, windows="capped") == ledger.state(context)


@settings(max_examples=60, deadline=None)
@given(some, lengths, batches)
def test_a_rectangle_is_never_less_than_the_causal_count(key, prompt, batch):
    ledger = model(key).ledger()
    exact, rectangle = (ledger.prefill(prompt, batch=batch, convention=c).flops for c in ("causal", "rectangle"))
    assert exact <= rectangle
    exact, none, full = (ledger.training(prompt, recompute=r).flops for r in ("none", "attention", "full"))
    assert exact <= none <= full <= exact * 4 / 3


@pytest.mark.parametrize("key", ["llama-2-7b", "llama-3.1-70b", "qwen3-8b", "phi-4", "mistral-small-3", "olmo-2-7b"])
@pytest.mark.parametrize("length", [1, 500, 4_000])
def test_the_formulas_of_dense_models_agree_but_for_norms(key, length):
    """Chapter 1 counts the weights of norms, and biases, as matrix weights; everything else is the same."""
    entry = model(key)
    ledger = entry.ledger()
    vectors = sum(row.parameters for row in ledger.rows if row.kind == "vector")
    for work, key, inputs, tokens in (
        (ledger.decode(length, batch=3), "decode-flops", {"batch": 3, "context": length}, 3),
        (ledger.prefill(length), "prefill-flops", {"prompt": length}, length),
        (ledger.answer(length, 7), "answer-flops", {"prompt": length, "answer": 7}, length + 6),
    ):
        assert formula(key)(entry, **inputs).value == work.flops + 2 * vectors * tokens
    assert formula("kv-bytes")(entry, batch=1, context=length).value == ledger.state(length)


def test_expanding_pays_from_the_tokens_that_the_formula_names():
    ledger = model("deepseek-v3").ledger()
    balance = formula("latent-balance")(d_latent=512, d_nope=128, d_value=128).value
    assert 170 < balance < 171
    for fresh, better in ((170, "absorbed"), (171, "expanded")):
        flops = {way: ledger.prefill(fresh, cached=1_000_000, latent=way).flops for way in ("absorbed", "expanded")}
        pairs = fresh * (fresh + 1) // 2  # among the new tokens narrow heads always do less: taken out
        flops["absorbed"] -= 61 * 2 * 128 * pairs * (1088 - 320)
        assert min(flops, key=flops.get) == better


def test_formats_change_bytes_and_nothing_else():
    plain, packed = model("llama-3.1-8b").ledger(), model("llama-3.1-8b").ledger(weights="mxfp4", kv="fp8")
    assert plain.parameters == packed.parameters
    assert plain.decode(100).flops == packed.decode(100).flops
    layers = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    assert plain.bytes - packed.bytes == layers * 2 - (layers // 2 + layers // 32)
    assert packed.state(1000) * 2 == plain.state(1000)


@pytest.mark.parametrize(("key", "printed"), [("deepseek-v2", 155), ("deepseek-v3", 250)])
def test_training_operations_that_deepseek_prints(key, printed):
    """GFLOP a token, Table 2 of "Insights into DeepSeek-V3" (2025); in causal sequences of 4,096 tokens."""
    assert round(model(key).ledger().training(4096).flops / 4096 / 1e9) == printed


def test_training_holds_sixteen_bytes_a_parameter():
    ledger = model("llama-3.1-8b").ledger()
    assert ledger.training_state() == 16 * 8_030_261_248
    assert ledger.training_state(gradients="fp32", optimizer=8) == 14 * 8_030_261_248


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda x: x.training_state(optimizer=-1), "optimizer = -1: must be bytes a parameter"),
        (lambda x: x.training_state(weights="nvfp4"), "unknown format 'nvfp4'"),
        (lambda x: x.prefill(0), "prompt = 0: must be a whole number from 1"),
        (lambda x: x.prefill(1.5), "prompt = 1.5: must be a whole number of 1 or more"),
        (lambda x: x.prefill(10, logits="some"), "logits = 'some': must be last or all"),
        (lambda x: x.prefill(10, convention="half"), "convention = 'half': must be causal or rectangle"),
        (lambda x: x.prefill(10, latent="both"), "latent = 'both': must be expanded or absorbed"),
        (lambda x: x.prefill(10, sections=("audio",)), "llama-3.1-8b has language"),
        (lambda x: x.decode(True), "context = True"),
        (lambda x: x.decode(10**15), "context = 1000000000000000: must be a whole number from 1 to"),
        (lambda x: x.state(-1), "context = -1"),
        (lambda x: x.paged(10, windows="none"), "windows = 'none': must be capped or unified"),
        (lambda x: x.training(10, recompute="half"), "recompute = 'half': must be none, attention or full"),
        (lambda x: x.expression("bytes"), "what = 'bytes': must be parameters or flops"),
        (lambda x: model("llama-3.1-8b").ledger(weights="fp3"), "unknown format 'fp3'"),
        (lambda x: architecture.load(3), "3: expected a mapping, a path or the name of a model"),
        (lambda x: architecture.load("llama-3.1-9b"), "unknown model 'llama-3.1-9b'; near: llama-3.1-8b"),
        (lambda x: architecture.load("nowhere/config.json"), "config.json: No such file"),
    ],
)
def test_a_wrong_question_gets_one_line(call, says):
    with pytest.raises(errors.AIInfraError, match=says.replace("(", "\\(")) as error:
        call(model("llama-3.1-8b").ledger())
    assert "\n" not in str(error.value)


def test_a_formula_for_dense_models_refuses_others():
    with pytest.raises(errors.MissingInput, match="mixtral-8x7b has experts, of which a step reads those that its batch touches"):
        formula("decode-flops")(model("mixtral-8x7b"), batch=1, context=100)
    with pytest.raises(errors.MissingInput, match="opt-13b has a position table beside the embedding"):
        formula("weight-bytes-read")(model("opt-13b"))
    with pytest.raises(errors.MissingInput, match="deepseek-v3 has no single value: its layers are not all of one full attention"):
        formula("kv-bytes-per-token")(model("deepseek-v3"))


def test_every_format_is_positive_and_smaller_than_fp64():
    for name, found in FORMATS.items():
        assert 0 < found.element <= 8, name
        assert found.scale == 0 or found.group_in or found.group_out, name
