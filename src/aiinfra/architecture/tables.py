"""What stands outside the layers: token tables, positions, final norm, output head."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aiinfra.architecture.parts import Part
from aiinfra.architecture.rows import Dim, Row


@dataclass(frozen=True, kw_only=True)
class Embedding(Part):
    """The token table, of which each token looks up one row; learned positions are a second one."""

    part = "embedding"
    name: str = "embed_tokens"
    width: Dim = "d_model"
    rows_of: Dim = "vocab"
    positions: int = 0

    def rows(self) -> Iterator[Row]:
        yield self.matrix(self.name, self.rows_of, self.width, kind="table")
        if self.positions:
            yield self.matrix("position table", str(self.positions), "d_model", kind="table")


@dataclass(frozen=True, kw_only=True)
class Head(Part):
    """The output head: a matrix of its own, or the token table once more, which then adds no parameters."""

    part = "head"
    tied: bool = False
    bias: bool = False
    width: Dim = "d_model"

    def rows(self) -> Iterator[Row]:
        yield self.matrix("lm_head", self.width, "vocab", self.bias and not self.tied, per="last", tied=self.tied)
        if self.tied and self.bias:  # the table is shared, its bias is the head's own
            yield self.vector("lm_head bias", "vocab", module="lm_head")
