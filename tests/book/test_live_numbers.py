"""Numbers on the page are read and printed as the library does."""

import math
import random

import pytest
from node import run

from aiinfra import units
from aiinfra.errors import AIInfraError
from aiinfra.units import Quantity, parse

KINDS = [units.one, units.byte, units.second, units.flop, units.watt, units.joule, units.dollar, units.hertz, units.token]
KINDS += [
    units.byte / units.second,
    units.flop / units.second,
    units.dollar / units.second,
    units.flop / units.byte,
    units.joule / units.token,
]


def values(seed: int, count: int) -> list[float]:
    """Numbers of all sizes, among them ties, whole numbers and short decimals."""
    rng = random.Random(seed)
    found = [
        0.0,
        1.0,
        0.5,
        2.5,
        794.5,
        999.5,
        999.49999,
        1e6,
        999999.5,
        1e-3,
        0.00012345,
        1e15,
        1e300,
        1.7e308,
        5e-324,
        1.005,
        7945.0,
        7945.3,
        120.0,
        119.6,
    ]
    for _ in range(count):
        size = 10 ** rng.uniform(-12, 20)
        found.append(rng.choice([size, float(round(size)), float(f"{size:.2g}"), float(f"{size:.4g}"), -size]))
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.text or "1")
def test_a_quantity_prints_alike(kind):
    given = values(3, 400)
    shown = run("return given.values.map((v) => aiinfra.show(v, given.unit))", {"values": given, "unit": vars_of(kind)})
    assert shown == [Quantity(v, kind).text() for v in given]


@pytest.mark.parametrize("spec", [".3g", ".4g", ",.0f", ".1f", ".2f", ",.2f", ".2e", ".6g"])
def test_a_number_format_prints_alike(spec):
    given = values(5, 400)
    shown = run(
        "return given.values.map((v) => aiinfra.show(v, given.unit, given.spec))",
        {"values": given, "unit": vars_of(units.one), "spec": spec},
    )
    assert shown == [Quantity(v).text(spec) for v in given]


def test_other_units_print_alike():
    given = values(7, 200)
    for value_unit, spec in (
        (units.second, ".3g ms"),
        (units.byte, ".4g GiB"),
        (units.one, "%"),
        (units.one, ".1f %"),
        (units.dollar / units.second, "$/h"),
    ):
        shown = run(
            "return given.values.map((v) => aiinfra.show(v, given.unit, given.spec))",
            {"values": given, "unit": vars_of(value_unit), "spec": spec},
        )
        assert shown == [Quantity(v, value_unit).text(spec) for v in given]


READ = [
    "21 ms",
    "0.021 s",
    "80 GB",
    "80GiB",
    "3.35 TB/s",
    "400 Gbit/s",
    "$2/h",
    "1e-3 s",
    "12_000",
    "5",
    "-3 B",
    "2 FLOP/B",
    "7 W",
    "1.5 kWh",
    "3 d",
    "9 %",
]
READ += ["40 token/s", "1 B/token", "2 B*B", "5 s^2", "16 µs", "16 μs", "0.1 ns", "3 TFLOP/s", "50 GB/s", "$3", "1e5", "+4"]
REFUSED = [
    "",
    " ",
    "abc",
    "1e999",
    "NaN",
    "Infinity",
    "-inf",
    "1,000",
    "1.2.3",
    "1 Gb",
    "2 TFLOPS",
    "5 KB",
    "1 parsec",
    "1 s^99",
    "1 B^^2",
    "<b>1</b>",
    "1" * 400,
]
REFUSED += ["0x10", "1 ms ms", "--1", "1e400 s", "٣", "१२", "５", "1 s;", "${1}", "1 constructor", "1 __proto__", "1 toString/s"]


def test_what_is_read_has_the_value_of_the_library():
    found = run("return given.map((t) => { const q = aiinfra.parse(t); return [q.value, q.dims]; })", READ)
    for text, (value, dims) in zip(READ, found, strict=True):
        q = parse(text)
        assert math.isclose(value, float(q), rel_tol=1e-15) and tuple(dims) == tuple(q.unit.dims), text


def test_what_the_library_refuses_is_refused_in_one_line():
    reading = "try { return aiinfra.parse(t).value; } catch (e) { return e instanceof aiinfra.Refused ? e.message : e.stack; }"
    script = f"return given.map((t) => {{ {reading} }})"
    for text, said in zip(REFUSED, run(script, REFUSED), strict=True):
        with pytest.raises(AIInfraError):
            parse(text)
        assert isinstance(said, str) and "\n" not in said and len(said) < 160, (text, said)


def vars_of(unit: units.Unit) -> dict:
    return {"dims": [int(e) for e in unit.dims], "text": unit.text}
