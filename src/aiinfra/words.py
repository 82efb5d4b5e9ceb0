"""What a person writes on one line, ``model=llama-3.1-70b batch=64 t_step="10 ms"``, as inputs of a formula or fields of a scenario."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite

from aiinfra.errors import BadValue, brief

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def number(text: str) -> int | float | str:
    """A plain number as such, whole where it is written whole; anything else, and what no float holds, stays text.

    >>> number("64"), number("0.5"), number("10 ms"), number("1e3"), number("1_000"), number("1e999")
    (64, 0.5, '10 ms', 1000.0, 1000, '1e999')
    """
    text = text.strip()
    if not NUMBER.fullmatch(text):
        return text
    try:
        return int(text)
    except ValueError:  # a fraction, or more digits than Python reads
        found = float(text)
        return found if isfinite(found) else text


def pairs(words: Iterable[str]) -> dict[str, object]:
    """Words of the form name=value by name; a name that is given twice is refused.

    >>> pairs(["model=llama-3.1-8b", "batch=4"])
    {'model': 'llama-3.1-8b', 'batch': 4}
    """
    found: dict[str, object] = {}
    for word in words:
        name, sign, value = word.partition("=")
        name = name.strip()
        if not sign or not name.isidentifier() or not value.strip():
            raise BadValue(f"{brief(word)}: expected name=value, such as batch=64 or t_step='10 ms'")
        if name in found:
            raise BadValue(f"{name} is given twice: {brief(str(found[name]))} and {brief(value)}")
        found[name] = number(value)
    return found


def entries(inputs: dict[str, object]) -> tuple[tuple, str | None, dict[str, object]]:
    """The catalogue entries, the format computed in, and the other inputs of a formula.

    >>> entries(pairs(["model=llama-3.1-8b", "dtype=bf16", "batch=4"]))
    ((model('llama-3.1-8b'),), 'bf16', {'batch': 4})
    """
    from aiinfra import catalog

    rest = dict(inputs)
    found = [get(str(rest.pop(kind))) for kind, get in (("model", catalog.model), ("device", catalog.device)) if kind in rest]
    dtype = rest.pop("dtype", None)
    return tuple(found), None if dtype is None else str(dtype), rest
