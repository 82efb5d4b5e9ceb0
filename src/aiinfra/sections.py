"""Where the book declares each formula: read from the chapters of a checkout, or from the list of them that a wheel brings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parent.parent / "docs"
TARGET = HERE / "_sections.json"
LINE = re.compile(r"^(?:(?P<fence>`{3,})(?:\{formula\} *(?P<key>[\w-]+))?|(?P<level>#+) +(?P<title>.+?) *$)")


def section(key: str) -> str:
    """The page and the heading under which a formula stands; empty where it stands on no page.

    >>> section("pass-bound")
    'How an estimate is made § The time of a pass'
    """
    return sections().get(key, "")


@lru_cache(maxsize=1)
def sections() -> dict[str, str]:
    """The section of every formula by its key."""
    if DOCS.is_dir():
        return read(DOCS)
    return json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.is_file() else {}


def read(docs: Path) -> dict[str, str]:
    """The sections as the pages of a folder have them."""
    found: dict[str, str] = {}
    for path in sorted(docs.rglob("*.md")):
        if "_build" not in path.parts:
            for key, where in _declared(path.read_text(encoding="utf-8")):
                found.setdefault(key, where)
    return found


def _declared(text: str) -> Iterator[tuple[str, str]]:
    title, heading, fence = "", "", ""
    for match in map(LINE.match, text.splitlines()):
        if match is None:
            continue
        if match["fence"]:
            if not fence and match["key"]:
                yield match["key"], f"{title} § {heading}" if heading else title
            fence = "" if match["fence"] == fence else fence or match["fence"]
        elif not fence and match["level"] == "#":
            title, heading = match["title"], ""
        elif not fence:
            heading = match["title"]
