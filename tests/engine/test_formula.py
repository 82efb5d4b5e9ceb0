"""Declaring and calling formulas: what is refused, what resolves, what bad input says."""

import copy
import math
import pickle
import threading
from decimal import Decimal
from fractions import Fraction

import numpy
import pytest
import sympy

from aiinfra import device, errors, formula, formula_keys, formulas, model, parse, symbols
from aiinfra.engine import formula as engine
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.symbols import alpha, batch, beta, context, data, half_rate_bytes, t_move
from aiinfra.units import Quantity, byte, second

formulas.load()
STEP = formula("decode-step-bound")
LLAMA, H100 = model("llama-3.1-70b"), device("h100-sxm")


@pytest.fixture
def declare(monkeypatch):
    """Declare formulas and symbols that are gone after the test."""
    monkeypatch.setattr(engine, "AUTHORED", dict(engine.AUTHORED))
    monkeypatch.setattr(symbols, "TABLE", dict(symbols.TABLE))
    monkeypatch.setattr(symbols, "SYMBOLS", dict(symbols.SYMBOLS))

    def made(key="test-formula", left=t_move, right=data / beta, **kwargs):
        return Formula(key, left, right, **{"says": "A test.", "resolves": False} | kwargs)

    return made


# Declaring


@pytest.mark.parametrize(
    ("kwargs", "says"),
    [
        ({"right": sympy.Symbol("nothing") / beta}, "unknown symbol 'nothing'"),
        ({"right": sympy.Symbol("data") / beta}, "unknown symbol 'data'"),  # same name, not the declared one
        ({"right": data + beta}, r"cannot add B.* \(\w+\) and B.* \(\w+\)"),
        ({"right": data}, "t_move is in s, the right side in B"),
        ({"left": half_rate_bytes}, "half_rate_bytes is in B, the right side in s"),
        ({"right": 1.5 * data / beta}, "float literal 1.5"),
        ({"right": sympy.oo * data / beta}, "oo in the expression"),
        ({"valid": (data > 2.5,)}, "float literal 2.5"),
        ({"valid": (data > beta,)}, "cannot add"),
        ({"valid": (data > half_rate_bytes,)}, "half_rate_bytes is no input"),
        ({"right": slowest(alpha, data)}, "cannot add s .* and B"),
        ({"right": alpha ** (data / beta)}, "an exponent must be a plain number"),
        ({"right": sympy.sin(batch) * alpha}, "sin is not among the functions"),
        ({"right": alpha * sympy.log(data)}, "argument of log must be a plain number"),
        ({"key": "kv-bytes"}, "'kv-bytes' is declared twice"),
        ({"key": "KV bytes"}, "lower case"),
        ({"relation": "<"}, "'<' is not one of =, >=, <=, ~"),
        ({"cites": ("nobody2099",)}, "unknown citation key 'nobody2099'"),
        ({"cites": "amdahl1967"}, "takes a tuple of keys"),
        ({"left": symbols.kv_bytes, "right": data, "resolves": True}, "kv_bytes is already defined by 'kv-bytes'"),
    ],
)
def test_wrong_declaration_is_refused(declare, kwargs, says):
    with pytest.raises(errors.AIInfraError, match=says) as error:
        declare(**kwargs)
    assert isinstance(error.value, (ValueError, KeyError))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "latex", "says"),
    [("batch", "zz", "'batch' is declared twice"), ("new_one", "B", "LaTeX 'B' already means 'batch'"), ("not a name", "zz", "identifier")],
)
def test_a_letter_means_one_thing(declare, name, latex, says):
    with pytest.raises(errors.DefinitionError, match=says):
        symbols.symbol(name, latex, "something else")


def test_a_unit_symbol_carries_its_unit_and_is_one(declare):
    with pytest.raises(errors.DefinitionError, match="the right side in no unit"):
        declare(left=symbols.step_flops, right=2 * batch)
    assert declare(left=symbols.step_flops, right=2 * batch * symbols.one_flop)(batch=3) == parse("6 FLOP")


