"""Derivations: a formula reached step by step, each step proved by machine.

A step is a verb. The proof ladder goes from the cheap to the dear: same tree, expand, simplify, simplify after
rewriting maxima, then exact rational points. Points only refute; a step that no rung proves must be marked
``sampled=True`` by its author, and the book shows the mark.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import sympy

from aiinfra.engine.expressions import check_numbers, free_names, unit_of, with_max
from aiinfra.engine.formula import Formula
from aiinfra.errors import DefinitionError
from aiinfra.symbols import info

DERIVATIONS: dict[str, Derivation] = {}
POINTS = 60


class Line(NamedTuple):
    """One line of a derivation: how it relates to the line before, and why."""

    verb: str
    relation: str
    expr: sympy.Expr
    why: str
    premise: str = ""
    condition: object = None
    given: tuple = ()
    sampled: bool = False


class Derivation:
    """The way to a formula's right side, from a first line that states what is counted or assumed."""

    def __init__(self, formula: Formula, start: sympy.Expr, why: str, *, relation: str = "=", key: str | None = None):
        key = key or formula.key
        if key in DERIVATIONS:
            raise DefinitionError(f"derivation {key!r} is declared twice")
        self.key, self.formula = key, formula
        self.lines: list[Line] = []
        self._add(Line("start", relation, sympy.sympify(start), why))
        DERIVATIONS[key] = self

    def _add(self, line: Line) -> Derivation:
        if self.lines and line.expr == self.lines[-1].expr:
            raise DefinitionError(f"derivation {self.key!r}, line {len(self.lines) + 1}: {line.expr} is the line before it")
        where = f"derivation {self.key!r}, line {len(self.lines) + 1}"
        if not (isinstance(line.given, tuple) and all(isinstance(c, (sympy.Ge, sympy.Gt, sympy.Le, sympy.Lt)) for c in line.given)):
            raise DefinitionError(f"{where}: given takes a tuple of inequalities, not {line.given}")
        conditions = [c for c in (line.condition, *line.given) if isinstance(c, sympy.Basic)]
        for expr in (line.expr, *conditions):
            check_numbers(expr, where)
            unit = unit_of(expr, where)
            if expr is line.expr and not (expr.is_zero or unit.dims == info(self.formula.left).unit.dims):
                raise DefinitionError(f"{where}: {expr} is in {unit.text or 'no unit'}, {self.formula.left} is not")
        if isinstance(line.condition, tuple):
            _check_place(*sympy.sympify(line.condition), where)
        if not line.why:
            raise DefinitionError(f"{where}: a step needs its reason")
        self.lines.append(line)
        return self

    def using(self, premise: Formula, why: str = "") -> Derivation:
        """Put the right side of another formula for its left side; the new line is computed."""
        now = self.lines[-1].expr
        if premise.left not in now.free_symbols:
            raise DefinitionError(f"derivation {self.key!r}: {premise.left} of {premise.key!r} does not occur in {now}")
        relation = premise.relation
        if relation in (">=", "<="):
            slope = sympy.diff(now, premise.left)
            if slope.is_nonnegative is not True and slope.is_nonpositive is not True:
                raise DefinitionError(
                    f"derivation {self.key!r}: {now} is not monotone in {premise.left}, so the bound {premise.key!r} gives none"
                )
            if slope.has(premise.left) and not _allows(premise.left, premise.right):  # monotone only where the symbol can be
                raise DefinitionError(
                    f"derivation {self.key!r}: {premise.right} may be what {premise.left} cannot, so the bound {premise.key!r} gives none"
                )
            if slope.is_nonpositive:
                relation = {">=": "<=", "<=": ">="}[relation]
        line = Line("using", relation, now.xreplace({premise.left: premise.right}), why or premise.says, premise.key)
        return self._add(line)

    def rewrite(self, expr: sympy.Expr, why: str, *, sampled: bool = False) -> Derivation:
        """An equal line."""
        return self._add(Line("rewrite", "=", sympy.sympify(expr), why, sampled=sampled))

    def at_least(self, expr: sympy.Expr, why: str, *, given: tuple = (), sampled: bool = False) -> Derivation:
        """A line that is never larger than the one before, where the inequalities ``given`` hold."""
        return self._add(Line("at_least", ">=", sympy.sympify(expr), why, given=given, sampled=sampled))

    def at_most(self, expr: sympy.Expr, why: str, *, given: tuple = (), sampled: bool = False) -> Derivation:
        """A line that is never smaller than the one before, where the inequalities ``given`` hold."""
        return self._add(Line("at_most", "<=", sympy.sympify(expr), why, given=given, sampled=sampled))

    def whole(self, why: str) -> Derivation:
        """Round a bound of a whole number: at least ``x`` means at least its ceiling, at most ``x`` its floor."""
        first, last = self.lines[0].expr, self.lines[-1].expr
        if not (first.is_Symbol and first.is_integer and self.relation in (">=", "<=")):
            raise DefinitionError(f"derivation {self.key!r}: only a bound of a whole number can be rounded, and {first} is none")
        rounded = sympy.ceiling(last) if self.relation == ">=" else sympy.floor(last)
        return self._add(Line("whole", self.relation, rounded, why))

    def when(self, condition, expr: sympy.Expr, why: str, *, sampled: bool = False) -> Derivation:
        """The line before in a regime: an equation or inequality, or ``(symbol, what it is or tends to)``."""
        return self._add(Line("when", "=", sympy.sympify(expr), why, condition=condition, sampled=sampled))

    @property
    def relation(self) -> str:
        """The relation between the left side and the last line, from all steps together."""
        signs = {line.relation for line in self.lines} - {"="}
        if len(signs) > 1:
            raise DefinitionError(f"derivation {self.key!r} mixes {' and '.join(sorted(signs))}; no relation follows")
        return signs.pop() if signs else "="

    def _rests_on(self) -> set[str]:
        """Keys of all premises, and of those that they rest on in turn."""
        found, todo = set(), [self]
        while todo:
            new = {line.premise for line in todo.pop().lines if line.premise} - found
            found |= new
            todo += [DERIVATIONS[key] for key in new if key in DERIVATIONS]
        return found

    def check(self) -> list[str]:
        """Prove every step; the verdict per line is ``given``, ``computed``, ``proved`` or ``sampled``.

        Raises `DefinitionError` with the step, and with a counter-example where there is one.
        """
        if self.formula.key in self._rests_on():
            raise DefinitionError(f"derivation {self.key!r} rests on the formula that it derives")
        verdicts = []
        apart = tuple(c.gts - c.lts for c in self.formula.valid if isinstance(c, (sympy.Gt, sympy.Lt)))
        for number, line in enumerate(self.lines, 1):
            where = f"derivation {self.key!r}, line {number}"
            if line.verb in ("start", "using", "whole"):
                verdicts.append("given" if line.verb == "start" else "computed")
                continue
            before = self.lines[number - 2].expr
            strict = {
                c.lhs: sympy.Symbol(c.lhs.name, positive=True)
                for c in self.formula.valid
                if isinstance(c, sympy.Gt) and c.lhs.is_Symbol and c.rhs.is_zero
            }
            before, after, condition, given = (_swap(x, strict) for x in (before, line.expr, line.condition, line.given))
            verdict = prove(before, line.relation, after, condition, where, given, _swap(apart, strict))
            if (verdict == "sampled") != line.sampled:
                word = "is not proved, so it must say sampled=True" if verdict == "sampled" else "is proved, so it needs no sampled=True"
                raise DefinitionError(f"{where} {word}: {before} {line.relation} {line.expr}")
            verdicts.append(verdict)
        last, goal = self.lines[-1].expr, self.formula.right
        if last != goal and prove(last, "=", goal, None, f"derivation {self.key!r}, its end") != "proved":
            raise DefinitionError(f"derivation {self.key!r} ends at {last}, not at the formula's {goal}")
        if self.relation != self.formula.relation:
            raise DefinitionError(f"derivation {self.key!r} gives {self.relation}, the formula says {self.formula.relation}")
        return verdicts


