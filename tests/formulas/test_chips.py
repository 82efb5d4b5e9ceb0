"""Formats, power and silicon: against NumPy, published values, brute force and the laws that must hold."""

import math
import random
from fractions import Fraction
from itertools import product

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiinfra import device, devices, formula
from aiinfra.formats import FLOATS

shares = st.floats(0, 1)
rates = st.floats(1e9, 1e16)
powers = st.floats(1, 2000)


def value(key, *entries, **inputs):
    return formula(key)(*entries, **inputs).value


def of(key, name):
    layout = FLOATS[name].symbols()
    return value(key, **{n: v for n, v in layout.items() if n in read(key)})


def read(key):
    return {
        "largest-value": ("exp_bits", "mant_bits", "reserved_exp", "reserved_top"), "least-normal": ("exp_bits",),
        "unit-roundoff": ("mant_bits",), "format-octaves": ("exp_bits", "reserved_exp"),
    }[key]  # fmt: skip


# Formats


@pytest.mark.parametrize(("name", "kind"), [("fp16", numpy.float16), ("fp32", numpy.float32), ("fp64", numpy.float64)])
def test_formats_are_those_of_numpy(name, kind):
    info = numpy.finfo(kind)
    assert of("largest-value", name) == float(info.max)
    assert of("least-normal", name) == float(info.smallest_normal)
    assert of("unit-roundoff", name) == float(info.eps) / 2
    assert of("format-octaves", name) == info.maxexp - info.minexp


@pytest.mark.parametrize(
    ("name", "largest", "smallest"),  # FP8 paper, table 1; OCP MX v1.0, section 5.3
    [("e4m3", 448, 2**-6), ("e5m2", 57344, 2**-14), ("e3m2", 28, 2**-2), ("e2m3", 7.5, 1), ("e2m1", 6, 1)],
)
def test_narrow_formats_end_where_their_specification_says(name, largest, smallest):
    assert of("largest-value", name) == largest
    assert of("least-normal", name) == smallest


@pytest.mark.parametrize("name", ["e4m3", "e5m2", "e3m2", "e2m3", "e2m1"])
def test_a_format_holds_what_its_codes_give(name):
    layout = FLOATS[name]
    bias = 2 ** (layout.exponent - 1) - 1
    codes = [
        Fraction(2) ** (e - bias) * (1 + Fraction(m, 2**layout.fraction))
        for e, m in product(range(1, 2**layout.exponent - layout.infinite), range(2**layout.fraction))
    ]
    codes = codes[:-1] if layout.reserved else codes
    assert of("largest-value", name) == max(codes)
    assert of("least-normal", name) == min(codes)
    steps = [(b - a) / 2 / a for a, b in zip(codes, codes[1:], strict=False)]
    assert of("unit-roundoff", name) == max(steps)
    assert of("format-octaves", name) == len({math.floor(math.log2(c)) for c in codes})


def test_integers_lose_what_brute_force_loses():
    rng = numpy.random.default_rng(1)
    signal = rng.uniform(-1, 1, 200_000)
    for bits in (4, 8):
        step = value("integer-step", largest_input=1, whole_bits=bits)
        noise = numpy.round(signal / step) * step - signal
        ratio = float((signal**2).mean() / (noise**2).mean())
        assert value("integer-snr", whole_bits=bits, crest=math.sqrt(3)) == pytest.approx(ratio, rel=0.02 if bits == 8 else 0.1)
        assert value("quantisation-noise", quant_step=step) == pytest.approx(float((noise**2).mean()), rel=0.1)


def test_floating_point_loses_what_brute_force_loses():
    rng = numpy.random.default_rng(2)
    signal = rng.uniform(1, 2, 200_000) * 16.0
    noise = signal.astype(numpy.float16).astype(float) - signal
    assert value("float-snr", mant_bits=10) == pytest.approx(float((signal**2).mean() / (noise**2).mean()), rel=0.02)


