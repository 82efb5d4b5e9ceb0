"""Llama-Nemotron models from a search over layers: each has its own heads and width, a matrix in their place, or nothing."""

from __future__ import annotations

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention, Norm, Other, Part
from aiinfra.architecture.rows import Row
from aiinfra.errors import ConfigError

UNREAD = ("sparsify", "num_sink_tokens", "unshifted_sink", "use_prefill_window_in_sink_attention", "window_length")


def read(config: Config, key: str) -> Architecture:
    """nemotron-nas: ``block_configs`` says what each layer is."""
    n_layer = config.layers("num_hidden_layers")
    config.count("num_attention_heads")
    for name in ("num_key_value_heads", "intermediate_size"):
        config.refuse_if(name, "the layers say this each for itself", allowed=(None,))
    blocks = [Config(b, f"block_configs[{i}]", config) for i, b in enumerate(config.items("block_configs", n_layer))]
    layers = [(*attention(config, block.part("attention")), *mlp(config, block.part("ffn"))) for block in blocks]
    linear = any(isinstance(part, Other) for layer in layers for part in layer)
    warnings = ()
    if linear and (config.flag("attention_bias") or config.flag("mlp_bias")):
        warnings = ("matrices in place of attention or MLP: taken to have no bias, on which implementations differ",)
    return assemble(config, key, "nemotron-nas", group(layers), warnings=warnings)


def attention(config: Config, layer: Config) -> tuple[Part, ...]:
    """The first half of a layer."""
    if layer.flag("no_op"):
        return ()
    norm = Norm(name="input_layernorm")
    if layer.flag("replace_with_linear"):
        return norm, linear("attention", "self_attn.linear_attn")
    for name in UNREAD:
        layer.refuse_if(name, "implementations leave this out")
    n_q, d_model, group_of = config.count("num_attention_heads"), config.count("hidden_size"), layer.count("n_heads_in_group")
    if n_q % group_of:
        raise ConfigError(f"{layer.where}: n_heads_in_group = {group_of} does not divide num_attention_heads = {n_q}")
    if d_model % n_q:
        raise ConfigError(f"{config.where}: hidden_size = {d_model} is no multiple of num_attention_heads = {n_q}")
    bias, d_head = config.flag("attention_bias"), config.count("head_dim", default=d_model // n_q)
    return norm, Attention(n_q=n_q, n_kv=n_q // group_of, d_head=d_head, bias=bias, bias_o=bias)


def mlp(config: Config, layer: Config) -> tuple[Part, ...]:
    """The second half: its width is two thirds of ``ffn_mult`` times that of the model, up to the next multiple of 256."""
    if layer.flag("no_op"):
        return ()
    norm = Norm(name="post_attention_layernorm")
    if layer.flag("replace_with_linear"):
        return norm, linear("mlp", "mlp.linear_mlp")
    layer.refuse_if("sparsify", "implementations leave this out")
    width = int(2 * layer.number("ffn_mult") * config.count("hidden_size") / 3)
    if not 1 <= width <= 2**31:
        raise layer.refuse("ffn_mult", "a factor that gives a width from 1 to 2,147,483,648")
    return norm, MLP(d_ff=width + -width % 256, bias=config.flag("mlp_bias"))


def linear(part: str, module: str) -> Other:
    """One matrix in place of a half of a layer."""
    return Other(given=(Row(part, module.rpartition(".")[2], "matrix", "d_model", "d_model", module=module),))
