"""A formula: one SymPy expression that is typeset, evaluated, explained, solved and compiled.

`aiinfra.formula(key)` gives a formula that evaluates through generated code; its algebra (``left``, ``right``,
``latex``, ``solve_for`` …) imports SymPy when it is first asked for.
"""

from __future__ import annotations

import importlib
import re
import sys
from functools import cached_property
from typing import TYPE_CHECKING

from aiinfra.engine import evaluate
from aiinfra.engine.table import Record, table
from aiinfra.errors import DefinitionError, unknown
from aiinfra.units import Quantity, Unit

if TYPE_CHECKING:
    import sympy

RELATIONS = ("=", ">=", "<=", "~")
AUTHORED: dict[str, Formula] = {}  # in the order of declaration, once their modules are imported


class Formula:
    """A relation between declared symbols, with its meaning and its conditions.

    ``relation`` is ``=`` (exact), ``>=`` or ``<=`` (a bound of the left side) or ``~`` (a model). An exact formula
    also defines its left side, so that others which read that symbol can be computed through it;
    ``resolves=False`` leaves that to another one.

    >>> from aiinfra import formula, model
    >>> formula("kv-bytes-per-token")(model("llama-3.1-70b"))
    327.7 kB
    >>> formula("kv-bytes-per-token")(n_layer=80, n_kv=8, d_head=128, b_kv="2 B").value
    327680
    """

    def __init__(
        self,
        key: str,
        left: sympy.Symbol,
        right: sympy.Expr,
        *,
        says: str,
        relation: str = "=",
        holds: str = "",
        valid: tuple = (),
        cites: tuple[str, ...] = (),
        resolves: bool | None = None,
    ):
        from aiinfra import sources
        from aiinfra.engine import expressions
        from aiinfra.symbols import UNIT_SYMBOLS, info

        where = f"formula {key!r}"
        if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", key):
            raise DefinitionError(f"{where}: a key is words in lower case joined by hyphens")
        if key in AUTHORED:
            raise DefinitionError(f"{where} is declared twice, in {AUTHORED[key].module} and again")
        if relation not in RELATIONS:
            raise DefinitionError(f"{where}: relation {relation!r} is not one of {', '.join(RELATIONS)}")
        import sympy

        right, valid = sympy.sympify(right), tuple(valid)  # the author's own objects: an int becomes a SymPy number
        for expr in (right, *valid):
            expressions.check_numbers(expr, where)
            for sym in expr.free_symbols - UNIT_SYMBOLS.keys():
                info(sym)
        unit = expressions.unit_of(right, where)
        if unit.dims != info(left).unit.dims:
            raise DefinitionError(f"{where}: {left} is in {info(left).unit.text or 'no unit'}, the right side in {unit.text or 'no unit'}")
        inputs = expressions.free_names(right)
        for condition in valid:
            expressions.unit_of(condition, f"{where}, valid")
            if strange := set(expressions.free_names(condition)) - set(inputs):
                raise DefinitionError(f"{where}, valid: {min(strange)} is no input, so {condition} cannot be checked")
        sources.check(cites, where)
        self._left, self._right, self._valid = left, right, valid
        resolves = relation == "=" if resolves is None else resolves
        if resolves:
            other = next((f for f in AUTHORED.values() if f.resolves and f.symbol == left.name), None)
            if other:
                raise DefinitionError(f"{where}: {left} is already defined by {other.key!r}; say resolves=False")
        module = sys._getframe(1).f_globals.get("__name__", "")
        self._fields(key, left.name, inputs, relation, says, holds, tuple(cites), module, resolves)
        self._record = None
        AUTHORED[key] = self

    def _fields(self, key, symbol, inputs, relation, says, holds, cites, module, resolves) -> None:
        self.key, self.symbol, self.inputs, self.relation = key, symbol, inputs, relation
        self.says, self.holds, self.cites, self.module, self.resolves = says, holds, cites, module, resolves

    @classmethod
    def from_record(cls, record: Record) -> Formula:
        """The formula of a generated record; its algebra is loaded when asked for."""
        self = cls.__new__(cls)
        self._fields(*record[:9])
        self._left = self._right = self._valid = None
        self._record = record
        return self

    def __repr__(self) -> str:
        return f"<Formula {self.key}: {self.symbol} {self.relation} f({', '.join(self.inputs)})>"

    def __reduce__(self):
        return _restore, (self.module, self.key)  # a formula travels as its name, and there is one of each

    # Numbers

    @property
    def record(self) -> Record:
        if self._record is None:
            known = table().records
            self._record = known[self.key] if self.key in known else self._compile()
        return self._record

    def _compile(self) -> Record:
        """A record of its own, for a formula that is declared outside the package."""
        from aiinfra.engine import codegen

        scope: dict = {"__name__": "aiinfra.engine._adhoc"}
        exec(compile(codegen.source_text("", {self.key: self}), self.key, "exec"), scope)  # printed from the expression
        self._arrays = scope["arrays"]
        return Record(*scope["FORMULAS"][0])

    def array_functions(self) -> dict:
        """NumPy functions by key: those of the table, and this formula's where it is not in the table."""
        known = table().arrays()
        if self.record.key in known:
            return known
        return known | self._arrays()

    def prepare(self, entries: tuple, inputs: dict, dtype: str | None = None, *, strict: bool = True) -> tuple[tuple, dict, dict]:
        """Checked inputs and the plan to compute them: (steps, values from the catalogue, values given)."""
        t = table()
        supplied, given = evaluate.gather(t, entries, inputs, dtype)
        names = evaluate.catalogue(entries, dtype)[1]
        refused = tuple(name for entry in entries for name in entry.refuses)
        signature = (self.key, names, tuple(given), strict, refused)
        steps = t.plans.get(signature)
        if steps is None:
            steps = evaluate.plan(t, self.record, names | given.keys(), entries, dtype)
            if strict:
                evaluate.unused(self.record, steps, given)
            t.plans[signature] = steps
        return steps, supplied, given

    def __call__(self, *entries, dtype: str | None = None, **inputs) -> Quantity:
        """Evaluate at one point: catalogue entries supply what they know, keywords override.

        A bare number is in base units (B, FLOP, s, J, USD); text carries its unit. ``weights=``, ``kv=`` and
        ``activations=`` take a number format for the bytes of one element, ``dtype=`` the format computed in.
        A result that rests on a bound or a model given as an input is marked as a model, since it may be neither.
        Raises `MissingInput`, `UnknownName`, `BadValue`, `BadType`, `UnitError` or `OutsideValidity`.
        """
        steps, values, given = self.prepare(entries, inputs, dtype)
        values.update(given)
        relation = self.relation
        for value in inputs.values():
            if isinstance(value, Quantity) and value.relation != "=":
                relation = "~"
        return Quantity(evaluate.run(steps, values), self.unit, relation)

    def array(self, *entries, dtype: str | None = None, **inputs):
        """Evaluate on arrays that broadcast together; the result is float64 in base units."""
        from aiinfra.engine import arrays

        return arrays.run(self, entries, inputs, dtype)

    @cached_property
    def unit(self) -> Unit:
        return table().symbols[self.symbol].unit

    # Algebra

    def _authored(self) -> Formula:
        if self._right is None:
            importlib.import_module(self.module)
            found = AUTHORED[self.key]
            self._left, self._right, self._valid = found._left, found._right, found._valid
        return self

    @property
    def left(self) -> sympy.Symbol:
        return self._authored()._left

    @property
    def right(self) -> sympy.Expr:
        return self._authored()._right

    @property
    def valid(self) -> tuple:
        return self._authored()._valid

    @property
    def latex(self) -> str:
        """The formula as LaTeX, factors in the order in which their symbols are declared."""
        from aiinfra.engine import latex

        return latex.relation(self.left, self.relation, self.right)

    def _repr_latex_(self) -> str:
        """How a notebook shows it."""
        return f"$\\displaystyle {self.latex}$"

    @property
    def javascript(self) -> str:
        """The right side as a JavaScript function of one object with an entry per input."""
        from aiinfra.engine import codegen

        return codegen.javascript(self.right)

    def explain(self, *entries, dtype: str | None = None, **inputs):
        """The tree of formulas from the result down to what was given, with every number and its source."""
        from aiinfra.engine import tree

        return tree.explain(self, entries, inputs, dtype)

    def solve_for(self, symbol: str, *entries, dtype: str | None = None, **inputs) -> Quantity:
        """The value of one input at which the left side, given by keyword, is reached.

        >>> from aiinfra import device, formula, model
        >>> fit = formula("kv-bytes").solve_for("context", model("llama-3.1-70b"), kv_bytes="40 GB", batch=16)
        >>> f"{fit:,.0f}"
        '7,629'
        """
        from aiinfra.engine import analysis

        return analysis.solve_for(self, symbol, entries, inputs, dtype)

    def break_even(self, other: Formula, symbol: str, *entries, dtype: str | None = None, **inputs) -> Quantity:
        """The value of one input at which this formula and another give the same."""
        from aiinfra.engine import analysis

        return analysis.break_even(self, other, symbol, entries, inputs, dtype)

    def sensitivity(self, *entries, dtype: str | None = None, **inputs) -> dict[str, float]:
        """Elasticity per input: by how many per cent the result changes when that input grows by one per cent."""
        from aiinfra.engine import analysis

        return analysis.sensitivity(self, entries, inputs, dtype)


_loaded: dict[str, Formula] = {}


def formula(key: str) -> Formula:
    """The formula of a key; an unknown one lists near names.

    >>> formula("decode-step-bound").relation
    '>='
    """
    if not isinstance(key, str) or key not in table().records:
        raise unknown("formula", key, table().records)
    if key not in _loaded:
        _loaded[key] = AUTHORED.get(key) or Formula.from_record(table().records[key])
    return _loaded[key]


def _restore(module: str, key: str) -> Formula:
    if key not in table().records:
        importlib.import_module(module)  # declared outside the package
        return AUTHORED[key]
    return formula(key)


def formula_keys() -> tuple[str, ...]:
    """The keys of all formulas, in the order of the book."""
    return tuple(table().records)
