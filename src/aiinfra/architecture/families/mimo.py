"""Xiaomi's MiMo-7B, which is like Qwen2 and predicts further tokens, and MiMo-V2-Flash: windows with sinks, and experts."""

from __future__ import annotations

from dataclasses import replace

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, heads, layer_reaches, standard_layer
from aiinfra.architecture.families.deepseek import experts, joined, shared_head
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention, Norm
from aiinfra.architecture.rows import FULL, Reach
from aiinfra.errors import ConfigError

WINDOW = "sliding_window_size is read as positions before the token, as the reference does: the window is one wider"
NO_FURTHER = "the config has no count of layers that predict further tokens: none is counted, though the files may hold some"
LOCAL = ("sliding_window", "sliding_window_size", "add_full_attention_sink_bias", "add_swa_attention_sink_bias")
LOCAL += tuple(f"swa_{name}" for name in ("num_attention_heads", "num_key_value_heads", "head_dim", "v_head_dim"))
TYPES = ("full_attention", "sliding_attention")


def read(config: Config, key: str) -> Architecture:
    """mimo."""
    n_layer = config.layers("num_hidden_layers")
    config.raw("attention_bias", default=None)  # biases of queries, keys and values are there whatever it says
    config.refuse_if("use_mrope", "rotary positions of images are not known in this family")
    mlp = MLP(d_ff=config.count("intermediate_size"))
    config.count("num_key_value_heads")
    attention = Attention(**heads(config), bias=True)
    layers = [standard_layer(replace(attention, reach=reach), mlp) for reach in layer_reaches(config, n_layer, window_by_default=False)]
    further = config.count("num_nextn_predict_layers", default=0, least=0, most=100)
    last = (joined("token_layernorm", "hidden_layernorm", "input_proj"), *layers[-1], Norm(name="final_layernorm"), shared_head())
    return assemble(config, key, "mimo", group(layers) + group([last] * further, section="mtp", first=n_layer))


def read_v2(config: Config, key: str) -> Architecture:
    """mimo_v2_flash."""
    n_layer = config.layers("num_hidden_layers")
    types, which = attention_types(config, n_layer), expert_layers(config, n_layer)
    attention = {kind: attend(config, local=kind == "sliding_attention") for kind in dict.fromkeys(types)}
    mlp, moe = MLP(d_ff=config.count("intermediate_size")), experts(config, shared=False)
    config.refuse_if("n_shared_experts", "shared experts are not known in this family", (None, 0))
    config.word("topk_method", default="noaux_tc", among=("noaux_tc",))
    config.raw("attention_value_scale", "swa_rope_theta", "attention_chunk_size", "layernorm_epsilon", default=None)
    config.raw(*LOCAL, default=None)  # they say nothing where no layer has a window
    layers = [standard_layer(attention[kind], moe if sparse else mlp) for kind, sparse in zip(types, which, strict=True)]
    further = config.count("num_nextn_predict_layers", "num_mtp_layers", default=0, least=0, most=100)
    blocks = group(layers)
    if further:
        local = attend(config, local=True)
        around = standard_layer(local, mlp, names=("input_layernorm", "pre_mlp_layernorm"))
        last = (joined("enorm", "hnorm", "eh_proj"), *around, Norm(name="final_layernorm"), shared_head())
        blocks += group([last] * further, section="mtp", first=n_layer)
    warnings = (WINDOW,) * ("sliding_window_size" in config) + (NO_FURTHER,) * (not further)
    return assemble(config, key, "mimo_v2_flash", blocks, warnings=warnings)


def attend(config: Config, local: bool) -> Attention:
    """Attention of full layers or of those with a window, which may have heads of their own."""
    before = "swa_" if local else ""
    n_q, d_head, d_value = (config.count(f"{before}{n}", n) for n in ("num_attention_heads", "head_dim", "v_head_dim"))
    # where the file is silent, the reference gives layers with a window twice the key/value heads
    n_kv = config.count(f"{before}num_key_value_heads", default=(2 if local else 1) * config.count("num_key_value_heads"))
    if n_q % n_kv:
        raise ConfigError(f"{config.where}: {before}num_attention_heads = {n_q} is no multiple of {before}num_key_value_heads = {n_kv}")
    sinks = config.flag("add_swa_attention_sink_bias" if local else "add_full_attention_sink_bias", default=local)
    reach = FULL
    if local:
        window, before_it = config.count("sliding_window", default=None), config.count("sliding_window_size", default=None)
        if window is not None and before_it is not None and window not in (before_it, before_it + 1):
            raise ConfigError(f"{config.where}: sliding_window = {window}, but sliding_window_size = {before_it}")
        reach = Reach("window", config.count("sliding_window") if before_it is None else before_it + 1)
    bias = config.flag("attention_bias", default=False)
    return Attention(n_q=n_q, n_kv=n_kv, d_head=d_head, d_value=d_value, bias=bias, sinks=sinks, reach=reach)


def attention_types(config: Config, n_layer: int) -> list[str]:
    """The kind of each layer: from ``layer_types``, or ``hybrid_layer_pattern`` with 1 for a window."""
    types = config.words("layer_types", n_layer, TYPES, default=None)
    flags = config.counts("hybrid_layer_pattern", n_layer, default=None)
    if types is None and flags is None:
        raise ConfigError(f"{config.where}: field layer_types or hybrid_layer_pattern is missing: nothing says which layers have a window")
    found = types if flags is None else [TYPES[bool(f)] for f in flags]
    if types is not None and types != found:
        raise ConfigError(f"{config.where}: layer_types contradicts hybrid_layer_pattern")
    return found


def expert_layers(config: Config, n_layer: int) -> list[bool]:
    """Whether each layer has experts: from ``mlp_layer_types``, or ``moe_layer_freq`` with 1 for them."""
    types = config.words("mlp_layer_types", n_layer, ("dense", "sparse"), default=None)
    flags = config.counts("moe_layer_freq", n_layer, default=None)
    if types is None and flags is None:
        raise ConfigError(f"{config.where}: field mlp_layer_types or moe_layer_freq is missing: nothing says which layers have experts")
    found = [t == "sparse" for t in types] if flags is None else [bool(f) for f in flags]
    if types is not None and found != [t == "sparse" for t in types]:
        raise ConfigError(f"{config.where}: mlp_layer_types contradicts moe_layer_freq")
    return found
