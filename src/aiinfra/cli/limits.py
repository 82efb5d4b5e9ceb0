"""Limits given with --assert: ``tpot<=40ms``."""

from __future__ import annotations

import re
from typing import NamedTuple

from aiinfra.errors import BadValue, UnitError, brief
from aiinfra.units import Quantity, parse

LIMIT = re.compile(r"\s*([\w.\-]*)\s*(<=|>=|<|>)\s*(.+?)\s*")


class Limit(NamedTuple):
    """A name, which may be empty, how it is compared, and with what."""

    name: str
    sign: str
    value: Quantity

    def holds(self, value: Quantity) -> bool:
        """Whether a value keeps the limit; the two must measure the same."""
        if not any(self.value.unit.dims) and any(value.unit.dims):
            raise UnitError(f"limit {self.name}{self.sign}{self.value.text()}: give it with its unit, such as {value.text()}")
        if self.value.unit.dims != value.unit.dims:
            raise UnitError(f"limit {self.name}{self.sign}{self.value.text()}: it is compared with {value.unit.text or 'a plain number'}")
        a, b = value.value, self.value.value
        return {"<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b}[self.sign]


def read(text: str) -> Limit:
    """A limit from its text.

    >>> read("tpot <= 40 ms")
    Limit(name='tpot', sign='<=', value=40 ms)
    """
    found = LIMIT.fullmatch(text)
    if not found:
        raise BadValue(f"limit {brief(text)}: expected a comparison, such as tpot<=40ms")
    return Limit(found[1], found[2], parse(found[3]))
