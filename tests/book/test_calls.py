"""The request language: values worked out by hand, and mistakes that are one line."""

import pytest

from aiinfra.book.calls import Cases, ask, fill
from aiinfra.errors import AIInfraError

# Llama-3.1-70B: 80 layers, 8 key/value heads of width 128, BF16; H100 SXM: 3.35 TB/s, 989.4 TFLOP/s dense, 80 GB
TOKEN = 2 * 80 * 8 * 128 * 2


@pytest.fixture
def cases():
    found = Cases()
    found.add("one", "model=llama-3.1-70b device=h100-sxm devices=1 batch=1 context=2048 reserve='5 GB'")
    found.add("eight", "@one devices=8")
    found.add("small", "@eight weights=fp8 kv=fp8")
    found.add("round", "@one batch='(kv-bytes @round)'")
    return found


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("kv-bytes-per-token @one", TOKEN),
        ("kv-bytes @one", TOKEN * 2048),
        ("kv-bytes @one batch=16 context=512", TOKEN * 16 * 512),
        ("kv-bytes batch=16 @one context=512", TOKEN * 16 * 512),  # in any order
        ("kv-bytes @one kv=fp8", TOKEN / 2 * 2048),  # a format of the call outweighs the model's
        ("kv-bytes @small b_kv=2", TOKEN * 2048),  # bytes of the call outweigh a format of the case
        ("kv-bytes @small kv=bf16", TOKEN * 2048),
        ("kv-bytes @one @small", TOKEN / 2 * 2048),  # a later case outweighs an earlier one
        ("kv-bytes @small @one", TOKEN / 2 * 2048),  # which names no format
        ("weight-bytes n_param=7e9 b_w='0.5 B'", 3.5e9),
        ("weight-bytes n_param=7e9 weights=int4", 3.5e9),
        ("transfer-time data='70 GB' beta='3.35 TB/s'", 70 / 3350),
        ("kv-bytes solve context @one kv_bytes='40 GB' batch=16", 40e9 / 16 / TOKEN),
        ("h100-sxm memory_bandwidth", 3.35e12),
        ("h100-sxm peak bf16", 989.4e12),
        ("h100-sxm peak bf16 sparse", 1978.9e12),
        ("h100-sxm capacity", 80e9),
        ("llama-3.1-70b n_layer", 80),
        ("gptfast-llama2-7b-tp1-bf16", 104.9),
        ("gptfast-llama2-7b-tp1-bf16 answer", 200),
        ("'80 GB'", 80e9),
        ("$2/h", 2 / 3600),
        ("12", 12),
        ("2 + 3 * 4 - 6 / 2", 11),
        ("'3 GB' / '2 GB'", 1.5),
        ("'80 GB' - h100-sxm capacity", 0),
        ("7 / 2 as floor", 3),
        ("7 / 2 as ceil", 4),
        ("kv-bytes @one batch='(kv-bytes @one / kv-bytes-per-token @one)'", TOKEN * 2048 * 2048),
    ],
)
def test_value(cases, request_, expected):
    assert float(ask(request_, cases).value) == pytest.approx(expected, rel=1e-12)


def test_flip(cases):
    # Both times share devices: context-free, batch B with W/beta = 2 N_r B/P, W = 2 N_r bytes
    flip = ask("memory-time = compute-time over batch @one context=0", cases)
    assert float(flip.value) == pytest.approx(989.4e12 / 3.35e12, rel=1e-9)
    assert flip.flip.symbol == "batch"
    assert flip.call is None


@pytest.mark.parametrize(
    ("request_", "shown", "number"),
    [
        ("kv-bytes-per-token @one", "328 kB", TOKEN),
        ("kv-bytes-per-token @one in kB", "328 kB", TOKEN / 1000),
        ("kv-bytes-per-token @one in KiB", "320 KiB", 320),
        ("kv-bytes-per-token @one in KiB as .1f", "320.0 KiB", 320),
        ("kv-bytes-per-token @one as .1e", "3.3e+02 kB", TOKEN),
        ("'3 GB' / '2 GB' in %", "150%", 150),
        ("3 / 7 as .2f", "0.43", 3 / 7),
    ],
)
def test_printed(cases, request_, shown, number):
    answer = ask(request_, cases)
    assert answer.number == pytest.approx(number)
    assert str(answer) == shown


