"""Explanations, solutions, break-even points and sensitivities, each against plain arithmetic."""

import random

import pytest
import sympy
from points import inside

from aiinfra import device, errors, formula, formulas, model
from aiinfra.symbols import TABLE

FORMULAS = formulas.load()
LLAMA, H100 = model("llama-3.1-70b"), device("h100-sxm")
SMOOTH = {key: f for key, f in FORMULAS.items() if not f.right.has(sympy.ceiling, sympy.floor)}


@pytest.mark.parametrize(("key", "name"), [(key, n) for key, f in SMOOTH.items() for n in f.inputs if not TABLE[n].whole])
def test_solving_inverts_the_formula(key, name):
    f = FORMULAS[key]
    point = inside(f, random.Random(key + name))
    goal = f(**point).value
    others = {n: v for n, v in point.items() if n != name}
    try:
        found = f.solve_for(name, **others | {f.symbol: goal})
    except errors.BadValue as error:
        assert "no " in str(error) and goal == 0  # noqa: PT018
        return
    assert f(**others | {name: found}).value == pytest.approx(goal, rel=1e-9)
    assert found.unit == TABLE[name].unit


@pytest.mark.parametrize(
    ("key", "name", "inputs", "wanted"),
    [
        ("amdahl-limit", "part", {"speedup": 2}, 0.5),
        ("amdahl-speedup", "part", {"speedup": 1, "factor": 4}, 0),
        ("mean-context", "answer", {"prompt": 100, "mean_context": 200}, 200),
        ("transfer-time-with-trips", "alpha", {"trips": 2, "data": "1 GB", "beta": "1 GB/s", "t_move": "1 s"}, 0),
        ("all-reduce-bytes", "devices", {"message": "1 GB", "all_reduce_bytes": "1.75 GB"}, 8),
        ("overlap-gain", "t_mem", {"t_comp": 1, "overlap_gain": 1.5}, 0.5),
    ],
)
def test_solutions_by_hand(key, name, inputs, wanted):
    assert formula(key).solve_for(name, **inputs).value == pytest.approx(wanted, rel=1e-12)


def test_solving_sees_through_other_formulas():
    batch = formula("decode-step-bound").solve_for("batch", LLAMA, H100, devices=8, context=1024, t_step="20 ms")
    assert formula("decode-step-bound")(LLAMA, H100, devices=8, context=1024, batch=batch).value == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("key", "name", "inputs", "says"),
    [
        ("amdahl-speedup", "part", {"speedup": 5, "factor": 4}, "no part makes amdahl-speedup equal 5"),
        ("overlap-gain", "t_mem", {"t_comp": 1, "overlap_gain": 3}, "no t_mem makes"),
        ("all-reduce-bytes", "devices", {"message": 1, "all_reduce_bytes": 3}, "no devices makes"),
        ("kv-bytes", "bacth", {}, "unknown symbol 'bacth'"),
        ("kv-bytes", None, {}, "unknown symbol None"),
        ("kv-bytes", "batch", {"context": 1, "kv_token": 1}, "needs the value of kv_bytes to be reached"),
        ("kv-bytes", "batch", {"kv_bytes": 1, "batch": 2}, "batch is what is solved for"),
        ("kv-bytes", "batch", {"kv_bytes": 1, "context": 1}, "needs n_layer"),
        ("kv-bytes", "price", {"kv_bytes": 1, "context": 1, "batch": 1, "kv_token": 1}, "kv-bytes does not use price"),
        ("kv-bytes", "batch", {"kv_bytes": 1, "context": 1, "kv_token": 1, "price": 2}, "kv-bytes does not use price"),
        ("overlap-gain-limit", "t_mem", {"overlap_gain": 1}, "it uses no input"),
    ],
)
def test_what_cannot_be_solved_says_why(key, name, inputs, says):
    with pytest.raises(errors.AIInfraError, match=says) as error:
        formula(key).solve_for(name, **inputs)
    assert "\n" not in str(error.value)


def test_a_rounded_formula_is_solved_somewhere_on_its_step():
    usable = formula("devices-to-fit").solve_for("usable", weight_bytes=1000, kv_bytes=0, reserve=0, devices=7)
    assert formula("devices-to-fit")(weight_bytes=1000, kv_bytes=0, reserve=0, usable=usable).value == 7
    fit = {"context": 1, "kv_token": 1, "usable": 100, "reserve": 0, "devices": 10}
    weights = formula("largest-batch").solve_for("weight_bytes", batch_max=500, **fit)
    assert formula("largest-batch")(weight_bytes=weights, **fit).value == 500


