"""Round numbers for axes and the way they print."""

from __future__ import annotations

import math
from collections.abc import Sequence

_PREFIXES = ("", "k", "M", "G", "T", "P", "E")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def amount(value: float) -> str:
    """Four significant digits, commas as in the text, a prefix from ten million on: ``141.1``, ``3,350``, ``28,672``."""
    if value == 0:
        return "0"
    if abs(value) >= 1e7 or abs(value) < 1e-3:
        return _prefixed(value) if 1e7 <= abs(value) < 1e21 else _power(value)
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    shown = f"{value:,.{digits}f}"
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return shown.replace("-", "−")


def linear(low: float, high: float, most: int = 7) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten inside a range."""
    span = high - low
    if span <= 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(s * power for s in (1, 2, 2.5, 5, 10, 20) if span / (s * power) <= most)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def logarithmic(low: float, high: float, most: int = 8, base: int = 10) -> list[float]:
    """1, 2, 5 or 1, 3 in each decade while they are few, else powers of the base, thinned evenly."""
    slack = 1e-9
    if high / low < 3:
        return linear(low, high, most)
    first, last = (round(math.log(v, base), 9) for v in (low, high))
    if base == 10:
        for digits in ((1, 2, 3, 4, 5, 6, 8), (1, 2, 5), (1, 3)):
            found = [d * 10.0**e for e in range(math.floor(first), math.ceil(last) + 1) for d in digits
                     if low * (1 - slack) <= d * 10.0**e <= high * (1 + slack)]
            if 2 <= len(found) <= most and (len(digits) < 7 or high / low < 8):
                return found
    exponents = range(math.ceil(first - slack), math.floor(last + slack) + 1)
    return [float(base) ** e for e in exponents[:: max(1, math.ceil(len(exponents) / most))]] or [low]


def labels(values: Sequence[float]) -> list[str]:
    """One label a tick: plain digits while they are short, else an SI prefix or a power of ten."""
    largest = max(abs(v) for v in values)
    smallest = min((abs(v) for v in values if v), default=1.0)
    if smallest < 1e-3 or largest >= 1e21:
        return [_power(v) for v in values]
    prefixed = largest >= 1e5 and all(len(_prefixed(v)) <= 5 for v in values)
    return [(_prefixed if prefixed else amount)(v) for v in values]


def _prefixed(value: float) -> str:
    step = 0 if value == 0 else max(0, math.floor(math.log10(abs(value)) / 3 + 1e-9))
    return f"{value / 1000.0**step:.4g}{_PREFIXES[step]}".replace("-", "−")


def _power(value: float) -> str:
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    lead = f"{value / 10.0**exponent:.3g}"
    ten = "10" + str(exponent).translate(_SUPERSCRIPT)
    return ten if lead == "1" else f"{lead}·{ten}".replace("-", "−")
