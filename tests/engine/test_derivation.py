"""Every step of every derivation is proved; wrong ones are refused, each with its reason."""

import pytest
import sympy

from aiinfra import formulas, symbols
from aiinfra.engine import derivation as engine
from aiinfra.engine import formula as formula_engine
from aiinfra.engine.derivation import DERIVATIONS, Derivation, prove
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.errors import AIInfraError, DefinitionError
from aiinfra.symbols import alpha, batch, beta, context, data, devices, factor, message, part, symbol, t_comp, t_mem, t_move, t_step, trips

FORMULAS = formulas.load()
ORIGINAL = dict(DERIVATIONS)


@pytest.mark.parametrize("key", ORIGINAL)
def test_every_step_is_proved(key):
    verdicts = ORIGINAL[key].check()
    assert set(verdicts) <= {"given", "computed", "proved"} | ({"sampled"} if any(line.sampled for line in ORIGINAL[key].lines) else set())


def test_every_formula_has_a_derivation_and_every_derivation_a_formula():
    assert set(ORIGINAL) == set(FORMULAS)
    assert all(d.formula is FORMULAS[key] for key, d in ORIGINAL.items())


@pytest.fixture
def scratch(monkeypatch):
    """A place for formulas and derivations that are gone after the test."""
    monkeypatch.setattr(engine, "DERIVATIONS", {})
    monkeypatch.setattr(formula_engine, "AUTHORED", dict(formula_engine.AUTHORED))
    monkeypatch.setattr(symbols, "TABLE", dict(symbols.TABLE))
    monkeypatch.setattr(symbols, "SYMBOLS", dict(symbols.SYMBOLS))

    def formula(right, left=t_move, **kwargs):
        return Formula("test-formula", left, right, says="A test.", resolves=False, **kwargs)

    return formula


def refused(derivation, says):
    with pytest.raises(DefinitionError, match=says) as error:
        derivation.check()
    assert "\n" not in str(error.value)
    assert "derivation 'test-formula'" in str(error.value)


def test_a_false_rewrite_is_refuted_with_a_point(scratch):
    goal = scratch(data / beta + alpha)
    way = Derivation(goal, 2 * data / beta + alpha, "Start.").rewrite(data / beta + alpha, "Wrong.")
    refused(way, r"line 2 is false: .* = .*; at beta = .*data = .* the difference is")


@pytest.mark.parametrize(("verb", "wrong"), [("at_least", 2 * data / beta), ("at_most", data / (2 * beta))])
def test_a_false_bound_is_refuted_with_a_point(scratch, verb, wrong):
    way = getattr(Derivation(scratch(wrong), data / beta, "Start."), verb)(wrong, "Wrong.")
    refused(way, "line 2 is false: .* the difference is -")


def test_an_unproved_step_must_say_so(scratch):
    goal = scratch(alpha * sympy.ceiling(batch), relation="<=")
    refused(Derivation(goal, alpha * batch, "Start.").at_most(goal.right, "Round up."), "line 2 is not proved, so it must say sampled=True")
    marked = Derivation(goal, alpha * batch, "Start.", key="marked").at_most(goal.right, "Round up.", sampled=True)
    assert marked.check() == ["given", "sampled"]


def test_a_proved_step_must_not_be_marked(scratch):
    way = Derivation(scratch(batch * t_mem + batch * t_comp), batch * (t_mem + t_comp), "Start.")
    way.rewrite(batch * t_mem + batch * t_comp, "Expand.", sampled=True)
    refused(way, "line 2 is proved, so it needs no sampled=True")


def test_a_wrong_end_is_refused(scratch):
    refused(Derivation(scratch(data / beta), 2 * data / beta, "Start."), "its end is false: ")


def test_the_relation_must_be_the_formula_s(scratch):
    way = Derivation(scratch(data / beta), alpha + data / beta, "Start.").at_least(data / beta, "Drop.")
    refused(way, "gives >=, the formula says =")


def test_relations_do_not_mix(scratch):
    way = Derivation(scratch(alpha + data / beta, relation=">="), alpha + data / beta, "Start.")
    way.at_least(data / beta, "Drop.").at_most(alpha + data / beta, "Add.")
    refused(way, "mixes <= and >=; no relation follows")


