"""What follows from a formula's algebra: explanations, solutions, break-even points, sensitivities."""

from __future__ import annotations

from math import isclose

import sympy

from aiinfra.engine import evaluate
from aiinfra.engine.expressions import free_names, plain, slowest, with_max
from aiinfra.engine.formula import Formula, formula
from aiinfra.engine.table import table
from aiinfra.errors import BadType, BadValue, MissingInput, OutsideValidity, brief, unknown
from aiinfra.symbols import SYMBOLS
from aiinfra.units import Quantity


def expanded(f: Formula, known: set[str], *, toward: str | None = None) -> sympy.Expr:
    """The right side with inputs that are not known replaced by the formulas that define them.

    With ``toward`` only those are replaced that depend on that symbol.
    """
    expr = f.right
    defines = table().defines
    done: set[str] = {f.symbol}
    while True:
        names = [n for n in free_names(expr) if n not in known and n not in done and n in defines]
        if toward is not None:
            names = [n for n in names if n != toward and _depends(n, toward, known)]
        if not names:
            return expr
        for name in names:
            done.add(name)
            expr = expr.xreplace({SYMBOLS[name]: formula(defines[name]).right})


def _depends(name: str, on: str, known: set[str], seen: frozenset = frozenset()) -> bool:
    if name == on:
        return True
    if name in known or name in seen or name not in table().defines:
        return False
    return any(_depends(i, on, known, seen | {name}) for i in table().record(table().defines[name]).inputs)


def _branches(expr: sympy.Expr) -> list[sympy.Expr]:
    """The expression once per part of its first maximum, for all maxima."""
    top = next(iter(expr.atoms(slowest)), None)
    if top is None:
        return [expr]
    return [b for part in top.args for b in _branches(expr.xreplace({top: part}))]


def _collect(f: Formula, symbol: str, entries: tuple, inputs: dict, dtype: str | None) -> tuple[dict, dict]:
    t = table()
    if not isinstance(symbol, str) or symbol not in t.symbols:
        raise unknown("symbol", symbol, t.symbols)
    if symbol in inputs:
        raise BadValue(f"{symbol} is what is solved for, so it cannot be given")
    supplied, given = evaluate.gather(t, entries, inputs, dtype)
    supplied.pop(symbol, None)
    return supplied, given


def solve_for(f: Formula, symbol: str, entries: tuple, inputs: dict, dtype: str | None) -> Quantity:
    """The value of ``symbol`` at which ``f`` gives the value of its left side that was passed by keyword."""
    supplied, given = _collect(f, symbol, entries, inputs, dtype)
    if f.symbol not in given:
        raise MissingInput(f"{f.key} needs the value of {f.symbol} to be reached, such as {f.symbol}=…")
    goal = given.pop(f.symbol)
    supplied.pop(f.symbol, None)
    values = supplied | given
    [at] = _gap((f,), values, symbol, given)
    expr = expanded(f, set(values), toward=symbol)
    equations = [plain(b) - sympy.Rational(goal) for b in _branches(expr)]
    value = _root(symbol, equations, values, lambda x: at(x) - goal, lambda x: abs(goal or at(x)))
    if value is None:
        raise BadValue(f"no {symbol} makes {f.key} equal {Quantity(goal, f.unit)}")
    return Quantity(value, table().symbols[symbol].unit)


def break_even(f: Formula, other: Formula, symbol: str, entries: tuple, inputs: dict, dtype: str | None) -> Quantity:
    """The value of ``symbol`` at which two formulas give the same."""
    if not isinstance(other, Formula):
        raise BadType(f"break_even with {brief(other)}: expected a formula, such as formula('compute-time')")
    if f.unit.dims != other.unit.dims:
        raise BadValue(f"{f.key} is in {f.unit.text or 'no unit'} and {other.key} in {other.unit.text or 'no unit'}; they never meet")
    supplied, given = _collect(f, symbol, entries, inputs, dtype)
    values = supplied | given
    first, second = _gap((f, other), values, symbol, given)
    pairs = [
        plain(a) - plain(b)
        for a in _branches(expanded(f, set(values), toward=symbol))
        for b in _branches(expanded(other, set(values), toward=symbol))
    ]
    if all(pair.is_zero for pair in pairs):
        raise BadValue(f"{f.key} and {other.key} are equal for every {symbol}")
    value = _root(symbol, pairs, values, lambda x: first(x) - second(x), lambda x: abs(first(x)))
    if value is None:
        raise BadValue(f"no {symbol} makes {f.key} and {other.key} equal")
    return Quantity(value, table().symbols[symbol].unit)


