"""Published serving measurements: none may beat its bound, and the scenarios are those that the sources state."""

import pytest

from aiinfra import measurement
from aiinfra.scenario.assumptions import defaults
from aiinfra.scenario.published import comparable, compare, scenario


def test_there_are_enough_of_them():
    assert len(comparable()) >= 20


@pytest.mark.parametrize("m", comparable(), ids=lambda m: m.key)
def test_no_measurement_beats_its_bound(m):
    found = compare(m)
    assert found.possible
    better = min if found.bound.relation == ">=" else max
    assert better(found.bound.value, found.fast.value) == found.bound.value  # nor does what is expected


def test_one_measurement_by_hand():
    m = measurement("gptfast-llama3.1-8b-tp1-bf16")  # 8 billion parameters in BF16 on one A100, 200 tokens after 5
    weights = 2 * (8_030_261_248 - 128_256 * 4096 + 4096)  # without the token table, of which a row is read
    read = sum(weights + (5 + i) * 2 * 32 * 1024 * 2 for i in range(1, 200))  # 199 steps
    prompt = (weights + 4 * 2 * 4096) / 2.039e12
    assert compare(m).bound.value == pytest.approx(200 / (read / 2.039e12 + prompt), rel=1e-4)


def test_assumptions_are_what_was_measured():
    found = defaults()
    assert found["eta_mem"].fast == pytest.approx(2.88 / 3.35, rel=5e-3)  # one product, printed as 2.88 TB/s
    assert found["eta_comp"].slow == pytest.approx(380 / 989.4, rel=1e-3)
    assert found["eta_link"].fast == pytest.approx(370 / 450, rel=1e-3)
    assert found["alpha_ar"].slow == pytest.approx(18.98e-6, rel=1e-3)


def test_a_source_that_prints_no_batch_means_as_many_as_fit():
    assert scenario(measurement("trtllm-llama3.1-70b-tp8-fp8-128-2048")).batch == "max"
    assert scenario(measurement("nim-llama3.3-70b-tp2-fp8-500-2000")).batch == 1
