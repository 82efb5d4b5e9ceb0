"""Gemma 3n and Gemma 4: per-layer inputs, layers that read the cache of earlier ones, wider heads in the global layers."""

from __future__ import annotations

from dataclasses import replace

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, given_heads
from aiinfra.architecture.families.vision import Tower, attach, projector, text_of, vector
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention, Experts, Norm, Other, Part
from aiinfra.architecture.rows import FULL, Reach, Row
from aiinfra.architecture.tables import Embedding
from aiinfra.errors import ConfigError

TYPES = ("sliding_attention", "full_attention")
# Fields of the tower that say how many tokens an image gives, not how its matrices are shaped
TOKENS = """pooling_kernel_size default_output_length image_seq_length video_seq_length max_position_embeddings global_head_dim""".split()
NORMS = ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")


def read(config: Config, key: str) -> Architecture:
    """gemma4_text."""
    n_layer = config.layers("num_hidden_layers")
    config.refuse_if("use_bidirectional_attention", "tokens that see later ones are no language model", allowed=(None, "vision"))
    kinds = layer_kinds(config, n_layer, 6)
    if kinds[-1] != "full_attention":
        raise ConfigError(f"{config.where}: layer_types ends in sliding_attention: the last layer of this family is full_attention")
    shapes, shared = head_shapes(config, kinds), kv_shared(config, kinds)
    same, bias, double = config.flag("attention_k_eq_v"), config.flag("attention_bias"), config.flag("use_double_wide_mlp")
    d_ff, window = config.count("intermediate_size"), Reach("window", config.count("sliding_window"))
    inputs, routed = per_layer_inputs(config, n_layer), experts(config)
    layers = []
    for kind, shape, reuse in zip(kinds, shapes, shared, strict=True):
        full = kind == "full_attention"
        attention = Attention(
            **shape, bias=bias, bias_o=bias, norm="head", value_from_key=same and full, reuse=reuse, reach=FULL if full else window
        )  # fmt: skip
        mlp = MLP(d_ff=2 * d_ff if double and reuse else d_ff)
        scalar = Other(given=(Row("norm", "layer_scalar", "vector", buffer=True, module="layer_scalar"),))
        layers.append((*map(named, NORMS), attention, mlp, *routed, *inputs, scalar))
    return assemble(config, key, "gemma4_text", group(layers), tied=True, embedding=tables(config, n_layer))


def read_multimodal(config: Config, key: str) -> Architecture:
    """gemma4: the same behind a vision tower; an audio tower is left out."""
    text = text_of(config, "gemma4_text", tied=True)
    config.raw("vision_soft_tokens_per_image", default=None)  # tokens, not shapes
    vision, audio = config.part("vision_config", default=None), config.part("audio_config", default=None)
    extra: tuple[Row, ...] = ()
    if vision is not None:
        step = ("embed_vision.embedding_projection", vision.count("hidden_size"), text.count("hidden_size"), False)
        extra = (*tower(vision), *projector((step,)))
    found = attach(read(text, key), config, "gemma4", extra, vision)
    return found if audio is None else replace(found, warnings=(*found.warnings, "audio_config: the audio tower is left out"))


def read_3n(config: Config, key: str) -> Architecture:
    """gemma3n_text: also AltUp, several copies of the residual stream, and LAuReL, a low-rank side path."""
    n_layer = config.layers("num_hidden_layers")
    kinds = layer_kinds(config, n_layer, 5)
    shape, bias, shared = given_heads(config), config.flag("attention_bias"), kv_shared(config, kinds)
    listed = isinstance(config.raw("intermediate_size"), list)
    widths = config.counts("intermediate_size", n_layer, least=1) if listed else [config.count("intermediate_size")] * n_layer
    window, inputs = Reach("window", config.count("sliding_window")), per_layer_inputs(config, n_layer)
    if not inputs:
        raise config.refuse("hidden_size_per_layer_input", "a width: this family has no layers without")
    for name in ("altup_coef_clip", "altup_correct_scale", "altup_active_idx"):
        config.raw(name, default=None)  # they change values, not shapes
    config.raw("activation_sparsity_pattern", default=None)  # values set to zero; no kernel is told to skip them
    copies, rank = config.count("altup_num_inputs"), config.count("laurel_rank")
    side = (altup(copies), laurel(rank), *map(named, ("router_norm", "post_laurel_norm")))
    layers = []
    for kind, d_ff, reuse in zip(kinds, widths, shared, strict=True):
        attention = Attention(**shape, bias=bias, bias_o=bias, norm="head", reuse=reuse, reach=FULL if kind == "full_attention" else window)
        layers.append((*map(named, NORMS), attention, MLP(d_ff=d_ff), *side, *inputs))
    many = {"copies": str(copies - 1), "used": str(copies - 1), "d_in": "d_model", "d_out": "d_model"}
    streams = tuple(Row("altup", name, "matrix", module=name, **many) for name in ("altup_projections", "altup_unembed_projections"))
    outer = (*tables(config, n_layer), *((Other(given=streams),) if copies > 1 else ()))
    warnings = ("the sums that AltUp takes over its copies of the residual stream are not counted",)
    return assemble(config, key, "gemma3n_text", group(layers), tied=True, embedding=outer, warnings=warnings)


