"""The small language in which chapters ask for numbers.

``decode-step-bound @eight batch=16 in ms as .3g`` evaluates a formula with the inputs of the case ``eight`` and one
more. A term may also be ``KEY solve SYMBOL …``, ``KEY = KEY over SYMBOL …`` (break-even), a datum of the catalogue
(``h100-sxm memory_bandwidth``, ``h100-sxm peak bf16``) or a quantity (``"80 GB"``). Terms are joined by a free-standing
``+ - * /`` from left to right.
"""

from __future__ import annotations

import operator
import re
import shlex
from dataclasses import dataclass, field

from aiinfra import catalog
from aiinfra.engine import evaluate
from aiinfra.engine.formula import Formula, formula
from aiinfra.engine.table import table
from aiinfra.errors import AIInfraError, BadValue, UnknownName, unknown
from aiinfra.units import NUMBER, Quantity, parse

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
ENTRIES = {"model": catalog.model, "device": catalog.device}
WORDS = ("dtype", "weights", "kv", "activations")


@dataclass
class Call:
    """A formula with its inputs, before it is evaluated."""

    formula: Formula
    entries: tuple = ()
    dtype: str | None = None
    inputs: dict = field(default_factory=dict)
    shared: set = field(default_factory=set)  # inputs that come from a case and may be unused

    def pruned(self, *extra: str) -> dict:
        """The inputs without those of a case that this formula does not use."""
        optional = {n: v for n, v in self.inputs.items() if n in self.shared}
        steps, _, _ = self.formula.prepare(self.entries, self.inputs, self.dtype, strict=False)
        used = evaluate.used(steps) | set(extra)
        targets = {n: evaluate.FORMAT_WORDS.get(n, n) for n in optional}
        return {n: v for n, v in self.inputs.items() if n not in optional or targets[n] in used}

    def value(self) -> Quantity:
        return self.formula(*self.entries, dtype=self.dtype, **self.pruned())


@dataclass
class Answer:
    """An evaluated request: its value, how to print it, and the call when it was a single one."""

    value: Quantity
    unit: str = ""
    spec: str = ""
    call: Call | None = None

    def __str__(self) -> str:
        return format(self.value, f"{self.spec} {self.unit}".strip())

    @property
    def number(self) -> float:
        """The bare number in the unit asked for."""
        return float(self.value.to(self.unit)) if self.unit else float(self.value)


def number_or_text(text: str) -> object:
    """An input as written: a number stays a number, anything else is text with a unit or a name."""
    found = NUMBER.fullmatch(text)
    if found and not found[2]:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    return text


