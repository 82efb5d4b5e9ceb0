"""The generated numeric code of all formulas, found in the package or made anew when its sources changed.

Evaluating a formula needs only this table, so it needs no SymPy. The file ``_numeric.py`` beside this module
is written by `generate`; it carries a digest of the sources, and one that does not match is not used.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from aiinfra.errors import unknown
from aiinfra.symbol_info import SymbolInfo
from aiinfra.units import Unit

HERE = Path(__file__).parent
PACKAGE = HERE.parent
TARGET = HERE / "_numeric.py"
SOURCES = ("units.py", "symbol_info.py", "symbols.py", "engine/expressions.py", "engine/codegen.py", "engine/formula.py", "engine/table.py")


class Record(NamedTuple):
    """A formula without its SymPy expression."""

    key: str
    symbol: str
    inputs: tuple[str, ...]
    relation: str
    says: str
    holds: str
    cites: tuple[str, ...]
    module: str
    resolves: bool
    point: object
    checks: tuple


class Table:
    """Symbols, records and definitions; `defines` maps a symbol to the formula that computes it."""

    def __init__(self, module: ModuleType):
        self.module = module
        self.symbols = {row[0]: SymbolInfo(row[0], row[1], row[2], Unit(*row[3]), *row[4:]) for row in module.SYMBOLS}
        self.records = {row[0]: Record(*row) for row in module.FORMULAS}
        self.defines = {r.symbol: r.key for r in self.records.values() if r.resolves}
        self.plans: dict = {}
        self._arrays: dict | None = None

    def record(self, key: str) -> Record:
        if key not in self.records:
            raise unknown("formula", key, self.records)
        return self.records[key]

    def arrays(self) -> dict:
        """NumPy functions by formula key."""
        if self._arrays is None:
            self._arrays = self.module.arrays()
        return self._arrays


def digest() -> str:
    """Digest of everything the generated code depends on."""
    found = hashlib.blake2b(digest_size=16)
    for path in [*(PACKAGE / name for name in SOURCES), *sorted((PACKAGE / "formulas").glob("*.py"))]:
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


@lru_cache(maxsize=1)
def table() -> Table:
    """The table of this checkout or wheel."""
    wanted = digest()
    try:
        module = importlib.import_module("aiinfra.engine._numeric")
        if module.SOURCES == wanted:
            return Table(module)
    except (ImportError, AttributeError, SyntaxError):
        pass
    return Table(generate(wanted))


def generate(wanted: str) -> ModuleType:
    """Make the code from the expressions, keep it beside the package where that can be written, and load it."""
    from aiinfra import formulas
    from aiinfra.engine import codegen

    text = codegen.source_text(wanted, formulas.load())
    try:
        handle, name = tempfile.mkstemp(dir=HERE, prefix="_numeric-", suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, TARGET)
    except OSError:
        pass  # a read-only install computes it once a process
    module = ModuleType("aiinfra.engine._numeric")
    exec(compile(text, str(TARGET), "exec"), module.__dict__)  # our own text, made a line above
    return module
