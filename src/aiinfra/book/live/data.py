"""What the scripts of the pages know of units, symbols and formulas: the tables of the library, written as JSON."""

from __future__ import annotations

import json

from aiinfra import units as u


def text(found: object) -> str:
    """JSON that may stand in a script: nothing in it closes one."""
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")


def units() -> str:
    """Words of units with their factor and dimensions, and those that are refused because people read them in two ways."""
    return text(
        {
            "atoms": {word: [float(factor), list(dims)] for word, (factor, dims) in u.ATOMS.items()},
            "clear": u.CLEAR,
            "counts": u.COUNTS,
            "bases": u.BASES,
            "si": u.SI,
            "small": {word: power for word, power in u.SMALL.items() if word != "u"},
        }
    )


def looks() -> str:
    """What the colours and dashes of drawings stand for, so that live charts look like them."""
    from aiinfra.book.draw import style

    return text({"roles": style.ROLES, "order": style.SERIES, "dashes": style.DASHES})
