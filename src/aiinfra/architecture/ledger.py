"""The ledger of a model: every row with its parameters, operations and bytes, and their totals for a phase of work.

Totals are sums of rows; each row's numbers come from a formula of the book.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from aiinfra.architecture.model import Architecture
from aiinfra.architecture.rows import Row, StateRow
from aiinfra.architecture.split import check, shard, shard_row
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, brief, whole
from aiinfra.formats import FORMATS, Format, bytes_of, format_of

if TYPE_CHECKING:
    import sympy

LANGUAGE = ("language",)


class Entry(NamedTuple):
    """One row's part of some work."""

    row: Row
    tokens: int  # that it serves; of experts each is served by several
    flops: int
    read: float  # weight bytes
    state: float  # bytes of state read
    written: float  # bytes of state written

    def __add__(self, other: Entry) -> Entry:
        return Entry(self.row, *(a + b for a, b in zip(self[1:], other[1:], strict=True)))


@dataclass(frozen=True)
class Work:
    """What a phase costs: operations and weight bytes row by row, and the state that is read and written."""

    entries: tuple[Entry, ...]

    @property
    def state_read(self) -> float:
        """State bytes read, all requests."""
        return sum(e.state for e in self.entries)

    @property
    def state_written(self) -> float:
        """State bytes written, all requests."""
        return sum(e.written for e in self.entries)

    @property
    def flops(self) -> int:
        """Operations of all rows."""
        return sum(e.flops for e in self.entries)

    @property
    def weight_read(self) -> float:
        """Weight bytes read, each pass once for the whole batch."""
        return sum(e.read for e in self.entries)

    @property
    def read(self) -> float:
        """All bytes read: weights and state."""
        return self.weight_read + self.state_read

    def by_part(self) -> dict[str, int]:
        """Operations by part of the model."""
        found: dict[str, int] = {}
        for entry in self.entries:
            found[entry.row.part] = found.get(entry.row.part, 0) + entry.flops
        return found

    def __add__(self, other: Work) -> Work:
        rows = {id(e.row): e for e in self.entries}
        merged = [rows.pop(id(e.row)) + e if id(e.row) in rows else e for e in other.entries]
        return Work((*rows.values(), *merged))


