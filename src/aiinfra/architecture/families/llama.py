"""Llama and its relatives: layers of attention and an MLP with rotary positions, told apart by a row of flags each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, heads, layer, layer_reaches
from aiinfra.architecture.families.vision import Tower, attach, projector, text_of, vector
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention, Part
from aiinfra.architecture.rows import FULL
from aiinfra.errors import ConfigError, brief

PRE = ("input_layernorm", "", "post_attention_layernorm", "")
POST = ("", "post_attention_layernorm", "", "post_feedforward_layernorm")
AROUND = ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")
ONE = ("input_layernorm", "", "", "")  # attention and MLP side by side behind one norm
NONE = ("", "", "", "")
Flag = str | tuple[str, ...] | bool  # a field, by one name or several, or what it is for all models of a family


class Family(NamedTuple):
    """What a family does differently from Llama. Defaults are those of its config class in transformers 5.24."""

    bias: Flag = "attention_bias"  # of queries, keys and values
    bias_o: Flag = "attention_bias"
    bias_mlp: Flag = "mlp_bias"
    bias_default: bool = False  # where the fields are missing
    qk_norm: str = ""  # head, full or each, as `Attention` has it
    qk_if: Flag = True
    qk_bias: bool = False
    norms: tuple[str, str, str, str] = PRE
    norm_bias: bool = False
    one_norm_if: Flag = False  # the field that sets attention and MLP side by side
    final_norm: bool = True
    gated: bool = True
    attention_names: tuple[str, str, str, str] = ("q_proj", "k_proj", "v_proj", "o_proj")
    mlp_names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")
    fused: tuple[str, str] = ("", "")  # of queries, keys and values; of gate and input
    head_bias: Flag = False
    sinks: bool = False
    tied: bool = False
    kv: int | None = None  # key/value heads where the field is missing; None: as many as query heads
    d_head: int | None = None  # None: the model's width over its heads
    slides: bool = False  # whether the class has a window, which a file may set; those with a default or a rule have one
    window: int | None = None
    windowed: bool = True  # whether a window is in use where use_sliding_window is missing
    local: str = ""  # which layers have the window: all, or by a rule of LOCAL
    period: int = 0  # of the rule "period": every so many layers one has no window


def late(config: Config, f: Family) -> Callable[[int], object]:
    """Layers from max_window_layers on."""
    first = config.count("max_window_layers", default=28, least=0)
    return lambda i: i >= first


def odd(config: Config, f: Family) -> Callable[[int], object]:
    """Every second layer before max_window_layers, from the first on."""
    end = config.count("max_window_layers", default=28, least=0)
    return lambda i: i % 2 == 0 and i < end


def nope(config: Config, f: Family) -> Callable[[int], object]:
    """Layers without rotary positions."""
    rope = config.counts("no_rope_layers", config.layers("num_hidden_layers"), default=None)
    every = config.count("no_rope_layer_interval", default=4)
    return lambda i: not rope[i] if rope else (i + 1) % every == 0


def period(config: Config, f: Family) -> Callable[[int], object]:
    """All but every n-th layer; sliding_window_pattern is n, or letters such as LLLG."""
    every = config.raw("sliding_window_pattern", "_sliding_window_pattern", default=f.period)
    if isinstance(every, str) and every and set(every) <= {"L", "G"}:
        return lambda i: every[i % len(every)] == "L"
    every = config.count("sliding_window_pattern", "_sliding_window_pattern", default=f.period)
    return lambda i: (i + 1) % every


LOCAL = {"late": late, "odd": odd, "nope": nope, "period": period}
QWEN = {"windowed": False, "window": 4096, "local": "late", "kv": 32, "bias_o": False, "bias_mlp": False}
FAMILIES = {
    "llama": Family(),
    "mistral": Family(bias=False, bias_o=False, bias_mlp=False, kv=8, window=4096),
    "ministral": Family(bias=False, bias_o=False, bias_mlp=False, kv=8, window=4096),
    "ministral3": Family(bias=False, bias_o=False, bias_mlp=False, kv=8, d_head=128, slides=True),
    "qwen2": Family(**QWEN | {"bias": True}),
    "qwen3": Family(**QWEN | {"bias_o": "attention_bias", "qk_norm": "head", "d_head": 128}),
    "olmo": Family(bias_mlp=False, norms=NONE, final_norm=False),
    "olmo2": Family(bias_mlp=False, norms=POST, qk_norm="full"),
    "olmo3": Family(bias_mlp=False, norms=POST, qk_norm="full", window=4096, local="period", period=4),
    "phi3": Family(bias=False, bias_o=False, bias_mlp=False, fused=("qkv_proj", "gate_up_proj"), slides=True),
    "granite": Family(),
    "smollm3": Family(kv=4, tied=True, windowed=False, local="nope"),
    "exaone4": Family(bias=False, bias_o=False, bias_mlp=False, norms=POST, qk_norm="head", kv=32, window=4096, local="period", period=4),
    "stablelm": Family(
        bias="use_qkv_bias", bias_o=False, bias_mlp=False, norm_bias=True, one_norm_if="use_parallel_residual",
        qk_norm="each", qk_if="qk_layernorm", kv=32,
    ),
    "starcoder2": Family(
        bias="use_bias", bias_o="use_bias", bias_mlp="use_bias", bias_default=True, norm_bias=True, gated=False,
        mlp_names=("", "c_fc", "c_proj"), kv=2, tied=True, slides=True,
    ),
    "cohere": Family(bias_mlp=False, norms=ONE, qk_norm="each", qk_if="use_qk_norm", tied=True),
    "cohere2": Family(bias_mlp=False, norms=ONE, tied=True, window=4096, local="period", period=4),
    "internlm3": Family(
        bias=("attention_bias", "qkv_bias"), bias_o=("attention_bias", "qkv_bias"), bias_mlp=("mlp_bias", "bias"), kv=2, d_head=128,
    ),
    "helium": Family(bias_o=False, kv=20, d_head=128),
    "nemotron": Family(norm_bias=True, gated=False),
    "arcee": Family(gated=False),
    "hunyuan_v1_dense": Family(bias_mlp=False, qk_norm="head"),
    "ernie4_5": Family(bias="use_bias", bias_o="use_bias", bias_mlp="use_bias", head_bias="use_bias", kv=2, d_head=128, tied=True),
    "phi": Family(
        bias=True, bias_o=True, bias_mlp=True, norms=ONE, norm_bias=True, gated=False,
        attention_names=("q_proj", "k_proj", "v_proj", "dense"),
        mlp_names=("", "fc1", "fc2"), qk_norm="head", qk_if="qk_layernorm", qk_bias=True, head_bias=True,
    ),
}  # fmt: skip


def build(config: Config, key: str, f: Family, *, mlp: Callable[[int], Part] | None = None, **more) -> Architecture:
    """The architecture of a family; ``mlp`` gives the part of a layer where it is no plain MLP, ``more`` goes to `assemble`."""

    def flag(value: Flag) -> bool:
        if isinstance(value, bool):
            return value
        names = (value,) if isinstance(value, str) else value
        return config.flag(next((name for name in names if name in config), names[0]), default=f.bias_default)

    n_layer = config.layers("num_hidden_layers")
    local = LOCAL[f.local](config, f) if f.local else None
    unused = no_window(config, f)
    reaches = [FULL] * n_layer if unused else layer_reaches(config, n_layer, window_by_default=f.windowed, window=f.window, local=local)
    more["warnings"] = (*more.get("warnings", ()), *unused)
    norms = ONE if flag(f.one_norm_if) else f.norms
    attention = Attention(
        **heads(config, kv_default=f.kv, d_head=f.d_head),
        bias=flag(f.bias),
        bias_o=flag(f.bias_o),
        norm=f.qk_norm if f.qk_norm and flag(f.qk_if) else "",
        norm_bias=f.qk_bias,
        sinks=f.sinks,
        names=f.attention_names,
        fused=f.fused[0],
    )
    if f.qk_norm and f.qk_if is True:
        config.refuse_if("use_qk_norm", "this family normalises queries and keys", (None, True))
    if mlp is None:
        dense = MLP(d_ff=config.count("intermediate_size"), gated=f.gated, bias=flag(f.bias_mlp), names=f.mlp_names, fused=f.fused[1])
    parts = [layer(norms, replace(attention, reach=r), dense if mlp is None else mlp(i), bias=f.norm_bias) for i, r in enumerate(reaches)]
    return assemble(
        config,
        key,
        config.word("model_type"),
        group(parts),
        norm_bias=f.norm_bias,
        final_norm=f.final_norm,
        tied=f.tied,
        head_bias=flag(f.head_bias),
        side_by_side=norms is ONE,
        **more,
    )


def no_window(config: Config, f: Family) -> tuple[str, ...]:
    """A warning where a file sets a window that the class of its family does not have, and no list of layers that use it."""
    if f.slides or f.window or f.local or "layer_types" in config or not config.raw("sliding_window", default=None):
        return ()
    config.flag("use_sliding_window")
    size, family = config.count("sliding_window"), config.word("model_type")
    return (f"sliding_window = {size} is not used by the reference code of {family}: all layers attend to everything",)


def read(config: Config, key: str) -> Architecture:
    """A dense family of the table.

    >>> sizes = {"hidden_size": 3072, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 8192, "vocab_size": 32064}
    >>> read(Config({"model_type": "phi3"} | sizes), "phi-3-mini").ledger().parameters
    3821079552
    """
    return build(config, key, FAMILIES[config.word("model_type")])


def mistral3(config: Config, key: str) -> Architecture:
    """Mistral 3 with images: the text model of its ``text_config``, a Pixtral tower, and a projector that merges patches.

    The class would tie the head by default; the published checkpoints of configs that do not say hold a head of their own.
    """
    inner = config.part("text_config")
    family = inner.word("model_type", default="mistral", among=("mistral", "ministral", "ministral3"))
    text = text_of(config, family)
    said = any("tie_word_embeddings" in c for c in (config, inner))
    warnings = () if said else ("tie_word_embeddings is missing: the head is taken as a matrix of its own",)
    vision = config.part("vision_config", default=None)
    rows = () if vision is None else pixtral(config, vision, text.count("hidden_size"))
    return attach(build(text, key, FAMILIES[family], warnings=warnings), config, "mistral3", rows, vision)


def pixtral(config: Config, vision: Config, d_text: int) -> tuple:
    """Rows of a Pixtral tower and its projector."""
    vision.word("model_type", default="pixtral", among=("pixtral",))
    for name in ("num_attention_heads", "head_dim", "image_size", "vocab_size"):
        vision.raw(name, default=None)  # the heads' width is that of the model over the heads; positions are rotary
    d, merge, bias = vision.count("hidden_size"), config.count("spatial_merge_size", default=2), config.flag("multimodal_projector_bias")
    levels = config.raw("vision_feature_layer", default=-1)
    if not isinstance(levels, int) and not (isinstance(levels, list) and levels):
        raise ConfigError(f"{config.where}: vision_feature_layer = {brief(levels)}: must be a whole number or a list of such")
    wide = d * (1 if isinstance(levels, int) else len(levels))
    tower = Tower(
        width=d,
        inner=vision.count("intermediate_size"),
        depth=vision.layers("num_hidden_layers"),
        patch=vision.count("patch_size"),
        channels=vision.count("num_channels", default=3),
        patch_bias=False,
        patch_name="patch_conv",
        attention=tuple(f"attention.{x}_proj" for x in "qkvo"),
        mlp=tuple(f"feed_forward.{x}_proj" for x in ("gate", "up", "down")),
        bias=False,
        norms=("attention_norm", "ffn_norm"),
        norm_bias=False,
        path="vision_tower",
    )
    merger = ("patch_merger.merging_layer", d * merge**2, d, False)
    steps = (merger, ("linear_1", wide, d_text, bias), ("linear_2", d_text, d_text, bias))
    path = "multi_modal_projector"
    return (*tower.rows(), vector("ln_pre", d, path="vision_tower"), *projector(steps, norm=("norm", d, False), path=path))
