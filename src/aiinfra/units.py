"""Units as exponent maps over B, FLOP, s, J and USD; quantities; parsing and printing.

Counting words (token, device, request …) are spelled in a unit but carry no dimension. Decimal and binary
prefixes are different units (GB, GiB), and so are bit and byte; spellings that people read both ways
(``Gb``, ``KB``, ``TFLOPS``) are refused with the two that are clear.
"""

from __future__ import annotations

import math
import re
import sys
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real

from aiinfra.errors import BadType, BadValue, UnitError, brief

BASES = ("B", "FLOP", "s", "J", "USD")
SI = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
SMALL = {"m": -3, "µ": -6, "u": -6, "n": -9, "p": -12}
BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5}
COUNTS = ("token", "request", "device", "layer", "head", "step", "weight", "message", "pair", "answer")


class Unit:
    """A product of powers of the five base dimensions, with the spelling it prints as.

    >>> byte / second
    Unit('B/s')
    >>> (byte / second).dims == (flop / second).dims
    False
    """

    __slots__ = ("dims", "text")

    def __init__(self, dims: tuple, text: str | None = None):
        self.dims = dims
        self.text = spell(dims) if text is None else text

    def __mul__(self, other: Unit) -> Unit:
        return Unit(tuple(a + b for a, b in zip(self.dims, other.dims, strict=True)))

    def __truediv__(self, other: Unit) -> Unit:
        dims = tuple(a - b for a, b in zip(self.dims, other.dims, strict=True))
        over, under = self.text or "1", other.text
        return Unit(dims, f"{over}/{under}" if under and "/" not in under else self.text)

    def __pow__(self, power: int | Fraction) -> Unit:
        return Unit(tuple(a * power for a in self.dims))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self.dims == other.dims

    def __hash__(self) -> int:
        return hash(self.dims)

    def __repr__(self) -> str:
        return f"Unit({self.text!r})"


def spell(dims: tuple) -> str:
    """Spell an exponent tuple: ``(1, 0, -1, 0, 0)`` is ``B/s``, none at all is the empty text."""

    def power(name: str, exponent) -> str:
        return name if exponent == 1 else f"{name}^{exponent}"

    over = [power(n, e) for n, e in zip(BASES, dims, strict=True) if e > 0]
    under = [power(n, -e) for n, e in zip(BASES, dims, strict=True) if e < 0]
    if not under:
        return "·".join(over)
    return "/".join(["·".join(over) or "1", *under])


one = Unit((0, 0, 0, 0, 0), "")
byte, flop, second, joule, dollar = (Unit(tuple(int(i == j) for j in range(5))) for i in range(5))
watt = Unit((joule / second).dims, "W")
hertz = Unit((one / second).dims, "Hz")
token, request = (Unit(one.dims, word) for word in ("token", "request"))


def _atoms() -> dict[str, tuple[Fraction, tuple]]:
    """All spellable unit words with their factor to base units and their dimensions."""
    table: dict[str, tuple[Fraction, tuple]] = {"1": (Fraction(1), one.dims), "%": (Fraction(1, 100), one.dims)}

    def add(word: str, factor: Fraction, dims: tuple, prefixes: dict[str, int]) -> None:
        table[word] = (factor, dims)
        for prefix, exponent in prefixes.items():
            table[prefix + word] = (factor * Fraction(10) ** exponent, dims)

    add("B", Fraction(1), byte.dims, SI)
    add("bit", Fraction(1, 8), byte.dims, SI)
    for prefix, exponent in BINARY.items():
        table[prefix + "B"] = (Fraction(1024) ** exponent, byte.dims)
        table[prefix + "bit"] = (Fraction(1024) ** exponent / 8, byte.dims)
    add("FLOP", Fraction(1), flop.dims, SI | {"Z": 21, "Y": 24})
    add("s", Fraction(1), second.dims, SMALL)
    for word, seconds in (("min", 60), ("h", 3600), ("d", 86400), ("year", 365 * 86400)):
        table[word] = (Fraction(seconds), second.dims)
    add("J", Fraction(1), joule.dims, SI | SMALL)
    add("Wh", Fraction(3600), joule.dims, SI)
    add("W", Fraction(1), watt.dims, SI | {"m": -3})
    add("Hz", Fraction(1), (one / second).dims, SI)
    table["USD"] = table["$"] = (Fraction(1), dollar.dims)
    for word in COUNTS:
        add(word, Fraction(1), one.dims, {"k": 3, "M": 6, "G": 9})
        table[word + "s"] = table[word]
    return table