def test_a_bound_that_does_not_follow_from_what_is_given(scratch):
    way = Derivation(scratch(2 * data / beta, relation=">="), t_move, "Start.")
    way.at_least(2 * data / beta, "Wrong.", given=(data <= beta * t_move,))
    refused(way, r"line 2 does not follow from data <= beta\*t_move")


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda d: d.rewrite(data + beta, "Clash."), "line 2: cannot add"),
        (lambda d: d.rewrite(0.5 * data / beta, "Float."), "line 2: float literal 0.5"),
        (lambda d: d.rewrite(data / beta, "The same."), "line 2: data/beta is the line before it"),
        (lambda d: d.rewrite(sympy.Symbol("nobody"), "Unknown."), "unknown symbol 'nobody'"),
        (lambda d: d.rewrite(2 * data / beta, ""), "line 2: a step needs its reason"),
        (lambda d: d.at_least(data / (2 * beta), "Clash.", given=(data <= beta,)), "line 2: cannot add"),
        (lambda d: d.when(sympy.Eq(data, 2 * beta), alpha, "Clash."), "line 2: cannot add"),
        (lambda d: d.using(FORMULAS["kv-bytes"]), "kv_bytes of 'kv-bytes' does not occur"),
        (lambda d: d.rewrite(data * trips, "Bytes."), r"line 2: data\*trips is in B, t_move is not"),
        (lambda d: d.at_least(data / (2 * beta), "All.", given=(True,)), "line 2: given takes a tuple of inequalities, not"),
        (lambda d: d.at_least(data / (2 * beta), "One.", given=data <= beta * t_move), "line 2: given takes a tuple"),
        (lambda d: d.at_least(data / (2 * beta), "Equal.", given=(sympy.Eq(data, message),)), "line 2: given takes a tuple"),
        (lambda d: d.when((data, trips), trips / beta, "Clash."), "line 2: cannot add|is in s/B"),
        (lambda d: d.when((data, 0), alpha, "Nothing."), "line 2: data is never 0"),
        (lambda d: d.when((trips, sympy.Rational(1, 2)), alpha, "Half."), "line 2: trips is never 1/2"),
        (lambda d: d.whole("Round."), "only a bound of a whole number"),
        (lambda d: Derivation(d.formula, data / beta, "Again."), "declared twice"),
    ],
)
def test_a_step_that_cannot_be_meant_is_refused_at_once(scratch, build, says):
    way = Derivation(scratch(data / beta), data / beta, "Start.")
    with pytest.raises(AIInfraError, match=says):
        build(way)


def test_a_bound_passes_only_through_what_is_monotone(scratch):
    way = Derivation(scratch(t_step * (devices - t_step / t_mem), left=t_move), t_step * (devices - t_step / t_mem), "Start.")
    with pytest.raises(DefinitionError, match="is not monotone in t_step"):
        way.using(FORMULAS["overlap-bound"])


def test_a_bound_turns_where_the_line_falls(scratch):
    goal = scratch(alpha * t_mem / slowest(t_mem, t_comp), relation="<=")
    assert Derivation(goal, alpha * t_mem / t_step, "Start.").using(FORMULAS["overlap-bound"]).check() == ["given", "computed"]
    assert engine.DERIVATIONS["test-formula"].relation == "<="


def test_a_limit(scratch):
    goal = scratch(2 * message / beta)
    way = Derivation(goal, 2 * (devices - 1) / devices * message / beta, "Start.")
    assert way.when((devices, sympy.oo), 2 * message / beta, "Many devices.").check() == ["given", "proved"]


TRUE = [
    (slowest(t_mem, t_comp), ">=", t_mem, None, ()),
    (slowest(t_mem, t_comp), "<=", t_mem + t_comp, None, ()),
    ((t_mem + t_comp) / slowest(t_mem, t_comp), "<=", sympy.Integer(2), None, ()),
    (1 / slowest(t_mem, t_comp), "<=", 1 / t_mem, None, ()),
    (slowest(t_mem, t_comp), "=", t_mem, t_mem >= t_comp, ()),
    (1 / (1 - part), ">=", sympy.Integer(1), None, (part < 1,)),
    (trips**2, ">=", trips, None, ()),
    (alpha * trips, "=", sympy.Integer(0), (alpha, 0), ()),
]
FALSE = [
    (slowest(t_mem, t_comp), ">=", t_mem + t_comp, None, ()),
    ((t_mem + t_comp) / slowest(t_mem, t_comp), "<=", sympy.Rational(3, 2), None, ()),
    (1 / slowest(t_mem, t_comp), ">=", 1 / t_mem, None, ()),
    (slowest(t_mem, t_comp), "=", t_mem, t_mem <= t_comp, ()),
    (1 / (1 - part), ">=", sympy.Integer(2), None, (part < 1,)),
    (batch**2, ">=", batch, None, ()),
    (41 - trips, ">=", sympy.Integer(0), None, ()),  # true up to 41
    (1000 - batch, ">=", sympy.Integer(0), None, ()),
    (sympy.ceiling(2 * batch), "=", 2 * sympy.ceiling(batch), None, ()),
    (context, ">=", sympy.Rational(1, 10**4), None, ()),  # zero is allowed
    (t_mem, ">=", t_step, None, (t_mem <= t_step,)),
    (trips, "<=", sympy.Integer(2), None, (trips**2 + 6 <= 5 * trips,)),
    (t_mem, ">=", t_comp + sympy.Symbol("slack", nonnegative=True), None, (t_mem >= t_comp,)),  # the prover's own slack is another
    (sympy.ceiling(batch) / 10**30, "=", sympy.floor(batch) / 10**30, None, ()),  # small differences count too
    (sympy.sqrt(batch) * sympy.ceiling(batch) / 10**30, "=", sympy.sqrt(batch) * sympy.floor(batch) / 10**30, None, ()),
    (sympy.Sum(sympy.ceiling(batch * trips), (trips, 1, devices)), "=", batch * devices, None, ()),
]


