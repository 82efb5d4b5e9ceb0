"""The rows of a ledger: what one matrix or operator costs, and what one layer keeps, each through formulas of the book.

A size in a row is a product of symbols or a sum of such, written ``"n_q*d_head"``: evaluated with the sizes of the
model, or put into a formula's SymPy expression as it stands. Nothing here imports SymPy until an expression is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from aiinfra.engine.table import table
from aiinfra.formats import FORMATS, Format

if TYPE_CHECKING:
    import sympy

Dim = str  # a sum of products of symbols and whole numbers


@lru_cache(maxsize=8192)
def terms(dim: Dim) -> tuple[tuple[str | int, ...], ...]:
    """The terms of a size, each as its factors.

    >>> terms("2*n_q*d_head+d_rope")
    ((2, 'n_q', 'd_head'), ('d_rope',))
    """
    return tuple(tuple(int(f) if f.isdigit() else f for f in term.split("*")) for term in dim.split("+"))


def size(dim: Dim, values: Mapping[str, int]) -> int:
    """A size as a number.

    >>> size("2*n_q*d_head+d_rope", {"n_q": 2, "d_head": 8, "d_rope": 4})
    36
    """
    return sum(prod(f if type(f) is int else values[f] for f in term) for term in terms(dim))


def symbolic(dim: Dim, values: Mapping[str, int], shared: Mapping[str, int] | None = None) -> sympy.Expr:
    """A size as an expression; a symbol that means something else in other rows gives its number."""
    import sympy

    from aiinfra.symbols import SYMBOLS

    def factor(f: str | int) -> sympy.Expr:
        if type(f) is int:
            return sympy.Integer(f)
        return SYMBOLS[f] if shared is None or shared.get(f) == values[f] else sympy.Integer(values[f])

    return sympy.Add(*(sympy.Mul(*map(factor, term)) for term in terms(dim)))


class Reach(NamedTuple):
    """Which cache entries a token meets: how many the last of ``S`` tokens does, and how many pairs all of them make."""

    kind: str = "full"  # full, window, chunk, compressed, chosen (entries), blocks (of positions, chosen) or fixed
    size: int = 0  # of the window, the chunk, the group or the block
    best: int = 0  # entries or blocks that an index chooses

    def entries(self, length: int) -> int:
        """Entries that the last of ``length`` tokens meets."""
        return self._count("entries", length)

    def widest(self, length: int) -> int:
        """The most entries that any of ``length`` tokens meets."""
        most = {"chunk": self.size, "blocks": self.size * self.best}.get(self.kind)
        return self.entries(length) if most is None else min(length, most)

    def pairs(self, length: int) -> int:
        """Pairs that ``length`` tokens make from the first to the last."""
        return self._count("pairs", length)

    def formula(self, what: str) -> str:
        """The key of the formula of its entries or pairs; empty where there is nothing to compute."""
        if self.kind == "fixed" or (self.kind == "full" and what == "entries"):
            return ""
        if what == "pairs" and self.kind == "compressed":
            return "chosen-pairs"  # the same staircase, without an end
        return {"full": "causal"}.get(self.kind, self.kind) + "-" + what

    def inputs(self) -> dict[str, int]:
        """The sizes of the reach by symbol."""
        names = {
            "window": ("window",), "chunk": ("chunk",), "compressed": ("ratio",), "chosen": ("ratio", "chosen"),
            "blocks": ("chunk", "chosen"),
        }  # fmt: skip
        return dict(zip(names.get(self.kind, ()), (self.size, self.best), strict=False))

    def source(self, symbol: str) -> str:
        """The key of the formula that gives what another formula of this reach reads."""
        return {"own_pairs": "chunk-pairs", "earlier": "blocks-before"}.get(symbol) or self.formula(symbol)

    def expression(self, what: str) -> sympy.Expr:
        """Its pairs or entries as SymPy, in the length of the sequence."""
        import sympy

        from aiinfra.engine.formula import formula
        from aiinfra.symbols import SYMBOLS

        given = {"sequence": SYMBOLS["sequence"]} | {name: sympy.Integer(n) for name, n in self.inputs().items()}

        def put(key: str) -> sympy.Expr:
            expr = formula(key).right
            return expr.xreplace({s: given[s.name] if s.name in given else put(self.source(s.name)) for s in expr.free_symbols})

        return put(self.formula(what))

    def _count(self, what: str, length: int) -> int:
        if length <= 0:
            return 0
        if self.kind == "fixed":
            return 1 if what == "entries" else length
        key = self.formula(what)
        return self._run(key, {"sequence": length} | self.inputs()) if key else length

    def _run(self, key: str, given: dict[str, int]) -> int:
        record = table().record(key)
        return record.point(*[given[name] if name in given else self._run(self.source(name), given) for name in record.inputs])


FULL = Reach()
FIXED = Reach("fixed")


class Kind(NamedTuple):
    """How a row is counted: the formulas of its parameters and of its operations."""

    parameters: str
    flops: str


KINDS = {
    "matrix": Kind("matrix-parameters", "matrix-flops"),
    "table": Kind("matrix-parameters", ""),  # rows are looked up, not multiplied
    "vector": Kind("matrix-parameters", ""),
    "convolution": Kind("matrix-parameters", "convolution-flops"),
    "product": Kind("", "matrix-flops"),  # by factors that are computed for each token, not stored
    "attention": Kind("", "attention-flops"),
    "index": Kind("", "index-flops"),
    "gated recurrence": Kind("", "gated-recurrence-flops"),
    "delta rule": Kind("", "delta-rule-flops"),
}


@dataclass(frozen=True)
class Row:
    """One matrix, vector or operator, the same in ``layers`` layers.

    ``copies`` are stored in each layer and ``used`` of them serve a token; they differ for experts. A row of scores and
    values has a ``reach`` in place of a shape, and ``phase`` where it is only for the prompt or only for decoding.
    """

    part: str
    name: str
    kind: str
    d_in: Dim = "1"
    d_out: Dim = "1"
    bias: bool = False
    copies: Dim = "1"
    used: Dim = "1"
    reach: Reach | None = None
    d_key: Dim = "1"
    d_value: Dim = "1"
    phase: str = ""
    tied: bool = False  # uses a table that another row stores
    buffer: bool = False  # kept in checkpoints, not trained
    per: str = "token"  # what it works on: each token; the last one (the output head); latent: what is cached too, to expand it
    section: str = "language"
    module: str = ""  # path below the layer, as checkpoints name it
    cut: str = ""  # d_in or d_out, where a plain number is what tensor parallelism divides
    layers: int = 1
    indices: tuple[int, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict, hash=False)
    format: Format = FORMATS["bf16"]

    def __repr__(self) -> str:
        shape = f"{self.d_in} × {self.d_out}" if KINDS[self.kind].parameters else self.kind
        return f"<Row {self.name}: {shape}, {self.layers} layers>"

    def but(self, **changes) -> Row:
        """A copy with other values: what `dataclasses.replace` does, at a tenth of its cost."""
        new = object.__new__(Row)
        new.__dict__.update(self.__dict__, **changes)
        for name in ("_sizes", "one", "bytes_of_one"):  # computed from what may have changed
            new.__dict__.pop(name, None)
        return new

    @cached_property
    def _sizes(self) -> dict[Dim, int]:
        return {}

    def value(self, dim: Dim) -> int:
        """A size as a number, kept."""
        found = self._sizes.get(dim)
        if found is None:
            found = self._sizes[dim] = size(dim, self.values)
        return found

    @property
    def shape(self) -> str:
        """Input × output in numbers, where the row has weights."""
        return f"{self.value(self.d_in):,} × {self.value(self.d_out):,}" if KINDS[self.kind].parameters else ""

    @cached_property
    def one(self) -> int:
        """Parameters of one copy in one layer."""
        key = KINDS[self.kind].parameters
        if not key:
            return 0
        return self._run(key, {"d_in": self.value(self.d_in), "d_out": self.value(self.d_out), "biased": int(self.bias)})

    @property
    def parameters(self) -> int:
        """Parameters, all layers and copies."""
        return 0 if self.tied else self.one * self.value(self.copies) * self.layers

    @property
    def active(self) -> int:
        """Parameters that serve one token; a token table counts whole."""
        return 0 if self.tied else self.one * self.value(self.used) * self.layers

    @cached_property
    def bytes_of_one(self) -> float:
        """Bytes of one copy in one layer, scales included."""
        if not KINDS[self.kind].parameters:
            return 0
        d_in, d_out, f = self.value(self.d_in), self.value(self.d_out), self.format
        inputs = {
            "d_in": d_in, "d_out": d_out, "biased": int(self.bias), "b_w": f.element, "b_scale": f.scale, "b_tensor": f.tensor,
            "group_in": f.group_in or d_in, "group_out": f.group_out or d_out,
        }  # fmt: skip
        return self._run("matrix-bytes", inputs)

    @property
    def bytes(self) -> float:
        """Bytes as stored, all layers and copies."""
        return 0 if self.tied else self.bytes_of_one * self.value(self.copies) * self.layers

    def read(self, tokens: int) -> float:
        """Weight bytes read for ``tokens`` tokens at once, each byte once; of experts, those touched on average."""
        if self.kind == "table":
            rows = min(tokens, self.value(self.d_in))
            return self.bytes * rows / self.value(self.d_in)
        if self.copies == self.used or tokens == 0:
            return self.bytes_of_one * self.value(self.copies) * self.layers if tokens else 0
        inputs = {"n_expert": self.value(self.copies), "n_chosen": self.value(self.used), "tokens": tokens}
        return self.bytes_of_one * self._run("experts-touched", inputs) * self.layers

    def flops(self, tokens: int, pairs: int) -> int:
        """Operations for tokens that make so many pairs; a multiply-add counts as two."""
        key = KINDS[self.kind].flops
        if not key:
            return 0
        tokens = tokens * self.value(self.used)
        return self._run(key, self._inputs(tokens, pairs)) * self.layers

    def _inputs(self, tokens: int, pairs: int) -> dict[str, int]:
        sizes = {name: self.value(getattr(self, name)) for name in ("d_in", "d_out", "d_key", "d_value")}
        return {**self.values, **sizes, "tokens": tokens, "pairs": pairs, "taps": sizes["d_in"]}

    def _run(self, key: str, inputs: Mapping[str, float]) -> int:
        record = table().record(key)
        return record.point(*[inputs[name] for name in record.inputs])

    def expression(self, what: str = "parameters", shared: Mapping[str, int] | None = None) -> sympy.Expr:
        """Its parameters, or its operations on one sequence, as SymPy: all layers, in the symbols of the model.

        ``shared`` holds the symbols that mean the same in all rows of a sum; others give their numbers.
        """
        import sympy

        from aiinfra.engine.formula import formula
        from aiinfra.symbols import SYMBOLS

        key = KINDS[self.kind].parameters if what == "parameters" else KINDS[self.kind].flops
        if not key:
            return sympy.Integer(0)
        expr = formula(key).right
        put = {SYMBOLS[n]: symbolic(getattr(self, n), self.values, shared) for n in ("d_in", "d_out", "d_key", "d_value")}
        put |= {SYMBOLS["biased"]: sympy.Integer(int(self.bias)), SYMBOLS["taps"]: symbolic(self.d_in, self.values, shared)}
        if what != "parameters":
            put[SYMBOLS["tokens"]] = SYMBOLS["sequence"] * symbolic(self.used, self.values, shared)
            if self.reach is not None:
                put[SYMBOLS["pairs"]] = self.reach.expression("pairs")
        expr = expr.xreplace({s: e for s, e in put.items() if s in expr.free_symbols})
        others = {s: self.values[s.name] for s in expr.free_symbols if shared is not None and self.values.get(s.name) != shared.get(s.name)}
        expr = expr.xreplace({s: sympy.Integer(n) for s, n in others.items() if s.name in self.values})
        copies = symbolic(self.copies, self.values, shared) if what == "parameters" else 1
        whole = shared is not None and shared.get("n_layer") == self.layers and len(self.indices) == self.layers
        if self.tied and what == "parameters":
            return sympy.Integer(0)
        return expr * copies * (SYMBOLS["n_layer"] if whole else self.layers)


@dataclass(frozen=True)
class StateRow:
    """What each of ``layers`` layers keeps of a request: entries of a fixed width.

    ``stored`` says how many entries there are after so many tokens, ``read`` how many of them a decode step reads, in
    ``readers`` layers, which are more than ``layers`` where layers share a cache. ``reader`` names the row that reads it.
    """

    part: str
    name: str
    width: Dim
    reader: str
    stored: Reach = FULL
    read: Reach | None = None
    format: str = "kv"  # the cache's own format, or the name of a fixed one
    section: str = "language"
    layers: int = 1
    readers: int | None = None
    indices: tuple[int, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict, hash=False)

    def __repr__(self) -> str:
        return f"<StateRow {self.name}: {self.width}, {self.layers} layers>"

    @property
    def grows(self) -> bool:
        """True where it holds entries of tokens; False for a state of fixed size."""
        return self.stored.kind != "fixed"

    @property
    def reading(self) -> int:
        """Layers that read it."""
        return self.layers if self.readers is None else self.readers

    def entry(self, b_kv: float) -> float:
        """Bytes of one entry in one layer."""
        element = b_kv if self.format == "kv" else FORMATS[self.format].element
        record = table().record("layer-state-bytes")
        given = {"kept": 1, "d_entry": size(self.width, self.values), "b_kv": element}
        return record.point(*[given[name] for name in record.inputs])

    def bytes(self, context: int, b_kv: float) -> float:
        """Bytes kept after ``context`` tokens, all layers."""
        return self.stored.entries(context) * self.entry(b_kv) * self.layers

    def bytes_read(self, context: int, b_kv: float) -> float:
        """Bytes that a decode step reads with ``context`` tokens, the newest included, all layers that read it."""
        return (self.read or self.stored).entries(context) * self.entry(b_kv) * self.reading

    def written(self, before: int, after: int, b_kv: float) -> float:
        """Bytes written while the context grows: an entry for each token or group, or once what has a fixed size."""
        entries = after - before  # every token writes its entry, even where a window drops it before the end
        if not self.grows:
            entries = 1
        elif self.stored.kind == "compressed":
            entries = self.stored.entries(after) - self.stored.entries(before)
        return entries * self.entry(b_kv) * self.layers

    def paged(self, context: int, b_kv: float, block: int, windows: str) -> float:
        """Bytes in whole pages of ``block`` entries; windows ``capped`` hold what they may touch, ``unified`` all tokens."""
        entry = self.entry(b_kv) * self.layers
        if not self.grows:
            return entry
        if self.stored.kind in ("window", "chunk") and windows == "unified":
            held = context
        else:
            held = self.stored.entries(context)
        pages = -(-held // block)
        if self.stored.kind == "window" and windows == "capped" and context > self.stored.size:
            pages = min(-(-context // block), -(-(self.stored.size - 1) // block) + 1)  # a window may begin inside a page
        return pages * block * entry