def test_a_formula_of_one_s_own_evaluates(declare):
    own = declare(right=slowest(data / beta, alpha), relation=">=", valid=(2 * data / beta > alpha,))
    assert repr(own(data=3, beta="4 B/s", alpha="1 s")) == ">= 1 s"
    assert list(own.array(data=[1, 2], beta=4.0, alpha=0.25)) == [0.25, 0.5]
    with pytest.raises(errors.OutsideValidity, match="test-formula holds only for .*; here"):
        own(data=3, beta=2, alpha=4)


# Looking up


@pytest.mark.parametrize("key", [1, None, [], "", "kv-byte", STEP, "KV-BYTES"])
def test_unknown_formula(key):
    with pytest.raises(KeyError) as error:
        formula(key)
    assert "unknown formula" in str(error.value)
    assert "\n" not in str(error.value)


def test_near_names_are_listed():
    with pytest.raises(errors.UnknownName, match="near: .*kv-bytes"):
        formula("kv-byte")


@pytest.mark.parametrize("carry", [copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_there_is_one_formula_of_a_key(carry):
    assert carry(STEP) is STEP
    assert carry(STEP)(LLAMA, H100, devices=8, batch=1, context=0) == STEP(LLAMA, H100, devices=8, batch=1, context=0)


# Calling


def test_resolving_is_substitution_by_hand():
    point = {"devices": 8, "batch": 16, "context": 4096}
    weights = formula("weight-bytes-read")(LLAMA)
    cache = formula("kv-bytes")(LLAMA, batch=16, context=4096)
    work = formula("decode-flops")(LLAMA, batch=16, context=4096)
    direct = STEP(
        weight_read=weights, kv_bytes=cache, step_flops=work, devices=8, beta_mem=H100.memory_bandwidth.value, peak=H100.peak("bf16").value
    )
    assert STEP(LLAMA, H100, **point) == direct == STEP(H100, LLAMA, **point)


def test_keywords_override_entries():
    assert formula("kv-bytes-per-token")(LLAMA, n_layer=1).value * 80 == formula("kv-bytes-per-token")(LLAMA).value
    assert (
        STEP(LLAMA, H100, devices=8, batch=1, context=0, beta_mem="6.7 TB/s").value * 2
        == STEP(LLAMA, H100, devices=8, batch=1, context=0).value
    )


def test_formats_are_the_bytes_of_an_element():
    per_token = formula("kv-bytes-per-token")
    assert per_token(LLAMA, kv="fp8").value * 2 == per_token(LLAMA, kv="bf16").value == per_token(LLAMA, b_kv="2 B").value
    assert formula("weight-bytes")(LLAMA, weights="int4").value * 4 == formula("weight-bytes")(LLAMA).value


def test_entries_are_never_changed():
    before = LLAMA.symbols()
    STEP(LLAMA, H100, devices=8, batch=1, context=0, weights="fp8")
    assert LLAMA.symbols() == before


def test_whole_numbers_stay_whole():
    value = formula("kv-bytes")(LLAMA, batch=10**6, context=10**12).value
    assert (type(value), value) == (int, 327_680 * 10**18)  # beyond what a float holds exactly


def test_relation_and_unit_come_with_the_result():
    found = STEP(LLAMA, H100, devices=8, batch=1, context=8192)
    assert (found.relation, f"{found:.2f ms}", found > "5 ms", found < 0.006) == (">=", "5.29 ms", True, True)


ALLOWED = "must be a finite number above zero"
WHOLE = "must be a whole number above zero"


@pytest.mark.parametrize(
    ("name", "value", "kind", "says"),
    [
        ("batch", 0, ValueError, f"batch = 0: {ALLOWED}"),
        ("batch", -1.5, ValueError, f"batch = -1.5: {ALLOWED}"),
        ("batch", math.nan, ValueError, f"batch = nan: {ALLOWED}"),
        ("batch", math.inf, ValueError, f"batch = inf: {ALLOWED}"),
        ("batch", numpy.float64("nan"), ValueError, f"batch = nan: {ALLOWED}"),
        ("batch", 10**400, ValueError, f"batch = 1000.*…: {ALLOWED}"),
        pytest.param("batch", 10**5000, ValueError, f"batch = an integer of 16610 bits: {ALLOWED}", id="huge"),
        ("batch", Fraction(10**400), ValueError, f"batch = inf: {ALLOWED}"),
        ("batch", True, TypeError, f"batch = True: {ALLOWED}, not a bool"),
        ("batch", numpy.bool_(True), TypeError, f"batch = .*True.*: {ALLOWED}, not bool"),
        ("batch", "8", TypeError, f"batch = '8': {ALLOWED}, not text"),
        ("batch", None, TypeError, f"batch = None: {ALLOWED}, not NoneType"),
        ("batch", 1j, TypeError, f"batch = 1j: {ALLOWED}, not complex"),
        ("batch", Decimal(2), TypeError, f"{ALLOWED}, not Decimal"),
        ("batch", [1], TypeError, f"{ALLOWED}, not list"),
        ("batch", numpy.zeros((40, 40)), TypeError, f"{ALLOWED}, not ndarray"),
        ("batch", parse("8 GB"), ValueError, "batch = 8 GB: unit must be none, not B"),
        ("batch", Quantity(None), TypeError, f"{ALLOWED}, not NoneType"),
        ("batch", Quantity(math.nan), ValueError, f"batch = nan: {ALLOWED}"),
        ("context", -1, ValueError, "context = -1: must be a finite number, zero or more"),
        ("devices", 1.5, ValueError, f"devices = 1.5: {WHOLE}"),
        ("devices", 0, ValueError, f"devices = 0: {WHOLE}"),
        ("devices", Fraction(3, 2), ValueError, f"devices = 1.5: {WHOLE}"),
        ("beta_mem", "80 GB", ValueError, "beta_mem = 80 GB: unit must be B/s, not B"),
        ("beta_mem", "3 Tb/s", ValueError, "beta_mem: .*Tbit or TB"),
        ("beta_mem", "fast", ValueError, "beta_mem: quantity 'fast': expected a number and a unit"),
        ("beta_mem", "0 B/s", ValueError, "beta_mem = '0 B/s': must be a finite number above zero with unit B/s"),
        ("beta_mem", "-1 B/s", ValueError, "beta_mem = '-1 B/s': must"),
        ("weights", "int3", KeyError, "^weights: unknown format 'int3'; near: int8, int4"),
        ("weights", 2, KeyError, "^weights: unknown format 2"),
        ("dtype", "bf17", KeyError, "^dtype: unknown format 'bf17'; near: bf16"),
        ("dtype", [], KeyError, "unknown format"),
        ("dtype", "fp4", TypeError, "peak .*h100-sxm has no published peak dense fp4; it has .*bf16"),
        ("bacth", 1, KeyError, "unknown symbol 'bacth'; near: batch"),
        ("price", "$2/h", KeyError, "does not use price; it uses .*batch"),
        ("t_step", 1, KeyError, "does not use t_step"),
    ],
)
def test_bad_input_gives_one_clear_line(name, value, kind, says):
    good = {"devices": 8, "batch": 1, "context": 1}
    with pytest.raises(kind, match=says) as error:
        STEP(LLAMA, H100, **good | {name: value})
    assert isinstance(error.value, errors.AIInfraError)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_missing_input_lists_all_with_meaning_and_unit():
    with pytest.raises(TypeError) as error:
        STEP(LLAMA, batch=1)
    assert isinstance(error.value, errors.MissingInput)
    for part in (
        "decode-step-bound needs",
        "devices (devices that share",
        "beta_mem (memory bandwidth of one device, in B/s)",
        "context (",
    ):
        assert part in str(error.value)


def test_a_field_that_a_device_does_not_publish_is_named():
    with pytest.raises(errors.MissingInput, match="rtx-4090 has no published link bandwidth"):
        formula("tensor-parallel-time")(LLAMA, device("rtx-4090"), devices=2, batch=1, alpha_ar="10 us")


def test_one_value_is_given_once():
    with pytest.raises(errors.BadValue, match="b_w is given twice: as weights='fp8' and as b_w='2 B'"):
        formula("weight-bytes")(LLAMA, weights="fp8", b_w="2 B")


@pytest.mark.parametrize("entry", ["llama-3.1-70b", None, 3, type(LLAMA), STEP])
def test_what_is_no_entry(entry):
    with pytest.raises(TypeError, match="expected a catalogue entry"):
        STEP(entry)


def test_two_entries_of_a_kind():
    with pytest.raises(ValueError, match="two entries of kind 'model': llama-3.1-70b, qwen3-8b"):
        STEP(LLAMA, model("qwen3-8b"))


ROOM = {"devices": 2, "usable": 5, "reserve": 1, "kv_token": 1}
LINKS = {"n_layer": 1, "prompt": 1, "d_model": 1, "b_act": 2, "beta_link": 1, "alpha_ar": 1}
BALANCE = {"n_read": 1, "beta_mem": 1, "peak": 4, "kv_token": 1, "n_layer": 1, "n_q": 1, "d_head": 1}
LAW = {"scale_n": 4, "exp_n": 1, "scale_d": 4, "exp_d": 1, "dearness": 1}
LOSS = {"scale_n": 4, "exp_n": 1, "scale_d": 4, "exp_d": 1, "loss_floor": 1}
LENGTHS = {"prompt": 2, "answer": 2, "cv_prompt": 1, "cv_answer": 1}
QUEUE = {"load": 1, "servers": 2, "p_wait": 0.5, "t_serve": 1}
FIT = {"memory_share": 0.5, "usable": 8, "reserve": 1, "workspace": 1, "weight_bytes": 1, "request_state": 1}
MEAN = {name: value for name, value in FIT.items() if name != "request_state"} | {"mean_state": 1}
PASS = {"t_mem": 1, "eta_mem": 0.5, "t_comp": 1, "eta_comp": 0.5, "t_link": 0, "t_host": 0, "n_pass": 1}
SHARE = {"prefill_flops": 1, "answer": 1, "token_flops": 1, "peak": 1, "weight_read": 1, "batch": 1, "token_state": 1, "beta_mem": 1}
REDUCE = {"n_reduce": 1, "n_pass": 1, "alpha_ar": 0, "all_reduce_bytes": 1, "beta_link": 1}
STEPS = {"added_load": 1, "t_fixed": 1, "t_added": 1}
CAP = {"power": 1, "idle_power": 1, "flop_energy": 2, "byte_energy": 1}
OUTSIDE = [
    ("amdahl-speedup", {"part": 1.5, "factor": 2}, r"holds only for part <= 1 \(the share .*\); here part = 1.5"),
    ("amdahl-limit", {"part": 1}, "holds only for part < 1"),
    ("devices-to-fit", {"weight_bytes": 1, "kv_bytes": 1, "usable": 5, "reserve": 5}, "holds only for usable > reserve"),
    ("mean-context", {"prompt": 3, "answer": 1}, "holds only for answer > 1"),
    ("largest-batch", ROOM | {"weight_bytes": 8, "context": 3}, "holds only for devices.* > weight_bytes"),
    ("largest-batch", ROOM | {"weight_bytes": 1, "context": 0}, "holds only for context > 0"),
    ("block-parameters", {"n_param": 10, "untied": 1, "vocab": 5, "d_model": 1}, "holds only for n_param > "),
    ("half-rate-size", {"alpha": 0, "beta": 1}, "holds only for alpha > 0"),
    ("tensor-parallel-time", {"tp_bytes": 0, "beta_link": 1, "n_layer": 1, "alpha_ar": 1}, "holds only for tp_bytes > 0"),
    ("decode-step-forecast", {"t_mem": 1, "t_comp": 1, "t_link": 0, "eta_mem": 1.1}, "holds only for eta_mem <= 1"),
    ("prefill-link-time", LINKS | {"devices": 1}, "holds only for devices >= 2"),
    ("balance-context", BALANCE, "holds only for kv_token[*]peak > "),
    ("chunk-entries", {"sequence": 0, "chunk": 3}, "holds only for sequence > 0"),
    ("chosen-pairs", {"sequence": 7, "ratio": 4, "entries": 2}, "holds only for entries[*]ratio <= sequence"),
    ("blocks-entries", {"sequence": 0, "chunk": 3, "chosen": 2}, "holds only for sequence > 0"),
    ("blocks-before", {"sequence": 0, "chunk": 4, "chosen": 2}, "holds only for sequence > 0"),
    ("blocks-pairs", {"sequence": 7, "chunk": 4, "earlier": 2, "own_pairs": 1}, "holds only for chunk[*]earlier <= sequence"),
    ("causal-share", {"sequence": 0}, "holds only for sequence > 0"),
    ("latent-balance", {"d_latent": 4, "d_nope": 4, "d_value": 4}, "holds only for 2[*]d_latent > d_nope"),
    ("experts-touched", {"n_expert": 4, "n_chosen": 5, "tokens": 1}, "holds only for n_chosen <= n_expert"),
    ("active-parameters", {"n_param": 9, "n_routed": 8, "n_expert": 4, "n_chosen": 5}, "holds only for n_chosen <= n_expert"),
    ("tokens-to-touch", {"n_expert": 4, "n_chosen": 4, "touched_share": 0.5}, "holds only for n_chosen < n_expert"),
    ("tokens-to-touch", {"n_expert": 4, "n_chosen": 2, "touched_share": 1}, "holds only for touched_share < 1"),
    ("tokens-per-step", {"accept": 1, "proposed": 3}, "holds only for accept < 1"),
    ("time-per-output-token", {"t_request": 3, "t_first": 1, "answer": 1}, "holds only for answer > 1"),
    ("time-per-output-token", {"t_request": 1, "t_first": 1, "answer": 2}, "holds only for t_request > t_first"),
    ("all-within", {"beyond": 2, "n_part": 1}, "holds only for beyond <= 1"),
    ("pareto-top-share", {"top_share": 0.5, "tail_index": 1}, "holds only for tail_index > 1"),
    ("pareto-top-share", {"top_share": 1.5, "tail_index": 2}, "holds only for top_share <= 1"),
    ("context-in-batch", LENGTHS | {"correlation": 1.5}, "holds only for correlation <= 1"),
    ("context-in-batch", LENGTHS | {"correlation": -1.5}, "holds only for correlation >= -1"),
    ("backlog", {"peak_arrivals": 1, "service_rate": 2, "t_burst": 1}, "holds only for peak_arrivals >= service_rate"),
    ("drain-time", {"backlog": 1, "service_rate": 2, "arrivals": 2}, "holds only for service_rate > arrivals"),
    ("mg1-wait", {"load": 1, "t_serve": 1, "cv_serve": 1}, "holds only for load < 1"),
    ("shared-time", {"load": 1, "t_serve": 1}, "holds only for load < 1"),
    ("wait-probability", {"load": 1, "servers": 2}, "holds only for load < 1"),
    ("mmc-wait", QUEUE, "holds only for load < 1"),
    ("wait-tail", QUEUE | {"t_limit": 1}, "holds only for load < 1"),
    ("wait-percentile", QUEUE | {"beyond": 0.01}, "holds only for load < 1"),
    ("wait-percentile", QUEUE | {"load": 0.5, "beyond": 0.5}, "holds only for p_wait > beyond"),
    ("mg1-wait-percentile", {"load": 1, "t_wait": 1, "beyond": 0.01}, "holds only for load < 1"),
    ("mg1-wait-percentile", {"load": 0.5, "t_wait": 1, "beyond": 0.5}, "holds only for load > beyond"),
    ("kingman-bound", {"arrivals": 2, "t_serve": 1, "cv_arrive": 1, "cv_serve": 1}, "holds only for arrivals[*]t_serve < 1"),
    ("goodput", {"arrivals": 2, "p_late": 1}, "holds only for p_late < 1"),
    ("pooling-gain", {"load": 1, "servers": 2, "p_wait": 0.5}, "holds only for load < 1"),
    ("fast-server-time", {"arrivals": 2, "t_serve": 1, "speedup": 2}, "holds only for arrivals[*]t_serve < speedup"),
    ("split-servers-time", {"arrivals": 2, "t_serve": 1, "servers": 2}, "holds only for arrivals[*]t_serve < servers"),
    ("decode-batch", STEPS, "holds only for added_load < 1"),
    ("decode-batch-variance", STEPS, "holds only for added_load < 1"),
    ("batch-within", STEPS | {"batch_limit": 3}, "holds only for added_load < 1"),
    ("loaded-token-time", STEPS, "holds only for added_load < 1"),
    ("shared-token-time", {"t_fixed": 1, "t_added": 1, "arrivals": 1, "t_prefill": 1, "answer": 2}, "holds only for .* < 1"),
    ("agent-processed-tokens", {"hit": 1.5, "unseen_tokens": 3, "input_tokens": 9}, "holds only for hit <= 1"),
    ("session-response", {"sessions": 6, "session_rate": 2, "t_tool": 3}, "holds only for sessions > session_rate[*]t_tool"),
    ("keep-time", {"t_prefill": 1, "state_room": 1, "request_state": 0}, "holds only for request_state > 0"),
    ("success-within", {"success": 1.5, "attempts": 2}, "holds only for success <= 1"),
    ("attempts-made", {"success": 1.5, "solved": 0.2}, "holds only for success <= 1"),
    ("cost-per-success", {"success": 1.5, "attempt_cost": 2}, "holds only for success <= 1"),
    ("unchecked-chain-cost", {"step_success": 1.5, "turns": 2, "step_cost": 1}, "holds only for step_success <= 1"),
    ("checked-chain-cost", {"step_success": 1.5, "turns": 2, "step_cost": 1, "check_cost": 1}, "holds only for step_success <= 1"),
    ("corpus-passages", {"corpus": 9, "passage": 4, "shared_tokens": 4}, "holds only for shared_tokens < passage"),
    ("corpus-passages", {"corpus": 3, "passage": 4, "shared_tokens": 3}, "holds only for shared_tokens < corpus"),
    ("training-time", {"run_flops": 1, "devices": 1, "peak": 1, "mfu": 0.5, "uptime": 1.1}, "holds only for uptime <= 1"),
    ("training-time", {"run_flops": 1, "devices": 1, "peak": 1, "mfu": 40, "uptime": 1}, "holds only for mfu <= 1"),
    ("training-rate", {"n_param": 1, "devices": 1, "peak": 1, "mfu": 40}, "holds only for mfu <= 1"),
    ("tokens-for-loss", LOSS | {"size": 4, "loss": 2}, "holds only for loss > "),
    ("least-parameters", {"scale_n": 4, "exp_n": 1, "loss": 1, "loss_floor": 1}, "holds only for loss > loss_floor"),
    ("life-tokens-at-optimum", LAW | {"size": 4, "run_tokens": 4}, "holds only for "),
    ("requests-that-fit", FIT | {"memory_share": 1.5}, "holds only for memory_share <= 1"),
    ("requests-that-fit", FIT | {"request_state": 0}, "holds only for request_state > 0"),
    ("requests-on-average", MEAN | {"memory_share": 1.5}, "holds only for memory_share <= 1"),
    ("requests-on-average", MEAN | {"mean_state": 0}, "holds only for mean_state > 0"),
    ("requests-that-share", FIT | {"own_state": 1, "memory_share": 1.5}, "holds only for memory_share <= 1"),
    ("requests-that-share", FIT | {"own_state": 0}, "holds only for own_state > 0"),
    ("headroom", {"memory_share": 1.5, "usable": 5, "device_bytes": 1}, "holds only for memory_share <= 1"),
    ("reduce-time", REDUCE | {"eta_link": 1.5}, "holds only for eta_link <= 1"),
    ("pass-forecast", PASS | {"eta_mem": 1.5}, "holds only for eta_mem <= 1"),
    ("pass-forecast", PASS | {"eta_comp": 1.5}, "holds only for eta_comp <= 1"),
    ("request-share-bound", SHARE, "holds only for answer > 1"),
    ("instance-rate-bound", SHARE, "holds only for answer > 1"),
    ("token-time-in-service", {"t_step": 1, "batch": 1, "t_prefill": 1, "answer": 1}, "holds only for answer > 1"),
    ("step-balance-batch", {"weight_read": 1, "peak": 4, "beta_mem": 1, "token_flops": 1, "token_state": 1}, "holds only for beta_mem"),
    ("crossing-tokens", {"machine_balance": 2, "b_w": 1, "b_act": 1, "d_in": 2, "d_out": 2}, "holds only for "),
    ("narrowest-output", {"machine_balance": 4, "b_act": 1, "d_in": 2}, "holds only for "),
    ("useful-share", {"tokens": 1, "d_out": 1, "tiles": 0, "tile_rows": 1, "tile_cols": 1}, "holds only for tiles > 0"),
    ("wave-share", {"pieces": 1, "tiles": 1, "units": 1, "waves": 0}, "holds only for waves > 0"),
    ("link-intensity", {"devices": 1, "n_layer_param": 1, "d_model": 1, "b_act": 1}, "holds only for devices > 1"),
    ("top-exponent", {"exp_bits": 4, "reserved_exp": 2}, "holds only for reserved_exp <= 1"),
    ("largest-value", {"exp_top": 4, "mant_bits": 3, "reserved_top": 2}, "holds only for reserved_top <= 1"),
    ("format-octaves", {"exp_bits": 4, "reserved_exp": 2}, "holds only for reserved_exp <= 1"),
    ("integer-step", {"largest_input": 4, "whole_bits": 1}, "holds only for whole_bits > 1"),
    ("integer-snr", {"crest": 4, "whole_bits": 1}, "holds only for whole_bits > 1"),
    ("capped-time", CAP | {"peak": 1, "beta_mem": 1, "intensity": 1}, "holds only for power > idle_power"),
    ("capped-rate", CAP | {"peak": 1, "beta_mem": 1, "intensity": 1}, "holds only for power > idle_power"),
    ("power-balance", CAP | {"power": 3, "peak": 1}, "holds only for power > "),
    ("clock-under-cap", {"power": 1, "static_power": 1, "dynamic_power": 1}, "holds only for power > static_power"),
    ("needed-clock", {"intensity": 3, "machine_balance": 2}, "holds only for intensity <= machine_balance"),
    ("dies-per-wafer", {"wafer": 2, "die_area": 1}, "holds only for wafer[*][*]2 > 8[*]die_area"),
    ("split-cost", {"split_area": 1, "defect_density": 1, "die_area": 1, "split": 1}, "holds only for split >= split_area [+] 1"),
    ("split-density", {"split_area": 1, "die_area": 1, "split": 2}, "holds only for split > split_area [+] 1"),
    ("mixed-bandwidth", {"remote": 2, "beta_local": 1, "beta_remote": 1}, "holds only for remote <= 1"),
    ("mixed-time", {"remote": 2, "beta_local": 1, "beta_remote": 1, "data": 1}, "holds only for remote <= 1"),
    ("doubling-time", {"years": 2, "grown": 1}, "holds only for grown > 1"),
    ("rollout-occupancy", {"mean_answer": 3, "longest_answer": 2}, "holds only for mean_answer <= longest_answer"),
]


def test_every_condition_is_tried():
    conditions = [(key, text) for key in formula_keys() for _, _, text in formula(key).record.checks]
    assert sorted(key for key, _ in conditions) == sorted(key for key, _, _ in OUTSIDE)


@pytest.mark.parametrize(("key", "inputs", "says"), OUTSIDE)
def test_outside_its_conditions_a_formula_says_so(key, inputs, says):
    with pytest.raises(ValueError, match=f"{key} {says}") as error:
        formula(key)(**inputs)
    assert isinstance(error.value, errors.OutsideValidity)


@pytest.mark.parametrize("inputs", [{"t_mem": 1e308, "t_comp": 1e308}])
def test_no_result_is_infinite(inputs):
    with pytest.raises(errors.BadValue, match="overlap-gain has no finite value at t_mem = 1"):
        formula("overlap-gain")(**inputs)


def test_zero_where_it_divides():
    for f in map(formula, formula_keys()):
        for name in f.inputs:
            inputs = {n: 0 if n == name else 2 for n in f.inputs}
            try:
                assert math.isfinite(float(f(**inputs)))
                assert not symbols.TABLE[name].positive
            except (errors.BadValue, errors.OutsideValidity) as error:
                assert "\n" not in str(error)


def test_threads_share_plans():
    results, inputs = [], {"devices": 8, "context": 512}

    def work():
        results.append([STEP(LLAMA, H100, batch=b, **inputs).value for b in range(1, 60)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert results.count(results[0]) == 4


def test_a_bound_and_its_module():
    assert formula("kv-bytes").module == "aiinfra.formulas.kv_cache"
    assert context in formula("kv-bytes").right.free_symbols
    assert second == formula("transfer-time").unit
    assert byte == formula("kv-bytes").unit


def test_a_result_that_rests_on_a_bound_is_not_exact():
    bound = formula("decode-step-bound")(model("llama-3.1-70b"), device("h100-sxm"), devices=8, batch=1, context=2048)
    assert formula("decode-rate")(batch=1, t_step=bound).relation == "~"
    assert formula("decode-rate")(batch=1, t_step=float(bound)).relation == "="