def test_a_case_may_hold_what_a_formula_does_not_read(cases):
    assert ask("weight-bytes @small", cases).call.pruned() == {"weights": "fp8"}
    assert set(ask("memory-per-device @small", cases).call.pruned()) == {"weights", "kv", "devices", "batch", "context", "reserve"}
    with pytest.raises(AIInfraError, match=r"^weight-bytes does not use batch; it uses b_w, n_param$"):
        ask("weight-bytes @one batch=2", cases)


def test_an_override_outweighs_all_and_may_be_unused(cases):
    assert float(ask("kv-bytes @one context=1", cases, context=4.0).value) == TOKEN * 4
    assert float(ask("kv-bytes @small", cases, b_kv="2 B").value) == TOKEN * 2048
    assert ask("h100-sxm power", cases, context=4.0).value == ask("h100-sxm power").value


def test_fill(cases):
    assert fill("{{ weight-bytes @one in GB as .3g }} of {{h100-sxm capacity}}", lambda text: ask(text, cases)) == "141 GB of 80 GB"
    assert fill("no request, { or }}", None) == "no request, { or }}"


MISTAKES = [  # those that pages show are in mistakes.py
    ("", "'': nothing is asked"),
    ("+", "'+': a term is missing beside +"),
    ("2 +", "'2 +': a term is missing beside +"),
    ("kv-bytes @on", "unknown case 'on'; near: one"),
    ("kv-bytes @one batch=", "'batch=': expected NAME=VALUE, @CASE, or 'in UNIT' at the end"),
    ("kv-bytes @one kv=fp8 b_kv=1", "'b_kv=1': b_kv is given twice"),
    ("kv-bytes @one in KB", "unit 'KB': 'KB' is read in two ways; write kB (1000 B) or KiB (1024 B)"),
    ("kv-bytes @one in GB in MB", "'in': expected NAME=VALUE, @CASE, or 'in UNIT' at the end"),
    ("'80 GB' context=3", "unknown formula or catalogue entry '80 GB'; known: a10, a100-40-pcie"),
    ("h100-sxm peak bf16 sparse now", "'h100-sxm peak bf16 sparse now': nothing can follow h100-sxm peak, but 'sparse now' does"),
    ("1e99 * 1e99 * 1e99 * 1e99", "'1e99 * 1e99 * 1e99 * 1e99' is beyond the largest number"),
    ("kv-bytes = step-time over batch @one", "unknown formula 'step-time'; near: "),
    ("kv-bytes-per-token @one - '1 s'", "cannot subtract B and s"),
    ("kv-bytes solve batch @one kv_bytes='0 B'", "no batch makes kv-bytes equal 0 B"),
    ("kv-bytes = solve over batch", "unknown formula 'solve'"),
    ("kv-bytes @one in GB as floor", "'kv-bytes @one in GB as floor': floor is for plain numbers, not for B"),
    ("kv-bytes @one batch='(kv-byte)'", "unknown formula or catalogue entry 'kv-byte'; near: kv-bytes"),
    ("kv-bytes @one batch='()'", "'': nothing is asked"),
    ("kv-bytes @one batch='(kv-bytes @one)'", "batch = 671 MB: unit must be none, not B"),
    ("kv-bytes @round", "kv-bytes: batch asks for itself"),
]


@pytest.mark.parametrize(("request_", "message"), MISTAKES)
def test_mistake(cases, request_, message):
    with pytest.raises(AIInfraError) as raised:
        ask(request_, cases)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_a_case_is_declared_once(cases):
    with pytest.raises(AIInfraError, match="^case 'one' is declared twice$"):
        cases.add("one", "batch=3")
    with pytest.raises(AIInfraError, match="^unknown input 'contxt'; near: context"):
        cases.add("two", "contxt=3")
    assert "two" not in cases
