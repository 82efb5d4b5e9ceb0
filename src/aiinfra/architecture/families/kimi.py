"""Moonshot's families: Kimi-K2.5 (K2 with a vision tower), Kimi-Linear and Kimi-K3 (delta rule with latent attention)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from aiinfra.architecture.config import NONE, Config
from aiinfra.architecture.families import deepseek
from aiinfra.architecture.families.common import assemble
from aiinfra.architecture.families.vision import Tower, attach, projector, text_of, vector, width_of
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Norm, Other, Part, Recurrent
from aiinfra.architecture.rows import Row
from aiinfra.errors import ConfigError

MIXED = (
    "the weighted sums over the outputs of earlier groups of layers are not counted: their weights are, their operations are far below 1 %"
)
ROUTING = ("moe_renormalize", "moe_router_activation_func", "topk_method", "use_grouped_topk")
STATES = "recurrent states are counted in FP32, what convolutions keep in the model's format; engines may choose others"


def read_k25(config: Config, key: str) -> Architecture:
    """kimi_k25: the language model of kimi_k2, a tower and a projector."""
    text = text_of(config, "kimi_k2")
    language = deepseek.read(text, key)
    config.raw("use_unified_vision_chunk", "video_placeholder", "ignore_index", default=None)
    vision = config.part("vision_config", default=None)
    projected = config.count("projection_hidden_size", default=None)
    if vision is not None and projected not in (None, width := vision.count("vt_hidden_size", "hidden_size")):
        raise ConfigError(f"{config.where}: projection_hidden_size = {projected}, but the tower ends in {width}")
    return attach(language, config, "kimi_k25", () if vision is None else tower(vision, text), vision)


def read_k3(config: Config, key: str) -> Architecture:
    """kimi_k3: the language model of kimi_linear with more fields, a tower and a projector."""
    text = text_of(config, "kimi_linear")
    language = read(text, key, "kimi_k3")
    config.raw("image_placeholder", "ignore_index", default=None)
    vision = config.part("vision_config", default=None)
    return attach(language, config, "kimi_k3", () if vision is None else tower(vision, text), vision)


def read(config: Config, key: str, family: str = "kimi_linear") -> Architecture:
    """kimi_linear, and the language model of kimi_k3."""
    n_layer = config.layers("num_hidden_layers")
    if config.count("num_nextn_predict_layers", default=0, least=0):
        raise config.refuse("num_nextn_predict_layers", "0: no reference says what such a layer holds in this family")
    every = config.count("moe_layer_freq", default=1)
    recurrent = recurrent_layers(config, n_layer)
    gate = "element" if config.flag("mla_use_output_gate", default=False) else ""
    config.refuse_if("mla_use_nope", "rotary keys are not known in this family", (None, True))
    config.refuse_if("tie_word_embeddings", "the references differ in whether the head is the token table then", (None, False))
    attention = deepseek.latent_attention(config, gate=gate)
    delta = delta_rule(config, family) if any(recurrent) else None
    mlp, moe = MLP(d_ff=config.count("intermediate_size")), experts(config)
    config.raw("activation_situ_beta", "activation_situ_linear_beta", *ROUTING, default=None)  # no shapes
    residual = "attn_res_block_size" in config
    config.count("attn_res_block_size", default=None)
    layers = []
    for index, routed in enumerate(deepseek.routed_layers(config, n_layer)):
        sources: tuple[Part, ...] = (mixing("self_attention_res"), mixing("mlp_res")) if residual else ()
        feed = moe if routed and index % every == 0 else mlp
        mixer = delta if recurrent[index] else attention
        layers.append((Norm(name="input_layernorm"), mixer, Norm(name="post_attention_layernorm"), feed, *sources))
    longest = config.count("model_max_length", default=None)
    warnings = ((STATES,) if delta else ()) + ((MIXED,) if residual else ())
    found = assemble(config, key, family, group(layers), warnings=warnings)
    if residual:
        found = replace(found, outer=(*found.outer, mixing("output_attn_res")))
    return replace(found, max_context=found.max_context or longest)


@cache
def mixing(name: str) -> Other:
    """What weighs the outputs of earlier groups of layers: a norm, and one vector for the dot product with each of them."""
    rows = (Row("residual", f"{name}_{kind}", "vector", "1", "d_model", module=f"{name}_{kind}") for kind in ("norm", "proj"))
    return Other(given=tuple(rows))


def recurrent_layers(config: Config, n_layer: int) -> list[bool]:
    """Whether each layer is recurrent: from ``layer_types``, or from two lists of layer numbers that begin with one."""
    types = config.words("layer_types", n_layer, ("full_attention", "linear_attention"), default=None)
    linear = config.part("linear_attn_config", default=None)
    if linear is None or "kda_layers" not in linear:
        if types is None:
            raise ConfigError(
                f"{config.where}: field linear_attn_config or layer_types is missing: nothing says which layers are recurrent"
            )
        return [t == "linear_attention" for t in types]
    kda, full = linear.items("kda_layers", None), linear.items("full_attn_layers", None)
    numbers = [n for n in kda + full if isinstance(n, int) and not isinstance(n, bool)]
    if sorted(numbers) != list(range(1, n_layer + 1)) or len(numbers) != len(kda) + len(full):
        raise ConfigError(f"{linear.where}: kda_layers and full_attn_layers must name each of the layers 1 to {n_layer} once")
    found = [n in set(kda) for n in range(1, n_layer + 1)]
    if types is not None and found != [t == "linear_attention" for t in types]:
        raise ConfigError(f"{config.where}: layer_types contradicts {linear.where}.kda_layers")
    return found


def delta_rule(config: Config, family: str) -> Recurrent:
    """Kimi's delta attention: a decay for each channel, short convolutions of queries, keys and values."""
    linear = config.part("linear_attn_config", default=None) or Config({}, config.where)
    n_rec = linear.count("num_heads") if "num_heads" in linear else config.count("linear_num_heads")
    width = linear.count("head_dim") if "head_dim" in linear else config.count("linear_head_dim")
    short = "short_conv_kernel_size" in linear
    taps = linear.count("short_conv_kernel_size", least=2) if short else config.count("linear_conv_kernel_dim", least=2)
    wide = "n_rec*d_rec_k"
    inputs = [(f"{name}_proj", "d_model", wide) for name in "qkv"]
    inputs += [("f_a_proj", "d_model", "d_rec_k"), ("f_b_proj", "d_rec_k", wide), ("b_proj", "d_model", "n_rec")]
    if linear.flag("use_full_rank_gate", default=False):
        inputs += [("g_proj", "d_model", wide)]
    else:
        inputs += [("g_a_proj", "d_model", "d_rec_k"), ("g_b_proj", "d_rec_k", wide)]
    # Kimi-K3's files hold as many decays as a head is wide, of which one for each head is used
    k3 = family == "kimi_k3"
    decays = "d_rec_k" if k3 else "n_rec"
    return Recurrent(
        path="self_attn", n_rec=n_rec, n_rec_k=n_rec, d_rec_k=width, d_rec_v=width, taps=taps, rule="delta rule", inputs=tuple(inputs),
        convolved=tuple((f"{name}_conv1d", wide) for name in "qkv"), vectors=(("A_log", decays), ("dt_bias", wide), ("o_norm", "d_rec_v")),
        output="o_proj", convolution_format=config.dtype(),
    )  # fmt: skip


