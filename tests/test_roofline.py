"""Operators of a pass on a device, against sums worked out by hand and against the ledger they come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiinfra import device, devices, errors, model, models, roofline
from aiinfra.formats import BYTES

# Llama 3.1 70B: 80 layers, 8,192 wide, 64 query heads and 8 key/value heads of 128, MLP 28,672
B, S = 64, 8192
DECODE = model("llama-3.1-70b").ledger().decode(context=S, batch=B)
OPERATORS = {o.name: o for o in roofline.operators(DECODE)}


@pytest.mark.parametrize(
    ("name", "flops", "size"),
    [
        ("q_proj", 80 * 2 * B * 8192 * 8192, 80 * 2 * (8192 * 8192 + B * 2 * 8192)),
        ("k_proj", 80 * 2 * B * 8192 * 1024, 80 * 2 * (8192 * 1024 + B * (8192 + 1024))),
        ("down_proj", 80 * 2 * B * 28672 * 8192, 80 * 2 * (28672 * 8192 + B * (28672 + 8192))),
        # a request reads S keys and values of 8 heads and writes one; queries come in and results go out
        ("scores and values", 80 * B * 64 * S * 4 * 128, 80 * 2 * B * (2 * 1024 * (S + 1) + 64 * 2 * 128)),
        ("input_layernorm", 0, 80 * 2 * (8192 + B * 2 * 8192)),
        ("lm_head", 2 * B * 8192 * 128256, 2 * (8192 * 128256 + B * (8192 + 128256))),
    ],
)
def test_operators_of_a_decode_step(name, flops, size):
    assert OPERATORS[name].flops == flops
    assert OPERATORS[name].bytes == size


def test_scores_of_a_decode_step_stay_below_the_group_whatever_the_batch():
    for batch in (1, 8, 512):
        found = {o.name: o for o in roofline.operators(model("llama-3.1-70b").ledger().decode(context=S, batch=batch))}
        assert found["scores and values"].intensity == pytest.approx(64 / 8, rel=0.01)  # query heads over key/value heads, in BF16


@pytest.mark.parametrize("key", models())
def test_nothing_of_the_ledger_is_lost(key):
    ledger = model(key).ledger()
    for work in (ledger.decode(5000, batch=3), ledger.prefill(700, batch=2, cached=300)):
        found = roofline.operators(work)
        assert sum(o.flops for o in found) == work.flops
        assert sum(o.weights for o in found) == pytest.approx(work.weight_read, rel=1e-12)
        assert sum(o.state for o in found) == pytest.approx(work.state_read + work.state_written, rel=1e-12)
        assert sum(o.activations for o in roofline.operators(work, fused=True)) == 0


@pytest.mark.parametrize("key", models())
def test_every_state_is_read_by_one_row(key):
    ledger = model(key).ledger()
    for state in ledger.state_rows:
        readers = [r for r in ledger.rows if r.part == state.part and r.indices == state.indices and r.name.startswith(state.reader)]
        assert len({r.phase for r in readers}) == len(readers) >= 1, (key, state)


def test_times_by_hand():
    [placed] = roofline.place([OPERATORS["q_proj"]], device("h100-sxm"), "bf16")
    assert placed.compute == pytest.approx(80 * 2 * B * 8192**2 / 989.4e12, rel=1e-4)
    assert placed.memory == pytest.approx(80 * 2 * (8192**2 + B * 2 * 8192) / 3.35e12, rel=1e-4)
    assert (placed.time, placed.binds) == (placed.memory, "memory")


@given(batch=st.integers(1, 4096), n=st.integers(1, 64))
def test_devices_divide_times_and_a_batch_raises_no_intensity_past_its_limit(batch, n):
    found = roofline.operators(model("llama-3.1-8b").ledger().decode(context=100, batch=batch))
    one, many = (roofline.place(found, device("h200-sxm"), "fp8", devices=d) for d in (1, n))
    for a, b in zip(one, many, strict=True):
        assert b.time == pytest.approx(a.time / n)
        assert b.operator.intensity < 4096  # d_in d_out / (d_in + d_out), below the narrower side


@pytest.mark.parametrize("key", devices())
def test_a_device_without_a_peak_or_bandwidth_is_refused_by_name(key):
    entry = device(key)
    for dtype in BYTES:
        published = any(p.input == dtype and not p.sparse for p in entry.peaks) and entry.memory_bandwidth is not None
        if published:
            assert all(p.time > 0 for p in roofline.place(OPERATORS.values(), entry, dtype))
        else:
            with pytest.raises(errors.MissingInput, match=rf"{key} has no published (peak dense {dtype}|memory bandwidth)"):
                roofline.place(OPERATORS.values(), entry, dtype)


@pytest.mark.parametrize(("number", "says"), [(0, "devices = 0"), (2.5, "devices = 2.5"), (True, "devices = True")])
def test_bad_input(number, says):
    with pytest.raises(errors.BadValue, match=says):
        roofline.place(OPERATORS.values(), device("h100-sxm"), "bf16", devices=number)
    with pytest.raises(errors.AIInfraError, match="unknown format 'fp3'"):
        roofline.place(OPERATORS.values(), device("h100-sxm"), "fp3")
