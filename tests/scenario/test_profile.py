"""A profile gives what its ledger gives, for any lengths, at points and in arrays."""

import json

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiinfra import model, models
from aiinfra.architecture.split import _obstacle
from aiinfra.scenario.profile import Given, Profile, requests

KEYS = [key for key in models()]


def profile_of(key: str, tp: int):
    ledger = model(key).ledger(tp=tp)
    return ledger, Profile.of(ledger)


@pytest.mark.parametrize("key", KEYS)
def test_a_profile_is_its_ledger(key):
    pairs = [profile_of(key, tp) for tp in (1, 2, 8) if not _obstacle(model(key).architecture, tp)]

    @settings(max_examples=12, deadline=None)
    @given(
        prompt=st.integers(1, 200_000), output=st.integers(2, 5000), share=st.floats(0, 1), page=st.sampled_from([1, 16, 64, 784]),
        chunk=st.sampled_from([1, 512, 8192]), which=st.integers(0, len(pairs) - 1), batch=st.integers(1, 500),
    )  # fmt: skip
    def check(prompt, output, share, page, chunk, which, batch):
        ledger, profile = pairs[which]
        cached = min(int(prompt * share), prompt - 1)
        found = dict(requests(profile, prompt, output, cached, page, chunk))
        prefill = ledger.prefill(prompt - cached, cached=cached)
        decode = ledger.decode(prompt + 1, steps=output - 1)
        wanted = {
            "prefill.flops": prefill.flops, "request.flops": decode.flops / (output - 1), "request.state": decode.state_read / (output - 1),
            "memory.request": ledger.paged(prompt + output, block=page), "prefill.least.weights": ledger.weights_read(1),
        }  # fmt: skip
        assert {name: found[name] for name in wanted} == pytest.approx(wanted, rel=1e-12)
        assert found["prefill.least.state"] <= prefill.state_read
        assert found["prefill.least.flops"] <= min(prefill.flops, ledger.prefill(prompt - cached, cached=cached, latent="absorbed").flops)
        assert found["request.least.flops"] <= found["request.flops"]
        read = profile.evaluate(profile.weights, Given(profile.reaches, 0, batch))
        assert read == pytest.approx(ledger.weights_read(batch), rel=1e-12)

    check()


@pytest.mark.parametrize("key", KEYS)
def test_arrays_are_points(key):
    _, profile = profile_of(key, 1)
    prompts, outputs = numpy.array([1.0, 17, 4096, 100_001])[:, None], numpy.array([2.0, 300])
    cached = numpy.floor(prompts / 3)
    arrays = dict(requests(profile, prompts, outputs, cached, 16, 2048, arrays=True))
    for i, prompt in enumerate((1, 17, 4096, 100_001)):
        for j, output in enumerate((2, 300)):
            point = dict(requests(profile, prompt, output, prompt // 3, 16, 2048))
            for name, value in point.items():
                assert numpy.broadcast_to(arrays[name], (4, 2))[i, j] == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize("key", ["llama-3.1-8b", "gemma-3-27b", "deepseek-v3"])
def test_passes_of_a_prompt_added_up_one_by_one(key):
    ledger, profile = profile_of(key, 1)
    prompt, cached, chunk = 50_000, 3000, 4096
    found = dict(requests(profile, prompt, 2, cached, 16, chunk))
    starts = range(cached, prompt, chunk)
    assert found["prefill.passes"] == len(starts)
    assert found["prefill.weights"] == pytest.approx(sum(ledger.weights_read(min(chunk, prompt - at)) for at in starts))
    assert found["prefill.state"] == pytest.approx(sum(ledger.state_read(at) for at in starts), rel=1e-3)


def test_a_profile_is_plain_data():
    _, profile = profile_of("deepseek-v3", 1)
    again = json.loads(json.dumps(profile.data()))
    assert Profile(**again).evaluate(again["processed"], Given(again["reaches"], 10, 100)) == profile.evaluate(
        profile.processed, Given(profile.reaches, 10, 100)
    )
    assert len(json.dumps(profile.data())) < 4000
