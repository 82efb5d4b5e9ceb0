"""Refusals: every bad value becomes one line that names the field, the value and what is allowed."""

from __future__ import annotations

import math
from numbers import Integral, Real


def number(field: str, value, *, least: float | None = None, above: float | None = None) -> float:
    """A finite plain number, not below ``least`` and greater than ``above`` where they are given."""
    allowed = f"at least {least:g}" if least is not None else f"above {above:g}" if above is not None else "finite"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{field}: {value!r} is not a number; must be {allowed}")
    value = float(value)
    if not math.isfinite(value) or (least is not None and value < least) or (above is not None and value <= above):
        raise ValueError(f"{field}: {value:g} is not allowed; must be {allowed}")
    return value


def count(field: str, value, *, least: int = 1, most: int | None = None) -> int:
    """A whole number within limits."""
    allowed = f"a whole number of at least {least}" + (f" and at most {most}" if most is not None else "")
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least or (most is not None and value > most):
        raise ValueError(f"{field}: {value!r} is not allowed; must be {allowed}")
    return int(value)


def text(field: str, value, *, empty: bool = True) -> str:
    """A string that can stand in XML."""
    if not isinstance(value, str) or any(ord(c) < 32 and c != "\n" for c in value) or not (empty or value.strip()):
        raise ValueError(f"{field}: {value!r} is not allowed; must be text{'' if empty else ' that is not empty'}")
    return value


def one_of(field: str, value, allowed) -> str:
    """One of a few known names."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{field}: {value!r} is not known; must be one of {', '.join(allowed)}")
    return value


def some(field: str, values) -> list:
    """A sequence that is not empty."""
    values = list(values)
    if not values:
        raise ValueError(f"{field}: nothing given; must have at least one")
    return values
