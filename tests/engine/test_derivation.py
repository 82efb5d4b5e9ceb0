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
from aiinfra.symbols import alpha, batch, beta, context, data, devices, message, part, symbol, t_comp, t_link, t_mem, t_move, t_step, trips

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
]


@pytest.mark.parametrize("claim", TRUE, ids=str)
def test_what_is_true_is_proved(claim):
    assert prove(*claim[:4], "here", claim[4]) == "proved"


@pytest.mark.parametrize("claim", FALSE, ids=str)
def test_what_is_false_is_refused(claim):
    with pytest.raises(DefinitionError, match="is false|does not follow"):
        prove(*claim[:4], "here", claim[4])


def test_a_symbol_of_any_sign_is_tried_with_both(scratch):
    gap = symbol("gap", r"\gamma", "difference of two times", t_link and symbols.TABLE["t_link"].unit, positive=False)
    with pytest.raises(DefinitionError, match="is false"):
        prove(sympy.sqrt(gap**2), "=", gap, None, "here")
    with pytest.raises(DefinitionError, match="does not follow"):
        prove(gap, ">=", sympy.Integer(1), None, "here", (gap**2 >= 1,))


def test_a_condition_must_be_one():
    with pytest.raises(DefinitionError, match="a condition is an equation, an inequality or"):
        prove(data, "=", beta, "data = beta", "here")
