"""Rooflines, tiles and work in flight: against brute force, a simulation, ledgers of models and published numbers."""

import heapq
import random
from math import ceil, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiinfra import device, formula, model

H100, A100 = device("h100-sxm"), device("a100-80-sxm")
positive = st.floats(1e-3, 1e6)
small = st.integers(1, 60)


def value(key, *entries, **inputs):
    return formula(key)(*entries, **inputs).value


# Rooflines


@given(positive, positive, positive, st.floats(1, 100))
def test_a_rate_stays_below_both_ceilings_and_meets_them_at_the_ridge(peak, beta, intensity, more):
    rate = value("attainable-rate", peak=peak, beta_mem=beta, intensity=intensity)
    assert rate <= min(peak, intensity * beta)
    assert value("attainable-rate", peak=peak, beta_mem=beta, intensity=intensity * more) >= rate
    assert value("attainable-rate", peak=peak, beta_mem=beta, intensity=value("path-balance", peak=peak, beta=beta)) == pytest.approx(peak)
    time = value("operator-time", op_flops=intensity, op_bytes=1, peak=peak, beta_mem=beta)
    assert rate == pytest.approx(intensity / time)


@given(st.lists(positive, min_size=8, max_size=8))
def test_the_slowest_level_sets_the_time(numbers):
    flops, peak, *bytes_and_bandwidths = numbers
    levels = zip(bytes_and_bandwidths[::2], bytes_and_bandwidths[1::2], strict=True)
    names = [("op_bytes", "beta_mem"), ("cache_traffic", "beta_cache"), ("chip_traffic", "beta_chip")]
    given_levels = {n: v for pair, found in zip(names, levels, strict=True) for n, v in zip(pair, found, strict=True)}
    time = value("operator-time-levels", op_flops=flops, peak=peak, **given_levels)
    assert time == max(flops / peak, *(given_levels[b] / given_levels[r] for b, r in names))
    rate = value(
        "hierarchical-rate", peak=peak, intensity=flops / given_levels["op_bytes"], beta_mem=given_levels["beta_mem"],
        intensity_cache=flops / given_levels["cache_traffic"], beta_cache=given_levels["beta_cache"],
    )  # fmt: skip
    assert rate * time >= flops * (1 - 1e-12)  # two levels bound the rate no tighter than three bound the time


@given(st.floats(1, 2000), st.sampled_from((0.5, 1, 2)), st.integers(4096, 65536), st.integers(4096, 65536))
def test_a_matrix_meets_the_ridge_where_its_intensity_says_so(balance, b_w, d_in, d_out):
    inputs = {"b_w": b_w, "b_act": 2, "d_in": d_in, "d_out": d_out}
    tokens = value("crossing-tokens", machine_balance=balance, **inputs)
    assert 2 * tokens / (b_w + 2 * tokens * (1 / d_in + 1 / d_out)) == pytest.approx(balance)
    assert value("crossing-tokens", machine_balance=balance, **inputs | {"d_out": 2 * d_out}) < tokens


@given(st.floats(1, 1000), st.integers(4096, 65536))
def test_a_matrix_as_narrow_as_the_limit_never_meets_the_ridge(balance, d_in):
    width = value("narrowest-output", machine_balance=balance, b_act=2, d_in=d_in)
    assert 2 / (2 * (1 / d_in + 1 / width)) == pytest.approx(balance)


@pytest.mark.parametrize("name", ["llama-3.1-70b", "llama-3.1-8b", "qwen3-8b"])
def test_intensity_of_attention_is_that_of_the_ledger(name):
    work = model(name).ledger().decode(context=8192, batch=4)
    rows = [e for e in work.entries if e.row.kind == "attention"]
    exact = sum(e.flops for e in rows) / sum(e.state for e in rows)
    assert value("attention-intensity", model(name), fresh=1, b_kv=2) == pytest.approx(exact, rel=1e-3)


def test_intensity_of_latent_attention_is_that_of_the_ledger():
    work = model("deepseek-v3").ledger().decode(context=8192, batch=4)
    rows = [e for e in work.entries if e.row.kind == "attention"]
    exact = sum(e.flops for e in rows) / sum(e.state for e in rows)
    assert value("latent-intensity", model("deepseek-v3"), n_q=128, fresh=1, b_kv=2) == pytest.approx(exact, rel=1e-3)


def test_exponentials_of_flashattention_3():
    """Printed there: 3.9 TFLOP/s of special functions on H100 SXM5; with heads of 128 half of the time of the products."""
    rate = 16 * 132 * 1.83e9
    assert rate == pytest.approx(3.9e12, rel=0.01)
    assert value("exponential-share", H100, dtype="bf16", d_key=128, d_value=128, exp_rate=rate) == pytest.approx(0.5, rel=0.01)


