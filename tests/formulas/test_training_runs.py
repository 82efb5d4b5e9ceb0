"""Training runs: laws of the formulas, optima against a search, and published totals."""

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiinfra import formula, model

REFIT = {"loss_floor": 1.8172, "scale_n": 482.01, "scale_d": 2085.43, "exp_n": 0.3478, "exp_d": 0.3658}
FIRST = {"loss_floor": 1.6934, "scale_n": 406.4, "scale_d": 410.7, "exp_n": 0.3392, "exp_d": 0.2849}
TERMS = {k: v for k, v in REFIT.items() if k != "loss_floor"}
laws = st.fixed_dictionaries(
    {
        "scale_n": st.floats(10, 5000),
        "scale_d": st.floats(10, 5000),
        "exp_n": st.floats(0.2, 0.6),
        "exp_d": st.floats(0.2, 0.6),
    }
)
budgets = st.floats(18, 27).map(lambda power: 10.0**power)


def value(key, **inputs):
    return formula(key)(**inputs).value


def loss(n, d, law):
    return value("loss-law", size=n, run_tokens=d, **({"loss_floor": 0} | law))


@given(laws, budgets)
def test_the_optimum_is_the_least_loss(law, budget):
    best = value("optimal-parameters", run_flops=budget, **law)
    tokens = value("optimal-tokens", run_flops=budget, best_param=best)
    assert 6 * best * tokens == pytest.approx(budget)
    here = loss(best, tokens, law)
    for factor in numpy.logspace(-3, 3, 61):
        assert loss(best * factor, tokens / factor, law) >= here * (1 - 1e-12)
    assert loss(best * 1.1, tokens / 1.1, law) > here


@given(laws, budgets, st.floats(0.1, 10))
def test_the_loss_of_a_size_and_its_tokens_are_inverse(law, budget, factor):
    n, d = math.sqrt(budget / 6) * factor, math.sqrt(budget / 6) / factor
    goal = loss(n, d, law)
    assert value("tokens-for-loss", size=n, loss=goal, loss_floor=0, **law) == pytest.approx(d, rel=1e-6)
    least = value("least-parameters", loss=goal, loss_floor=0, scale_n=law["scale_n"], exp_n=law["exp_n"])
    assert least < n


@given(laws, budgets, st.floats(1.05, 20), st.floats(0.2, 20))
def test_a_model_trained_longer_is_the_cheapest_for_its_volume(law, budget, smaller, dear):
    """Of all sizes with its loss, none costs less over a life with that volume of service."""
    best = value("optimal-parameters", run_flops=budget, **law)
    n, d = best / smaller, budget / 6 / best * smaller
    volume = value("life-tokens-at-optimum", size=n, run_tokens=d, dearness=dear, **law)
    goal = loss(n, d, law)

    def life(n, d):
        return value("life-flops", size=n, run_tokens=d, dearness=dear, life_tokens=volume)

    here = life(n, d)
    least = value("least-parameters", loss=goal, loss_floor=0, scale_n=law["scale_n"], exp_n=law["exp_n"])
    for factor in numpy.logspace(-2, 2, 81):
        other = n * factor
        if other > least * 1.0001:
            tokens = value("tokens-for-loss", size=other, loss=goal, loss_floor=0, **law)
            assert life(other, tokens) >= here * (1 - 1e-9)


def test_without_service_the_optimum_is_that_of_training():
    best = value("optimal-parameters", run_flops=1e24, **TERMS)
    d = 1e24 / 6 / best
    assert value("life-tokens-at-optimum", size=best / (1 + 1e-9), run_tokens=d, dearness=1, **TERMS) == pytest.approx(0, abs=d * 1e-6)


def test_published_allocations():
    """Chinchilla's budget: about 20 tokens per parameter by the refit, several times that by the constants first printed."""
    budget = 6 * 70e9 * 1.4e12
    ratio = {}
    for name, law in {"refit": REFIT, "first": FIRST, "printed": FIRST | {"exp_n": 0.34, "exp_d": 0.28}}.items():
        best = value("optimal-parameters", run_flops=budget, **{k: v for k, v in law.items() if k != "loss_floor"})
        ratio[name] = budget / 6 / best**2
    assert 15 < ratio["refit"] < 25
    assert ratio["first"] > 2 * ratio["refit"]
    assert ratio["printed"] > ratio["first"]


@given(st.floats(1e3, 1e9), st.floats(1e3, 1e9), st.integers(1, 10**7))
def test_steps_and_tokens_lie_on_the_published_curve(batch, critical, least):
    steps = value("steps-for-loss", least_steps=least, critical_tokens=critical, batch_tokens=batch)
    tokens = value("tokens-for-batch", least_steps=least, critical_tokens=critical, batch_tokens=batch)
    assert tokens == pytest.approx(batch * steps)
    assert (steps / least - 1) * (tokens / (least * critical) - 1) == pytest.approx(1)
    twice = value("steps-for-loss", least_steps=least, critical_tokens=critical, batch_tokens=critical)
    assert twice == 2 * least


@given(st.integers(1, 10**6), st.floats(0.05, 1), st.floats(0.1, 1), budgets)
def test_time_and_rate_of_a_run_agree(devices, mfu, uptime, budget):
    n = 70_000_000_000
    run = value("training-time", run_flops=budget, devices=devices, peak=1e15, mfu=mfu, uptime=uptime)
    rate = value("training-rate", n_param=n, devices=devices, peak=1e15, mfu=mfu)
    tokens = budget / (6 * n)
    assert value("run-flops", n_param=n, run_tokens=tokens) == pytest.approx(budget)
    assert run * uptime * rate == pytest.approx(tokens)


def test_gpt3_by_the_rule():
    flops = value("run-flops", n_param=model("gpt-3").n_param.value, run_tokens=300e9)
    assert flops == pytest.approx(3.14e23, rel=0.01)


@given(st.integers(1, 4096), st.integers(1, 30_000), st.integers(0, 3))
def test_updates_by_passes(rollouts, answer, scorers):
    n = 8_000_000_000
    found = value("update-flops", n_param=n, rollouts=rollouts, mean_answer=answer, scorers=scorers)
    assert found == rollouts * answer * (6 * n + scorers * 2 * n)


@given(st.floats(0.001, 1), st.integers(2, 50_000), st.integers(1, 5000), st.floats(10, 1e6), st.floats(0, 1))
def test_a_rollout_waits_for_its_longest_answer_and_for_all(t_step, longest, rollouts, rate, share):
    answer = max(1, round(longest * share))
    found = value("rollout-bound", longest_answer=longest, t_step=t_step, rollouts=rollouts, mean_answer=answer, rate=rate)
    assert found == pytest.approx(max((longest - 1) * t_step, rollouts * answer / rate))
    assert value("rl-cycle-time", t_rollout=found, t_update=2, t_sync=3) == pytest.approx(found + 5)
