"""Claims: what is right passes, and each known mistake is named from the number alone. Claimed values are worked out here."""

from time import perf_counter

import pytest

from aiinfra import device, errors
from aiinfra.scenario import Scenario
from aiinfra.scenario.claims import check

LLAMA = "model=llama-3.1-70b device=h100-sxm tp=8 batch=32 prompt=2048 output=128"
EIGHT = Scenario(model="llama-3.1-70b", device="h100-sxm", tp=8, batch=32, prompt=2048, output=128).estimate().values
LAYER = 2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672
HEAD = 8192 * 128256
NORMS = 2 * 80 * 8192 + 8192
WEIGHTS = 2 * ((80 * LAYER + 2 * HEAD) / 8 + NORMS)


def one(line):
    [found] = check(line)
    return found


@pytest.mark.parametrize(
    "line",
    [
        "kv-bytes-per-token model=llama-3.1-70b = 327680 B",
        "kv-bytes-per-token model=llama-3.1-70b = 328 kB",
        "kv-bytes-per-token model=llama-3.1-70b = 0.33 MB",
        "kv-bytes-per-token model=llama-3.1-70b = 328000 B",
        "kv-bytes-per-token model=llama-3.1-70b = ~ 327,680 B",
        "kv-bytes-per-token n_layer=80 n_kv=8 d_head=128 b_kv=2 = 327.7 kB  # a comment",
        "overlap-gain-limit = 2",
        f"decode.bound {LLAMA} = 6.01 ms",
    ],
)
def test_what_is_right_is_right(line):
    assert one(line).right