@given(st.integers(2, 64), st.integers(1, 100))
def test_intensity_on_the_link_is_that_of_two_all_reduces(devices, tokens):
    llama = model("llama-3.1-70b")
    layer = value("layer-parameters", llama)
    message = tokens * 8192 * 2
    sent = 2 * value("all-reduce-bytes", devices=devices, message=message)
    exact = 2 * layer * tokens / devices / sent
    assert value("link-intensity", n_layer_param=layer, d_model=8192, devices=devices, b_act=2) == pytest.approx(exact)


# Tiles


def schedule(tiles: int, units: int) -> int:
    """Rounds until all tiles are done, by handing the next tile to the unit that is free first."""
    free = [0] * units
    for _ in range(tiles):
        heapq.heapreplace(free, free[0] + 1)
    return max(free)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(1, 40), st.integers(1, 40), st.integers(1, 20), st.integers(1, 4))
def test_tiles_and_waves_by_brute_force(tokens, d_out, tile_rows, tile_cols, units, pieces):
    starts = [(i, j) for i in range(0, tokens, tile_rows) for j in range(0, d_out, tile_cols)]
    tiles = value("tile-count", tokens=tokens, d_out=d_out, tile_rows=tile_rows, tile_cols=tile_cols)
    assert tiles == len(starts)
    results = sum(1 for i, j in starts for x in range(i, i + tile_rows) for y in range(j, j + tile_cols) if x < tokens and y < d_out)
    share = value("useful-share", tokens=tokens, d_out=d_out, tiles=tiles, tile_rows=tile_rows, tile_cols=tile_cols)
    assert share == pytest.approx(results / (len(starts) * tile_rows * tile_cols))
    waves = value("waves", pieces=pieces, tiles=tiles, units=units)
    assert waves == schedule(pieces * tiles, units)
    assert value("wave-share", pieces=pieces, tiles=tiles, units=units, waves=waves) == pytest.approx(pieces * tiles / units / waves)


def test_a_product_of_nvidias_guide():
    """Printed there for an A100 with 108 units and tiles of 256 by 128: 98 tiles at 1,792, and two rounds from one more on."""
    tiles = [value("tile-count", tokens=n, d_out=n, tile_rows=256, tile_cols=128) for n in (1792, 1793)]
    assert tiles == [98, 120]
    assert [value("waves", A100, pieces=1, tiles=n) for n in tiles] == [1, 2]


@given(small, small, small, st.integers(1, 8), st.integers(1, 8))
def test_time_of_tiles_is_the_peak_where_nothing_is_lost(rows, cols, d_in, units, waves):
    tiles = units * waves
    time = value(
        "tiled-time", waves=waves, tile_rows=rows, tile_cols=cols, d_in=d_in, units=units, pieces=1, peak=1000,
    )  # fmt: skip
    assert time == pytest.approx(2 * tiles * rows * cols * d_in / 1000)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 8), st.integers(1, 8), st.integers(1, 50))
def test_traffic_by_brute_force(down, across, rows, cols, d_in):
    moved = 0
    for _ in range(down):
        for _ in range(across):
            moved += 2 * rows * d_in + 1 * cols * d_in + 2 * rows * cols  # inputs, weights in one byte, results
    inputs = {"tokens": down * rows, "d_in": d_in, "d_out": across * cols, "tile_rows": rows, "tile_cols": cols, "b_w": 1, "b_act": 2}
    assert value("tiled-bytes", **inputs) == pytest.approx(moved)
    intensity = value("tile-intensity", tile_rows=rows, tile_cols=cols, b_w=1, b_act=2)
    assert intensity >= 2 * inputs["tokens"] * d_in * inputs["d_out"] / moved  # writing the result comes on top


@given(st.floats(1, 5000), st.sampled_from((0.5, 1, 2)))
def test_the_least_tile_just_reaches_the_ridge(balance, b_w):
    side = value("least-tile", path_balance=balance, b_w=b_w, b_act=2)
    assert 2 * side / (b_w + 2) == pytest.approx(balance)
    assert value("memory-intensity", near=4 * side**2, b_acc=4, b_w=b_w, b_act=2) == pytest.approx(balance)