ATOMS = _atoms()
CLEAR = {
    "KB": "kB (1000 B) or KiB (1024 B)",
    "Kb": "kbit (1000 bit) or kB (1000 B)",
    "OPS": "FLOP/s",
    "FLOPs": "FLOP for a count or FLOP/s for a rate",
}
for _p in ("", *SI):
    CLEAR[_p + "FLOPS"] = f"{_p}FLOP/s for a rate or {_p}FLOP for a count"
    CLEAR[_p + "OPS"] = f"{_p}FLOP/s"
    if _p not in ("", "k"):
        CLEAR[_p + "b"] = CLEAR[_p + "bps"] = CLEAR[_p + "Bps"] = f"{_p}bit or {_p}B (with /s for a rate)"


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> tuple[Fraction, Unit]:
    """Factor to base units and unit of a spelling such as ``GB/s``, ``$/h`` or ``token/s``.

    >>> parse_unit("Gbit/s")
    (Fraction(125000000, 1), Unit('Gbit/s'))
    >>> parse_unit("Gb/s")
    Traceback (most recent call last):
    aiinfra.errors.UnitError: unit 'Gb/s': 'Gb' is read in two ways; write Gbit or GB (with /s for a rate)
    """
    factor, dims, sign = Fraction(1), one, 1
    for word in re.split(r"([/·*])", text.strip()):
        word = word.strip().replace("\u03bc", "µ")  # the Greek letter that looks like the micro sign
        if word in "/·*" and word:
            sign = -1 if word == "/" else sign
            continue
        name, _, power = word.partition("^")
        if name in CLEAR:
            raise UnitError(f"unit {brief(text)}: {name!r} is read in two ways; write {CLEAR[name]}")
        if name not in ATOMS or (power and not power.isdecimal()) or len(power) > 1:
            near = [w for w in ATOMS if w.lower().startswith(name.lower()[:2]) and name][:6]
            hint = f"near: {', '.join(near)}" if near else "known: B, bit, FLOP, s, min, h, J, W, Wh, USD, Hz with a prefix"
            raise UnitError(f"unknown unit {brief(word)} in {brief(text)}; {hint}")
        f, d = ATOMS[name]
        exponent = sign * int(power or 1)
        factor *= f**exponent
        dims = dims * Unit(d) ** exponent
    return factor, Unit(dims.dims, text.strip())


# The number is taken whole or not at all: neither 1,000 nor 1e400 is read as a shorter one with an odd unit
NUMBER = re.compile(r"\s*((?>[+-]?(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?))(?![0-9.,_])\s*(.*?)\s*$")


@lru_cache(maxsize=1024)
def _parse(text: str) -> Quantity:
    source = text.strip()
    if source.startswith("$"):
        found = NUMBER.fullmatch(source[1:])
        source = found and f"{found[1]} USD{found[2]}"
    found = source and NUMBER.fullmatch(source)
    if not found:
        raise BadValue(f"quantity {brief(text)}: expected a number and a unit, such as '3.35 TB/s'")
    number = Fraction(Decimal(found[1].replace("_", "")))
    factor, unit = parse_unit(found[2]) if found[2] else (Fraction(1), one)
    value = number * factor
    if abs(value) > sys.float_info.max:
        raise BadValue(f"quantity {brief(text)}: is larger than any number with a fraction")
    return Quantity(int(value) if value.denominator == 1 else float(value), unit)


def parse(text: str) -> Quantity:
    """Read a number with its unit, exactly where it is exact.

    >>> parse("400 Gbit/s").value
    50000000000
    >>> parse("$2/h")
    2 USD/h
    >>> parse("2 GiB") == parse("2147483648 B")
    True
    """
    if not isinstance(text, str):
        raise BadType(f"quantity {brief(text)}: expected text such as '3.35 TB/s'")
    return _parse(text)


