"""Qwen-VL: the language models of Qwen2 and Qwen3 behind a vision tower, whose layers may also feed the first layers."""

from __future__ import annotations

from aiinfra.architecture import families
from aiinfra.architecture.config import Config
from aiinfra.architecture.families.vision import Tower, attach, projector, text_of, width_of
from aiinfra.architecture.model import Architecture
from aiinfra.architecture.rows import Row

TEXT = {"qwen2_vl": "qwen2", "qwen2_5_vl": "qwen2", "qwen3_vl": "qwen3", "qwen3_vl_moe": "qwen3_moe"}


def read(config: Config, key: str) -> Architecture:
    """qwen2_vl, qwen2_5_vl, qwen3_vl, qwen3_vl_moe."""
    family = config.word("model_type")
    text = text_of(config, TEXT[family])
    if family == "qwen3_vl":
        text.count("head_dim")  # the class has a width of its own for it, whatever that of the model is
    vision = config.part("vision_config", default=None)
    extra = () if vision is None else tower(vision, text) if family.startswith("qwen3") else older_tower(vision, text, family)
    return attach(families.reader(TEXT[family])(text, key), config, family, extra, vision)


def tower(vision: Config, text: Config, deepstack: bool = True) -> tuple[Row, ...]:
    """The tower of Qwen3-VL and Qwen3.5; with ``deepstack`` the layers named in the config have mergers of their own."""
    width, depth, merged = vision.count("hidden_size"), vision.layers("depth"), vision.count("spatial_merge_size", default=2) ** 2
    vision.raw("num_heads", default=None)  # shapes do not depend on it
    deep = vision.items("deepstack_visual_indexes", None, default=[])
    if not deepstack:
        vision.refuse_if("deepstack_visual_indexes", "this family merges only the last layer", allowed=(None, []))
    elif any(type(i) is not int or not 0 <= i < depth for i in deep):
        raise vision.refuse("deepstack_visual_indexes", f"layers from 0 to {depth - 1}")
    found = Tower(
        width=width,
        inner=vision.count("intermediate_size"),
        depth=depth,
        patch=vision.count("patch_size"),
        channels=vision.count("in_channels", default=3),
        frames=vision.count("temporal_patch_size", default=2),
        positions=vision.count("num_position_embeddings"),
        mlp=("mlp.linear_fc1", "mlp.linear_fc2"),
    )
    wide, out = merged * width, width_of(vision, "out_hidden_size", text)
    steps = (("linear_fc1", wide, wide, True), ("linear_fc2", wide, out, True))
    rows = (*found.rows(), *projector(steps, norm=("norm", width, True), path="visual.merger"))
    if deep:
        rows += projector(steps, norm=("norm", wide, True), copies=len(deep), path="visual.deepstack_merger_list")
    return rows


def older_tower(vision: Config, text: Config, family: str) -> tuple[Row, ...]:
    """The towers of Qwen2-VL, with LayerNorm, and Qwen2.5-VL, with RMSNorm, a gated MLP and windows."""
    first = family == "qwen2_vl"
    width = vision.count("embed_dim" if first else "hidden_size")
    merged = vision.count("spatial_merge_size", default=2) ** 2 * width
    out = width_of(vision, "hidden_size" if first else "out_hidden_size", text)
    vision.raw("num_heads", default=None)
    for name in ("window_size", "fullatt_block_indexes", "tokens_per_second"):
        vision.raw(name, default=None)  # scores only, which these rows leave out
    if first:
        ratio = vision.number("mlp_ratio", default=4)
        shape = {"inner": int(width * ratio), "mlp": ("mlp.fc1", "mlp.fc2"), "norm_bias": True}
    else:
        shape = {"inner": vision.count("intermediate_size"), "mlp": ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"), "norm_bias": False}
    found = Tower(
        width=width,
        depth=vision.layers("depth"),
        patch=vision.count("patch_size", "spatial_patch_size"),
        channels=vision.count("in_channels", "in_chans", default=3),
        frames=vision.count("temporal_patch_size", default=2),
        patch_bias=False,
        **shape,
    )
    steps = (("mlp.0", merged, merged, True), ("mlp.2", merged, out, True))
    return (*found.rows(), *projector(steps, norm=("ln_q", width, first), path="visual.merger"))
