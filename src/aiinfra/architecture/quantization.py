"""A config's own ``quantization_config``: which matrices are stored in which format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from aiinfra.architecture.config import Config
from aiinfra.architecture.rows import Row
from aiinfra.formats import FORMATS, Format


@dataclass(frozen=True)
class Quantization:
    """The formats of a config: ``format`` for each matrix of the layers but those that a pattern in ``skipped`` names."""

    format: Format
    skipped: tuple[str, ...] = ()

    def split(self, row: Row, own: Format) -> Iterator[Row]:
        """The row in its format, or two where some of its layers are skipped."""
        yield replace(row, format=self.format if row.indices else own)


def read(config: Config) -> Quantization | None:
    """The quantisation of a config; None where its weights are in the format of its dtype."""
    return None


def cache_format(config: Config) -> str | None:
    """The format of the cache that a config's quantisation asks for, if any."""
    return None
