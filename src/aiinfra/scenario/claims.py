"""Numbers that somebody claims: which are right, by how much the others are off, and which known mistake would give them.

A line is ``KEY name=value … = claimed``, with the key of a formula, or the name of a result of a scenario with its fields.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import isclose
from typing import NamedTuple

from aiinfra import words
from aiinfra.engine.formula import formula
from aiinfra.engine.table import table
from aiinfra.errors import AIInfraError, BadValue, MissingInput, UnitError, brief, unknown
from aiinfra.scenario.estimate import GIVEN, Estimate, ledger_of
from aiinfra.scenario.inputs import Scenario
from aiinfra.scenario.steps import COST, ENERGY, STEPS, names
from aiinfra.units import Quantity, flop, parse, second

NEAR = 0.02  # a mistake explains a claim that it comes so close to
LARGEST = 100_000  # lines of a file
KEPT = 2048  # deployments, and left sides of lines, that are not computed again when a later line asks for them

FACTORS = (  # of any result
    (8, "bits taken for bytes"), (1 / 8, "bytes taken for bits"),
    *((1.024**n, f"a power of 1024 where 1000 is meant ({n} times)") for n in (1, 2, 3, 4)),
    *((1 / 1.024**n, f"a power of 1000 where 1024 is meant ({n} times)") for n in (1, 2, 3, 4)),
)  # fmt: skip


CLOSE = {says for _, says in FACTORS}  # factors near one, and of each other, must be met more closely


def _rounding(text: str) -> float:
    """How far a claim of so many digits may lie from what is meant, as a share."""
    digits = len(re.match(r"\$?[+-]?([0-9_]*\.?[0-9]*)", plain(text))[1].replace(".", "").strip("0_"))
    return min(0.5 * 10.0 ** (1 - max(digits, 1)), 0.02) if digits < 3 else 0.003


class Verdict(NamedTuple):
    """One claim: ``right`` within what its digits say; else ``factor``, claimed over true, and the mistakes that would give it."""

    line: int
    key: str
    claimed: Quantity
    true: Quantity
    right: bool
    factor: float
    mistakes: tuple[str, ...]


def check(text: str, where: str = "claims") -> list[Verdict]:
    """The verdict on every line that claims something; blank lines and comments are left out.

    >>> [found] = check("kv-bytes-per-token model=llama-3.1-70b = 2621 kB")
    >>> found.right, round(found.factor, 2), found.mistakes
    (False, 8.0, ('keys and values counted for query heads, not for key/value heads', 'bits taken for bytes'))
    """
    truth, found = _truth(), []
    for number, line in enumerate(text.splitlines(), 1):
        if number > LARGEST:
            raise BadValue(f"{where}: {LARGEST:,} lines at most")
        if line.split("#", 1)[0].strip():
            try:
                found.append(_judge(number, line, truth))
            except AIInfraError as error:
                raise type(error)(f"{where}, line {number}: {error}") from None
    return found


def _judge(number: int, line: str, truth: Callable) -> Verdict:
    parts = _parts(line)
    if "=" not in parts[1:]:
        raise BadValue(f"{brief(line)}: expected KEY name=value … = claimed value")
    at = len(parts) - 1 - parts[::-1].index("=")
    key, claim = parts[0], " ".join(parts[at + 1 :])
    true, wrong = truth(key, tuple(parts[1:at]))
    claimed = _claimed(claim, true)
    factor = float(claimed.value) / float(true.value) if true.value else float("inf")
    if _agrees(claim, claimed, true):
        return Verdict(number, key, claimed, true, True, factor, ())
    rounding = _rounding(claim)
    near = [says for value, says in wrong() if isclose(value, claimed.value, rel_tol=rounding if says in CLOSE else max(rounding, NEAR))]
    return Verdict(number, key, claimed, true, False, factor, tuple(dict.fromkeys(near)))


def _parts(line: str) -> list[str]:
    """The words of a line without its comment; most have no quotes, and are split at once."""
    if not any(sign in line for sign in "'\"\\"):
        return line.split("#", 1)[0].split()
    try:
        return shlex.split(line, comments=True)
    except ValueError as error:
        raise BadValue(f"{brief(line)}: {error}") from None


def _truth() -> Callable[[str, tuple[str, ...]], tuple[Quantity, Callable[[], Iterable]]]:
    """What a key and its inputs give, and a call for what known mistakes would; both are kept, since files ask for the same again."""
    estimate = lru_cache(maxsize=KEPT)(lambda given: Scenario.of(words.pairs(given)).estimate(strict=False))

    @lru_cache(maxsize=KEPT)
    def truth(key: str, given: tuple[str, ...]):
        true, wrong = _formula(key, words.pairs(given)) if key in table().records else _result(key, estimate(given))
        return true, lru_cache(lambda: tuple(wrong))

    return truth


def _claimed(text: str, true: Quantity) -> Quantity:
    if not text:
        raise BadValue("a claim needs a value after the last =")
    found = parse(plain(text))
    if found.unit.dims != true.unit.dims:
        if any(found.unit.dims):
            raise UnitError(f"claimed {brief(text)}: the unit must be {true.unit.text or 'none'}")
        if true.unit.dims == second.dims:  # seconds and milliseconds are too easily confused
            raise UnitError(f"claimed {brief(text)}: a time needs its unit, such as {true.text()}")
        found = Quantity(found.value, true.unit)
    return found


def plain(text: str) -> str:
    """A claim without what people write around its digits: signs of rounding, and commas between thousands.

    >>> plain("~ 327,680 B")
    '327680 B'
    """
    return re.sub(r"(?<=[0-9]),(?=[0-9]{3})", "", text.strip().lstrip("~\u2248 "))


def _agrees(text: str, claimed: Quantity, true: Quantity) -> bool:
    """Whether a claim is the true value, rounded to the claim's last digit; zeros that end a whole number may be places only."""
    digits = re.match(r"\$?[+-]?([0-9_]*\.?[0-9]*)", plain(text))[1].replace("_", "")
    whole, point, fraction = digits.partition(".")
    last = -len(fraction) if point else len(whole) - len(whole.rstrip("0"))
    number = float(digits or 0)
    step = 10.0**last * (float(claimed.value) / number if number else 1.0)
    return abs(claimed.value - true.value) <= max(0.5 * step * (1 + 1e-9), 1e-9 * abs(true.value))