def digits(value: float, significant: int = 3) -> str:
    """Print a number for people: all digits of a whole number, else so many significant ones.

    >>> digits(327680), digits(21.0636), digits(0.000123), digits(1.5e12), digits(40.0)
    ('327,680', '21.1', '1.23e-04', '1.5e+12', '40')
    """
    if not isinstance(value, int):
        value = float(value)  # a fraction or a NumPy number
        if not math.isfinite(value):
            return str(value)
    if value == int(value) and abs(value) < 10 ** (15 if isinstance(value, int) else 6):
        return f"{int(value):,}"
    size = abs(value)
    if not 1e-3 <= size < 1e6:
        mantissa, e, exponent = f"{value:.{significant - 1}e}".partition("e")
        return _shortest(mantissa, e + exponent, value)
    rounded = float(f"{size:.{significant}g}")
    decimals = significant - 1 - math.floor(math.log10(rounded))
    shown = Decimal(repr(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)  # 794.5 is 795 to a reader
    return _shortest(f"{shown:,.{decimals}f}", "", value) if decimals > 0 else f"{shown:,.0f}"


def _shortest(mantissa: str, exponent: str, value: float) -> str:
    """Without closing zeros where the value has none: 3.35 is not measured to 3.350."""
    short = mantissa.rstrip("0").rstrip(".")
    exact = math.isclose(float(short.replace(",", "") + exponent), value, rel_tol=1e-12)
    return (short if exact else mantissa) + exponent


SPEC = re.compile(r"((?:[<>=^+\- 0,]*\d*(?:\.\d+)?[eEfFgGd]?)(?=\s|$))?\s*(.*)")


class Quantity:
    """A number in base units with its unit and the kind of statement it is (=, >=, <=, ~).

    >>> step = Quantity(0.00534, second, ">=")
    >>> step, f"{step:ms}", f"{step:.4g ms}", step < "6 ms", float(step)
    (>= 5.34 ms, '5.34 ms', '5.34 ms', True, 0.00534)
    """

    __slots__ = ("value", "unit", "relation")

    def __init__(self, value: Real, unit: Unit = one, relation: str = "="):
        self.value, self.unit, self.relation = value, unit, relation

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def to(self, unit: str) -> Real:
        """The bare number in another unit of the same dimension.

        >>> parse("80 GB").to("GiB")
        74.50580596923828
        """
        if not isinstance(unit, str):
            raise BadType(f"unit {brief(unit)}: expected text such as 'GB/s'")
        factor, target = parse_unit(unit)
        if target.dims != self.unit.dims:
            raise UnitError(f"{brief(unit)} does not measure what this is: {self.unit.text or 'a plain number'}")
        if isinstance(self.value, Rational):
            exact = Fraction(self.value) / factor
            return int(exact) if exact.denominator == 1 else float(exact)
        return self.value / float(factor)

    def __format__(self, spec: str) -> str:
        return self.text(spec) if spec else str(self)

    def text(self, spec: str = "") -> str:
        """The number and its unit, without the mark of a bound: ``"ms"``, ``".3g TB/s"``, or a readable prefix for none.

        >>> parse("21.0636 ms").text(), parse("21.0636 ms").text(".4g ms")
        ('21.1 ms', '21.06 ms')
        """
        number, unit = SPEC.fullmatch(spec).groups()
        if unit:
            value = self.to(unit)
            text = unit if unit != "1" else ""
        else:
            value, text = readable(self)
        try:
            shown = format(value, number) if number else digits(value)
        except ValueError:
            raise BadValue(f"format {brief(spec)}: {brief(number)} does not print {value!r}") from None
        return f"{shown}{'' if text in ('%', '') else ' '}{text}"

    def __str__(self) -> str:
        return ("" if self.relation == "=" else self.relation + " ") + self.text()

    def __repr__(self) -> str:
        value, text = readable(self, 4)
        mark = "" if self.relation == "=" else self.relation + " "
        return f"{mark}{digits(value, 4)} {text}".rstrip()

    def _other(self, other: object, what: str) -> Real:
        """The other side of a comparison or sum in base units; a bare number is in base units."""
        if isinstance(other, str):
            other = parse(other)
        if isinstance(other, Quantity):
            if other.unit.dims != self.unit.dims:
                raise UnitError(f"cannot {what} {self.unit.text or 'a plain number'} and {other.unit.text or 'a plain number'}")
            return other.value
        if isinstance(other, Real) and not isinstance(other, bool):
            return other
        raise BadType(f"cannot {what} a quantity and {brief(other)}")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quantity):
            return self.unit.dims == other.unit.dims and self.value == other.value
        if not isinstance(other, (str, Real)) or isinstance(other, bool):
            return NotImplemented
        return self.value == self._other(other, "compare")

    def __lt__(self, other: object) -> bool:
        return self.value < self._other(other, "compare")

    def __le__(self, other: object) -> bool:
        return self.value <= self._other(other, "compare")

    def __gt__(self, other: object) -> bool:
        return self.value > self._other(other, "compare")

    def __ge__(self, other: object) -> bool:
        return self.value >= self._other(other, "compare")

    def __hash__(self) -> int:
        return hash(self.value)  # that of the bare number, which it may equal

    def _operand(self, other: object, what: str) -> Quantity:
        """The other operand as a quantity; a bare number is in base units when added and plain when it multiplies."""
        if isinstance(other, Quantity):
            return other
        return Quantity(self._other(other, what), self.unit if what in ("add", "subtract") else one)

    def __add__(self, other: object) -> Quantity:
        value, other = self._other(other, "add"), self._operand(other, "add")
        return Quantity(self.value + value, self.unit, both(self.relation, other.relation))

    __radd__ = __add__  # so that sum() works

    def __sub__(self, other: object) -> Quantity:
        value, other = self._other(other, "subtract"), self._operand(other, "subtract")
        return Quantity(self.value - value, self.unit, both(self.relation, TURNED[other.relation]))

    def __rsub__(self, other: object) -> Quantity:
        return self._operand(other, "subtract") - self

    def __neg__(self) -> Quantity:
        return Quantity(-self.value, self.unit, TURNED[self.relation])

    def __abs__(self) -> Quantity:
        return self if self.value >= 0 else -self

    def __mul__(self, other: object) -> Quantity:
        other = parse(other) if isinstance(other, str) else self._operand(other, "multiply")
        unit = self.unit * other.unit if any(other.unit.dims) else self.unit
        return Quantity(self.value * other.value, unit, _scaled(self, other, other.relation))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Quantity:
        other = parse(other) if isinstance(other, str) else self._operand(other, "divide")
        if other.value == 0:
            raise BadValue(f"cannot divide {self} by zero")
        unit = Unit((self.unit / other.unit).dims) if any(other.unit.dims) else self.unit
        return Quantity(self.value / other.value, unit, _scaled(self, other, TURNED[other.relation]))


    def __rtruediv__(self, other: object) -> Quantity:
        return self._operand(other, "divide") / self


