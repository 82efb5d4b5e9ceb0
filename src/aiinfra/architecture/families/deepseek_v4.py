"""DeepSeek-V4: one key vector for all heads, a window, and history compressed by a fixed ratio, all of it or the best of it.

A layer's residual stream is several vectors, which small matrices mix before and after each part (hyper-connections).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble
from aiinfra.architecture.families.deepseek import INDEX_KEYS, NO_COPIES, experts, shared_head
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import Norm, Other, Part
from aiinfra.architecture.rows import Reach, Row, StateRow
from aiinfra.errors import ConfigError, brief

KINDS = {"sliding_attention": 0, "compressed_sparse_attention": 4, "heavily_compressed_attention": 128}  # and tokens to an entry
OPEN = (
    "the sums that compress groups into entries are not counted: their matrices are",
    "what waits to be compressed is counted in FP32, as an engine keeps it: whole groups, of which a step reads its share",
    "the table that routes tokens in the first layers is counted as a buffer, in the format of the model; files hold whole numbers",
)


@dataclass(frozen=True, kw_only=True)
class CompressedAttention(Part):
    """Attention with one vector per token as key and value of all heads: those of a window, and entries that stand for groups.

    ``ratio`` tokens make an entry, from ``overlap`` groups; ``chosen`` entries are met where there is an index, else all.
    The output's first matrix is cut into groups of heads: ``output`` holds how many, and each one's width.
    """

    part = "attention"
    path: str = "self_attn"
    n_q: int
    d_head: int
    d_latent_q: int
    window: int
    output: tuple[int, int]
    ratio: int | None = None
    overlap: str = "1"
    chosen: int | None = None

    def rows(self) -> Iterator[Row]:
        groups, rank = self.output
        yield self.matrix("q_a_proj", "d_model", "d_latent_q")
        yield self.vector("q_a_norm", "d_latent_q")
        yield self.matrix("q_b_proj", "d_latent_q", "n_q*d_head")
        yield self.matrix("kv_proj", "d_model", "d_head")
        yield self.vector("kv_norm", "d_head")
        # each group of heads meets its own part of this matrix only, so that it is as narrow as a group
        yield self.matrix("o_a_proj", str(self.n_q * self.d_head // groups), str(groups * rank), cut="d_out")
        yield self.matrix("o_b_proj", str(groups * rank), "d_model", cut="d_in")
        yield self.vector("sinks", "n_q")
        same = {"kind": "attention", "d_key": "d_head", "d_value": "d_head"}
        yield Row(self.part, "scores and values, window", reach=Reach("window", self.window), **same)
        if self.ratio is not None:
            yield from compressor(self, "compressor", "d_head", self.ratio, self.overlap)
            yield Row(self.part, "scores and values, compressed", reach=self.met, **same)

    @property
    def met(self) -> Reach:
        """The compressed entries that a token meets."""
        return Reach("compressed", self.ratio) if self.chosen is None else Reach("chosen", self.ratio, self.chosen)

    def state(self) -> Iterator[StateRow]:
        yield StateRow(self.part, "window", "d_head", "scores and values, window", Reach("window", self.window))
        if self.ratio is not None:
            reader = "scores and values, compressed"
            yield StateRow(self.part, "compressed entries", "d_head", reader, Reach("compressed", self.ratio), self.met)
            yield waiting(self.part, "d_head", self.ratio, self.overlap)


@dataclass(frozen=True, kw_only=True)
class CompressedIndex(Part):
    """An index over compressed entries, with compressed keys of its own."""

    part = "index"
    path: str = "self_attn.compressor.indexer"
    n_index: int
    d_index: int
    d_latent_q: int
    ratio: int
    overlap: str

    def rows(self) -> Iterator[Row]:
        yield from compressor(self, "", "d_index", self.ratio, self.overlap)
        yield self.matrix("q_b_proj", "d_latent_q", "n_index*d_index")
        yield self.matrix("weights_proj", "d_model", "n_index", module="scorer.weights_proj")
        yield Row(self.part, "index scores", "index", reach=Reach("compressed", self.ratio))

    def state(self) -> Iterator[StateRow]:
        yield StateRow(self.part, "index keys", "d_index", "index scores", Reach("compressed", self.ratio))
        yield waiting(self.part, "d_index", self.ratio, self.overlap)


def compressor(owner: Part, path: str, width: str, ratio: int, overlap: str) -> Iterator[Row]:
    """What makes one entry of ``width`` from a group of tokens: contents, their weights, a table of positions, a norm."""
    wide, before = width if overlap == "1" else f"{overlap}*{width}", f"{path}." if path else ""
    yield owner.matrix("compressor kv_proj", "d_model", wide, module=f"{before}kv_proj")
    yield owner.matrix("compressor gate_proj", "d_model", wide, module=f"{before}gate_proj")
    yield owner.matrix("compressor position_bias", str(ratio), wide, kind="vector", module=f"{before}position_bias")
    yield owner.vector("compressor kv_norm", width, module=f"{before}kv_norm")


def waiting(part: str, width: str, ratio: int, overlap: str) -> StateRow:
    """Contents and weights of the tokens whose group is not complete, and of the groups that the next entry overlaps."""
    groups = int(overlap)
    # all rows are read when a group is complete: in each step, a share of one in ratio
    kept, read = Reach("window", groups * ratio), Reach("window", groups)
    return StateRow(part, "waiting", f"{2 * groups}*{width}", "compressor kv_proj", kept, read, format="fp32")


@cache
def connections(streams: int, name: str) -> Other:
    """The matrix that computes how the residual streams are mixed around one part, from all of them."""
    mixes = str((2 + streams) * streams)
    rows = (
        Row("hyper-connection", f"{name}.fn", "matrix", f"{streams}*d_model", mixes, module=f"{name}.fn"),
        Row("hyper-connection", f"{name}.base", "vector", "1", mixes, module=f"{name}.base"),
        Row("hyper-connection", f"{name}.scale", "vector", "1", "3", module=f"{name}.scale"),
        # the streams are summed for the part, mixed with each other, and given its result: streams + 2 products per element
        Row("hyper-connection", "mixing of streams", "product", str(streams + 2), f"{streams}*d_model"),
    )
    return Other(given=rows)


@cache
def collected(streams: int, name: str) -> Other:
    """What makes one vector of the residual streams at the end."""
    rows = (
        Row("hyper-connection", f"{name}.hc_fn", "matrix", f"{streams}*d_model", str(streams), module=f"{name}.hc_fn"),
        Row("hyper-connection", f"{name}.hc_base", "vector", "1", str(streams), module=f"{name}.hc_base"),
        Row("hyper-connection", f"{name}.hc_scale", "vector", "1", "1", module=f"{name}.hc_scale"),
        Row("hyper-connection", "sum of streams", "product", str(streams), "d_model"),
    )
    return Other(given=rows)


def read(config: Config, key: str) -> Architecture:
    """deepseek_v4, and deepseek_ref: the same layout in files that hold sizes only."""
    n_layer = config.layers("num_hidden_layers")
    further = config.count("num_nextn_predict_layers", "num_mtp_layers", default=0, least=0, most=100)
    streams = config.count("hc_mult", most=64)
    kinds = layer_kinds(config, n_layer, further)
    ratios = compression(config, kinds)
    attention = {kind: mixer(config, ratios[kind], sparse=kind == "compressed_sparse_attention") for kind in dict.fromkeys(kinds)}
    hashed = hash_layers(config, n_layer)
    moe, by_table = feeds(config)

    def layer(mixing: tuple[Part, ...], feed: tuple[Part, ...]) -> tuple[Part, ...]:
        before = connections(streams, "attn_hc"), Norm(name="input_layernorm")
        return (*before, *mixing, connections(streams, "ffn_hc"), Norm(name="post_attention_layernorm"), *feed)

    layers = [layer(attention[kind], by_table if routed else moe) for kind, routed in zip(kinds, hashed, strict=True)]
    joined = Other(
        given=(
            *(Row("mtp", name, "vector", "1", "d_model", module=name) for name in ("enorm", "hnorm")),
            *(Row("mtp", name, "matrix", "d_model", "d_model", module=name) for name in ("e_proj", "h_proj")),
        )
    )
    last = (joined, *layer(mixer(config, None), moe), Norm(name="norm"), collected(streams, "hc_head"), shared_head())
    blocks = group(layers) + group([last] * further, section="mtp", first=n_layer)
    for name in (
        "expert_dtype",
        "compress_rope_theta",
        "hc_sinkhorn_iters",
        "swiglu_limit",
        "topk_method",
    ):  # the first is read with the formats
        config.raw(name, default=None)
    warnings = (*OPEN, INDEX_KEYS, *((NO_COPIES,) if further else ()))
    found = assemble(config, key, config.word("model_type"), blocks, warnings=warnings)
    return replace(found, outer=(*found.outer, collected(streams, "hc_head")))


def layer_kinds(config: Config, n_layer: int, further: int) -> list[str]:
    """The kind of each layer: from ``layer_types``, or from ``compress_ratios``, whose last entries may be of further-token layers."""
    types = config.words("layer_types", n_layer, tuple(KINDS), default=None)
    given = config.items("compress_ratios", None, default=None)
    if given is None:
        if types is None:
            raise ConfigError(f"{config.where}: field layer_types or compress_ratios is missing: nothing says which layers compress")
        return types
    if len(given) not in (n_layer, n_layer + further):
        raise ConfigError(f"{config.where}: compress_ratios has {len(given)} items for {n_layer} layers and {further} for further tokens")
    names = {ratio: kind for kind, ratio in KINDS.items()}
    for ratio in given:
        if isinstance(ratio, bool) or ratio not in names:
            raise ConfigError(f"{config.where}: compress_ratios holds {brief(ratio)}; known: {', '.join(map(str, names))}")
    if any(given[n_layer:]):
        raise ConfigError(f"{config.where}: compress_ratios compresses in layers for further tokens; no reference does")
    found = [names[ratio] for ratio in given[:n_layer]]
    if types is not None and types != found:
        raise ConfigError(f"{config.where}: layer_types contradicts compress_ratios")
    return found


def compression(config: Config, kinds: list[str]) -> dict[str, int | None]:
    """Tokens that make one entry, by the kind of layer; None where nothing is compressed."""
    rates = config.part("compress_rates", default=None)
    given = {} if rates is None else {kind: rates.count(kind, default=None) for kind in KINDS if kind in rates}
    return {kind: given.get(kind, KINDS[kind]) or None for kind in kinds}


def mixer(config: Config, ratio: int | None, sparse: bool = False) -> tuple[Part, ...]:
    """The attention of one kind of layer, and its index where it has one."""
    n_q, d_head, d_latent_q = config.count("num_attention_heads"), config.count("head_dim"), config.count("q_lora_rank")
    groups, rank = config.count("o_groups"), config.count("o_lora_rank")
    if config.count("num_key_value_heads", default=1) != 1:
        raise config.refuse("num_key_value_heads", "1: all heads share one vector as key and value")
    if n_q * d_head % groups:
        raise ConfigError(f"{config.where}: num_attention_heads * head_dim = {n_q * d_head} is no multiple of o_groups = {groups}")
    if (rotary := config.count("qk_rope_head_dim", default=64)) > d_head:
        raise ConfigError(f"{config.where}: qk_rope_head_dim = {rotary} is more than head_dim = {d_head}")
    for name in ("attention_bias", "mlp_bias"):
        config.refuse_if(name, "no reference says where such a bias would be", (None, False))
    n_index, d_index, best = config.count("index_n_heads"), config.count("index_head_dim"), config.count("index_topk")
    overlap = "2" if sparse else "1"
    attention = CompressedAttention(
        n_q=n_q, d_head=d_head, d_latent_q=d_latent_q, window=config.count("sliding_window"), output=(groups, rank),
        ratio=ratio, overlap=overlap, chosen=best if sparse else None,
    )  # fmt: skip
    if not sparse:
        return (attention,)
    return attention, CompressedIndex(n_index=n_index, d_index=d_index, d_latent_q=d_latent_q, ratio=ratio, overlap=overlap)


def hash_layers(config: Config, n_layer: int) -> list[bool]:
    """Whether each layer finds a token's experts in a table: the first ``num_hash_layers``, or as ``mlp_layer_types`` says."""
    types = config.words("mlp_layer_types", n_layer, ("hash_moe", "moe"), default=None)
    first = config.count("num_hash_layers", default=None, least=0)
    if types is None and first is None:
        raise ConfigError(f"{config.where}: field num_hash_layers or mlp_layer_types is missing")
    found = [index < first for index in range(n_layer)] if types is None else [t == "hash_moe" for t in types]
    if first is not None and sum(found) != min(first, n_layer):
        raise ConfigError(f"{config.where}: num_hash_layers = {first}, but mlp_layer_types has {sum(found)} of them")
    return found


def feeds(config: Config) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """Experts with a router, and experts whose tokens come by a table; the router then only weighs them."""
    found = experts(config)
    if found.d_shared != found.d_expert:
        raise config.refuse("n_shared_experts", "1: the references differ in what more of them would be")
    other = config.count("intermediate_size", default=found.d_expert)
    if other != found.d_expert:
        raise ConfigError(
            f"{config.where}: intermediate_size = {other}, but moe_intermediate_size = {found.d_expert}, and no layer is dense"
        )
    table = Row("experts", "token to experts", "table", "vocab", str(found.n_chosen), buffer=True, module="mlp.gate.tid2eid")
    return (found,), (replace(found, correction=False), Other(given=(table,)))
