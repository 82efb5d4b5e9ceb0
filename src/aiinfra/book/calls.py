"""The small language in which chapters ask for numbers.

``decode-step-bound @eight batch=16 in ms as .3g`` evaluates a formula with the inputs of the case ``eight`` and one
more. A term may also be ``KEY solve SYMBOL …``, ``KEY = KEY over SYMBOL …`` (break-even), a datum of the catalogue
(``h100-sxm memory_bandwidth``, ``h100-sxm peak bf16``), a sum of a model's ledger (``ledger llama-3.1-8b state
context=8192``), a result of a deployment (``estimate decode.bound model=llama-3.1-8b device=h100-sxm``) or a quantity (``"80 GB"``).
Terms are joined by a free-standing
``+ - * /``, products and quotients first. An input may be a request of its own, in brackets and quotes.
"""

from __future__ import annotations

import operator
import re
import shlex
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil, floor

from aiinfra import catalog
from aiinfra.engine import evaluate
from aiinfra.engine.formula import Formula, formula
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, MissingInput, UnknownName, brief, unknown
from aiinfra.formats import BYTES, FLOATS
from aiinfra.units import NUMBER, SPEC, Quantity, parse
from aiinfra.words import number as number_or_text
from aiinfra.words import pairs

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
WHOLE = {"floor": floor, "ceil": ceil}  # formats that round to a whole number
ENTRIES = {"model": catalog.model, "device": catalog.device}
WORDS = ("dtype", "float", *evaluate.FORMAT_WORDS)
SAME = evaluate.FORMAT_WORDS | {symbol: word for word, symbol in evaluate.FORMAT_WORDS.items()}  # two names of one input


@dataclass
class Call:
    """A formula with its inputs, before it is evaluated."""

    formula: Formula
    entries: tuple = ()
    dtype: str | None = None
    inputs: dict = field(default_factory=dict)
    shared: set = field(default_factory=set)  # inputs that come from a case and may be unused
    asked: dict = field(default_factory=dict)  # inputs that are answers, by the request that gave them

    def used(self) -> set:
        """The inputs that the formula reads, by the names they were given under."""
        steps, _, _ = self.formula.prepare(self.entries, self.inputs, self.dtype, strict=False)
        read = evaluate.used(steps)
        return {n for n in self.inputs if evaluate.FORMAT_WORDS.get(n, n) in read}

    def pruned(self) -> dict:
        """The inputs without those of a case that this formula does not use."""
        used = self.used()
        return {n: v for n, v in self.inputs.items() if n in used or n not in self.shared}

    def value(self) -> Quantity:
        return self.formula(*self.entries, dtype=self.dtype, **self.pruned())


@dataclass
class Flip:
    """Where two formulas give the same: the symbol to solve for, and a call with the inputs of both."""

    call: Call
    other: Formula
    symbol: str

    def value(self) -> Quantity:
        return self.call.formula.break_even(self.other, self.symbol, *self.call.entries, dtype=self.call.dtype, **self.call.inputs)


@dataclass
class Answer:
    """An evaluated request: its value, how to print it, and what was asked when it was a single call or flip."""

    value: Quantity
    unit: str = ""
    spec: str = ""
    call: Call | None = None
    flip: Flip | None = None

    @property
    def format(self) -> str:
        """The format specification of the value."""
        return f"{self.spec} {self.unit}".strip()

    def __str__(self) -> str:
        return self.value.text(self.format)

    @property
    def number(self) -> float:
        """The bare number in the unit asked for."""
        return float(self.value.to(self.unit)) if self.unit else float(self.value)


