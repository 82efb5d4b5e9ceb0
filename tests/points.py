"""Random points inside a formula's domain whose numbers are exact as floats, and its exact value there."""

import random
from fractions import Fraction

import sympy

from aiinfra.engine.expressions import plain, with_max
from aiinfra.symbols import SYMBOLS, TABLE


def values(names, rng: random.Random, *, whole: bool = False, exponents: frozenset = frozenset()) -> dict:
    """A value for each symbol: whole numbers for counts (for all, if ``whole``), else dyadic fractions; both over many decades.

    What stands in an exponent stays small, since an exact power has as many digits as that says.
    """

    def value(name):
        if not TABLE[name].positive and rng.random() < 0.2:
            return 0
        if name in exponents:
            return rng.randint(1, 30) if TABLE[name].whole or whole else rng.choice((rng.randint(1, 30), rng.randint(1, 15) / 16))
        if TABLE[name].whole or whole:
            return int(10 ** rng.uniform(0, 6))
        return float(Fraction(rng.randint(1, 1000), 2 ** rng.randint(0, 6)) * Fraction(2) ** rng.randint(-20, 20))

    return {name: value(name) for name in names}


def inside(formula, rng: random.Random, *, whole: bool = False) -> dict:
    """Inputs of a formula at which its stated conditions hold."""
    powers = formula.right.atoms(sympy.Pow, sympy.exp)
    exponents = frozenset(s.name for p in powers for s in p.exp.free_symbols) | ends(formula.right)
    for _ in range(2000):
        found = values(formula.inputs, rng, whole=whole, exponents=exponents)
        if all(exact(c, found) == sympy.true for c in formula.valid):
            return found
    raise AssertionError(f"no point found inside the validity of {formula.key}")


def ends(expr) -> frozenset:
    """Names of the symbols in the bounds of sums and products, which must stay small."""
    found = expr.atoms(sympy.Sum, sympy.Product)
    return frozenset(s.name for e in found for limit in e.limits for end in limit[1:] for s in end.free_symbols if s.name in TABLE)


def exact(expr, point: dict):
    """The expression at a point, in rational arithmetic."""
    found = plain(with_max(expr)).xreplace({SYMBOLS[n]: sympy.Rational(v) for n, v in point.items()})
    return found.doit() if found.has(sympy.Sum, sympy.Product) else found