@given(st.integers(2, 12), st.floats(1, 100))
def test_a_bit_is_worth_six_decibels(bits, crest):
    more, less = (value("snr-decibels", snr=value("integer-snr", whole_bits=b, crest=crest)) for b in (bits + 12, bits + 11))
    assert more - less == pytest.approx(20 * math.log10(2), abs=0.01)


@pytest.mark.parametrize("size", [1, 2, 16, 32, 1024])
def test_the_largest_of_a_block_stays_below_its_bound(size):
    found = numpy.abs(numpy.random.default_rng(size).normal(size=(4000, size))).max(axis=1).mean()
    assert found <= value("block-crest", group_in=size) <= 1.5 * found


@pytest.mark.parametrize("size", [16, 32, 128])
def test_blocks_leave_no_more_noise_than_their_crest_factor_says(size):
    signal = numpy.random.default_rng(size).normal(size=(4000, size))
    step = numpy.abs(signal).max(axis=1, keepdims=True) / 7
    noise = numpy.round(signal / step) * step - signal
    ratio = float((signal**2).mean() / (noise**2).mean())
    assert ratio >= value("integer-snr", whole_bits=4, crest=value("block-crest", group_in=size))


def test_sums_stall_where_they_are_said_to():
    total, terms = numpy.float16(0), 0
    while numpy.float16(total + numpy.float16(1)) != total:
        total, terms = numpy.float16(total + numpy.float16(1)), terms + 1
    assert terms == value("stalled-sum", mant_bits=10) == 2048


def test_sums_err_as_modelled():
    rng, size, errors = numpy.random.default_rng(3), 256, []
    for _ in range(200):
        terms = rng.uniform(1, 2, size).astype(numpy.float16)
        total = numpy.float16(0)
        for term in terms:
            total = numpy.float16(total + term)
        errors.append(float(total) / float(terms.astype(float).sum()) - 1)
    unit = value("unit-roundoff", mant_bits=10)
    rms = math.sqrt(sum(e * e for e in errors) / len(errors))
    assert 0.5 < rms / value("accumulation-error", roundoff=unit, added=size) < 1.5
    assert max(map(abs, errors)) <= value("accumulation-bound", roundoff=unit, added=size)


@given(st.floats(1e-6, 1), st.floats(1, 8), st.floats(1e-6, 1), st.floats(1e-6, 1))
def test_a_format_gains_no_more_than_bytes_or_peak(shrink, quicken, t_mem, t_comp):
    gain = value("format-gain", shrink=shrink, quicken=quicken, t_mem=t_mem, t_comp=t_comp)
    assert min(1 / shrink, quicken) * (1 - 1e-9) <= gain <= max(1 / shrink, quicken) * (1 + 1e-9)


# Peaks and power

OF_PARTS = {  # operations of one unit in a clock, for devices whose units and clock are published too
    "h100-sxm": 4096, "a100-80-sxm": 2048, "mi300x": 2048, "mi355x": 4096, "tpu-v5e": 131072, "gaudi-2": 131072,
    "rtx-4090": 512, "t4": 1024,
}  # fmt: skip


@pytest.mark.parametrize("key", OF_PARTS)
def test_peaks_follow_from_their_parts(key):
    printed = device(key).peak("fp16" if key == "t4" else "bf16").value.value
    assert value("peak-from-parts", device(key), unit_flops=OF_PARTS[key]) == pytest.approx(printed, rel=0.01)


@pytest.mark.parametrize(
    ("key", "pins", "rate"), [("rtx-4090", 384, "21 Gbit/s"), ("rtx-5090", 512, "28 Gbit/s"), ("mi300x", 8192, "5.2 Gbit/s")]
)
def test_bandwidths_follow_from_their_pins(key, pins, rate):
    printed = device(key).memory_bandwidth.value.value
    assert value("bandwidth-from-pins", pins=pins, pin_rate=rate) == pytest.approx(printed, rel=0.006)


