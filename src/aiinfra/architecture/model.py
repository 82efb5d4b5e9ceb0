"""A model as its layers: the typed architecture that a family's reader makes from a config."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from aiinfra.architecture.parts import Attention, Experts, LatentAttention, Norm, Other, Part, Recurrent
from aiinfra.architecture.quantization import Quantization, kept
from aiinfra.architecture.rows import Row, StateRow
from aiinfra.engine.table import table
from aiinfra.formats import FORMATS, bytes_of, format_of


@dataclass(frozen=True)
class Block:
    """Layers that are alike: their indices and the parts of each."""

    indices: tuple[int, ...]
    parts: tuple[Part, ...]
    section: str = "language"  # or mtp: layers that only predict further tokens

    def __len__(self) -> int:
        return len(self.indices)

    def find(self, kind: type) -> list:
        return [p for p in self.parts if isinstance(p, kind)]


@dataclass(frozen=True)
class Architecture:
    """A decoder, typed. ``outer`` are the rows outside the layers: token tables, final norm, output head.

    ``extra`` are rows of other sections, such as a vision tower; ``warnings`` say what was assumed.
    """

    kind = "model"
    key: str
    family: str
    d_model: int
    vocab: int
    tied: bool
    max_context: int | None
    dtype: str
    blocks: tuple[Block, ...]
    outer: tuple[Part, ...]
    extra: tuple[Row, ...] = ()
    warnings: tuple[str, ...] = ()
    cache_format: str = "bf16"
    side_by_side: bool = False  # attention and MLP of a layer read the same vector: their results may be added before an exchange
    quantization: Quantization | None = field(default=None, compare=False)  # follows from the config
    config: Mapping = field(default_factory=dict, repr=False)

    @property
    def n_layer(self) -> int:
        """Layers of the language model."""
        return sum(len(b) for b in self.blocks if b.section == "language")

    @cached_property
    def base(self) -> dict[str, int]:
        """Sizes that all rows may refer to."""
        return {"d_model": self.d_model, "vocab": self.vocab}

    def rows(self) -> Iterator[Row]:
        """All rows, embedding first, head last; formats are those of the config's own dtype."""
        for part in self.outer:
            values = self.base | part.sizes()
            yield from (row.but(values=values) for row in part.rows() if row.part != "head")
        for block in self.blocks:
            for part in block.parts:
                values = self.base | part.sizes()
                more = {"layers": len(block), "indices": block.indices, "section": block.section, "values": values}
                yield from (row.but(**more) for row in part.rows())
        for part in self.outer:
            values = self.base | part.sizes()
            yield from (row.but(values=values) for row in part.rows() if row.part == "head")
        yield from self.extra

    def formatted(self, weights: str | None = None) -> Iterator[Row]:
        """All rows in their formats: those of the config, or ``weights`` for every matrix of the layers.

        Layers that are alike but stored in different formats become rows of their own.
        """
        own = FORMATS[self.dtype]
        forced = None if weights is None else format_of(weights)
        if weights in ("fp32", "bf16", "fp16"):  # formats in which vectors and token tables are kept too
            own = forced
        for row in self.rows():
            if forced is not None:
                yield row.but(format=forced if row.kind == "matrix" and row.indices and not kept(row) else own)
            elif self.quantization is None or row.kind != "matrix":
                yield row.but(format=own)
            else:
                yield from self.quantization.split(row, own)

    def state(self) -> Iterator[StateRow]:
        """What the layers keep of a request."""
        for block in self.blocks:
            for part in block.parts:
                values = self.base | part.sizes()
                for row in part.state():
                    more = {"layers": row.layers * len(block), "readers": row.reading * len(block), "section": block.section}
                    yield replace(row, values=values, indices=block.indices, **more)

    def ledger(self, weights: str | None = None, kv: str | None = None, tp: int = 1):
        """The ledger: in the config's own formats, or with all matrices of the layers in ``weights`` and the cache in ``kv``.

        With ``tp`` above one, that of one of so many devices under tensor parallelism.
        """
        from aiinfra.architecture.ledger import Ledger

        return Ledger(self, weights, kv, tp)

    # An entry of the catalogue, for formulas

    @property
    def uniform(self) -> Attention | None:
        """The attention of all layers, where they are alike and attend to everything; else None."""
        kinds = (Attention, LatentAttention, Recurrent)
        found = {p for b in self.blocks if b.section == "language" for p in b.parts if isinstance(p, kinds)}
        one = next(iter(found)) if len(found) == 1 else None
        plain = isinstance(one, Attention) and one.reach.kind == "full" and not (one.same or one.reuse or one.d_value)
        return one if plain and all(len(b.find(Attention)) == 1 for b in self.blocks if b.section == "language") else None

    def symbols(self, dtype: str | None = None) -> dict:
        """Values by symbol name, as far as one value holds for the whole model; a new mapping each time."""
        return dict(self._symbols)

    @cached_property
    def _symbols(self) -> dict:
        element = bytes_of(self.dtype)
        found = self.base | {"n_layer": self.n_layer, "n_param": self.ledger().parameters, "untied": int(not self.tied)}
        found |= {"b_w": element, "b_kv": element, "b_act": element}
        if self.uniform:
            found |= {"n_q": self.uniform.n_q, "n_kv": self.uniform.n_kv, "d_head": self.uniform.d_head}
        values: dict[str, set] = {}
        for block in self.blocks:
            if block.section == "language":
                for part in block.parts:
                    for name, value in part.sizes().items():
                        values.setdefault(name, set()).add(value)
        full = ("n_q", "n_kv", "d_head")  # of other layers these would read as if all keys and values were kept
        declared = table().symbols
        return {n: next(iter(v)) for n, v in values.items() if len(v) == 1 and n in declared and n not in full} | found

    def agreed(self, name: str) -> int | None:
        """A size that all layers which have it share, such as the query heads; None where they differ."""
        found = {getattr(p, name) for b in self.blocks if b.section == "language" for p in b.parts if type(getattr(p, name, None)) is int}
        return next(iter(found)) if len(found) == 1 else None

    @property
    def dense(self) -> bool:
        """Whether every token passes through every weight of the layers."""
        return not any(b.find(Experts) for b in self.blocks if b.section == "language")

    @property
    def published_format(self) -> str:
        """The format of the published weights, where they are not quantised."""
        return self.dtype

    def source_of(self, symbol: str) -> None:
        """A config that is no entry of the catalogue has no source."""
        return None

    def lacks(self, symbol: str, dtype: str | None = None) -> str:
        """Why it does not supply a symbol that dense models have, in words."""
        if symbol in ("n_q", "n_kv", "d_head") and not self.uniform:
            return f"{self.key} has no single value: its layers are not all of one full attention; its ledger counts them"
        return ""

    @cached_property
    def refuses(self) -> Mapping[str, str]:
        """Symbols that a formula for dense models must not define for this one, and why."""
        tables = [row.name for part in self.outer for row in part.rows() if row.kind == "table"]
        if not self.dense:
            why = f"{self.key} has experts, of which a step reads those that its batch touches; its ledger counts them"
        elif len(tables) > 1:
            why = f"{self.key} has a {tables[1]} beside the embedding, of which only rows are looked up; its ledger counts them"
        else:
            return {}
        return {"n_read": why, "n_block": why}

    def __hash__(self) -> int:
        return hash((self.key, self.family, self.d_model, self.vocab, self.n_layer))

    def __repr__(self) -> str:
        return f"<Architecture {self.key}: {self.family}, {self.n_layer} layers, {self.d_model:,} wide>"

    def describe(self) -> list[str]:
        """One line for each kind of layer."""
        lines = []
        for block in self.blocks:
            kinds = dict.fromkeys(p.part for p in block.parts if not isinstance(p, (Norm, Other)))
            apart = "" if block.section == "language" else f" ({block.section})"
            lines.append(f"{len(block)} layer{'s' * (len(block) > 1)}: {' + '.join(kinds)}{apart}")
        return lines


def group(layers: list[tuple[Part, ...]], section: str = "language", first: int = 0) -> tuple[Block, ...]:
    """Blocks of layers that are alike, in the order in which the kinds first occur."""
    found: dict[tuple[Part, ...], list[int]] = {}
    for index, parts in enumerate(layers, first):
        found.setdefault(parts, []).append(index)
    return tuple(Block(tuple(indices), parts, section) for parts, indices in found.items())