def read_3n_multimodal(config: Config, key: str) -> Architecture:
    """gemma3n: the language model; its towers are left out."""
    text = text_of(config, "gemma3n_text", tied=True)
    towers = [name for name in ("vision_config", "audio_config") if config.part(name, default=None) is not None]
    found = attach(read_3n(text, key), config, "gemma3n", (), text)
    return replace(found, warnings=(*found.warnings, *(f"{name}: this tower is left out" for name in towers)))


def named(name: str) -> Norm:
    """A norm of the model's width."""
    return Norm(name=name)


def layer_kinds(config: Config, n_layer: int, every: int) -> list[str]:
    """Which layers are global: as the config says, else one in ``every``."""
    kinds = config.words("layer_types", n_layer, TYPES, default=None)
    return kinds or [TYPES[(i + 1) % every == 0] if i + 1 < n_layer or every == 5 else TYPES[1] for i in range(n_layer)]


def kv_shared(config: Config, kinds: list[str]) -> list[bool]:
    """Which layers read the cache of the last earlier layer of their kind that has keys and values."""
    many = config.count("num_kv_shared_layers", default=0, least=0)
    own = kinds[: len(kinds) - many] if many else kinds
    if many >= len(kinds) or set(own) != set(kinds):
        raise ConfigError(f"{config.where}: num_kv_shared_layers = {many}: layer_types leaves some of these layers no cache to read")
    return [i >= len(own) for i in range(len(kinds))]


def head_shapes(config: Config, kinds: list[str]) -> list[dict[str, int]]:
    """The heads of every layer: global layers have a width of their own, and with values made from keys a count too."""
    local = given_heads(config)
    wide, few = config.count("global_head_dim", default=512), config.count("num_global_key_value_heads", default=None)
    full = {**local, "d_head": wide, "n_kv": few if few and config.flag("attention_k_eq_v") else local["n_kv"]}
    found = [full if kind == "full_attention" else local for kind in kinds]
    named = config.part("per_layer_config", default=None)
    if named is not None:  # the form that transformers 5 writes: only the layers that differ
        layers = {int(n) if n.isdigit() else -1: n for n in named.table if isinstance(n, str)}
        if len(layers) != len(named.table) or any(not 0 <= i < len(kinds) for i in layers):
            raise ConfigError(f"{named.where}: its names must be layers from 0 to {len(kinds) - 1}")
        parts = {i: named.part(name) for i, name in layers.items()}
        found = [local] * len(kinds)
        for i, part in parts.items():
            d_head, n_kv = part.count("head_dim", default=None), part.count("num_key_value_heads", default=None)
            found[i] = local | ({"d_head": d_head} if d_head else {}) | ({"n_kv": n_kv} if n_kv else {})
    for shape in found:
        if shape["n_q"] % shape["n_kv"]:
            n_q, n_kv = shape["n_q"], shape["n_kv"]
            raise ConfigError(f"{config.where}: num_attention_heads = {n_q} is no multiple of num_global_key_value_heads = {n_kv}")
    return found


def experts(config: Config) -> tuple[Part, ...]:
    """The experts that some of the models have beside the MLP of every layer, with norms of their own."""
    if not config.flag("enable_moe_block"):
        for name in ("num_experts", "top_k_experts", "moe_intermediate_size", "expert_intermediate_size"):
            config.raw(name, default=None)
        return ()
    many = config.count("num_experts")
    routed = Experts(
        path="",
        n_expert=many,
        n_chosen=config.count("top_k_experts", most=many),
        d_expert=config.count("moe_intermediate_size", "expert_intermediate_size"),
        router_path="router.proj",
    )
    widths = (("router.scale", "d_model"), ("router.per_expert_scale", str(many)))
    scales = tuple(Row("experts", name, "vector", "1", width, module=name) for name, width in widths)
    norms = ("post_feedforward_layernorm_1", "post_feedforward_layernorm_2", "pre_feedforward_layernorm_2")
    return (routed, Other(given=scales), *map(named, norms))