@given(st.integers(1, 144), st.sampled_from((64, 128, 256)), st.sampled_from((64, 128, 256)), st.sampled_from((0.5, 1, 2)))
def test_no_block_of_a_wave_reads_less_than_the_bound(units, rows, cols, b_w):
    bound = value("wave-bytes", units=units, tile_rows=rows, tile_cols=cols, b_w=b_w, b_act=2)
    blocks = [(down, units // down) for down in range(1, units + 1) if units % down == 0]
    least = min(down * rows * 2 + across * cols * b_w for down, across in blocks)
    assert bound <= least * (1 + 1e-12)
    assert value("wave-intensity", units=units, tile_rows=rows, tile_cols=cols, b_w=b_w, b_act=2) == pytest.approx(
        2 * units * rows * cols / bound
    )


def test_padding_of_experts_against_drawn_counts():
    rng = random.Random(4)
    counts = [rng.randrange(1000, 1640) for _ in range(40_000)]  # each remainder of 128 equally often
    mean, computed = sum(counts) / len(counts), sum(ceil(n / 128) * 128 for n in counts) / len(counts)
    assert value("expert-padding", expert_tokens=mean, tile_rows=128) == pytest.approx(mean / computed, rel=1e-3)


# Work in flight


def served(count: int, own: float, service: float, rng: random.Random, requests: int = 20_000) -> float:
    """Requests a second of a closed system: ``count`` in flight, each with a time of its own and one turn at the memory."""
    ready = [rng.expovariate(1 / own) for _ in range(count)]
    heapq.heapify(ready)
    free = 0.0
    for _ in range(requests):
        free = max(free, heapq.heappop(ready)) + service
        heapq.heappush(ready, free + rng.expovariate(1 / own))
    return requests / free


@pytest.mark.parametrize("count", [1, 2, 5, 10, 20, 50, 200])
def test_bandwidth_in_flight_lies_between_its_bounds(count):
    own, service = 1.0, 0.1
    rate = served(count, own, service, random.Random(count))
    inputs = {"beta_mem": 1 / service, "flight": count, "t_lat": own + service}
    most = value("flight-bandwidth", **inputs)
    least = value("flight-bandwidth-least", **inputs)
    assert least * 0.98 <= rate <= most * 1.02


# gpu-benches, commit 1c36d50: gpu-stream, one read of 8 bytes for each thread, two blocks on each unit; GB/s over threads of a block
READ = {
    "h100-pcie": (608e-9, {32: 96, 256: 702, 512: 1261, 768: 1680, 1024: 1942}),
    "a100-80-sxm": (651e-9, {32: 85, 256: 619, 1024: 1769}),
}


@pytest.mark.parametrize("name", READ)
def test_measured_reads_lie_between_the_bounds(name):
    latency, rows = READ[name]
    for block, gigabytes in rows.items():
        flight = value("thread-flight", device(name), threads=2 * block, thread_bytes=8)
        most = value("flight-bandwidth", device(name), flight=flight, t_lat=latency)
        least = value("flight-bandwidth-least", device(name), flight=flight, t_lat=latency)
        assert least <= gigabytes * 1e9 <= most * 1.001


@given(positive, positive, st.floats(1e-3, 1e3))
def test_with_the_bytes_of_littles_law_in_flight_half_of_the_bandwidth_is_sure(beta, latency, share):
    flight = value("bytes-in-flight", beta_mem=beta, t_lat=latency)
    assert value("flight-bandwidth-least", beta_mem=beta, t_lat=latency, flight=flight) == pytest.approx(beta / 2)
    assert value("flight-bandwidth", beta_mem=beta, t_lat=latency, flight=flight) == pytest.approx(beta)
    most = value("flight-bandwidth", beta_mem=beta, t_lat=latency, flight=share * flight)
    least = value("flight-bandwidth-least", beta_mem=beta, t_lat=latency, flight=share * flight)
    assert least <= most <= 2 * least * (1 + 1e-9)  # the two bounds are never further apart


@given(st.integers(1, 200), st.integers(32, 2048), st.integers(4, 1020))
def test_threads_fit_into_the_registers(units, most, use):
    registers = units * 65536 * 4
    threads = value("resident-threads", units=units, registers=registers, most_threads=most, register_use=use)
    assert threads <= most and threads * use * units <= registers
    assert threads == most or (threads + 1) * use * units > registers


@given(st.integers(1, 200), st.integers(1, 10**6), st.floats(1e9, 1e13), st.floats(1e-8, 1e-5))
def test_copies_hold_what_has_to_be_in_flight(units, stage, beta, latency):
    inputs = {"units": units, "beta_mem": beta, "t_lat": latency}
    copies, lines = value("copy-stages", stage=stage, **inputs), value("lines-in-flight", line_bytes=stage, **inputs)
    assert copies - 1 < lines <= copies
    assert lines * stage * units == pytest.approx(value("bytes-in-flight", beta_mem=beta, t_lat=latency))


def test_threads_that_hide_arithmetic():
    """Printed in the programming guide: 4 clocks and 4 schedulers of 32 lanes take 16 groups of 32 threads."""
    assert value("independent-operations", lanes=128, delay=4) == 16 * 32


def test_roots_grow_slowly():
    one, four = (value("memory-intensity", near=n * 65536, b_acc=4, b_w=2, b_act=2) for n in (1, 4))
    assert four == 2 * one == 2 * 2 * sqrt(65536 / 4) / 4
