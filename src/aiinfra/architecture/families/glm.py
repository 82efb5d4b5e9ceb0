"""GLM-4.5 and its successors before GLM-5: grouped-query attention, dense first layers, experts with a shared one."""

from __future__ import annotations

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, given_heads, standard_layer
from aiinfra.architecture.families.deepseek import experts, next_tokens, routed_layers
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention


def read(config: Config, key: str) -> Architecture:
    """glm4_moe."""
    n_layer = config.layers("num_hidden_layers")
    norm = "head" if config.flag("use_qk_norm", default=False) else ""
    attention = Attention(**given_heads(config), bias=config.flag("attention_bias", default=False), norm=norm)
    mlp, moe = MLP(d_ff=config.count("intermediate_size")), experts(config)
    layers = [standard_layer(attention, moe if routed else mlp) for routed in routed_layers(config, n_layer)]
    further, warnings = next_tokens(config, standard_layer(attention, moe), n_layer)
    return assemble(config, key, "glm4_moe", group(layers) + further, warnings=warnings)