class Ledger:
    """All rows of a model in their formats, and what a phase of work makes of them.

    With ``tp`` devices, the ledger is that of one of them: its share of every matrix and of the state under tensor parallelism.

    >>> from aiinfra import architecture
    >>> ledger = architecture.load("llama-3.1-70b").ledger()
    >>> ledger.parameters, ledger.decode(context=2176).flops
    (70553706496, 144707682304)
    """

    def __init__(self, architecture: Architecture, weights: str | None = None, kv: str | None = None, tp: int = 1):
        check(architecture, tp)
        self.architecture, self.tp = architecture, tp
        self.rows = tuple(architecture.formatted(weights))
        self.state_rows = tuple(architecture.state())
        if tp > 1:
            self.rows = tuple(shard_row(row, tp) for row in self.rows)
            self.state_rows = tuple(replace(row, values=shard(row.values, tp)) for row in self.state_rows)
        self._read_by: dict[tuple, list[StateRow]] = {}
        for state in self.state_rows:
            self._read_by.setdefault((state.part, state.reader, state.indices), []).append(state)
        self.kv: Format = format_of(kv) if kv is not None else FORMATS[architecture.cache_format]
        if self.kv.scale:
            plain = ", ".join(name for name, f in FORMATS.items() if not f.scale)
            raise BadValue(f"kv = {brief(kv)}: how a cache keeps the scales of this format is not known; known: {plain}")

    def __repr__(self) -> str:
        return f"<Ledger {self.architecture.key}: {len(self.rows)} rows, {self.parameters:,} parameters>"

    # What is stored

    def chosen(self, sections: tuple[str, ...]) -> Iterator[Row]:
        """The rows of some sections: language, mtp, vision, projector."""
        known = self.sections
        for name in sections:
            if name not in known:
                raise BadValue(f"sections = {brief(sections)}: {self.architecture.key} has {', '.join(known)}")
        return (row for row in self.rows if row.section in sections)

    @cached_property
    def sections(self) -> dict[str, int]:
        """Parameters by section: language, and where there are such, mtp (multi-token prediction), vision, projector."""
        found: dict[str, int] = {"language": 0}
        for row in self.rows:
            found[row.section] = found.get(row.section, 0) + row.parameters
        return found

    @property
    def parameters(self) -> int:
        """Parameters of the language model, every tensor once."""
        return self.sections["language"]

    @property
    def trained(self) -> int:
        """Parameters of the language model without tensors that only steer it, such as a router's correction."""
        return sum(row.parameters for row in self.chosen(LANGUAGE) if not row.buffer)

    @property
    def active(self) -> int:
        """Parameters of the language model that serve one token; token tables count whole."""
        return sum(row.active for row in self.chosen(LANGUAGE))

    @property
    def bytes(self) -> float:
        """Bytes of the language model as stored."""
        return sum(row.bytes for row in self.chosen(LANGUAGE))

    def bytes_of(self, *sections: str) -> float:
        """Bytes of some sections as stored."""
        return sum(row.bytes for row in self.chosen(sections))

    # State of a request

    def _state(self, sections: tuple[str, ...]) -> Iterator[StateRow]:
        return (row for row in self.state_rows if row.section in sections)

    @property
    def token_bytes(self) -> float:
        """State bytes that each further token adds, as long as no window is in the way; compressed entries count in part."""
        rows = [row for row in self._state(LANGUAGE) if row.stored.kind in ("full", "compressed")]
        found = sum(row.entry(self.kv.element) * row.layers / (row.stored.size or 1) for row in rows)
        return int(found) if found == int(found) else found

    @property
    def fixed_bytes(self) -> float:
        """State bytes of a request that do not depend on its length."""
        return sum(row.bytes(1, self.kv.element) for row in self._state(LANGUAGE) if not row.grows)

    def state(self, context: int, *, sections: tuple[str, ...] = LANGUAGE) -> float:
        """Exact state bytes of one request after ``context`` tokens."""
        whole("context", context)
        return sum(row.bytes(context, self.kv.element) for row in self._state(sections))

    def state_read(self, context: int, *, sections: tuple[str, ...] = LANGUAGE) -> float:
        """State bytes that one decode step reads for one request; ``context`` counts the new token."""
        whole("context", context)
        return sum(row.bytes_read(context, self.kv.element) for row in self._state(sections))

    def paged(self, context: int, *, block: int = 16, windows: str = "capped", sections: tuple[str, ...] = LANGUAGE) -> float:
        """State bytes in whole pages of ``block`` entries, as an engine holds them.

        ``windows="capped"``: a layer with a window holds the pages that the window may touch; ``"unified"``: all layers
        hold pages for every token.
        """
        whole("context", context)
        whole("block", block, least=1)
        if windows not in ("capped", "unified"):
            raise BadValue(f"windows = {brief(windows)}: must be capped or unified")
        return sum(row.paged(context, self.kv.element, block, windows) for row in self._state(sections))

    # Work

    def weights_read(self, tokens: int, sections: tuple[str, ...] = LANGUAGE) -> float:
        """Weight bytes that one pass over ``tokens`` tokens reads, each once; of experts, those touched on average."""
        return sum(row.read(tokens) for row in self.chosen(sections))

    def prefill(
        self,
        prompt: int,
        *,
        batch: int = 1,
        cached: int = 0,
        logits: str = "last",
        convention: str = "causal",
        latent: str = "expanded",
        sections: tuple[str, ...] = LANGUAGE,
    ) -> Work:
        """Processing ``prompt`` new tokens of each of ``batch`` requests, after ``cached`` tokens that are there already.

        ``logits``: the output head works on the ``last`` token of each request or on ``all``. ``convention``: pairs are
        counted ``causal``, exactly, or as a ``rectangle``: for every new token as many as any of them may meet. ``latent`` says how
        latent attention computes: ``expanded`` or ``absorbed``.
        """
        whole("prompt", prompt, least=1)
        whole("batch", batch, least=1)
        whole("cached", cached)
        for name, value, known in (("logits", logits, ("last", "all")), ("convention", convention, ("causal", "rectangle"))):
            if value not in known:
                raise BadValue(f"{name} = {brief(value)}: must be {' or '.join(known)}")
        tokens, length = batch * prompt, cached + prompt
        heads = tokens if logits == "all" else batch
        kept = cached and latent == "expanded"  # keys and values of what is cached are made anew from the latent vectors

        def pairs(row: Row) -> int:
            if convention == "rectangle":
                return batch * prompt * row.reach.widest(length)
            return batch * (row.reach.pairs(length) - row.reach.pairs(cached))

        def state(row: StateRow) -> tuple[float, float]:
            read = row.bytes_read(cached, self.kv.element) if cached else 0
            return batch * read, batch * row.written(cached, length, self.kv.element)

        return Work(tuple(self._entries(sections, tokens, heads, pairs, state, latent, expanded=batch * cached if kept else 0)))

    def decode(
        self,
        context: int,
        *,
        batch: int = 1,
        steps: int = 1,
        latent: str = "absorbed",
        sections: tuple[str, ...] = LANGUAGE,
    ) -> Work:
        """One decode step of ``batch`` requests that hold ``context`` tokens each, the new one included; or several
        steps, in which the context grows from ``context`` by one each."""
        whole("context", context, least=1)
        whole("batch", batch, least=1)
        whole("steps", steps, least=1)
        last = context + steps - 1

        def met(reach) -> int:
            return reach.pairs(last) - reach.pairs(context - 1)

        b, tokens = self.kv.element, batch * steps

        def state(row: StateRow) -> tuple[float, float]:
            read = met(row.read or row.stored) * row.entry(b) * row.reading
            return batch * read, batch * row.written(context - 1, last, b) * (1 if row.grows else steps)

        expanded = batch * (sum(range(context, last + 1)) - steps) if latent == "expanded" else 0
        return Work(tuple(self._entries(sections, tokens, tokens, lambda row: batch * met(row.reach), state, latent, expanded, steps)))

    def answer(self, prompt: int, answer: int, *, batch: int = 1, sections: tuple[str, ...] = LANGUAGE) -> Work:
        """A whole answer: the prompt, which gives its first token, and a step for each of the other ``answer - 1``."""
        whole("answer", answer, least=1)
        work = self.prefill(prompt, batch=batch, sections=sections)
        return work if answer == 1 else work + self.decode(prompt + 1, batch=batch, steps=answer - 1, sections=sections)

    def training(
        self, sequence: int, *, batch: int = 1, recompute: str = "none", convention: str = "causal", sections: tuple[str, ...] = LANGUAGE
    ) -> Work:
        """One step of training on ``batch`` sequences: forward with all logits, and backward at twice the operations.

        ``recompute``: what is computed a second time in the backward pass: ``none``, ``attention`` (scores and values) or
        ``full`` (all layers).
        """
        if recompute not in ("none", "attention", "full"):
            raise BadValue(f"recompute = {brief(recompute)}: must be none, attention or full")
        forward = self.prefill(sequence, batch=batch, logits="all", convention=convention, sections=sections)

        def passes(row: Row) -> int:
            again = recompute == "full" and row.indices or recompute == "attention" and row.kind == "attention"
            return 4 if again else 3

        kept = {"state": 0, "written": 0}  # nothing outlives the step
        return Work(tuple(e._replace(flops=e.flops * passes(e.row), read=e.read * passes(e.row), **kept) for e in forward.entries))

    def training_state(
        self, *, weights: str = "bf16", gradients: str = "bf16", optimizer: float = 12, sections: tuple[str, ...] = LANGUAGE
    ) -> float:
        """Bytes of weights, gradients and optimizer while the parameters are trained; activations are not in it.

        ``optimizer`` is in bytes a parameter: 12 for Adam with a copy of the weights and two moments in FP32.
        """
        if isinstance(optimizer, bool) or not isinstance(optimizer, (int, float)) or not 0 <= optimizer <= 1000:
            raise BadValue(f"optimizer = {brief(optimizer)}: must be bytes a parameter, from 0 to 1000")
        trained = sum(row.parameters for row in self.chosen(sections) if not row.buffer)
        record = table().record("training-state-bytes")
        given = {"n_param": trained, "b_w": bytes_of(weights), "b_grad": bytes_of(gradients), "b_opt": optimizer}
        return record.point(*[given[name] for name in record.inputs])

    def _entries(self, sections, tokens: int, heads: int, pairs, state, latent: str, expanded: int = 0, passes: int = 1) -> Iterator[Entry]:
        """Entries of ``passes`` passes, which serve so many tokens together; weights are read in each.

        ``state`` gives the bytes of a state row that all of them read and write.
        """
        if latent not in ("expanded", "absorbed"):
            raise BadValue(f"latent = {brief(latent)}: must be expanded or absorbed")
        for row in self.chosen(sections):
            if row.phase and row.phase != latent:
                continue
            served = heads if row.per == "last" else tokens
            if row.per == "latent":
                served += expanded
            met = pairs(row) if row.reach else 0
            read = written = 0
            for kept in self._read_by.get((row.part, row.name.removesuffix(f", {row.phase}"), row.indices), ()):
                one = state(kept)
                read, written = read + one[0], written + one[1]
            yield Entry(row, served, row.flops(served, met), row.read(served // passes) * passes, read, written)

    # Algebra

    @cached_property
    def shared(self) -> dict[str, int]:
        """Symbols that mean the same in all rows of the language model, with their values."""
        found: dict[str, set] = {"n_layer": {self.architecture.n_layer}}
        for row in self.chosen(LANGUAGE):
            for name, value in row.values.items():
                found.setdefault(name, set()).add(value)
        return {name: next(iter(values)) for name, values in found.items() if len(values) == 1}

    def expression(self, what: str = "parameters", part: str | None = None, latent: str = "expanded") -> sympy.Expr:
        """The sum of the rows as SymPy: ``parameters``, or ``flops`` of one sequence with all its logits, in ``sequence`` tokens.

        >>> from aiinfra import architecture
        >>> architecture.load("llama-3.1-8b").ledger().expression(part="mlp")
        3*d_ff*d_model*n_layer
        """
        import sympy

        if what not in ("parameters", "flops"):
            raise BadValue(f"what = {brief(what)}: must be parameters or flops")
        rows = [r for r in self.chosen(LANGUAGE) if part in (None, r.part) and r.phase in ("", latent)]
        return sympy.Add(*(row.expression(what, self.shared) for row in rows))

