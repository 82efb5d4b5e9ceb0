"""What a symbol means, apart from its SymPy object: evaluating a formula needs nothing else of it."""

from __future__ import annotations

from typing import NamedTuple

from aiinfra.units import Unit


class SymbolInfo(NamedTuple):
    """A row of the symbol table."""

    name: str
    latex: str
    meaning: str
    unit: Unit
    whole: bool  # a count that must be a whole number
    minimum: float | None  # None: any real; 0 with ``positive`` excludes zero itself
    positive: bool
    rank: int
