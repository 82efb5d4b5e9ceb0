"""Laws that the formulas must obey, whatever the numbers."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aiinfra import devices, formula, model, models
from aiinfra.formats import bytes_of

LLAMA, QWEN = model("llama-3.1-70b"), model("qwen3-8b")
MACHINES = [d for d in devices().values() if d.memory_bandwidth and any(p.input == "bf16" and not p.sparse for p in d.peaks)]
batches = st.integers(1, 4096)
contexts = st.integers(0, 131_072)
counts = st.integers(1, 64)
times = st.floats(1e-9, 1e6)
machines = st.sampled_from(MACHINES)
DENSE = [m for m in models().values() if m.architecture.uniform and not m.refuses]
shapes = st.sampled_from(DENSE)


def step(m, d, **inputs):
    return formula("decode-step-bound")(m, d, dtype="bf16", **inputs).value


@given(shapes, machines, batches, contexts, counts, st.integers(1, 1000))
def test_a_step_never_shrinks_with_batch_or_context_nor_grows_with_devices(m, d, batch, context, n, more):
    here = step(m, d, batch=batch, context=context, devices=n)
    assert step(m, d, batch=batch + more, context=context, devices=n) >= here
    assert step(m, d, batch=batch, context=context + more, devices=n) >= here
    assert step(m, d, batch=batch, context=context, devices=n + more) <= here


@given(shapes, machines, batches, contexts, st.floats(1, 100))
def test_faster_hardware_never_slows_a_step(m, d, batch, context, factor):
    point = {"batch": batch, "context": context, "devices": 1}
    here = step(m, d, **point)
    bandwidth, peak = d.memory_bandwidth.value.value, d.peak("bf16").value.value
    assert step(m, d, **point, beta_mem=bandwidth * factor) <= here
    assert step(m, d, **point, peak=peak * factor) <= here
    assert step(m, d, **point, beta_mem=bandwidth * factor, peak=peak * factor) == pytest.approx(here / factor)


@given(shapes, machines, batches, contexts)
def test_bound_of_the_rate_and_of_the_step_are_one(m, d, batch, context):
    rate = formula("decode-rate-bound")(m, d, dtype="bf16", batch=batch, context=context, devices=1)
    assert rate.value * step(m, d, batch=batch, context=context, devices=1) == pytest.approx(batch)


@given(shapes, machines, batches, contexts, counts)
def test_no_step_at_its_bound_uses_more_than_everything(m, d, batch, context, n):
    point = {"batch": batch, "context": context, "devices": n}
    fastest = formula("decode-step-bound")(m, d, dtype="bf16", **point)
    shares = [formula(key)(m, d, dtype="bf16", t_step=fastest, **point).value for key in ("mfu", "mbu")]
    assert max(shares) == pytest.approx(1)


@given(shapes, machines)
def test_balance_batch_is_where_the_clocks_agree(m, d):
    batch = formula("balance-batch")(m, d, dtype="bf16")
    point = {"batch": batch, "context": 0, "devices": 1}
    assert formula("memory-time")(m, d, dtype="bf16", **point).value == pytest.approx(
        formula("compute-time")(m, d, dtype="bf16", **point).value
    )


@given(times, times)
def test_overlap_gains_between_one_and_two(t_mem, t_comp):
    gain = formula("overlap-gain")
    assert 1 <= gain(t_mem=t_mem, t_comp=t_comp).value <= 2
    assert gain(t_mem=t_mem, t_comp=t_comp) == gain(t_mem=t_comp, t_comp=t_mem)
    assert gain(t_mem=t_mem, t_comp=t_mem).value == 2 == formula("overlap-gain-limit")().value


@given(st.floats(0, 1), st.floats(1e-3, 1e9))
def test_amdahl(part, factor):
    speedup = formula("amdahl-speedup")(part=part, factor=factor).value
    assert formula("amdahl-speedup")(part=0, factor=factor).value == 1
    assert formula("amdahl-speedup")(part=1, factor=factor).value == pytest.approx(factor)
    assert min(1, factor) * (1 - 1e-9) <= speedup <= max(1, factor) * (1 + 1e-9)
    if part < 1:
        assert speedup <= formula("amdahl-limit")(part=part).value * (1 + 1e-12)


def test_amdahl_tends_to_its_limit():
    assert formula("amdahl-speedup")(part=0.75, factor=1e15).value == pytest.approx(formula("amdahl-limit")(part=0.75).value)


@given(counts, st.integers(1, 10**12))
def test_all_reduce_sends_nothing_alone_and_never_twice(n, message):
    sent = formula("all-reduce-bytes")(devices=n, message=message).value
    assert formula("all-reduce-bytes")(devices=1, message=message).value == 0
    assert 0 <= sent < 2 * message
    assert sent <= formula("all-reduce-bytes")(devices=n + 1, message=message).value


@given(batches, counts)
def test_tensor_parallel_traffic_is_two_all_reduces_per_layer(batch, n):
    one = formula("all-reduce-bytes")(devices=n, message=batch * LLAMA.d_model.value * 2).value
    assert formula("tensor-parallel-bytes")(LLAMA, batch=batch, devices=n).value == pytest.approx(2 * LLAMA.n_layer.value * one)


@given(machines, batches, contexts, st.integers(2, 64), st.floats(0.1, 1), st.floats(0, 1e-3))
def test_a_model_of_time_never_beats_the_bound(d, batch, context, n, share, alpha):
    point = {"dtype": "bf16", "devices": n, "alpha_ar": alpha, "beta_link": "50 GB/s"}
    work = point | {"batch": batch, "context": context}
    bound = step(LLAMA, d, batch=batch, context=context, devices=n)
    with_links, forecast = formula("decode-step-with-links"), formula("decode-step-forecast")
    here = with_links(LLAMA, d, **work).value
    assert bound < here <= forecast(LLAMA, d, **work, eta_mem=share).value <= here / share * (1 + 1e-12)
    assert forecast(LLAMA, d, **work, eta_mem=1).value == here
    prompt = formula("prefill-with-links")(LLAMA, d, **point, prompt=batch).value
    links = formula("prefill-link-time")(LLAMA, **{k: v for k, v in point.items() if k != "dtype"}, prompt=batch).value
    arithmetic = formula("prefill-flops")(LLAMA, prompt=batch).value / (n * d.peak("bf16").value.value)
    assert prompt == pytest.approx(arithmetic + links)


@given(batches, contexts, st.integers(1, 50))
def test_cache_is_linear(batch, context, times):
    cache = formula("kv-bytes")
    assert cache(LLAMA, batch=batch * times, context=context).value == times * cache(LLAMA, batch=batch, context=context).value
    assert cache(LLAMA, batch=batch, context=context * times).value == times * cache(LLAMA, batch=batch, context=context).value


@given(st.integers(1, 4000), st.integers(1, 131_072), st.integers(10, 192))
def test_what_fits_fits(batch, context, gigabytes):
    usable, reserve = gigabytes * 10**9, 10**9
    point = {"batch": batch, "context": context, "reserve": reserve}
    n = formula("devices-to-fit")(LLAMA, usable=usable, **point).value
    assert formula("memory-per-device")(LLAMA, devices=n, **point).value <= usable
    assert n == 1 or formula("memory-per-device")(LLAMA, devices=n - 1, **point).value > usable
    assert formula("largest-batch")(LLAMA, devices=n, usable=usable, reserve=reserve, context=context).value >= batch


@given(st.integers(1, 30_000), st.integers(2, 3000))
def test_mean_context_is_the_mean(prompt, answer):
    steps = [prompt + i for i in range(1, answer)]
    assert formula("mean-context")(prompt=prompt, answer=answer).value == pytest.approx(sum(steps) / len(steps))


@given(st.integers(1, 3000))
def test_prefill_work_is_the_sum_over_its_tokens(prompt):
    m = QWEN.symbols()
    head = m["vocab"] * m["d_model"]
    blocks = m["n_param"] - (1 + m["untied"]) * head
    tokens = sum(2 * blocks + 4 * m["n_layer"] * m["n_q"] * m["d_head"] * position for position in range(1, prompt + 1))
    assert formula("prefill-flops")(QWEN, prompt=prompt).value == tokens + 2 * head


@given(st.integers(1, 10**12), st.floats(1e6, 1e13), st.floats(0, 1), st.integers(1, 100))
def test_trips_only_add_time(data, beta, alpha, trips):
    with_trips = formula("transfer-time-with-trips")(data=data, beta=beta, alpha=alpha, trips=trips)
    assert with_trips.value >= formula("transfer-time")(data=data, beta=beta).value


@given(st.floats(1e-9, 1), st.floats(1e6, 1e13))
def test_half_rate_size_reaches_half_the_rate(alpha, beta):
    size = formula("half-rate-size")(alpha=alpha, beta=beta)
    time = formula("transfer-time-with-trips")(data=size, alpha=alpha, beta=beta, trips=1)
    assert (size / time).value == pytest.approx(beta / 2)


@given(shapes)
def test_parameters_in_their_places(m):
    read, total = formula("parameters-read")(m).value, m.n_param.value
    table = m.vocab.value * m.d_model.value
    assert read == (total if m.tied.value else total - table)  # the table looked up is not read, whatever else there is
    assert formula("weight-bytes-read")(m).value == bytes_of(m.dtype.value) * read
    assert formula("weight-bytes")(m, weights="int4").value * 4 == formula("weight-bytes")(m, weights="bf16").value


@given(st.floats(1e-3, 1e6), counts, st.floats(1e-6, 100))
def test_cost_and_energy_per_token(rate, n, dollars):
    price = {"devices": n, "price": dollars / 3600}
    run = formula("run-cost")(t_run="1 h", **price).value
    assert formula("cost-per-token")(rate=rate, **price).value * rate * 3600 == pytest.approx(run)
    assert formula("energy-per-token")(rate=rate, devices=n, power=700).value * rate == pytest.approx(700 * n)


@given(machines, st.integers(1, 131_072))
def test_beyond_the_balance_context_no_batch_is_bound_by_arithmetic(d, more):
    limit = formula("balance-context")(LLAMA, d, dtype="bf16").value
    point = {"batch": 10**9, "devices": 1, "context": limit + more}
    assume(limit < 1e9)
    assert formula("memory-time")(LLAMA, d, dtype="bf16", **point).value > formula("compute-time")(LLAMA, d, dtype="bf16", **point).value