def solution(f: Formula, other: Formula, symbol: str, known: set[str]) -> sympy.Expr:
    """The break-even point as an expression, where SymPy finds one."""
    a = expanded(f, known - {symbol}, toward=symbol)
    b = expanded(other, known - {symbol}, toward=symbol)
    found = [s for s in _solve(with_max(a) - with_max(b), SYMBOLS[symbol], closed=True) if s.is_number is not True or s != 0]
    if len(found) != 1:
        raise BadValue(f"{f.key} = {other.key} has {len(found)} solutions for {symbol}; none is shown")
    if found[0].has(sympy.log):  # one logarithm above, one below
        top, bottom = sympy.fraction(sympy.together(found[0]))
        return sympy.logcombine(top, force=True) / sympy.logcombine(bottom, force=True)
    return sympy.factor_terms(sympy.cancel(found[0]))


def _solve(equation: sympy.Expr, symbol: sympy.Symbol, *, closed: bool = False) -> list:
    """Zeros of an expression; a linear one, as nearly all are, needs no solver. ``closed`` asks for logarithms and the like too."""
    if any(p.base.has(symbol) and not (p.exp.is_Rational and abs(p.exp) <= 4 and p.exp.q <= 2) for p in equation.atoms(sympy.Pow)):
        return []  # a high or odd power has no solution in closed form, and expanding it may take for ever
    if any(end.has(symbol) for e in equation.atoms(sympy.Sum, sympy.Product) for limit in e.limits for end in limit[1:]):
        return []
    top = sympy.numer(sympy.together(equation))
    if top.is_polynomial(symbol) and sympy.degree(top, symbol) == 1:
        line = sympy.Poly(top, symbol)
        return [-line.nth(0) / line.nth(1)]
    if equation.has(sympy.Min, sympy.Max) or not (equation.is_algebraic_expr(symbol) or closed):
        return []  # a solver may search long for what bisection finds at once
    return sympy.solve(equation, symbol)


def _gap(formulas: tuple, values: dict, symbol: str, given: dict) -> list:
    """Each formula as a function of one symbol, the others fixed; a keyword that none of them reads is refused."""
    plans = [evaluate.plan(table(), f.record, frozenset(values) | {symbol}) for f in formulas]
    evaluate.unused(formulas[0].record, tuple(s for steps in plans for s in steps), given | {symbol: None})
    return [lambda x, steps=steps: evaluate.run(steps, values | {symbol: x}) for steps in plans]


def _root(symbol: str, equations: list, values: dict, gap, size) -> float | None:
    """An exact solution of one of the equations that also solves the whole, else a bracketed one."""
    target = SYMBOLS[symbol]
    numbers = {SYMBOLS[n]: sympy.Rational(v) for n, v in values.items()}
    info = table().symbols[symbol]
    candidates = []
    for equation in equations:
        there = _numeric(equation, symbol, numbers, values)
        if there.has(sympy.ceiling, sympy.floor):
            continue
        candidates += [s for s in _solve(there, sympy.Symbol(target.name)) if s.is_real]

    def solves(x: float) -> bool:
        try:
            return abs(gap(x)) <= 1e-9 * size(x)
        except (BadValue, OutsideValidity):
            return False

    for found in sorted(set(candidates)):
        value = int(found) if found.is_Integer else float(found)
        allowed = info.minimum is None or value > info.minimum or (value == info.minimum and not info.positive)
        if allowed and solves(value):
            return value
    value = _bisect(gap)
    return value if value is not None and solves(value) else None  # a jump past the goal is no solution


