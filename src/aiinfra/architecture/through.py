"""Which tokens of a prompt must come through which layers: nobody reads what the last layers make of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from aiinfra.architecture.rows import StateRow

PASSING = ("window", "chunk")  # kinds of reach in which a token is forgotten


class Through(NamedTuple):
    """Which of the prompt's tokens must come through a layer, because something above it keeps or meets what they give there."""

    all: int  # below this layer all: it keeps something of each of them
    last: Mapping[int, int]  # from there on: so many of the last ones, where it is more than one

    @classmethod
    def of(cls, states: Iterable[StateRow]) -> Through:
        """From what the layers keep of a request. The inputs of a convolution are the last few, and are left out.

        At the top only the last token must come through. Each layer with a window is met by the tokens that come through it, and so needs
        a window more than those from the layers below.
        """
        kept = [s for s in states if s.layers and (s.grows or s.reader == "state update")]
        every = max((i for s in kept if s.stored.kind not in PASSING for i in s.indices), default=0)
        windows = {i: s.stored.size for s in kept if s.stored.kind == "window" for i in s.indices if i > every}
        last, tokens = {}, 1
        for index in range(max(windows, default=every) - 1, every - 1, -1):
            tokens += windows.get(index + 1, 1) - 1
            last[index] = tokens
        return cls(every, last)

    def shares(self, indices: tuple[int, ...]) -> dict[int | None, float]:
        """The share of some layers by the number of tokens that must come through, None for all; one outside the layers."""
        found: dict[int | None, float] = {}
        for index in indices:
            tokens = None if index < self.all else self.last.get(index, 1)
            found[tokens] = found.get(tokens, 0) + 1
        return {tokens: layers / len(indices) for tokens, layers in found.items()} or {1: 1}
