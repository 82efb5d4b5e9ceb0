"""Qwen3-Next, Qwen3.5 and Qwen3.6: gated delta-net layers, and a gated attention layer after every few of them."""

from __future__ import annotations

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, given_heads, standard_layer, state_format
from aiinfra.architecture.families.qwen_vl import tower
from aiinfra.architecture.families.vision import attach, text_of
from aiinfra.architecture.model import Architecture, Block, group
from aiinfra.architecture.parts import MLP, Attention, Experts, Norm, Other, Part, Recurrent
from aiinfra.architecture.rows import Row
from aiinfra.errors import ConfigError

MIXED, GATE = "2*n_rec_k*d_rec_k+n_rec*d_rec_v", "n_rec*d_rec_v"
# Inputs of a delta-net layer: Qwen3-Next keeps them in two matrices, Qwen3.5 in four
INPUTS = {
    True: (("in_proj_qkvz", "d_model", f"{MIXED}+{GATE}"), ("in_proj_ba", "d_model", "2*n_rec")),
    False: (
        ("in_proj_qkv", "d_model", MIXED), ("in_proj_z", "d_model", GATE),
        ("in_proj_b", "d_model", "n_rec"), ("in_proj_a", "d_model", "n_rec"),
    ),
}  # fmt: skip


def read(config: Config, key: str) -> Architecture:
    """qwen3_next, qwen3_5_text, qwen3_5_moe_text."""
    family = config.word("model_type")
    first = family == "qwen3_next"
    n_layer = config.layers("num_hidden_layers")
    bias = config.flag("attention_bias")
    config.refuse_if("attn_output_gate", "the gate of its attention is part of the family", allowed=(None, True))
    config.word("output_gate_type", default=None, among=("swish", "silu"))
    attention = Attention(**given_heads(config), bias=bias, bias_o=bias, norm="head", gate="query")
    delta = delta_net(config, INPUTS[first])
    kinds, sparse = layer_kinds(config, n_layer), sparse_layers(config, n_layer, family)
    dense = MLP(d_ff=config.count("intermediate_size")) if family == "qwen3_5_text" or not all(sparse) else None
    config.raw("intermediate_size", default=None)
    experts = moe(config) if any(sparse) else None
    layers = [
        standard_layer(attention if kind == "full_attention" else delta, experts if routed else dense)
        for kind, routed in zip(kinds, sparse, strict=True)
    ]
    warnings = ()
    if first and "mtp_num_hidden_layers" not in config:
        warnings = ("the config does not say whether the checkpoint has layers for multi-token prediction; none are counted",)
    blocks = (*group(layers), *mtp(config, n_layer, standard_layer(attention, experts or dense)))
    return assemble(config, key, family, blocks, warnings=warnings)


def read_multimodal(config: Config, key: str) -> Architecture:
    """qwen3_5, qwen3_5_moe: the same behind a vision tower."""
    family = config.word("model_type")
    config.refuse_if("language_model_only", "the file says that its tower is not used; give its text_config alone")
    text = text_of(config, f"{family}_text")
    vision = config.part("vision_config", default=None)
    extra = () if vision is None else tower(vision, text, deepstack=False)
    return attach(read(text, key), config, family, extra, vision)


def layer_kinds(config: Config, n_layer: int) -> list[str]:
    """What mixes the tokens of each layer."""
    every = config.count("full_attention_interval", default=4)
    kinds = config.words("layer_types", n_layer, ("linear_attention", "full_attention"), default=None)
    return kinds or ["linear_attention" if (i + 1) % every else "full_attention" for i in range(n_layer)]


def sparse_layers(config: Config, n_layer: int, family: str) -> list[bool]:
    """Which layers have experts: Qwen3-Next chooses, in Qwen3.5 it is all or none."""
    if family != "qwen3_next":
        config.refuse_if("mlp_only_layers", "all layers of this family are alike", allowed=(None, []))
        return [family == "qwen3_5_moe_text"] * n_layer
    dense = config.items("mlp_only_layers", None, default=[])
    if any(type(i) is not int or not 0 <= i < n_layer for i in dense):
        raise config.refuse("mlp_only_layers", f"a list of layers from 0 to {n_layer - 1}")
    step, experts = config.count("decoder_sparse_step", default=1), config.count("num_experts", least=0)
    return [bool(experts) and i not in dense and (i + 1) % step == 0 for i in range(n_layer)]


def delta_net(config: Config, inputs: tuple) -> Recurrent:
    """A gated delta-net layer: its state is kept in FP32, and the convolution keeps as many inputs as it has taps."""
    n_rec, n_rec_k = config.count("linear_num_value_heads"), config.count("linear_num_key_heads")
    taps = config.count("linear_conv_kernel_dim")
    if n_rec % n_rec_k:
        raise ConfigError(f"{config.where}: linear_num_value_heads = {n_rec} is no multiple of linear_num_key_heads = {n_rec_k}")
    return Recurrent(
        n_rec=n_rec,
        n_rec_k=n_rec_k,
        d_rec_k=config.count("linear_key_head_dim"),
        d_rec_v=config.count("linear_value_head_dim"),
        taps=taps,
        inputs=inputs,
        convolved=(("conv1d", MIXED),),
        vectors=(("dt_bias", "n_rec"), ("A_log", "n_rec"), ("norm", "d_rec_v")),
        state_format=state_format(config, "mamba_ssm_dtype"),
        convolution_format=config.dtype(),
    )


def moe(config: Config) -> Experts:
    """Routed experts and one shared expert with a gate of its own."""
    return Experts(
        n_expert=config.count("num_experts"),
        n_chosen=config.count("num_experts_per_tok", most=config.count("num_experts")),
        d_expert=config.count("moe_intermediate_size"),
        d_shared=config.count("shared_expert_intermediate_size"),
        shared_gate=True,
        shared_path="shared_expert",
    )


def mtp(config: Config, n_layer: int, layer: tuple[Part, ...]) -> tuple[Block, ...]:
    """Layers for multi-token prediction: of full attention, the first behind a matrix that joins state and embedding."""
    many = config.count("mtp_num_hidden_layers", default=0, least=0, most=100)
    config.refuse_if("mtp_use_dedicated_embeddings", "token tables of the prediction layers alone are not known")
    if not many:
        return ()
    join = Other(path="mtp", given=(Row("mtp", "fc", "matrix", "2*d_model", "d_model", module="mtp.fc"),))
    norms = tuple(Norm(path="mtp", name=name) for name in ("pre_fc_norm_embedding", "pre_fc_norm_hidden", "norm"))
    return group([(join, *norms, *layer), *[layer] * (many - 1)], section="mtp", first=n_layer)