def per_layer_inputs(config: Config, n_layer: int) -> tuple[Part, ...]:
    """What takes a token's own vector for this layer into the residual stream."""
    wide = config.count("hidden_size_per_layer_input", least=0)
    if not wide:
        config.raw("vocab_size_per_layer_input", default=None)
        return ()
    gate = Row("per-layer input", "per_layer_input_gate", "matrix", "d_model", str(wide), module="per_layer_input_gate")
    back = Row("per-layer input", "per_layer_projection", "matrix", str(wide), "d_model", module="per_layer_projection")
    return Other(given=(gate, back)), named("post_per_layer_input_norm")


def tables(config: Config, n_layer: int) -> tuple[Part, ...]:
    """The token table, and where layers have inputs of their own a second one with a row for all of them."""
    wide = config.count("hidden_size_per_layer_input", least=0)
    if not wide:
        return (Embedding(),)
    all_layers = str(n_layer * wide)
    second = Embedding(name="embed_tokens_per_layer", rows_of=str(config.count("vocab_size_per_layer_input")), width=all_layers)
    project = Row("per-layer input", "per_layer_model_projection", "matrix", "d_model", all_layers, module="per_layer_model_projection")
    return Embedding(), second, Other(given=(project,)), Norm(name="per_layer_projection_norm", width=str(wide))


def altup(copies: int) -> Other:
    """The small matrices of AltUp; its router works twice, before and after the layer."""
    a, path = str(copies), "altup."
    rows = (
        Row("altup", "modality_router", "matrix", "d_model", a, module=f"{path}modality_router"),
        Row("altup", "modality_router, again", "matrix", "d_model", a, tied=True, module=f"{path}modality_router"),
        Row("altup", "prediction_coefs", "matrix", a, str(copies**2), module=f"{path}prediction_coefs"),
        Row("altup", "correction_coefs", "matrix", a, a, module=f"{path}correction_coefs"),
        Row("altup", "correct_output_scale", "vector", "1", "d_model", module=f"{path}correct_output_scale"),
    )
    return Other(given=rows)


def laurel(rank: int) -> Other:
    """The low-rank path beside the attention."""
    left = Row("laurel", "linear_left", "matrix", "d_model", str(rank), module="laurel.linear_left")
    return Other(given=(left, Row("laurel", "linear_right", "matrix", str(rank), "d_model", module="laurel.linear_right")))


def tower(vision: Config) -> tuple[Row, ...]:
    """The vision tower of Gemma 4: gated MLPs, four norms a layer, positions from one table for each axis."""
    shape, width = given_heads(vision), vision.count("hidden_size")
    vision.refuse_if("attention_bias", "biases of this tower are not known")
    for name in TOKENS:
        vision.raw(name, default=None)
    depth = vision.layers("num_hidden_layers")
    found = Tower(
        width=width,
        inner=vision.count("intermediate_size"),
        depth=depth,
        patch=vision.count("patch_size"),
        patch_bias=False,
        patch_name="patch_embedder.input_proj",
        positions=2 * vision.count("position_embedding_size"),
        position_name="patch_embedder.position_embedding_table",
        queries=shape["n_q"] * shape["d_head"],
        keys=shape["n_kv"] * shape["d_head"],
        attention=tuple(f"self_attn.{x}_proj" for x in "qkvo"),
        mlp=tuple(f"mlp.{x}_proj" for x in ("gate", "up", "down")),
        bias=False,
        norms=NORMS,
        norm_bias=False,
        head_norm=shape["d_head"],
        path="vision_tower",
    ).rows()
    if vision.flag("standardize"):
        found += tuple(replace(vector(name, width, path="vision_tower"), buffer=True) for name in ("std_bias", "std_scale"))
    if vision.flag("use_clipped_linears"):  # least and most of the input and output of seven matrices
        found += (replace(vector("clipping bounds", 4 * 7, layers=depth, path="vision_tower"), buffer=True),)
    return found
