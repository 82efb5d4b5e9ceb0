"""Llama 4: chunked attention in layers with rotary positions, full attention in those without; experts beside a shared one."""

from __future__ import annotations

from dataclasses import replace

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import absent, assemble, heads, layer
from aiinfra.architecture.families.llama import PRE
from aiinfra.architecture.families.moe import experts
from aiinfra.architecture.families.vision import Tower, attach, projector, text_of, vector
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention
from aiinfra.architecture.rows import FULL, Reach, Row
from aiinfra.errors import ConfigError, brief


def reaches(config: Config, n_layer: int) -> list[Reach]:
    """Chunks where a layer has rotary positions; layer_types goes before no_rope_layers, in which 1 means that it has."""
    size = config.count("attention_chunk_size", default=absent(config, "attention_chunk_size", 8192))
    every = config.count("no_rope_layer_interval", default=4)
    rotary = config.raw("no_rope_layers", default=None)  # an empty list stands for the default, as the class has it
    rotary = config.counts("no_rope_layers", n_layer) if rotary else [(i + 1) % every != 0 for i in range(n_layer)]
    types = config.words("layer_types", n_layer, ("full_attention", "chunked_attention"), default=None)
    if types is not None and size is None and "chunked_attention" in types:
        raise ConfigError(f"{config.where}: layer_types has chunked_attention, but attention_chunk_size is null")
    chunked = [bool(r) and size is not None for r in rotary] if types is None else [t == "chunked_attention" for t in types]
    return [Reach("chunk", size) if c else FULL for c in chunked]


def read(config: Config, key: str) -> Architecture:
    """llama4_text."""
    n_layer = config.layers("num_hidden_layers")
    bias = config.flag("attention_bias")
    for name in ("use_qk_norm", "attn_temperature_tuning"):  # norms without weights; a factor on queries
        config.raw(name, default=None)
    attention = Attention(**heads(config, kv_default=8, d_head=128), bias=bias, bias_o=bias)
    step = config.count("interleave_moe_layer_step", default=1)
    chosen = config.items("moe_layers", None, default=range(step - 1, n_layer, step))
    if any(type(i) is not int or not 0 <= i < n_layer for i in chosen):
        raise ConfigError(f"{config.where}: moe_layers = {brief(chosen)}: must be layer numbers below {n_layer}")
    width = config.count("intermediate_size")
    routed = experts(
        config,
        ("num_local_experts", "num_experts"),
        ("num_experts_per_tok",),
        path="feed_forward",
        d_expert=width,
        d_shared=width,
        shared_path="shared_expert",
        router_path="router",
    )
    chosen, all_reaches = frozenset(chosen), reaches(config, n_layer)
    dense = MLP(d_ff=config.count("intermediate_size_mlp"), path="feed_forward") if len(chosen) < n_layer else None
    layers = [layer(PRE, replace(attention, reach=r), routed if i in chosen else dense) for i, r in enumerate(all_reaches)]
    config.count("intermediate_size_mlp", default=None)
    return assemble(config, key, "llama4_text", group(layers))


def multimodal(config: Config, key: str) -> Architecture:
    """Llama 4 with images: text model, vision tower with an adapter that shuffles pixels into channels, projector."""
    text = text_of(config, "llama4_text")
    model = read(text, key)
    vision = config.part("vision_config", default=None)
    rows = () if vision is None else tower(vision, text)
    return attach(model, config, "llama4", rows, vision)


def tower(vision: Config, text: Config) -> tuple[Row, ...]:
    """Rows of the vision tower, of its adapter and of the projector."""
    vision.word("model_type", default="llama4_vision_model", among=("llama4_vision_model",))
    vision.count("num_attention_heads", default=None)
    vision.refuse_if("multi_modal_projector_bias", "the projector has no bias")
    d, patch, inner = vision.count("hidden_size"), vision.count("patch_size", default=14), vision.count("intermediate_size", default=5632)
    ratio = vision.number("pixel_shuffle_ratio", default=0.5)
    if not 0.01 <= ratio <= 1:
        raise vision.refuse("pixel_shuffle_ratio", "a share from 0.01 to 1")
    shuffled = round(d / ratio**2)
    if shuffled != inner:
        raise ConfigError(f"{vision.where}: intermediate_size = {inner}, but hidden_size and pixel_shuffle_ratio give {shuffled}")
    entry, wide = vision.count("projector_input_dim", default=4096), vision.count("projector_output_dim", default=4096)
    if entry != wide:
        raise ConfigError(f"{vision.where}: projector_input_dim = {entry}, but projector_output_dim = {wide}")
    out = vision.count("vision_output_dim", default=wide)
    if out != wide:
        raise ConfigError(f"{vision.where}: vision_output_dim = {out}, but projector_output_dim = {wide}")
    images = Tower(
        width=d,
        inner=inner,
        depth=vision.layers("num_hidden_layers"),
        patch=patch,
        channels=vision.count("num_channels", default=3),
        patch_bias=False,
        patch_name="patch_embedding.linear",
        positions=(vision.count("image_size", default=448) // patch) ** 2 + 1,
        position_name="positional_embedding_vlm",
        attention=tuple(f"self_attn.{x}_proj" for x in "qkvo"),
        norms=("input_layernorm", "post_attention_layernorm"),
        path="vision_model",
    )
    around = tuple(vector(name, d, True, path="vision_model") for name in ("layernorm_pre", "layernorm_post"))
    adapter = (("vision_adapter.mlp.fc1", inner, entry, False), ("vision_adapter.mlp.fc2", wide, wide, False))
    steps = (*adapter, ("linear_1", out, text.count("hidden_size"), False))
    return (*images.rows(), vector("class_embedding", d, path="vision_model"), *around, *projector(steps, path="multi_modal_projector"))
