"""Mamba-2 and its hybrids (Nemotron-H, Nemotron-3, Falcon-H1, Bamba), and LFM2 with short convolutions alone."""

from __future__ import annotations

from aiinfra.architecture.config import MOST, Config
from aiinfra.architecture.families.common import assemble, heads, state_format
from aiinfra.architecture.model import Architecture, Block, group
from aiinfra.architecture.parts import MLP, Attention, Experts, Norm, Other, Part, Recurrent
from aiinfra.architecture.rows import FIXED, Row, StateRow
from aiinfra.architecture.tables import Embedding
from aiinfra.errors import ConfigError, brief

CONVOLVED = "n_rec*d_rec_v+2*n_rec_k*d_rec_k"
LETTERS = {"M": "mamba", "E": "moe", "*": "attention", "-": "mlp"}
WORDS = {"linear_attention": "mamba", "full_attention": "attention"}  # as transformers 5 writes them
# Fields of Nemotron-H that belong to one kind of layer, which a model may not have
OWN = """intermediate_size n_routed_experts n_shared_experts num_experts_per_tok moe_intermediate_size moe_latent_size
    moe_shared_expert_intermediate_size mamba_ssm_cache_dtype use_conv_bias sliding_window""".split()
# Fields that no shape depends on
UNSHAPED = """time_step_min time_step_max time_step_floor time_step_limit time_step_rank residual_in_fp32 rescale_prenorm_residual
    chunk_size mamba_chunk_size mamba_hidden_act mlp_hidden_act use_mamba_kernels num_logits_to_keep n_group topk_group
    moe_shared_expert_overlap mamba_norm_before_gate z_loss_coefficient""".split()
LFM2_UNSHAPED = """intermediate_size block_mlp_init_scale block_out_init_scale block_use_xavier_init conv_use_xavier_init
    use_pos_enc""".split()


def mixer(
    config: Config, names: tuple[str, ...], *, path: str = "mixer", bias: bool = False, bias_o: bool | None = None,
    inner: int | None = None, gated_norm: bool = True, state: str = "fp32",
) -> Recurrent:  # fmt: skip
    """A Mamba-2 layer; ``names`` are the fields of heads, their width, groups, state and taps, and of the convolution's bias.

    transformers keeps the state in FP32, and of the convolution as many inputs as it has taps.
    """
    for name in UNSHAPED:
        config.raw(name, default=None)
    n_rec, d_rec_v, n_rec_k, d_rec_k, taps = (config.count(name) for name in names[:5])
    if n_rec % n_rec_k:
        raise ConfigError(f"{config.where}: {names[0]} = {n_rec} is no multiple of {names[2]} = {n_rec_k}")
    if inner is not None and inner != n_rec * d_rec_v:
        raise ConfigError(f"{config.where}: {names[0]} × {names[1]} = {n_rec * d_rec_v}, but the inner width is {inner}")
    vectors = (("dt_bias", "n_rec"), ("A_log", "n_rec"), ("D", "n_rec"))
    return Recurrent(
        path=path,
        n_rec=n_rec,
        n_rec_k=n_rec_k,
        d_rec_k=d_rec_k,
        d_rec_v=d_rec_v,
        taps=taps,
        rule="gated recurrence",
        inputs=(("in_proj", "d_model", f"n_rec*d_rec_v+{CONVOLVED}+n_rec"),),
        convolved=(("conv1d", CONVOLVED),),
        convolution_bias=config.flag(names[5], default=True),
        vectors=(*vectors, ("norm", "n_rec*d_rec_v")) if gated_norm else vectors,
        bias=bias,
        bias_o=bias_o,
        state_format=state,
        convolution_format=config.dtype(),
    )


def read(config: Config, key: str) -> Architecture:
    """mamba2."""
    names = ("num_heads", "head_dim", "n_groups", "state_size", "conv_kernel", "use_conv_bias")
    inner = config.count("expand", default=2) * config.count("hidden_size")
    config.refuse_if("intermediate_size", f"expand × hidden_size is {inner}", allowed=(None, inner))
    config.refuse_if("rms_norm", "the reference code has this norm always", allowed=(None, True))
    config.raw("norm_before_gate", default=None)
    layer = Norm(name="norm"), mixer(config, names, bias=config.flag("use_bias"), inner=inner)
    return assemble(config, key, "mamba2", group([layer] * config.layers("num_hidden_layers")), embedding=(Embedding(name="embeddings"),))