def _swap(what, symbols: dict):
    if isinstance(what, tuple):
        return tuple(_swap(x, symbols) for x in what)
    return what.xreplace(symbols) if isinstance(what, sympy.Basic) else what


def _allows(symbol: sympy.Symbol, value: sympy.Expr) -> bool:
    """True when a value provably lies where the symbol does."""
    return value.is_positive is True if symbol.is_positive else not symbol.is_nonnegative or value.is_nonnegative is True


def _check_place(symbol: sympy.Symbol, value: sympy.Expr, where: str) -> None:
    """Refuse a regime in which a symbol has another unit, or is what it cannot be."""
    if value.is_infinite:
        return
    if not value.is_zero:
        unit_of(sympy.Eq(symbol, value, evaluate=False), where)
    if any(getattr(symbol, kind) and getattr(value, kind) is False for kind in ("is_positive", "is_nonnegative", "is_integer")):
        raise DefinitionError(f"{where}: {symbol} is never {value}")


def prove(before: sympy.Expr, relation: str, after: sympy.Expr, condition, where: str, given: tuple = (), apart: tuple = ()) -> str:
    """``proved`` or ``sampled``; a false step raises with a counter-example. What is in ``apart`` is known not to be zero."""
    if given:
        return _prove_given(before, relation, after, given, where, apart)
    if isinstance(condition, tuple):
        symbol, value = sympy.sympify(condition)
        before = _limit(with_max(before), symbol, value, where) if value.is_infinite else before.subs(symbol, value)
    elif condition is not None:
        before, after = _under(with_max(before), with_max(after), condition, where, apart)
    if relation == "=" and before == after:
        return "proved"
    difference = before - after if relation != "<=" else after - before
    if _ladder(difference, equal=relation == "="):
        return "proved"
    _refute(difference, relation == "=", where, f"{before} {relation} {after}")
    return "sampled"