def test_a_jump_past_the_goal_is_no_solution():
    with pytest.raises(errors.BadValue, match="no weight_bytes makes devices-to-fit equal"):  # the cache alone needs 5
        formula("devices-to-fit").solve_for("weight_bytes", kv_bytes=41, usable=10, reserve=0, devices=4)


@pytest.mark.parametrize(
    ("key", "name", "inputs"),
    [
        ("decode-batch-percentile", "added_load", {"batch_high": 705, "t_fixed": 156, "t_added": 1, "z_score": 2.326}),  # edge above
        ("pareto-top-share", "tail_index", {"top_tokens": 0.17, "top_share": 0.01}),  # edge below
        ("mg1-wait-percentile", "arrivals", {"t_beyond": 40, "t_serve": 1, "cv_serve": 0, "beyond": 0.01, "servers": 1}),
    ],
)
def test_a_solution_is_found_beside_the_edge_of_where_a_formula_holds(key, name, inputs):
    goal = inputs.pop(formula(key).symbol)
    found = formula(key).solve_for(name, **{formula(key).symbol: goal}, **inputs)
    assert formula(key)(**inputs, **{name: found}).value == pytest.approx(goal)


def test_break_even_equalises():
    memory, compute = formula("memory-time"), formula("compute-time")
    batch = memory.break_even(compute, "batch", LLAMA, H100, devices=1, context=0)
    point = {"devices": 1, "context": 0, "batch": batch}
    assert memory(LLAMA, H100, **point).value == pytest.approx(compute(LLAMA, H100, **point).value)
    assert batch.value == pytest.approx(formula("balance-batch")(LLAMA, H100).value, rel=1e-9)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        ("kv-bytes", "memory-time is in s and kv-bytes in B; they never meet"),
        ("memory-time", "equal for every batch"),
        ("compute-time", "no batch makes"),
    ],
)
def test_no_break_even(other, says):
    with pytest.raises(errors.BadValue, match=says):
        formula("memory-time").break_even(formula(other), "batch", LLAMA, H100, devices=1, context=100_000)


def test_break_even_needs_a_formula():
    with pytest.raises(errors.BadType, match="expected a formula"):
        formula("memory-time").break_even("compute-time", "batch", LLAMA, H100, devices=1, context=0)


@pytest.mark.parametrize("key", [k for k, f in FORMULAS.items() if f.inputs and not f.right.has(sympy.ceiling, sympy.floor)])
def test_sensitivity_is_the_numeric_slope(key):
    f, function = FORMULAS[key], FORMULAS[key].record.point
    points = ({n: float(v) for n, v in inside(f, random.Random(f"{key}{seed}")).items()} for seed in range(20))
    point = next(p for p in points if function(**p) != 0)  # there is no percentage of zero
    here = function(**point)
    found = f.sensitivity(**{n: int(v) if TABLE[n].whole else v for n, v in point.items()})
    for name, elasticity in found.items():
        up, down = (function(**point | {name: point[name] * factor}) for factor in (1 + 1e-6, 1 - 1e-6))
        assert elasticity == pytest.approx(
            (up - down) / (2e-6 * here), rel=1e-4, abs=1e-4 + 1e-9 * abs(max(point.values(), key=abs) / here)
        )


def test_no_percentage_of_zero():
    with pytest.raises(errors.BadValue, match="tensor-parallel-bytes is zero at .*devices = 1"):
        formula("tensor-parallel-bytes").sensitivity(LLAMA, devices=1, batch=1)


def test_explanation_reaches_down_to_what_was_given():
    tree = formula("kv-bytes").explain(LLAMA, batch=16, context=4096)
    assert (tree.name, tree.value, tree.origin) == ("kv_bytes", formula("kv-bytes")(LLAMA, batch=16, context=4096), "kv-bytes")
    parts = {p.name: p for p in tree.parts}
    assert [p.name for p in tree.parts] == ["batch", "context", "kv_token"]
    assert parts["batch"].origin == parts["context"].origin == "given"
    leaf = next(p for p in parts["kv_token"].parts if p.name == "n_kv")
    assert leaf.value.value == 8
    assert leaf.origin.startswith(f"llama-3.1-70b, {LLAMA.n_kv.source}, ")


def test_explanation_of_every_formula_repeats_its_value():
    for key, f in FORMULAS.items():
        point = inside(f, random.Random(key))
        assert f.explain(**point).value == f(**point)
        assert str(f.explain(**point)).startswith(f.symbol)


def test_an_explanation_prints_each_part_once():
    text = repr(formula("decode-step-bound").explain(LLAMA, H100, devices=8, batch=1, context=2048))
    assert text.count("n_block =") == 1 and "n_read = 69,503,033,344   [parameters-read; see above]" in text
