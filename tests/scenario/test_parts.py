"""The ledger of a deployment, where it turns, what explains a number, and many at once."""

import numpy
import pytest

from aiinfra import errors
from aiinfra.scenario import Scenario
from aiinfra.scenario.compare import compare
from aiinfra.scenario.sweep import sweep

EIGHT = Scenario(model="llama-3.1-70b", device="h100-sxm", tp=8, batch=32, prompt=2048, output=128)


def test_the_five_questions():
    lines = {(line.phase, line.what): line for line in EIGHT.estimate().lines}
    weights = lines["decode", "weights"]
    assert (weights.times, weights.path, weights.waits) == (127, "memory", "all requests of the batch")
    assert weights.time.value == pytest.approx(weights.amount.value / 3.35e12)
    assert lines["load", "weights"].time.value == pytest.approx(lines["load", "weights"].amount.value / 64e9)
    assert lines["decode", "vectors to reduce"].times == 160 * 127
    assert {phase for phase, _ in lines} == {"load", "prefill", "decode"}
    alone = Scenario(model="llama-3.1-8b", device="h100-sxm").estimate()
    assert not any("reduce" in line.what for line in alone.lines)


@pytest.mark.parametrize(
    ("changes", "decode", "prefill"),
    [({}, "weights", "compute"), ({"prompt": 40_000}, "state", "compute"), ({"prompt": 1}, "weights", "weights")],
)
def test_what_binds(changes, decode, prefill):
    e = EIGHT.but(**changes).estimate()
    assert (e.binds(), e.binds("prefill")) == (decode, prefill)


def test_flips_are_where_they_say():
    small = EIGHT.but(prompt=16, output=8)
    flips = {f.of: f for f in small.estimate().flips}
    at = flips["batch"].at
    assert small.but(batch=int(at)).estimate(strict=False).binds() == "weights"
    assert small.but(batch=int(at) + 1).estimate(strict=False).binds() == "compute"
    context = {f.of: f for f in EIGHT.estimate().flips}["context"].at
    e = EIGHT.estimate()
    assert 32 * e.ledger.state_read(context - 1) < e.values["decode.weights"] <= 32 * e.ledger.state_read(context)
    assert {f.of: f for f in EIGHT.estimate().flips}["batch"].why == "reading a request's state takes longer than its operations"


def test_flips_of_experts_are_searched():
    e = Scenario(model="qwen3-30b-a3b", device="h100-sxm", batch=4, prompt=16, output=8).estimate()
    flip = next(f for f in e.flips if f.of == "batch")
    assert flip.how == "searched"
    assert e.scenario.but(batch=flip.at).estimate(strict=False).binds() == "compute"
    assert e.scenario.but(batch=flip.at - 1).estimate(strict=False).binds() != "compute"


def test_explaining_goes_down_to_the_catalogue():
    tree = str(EIGHT.estimate().explain("service.tokens.expected.slow"))
    wanted = ("[served-token-rate]", "[pass-forecast]", "beta_mem = 3.35 TB/s   [h100-sxm,", "eta_mem.slow", "batch = 32   [scenario]")
    for said in wanted:
        assert said in tree
    with pytest.raises(errors.UnknownName, match="unknown result 'decode.bond'; near: decode.bound"):
        EIGHT.estimate().explain("decode.bond")


AXES = {"tp": [4, 8], "batch": [1, 7, 64], "prompt": [100, 3000], "device": ["h200-sxm", "mi300x"], "output": [2, 50]}


def test_a_sweep_is_its_estimates_bit_for_bit():
    found = sweep(EIGHT, AXES)
    names = list(AXES)
    for index in numpy.ndindex(*map(len, AXES.values())):
        point = {name: AXES[name][i] for name, i in zip(names, index, strict=True)}
        one = EIGHT.but(**point).estimate(strict=False)
        for name, array in found.results.items():
            assert array[index] == one.values[name], (name, point)
    assert found.done == 4 and not found.refused


def test_points_that_do_not_fit_have_memory_only():
    found = sweep(EIGHT, {"batch": [1, 10_000]}, ["decode.bound", "memory.headroom"])
    assert numpy.isnan(found.results["decode.bound"]).tolist() == [False, True]
    assert found.results["memory.headroom"][1] < 0


def test_a_sweep_keeps_the_concurrency_of_its_scenario():
    found = sweep(EIGHT.but(batch=None, concurrency=64), {"prompt": [100, 200]}, ["decode.bound"])
    assert found.results["decode.bound"][0] == EIGHT.but(batch=64, prompt=100).estimate().values["decode.bound"]
    with pytest.raises(errors.BadValue, match="batch = 'max': a sweep needs numbers"):
        sweep(EIGHT.but(batch="max"), {"prompt": [100, 200]})


def test_what_a_sweep_refuses_it_names():
    found = sweep(EIGHT, {"tp": [3, 8], "prompt": [100, 131_072]}, ["decode.bound"])
    assert list(found.refused) == [(3,)] and "64 query heads" in found.refused[(3,)]
    assert numpy.isnan(found.results["decode.bound"]).tolist() == [[True, True], [False, True]]
    assert [row["prompt"] for row in found.rows()] == [100]


def test_a_device_without_a_price_is_refused_alone():
    found = sweep(EIGHT, {"device": ["h100-sxm", "h800-sxm"], "batch": [1, 2]}, ["cost.bound"])
    assert found.refused == {("h800-sxm",): "h800-sxm has no price or power, which cost.bound needs"}
    assert numpy.isfinite(found.results["cost.bound"][0]).all()


@pytest.mark.parametrize(
    ("over", "says"),
    [
        ({}, "at least one field"), ({"batch": []}, "the list of values is empty"), ({"batch": [0]}, "batch = 0: must be"),
        ({"batch": "12"}, "must be a list of values"), ({"model": ["a"]}, "unknown field of a sweep 'model'"),
        ({"batch": range(1, 100_000), "prompt": range(1, 100_000)}, "points: 50,000,000 at most"),
    ],
)  # fmt: skip
def test_a_wrong_sweep_gets_one_line(over, says):
    with pytest.raises(errors.AIInfraError, match=says):
        sweep(EIGHT, over)
    with pytest.raises(errors.UnknownName, match="unknown result 'speed'"):
        sweep(EIGHT, {"batch": [1]}, ["speed"])


def test_an_interrupted_sweep_keeps_what_is_done():
    def stop(done, of):
        if done == 2:
            raise KeyboardInterrupt

    found = sweep(EIGHT, {"tp": [1, 2, 4, 8], "batch": [1, 2]}, ["memory.headroom"], progress=stop)
    assert found.done == 2
    assert numpy.isnan(found.results["memory.headroom"]).sum() == 4


def test_comparing_names_input_cause_and_result():
    found = compare(EIGHT.estimate(), EIGHT.but(device="h200-sxm", prompt=40_000).estimate())
    assert [c.name for c in found.inputs] == ["device", "prompt"]
    causes = {c.name: c.factor for c in found.causes}
    assert causes["beta_mem"] == pytest.approx(4.8 / 3.35) and "beta_link" not in causes
    assert [(c.first, c.second) for c in found.binds] == [("weights", "state")]
    bound = next(c for c in found.results if c.name == "decode.bound")
    assert bound.factor == pytest.approx(bound.second.value / bound.first.value)
    assert bound.factor > 1
    same = compare(EIGHT.estimate(), EIGHT.estimate())
    assert not (same.inputs or same.causes or same.binds) and {c.factor for c in same.results} == {1}