def _formula(key: str, inputs: dict) -> tuple[Quantity, Iterator]:
    entries, dtype, given = words.entries(inputs)
    f = formula(key)
    true = f(*entries, dtype=dtype, **given)
    return true, _formula_mistakes(f, entries, dtype, given, true)


def _formula_mistakes(f, entries: tuple, dtype: str | None, given: dict, true: Quantity) -> Iterator[tuple[float, str]]:
    """Wrong values of a formula, each with the mistake that leads to it."""
    steps, supplied, own = f.prepare(entries, given, dtype)
    values = supplied | own
    used = {name for step in steps for name in step.args}

    def again(**changed) -> float | None:
        try:
            return f(*entries, dtype=dtype, **{**given, **changed}).value
        except AIInfraError:
            return None

    changes = []
    if {"n_kv", "n_q"} <= values.keys() and "n_kv" in used:
        changes.append(({"n_kv": values["n_q"]}, "keys and values counted for query heads, not for key/value heads"))
    if {"d_model", "n_q", "d_head"} <= values.keys() and "d_head" in used and values["d_model"] % values["n_q"] == 0:
        changes.append(({"d_head": values["d_model"] // values["n_q"]}, "head width taken as the model's width over its heads"))
    for entry in entries:
        if entry.kind == "device":
            for name, meant, says in _device_mistakes(entry, dtype, values):
                if name in used:
                    changes.append(({name: meant}, says))
        if entry.kind == "model" and "n_param" in used and not entry.architecture.dense:
            changes.append(({"n_param": entry.ledger().active}, "active parameters taken for all"))
    for name in ("b_w", "b_kv"):
        if name in used:
            changes += [({name: values.get(name, 2) * by}, f"{name} of another format") for by in (0.5, 2)]
    for changed, says in changes:
        value = again(**changed)
        if value is not None and not isclose(value, true.value, rel_tol=1e-6):
            yield value, says
    if "devices" in values and values["devices"] > 1:
        yield true.value * values["devices"], "not divided by the devices, or all of them counted for one"
        yield true.value / values["devices"], "divided by the devices once more"
    if "n_layer" in used and values.get("n_layer", 1) > 1:
        yield true.value / values["n_layer"], "one layer taken for all"
    if true.unit.dims == flop.dims:
        yield true.value / 2, "a multiply-add counted as one operation"
    if f.key in ("causal-pairs", "prefill-flops", "forward-flops"):
        yield true.value * 2, "every pair of tokens counted, without the causal order"
    yield from _plain(true)


def _plain(true: Quantity) -> Iterator[tuple[float, str]]:
    for factor, says in FACTORS:
        yield true.value * factor, says
    yield true.value * 2, "twice: both directions, or keys and values counted again"
    yield true.value / 2, "half: one direction, or values forgotten beside keys"


def _device_mistakes(entry, dtype: str | None, values: dict) -> Iterator[tuple[str, float, str]]:
    if "beta_link" in values:
        yield "beta_link", 2 * values["beta_link"], "both directions of a link taken for one"
    if dtype:
        try:
            yield "peak", entry.peak(dtype, sparse=True).value.value, "the peak with sparsity taken for the dense one"
        except MissingInput:
            pass
    if entry.capacity is not None:
        label = entry.capacity.value.value
        yield "usable", label, "the capacity on the label taken for what is usable"
        yield "usable", label * 1.024**3, "GiB taken for GB"


def _result(name: str, estimate: Estimate) -> tuple[Quantity, Iterator]:
    if name not in estimate.values:
        raise unknown("formula or result", name, {*table().records, *GIVEN, *names((*STEPS, *COST, *ENERGY))})
    return estimate[name], _result_mistakes(estimate, name)


def _result_mistakes(e: Estimate, name: str) -> Iterator[tuple[float, str]]:
    """Wrong values of a deployment's result, each with the mistake that leads to it."""
    s, v, true, ledger = e.scenario, e.values, e[name], e.ledger
    whole = ledger_of(s.architecture, s.weights, s.kv, 1)
    attention = s.architecture.uniform
    length = s.prompt + s.output
    rows = [row for row in whole.rows if row.section == "language"]
    head = sum(row.bytes for row in rows if row.part == "head")
    vectors = sum(row.bytes for row in rows if row.kind == "vector")
    ups = sum(row.bytes for row in rows if row.part == "mlp" and row.name.startswith("gate"))
    if name == "memory.weights":
        active = sum(row.active / row.parameters * row.bytes for row in rows if row.parameters)
        yield active / s.tp, "active parameters taken for all: all must be in memory"
        yield v[name] - head / s.tp, "the output head forgotten, which is a table of its own"
        yield v[name] - vectors * (1 - 1 / s.tp), "norms divided by the devices: each has them whole"
        yield v[name] - ups / s.tp, "two matrices counted in the MLP where there are three"
    if name == "decode.weights":
        yield v["memory.weights"], "all parameters taken for those that a step reads"
    if name in ("memory.request", "request.state", "decode.state"):
        yield from _state_mistakes(e, name, attention, whole, length)
    if name in ("memory.batch_max", "memory.headroom", "memory.used"):
        for says, budget in (
            ("workspace of the largest pass forgotten", {"chunk": 1}),
            ("all of the device's memory taken for the engine's share", {"assume": {**s.assume, "memory_share": 1}}),
            ("the capacity on the label taken for what is usable", {"memory": _label(s)}),
        ):
            yield s.but(**budget).estimate(strict=False).values[name], says
    if name == "prefill.flops":
        pairs = ledger.prefill(s.prompt - s.cached, cached=s.cached, convention="rectangle").flops
        yield pairs, "every pair of tokens counted, without the causal order"
    stem, _, end = name.rpartition(".expected.")
    if f"{stem}.bound" in v:
        yield v[f"{stem}.bound"], "a bound read as a forecast"
    if stem == "service.tpot":
        yield v[f"decode.expected.{end}"], "the time of a step, without the prompts that come between"
    if "mfu" in name or name.endswith(".compute"):
        try:
            ratio = s.hardware.peak(s.computed_in, sparse=True).value.value / v["peak"]
            yield true.value / ratio, "the peak with sparsity taken for the dense one"
        except MissingInput:
            pass
    if name.endswith((".link.slow", ".link.fast", ".wire")) and s.tp > 1:
        yield true.value / 2, "both directions of a link taken for one"
        yield true.value / s.tp, "the links of a whole node counted for each device"
    if s.tp > 1:
        yield true.value * s.tp, "not divided by the devices, or all of them counted for one"
        yield true.value / s.tp, "divided by the devices once more"
    yield from _plain(true)


def _label(s: Scenario) -> Quantity | None:
    return None if s.hardware.capacity is None else s.hardware.capacity.value


def _state_mistakes(e: Estimate, name: str, attention, whole, length: int) -> Iterator[tuple[float, str]]:
    s, v = e.scenario, e.values
    latent = any(row.name == "latent and rotary key" for row in e.ledger.state_rows)
    if attention is not None:
        yield v[name] * attention.n_q / max(attention.n_kv, s.tp), "keys and values counted for query heads, not for key/value heads"
        wide = s.architecture.d_model / attention.n_q
        yield v[name] * wide / attention.d_head, "head width taken as the model's width over its heads"
    if s.tp > 1 and (latent or attention is not None and attention.n_kv < s.tp):
        yield whole.state(length) / s.tp, "a cache divided by the devices that each of them holds whole"
        yield v[name] / s.tp, "a cache divided by the devices that each of them holds whole"
    if name == "memory.request":
        yield e.ledger.paged(length, block=s.page, windows="unified"), "windows not capped: all tokens kept in every layer"
        yield e.ledger.state(length), "pages not rounded up"
