"""Generated numeric code: one expression, printed as Python for a point, as NumPy and as JavaScript."""

from __future__ import annotations

import sympy
from sympy.printing.codeprinter import CodePrinter
from sympy.printing.jscode import JavascriptCodePrinter
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pycode import PythonCodePrinter

from aiinfra.engine.expressions import free_names, plain, slowest


class _Fractions(CodePrinter):
    """Products print as one numerator over one denominator, so that integers stay exact as long as they can."""

    def _print_Mul(self, expr):
        if expr.could_extract_minus_sign() and expr.args[0].is_Number:
            return "-" + self.parenthesize(-expr, PRECEDENCE["Mul"])
        over, under = sympy.fraction(expr, exact=True)
        if under == 1:
            if over.is_Mul:
                return "*".join(self.parenthesize(a, PRECEDENCE["Mul"]) for a in over.args)
            return self._print(over)
        return self.divide(over, under)

    def divide(self, over, under):
        if under.is_Mul:
            bottom = f"({self._print(under)})"
        else:
            bottom = self.parenthesize(under, PRECEDENCE["Pow"])
        return f"{self.parenthesize(over, PRECEDENCE['Mul'])}/{bottom}"

    def _print_Pow(self, expr, **settings):
        if expr.exp == -1:
            return self.divide(sympy.Integer(1), expr.base)
        return super()._print_Pow(expr, **settings)

    def _print_Rational(self, expr):
        return self.divide(sympy.Integer(expr.p), sympy.Integer(expr.q)) if expr.q != 1 else str(expr.p)


class PointPrinter(_Fractions, PythonCodePrinter):
    """Python for one point: ``div`` keeps whole quotients of integers whole."""

    def __init__(self):
        super().__init__({"fully_qualified_modules": True})

    def divide(self, over, under):
        return f"div({self._print(over)}, {self._print(under)})"

    def _print_Sum(self, expr):
        return f"sum({_loop(self, expr, '{body} for {index} in every({low}, {high})')})"

    def _print_Product(self, expr):
        return f"math.prod({_loop(self, expr, '{body} for {index} in every({low}, {high})')})"


class ArrayPrinter(_Fractions, NumPyPrinter):
    """NumPy for arrays of float64."""

    def __init__(self):
        super().__init__({"fully_qualified_modules": True})

    def _print_Max(self, expr):
        return _nest("numpy.maximum", [self._print(a) for a in expr.args])

    def _print_Min(self, expr):
        return _nest("numpy.minimum", [self._print(a) for a in expr.args])

    def _print_Sum(self, expr):
        return _loop(self, expr, "folded(numpy.add, 0, lambda {index}: {body}, {low}, {high})")

    def _print_Product(self, expr):
        return _loop(self, expr, "folded(numpy.multiply, 1, lambda {index}: {body}, {low}, {high})")


SCRIPT_LOOP = "for (let {index} = {low}; {index} <= {high}; {index}++)"


class ScriptPrinter(_Fractions, JavascriptCodePrinter):
    """JavaScript for the page."""

    def _print_Sum(self, expr):
        return _loop(self, expr, f"(() => {{{{ let s = 0; {SCRIPT_LOOP} s += {{body}}; return s; }}}})()")

    def _print_Product(self, expr):
        return _loop(self, expr, f"(() => {{{{ let s = 1; {SCRIPT_LOOP} s *= {{body}}; return s; }}}})()")


def _loop(printer, expr, form: str) -> str:
    """A sum or product over one index, in the words of a language."""
    [limits] = expr.limits
    index, low, high = map(printer._print, limits)
    return form.format(index=index, low=low, high=high, body=f"({printer._print(expr.function)})")


def _nest(function: str, args: list[str]) -> str:
    text = args[0]
    for arg in args[1:]:
        text = f"{function}({text}, {arg})"
    return text


def _ready(expr: sympy.Basic) -> sympy.Basic:
    expr = plain(expr)
    return expr.replace(slowest, lambda *args: sympy.Max(*args, evaluate=False)) if expr.has(slowest) else expr


def point(name: str, expr: sympy.Basic, args: tuple[str, ...] | None = None) -> str:
    """Source of a Python function of one point."""
    args = free_names(expr) if args is None else args
    return f"def {name}({', '.join(args)}):\n    return {PointPrinter().doprint(_ready(expr))}\n"


def array(name: str, expr: sympy.Basic, args: tuple[str, ...] | None = None) -> str:
    """Source of a NumPy function."""
    args = free_names(expr) if args is None else args
    return f"def {name}({', '.join(args)}):\n    return {ArrayPrinter().doprint(_ready(expr))}\n"


def javascript(expr: sympy.Basic) -> str:
    """Source of a JavaScript function of one object with an entry per symbol.

    >>> from aiinfra.symbols import data, beta
    >>> javascript(data / beta)
    '({beta, data}) => data/beta'
    """
    return f"({{{', '.join(free_names(expr))}}}) => {ScriptPrinter().doprint(_ready(expr))}"


HEADER = '''"""Generated from the expressions in aiinfra.formulas; made anew when they change, so never edited."""

import math

SOURCES = {digest!r}


def div(a, b):
    """Quotient that stays an integer where it is one."""
    if type(a) is int and type(b) is int:
        whole, rest = divmod(a, b)
        return a / b if rest else whole
    return a / b


def every(low, high):
    """The whole numbers from one to another; very many are refused, since summing over them takes minutes."""
    if high - low > 2_000:
        raise OverflowError
    return range(math.ceil(low), math.floor(high) + 1)


def folded(join, value, term, low, high):
    """Terms added up or multiplied in arrays, whose ends may be arrays too."""
    import numpy

    for index in every(numpy.min(low), numpy.max(high)):
        value = numpy.where((low <= index) & (index <= high), join(value, term(index)), value)
    return value


'''


def source_text(digest: str, formulas: dict) -> str:
    """The module that `aiinfra.engine.table` loads: symbols, records, point functions and NumPy functions."""
    from aiinfra.symbols import TABLE

    parts = [HEADER.format(digest=digest)]
    rows, arrays, array_names = [], [], []
    for number, (key, f) in enumerate(formulas.items()):
        parts.append(point(f"p{number}", f.right) + "\n\n")
        arrays.append(array(f"a{number}", f.right))
        checks, array_checks = [], []
        for i, condition in enumerate(f.valid):
            args = free_names(condition)
            parts.append(point(f"v{number}_{i}", condition, args) + "\n\n")
            arrays.append(array(f"w{number}_{i}", condition, args))
            checks.append(f"(v{number}_{i}, {args!r}, {str(condition)!r})")
            array_checks.append(f"(w{number}_{i}, {args!r}, {str(condition)!r})")
        array_names.append(f"{key!r}: (a{number}, [{', '.join(array_checks)}])")
        fields = (f.key, f.symbol, f.inputs, f.relation, f.says, f.holds, f.cites, f.module, f.resolves)
        rows.append(f"    ({', '.join(map(repr, fields))}, p{number}, ({''.join(c + ', ' for c in checks)})),\n")
    symbols = [(s.name, s.latex, s.meaning, (s.unit.dims, s.unit.text), *s[4:]) for s in TABLE.values()]
    parts.append("SYMBOLS = [\n" + "".join(f"    {row!r},\n" for row in symbols) + "]\n\n")
    parts.append("FORMULAS = [\n" + "".join(rows) + "]\n\n\ndef arrays():\n    import numpy\n\n")
    parts += ["    " + line + "\n" for text in arrays for line in text.splitlines()]
    parts.append("    return {" + ", ".join(array_names) + "}\n")
    return "".join(parts)
