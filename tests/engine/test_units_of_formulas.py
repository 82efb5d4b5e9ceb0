"""Units, checked a second way: when the base units are rescaled, a value must scale with its own dimensions."""

import random

import pytest
import sympy
from points import inside

from aiinfra import formulas
from aiinfra.engine.expressions import with_max
from aiinfra.symbols import SYMBOLS, TABLE, UNIT_SYMBOLS, data
from aiinfra.units import BASES

FORMULAS = formulas.load()


def scale(dims, factors):
    return sympy.prod(factor**power for factor, power in zip(factors, dims, strict=True))


def scaled(expr, point, factors):
    """The expression at a point that is written in units smaller by ``factors``."""
    numbers = {SYMBOLS[n]: sympy.Rational(v) * scale(TABLE[n].unit.dims, factors) for n, v in point.items()}
    return with_max(expr).xreplace(numbers | {s: scale(unit.dims, factors) for s, unit in UNIT_SYMBOLS.items()})


@pytest.mark.parametrize("key", FORMULAS)
def test_value_scales_with_the_dimensions_of_the_left_side(key):
    f, rng = FORMULAS[key], random.Random(key)
    for _ in range(4):
        point = inside(f, rng)
        factors = [sympy.Rational(rng.randint(2, 50), rng.randint(2, 50)) for _ in BASES]
        ones = [sympy.Integer(1)] * len(BASES)
        found = scaled(f.right, point, factors)
        wanted = scaled(f.right, point, ones) * scale(TABLE[f.symbol].unit.dims, factors)
        assert found == wanted or (found - wanted).equals(0)  # a cube root is written in several ways
        for condition in f.valid:
            assert scaled(condition, point, factors) == scaled(condition, point, ones)


def test_the_law_finds_a_wrong_unit():
    point, factors = {"data": 3, "beta": 5}, [sympy.Integer(2)] * len(BASES)
    assert scaled(data + SYMBOLS["beta"] ** 2, point, factors) != scaled(data + SYMBOLS["beta"] ** 2, point, [sympy.Integer(1)] * 5) * 2