def split(text: str) -> list[str]:
    """Words of a request; quotes keep a quantity with its unit together."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadValue(f"{text!r}: {error}") from None


class Cases(dict):
    """Named sets of inputs of one chapter, and its files."""

    def __init__(self):
        super().__init__()
        self.files: dict[str, bytes] = {}

    def add(self, name: str, text: str) -> None:
        """Declare a case; it may start from others with ``@name``."""
        if name in self:
            raise BadValue(f"case {name!r} is declared twice")
        self[name] = merge(*self.settings(split(text)))

    def settings(self, words: list[str]) -> tuple[dict, dict]:
        """The settings of the cases that words name, a later one first, and those that they spell out."""
        shared: dict[str, str] = {}
        own: dict[str, str] = {}
        for word in words:
            if word.startswith("@"):
                if word[1:] not in self:
                    raise unknown("case", word[1:], self)
                shared = merge(shared, self[word[1:]])
                continue
            name, equals, value = word.partition("=")
            if not equals or not name or not value:
                raise BadValue(f"{word!r}: expected NAME=VALUE, @CASE, or 'in UNIT' at the end")
            known = [*ENTRIES, *WORDS, *table().symbols]
            if name not in known:
                raise unknown("input", name, known)
            if name in own or SAME.get(name) in own:
                raise BadValue(f"{word!r}: {name} is given twice")
            own[name] = value
        return shared, own


def merge(first: dict, second: dict) -> dict:
    """Settings of which the second outweigh the first, also where a format and bytes name the same input."""
    return {n: v for n, v in first.items() if SAME.get(n) not in second} | second


@lru_cache(maxsize=4096)
def parsed(text: str) -> tuple[str, str, tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Unit, number format, terms and the signs between them: a plot asks the same request at many points."""
    words = split(text)
    unit = spec = ""
    if len(words) > 2 and words[-2] == "as":
        spec, words = words[-1], words[:-2]
        if spec not in WHOLE and not SPEC.fullmatch(spec)[1]:
            raise BadValue(f"{text!r}: {spec!r} is not a number format, such as .3g or ,.0f")
    if len(words) > 2 and words[-2] == "in":
        unit, words = words[-1], words[:-2]
    terms: list[list[str]] = [[]]
    signs: list[str] = []
    for word in words:
        if word in OPERATORS:
            signs.append(word)
            terms.append([])
        else:
            terms[-1].append(word)
    if not all(terms):
        raise BadValue(f"{text!r}: {'a term is missing beside ' + ' or '.join(signs) if signs else 'nothing is asked'}")
    return unit, spec, tuple(map(tuple, terms)), tuple(signs)


def ask(text: str, cases: Cases | None = None, **override) -> Answer:
    """Evaluate a request; ``override`` sets inputs by name, as a plot does along its axis."""
    return _ask(text, Cases() if cases is None else cases, override)


def _ask(text: str, cases: Cases, override: dict, nested: bool = False) -> Answer:
    """The same; a nested request keeps the settings that it spells out, and of other terms than formulas nothing is overridden in it."""
    unit, spec, terms, signs = parsed(text)
    asked = _term(terms[0], cases, override, nested)
    values = [asked if isinstance(asked, Quantity) else asked.value()]
    for sign, words in zip(signs, terms[1:], strict=True):
        term = _term(words, cases, override, nested)
        value = term if isinstance(term, Quantity) else term.value()
        if sign in "*/":
            values[-1] = OPERATORS[sign](values[-1], value)
        else:
            values.append(value)
    for sign, value in zip([s for s in signs if s in "+-"], values[1:], strict=True):
        values[0] = OPERATORS[sign](values[0], value)
    if spec in WHOLE and any(values[0].unit.dims):
        raise BadValue(f"{text!r}: {spec} is for plain numbers, not for {values[0].unit.text}")
    if spec in WHOLE:
        values[0], spec = Quantity(WHOLE[spec](values[0].value), values[0].unit), ""
    answer = Answer(values[0], unit, spec)
    if not signs:
        answer.call = asked if isinstance(asked, Call) else None
        answer.flip = asked if isinstance(asked, Flip) else None
    if not -evaluate.MOST <= answer.value.value <= evaluate.MOST:
        raise BadValue(f"{brief(text)} is beyond the largest number")
    str(answer)  # a wrong unit or format speaks up here
    return answer


