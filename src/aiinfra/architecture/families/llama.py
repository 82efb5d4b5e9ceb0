"""Llama and its near relatives: pre-norm layers of attention and a gated MLP, rotary positions."""

from __future__ import annotations

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, heads, layer_reaches, standard_layer
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention


def read(config: Config, key: str) -> Architecture:
    """llama, mistral, qwen2, qwen3."""
    family = config.word("model_type")
    n_layer = config.layers("num_hidden_layers")
    reaches = layer_reaches(config, n_layer)
    shape = heads(config)
    bias = config.flag("attention_bias", default=False)
    layers = []
    for reach in reaches:
        attention = Attention(
            **shape, bias=bias or family == "qwen2", bias_o=bias and family != "qwen2", norm="head" if family == "qwen3" else "", reach=reach
        )
        mlp = MLP(d_ff=config.count("intermediate_size"), bias=config.flag("mlp_bias", default=False))
        layers.append(standard_layer(attention, mlp))
    return assemble(config, key, family, group(layers))
