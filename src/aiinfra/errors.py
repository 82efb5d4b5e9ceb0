"""Every error the library raises on bad input: one line, and also a builtin type."""

from collections.abc import Iterable
from difflib import get_close_matches


class AIInfraError(Exception):
    """Base of all errors; its text is one line that names field, value and what is allowed."""

    def __str__(self) -> str:  # KeyError would quote the message
        return str(self.args[0]) if self.args else ""


class UnknownName(AIInfraError, KeyError):
    """A formula, symbol, model, device or source that does not exist."""


class BadValue(AIInfraError, ValueError):
    """A number outside what its field allows."""


class BadType(AIInfraError, TypeError):
    """A value of a kind that its field does not take."""


class MissingInput(AIInfraError, TypeError):
    """A formula was called without something that it needs."""


class UnitError(AIInfraError, ValueError):
    """A unit that is unknown, ambiguous, or not the one of its field."""


class OutsideValidity(AIInfraError, ValueError):
    """A formula was evaluated where its stated conditions do not hold."""


class DefinitionError(AIInfraError, ValueError):
    """A symbol, formula or derivation that is declared wrongly."""


class CatalogError(AIInfraError, ValueError):
    """A catalogue file that breaks the schema."""


class ConfigError(AIInfraError, ValueError):
    """A model's config.json that lacks a field, contradicts itself, or is of a kind that is not known."""


def brief(value: object) -> str:
    """A value as an error shows it: on one line, and short.

    >>> brief("h100"), brief(list(range(100)))
    ("'h100'", '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, …')
    """
    try:
        text = " ".join(repr(value).split())
    except (ValueError, RecursionError):  # Python prints no integer of more than 4300 digits, and no list that is nested a thousand deep
        text = f"an integer of {value.bit_length()} bits" if isinstance(value, int) else f"a {type(value).__name__} too deep to show"
    return text if len(text) <= 60 else text[:59] + "…"


def unknown(kind: str, name: object, known: Iterable[str]) -> UnknownName:
    """Build the error for an unknown name, with the near ones or, failing that, all of them.

    >>> print(unknown("formula", "kv-byte", ["kv-bytes", "mfu"]))
    unknown formula 'kv-byte'; near: kv-bytes
    """
    known = sorted(known)
    near = get_close_matches(str(name), known, n=4, cutoff=0.5)
    if near:
        return UnknownName(f"unknown {kind} {brief(name)}; near: {', '.join(near)}")
    shown = ", ".join(known[:40]) + (", …" if len(known) > 40 else "")
    return UnknownName(f"unknown {kind} {brief(name)}; known: {shown or 'none'}")


def whole(name: str, value: object, least: int = 0, most: int = 10**12) -> None:
    """Refuse what is not a whole number of a sensible size.

    >>> whole("batch", 0, least=1)
    Traceback (most recent call last):
    aiinfra.errors.BadValue: batch = 0: must be a whole number from 1 to 1,000,000,000,000
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadType(f"{name} = {brief(value)}: must be a whole number of {least:,} or more")
    if not least <= value <= most:
        raise BadValue(f"{name} = {brief(value)}: must be a whole number from {least:,} to {most:,}")