def experts(config: Config):
    """Experts, in Kimi-K3 on a vector that is projected down before and up after them."""
    found = deepseek.experts(config)
    d_moe = config.count("routed_expert_hidden_size", default=None)
    norm = config.flag("latent_moe_use_norm", default=False)
    return found if d_moe is None else replace(found, d_moe=d_moe, moe_norms=int(norm))


def tower(vision: Config, text: Config) -> tuple[Row, ...]:
    """MoonViT and its projector, in the form of Kimi-K2.5 or of Kimi-K3."""
    kind = vision.word("mm_projector_type", among=("patchmerger", "patchmergerv2"))
    new = kind == "patchmergerv2"
    biased, needed = (NONE, NONE) if new else (True, None)  # the later form says all of it
    norm = vision.word("norm_type", default=needed or "layernorm", among=("layernorm", "rmsnorm"))
    vision.word("mlp_type", default="mlp2", among=("mlp2",))
    width = vision.count("vt_hidden_size", "hidden_size")
    merge = vision.items("merge_kernel_size", 2, default=[2, 2])
    if any(isinstance(m, bool) or not isinstance(m, int) or not 1 <= m <= 64 for m in merge):
        raise vision.refuse("merge_kernel_size", "two whole numbers from 1 to 64")
    height, across = (vision.count(f"init_pos_emb_{side}", f"pos_emb_{side}", most=10_000) for side in ("height", "width"))
    d_model = width_of(vision, "text_hidden_size", text) if "text_hidden_size" in vision else text.count("hidden_size")
    path, bias = "vision_tower.encoder", norm == "layernorm"
    eye = Tower(
        width=width, inner=vision.count("vt_intermediate_size", "intermediate_size"),
        depth=vision.layers("vt_num_hidden_layers", "num_hidden_layers"),
        patch=vision.count("patch_size"), patch_bias=vision.flag("patch_embed_proj_bias", default=biased), positions=height * across,
        position_name="patch_embed.pos_emb", queries=vision.count("qkv_hidden_size", default=needed or width), attention=("wqkv", "wo"),
        mlp=("mlp.fc0", "mlp.fc1"), bias=vision.flag("attn_bias", default=biased), mlp_bias=vision.flag("linear_bias", default=biased),
        norms=("norm0", "norm1"), norm_bias=bias, path=path,
    )  # fmt: skip
    unshaped = "activation_func init_pos_emb_time merge_type pos_emb_interpolation_mode pos_emb_type projector_hidden_act video_attn_type"
    vision.raw("vt_num_attention_heads", "num_attention_heads", *unshaped.split(), default=None)
    inner, wide = vision.count("mm_hidden_size", default=width), merge[0] * merge[1]
    if inner != width:
        raise ConfigError(f"{vision.where}: mm_hidden_size = {inner}, but the tower ends in {width}")
    steps = (("proj.0", inner * wide, inner * wide, not new), ("proj.2", inner * wide, d_model, not new))
    before = ("post_norm", d_model, False) if new else ("pre_norm", inner, True)
    return (*eye.rows(), vector("final_layernorm", width, bias, path=path), *projector(steps, norm=before, path="mm_projector"))
