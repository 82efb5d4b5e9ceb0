"""LaTeX of expressions: declared symbols, factors and terms in the order of the symbol table."""

from __future__ import annotations

import re

import sympy
from sympy.printing.latex import LatexPrinter

from aiinfra.symbols import TABLE, UNIT_SYMBOLS
from aiinfra.units import Quantity

RELATIONS = {"=": "=", ">=": r"\ge", "<=": r"\le", "~": r"\approx"}
LAST = 10_000


def _rank(expr: sympy.Basic) -> list[int]:
    """The places of an expression's symbols in the table, earliest first."""
    return sorted(TABLE[s.name].rank if s.name in TABLE else LAST for s in expr.free_symbols)


def _place(factor: sympy.Basic) -> tuple:
    """Where a factor stands: numbers, then (n - 1), then symbols, then longer sums and functions."""
    if factor.is_number:
        return (0, [])
    if factor.is_Add:
        return (1 if _short(factor) else 3, _rank(factor))
    return (3 if factor.is_Function else 2, _rank(factor))


def _short(factor: sympy.Basic) -> bool:
    return factor.is_Add and len(factor.args) == 2 and any(a.is_number for a in factor.args)


class BookPrinter(LatexPrinter):
    """Prints the book's notation; ``numbers`` puts quantities in the place of symbols."""

    def __init__(self, numbers: dict[str, str] | None = None):
        super().__init__({"fold_short_frac": False, "ln_notation": True})
        self.numbers = numbers or {}

    def _print_Symbol(self, expr, style="plain"):
        if expr.name in self.numbers:
            return self.numbers[expr.name]
        found = TABLE.get(expr.name)
        return found.latex if found else super()._print_Symbol(expr)

    def _print_Add(self, expr, order=None):
        # A number comes first where something is taken from it (1 - f), else last (n - 1)
        falls = any(t.could_extract_minus_sign() and not t.is_number for t in expr.args)
        terms = sorted(expr.args, key=lambda t: ((not falls) if t.is_number else falls, _rank(t)))
        lead = next((t for t in terms if not t.could_extract_minus_sign()), terms[0])
        terms.remove(lead)
        terms.insert(0, lead)
        text = self._print(terms[0])
        for term in terms[1:]:
            if term.could_extract_minus_sign():
                text += " - " + self._term(-term)
            else:
                text += " + " + self._term(term)
        return text

    def _term(self, term):
        text = self._print(term)
        return rf"\left({text}\right)" if term.is_Add else text

    def _print_Mul(self, expr):
        if expr.could_extract_minus_sign() and expr.args[0].is_Number:
            return "-" + self._term(-expr)
        over, under = sympy.fraction(expr, exact=True)
        if under == 1:
            return self._product(over)
        return rf"\frac{{{self._product(over)}}}{{{self._product(under)}}}"

    def _product(self, expr):
        units, factors = [], []
        for factor in expr.as_ordered_factors():
            if factor in UNIT_SYMBOLS:
                units.append(rf"\,\mathrm{{{UNIT_SYMBOLS[factor].text}}}")
            elif _short(factor) and factor.primitive()[0] != 1:  # SymPy multiplies 2(n - 1) out
                factors += factor.primitive()
            else:
                factors.append(factor)
        roots = [f for f in factors if f.is_Pow and f.exp == sympy.S.Half]
        if len(roots) > 1:  # SymPy splits the root of a product
            factors = [f for f in factors if f not in roots]
            factors.append(sympy.Pow(sympy.Mul(*(r.base for r in roots)), sympy.S.Half, evaluate=False))
        if not (self.numbers or not factors):
            units = []  # among other factors the unit goes without saying
        factors.sort(key=_place)
        if units and len(factors) > 1 and factors[0].is_number:  # 2 FLOP · 3.35 TB/s
            return self._print(factors[0]) + "".join(units) + r" \cdot " + self._product(sympy.Mul(*factors[1:]))
        if len(factors) == 1 and not units:
            return self._print(factors[0])
        text, before = "", None
        for factor in factors:
            text += (self._between(before, factor) if before is not None else "") + self._term(factor)
            before = factor
        return text + "".join(units) if factors else "1" + "".join(units)

    def _between(self, before, after):
        digits = after.is_number or (after.is_Pow and after.base.is_number)  # 28 times a power of 4 is not 284 to a power
        if self.numbers or (before.is_number and digits):
            return r" \cdot "
        return r"\," if before.is_Symbol and after.is_Symbol else " "

    def _print_Pow(self, expr):
        if expr.exp.is_Rational and expr.exp < 0:
            return rf"\frac{{1}}{{{self._product(1 / expr)}}}"
        if expr.exp == sympy.S.Half:
            return rf"\sqrt{{{self._print(expr.base)}}}"
        if expr.base.is_Symbol and expr.base.name in self.numbers:
            return rf"\left({self._print(expr.base)}\right)^{{{self._print(expr.exp)}}}"
        return super()._print_Pow(expr)

    def _print_slowest(self, expr, exp=None):
        # fractions in full size, also where the maximum stands under a fraction bar
        parts = ", ".join(self._print(a) for a in expr.args).replace(r"\frac", r"\dfrac")
        return rf"\max\!\left({parts}\right)"

    _print_Max = _print_slowest

    def _print_ceiling(self, expr, exp=None):
        return rf"\left\lceil {self._print(expr.args[0])} \right\rceil"

    def _print_floor(self, expr, exp=None):
        return rf"\left\lfloor {self._print(expr.args[0])} \right\rfloor"


