"""Expression helpers: the inert maximum, the unit check, and walks over SymPy trees."""

from __future__ import annotations

import sympy
from sympy.core.function import Function
from sympy.core.relational import Relational

from aiinfra.errors import DefinitionError, UnitError
from aiinfra.symbols import UNIT_SYMBOLS, info
from aiinfra.units import Unit, one, spell


class slowest(Function):
    """The larger of several times, kept as written; it becomes ``Max`` in the prover and when evaluated."""

    @classmethod
    def eval(cls, *args):
        return args[0] if len(args) == 1 else None

    def _eval_rewrite_as_Max(self, *args, **kwargs):
        return sympy.Max(*args)

    def _eval_is_positive(self):
        return True if any(a.is_positive for a in self.args) else None

    def _eval_is_nonnegative(self):
        return True if any(a.is_nonnegative for a in self.args) else None


def with_max(expr: sympy.Expr) -> sympy.Expr:
    """The expression with every inert maximum made a real one."""
    return expr.replace(slowest, sympy.Max) if expr.has(slowest) else expr


def free_names(expr: sympy.Basic) -> tuple[str, ...]:
    """Names of the free symbols, in the order of their declaration."""
    names = {s.name for s in expr.free_symbols if s not in UNIT_SYMBOLS}
    return tuple(sorted(names, key=lambda name: info(name).rank))


def plain(expr: sympy.Basic) -> sympy.Basic:
    """The expression in numbers of base units: unit symbols become 1."""
    return expr.xreplace({symbol: sympy.Integer(1) for symbol in UNIT_SYMBOLS})


def check_numbers(expr: sympy.Basic, where: str) -> None:
    """Refuse float literals: a formula holds exact numbers and symbols only."""
    floats = expr.atoms(sympy.Float)
    if floats:
        raise DefinitionError(f"{where}: float literal {min(floats)} in the expression; write a Rational or a symbol")
    bad = expr.atoms(sympy.nan, sympy.zoo, sympy.oo) & {sympy.nan, sympy.zoo, sympy.oo}
    if bad:
        raise DefinitionError(f"{where}: {bad.pop()} in the expression")


def unit_of(expr: sympy.Basic, where: str = "expression", bound: tuple = ()) -> Unit:
    """The unit of an expression, or an error that names the two parts that clash.

    >>> from aiinfra.symbols import data, beta, alpha
    >>> unit_of(alpha + data / beta)
    Unit('s')
    >>> unit_of(data + beta)
    Traceback (most recent call last):
    aiinfra.errors.UnitError: expression: cannot add B/s (beta) and B (data)
    """
    if isinstance(expr, sympy.Symbol):
        return one if expr in bound else UNIT_SYMBOLS.get(expr) or info(expr).unit
    if expr.is_Number or expr.is_NumberSymbol:
        return one
    if isinstance(expr, sympy.Mul):
        total = one
        for arg in expr.args:
            total = Unit((total * unit_of(arg, where, bound)).dims)
        return total
    if isinstance(expr, sympy.Pow):
        return _power_unit(expr, where, bound)
    if isinstance(expr, (sympy.Sum, sympy.Product)):
        dummies = tuple(limit[0] for limit in expr.limits)
        for limit in expr.limits:
            for end in limit[1:]:
                _plain(end, where, bound, "a bound of a sum")
        if isinstance(expr, sympy.Product):
            _plain(expr.function, where, bound + dummies, "a factor of a product")
        return unit_of(expr.function, where, bound + dummies)
    if isinstance(expr, (sympy.Add, sympy.Max, sympy.Min, slowest, Relational)):
        return _same_unit(expr.args, where, bound)
    if isinstance(expr, (sympy.ceiling, sympy.floor, sympy.log, sympy.exp)):
        _plain(expr.args[0], where, bound, f"the argument of {type(expr).__name__}")
        return one
    if isinstance(expr, sympy.Abs):
        return unit_of(expr.args[0], where, bound)
    raise DefinitionError(f"{where}: {type(expr).__name__} is not among the functions a formula may use")


def _power_unit(expr: sympy.Pow, where: str, bound: tuple) -> Unit:
    base, exponent = unit_of(expr.base, where, bound), expr.exp
    _plain(exponent, where, bound, "an exponent")
    if exponent.is_Rational:
        power = int(exponent) if exponent.is_Integer else exponent
        return Unit(tuple(d * power for d in base.dims))
    if any(base.dims):
        raise UnitError(f"{where}: {expr.base} has unit {base.text} and a power that is not a number")
    return one


def _same_unit(args: tuple, where: str, bound: tuple) -> Unit:
    first, unit = None, None
    for arg in args:
        if arg.is_zero:  # zero is zero in every unit
            continue
        found = unit_of(arg, where, bound)
        if unit is None:
            first, unit = arg, found
        elif found.dims != unit.dims:
            raise UnitError(f"{where}: cannot add {_name(unit)} ({first}) and {_name(found)} ({arg})")
    return unit or one


def _plain(expr: sympy.Expr, where: str, bound: tuple, what: str) -> None:
    unit = unit_of(expr, where, bound)
    if any(unit.dims):
        raise UnitError(f"{where}: {what} must be a plain number, not {_name(unit)} ({expr})")


def _name(unit: Unit) -> str:
    return spell(unit.dims) or "a plain number"