def read_nemotron(config: Config, key: str) -> Architecture:
    """nemotron_h: Nemotron-H and Nemotron-3, whose layers are each one thing: Mamba-2, attention, MLP or experts."""
    kinds = nemotron_kinds(config, "layers_block_type", "layer_types", pattern="hybrid_override_pattern")
    n_layer = config.count("num_hidden_layers", default=len(kinds))
    if n_layer != len(kinds):
        raise ConfigError(f"{config.where}: num_hidden_layers = {n_layer}, but the pattern has {len(kinds)} layers")
    many = config.count("num_nextn_predict_layers", default=0, least=0, most=100)
    ahead = nemotron_kinds(config, "mtp_layers_block_type", pattern="mtp_hybrid_override_pattern", default=["attention", "moe"])
    config.count("expand", default=2)  # the class does not use it: heads times their width is the inner width
    parts = {kind: nemotron_part(config, kind) for kind in {*kinds, *(ahead if many else ())}}
    blocks = group([(Norm(name="norm"), parts[kind]) for kind in kinds])
    if many:
        blocks += nemotron_mtp([(Norm(name="norm"), parts[kind]) for kind in ahead] * many, len(ahead), n_layer)
    for name in OWN:
        config.raw(name, default=None)  # the model may have no layers of that kind
    warnings = ("no implementation that was read builds more than one depth of multi-token prediction",) if many > 1 else ()
    return assemble(config, key, "nemotron_h", blocks, warnings=warnings, embedding=(Embedding(name="embeddings"),))


def nemotron_kinds(config: Config, *lists: str, pattern: str, default: list[str] | None = None) -> list[str]:
    """What each layer is, from a list of words or a text of letters."""
    letters, words = config.word(pattern, default=None), config.raw(*lists, default=None)
    if letters is not None:
        if not letters or set(letters) - set(LETTERS):
            raise config.refuse(pattern, "letters M, E, * and -, one for each layer")
        from_letters = [LETTERS[x] for x in letters]
    if words is None:
        if letters is not None:
            return from_letters
        if default is None:
            raise ConfigError(f"{config.where}: field {lists[0]} or {pattern} is missing")
        return default
    name = next(n for n in lists if config.table.get(n) is not None)
    words = [WORDS.get(w, w) for w in config.words(name, None, (*LETTERS.values(), *WORDS))]
    if not words:
        raise config.refuse(name, "one word for each layer")
    if letters is not None and from_letters != words:
        raise ConfigError(f"{config.where}: {pattern} and {name} name different layers")
    return words


def nemotron_part(config: Config, kind: str) -> Part:
    """The one part of a Nemotron-H layer."""
    bias = config.flag("mlp_bias")
    if kind == "mlp":
        return MLP(path="mixer", d_ff=config.count("intermediate_size"), gated=False, bias=bias)
    if kind == "attention":
        config.refuse_if("attention_bias", "the reference code has no such bias")
        config.refuse_if("sliding_window", "the reference code attends to everything")
        return Attention(path="mixer", **kv_heads(config, "head_dim", "attention_head_dim"))
    if kind == "mamba":
        config.flag("mamba_proj_bias")
        names = ("mamba_num_heads", "mamba_head_dim", "n_groups", "ssm_state_size", "conv_kernel", "use_conv_bias")
        return mixer(config, names, bias=config.flag("use_bias"), state=state_format(config, "mamba_ssm_cache_dtype"))
    config.refuse_if("n_shared_experts", "moe_shared_expert_intermediate_size is taken as the width of one", allowed=(None, 1))
    experts = config.count("n_routed_experts")
    return Experts(
        path="mixer",
        n_expert=experts,
        n_chosen=config.count("num_experts_per_tok", most=experts),
        d_expert=config.count("moe_intermediate_size"),
        d_shared=config.count("moe_shared_expert_intermediate_size"),
        d_moe=config.count("moe_latent_size", default=None),
        gated=False,
        shared_gated=False,
        shared_bias=bias,
        correction=True,
    )