@pytest.mark.parametrize(
    ("line", "value", "says"),
    [
        ("kv-bytes-per-token model=llama-3.1-70b", 2 * 80 * 64 * 128 * 2, "query heads"),
        ("kv-bytes-per-token model=qwen3-0.6b", 2 * 28 * 8 * 64 * 2, "head width taken as"),
        ("kv-bytes-per-token model=llama-3.1-70b", 2 * 8 * 128 * 2, "one layer taken for all"),
        ("kv-bytes-per-token model=llama-3.1-70b", 327_680 / 2, "values forgotten"),
        ("weight-bytes model=llama-3.1-70b", 8 * 2 * 70_553_706_496, "bits taken for bytes"),
        ("prefill-flops model=llama-3.1-70b prompt=100", (2 * (80 * LAYER * 100 + HEAD) + 4 * 80 * 8192 * 5050) / 2, "multiply-add"),
        ("machine-balance device=h100-sxm dtype=bf16", 1978.9e12 / 3.35e12, "sparsity"),
        ("mfu step_flops=1000000000000 t_step=0.01 devices=8 device=h100-sxm dtype=bf16", 1e14 / 8 / 1978.9e12, "sparsity"),
        ("transfer-time data=1000000000 beta=1000000000", 1 / 1.024**3, "power of 1000"),
        (f"memory.weights {LLAMA}", WEIGHTS - 2 * HEAD / 8, "output head forgotten"),
        (f"memory.weights {LLAMA}", WEIGHTS - 2 * 80 * 8192 * 28672 / 8, "two matrices counted in the MLP"),
        (f"memory.weights {LLAMA}", WEIGHTS * 8, "not divided by the devices"),
        ("memory.weights model=mixtral-8x7b device=h200-sxm", 2 * 12_879_925_248, "active parameters taken for all"),
        ("decode.weights model=mixtral-8x7b device=h200-sxm", 2 * 46_702_792_704, "all parameters taken for those"),
        ("memory.request model=deepseek-v3 device=b200-sxm tp=8 prompt=14 output=2", 16 * 61 * 576 * 2 / 8, "each of them holds whole"),
        (f"memory.request {LLAMA}", 2176 * 2 * 80 * 64 * 128 * 2 / 8, "query heads"),
        ("memory.request model=llama-3.1-8b device=h100-sxm prompt=1 output=2", 3 * 131_072, "pages not rounded up"),
        ("memory.request model=gemma-3-27b device=h200-sxm prompt=16000 output=384", 16384 * 2 * 62 * 16 * 128 * 2, "windows not capped"),
        (f"memory.batch_max {LLAMA}", (EIGHT["usable"] - EIGHT["memory.weights"]) // EIGHT["memory.request"], "engine's share"),
        (f"prefill.flops {LLAMA}", (2 * (80 * LAYER * 2048 + HEAD) + 4 * 80 * 8192 * 2048**2) / 8, "without the causal order"),
        (f"decode.expected.slow {LLAMA}", EIGHT["decode.bound"], "a bound read as a forecast"),
        (f"service.tpot.expected.slow {LLAMA}", EIGHT["decode.expected.slow"], "without the prompts that come between"),
        (f"decode.wire {LLAMA}", 160 * 32 * 8192 * 2 / 900e9, "both directions of a link"),
        (f"decode.wire {LLAMA}", 160 * 32 * 8192 * 2 / 450e9 / 8, "links of a whole node"),
        (f"decode.mfu.fast {LLAMA}", EIGHT["decode.mfu.fast"] / 2, "sparsity"),
    ],
)
def test_each_known_mistake_is_named(line, value, says):
    time = line.startswith(("transfer-time", "decode.expected", "service.tpot", "decode.wire"))
    found = one(f"{line} = {value!r}{' s' if time else ''}")
    assert not found.right
    assert any(says in mistake for mistake in found.mistakes), found


def test_norms_divided_are_seen_where_they_weigh_enough():
    whole = Scenario(model="mamba2-2.7b", device="h100-sxm", tp=8).estimate().ledger
    vectors = sum(row.bytes for row in whole.rows if row.kind == "vector")
    assert vectors * 7 / 8 < 0.02 * whole.bytes  # too small a part for the number alone to give it away


def test_gib_for_gb():
    assert device("h100-sxm").capacity.value.value == 80e9
    fitting = int((80 * 1024**3 - 16.06e9) / 131_072_000)
    found = one(f"largest-batch model=llama-3.1-8b device=h100-sxm devices=1 context=1000 reserve=0 = {fitting}")
    assert any("GiB taken for GB" in m for m in found.mistakes)


def test_a_wrong_number_without_a_known_mistake_has_a_factor_only():
    found = one("kv-bytes-per-token model=llama-3.1-70b = 1 B")
    assert not found.right and found.mistakes == () and found.factor == pytest.approx(1 / 327_680)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("kv-bytes-per-token model=llama-3.1-70b", "expected KEY name=value"),
        ("kv-bytes-per-token model=llama-3.1-70b =", "a claim needs a value"),
        ("kv-bytes-per-token model=llama-3.1-70b = 3 s", "the unit must be B"),
        (f"decode.bound {LLAMA} = 6.01", "a time needs its unit, such as 6.01 ms"),
        ("kv-bytes-per-token model=llama-3.1-70b = three", "quantity 'three'"),
        ("kv-bytes-per-tokens model=llama-3.1-70b = 3 B", "a scenario|unknown field|needs device|unknown formula or result"),
        ("kv-bytes-per-token model = 3 B", "expected name=value"),
        ("kv-bytes-per-token model=x model=y = 3 B", "model is given twice"),
        ("kv-bytes-per-token 'model = 3 B", "No closing quotation"),
        ("decode.bond model=llama-3.1-8b device=h100-sxm = 3 s", "unknown formula or result 'decode.bond'; near: decode.bound"),
        ("kv-bytes-per-token model=llama-3.1-70b b_kv=1e999 = 3 B", "b_kv"),
        ("kv-bytes-per-token model=llama-3.1-70b b_kv=NaN = 3 B", "b_kv"),
        ("kv-bytes-per-token model=llama-3.1-70b b_kv=\u0663 = 3 B", "b_kv"),
        ("kv-bytes-per-token model=" + "x" * 10_000 + " = 3 B", "unknown model"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line, says):
    with pytest.raises(errors.AIInfraError, match=says) as error:
        check("\n" + line, "notes.txt")
    text = str(error.value)
    assert text.startswith("notes.txt, line 2: ") and "\n" not in text and len(text) < 1000


@pytest.mark.parametrize(
    "line",
    [
        f"decode.bound {LLAMA} = 9 ms", f"decode.bound {LLAMA} = 4 ms", "kv-bytes-per-token model=llama-3.1-70b = 0.6 MB",
        f"decode.bound {LLAMA} = 6.08 ms", "kv-bytes-per-token model=llama-3.1-70b = 324 kB",
    ],
)  # fmt: skip
def test_what_is_off_by_more_than_its_last_digit_is_wrong_and_accuses_nobody(line):
    found = one(line)
    assert not found.right and not any("power of" in m for m in found.mistakes)


def test_many_lines_are_judged_quickly_and_each_as_if_it_stood_alone():
    lines = [f"decode.bound {LLAMA} = 6.01 ms", f"decode.bound {LLAMA} = 9 ms", f"memory.weights {LLAMA} = 141 GB"]
    lines += [f"kv-bytes model=llama-3.1-70b batch={n} context=100 = {n * 100 * 327_680} B" for n in (1, 2, 3)]
    alone = [one(line) for line in lines]
    start = perf_counter()
    found = check("\n".join(lines * 3_300))
    assert perf_counter() - start < 5
    assert [v._replace(line=1) for v in found[-6:]] == alone


def test_a_number_of_the_wrong_kind_is_refused_although_an_equal_one_was_read_before():
    with pytest.raises(errors.BadType, match=r"line 2: scenario: tp = 8\.0"):
        check(f"decode.bound {LLAMA} = 6 ms\ndecode.bound {LLAMA.replace('tp=8', 'tp=8.0')} = 6 ms")
