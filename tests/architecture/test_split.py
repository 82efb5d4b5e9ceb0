"""Tensor parallelism: what one device holds, against counts by hand, and what must hold for every model."""

import pytest

from aiinfra import errors, model, models


def by_name(ledger):
    return {row.name: row for row in ledger.rows}


def test_a_dense_model_on_eight_devices():
    rows = by_name(model("llama-3.1-70b").ledger(tp=8))
    assert rows["q_proj"].parameters == 80 * 8192 * 8192 // 8
    assert rows["k_proj"].parameters == 80 * 8192 * 128  # one of eight key/value heads
    assert rows["down_proj"].parameters == 80 * 8192 * 28672 // 8
    assert rows["lm_head"].parameters == 8192 * 128256 // 8
    assert rows["input_layernorm"].parameters == 80 * 8192  # on every device


def test_key_value_heads_are_repeated_when_there_are_fewer_than_devices():
    one, eight, sixteen = (model("llama-3.1-70b").ledger(tp=n) for n in (1, 8, 16))
    assert one.state(1000) == 8 * eight.state(1000) == 8 * sixteen.state(1000)


def test_a_latent_cache_is_repeated_on_every_device():
    one, eight = (model("deepseek-v3").ledger(tp=n) for n in (1, 8))
    assert eight.token_bytes == one.token_bytes == 70272
    assert by_name(eight)["kv_a_proj_with_mqa"].parameters == by_name(one)["kv_a_proj_with_mqa"].parameters
    assert by_name(eight)["experts up_proj"].parameters * 8 == by_name(one)["experts up_proj"].parameters
    assert by_name(eight)["router"].parameters == by_name(one)["router"].parameters


def test_groups_of_a_cut_output_matrix():
    one, four = (by_name(model("deepseek-v4-flash").ledger(tp=n)) for n in (1, 4))
    for name in ("o_a_proj", "o_b_proj", "q_b_proj"):
        assert four[name].parameters * 4 == one[name].parameters


@pytest.mark.parametrize("key", models())
def test_devices_together_hold_and_do_all_of_it(key):
    whole = model(key).ledger()
    for n in (2, 4, 8):
        try:
            share = model(key).ledger(tp=n)
        except errors.BadValue:
            continue
        for a, b in zip(whole.rows, share.rows, strict=True):
            assert a.parameters <= n * b.parameters
            assert b.parameters <= a.parameters
            assert a.bytes <= n * b.bytes * (1 + 1e-12)
        for a, b in zip(whole.decode(3000, batch=4).entries, share.decode(3000, batch=4).entries, strict=True):
            assert a.flops <= n * b.flops and b.flops <= a.flops
            assert a.state <= n * b.state and b.state <= a.state
        assert share.bytes * n <= whole.bytes * 1.2, "too much is repeated"


@pytest.mark.parametrize(
    ("key", "tp", "says"),
    [
        ("llama-3.1-70b", 6, "has 64 query heads, which 6 devices cannot share evenly; possible: 1, 2, 4, 8, 16, 32, 64"),
        ("qwen3-235b-a22b", 128, "64 query heads"),
        ("llama-3.1-70b", 0, "tp = 0: must be a whole number from 1"),
        ("llama-3.1-70b", 2.0, "tp = 2.0: must be a whole number"),
        ("llama-3.1-70b", True, "tp = True: must be a whole number"),
    ],
)
def test_what_cannot_be_cut(key, tp, says):
    with pytest.raises(errors.AIInfraError, match=says):
        model(key).ledger(tp=tp)