def nemotron_mtp(layers: list[tuple[Part, ...]], each: int, first: int) -> tuple[Block, ...]:
    """Layers for multi-token prediction: each depth starts with a matrix that joins state and embedding, and ends in a norm."""
    join = Other(path="mtp", given=(Row("mtp", "eh_proj", "matrix", "2*d_model", "d_model", module="eh_proj"),))
    for i in range(0, len(layers), each):
        layers[i] = (join, Norm(path="mtp", name="enorm"), Norm(path="mtp", name="hnorm"), *layers[i])
        layers[i + each - 1] = (*layers[i + each - 1], Norm(path="mtp", name="final_layernorm"))
    return group(layers, section="mtp", first=first)


def kv_heads(config: Config, *names: str) -> dict[str, int]:
    """Heads of families whose classes default to a fixed number of key/value heads: null stands for one per query head."""
    if "num_key_value_heads" not in config.table:
        config.count("num_key_value_heads")
    if not names:
        return heads(config)
    n_q, d_head = config.count("num_attention_heads"), config.count(*names)
    n_kv = config.count("num_key_value_heads", default=n_q)
    if n_q % n_kv:
        raise ConfigError(f"{config.where}: num_attention_heads = {n_q} is no multiple of num_key_value_heads = {n_kv}")
    return {"n_q": n_q, "n_kv": n_kv, "d_head": d_head}


HYBRID = ("mamba_n_heads", "mamba_d_head", "mamba_n_groups", "mamba_d_state", "mamba_d_conv", "mamba_conv_bias")


def read_falcon(config: Config, key: str) -> Architecture:
    """falcon_h1: attention and Mamba-2 side by side in every layer."""
    inner = config.count("mamba_d_ssm", default=None) or config.count("mamba_expand", default=2) * config.count("hidden_size")
    config.raw("mamba_expand", default=None)
    config.refuse_if("mamba_use_mlp", "the reference code has an MLP in every layer", allowed=(None, True))
    config.refuse_if("attn_layer_indices", "the reference code has attention in every layer", allowed=(None,))
    for name in config.table:
        if name.endswith(("_multiplier", "_multipliers")):
            config.raw(name, default=None)
    bias = config.flag("attention_bias")
    attention = Attention(**kv_heads(config), bias=bias, bias_o=bias)
    beside = mixer(
        auto_width(config, inner), HYBRID, path="mamba", bias=config.flag("mamba_proj_bias"), bias_o=config.flag("projectors_bias"),
        inner=inner, gated_norm=config.flag("mamba_rms_norm"),
    )  # fmt: skip
    mlp = MLP(path="feed_forward", d_ff=config.count("intermediate_size"), bias=config.flag("mlp_bias"))
    layer = Norm(name="input_layernorm"), attention, beside, Norm(name="pre_ff_layernorm"), mlp
    return assemble(config, key, "falcon_h1", group([layer] * config.layers("num_hidden_layers")))


def read_bamba(config: Config, key: str) -> Architecture:
    """bamba: attention in the layers that the config lists, Mamba-2 in the others."""
    n_layer = config.layers("num_hidden_layers")
    inner = config.count("mamba_expand", default=2) * config.count("hidden_size")
    listed = config.items("attn_layer_indices", None, default=[])
    if any(type(i) is not int or not 0 <= i < n_layer for i in listed):
        raise config.refuse("attn_layer_indices", f"a list of layers from 0 to {n_layer - 1}")
    bias = config.flag("attention_bias")
    attention = Attention(**kv_heads(config), bias=bias, bias_o=bias)
    mamba = mixer(auto_width(config, inner), HYBRID, path="mamba", bias=config.flag("mamba_proj_bias"), inner=inner)
    mlp = MLP(path="feed_forward", d_ff=config.count("intermediate_size"), bias=config.flag("mlp_bias"))
    norms = Norm(name="input_layernorm"), Norm(name="pre_ff_layernorm")
    layers = [(norms[0], attention if i in listed else mamba, norms[1], mlp) for i in range(n_layer)]
    return assemble(config, key, "bamba", group(layers))


