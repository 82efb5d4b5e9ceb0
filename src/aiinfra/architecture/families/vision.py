"""Vision towers and projectors, as rows of their own sections, and the split of a multimodal config into its parts.

Their sizes are numbers, not symbols: the symbols of the book stand for the language model. Rows count weights and the
operations of matrices for each patch; the scores between the patches of an image are not among them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from aiinfra.architecture.config import Config
from aiinfra.architecture.model import Architecture
from aiinfra.architecture.rows import Row
from aiinfra.errors import ConfigError


def weight(
    name: str, d_in: int, d_out: int, bias: bool = False, *, layers: int = 1, section: str = "vision", kind: str = "matrix", path: str = ""
) -> Row:
    """One matrix of a tower or projector.

    >>> weight("fc1", 1152, 4304, True, layers=27).parameters
    133987824
    """
    module = f"{path}.{name}" if path else name
    return Row(section, name, kind, str(d_in), str(d_out), bias, section=section, layers=layers, module=module)


def vector(name: str, width: int, bias: bool = False, *, layers: int = 1, section: str = "vision", path: str = "") -> Row:
    """A norm, or another vector; with ``bias`` as many elements again."""
    return weight(name, 1, width, bias, layers=layers, section=section, kind="vector", path=path)


@dataclass(frozen=True, kw_only=True)
class Tower:
    """A transformer over image patches: patch embedding, learned positions, layers of attention and MLP.

    ``attention`` and ``mlp`` name their matrices: one name for queries, keys and values in one matrix, or three, and the
    output's; two for an MLP, or three with a gate first. ``queries`` and ``keys`` are widths over all heads, where they
    are not that of the tower.

    >>> tower = Tower(width=1152, inner=4304, depth=27, patch=16, frames=2, positions=2304)
    >>> sum(row.parameters for row in tower.rows())
    415891440
    """

    width: int
    inner: int
    depth: int
    patch: int
    channels: int = 3
    frames: int = 1
    patch_bias: bool = True
    patch_name: str = "patch_embed.proj"
    positions: int = 0
    position_name: str = "pos_embed"
    queries: int | None = None
    keys: int | None = None
    attention: tuple[str, ...] = ("attn.qkv", "attn.proj")
    mlp: tuple[str, ...] = ("mlp.fc1", "mlp.fc2")
    bias: bool = True
    mlp_bias: bool | None = None  # None: as the attention
    norms: tuple[str, ...] = ("norm1", "norm2")
    norm_bias: bool = True
    head_norm: int = 0  # width of the norms of queries and keys
    path: str = "visual"

    def rows(self) -> tuple[Row, ...]:
        """All rows of the tower."""
        d, many = self.width, {"layers": self.depth, "path": f"{self.path}.blocks"}
        mlp_bias = self.bias if self.mlp_bias is None else self.mlp_bias
        q, k = self.queries or d, self.keys or self.queries or d
        rows = [weight(self.patch_name, self.channels * self.frames * self.patch**2, d, self.patch_bias, path=self.path)]
        if self.positions:
            rows.append(weight(self.position_name, self.positions, d, kind="table", path=self.path))
        *inputs, output = self.attention
        widths = (q + 2 * k,) if len(inputs) == 1 else (q, k, k)
        rows += [weight(name, d, wide, self.bias, **many) for name, wide in zip(inputs, widths, strict=True)]
        rows.append(weight(output, q, d, self.bias, **many))
        if self.head_norm:
            rows += [vector(name, self.head_norm, **many) for name in ("q_norm", "k_norm")]
        *inputs, output = self.mlp
        rows += [weight(name, d, self.inner, mlp_bias, **many) for name in inputs]
        rows.append(weight(output, self.inner, d, mlp_bias, **many))
        rows += [vector(name, d, self.norm_bias, **many) for name in self.norms]
        return tuple(rows)


def projector(steps: tuple[tuple[str, int, int, bool], ...], *, norm: tuple[str, int, bool] | None = None, copies: int = 1, path: str = ""):
    """Rows of a projector: matrices by name, input, output and bias, and a norm by name, width and bias before them."""
    many = {"layers": copies, "section": "projector", "path": path}
    first = () if norm is None else (vector(*norm, **many),)
    return (*first, *(weight(*step, **many) for step in steps))


def text_of(config: Config, model_type: str, *, tied: bool = False, name: str = "text_config") -> Config:
    """The language model's part of a multimodal config, for the reader of ``model_type``; ``tied`` is the default.

    Older files have its fields beside those of the tower.
    """
    if name in config:
        text = config.part(name)
        inner, outer = (c.flag("tie_word_embeddings") if "tie_word_embeddings" in c else None for c in (text, config))
        if inner is not None and outer is not None and inner != outer:
            raise ConfigError(f"{config.where}: tie_word_embeddings = {outer}, but {text.where} says {inner}")
        table, tied = text.table, next((value for value in (outer, inner) if value is not None), tied)
        return Config({**table, "model_type": model_type, "tie_word_embeddings": tied}, text.where, text.top)
    config.raw("hidden_size")
    table = {n: v for n, v in config.table.items() if n not in ("vision_config", "audio_config")}
    config.read.update(table)
    return Config({"tie_word_embeddings": tied, **table, "model_type": model_type}, config.where, config.top or config)


def leftovers(*configs: Config | None) -> tuple[str, ...]:
    """Warnings of fields that nothing has read, for the parts of a config around its language model."""
    found = [(c.where, c.unread()) for c in configs if c is not None]
    return tuple(f"{where}: fields not read: {', '.join(names)}" for where, names in found if names)


def attach(architecture: Architecture, config: Config, family: str, extra: tuple[Row, ...], vision: Config | None) -> Architecture:
    """A language model with the rows of its tower and projector; a tower that the config lacks is said to be missing."""
    missing = () if vision is not None else ("no vision_config: the vision tower is left out",)
    warnings = (*architecture.warnings, *missing, *leftovers(config, vision))
    return replace(architecture, family=family, extra=(*architecture.extra, *extra), warnings=warnings)


def width_of(config: Config, name: str, text: Config) -> int:
    """The width that a projector ends in, which must be that of the language model."""
    width, model = config.count(name), text.count("hidden_size")
    if width != model:
        raise ConfigError(f"{config.where}: {name} = {width}, but {text.where}: hidden_size = {model}")
    return width
