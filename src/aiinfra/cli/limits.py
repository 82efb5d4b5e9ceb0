"""Limits given with --assert: ``tpot<=40ms``."""

from __future__ import annotations

import operator
import re
from typing import NamedTuple

from aiinfra.errors import BadValue, UnitError, brief
from aiinfra.units import Quantity, parse

SIGNS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}
LIMIT = re.compile(r"\s*([\w.\-]*)\s*(<=|>=|<|>)\s*(.+?)\s*")


class Limit(NamedTuple):
    """A name, which may be empty, how it is compared, and with what."""

    name: str
    sign: str
    value: Quantity

    def holds(self, value: Quantity) -> bool:
        """Whether a value keeps the limit; the two must measure the same."""
        return bool(self.kept(value.value, value.unit, value.text()))

    def kept(self, values, unit, example: str = ""):
        """The same for a value or an array of values in base units of ``unit``."""
        said = f"limit {self.name}{self.sign}{self.value.text()}"
        if not any(self.value.unit.dims) and any(unit.dims):
            raise UnitError(f"{said}: give it with its unit, such as {example or unit.text}")
        if self.value.unit.dims != unit.dims:
            raise UnitError(f"{said}: it is compared with {unit.text or 'a plain number'}")
        return SIGNS[self.sign](values, self.value.value)


def read(text: str) -> Limit:
    """A limit from its text.

    >>> read("tpot <= 40 ms")
    Limit(name='tpot', sign='<=', value=40 ms)
    """
    found = LIMIT.fullmatch(text)
    if not found:
        raise BadValue(f"limit {brief(text)}: expected a comparison, such as tpot<=40ms")
    try:
        return Limit(found[1], found[2], parse(found[3]))
    except (BadValue, UnitError) as error:
        raise type(error)(f"limit {brief(text)}: {error}") from None