@given(rates, rates, st.floats(1, 1e4), powers, powers, st.floats(1e-14, 1e-11), st.floats(1e-12, 1e-9))
def test_a_power_limit_only_lowers_the_roofline(peak, beta, intensity, idle, more, flop_energy, byte_energy):
    energies = {"idle_power": idle, "flop_energy": flop_energy, "byte_energy": byte_energy}
    point = energies | {"peak": peak, "beta_mem": beta, "intensity": intensity}
    rate = value("capped-rate", **point, power=idle + more)
    assert rate <= min(peak, beta * intensity) * (1 + 1e-9)
    assert rate <= value("capped-rate", **point, power=idle + 2 * more) * (1 + 1e-9)
    drawn = value("device-power", **energies, flop_rate=rate, byte_rate=rate / intensity)
    assert drawn <= (idle + more) * (1 + 1e-9)


def test_above_the_power_balance_the_peak_is_reached():
    point = {"idle_power": 80, "flop_energy": 5e-13, "byte_energy": 5e-11, "peak": 1e15, "power": 700}
    limit = value("power-balance", **point)
    assert value("capped-rate", **point, beta_mem=1e14, intensity=limit * 1.001) == pytest.approx(1e15)
    assert value("capped-rate", **point, beta_mem=1e14, intensity=limit * 0.99) < 1e15


@given(powers, powers, st.floats(0.05, 3))
def test_no_clock_takes_less_energy_than_the_best(static, dynamic, clock):
    parts = {"static_power": static, "dynamic_power": dynamic, "peak": 1e15}
    best = value("best-clock", static_power=static, dynamic_power=dynamic)
    assert value("clock-energy", **parts, clock_ratio=best) <= value("clock-energy", **parts, clock_ratio=clock) * (1 + 1e-9)


@given(powers, powers, powers)
def test_the_clock_under_a_limit_draws_the_limit(static, dynamic, more):
    clock = value("clock-under-cap", power=static + more, static_power=static, dynamic_power=dynamic)
    assert value("clock-power", clock_ratio=clock, static_power=static, dynamic_power=dynamic) == pytest.approx(static + more)


def test_energy_of_a_step_is_power_times_time():
    energies = {"idle_power": 80, "flop_energy": 8e-13, "byte_energy": 5e-11}
    step = value("step-energy", **energies, devices=4, t_step=0.01, step_flops=4e12, step_bytes=8e10)
    power = value("device-power", **energies, flop_rate=1e14, byte_rate=2e12)
    assert step == pytest.approx(4 * power * 0.01)
    assert value("token-energy", step_energy=step, batch=16) == pytest.approx(step / 16)


# Silicon


@given(st.floats(1, 858), st.floats(1e-5, 0.01), st.floats(0.1, 100))
def test_clusters_raise_the_yield_and_vanish_in_the_limit(area, density, clustering):
    poisson = value("poisson-yield", die_area=area, defect_density=density)
    clustered = value("clustered-yield", die_area=area, defect_density=density, clustering=clustering)
    assert poisson <= clustered * (1 + 1e-9) <= 1 + 2e-9
    assert value("clustered-yield", die_area=area, defect_density=density, clustering=1e7) == pytest.approx(poisson, rel=1e-4)


def test_yield_is_that_of_thrown_defects():
    rng, area, density, dies = random.Random(5), 100, 0.004, 4000
    hit = {rng.randrange(dies) for _ in range(round(dies * area * density))}
    assert 1 - len(hit) / dies == pytest.approx(value("poisson-yield", die_area=area, defect_density=density), abs=0.02)


@pytest.mark.parametrize(("side", "off"), [(8, 0.06), (12, 0.06), (20, 0.06), (28, 0.15)])
def test_dies_on_a_wafer_are_those_that_fit(side, off):
    def fitting(dx, dy):
        corners = [(i * side + dx, j * side + dy) for i in range(-40, 40) for j in range(-40, 40)]
        return sum(all(math.hypot(x + a, y + b) <= 150 for a in (0, side) for b in (0, side)) for x, y in corners)

    best = max(fitting(side * a / 4, side * b / 4) for a in range(4) for b in range(4))
    assert value("dies-per-wafer", wafer=300, die_area=side**2) == pytest.approx(best, rel=off)


