"""Published numbers: the formulas give them, and no measurement beats a bound."""

import tomllib
from pathlib import Path

import pytest

from aiinfra import device, formula, model, parse
from aiinfra.catalog import measurements

CASES = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_published_value(case):
    if "entry" in case:
        assert model(case["entry"]).n_param.value == case["published"]
        return
    entries = [model(case["model"])] if "model" in case else []
    wanted = case["published"]
    found = formula(case["formula"])(*entries, **case.get("inputs", {}))
    assert found.value == pytest.approx(parse(wanted).value if isinstance(wanted, str) else wanted, rel=case["rel"], abs=0)


def entries(found):
    return model(found.model), device(found.device)


def named(what):
    """Measurements of dense models; those with experts are held against their deployments, in tests/scenario."""
    chosen = {k: m for k, m in measurements().items() if m.what == what and m.model and model(m.model).architecture.dense}
    assert chosen
    return pytest.mark.parametrize("found", chosen.values(), ids=chosen)


def stated(found):
    """The formats that the source states; where it does not state one, the bound takes the smallest, which is never too slow."""
    return {"weights": plain(found.weights) or "int4", "kv": found.kv or "int4"}


def plain(name):
    """The elements of a format without its scales."""
    return {"nvfp4": "fp4"}.get(name, name)


@named("answer tokens per second of one user")
def test_no_single_user_is_faster_than_the_step_bound(found):
    bound = formula("decode-step-bound")(*entries(found), devices=found.devices, batch=1, context=found.prompt or 0, **stated(found))
    assert 1 / found.value.value >= bound.value
    assert 1 / found.value.value < 6 * bound.value  # so close that the two speak of the same thing


@named("mean time between two answer tokens of one request")
def test_no_token_comes_faster_than_the_step_bound(found):
    batch = found.batch or 1  # unknown: the smallest, whose bound is the lowest
    bound = formula("decode-step-bound")(*entries(found), devices=found.devices, batch=batch, context=found.prompt or 0, **stated(found))
    assert found.value.value >= bound.value


@named("answer tokens per second of all requests together")
def test_no_throughput_is_above_the_rate_bound(found):
    """The batch is not stated: no batch gives more than a very large one with no context."""
    bound = formula("decode-rate-bound")(
        *entries(found), dtype=plain(found.weights), devices=found.devices, batch=10**7, context=0, **stated(found)
    )
    assert found.value.value <= bound.value