def split(text: str) -> list[str]:
    """Words of a request; quotes keep a quantity with its unit together."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadValue(f"{text!r}: {error}") from None


class Cases(dict):
    """Named sets of inputs of one chapter."""

    def add(self, name: str, text: str) -> None:
        """Declare a case; it may start from others with ``@name``."""
        if name in self:
            raise BadValue(f"case {name!r} is declared twice")
        settings: dict[str, str] = {}
        for word in split(text):
            if word.startswith("@"):
                settings |= self.find(word[1:])
            else:
                key, value = _setting(word)
                settings[key] = value
        _check_names(settings)
        self[name] = settings

    def find(self, name: str) -> dict:
        if name not in self:
            raise unknown("case", name, self)
        return self[name]


def _setting(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name or not value:
        raise BadValue(f"{word!r}: expected NAME=VALUE, @CASE, or 'in UNIT' at the end")
    return name, value


def _check_names(settings: dict) -> None:
    known = [*ENTRIES, *WORDS, *table().symbols]
    for name in settings:
        if name not in known:
            raise unknown("input", name, known)


def ask(text: str, cases: Cases | None = None, **override) -> Answer:
    """Evaluate a request; ``override`` sets inputs by name, as a plot does along its axis."""
    words = split(text)
    unit = spec = ""
    if len(words) > 2 and words[-2] == "as":
        spec, words = words[-1], words[:-2]
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
        raise BadValue(f"{text!r}: a term is missing beside {' or '.join(signs) or 'nothing'}")
    value, call = _term(terms[0], cases or Cases(), override)
    for sign, term in zip(signs, terms[1:], strict=True):
        value, call = OPERATORS[sign](value, _term(term, cases or Cases(), override)[0]), None
    answer = Answer(value, unit, spec, call)
    try:
        str(answer)
    except AIInfraError:
        raise
    except ValueError:
        raise BadValue(f"{text!r}: {spec!r} is not a number format") from None
    return answer


def _term(words: list[str], cases: Cases, override: dict) -> tuple[Quantity, Call | None]:
    head, rest = words[0], words[1:]
    if rest and rest[0] == "=":
        first, second, symbol, call = break_even_call(words, cases, override)
        return first.break_even(second, symbol, *call.entries, dtype=call.dtype, **call.inputs), None
    if head in table().records:
        if rest and rest[0] == "solve":
            if len(rest) < 2:
                raise BadValue(f"{head}: 'solve' needs the symbol to solve for")
            call = build_call(head, rest[2:], cases, override)
            inputs = _for_solving(call, rest[1])
            return call.formula.solve_for(rest[1], *call.entries, dtype=call.dtype, **inputs), None
        call = build_call(head, rest, cases, override)
        return call.value(), call
    found = _datum(head, rest)
    if found is not None:
        return found, None
    if not rest and NUMBER.fullmatch(head) or head.startswith("$"):
        return parse(head), None
    known = [*table().records, *catalog.models(), *catalog.devices(), *catalog.measurements()]
    raise unknown("formula or catalogue entry", head, known)


def _for_solving(call: Call, symbol: str) -> dict:
    """Inputs for solving: the unknown is not among them, and its formula reads the others."""
    probe = Call(call.formula, call.entries, call.dtype, call.inputs | {symbol: 1}, call.shared | {symbol, call.formula.symbol})
    inputs = {n: v for n, v in probe.pruned(call.formula.symbol).items() if n != symbol}
    return inputs


def break_even_call(words: list[str], cases: Cases, override: dict) -> tuple[Formula, Formula, str, Call]:
    """The parts of ``KEY = KEY over SYMBOL settings``."""
    if len(words) < 5 or words[1] != "=" or words[3] != "over":
        raise BadValue(f"{' '.join(words)!r}: expected KEY = KEY over SYMBOL and inputs")
    first, second, symbol = formula(words[0]), formula(words[2]), words[4]
    call = build_call(words[0], words[5:], cases, override)
    other = Call(second, call.entries, call.dtype, dict(call.inputs), set(call.shared))
    for one in (call, other):  # what either formula reads is read by both together
        one.inputs.setdefault(symbol, 1)
        one.shared = set(call.inputs)
    kept = call.pruned() | other.pruned()
    kept.pop(symbol, None)
    return first, second, symbol, Call(first, call.entries, call.dtype, kept)


def build_call(key: str, words: list[str], cases: Cases, override: dict) -> Call:
    """A call from its words: cases first, then settings, then what overrides them."""
    shared: dict[str, str] = {}
    own: dict[str, object] = {}
    for word in words:
        if word.startswith("@"):
            shared |= cases.find(word[1:])
        else:
            name, value = _setting(word)
            own[name] = value
    _check_names(own)
    settings: dict[str, object] = {**shared, **own, **override}
    for word, symbol in evaluate.FORMAT_WORDS.items():  # a format named here outweighs bytes named in a case, and the reverse
        if word in own and symbol in shared and symbol not in own:
            settings.pop(symbol, None)
    entries = tuple(find(settings.pop(kind)) for kind, find in ENTRIES.items() if kind in settings)
    dtype = settings.pop("dtype", None)
    inputs = {n: v if n in WORDS or n in override else number_or_text(v) for n, v in settings.items()}
    return Call(formula(key), entries, dtype, inputs, (set(shared) | set(override)) - set(own))


def _datum(head: str, rest: list[str]) -> Quantity | None:
    """A value of the catalogue: ENTRY FIELD, ENTRY peak FORMAT [sparse], or a measurement."""
    if head in catalog.measurements():
        row = catalog.measurement(head)
        if not rest:
            return row.value
        found = getattr(row, rest[0], None)
        if not isinstance(found, (int, Quantity)):
            raise UnknownName(f"measurement {head!r} states no {rest[0]!r}")
        return found if isinstance(found, Quantity) else Quantity(found)
    entry = catalog.models().get(head) or catalog.devices().get(head)
    if entry is None:
        return None
    if not rest:
        raise BadValue(f"{head}: which field of it? such as '{head} {'n_param' if entry.kind == 'model' else 'capacity'}'")
    if rest[0] == "peak" and entry.kind == "device":
        if len(rest) < 2:
            raise BadValue(f"{head} peak: of which format? such as '{head} peak bf16'")
        return entry.peak(rest[1], sparse="sparse" in rest[2:]).value
    value = getattr(entry, rest[0], None)
    if not isinstance(value, catalog.Value):
        raise unknown(f"field of {head}", rest[0], [n for n in vars(entry) if isinstance(getattr(entry, n), catalog.Value)])
    return value.value if isinstance(value.value, Quantity) else Quantity(value.value)


def fill(text: str, cases: Cases) -> str:
    """Put the answers in the place of ``{{ request }}`` in a label."""
    return re.sub(r"\{\{(.*?)\}\}", lambda m: str(ask(m[1].strip(), cases)), text)