TURNED = {"=": "=", ">=": "<=", "<=": ">=", "~": "~"}


def both(first: str, second: str) -> str:
    """What is known of a sum of two statements: a bound and an exact value give a bound, two unlike bounds none."""
    if "=" in (first, second):
        return second if first == "=" else first
    return first if first == second else "~"


def _scaled(first: Quantity, second: Quantity, relation: str) -> str:
    """The relation of a product; it follows from the factors' where neither is negative."""
    relation = both(first.relation, relation)
    return relation if relation == "=" or min(first.value, second.value) >= 0 else "~"


def readable(q: Quantity, significant: int = 3) -> tuple[Real, str]:
    """Value and unit text with the prefix that leaves one to three digits before the point, as printed."""
    value, dims = q.value, q.unit.dims
    if not any(dims):
        words = q.unit.text
        return (value, words if words.rstrip("s") in COUNTS else "")
    lead = next((i for i, e in enumerate(dims) if e > 0), None)

    def scaled(exponent: int) -> Real:
        return value if not exponent else value / 10**exponent if exponent > 0 else value * 10**-exponent

    def size(exponent: int) -> float:  # as printed: 999.9 ms is written 1 s
        return float(f"{abs(float(scaled(exponent))):.{significant}g}")

    if dims == (dollar / second).dims:
        return value * 3600, "USD/h"
    if dims == second.dims:
        for word in ("d", "h", "min") if size(0) >= 120 else ():
            seconds = ATOMS[word][0]
            if size(0) >= 2 * seconds:
                return value / int(seconds), word
        scale = {"": 0} | SMALL
    elif q.unit.text == "Hz":
        scale = {"": 0} | SI
    elif dims == watt.dims or dims == joule.dims:
        scale = {"": 0} | SI | {"m": -3}
    elif lead is None or BASES[lead] == "USD" or dims[lead] != 1:
        scale = {"": 0}
    else:
        scale = {"": 0} | SI | ({"Z": 21, "Y": 24} if BASES[lead] == "FLOP" else {})
    text = "W" if dims == watt.dims else _plain_text(q.unit)
    scale.pop("u", None)
    fitting = [p for p, e in scale.items() if size(e) >= 1] if value else [""]
    prefix = max(fitting, key=scale.get) if fitting else min(scale, key=scale.get)
    return scaled(scale[prefix]), prefix + text


def _plain_text(unit: Unit) -> str:
    """The unit's own spelling when it is in base units (``B/token``), else the canonical one."""
    try:
        factor, _ = parse_unit(unit.text)
    except UnitError:
        factor = None
    return unit.text if factor == 1 else spell(unit.dims)
