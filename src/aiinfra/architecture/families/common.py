"""What many families share: heads, windows, the order of norms, and the tables around the layers."""

from __future__ import annotations

from collections.abc import Callable

from aiinfra.architecture import quantization
from aiinfra.architecture.config import DTYPES, Config
from aiinfra.architecture.model import Architecture, Block
from aiinfra.architecture.parts import Norm, Part
from aiinfra.architecture.rows import FULL, Dim, Reach, Row
from aiinfra.architecture.tables import Embedding, Head
from aiinfra.errors import ConfigError


def absent(config: Config, name: str, default: int | None) -> int | None:
    """A class's default where a field is missing; None where it is null, which means something else."""
    return None if name in config.table else default


def heads(config: Config, *, kv_default: int | None = None, d_head: int | None = None) -> dict[str, int]:
    """Query heads, key/value heads and their width; a width that is not given is that of the model over the heads."""
    n_q = config.count("num_attention_heads")
    n_kv = config.count("num_key_value_heads", default=absent(config, "num_key_value_heads", kv_default) or n_q)
    if n_q % n_kv:
        raise ConfigError(f"{config.where}: num_attention_heads = {n_q} is no multiple of num_key_value_heads = {n_kv}")
    d_head = config.count("head_dim", default=absent(config, "head_dim", d_head))
    if d_head is None:
        d_model = config.count("hidden_size")
        if d_model % n_q:
            raise ConfigError(f"{config.where}: hidden_size = {d_model} is no multiple of num_attention_heads = {n_q}; head_dim is missing")
        d_head = d_model // n_q
    return {"n_q": n_q, "n_kv": n_kv, "d_head": d_head}


def layer_reaches(
    config: Config,
    n_layer: int,
    *,
    window_by_default: bool = True,
    window: int | None = None,
    local: Callable[[int], object] | None = None,
) -> list[Reach]:
    """The reach of every layer: from ``layer_types`` where the config has it, else by the family's rule.

    ``window`` is the class's default where the field is missing; ``local`` says which layers have it (None: all of them).
    """
    size = config.count("sliding_window", default=absent(config, "sliding_window", window), least=0) or None
    if not config.flag("use_sliding_window", default=window_by_default):
        size = None
    types = config.words("layer_types", n_layer, ("full_attention", "sliding_attention"), default=None)
    if types is None:
        return [Reach("window", size) if size and (local is None or local(i)) else FULL for i in range(n_layer)]
    if size is None and "sliding_attention" in types:
        raise ConfigError(f"{config.where}: layer_types has sliding_attention, but sliding_window is missing or not in use")
    return [Reach("window", size) if t == "sliding_attention" else FULL for t in types]


def layer(norms: tuple[str, str, str, str], attention: Part, mlp: Part, *, bias: bool = False) -> tuple[Part, ...]:
    """A layer from the names of its norms: before and after the attention, before and after the MLP; empty where there is none.

    >>> len(layer(("input_layernorm", "", "", ""), Norm(), Norm()))
    3
    """
    first, second, third, last = (Norm(name=name, bias=bias) if name else None for name in norms)
    return tuple(part for part in (first, attention, second, third, mlp, last) if part is not None)


def standard_layer(
    attention: Part, mlp: Part, *, bias: bool = False, names: tuple[str, str] = ("input_layernorm", "post_attention_layernorm")
) -> tuple[Part, ...]:
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
    head_width: Dim = "d_model",
    side_by_side: bool = False,
    extra: tuple[Row, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Architecture:
    """The architecture from its layers; ``tied`` is the family's default where the config does not say."""
    tied = config.flag("tie_word_embeddings", default=tied)
    outer = (*((Embedding(),) if embedding is None else embedding), *((Norm(name="norm", bias=norm_bias),) if final_norm else ()))
    top = config.top or config
    stored = quantization.read(config)
    sizes = {
        "d_model": config.count("hidden_size", "n_embd", "d_model", "n_embed"),
        "vocab": config.count("vocab_size"),
        "max_context": config.count("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", default=None),
    }
    unread, dtype = config.unread(), config.dtype()
    if dtype == "fp8":
        warnings += ("dtype float8: tensors that no quantization_config names, and the cache, are counted at one byte an element",)
    return Architecture(
        key=key,
        family=family,
        **sizes,
        tied=tied,
        dtype=dtype,
        blocks=blocks,
        outer=(*outer, Head(tied=tied, bias=head_bias, width=head_width)),
        extra=extra,
        warnings=(*warnings, *((f"fields not read: {', '.join(unread)}",) if unread else ())),
        cache_format=quantization.cache_format(config) or dtype,
        side_by_side=side_by_side,
        quantization=stored,
        config=dict(top.table),
    )


def given_heads(config: Config) -> dict[str, int]:
    """Heads as `heads` reads them, where the family has fixed defaults that need not fit: nothing may be missing."""
    for name in ("num_key_value_heads", "head_dim"):
        config.count(name)
    return heads(config)


def state_format(config: Config, *names: str, default: str = "fp32") -> str:
    """The format of a recurrent state."""
    name = config.word(*names, default=None, among=tuple(DTYPES))
    return default if name is None else DTYPES[name]