def _limit(expr: sympy.Expr, symbol: sympy.Symbol, value: sympy.Expr, where: str) -> sympy.Expr:
    try:
        return sympy.limit(expr, symbol, value)
    except NotImplementedError:  # of a maximum, for one
        raise DefinitionError(f"{where}: no limit is found of {expr} for {symbol} to {value}") from None


def _solve(gap: sympy.Expr, symbol: sympy.Symbol, apart: tuple) -> sympy.Expr | None:
    """The one value of a symbol at which the gap closes; none where there may be several, or where any value does."""
    top = sympy.numer(sympy.together(gap))
    if not top.is_polynomial(symbol):
        return None  # solvers may give one branch of several
    lead = sympy.Poly(top, symbol).LC()
    if lead.is_zero is not False and not any(sympy.cancel(lead / other).is_zero is False for other in apart):
        return None
    found = sympy.solve(gap, symbol)
    return found[0] if len(found) == 1 else None


def _prove_given(before, relation, after, given, where, apart) -> str:
    """A bound that rests on inequalities: each is solved for a symbol, with a slack that is not negative."""
    slack = sympy.Dummy("slack", nonnegative=True)
    bound, most = with_max(after), sympy.Max if relation == ">=" else sympy.Min
    parts = bound.args if isinstance(bound, most) else (bound,)  # at least each part, or at most each
    for part in parts:
        difference = with_max(before) - part if relation == ">=" else part - with_max(before)
        if not any(_ladder(d, equal=False) for d in _substituted(difference, given, slack, apart)):
            raise DefinitionError(f"{where} does not follow from {', '.join(map(str, given))}: {before} {relation} {after}")
    return "proved"


def _substituted(difference, given, slack, apart):
    yield difference
    for condition in given:
        if (
            isinstance(condition, sympy.Lt) and condition.lts.is_Symbol and condition.lts.is_nonnegative and condition.gts.is_number
        ):  # all of 0 <= x < top
            yield difference.subs(condition.lts, condition.gts * slack / (1 + slack))
        for symbol in sorted(condition.free_symbols, key=lambda s: s.name):
            found = _solve(condition.gts - condition.lts - slack, symbol, apart)
            if found is not None:
                yield difference.subs(symbol, found)


def _under(before, after, condition, where, apart):
    """Both sides under a condition: its symbol is replaced, an inequality through a slack that is not negative."""
    slack = sympy.Dummy("slack", nonnegative=True)
    if isinstance(condition, sympy.Eq):
        gap = sympy.Integer(0)
    elif isinstance(condition, (sympy.Ge, sympy.Gt)):
        gap = slack
    elif isinstance(condition, (sympy.Le, sympy.Lt)):
        gap = -slack
    else:
        raise DefinitionError(f"{where}: a condition is an equation, an inequality or (symbol, limit), not {condition}")
    for name in free_names(condition):
        symbol = next(s for s in condition.free_symbols if s.name == name)
        found = _solve(condition.lhs - condition.rhs - gap, symbol, apart)
        if found is not None:
            return before.subs(symbol, found), after.subs(symbol, found)
    raise DefinitionError(f"{where}: the condition {condition} cannot be solved for one of its symbols")