def _term(words: list[str], cases: Cases, override: dict, nested: bool) -> Quantity | Call | Flip:
    head, rest = words[0], words[1:]
    if nested and (head not in table().records or "=" in rest or rest[:1] == ("solve",)):
        override = {}
    if "=" in rest:
        return _flip(words, cases, override)
    if head in table().records:
        if rest and rest[0] == "solve":
            if len(rest) < 2:
                raise BadValue(f"{head}: 'solve' needs the symbol to solve for")
            return _solve(_call(head, rest[2:], cases, override), rest[1])
        return _call(head, rest, cases, override, nested)
    if head == "ledger":
        return _ledger(rest, cases, override)
    if head == "estimate":
        return _estimate(rest, cases)
    found = _datum(head, rest)
    if found is not None:
        return found
    if not rest and (NUMBER.fullmatch(head) or head.startswith("$")):
        return parse(head)
    known = [*table().records, *catalog.models(), *catalog.devices(), *catalog.measurements()]
    raise unknown("formula or catalogue entry", head, known)


def _call(key: str, words: list[str], cases: Cases, override: dict, nested: bool = False) -> Call:
    """A call from its words: cases first, then settings, then what overrides them."""
    shared, own = cases.settings(words)
    if nested:
        override = {n: v for n, v in override.items() if n not in own and SAME.get(n) not in own}
    settings: dict[str, object] = merge(merge(shared, own), override)
    entries = tuple(find(settings.pop(kind)) for kind, find in ENTRIES.items() if kind in settings)
    dtype = settings.pop("dtype", None)
    if "float" in settings:
        name = settings.pop("float")
        if name not in FLOATS:
            raise unknown("floating-point format", name, FLOATS)
        settings = {n: str(v) for n, v in FLOATS[name].symbols().items()} | settings
    asked = {n: v[1:-1] for n, v in settings.items() if n not in override and v.startswith("(") and v.endswith(")")}
    inputs = {n: v if n in WORDS or n in override else number_or_text(v) for n, v in settings.items() if n not in asked}
    try:
        inputs |= {n: _ask(request, cases, override, nested=True).value for n, request in asked.items()}
    except RecursionError:
        raise BadValue(f"{key}: {', '.join(asked)} asks for itself") from None
    return Call(formula(key), entries, dtype, inputs, set(settings) - (set(own) - set(override)), asked)


def _ledger(words: list[str], cases: Cases, override: dict) -> Quantity:
    """An answer of a model's ledger: settings are inputs of the book and some words of its own."""
    from aiinfra.book import ledgers  # imports the directives of its tables, and they this module

    plain = [w for w in words if "=" not in w and not w.startswith("@")]
    special = dict(w.split("=", 1) for w in words if w.partition("=")[0] in (*ledgers.WORDS, "cached", "steps", "block"))
    shared, own = cases.settings([w for w in words if w not in plain and w.partition("=")[0] not in special])

    def answered(settings: dict) -> dict:
        requests = {n for n, v in settings.items() if isinstance(v, str) and v.startswith("(") and v.endswith(")")}
        return {n: ask(v[1:-1], cases).value if n in requests else v for n, v in settings.items()}

    known = (*ledgers.COUNTS, *ledgers.FORMAT_WORDS)
    return ledgers.ask(plain, answered(own | special) | override, answered({n: v for n, v in shared.items() if n in known}))


def _estimate(words: list[str], cases: Cases) -> Quantity:
    """A result of a deployment by name: its fields, or a scenario of the page in ``file=`` with some of them changed."""
    from aiinfra.scenario import Scenario

    if not words or "=" in words[0]:
        raise BadValue("estimate: which result? such as 'estimate decode.bound model=llama-3.1-8b device=h100-sxm'")
    given = pairs(words[1:])
    if "file" in given:
        name = str(given.pop("file"))
        if name not in cases.files:
            raise unknown("file of the page", name, cases.files)
        given = tomllib.loads(cases.files[name].decode()) | given
    return Scenario.of(given).estimate()[words[0]]


def _solve(call: Call, symbol: str) -> Quantity:
    """The value of a symbol at which the formula gives its left side, which is among the inputs."""
    _sought(symbol, call)
    f, goal = call.formula, call.inputs.get(call.formula.symbol)
    probe = Call(f, call.entries, call.dtype, merge(call.inputs, {symbol: 1}), call.shared | {symbol, f.symbol})
    inputs = {n: v for n, v in probe.pruned().items() if n != symbol}
    if goal is not None:
        inputs[f.symbol] = goal
    _all_used(f.key, set(inputs) - {f.symbol}, probe.used())
    return f.solve_for(symbol, *call.entries, dtype=call.dtype, **inputs)