def auto_width(config: Config, inner: int) -> Config:
    """The config with ``mamba_d_head`` as a number, where it says ``auto``."""
    if config.table.get("mamba_d_head", "auto") != "auto":
        return config
    heads_of = config.count("mamba_n_heads")
    found = Config({**config.table, "mamba_d_head": inner // heads_of}, config.where, config.top)
    found.read = config.read
    return found


def read_lfm2(config: Config, key: str) -> Architecture:
    """lfm2, lfm2_moe: short convolutions, with attention in some layers."""
    family = config.word("model_type")
    n_layer, taps = config.layers("num_hidden_layers"), config.count("conv_L_cache", default=3)
    kinds = config.words("layer_types", n_layer, ("conv", "full_attention"), default=None)
    listed = config.items("full_attn_idxs", None, default=None)
    if kinds is None:
        if listed is None:
            raise ConfigError(f"{config.where}: field layer_types or full_attn_idxs is missing")
        if any(type(i) is not int or not 0 <= i < n_layer for i in listed):
            raise config.refuse("full_attn_idxs", f"a list of layers from 0 to {n_layer - 1}")
        kinds = ["full_attention" if i in listed else "conv" for i in range(n_layer)]
    convolution = short_convolution(config.count("hidden_size"), taps, config.flag("conv_bias"), config.dtype())
    attention = Attention(**kv_heads(config), names=("q_proj", "k_proj", "v_proj", "out_proj"), norm="head")
    wide, names = lfm2_width(config, family), ("w1", "w3", "w2")
    dense, first, experts = MLP(path="feed_forward", d_ff=wide, names=names), n_layer, None
    if family == "lfm2_moe":
        first, many = config.count("num_dense_layers", default=2, least=0), config.count("num_experts")
        experts = Experts(
            path="feed_forward", n_expert=many, n_chosen=config.count("num_experts_per_tok", most=many),
            d_expert=config.count("moe_intermediate_size"), correction=config.flag("use_expert_bias", default=True),
        )  # fmt: skip
    norms = Norm(name="operator_norm"), Norm(name="ffn_norm")
    layers = [
        (norms[0], attention if kind == "full_attention" else convolution, norms[1], dense if i < first else experts)
        for i, kind in enumerate(kinds)
    ]
    tied = config.flag("tie_embedding", default=True)
    if "tie_embedding" in config and config.flag("tie_word_embeddings", default=tied) != tied:
        raise ConfigError(f"{config.where}: tie_embedding = {tied}, but tie_word_embeddings = {not tied}")
    return assemble(config, key, family, group(layers), tied=tied)


def lfm2_width(config: Config, family: str) -> int:
    """The inner width of LFM2's MLPs: by default two thirds of the field, up to a multiple of a block."""
    width = config.count("block_ff_dim", "intermediate_size")
    for name in ("block_dim", "conv_dim", "conv_dim_out", "num_heads"):
        value = "num_attention_heads" if name == "num_heads" else "hidden_size"
        config.refuse_if(name, f"{value} is {config.count(value)}", allowed=(None, config.count(value)))
    config.refuse_if("block_use_swiglu", "the reference code gates its MLPs", allowed=(None, True))
    for name in LFM2_UNSHAPED:
        config.raw(name, default=None)
    adjust, factor = config.flag("block_auto_adjust_ff_dim", default=True), config.number("block_ffn_dim_multiplier", default=1.0)
    block = config.count("block_multiple_of", default=256)
    if family != "lfm2" or not adjust:
        return width
    found = int(2 * width / 3)
    if config.table.get("block_ffn_dim_multiplier", 1.0) is not None:  # an explicit null also turns rounding off
        found = -(-int(factor * found) // block) * block
    if not 1 <= found <= MOST["size"]:
        raise ConfigError(f"{config.where}: block_ff_dim = {width} gives an inner width of {brief(found)}")
    return found


def short_convolution(d_model: int, taps: int, bias: bool, dtype: str) -> Other:
    """Two gates around a convolution over the last few tokens, which keeps as many inputs as it has taps."""
    rows = (
        Row("convolution", "in_proj", "matrix", "d_model", "3*d_model", bias, module="conv.in_proj"),
        Row("convolution", "conv", "convolution", "taps", "d_model", bias, module="conv.conv"),
        Row("convolution", "out_proj", "matrix", "d_model", "d_model", bias, module="conv.out_proj"),
    )
    kept = StateRow("convolution", "convolution inputs", f"{taps}*d_model", "conv", FIXED, format=dtype)
    return Other(given=rows, kept=(kept,), values=(("taps", taps),))