def _ladder(difference: sympy.Expr, *, equal: bool) -> bool:
    def done(expr) -> bool:
        return expr.is_zero is True if equal else expr.is_nonnegative is True

    real = with_max(difference).doit()
    for step in (
        lambda e: e,
        sympy.expand,
        sympy.simplify,
        lambda e: sympy.factor(sympy.together(e)),
        lambda e: sympy.simplify(e.rewrite(sympy.Abs)),
    ):
        if done(step(real)):
            return True
    if equal or not real.has(sympy.Max):
        return False
    # A maximum is at least each of its parts: try each of them in its place
    top = next(iter(real.atoms(sympy.Max)))
    return any(_ladder(real.xreplace({top: part}), equal=False) for part in top.args) if _grows_with(real, top) else _all_parts(real, top)


def _grows_with(expr, top) -> bool:
    positive = all(part.is_positive for part in top.args)  # else what holds of positive ones proves nothing
    stand_in = sympy.Dummy("top", positive=True) if positive else sympy.Dummy("top", real=True)
    return sympy.diff(expr.xreplace({top: stand_in}), stand_in).is_nonnegative is True


def _all_parts(expr, top) -> bool:
    """True when the claim holds whichever part is the largest, each written as the others plus a slack."""
    for largest in top.args:
        case = expr.xreplace({top: largest})
        for number, other in enumerate(a for a in top.args if a != largest):
            slack = sympy.Dummy(f"slack{number}", nonnegative=True)
            free = sorted(largest.free_symbols - other.free_symbols, key=lambda s: s.name)
            solved = [(s, found) for s in free if (found := _solve(largest - other - slack, s, ())) is not None]
            if solved:
                case = case.subs(*solved[0])
        case = sympy.factor(sympy.together(with_max(case)))
        if case.is_nonnegative is not True:
            return False
    return True


def _refute(difference: sympy.Expr, equal: bool, where: str, claim: str) -> None:
    rng = random.Random(claim)
    real = with_max(difference).doit()
    symbols = sorted(real.free_symbols, key=lambda s: s.name)
    tried = 0
    for _ in range(POINTS):
        point = {s: _value(s, rng) for s in symbols}
        value = real.subs(point).doit()
        if not (value.is_number and value.is_extended_real):  # an infinite limit counts
            continue  # outside of where both sides are defined
        tried += 1
        if not (_vanishes(real, value, point) if equal else value >= 0):
            numbers = ", ".join(f"{s} = {v}" for s, v in point.items())
            raise DefinitionError(f"{where} is false: {claim}; at {numbers} the difference is {value}")
    if not tried:
        raise DefinitionError(f"{where} can be tried nowhere: {claim}")


def _vanishes(real: sympy.Expr, value: sympy.Expr, point: dict) -> bool:
    """Exactly zero, or for roots and logarithms zero beside the terms that it is made of."""
    if value.is_Rational or value.is_zero or value.is_infinite:
        return bool(value.is_zero)
    size = sum(abs(term.subs(point).evalf(30)) for term in sympy.Add.make_args(real))
    return abs(value.evalf(30)) < size * sympy.Float("1e-20")


def _value(symbol: sympy.Symbol, rng: random.Random) -> sympy.Rational:
    """A value that the symbol allows: small and large ones, zero and negative ones where they are."""
    if symbol.is_nonnegative and not symbol.is_positive and rng.random() < 0.1:
        return sympy.Integer(0)
    sign = 1 if symbol.is_nonnegative else rng.choice((1, -1))
    if symbol.is_integer:
        return sympy.Integer(sign * rng.choice((rng.randint(1, 40), rng.randint(1, 40), rng.randint(1, 4000))))
    return sign * sympy.Rational(rng.randint(1, 400), rng.randint(1, 40)) * sympy.Integer(10) ** rng.choice((-3, 0, 0, 0, 3))