def _flip(words: list[str], cases: Cases, override: dict) -> Flip:
    """``KEY = KEY over SYMBOL`` and settings, of which each is for either formula or for both."""
    if len(words) < 5 or words[1] != "=" or words[3] != "over":
        raise BadValue(f"{' '.join(words)!r}: expected KEY = KEY over SYMBOL and inputs")
    first, other, symbol = formula(words[0]), formula(words[2]), words[4]
    call = _call(first.key, words[5:], cases, override)
    _sought(symbol, call)
    inputs = merge(call.inputs, {symbol: 1})
    used = Call(first, call.entries, call.dtype, inputs).used() | Call(other, call.entries, call.dtype, inputs).used()
    if symbol not in used:
        raise BadValue(f"neither {first.key} nor {other.key} depends on {symbol}")
    _all_used(f"{first.key} = {other.key}", set(call.inputs) - call.shared, used)
    kept = {n: v for n, v in call.inputs.items() if n in used and n != symbol}
    return Flip(Call(first, call.entries, call.dtype, kept), other, symbol)


def _sought(symbol: str, call: Call) -> None:
    if symbol not in table().symbols:
        raise unknown("symbol", symbol, table().symbols)
    if symbol in call.inputs and symbol not in call.shared:
        raise BadValue(f"{symbol} is what is solved for, so it cannot be given")


def _all_used(what: str, given: set, used: set) -> None:
    extra = sorted(given - used)
    if extra:
        raise UnknownName(f"{what} does not use {', '.join(extra)}; it uses {', '.join(sorted(used))}")


def _datum(head: str, rest: list[str]) -> Quantity | None:
    """A value of the catalogue: ENTRY FIELD, ENTRY peak FORMAT [ACCUMULATOR] [sparse], MEASUREMENT, or MEASUREMENT FIELD."""
    row = catalog.measurements().get(head)
    if row is not None:
        field, *extra = rest or ["value"]
        known = {n: v for n, v in vars(row).items() if isinstance(v, (int, Quantity)) and not isinstance(v, bool)}
    else:
        row = catalog.models().get(head) or catalog.devices().get(head)
        if row is None:
            return None
        known = {n: v.value for n, v in row.data.items()}
        known = {n: v for n, v in known.items() if isinstance(v, (int, Quantity)) and not isinstance(v, bool)}
        if not rest:
            raise BadValue(f"{head}: which field of it? such as '{head} {next(iter(known))}'")
        field, *extra = rest
        if field == "peak" and row.kind == "device":
            if not extra:
                raise BadValue(f"{head} peak: of which format? such as '{head} peak bf16'")
            dtype, *extra = extra
            accumulate = extra.pop(0) if extra and extra[0] in BYTES else None
            sparse = extra == ["sparse"]
            known, extra = {"peak": row.peak(dtype, accumulate=accumulate, sparse=sparse).value}, [] if sparse else extra
    if field not in known and getattr(row, field, "") is None:
        raise MissingInput(f"{head} has no published {field.replace('_', ' ')}")
    if field not in known:
        raise unknown(f"field of {head}", field, known)
    if extra:
        raise BadValue(f"{' '.join([head, *rest])!r}: nothing can follow {head} {field}, but {' '.join(extra)!r} does")
    found = known[field]
    return found if isinstance(found, Quantity) else Quantity(found)


def about(request: object, key: str) -> str:
    """A request with the key of an entry of the catalogue in the place of ``IT``.

    >>> about("IT capacity / IT memory_bandwidth", "h100-sxm")
    'h100-sxm capacity / h100-sxm memory_bandwidth'
    """
    return re.sub(r"\bIT\b", key, str(request))


def fill(text: str, ask: Callable[[str], Answer]) -> str:
    """Put the answers in the place of ``{{ request }}`` in a label."""
    return re.sub(r"\{\{(.*?)\}\}", lambda found: str(ask(found[1].strip())), text)