def _numeric(equation, target: str, numbers: dict, values: dict):
    """The equation with every known symbol, and every symbol that follows from those, as a number."""
    target_free = equation.xreplace(numbers)
    t = table()
    for name in free_names(target_free):
        if name in t.defines and name != target:
            steps = evaluate.plan(t, t.record(t.defines[name]), frozenset(values)) if _computable(name, values) else None
            if steps:
                value = evaluate.run(steps, dict(values))
                target_free = target_free.xreplace({SYMBOLS[name]: sympy.Rational(value)})
    return target_free.xreplace({s: sympy.Symbol(s.name) for s in target_free.free_symbols})


def _computable(name: str, values: dict) -> bool:
    try:
        evaluate.plan(table(), table().record(table().defines[name]), frozenset(values))
    except MissingInput:
        return False
    return True


def _bisect(gap) -> float | None:
    """A sign change between powers of two, or between one and the edge of where the formulas hold, halved to the last digit."""

    def at(x: float) -> float | None:
        try:
            return gap(x)
        except (BadValue, OutsideValidity):
            return None

    low, below = None, None
    for power in range(-60, 121):
        high = 2.0**power
        above = at(high)
        if above == 0:
            return high
        if low is not None and (below is None) != (above is None):  # an edge: the sign may change before it
            found = _change(at, low, below, high, above)
        elif below is not None and above is not None and (below > 0) != (above > 0):
            found = _change(at, low, below, high, above)
        else:
            found = None
        if found is not None:
            return found
        low, below = high, above
    return None


def _change(at, low: float, below: float | None, high: float, above: float | None) -> float | None:
    """Where a function changes its sign between two points, at one of which it may not be defined."""
    inside = below if above is None else above
    while not isclose(low, high, rel_tol=1e-14):
        middle = (low + high) / 2
        there = at(middle)
        if there == 0:
            return middle
        crossed = there is not None and (there > 0) != (inside > 0)
        if below is not None and above is not None:
            low, high = (middle, high) if (there is not None and (there > 0) == (below > 0)) else (low, middle)
        elif crossed:  # both ends are known now
            low, below, high, above = (middle, there, high, above) if below is None else (low, below, middle, there)
        elif below is None:
            low, high, above = (low, middle, there) if there is not None else (middle, high, above)
        else:
            low, below, high = (middle, there, high) if there is not None else (low, below, middle)
    return (low + high) / 2 if below is not None and above is not None else None


def sensitivity(f: Formula, entries: tuple, inputs: dict, dtype: str | None) -> dict[str, float]:
    """d ln f / d ln x for each input that is not computed; of a maximum the part that wins counts, a rounding is flat.

    The end of a sum is left out: it cannot change by one per cent.
    """
    steps, supplied, given = f.prepare(entries, inputs, dtype)
    values = supplied | given
    known = set(values)
    evaluate.run(steps, values)
    numbers = {SYMBOLS[n]: sympy.Rational(values[n]) for n in known}
    expr = plain(expanded(f, known))

    def winner(*args):
        return max(args, key=lambda a: a.xreplace(numbers))

    while expr.has(slowest):
        top = next(e for e in expr.atoms(slowest) if not any(a.has(slowest) for a in e.args))
        expr = expr.xreplace({top: winner(*top.args)})
    for rounding in (sympy.ceiling, sympy.floor):
        expr = expr.replace(rounding, lambda a, rounding=rounding: rounding(a.xreplace(numbers)))
    here = expr.xreplace(numbers)
    if here == 0:
        raise BadValue(
            f"{f.key} is zero at {evaluate.shown(tuple(sorted(known & set(evaluate.used(steps)))), values)}, so no percentage of it exists"
        )
    ends = {end for e in expr.atoms(sympy.Sum, sympy.Product) for limit in e.limits for end in limit[1:]}
    smooth = [n for n in free_names(expr) if not any(end.has(SYMBOLS[n]) for end in ends)]
    return {n: float((sympy.diff(expr, SYMBOLS[n]) * SYMBOLS[n]).xreplace(numbers).doit() / here.doit()) for n in smooth}