@given(st.floats(1e-5, 0.01), st.floats(50, 858), st.integers(2, 16), st.floats(0.01, 0.5))
def test_splitting_pays_above_its_density(density, area, split, overhead):
    pays = value("split-density", die_area=area, split=split, split_area=overhead)
    cost = value("split-cost", die_area=area, split=split, split_area=overhead, defect_density=density)
    assert (cost < 1) == (density > pays) or cost == pytest.approx(1)
    one = {"wafer_price": 1, "dies": 1 / area, "die_yield": value("poisson-yield", die_area=area, defect_density=density)}
    small = area * (1 + overhead) / split
    part = {"wafer_price": 1, "dies": 1 / small, "die_yield": value("poisson-yield", die_area=small, defect_density=density)}
    assert cost == pytest.approx(split * value("die-cost", **part) / value("die-cost", **one))


@given(shares, rates, rates)
def test_a_mixed_bandwidth_lies_between_its_parts(remote, local, far):
    mixed = value("mixed-bandwidth", remote=remote, beta_local=local, beta_remote=far)
    assert min(local, far) * (1 - 1e-9) <= mixed <= max(local, far) * (1 + 1e-9)
    at_once = 1e9 / value("mixed-time", data=1e9, remote=remote, beta_local=local, beta_remote=far)
    assert mixed <= at_once * (1 + 1e-9) <= (local + far) * (1 + 2e-9)
    best = value("remote-limit", beta_local=local, beta_remote=far)
    assert 1e9 / value("mixed-time", data=1e9, remote=best, beta_local=local, beta_remote=far) == pytest.approx(local + far)


def test_tokens_that_hide_the_host_link():
    h100 = device("h100-sxm")
    tokens = value("offload-tokens", h100, dtype="bf16", weights="bf16")
    n = 10**9
    assert 2 * n / h100.host_link_bandwidth.value.value == pytest.approx(2 * n * tokens / h100.peak("bf16").value.value)


PRICED = [d for d in devices().values() if d.price and d.memory_bandwidth and any(p.input == "bf16" and not p.sparse for p in d.peaks)]


@pytest.mark.parametrize("wide", PRICED)
@pytest.mark.parametrize("fast", PRICED)
def test_two_devices_cost_the_same_at_their_balance(wide, fast):
    rows = [(d.peak("bf16"), d.memory_bandwidth, d.price) for d in (wide, fast)]
    a, b = (dict(zip(("peak", "beta_mem", "price"), (v.value.value for v in row), strict=True)) for row in rows)
    if a["peak"] / a["price"] > b["peak"] / b["price"] or a["beta_mem"] / a["price"] < b["beta_mem"] / b["price"]:
        return  # not the pair that the formula is for
    meet = value("choice-balance", wide, dtype="bf16", rival_beta=b["beta_mem"], rival_price=b["price"])
    costs = [value("operation-price", **x, intensity=meet) for x in (a, b)]
    assert costs[0] == pytest.approx(costs[1])
    assert value("operation-price", **a, intensity=meet / 2) <= value("operation-price", **b, intensity=meet / 2) * (1 + 1e-9)
    assert value("operation-price", **a, intensity=meet * 2) >= value("operation-price", **b, intensity=meet * 2) * (1 - 1e-9)


@given(st.floats(0.5, 20), st.floats(1.001, 1e3))
def test_growth_and_doubling_are_one(years, grown):
    yearly = value("yearly-growth", years=years, grown=grown)
    assert yearly**years == pytest.approx(grown)
    assert yearly ** value("doubling-time", years=years, grown=grown) == pytest.approx(2)
