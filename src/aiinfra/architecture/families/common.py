"""What many families share: heads, windows, the order of norms, and the tables around the layers."""

from __future__ import annotations

from aiinfra.architecture import quantization
from aiinfra.architecture.config import Config
from aiinfra.architecture.model import Architecture, Block
from aiinfra.architecture.parts import Norm, Part
from aiinfra.architecture.rows import FULL, Reach, Row
from aiinfra.architecture.tables import Embedding, Head
from aiinfra.errors import ConfigError


def heads(config: Config, *, kv_default: int | None = None) -> dict[str, int]:
    """Query heads, key/value heads and their width; a width that is not given is that of the model over the heads."""
    n_q = config.count("num_attention_heads")
    n_kv = config.count("num_key_value_heads", default=kv_default or n_q)
    if n_q % n_kv:
        raise ConfigError(f"{config.where}: num_attention_heads = {n_q} is no multiple of num_key_value_heads = {n_kv}")
    d_head = config.count("head_dim", default=None)
    if d_head is None:
        d_model = config.count("hidden_size")
        if d_model % n_q:
            raise ConfigError(f"{config.where}: hidden_size = {d_model} is no multiple of num_attention_heads = {n_q}, and head_dim is missing")
        d_head = d_model // n_q
    return {"n_q": n_q, "n_kv": n_kv, "d_head": d_head}


def layer_reaches(config: Config, n_layer: int, *, window_by_default: bool = True) -> list[Reach]:
    """The reach of every layer: from ``layer_types`` where the config has it, else one window or none for all."""
    size = config.count("sliding_window", default=None)
    if not config.flag("use_sliding_window", default=window_by_default):
        size = None
    types = config.words("layer_types", n_layer, ("full_attention", "sliding_attention"), default=None)
    if types is None:
        return [Reach("window", size) if size else FULL] * n_layer
    if size is None and "sliding_attention" in types:
        raise ConfigError(f"{config.where}: layer_types has sliding_attention, but sliding_window is missing")
    return [Reach("window", size) if t == "sliding_attention" else FULL for t in types]


def standard_layer(attention: Part, mlp: Part, *, bias: bool = False, names: tuple[str, str] = ("input_layernorm", "post_attention_layernorm")):
    """A pre-norm layer: norm, attention, norm, MLP."""
    return Norm(name=names[0], bias=bias), attention, Norm(name=names[1], bias=bias), mlp


def assemble(
    config: Config,
    key: str,
    family: str,
    blocks: tuple[Block, ...],
    *,
    norm_bias: bool = False,
    final_norm: bool = True,
    tied: bool = False,
    embedding: tuple[Part, ...] | None = None,
    head_bias: bool = False,
    extra: tuple[Row, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Architecture:
    """The architecture from its layers; ``tied`` is the family's default where the config does not say."""
    tied = config.flag("tie_word_embeddings", default=tied)
    outer = (*((Embedding(),) if embedding is None else embedding), *((Norm(name="norm", bias=norm_bias),) if final_norm else ()))
    top = config.top or config
    stored = quantization.read(top)
    sizes = {
        "d_model": config.count("hidden_size", "n_embd", "d_model"),
        "vocab": config.count("vocab_size"),
        "max_context": config.count("max_position_embeddings", "n_positions", "max_seq_len", default=None),
    }
    unread = config.unread()
    return Architecture(
        key=key,
        family=family,
        **sizes,
        tied=tied,
        dtype=config.dtype(),
        blocks=blocks,
        outer=(*outer, Head(tied=tied, bias=head_bias)),
        extra=extra,
        warnings=(*warnings, *((f"fields not read: {', '.join(unread)}",) if unread else ())),
        cache_format=quantization.cache_format(top) or config.dtype(),
        quantization=stored,
        config=top.table,
    )