@pytest.mark.parametrize("claim", TRUE, ids=str)
def test_what_is_true_is_proved(claim):
    assert prove(*claim[:4], "here", claim[4]) == "proved"


@pytest.mark.parametrize("claim", FALSE, ids=str)
def test_what_is_false_is_refused(claim):
    with pytest.raises(DefinitionError, match="is false|does not follow"):
        prove(*claim[:4], "here", claim[4])


@pytest.fixture
def gap(scratch):
    return symbol("gap", r"\gamma", "difference of two times", symbols.TABLE["t_link"].unit, positive=False)


def test_a_symbol_of_any_sign_is_tried_with_both(gap):
    with pytest.raises(DefinitionError, match="is false"):
        prove(sympy.sqrt(gap**2), "=", gap, None, "here")
    with pytest.raises(DefinitionError, match="does not follow"):
        prove(gap, ">=", sympy.Integer(1), None, "here", (gap**2 >= 1,))


def test_a_condition_must_be_one():
    with pytest.raises(DefinitionError, match="a condition is an equation, an inequality or"):
        prove(data, "=", beta, "data = beta", "here")


def test_a_maximum_of_any_sign_is_not_taken_for_a_positive_one(gap):
    with pytest.raises(DefinitionError, match="is false"):
        prove(slowest(gap, t_mem - t_comp) ** 2, ">=", gap**2, None, "here")


def test_what_may_be_zero_does_not_cancel_from_a_condition(gap):
    for share in (alpha, gap, gap**2):
        with pytest.raises(DefinitionError, match="cannot be solved"):
            prove(t_mem, "=", t_comp, sympy.Eq(share * t_mem, share * t_comp), "here")
    for condition in (sympy.Eq(trips**2 + 6, 5 * trips), sympy.Eq(factor * sympy.exp(-factor), sympy.Rational(1, 5))):
        with pytest.raises(DefinitionError, match="cannot be solved"):  # each has two solutions
            prove(trips, "=", sympy.Integer(2), condition, "here")
    assert prove(t_mem, "=", t_comp, sympy.Eq((1 - part) * t_mem, (1 - part) * t_comp), "here", apart=(1 - part,)) == "proved"


@pytest.mark.parametrize(("valid", "says"), [((part > 0,), None), ((part <= 1,), "cannot be solved"), ((part < 1,), "cannot be solved")])
def test_only_a_condition_above_zero_keeps_a_symbol_from_zero(scratch, valid, says):
    way = Derivation(scratch(t_comp + part * alpha, valid=valid), t_mem + part * alpha, "Start.")
    way.when(sympy.Eq(part * t_mem, part * t_comp), t_comp + part * alpha, "Cancel.")
    if says:
        refused(way, says)
    else:
        assert way.check() == ["given", "proved"]


@pytest.mark.parametrize("base", [part, 1 / factor])
def test_a_limit_that_is_infinite_for_some_values_is_refused(base):
    with pytest.raises(DefinitionError, match="is false"):
        prove(base**trips, "=", sympy.Integer(0), (trips, sympy.oo), "here")


def test_a_limit_that_is_not_found_is_one_line():
    with pytest.raises(DefinitionError, match="here: no limit is found of "):
        prove(slowest(t_mem, t_comp * trips) / trips, "=", t_mem, (trips, sympy.oo), "here")


@pytest.mark.parametrize("before", [(t_mem - t_comp) / (t_mem**2 - t_comp**2), sympy.log(t_mem - t_comp)])
def test_what_can_be_tried_nowhere_is_refused(before):
    with pytest.raises(DefinitionError, match="here can be tried nowhere"):
        prove(before, "=", sympy.Integer(7), (t_mem, t_comp), "here")


def test_a_derivation_does_not_rest_on_itself(scratch):
    goal = scratch(3 * data / beta)
    refused(Derivation(goal, t_move, "Start.").using(goal), "rests on the formula that it derives")
    engine.DERIVATIONS.clear()
    size = Formula("test-size", data, t_move * beta / 3, says="A test.", resolves=False)
    Derivation(size, data * t_move * beta / (3 * data), "Start.").using(goal)
    refused(Derivation(goal, 3 * data / beta, "Start.").using(size), "rests on the formula that it derives")


def test_a_bound_that_may_leave_its_symbol_s_range_bounds_only_what_is_linear(scratch):
    bound = Formula("test-gap", t_step, t_mem - t_comp, relation=">=", says="A test.")
    way = Derivation(scratch(alpha * t_mem / (t_mem - t_comp), relation="<="), alpha * t_mem / t_step, "Start.")
    with pytest.raises(DefinitionError, match="may be what t_step cannot"):
        way.using(bound)
    formula_engine.AUTHORED.pop("test-formula")
    way = Derivation(scratch(t_mem - t_comp + alpha, relation=">="), t_step + alpha, "Start.", key="linear")
    assert way.using(bound).check() == ["given", "computed"]
