"""The bibliography as the library knows it: keys and titles of the BibTeX files, read once."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from aiinfra.errors import DefinitionError, unknown

HERE = Path(__file__).parent
ENTRY = re.compile(r"@(\w+)\s*\{\s*([^,\s]+)\s*,(.*?)(?=^@|\Z)", re.S | re.M)


def folder() -> Path:
    """``bib/`` of the checkout, or its copy in the wheel."""
    checkout = HERE.parent.parent / "bib"
    return checkout if checkout.is_dir() else HERE / "bib"


@lru_cache(maxsize=1)
def titles() -> dict[str, str]:
    """Title by citation key."""
    found: dict[str, str] = {}
    for path in sorted(folder().glob("*.bib")):
        for kind, key, body in ENTRY.findall(path.read_text(encoding="utf-8")):
            if key in found:
                raise DefinitionError(f"{path.name}: the citation key {key!r} is declared twice")
            title = re.search(r"^\s*title\s*=\s*[{\"]+(.*?)[}\"]+,?\s*$", body, re.M | re.I)
            found[key] = re.sub(r"[{}]", "", title[1]) if title else kind
    return found


def check(keys: tuple[str, ...], where: str) -> None:
    """Refuse a citation key that no BibTeX file declares."""
    if isinstance(keys, str):
        raise DefinitionError(f"{where}: cites takes a tuple of keys, not the text {keys!r}")
    for key in keys:
        if key not in titles():
            raise DefinitionError(f"{where}: {unknown('citation key', key, titles())}")
