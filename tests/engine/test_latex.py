"""The printed formula: written order, declared letters, nothing lost."""

import re

import pytest
import sympy

from aiinfra import formulas
from aiinfra.engine import latex
from aiinfra.engine.derivation import DERIVATIONS
from aiinfra.engine.expressions import free_names, slowest
from aiinfra.symbols import TABLE, alpha, b_kv, batch, beta, d_head, data, devices, n_kv, n_layer, one_flop, part, t_comp, t_mem
from aiinfra.units import Quantity, parse

FORMULAS = formulas.load()
EXPRESSIONS = {key: f.right for key, f in FORMULAS.items()} | {
    f"{key}, line {n}": line.expr for key, d in DERIVATIONS.items() for n, line in enumerate(d.lines, 1)
}
PRINTED = {key: latex.expression(expr) for key, expr in EXPRESSIONS.items()}


@pytest.mark.parametrize("key", EXPRESSIONS)
def test_every_symbol_is_printed_and_braces_match(key):
    text = latex.expression(EXPRESSIONS[key])
    depth = 0
    for char in re.sub(r"\\[{}]", "", text):
        depth += (char == "{") - (char == "}")
        assert depth >= 0
    assert depth == 0
    assert text.count(r"\left") == text.count(r"\right")
    for name in free_names(EXPRESSIONS[key]):
        assert TABLE[name].latex in text
        if len(name) > 1:
            assert name not in re.sub(r"\\[a-z]+", "", text)  # no Python name on the page


@pytest.mark.parametrize("key", EXPRESSIONS)
def test_a_printed_expression_is_not_that_of_another(key):
    same = [k for k, text in PRINTED.items() if text == PRINTED[key]]
    assert all(sympy.simplify(EXPRESSIONS[k] - EXPRESSIONS[key]) == 0 for k in same if EXPRESSIONS[k] != EXPRESSIONS[key])


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (2 * n_layer * n_kv * d_head * b_kv, r"2 L\,n_\mathrm{kv}\,d_\mathrm{h}\,b_\mathrm{kv}"),
        (alpha + data / beta, r"\alpha + \frac{D}{\beta}"),
        (1 - part, "1 - f"),
        (devices - 1, "n - 1"),
        (slowest(t_mem, t_comp), r"\max\!\left(t_\mathrm{mem}, t_\mathrm{comp}\right)"),
        (slowest(t_comp, t_mem), r"\max\!\left(t_\mathrm{comp}, t_\mathrm{mem}\right)"),
        (sympy.ceiling(batch / devices), r"\left\lceil \frac{B}{n} \right\rceil"),
        (one_flop * 2 * batch, "2 B"),
        (data * (1 - part), r"\left(1 - f\right) D"),
        (batch**2, "B^{2}"),
        (sympy.sqrt(batch), r"\sqrt{B}"),
        (sympy.sqrt(batch * devices / n_layer), r"\frac{\sqrt{B\,n}}{\sqrt{L}}"),
    ],
)
def test_notation(expr, text):
    assert latex.expression(expr) == text


@pytest.mark.parametrize(("sign", "text"), [("=", "t = t"), (">=", r"t \ge t"), ("<=", r"t \le t"), ("~", r"t \approx t")])
def test_a_bound_is_never_printed_as_an_equality(sign, text):
    assert latex.relation(sympy.Symbol("t"), sign, sympy.Symbol("t")) == text
    assert FORMULAS["decode-step-bound"].latex.startswith(r"t_\mathrm{step} \ge ")


def test_numbers_take_the_place_of_letters():
    numbers = {"n_layer": "80", "n_kv": "8", "d_head": "128", "b_kv": r"2\,\mathrm{B}"}
    assert latex.expression(2 * n_layer * n_kv * d_head * b_kv, numbers) == r"2 \cdot 80 \cdot 8 \cdot 128 \cdot 2\,\mathrm{B}"


@pytest.mark.parametrize(
    ("quantity", "spec", "text"),
    [
        (parse("3.35 TB/s"), "", r"3.35\,\mathrm{TB/s}"),
        (parse("327680 B"), "B", r"327{,}680\,\mathrm{B}"),
        (Quantity(0.05), "%", r"5\%"),
        (Quantity(1.5e-5), "", r"1.5 \times 10^{-5}"),
        (parse("5 us"), "", r"5\,\mathrm{\text{µ}s}"),
        (parse("$2/h"), "$/h", r"2\,\mathrm{\$/h}"),
    ],
)
def test_quantities(quantity, spec, text):
    assert latex.quantity(quantity, spec) == text


def test_a_number_and_a_power_of_a_number_do_not_run_together():
    assert latex.expression(28 * 4**batch) == r"28 \cdot 4^{B}"
    assert latex.expression(3 * batch**2) == "3 B^{2}"