def expression(expr: sympy.Basic, numbers: dict[str, str] | None = None) -> str:
    """LaTeX of an expression.

    >>> from aiinfra.symbols import b_kv, d_head, n_kv, n_layer
    >>> print(expression(2 * n_layer * n_kv * d_head * b_kv))
    2 L\\,n_\\mathrm{kv}\\,d_\\mathrm{h}\\,b_\\mathrm{kv}
    """
    return BookPrinter(numbers).doprint(expr)


def terms(expr: sympy.Basic, numbers: dict[str, str] | None = None) -> tuple[list[str], str]:
    """The terms of a sum as printed, and the unit that stands outside it; a product is one term."""
    printer = BookPrinter(numbers)
    units = [u for u in sympy.Mul.make_args(expr) if u in UNIT_SYMBOLS]
    inner = sympy.Mul(*(f for f in sympy.Mul.make_args(expr) if f not in UNIT_SYMBOLS))
    if not inner.is_Add or any(t.could_extract_minus_sign() for t in inner.args):
        return [printer.doprint(expr)], ""
    unit = "".join(rf"\,\mathrm{{{UNIT_SYMBOLS[u].text}}}" for u in units)
    return [printer.doprint(t) for t in sorted(inner.args, key=_rank)], unit


def width(tex: str) -> int:
    """Roughly how many characters LaTeX prints, a fraction counting as its wider part."""
    tex = re.sub(r"\\d?frac\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}", lambda m: max(m[1], m[2], key=len), tex)
    return len(
        re.sub(r"\\(left|right|bigl|bigr|mathrm|text|max|quad|cdot)|\\[a-zA-Z]+|\\.|[{}_^ ]", lambda m: "x" if "cdot" in m[0] else "", tex)
    )


def relation(left: sympy.Basic, sign: str, right: sympy.Basic) -> str:
    """LaTeX of ``left sign right``."""
    return f"{expression(left)} {RELATIONS[sign]} {expression(right)}"


def quantity(value: Quantity, spec: str = "") -> str:
    """LaTeX of a quantity: upright unit, thin spaces between groups of digits.

    >>> from aiinfra.units import parse
    >>> print(quantity(parse("3.35 TB/s")), quantity(parse("327680 B"), "B"))
    3.35\\,\\mathrm{TB/s} 327{,}680\\,\\mathrm{B}
    """
    return text(value.text(spec))


def text(shown: str) -> str:
    """LaTeX of a printed quantity such as ``3.35 TB/s`` or ``1.5e-05``."""
    number, _, unit = shown.partition(" ")
    if number.endswith("%"):
        number, unit = number[:-1], "%"
    mantissa, e, exponent = number.partition("e")
    mantissa = mantissa.replace(",", "{,}")
    if e:
        mantissa += rf" \times 10^{{{int(exponent)}}}"
    if not unit or unit == "%":
        return mantissa + (r"\%" if unit else "")
    unit = unit.replace("%", r"\%").replace("µ", r"\text{µ}").replace("$", r"\$").replace("·", r"\cdot ")
    return rf"{mantissa}\,\mathrm{{{unit}}}"
