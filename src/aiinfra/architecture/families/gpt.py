"""GPT-2 and what followed before Llama: biases, two-matrix MLPs, one matrix for queries, keys and values, positions in a table or none."""

from __future__ import annotations

from dataclasses import replace

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, layer
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention, Norm, Other
from aiinfra.architecture.rows import FULL, Reach, Row
from aiinfra.architecture.tables import Embedding
from aiinfra.errors import ConfigError, brief

PRE = ("input_layernorm", "", "post_attention_layernorm", "")
NUMBERED = ("ln_1", "", "ln_2", "")
FUSED = ("", "", "", "dense")
GPT = (("n_layer", "num_hidden_layers"), ("n_head", "num_attention_heads"), ("n_embd", "hidden_size"))
USUAL = (("num_hidden_layers", "n_layer"), ("num_attention_heads", "n_head"), ("hidden_size", "n_embed"))


def agreed(config: Config, names: tuple[str, ...], least: int = 1) -> int:
    """A size that old and new configs name differently; where both names occur, they must agree.

    >>> agreed(Config({"n_embd": 768}), ("n_embd", "hidden_size"))
    768
    """
    value = config.count(*names, least=least)
    for name in names:
        if name in config and config.count(name) != value:
            first = next(n for n in names if n in config)
            raise ConfigError(f"{config.where}: {first} = {value}, but {name} = {config.count(name)}")
    return value


def sizes(config: Config, names: tuple[tuple[str, ...], ...]) -> tuple[int, int, dict[str, int]]:
    """Layers, width, and heads that share the width."""
    n_layer, n_q, d = (agreed(config, names[i]) for i in range(3))
    config.layers(*names[0])
    if d % n_q:
        raise ConfigError(f"{config.where}: {names[2][0]} = {d} is no multiple of {names[1][0]} = {n_q}")
    return n_layer, d, {"n_q": n_q, "n_kv": n_q, "d_head": d // n_q}


def build(
    config: Config, key: str, n_layer: int, attention: Attention, mlp: MLP, norms=PRE, *, norm_bias: bool = True, reaches=None, **more
):
    """Layers that are alike, or differ in their reach."""
    reaches = reaches or [FULL] * n_layer
    layers = [layer(norms, replace(attention, reach=reach), mlp, bias=norm_bias) for reach in reaches]
    return assemble(config, key, config.word("model_type"), group(layers), norm_bias=norm_bias, **more)


def gpt2(config: Config, key: str) -> Architecture:
    """GPT-2; GPT-3, which is built alike; GPT-BigCode, which may have one key/value head."""
    family = config.word("model_type")
    config.refuse_if("add_cross_attention", "cross-attention is not computed")
    n_layer, d, shape = sizes(config, GPT)
    positions = agreed(config, ("n_positions", "max_position_embeddings"))
    config.raw("n_ctx", default=None)
    warnings = ()
    if family == "gpt_bigcode":
        shape["n_kv"] = 1 if config.flag("multi_query", default=True) else shape["n_q"]
        config.refuse_if("num_key_value_heads", f"multi_query makes it {shape['n_kv']}", allowed=(None, shape["n_kv"]))
    if family == "gpt3":
        warnings = ("GPT-3 alternates dense and banded sparse layers, whose band is not published: all are counted as dense",)
    attention = Attention(**shape, path="attn", bias=True, bias_o=True, fused="c_attn", names=("", "", "", "c_proj"))
    mlp = MLP(d_ff=config.count("n_inner", default=4 * d), gated=False, bias=True, names=("", "c_fc", "c_proj"))
    embedding = (Embedding(name="wte", positions=positions),)
    return build(config, key, n_layer, attention, mlp, NUMBERED, embedding=embedding, tied=True, warnings=warnings)


def gpt_neo(config: Config, key: str) -> Architecture:
    """GPT-Neo: global and local layers in turn."""
    names = (("num_layers", "num_hidden_layers"), ("num_heads", "num_attention_heads"), ("hidden_size",))
    n_layer, d, shape = sizes(config, names)
    window, kinds = Reach("window", config.count("window_size", default=256)), []
    for item in config.items("attention_types", None, default=[[["global", "local"], 12]]):
        try:
            words, times = item
            kinds += list(words) * times if 0 < len(words) * times <= n_layer else []
        except (TypeError, ValueError):
            raise ConfigError(f"{config.where}: attention_types holds {brief(item)}: must be [[words], times]") from None
    if len(kinds) != n_layer or any(kind not in ("global", "local") for kind in kinds):
        raise ConfigError(f"{config.where}: attention_types must give global or local for each of {n_layer} layers")
    attention = Attention(**shape, path="attn.attention", bias_o=True, names=("q_proj", "k_proj", "v_proj", "out_proj"))
    mlp = MLP(d_ff=config.count("intermediate_size", default=4 * d), gated=False, bias=True, names=("", "c_fc", "c_proj"))
    embedding = (Embedding(name="wte", positions=config.count("max_position_embeddings")),)
    reaches = [window if kind == "local" else FULL for kind in kinds]
    return build(config, key, n_layer, attention, mlp, NUMBERED, reaches=reaches, embedding=embedding, tied=True)


def opt(config: Config, key: str) -> Architecture:
    """OPT; its position table has two rows more than positions, and its token table may be narrower than the model."""
    n_layer, d, shape = sizes(config, (("num_hidden_layers",), ("num_attention_heads",), ("hidden_size",)))
    bias, weights = config.flag("enable_bias", default=True), config.flag("layer_norm_elementwise_affine", default=True)
    before, removed = config.flag("do_layer_norm_before", default=True), config.flag("_remove_final_layer_norm")
    narrow = config.count("word_embed_proj_dim", default=d)
    embedding = [Embedding(width="d_model" if narrow == d else str(narrow), positions=config.count("max_position_embeddings") + 2)]
    if narrow != d:
        rows = (
            Row("embedding", "project_in", "matrix", str(narrow), "d_model", module="project_in"),
            Row("head", "project_out", "matrix", "d_model", str(narrow), per="last", module="project_out"),
        )
        embedding.append(Other(given=rows))
    attention = Attention(**shape, bias=bias, bias_o=bias, names=("q_proj", "k_proj", "v_proj", "out_proj"))
    mlp = MLP(d_ff=config.count("ffn_dim"), path="", gated=False, bias=bias, names=("", "fc1", "fc2"))
    return build(
        config,
        key,
        n_layer,
        attention,
        mlp,
        ("self_attn_layer_norm", "", "final_layer_norm", "") if weights else ("", "", "", ""),
        final_norm=weights and before and not removed,
        embedding=tuple(embedding),
        tied=True,
        head_width="d_model" if narrow == d else str(narrow),
    )


def gpt_neox(config: Config, key: str) -> Architecture:
    """GPT-NeoX and Pythia: attention and MLP side by side, each behind a norm of its own."""
    n_layer, _, shape = sizes(config, (("num_hidden_layers",), ("num_attention_heads",), ("hidden_size",)))
    bias = config.flag("attention_bias", default=True)
    side_by_side = config.flag("use_parallel_residual", default=True)
    attention = Attention(**shape, path="attention", bias=bias, bias_o=bias, fused="query_key_value", names=FUSED)
    mlp = MLP(d_ff=config.count("intermediate_size"), gated=False, bias=True, names=("", "dense_h_to_4h", "dense_4h_to_h"))
    return build(config, key, n_layer, attention, mlp, side_by_side=side_by_side)


def gptj(config: Config, key: str) -> Architecture:
    """GPT-J: attention without biases and an MLP with them side by side behind one norm; the head has a bias."""
    n_layer, d, shape = sizes(config, GPT)
    config.count("rotary_dim", default=None)
    attention = Attention(**shape, path="attn", names=("q_proj", "k_proj", "v_proj", "out_proj"))
    mlp = MLP(d_ff=config.count("n_inner", default=4 * d), gated=False, bias=True, names=("", "fc_in", "fc_out"))
    return build(config, key, n_layer, attention, mlp, ("ln_1", "", "", ""), head_bias=True, side_by_side=True)


def bloom(config: Config, key: str) -> Architecture:
    """BLOOM: ALiBi in place of positions, and a norm behind the token table."""
    n_layer, d, shape = sizes(config, (("n_layer", "num_hidden_layers"), ("n_head", "num_attention_heads"), ("hidden_size", "n_embed")))
    config.refuse_if("n_inner", "its MLP is four times as wide as the model", allowed=(None, 4 * d))
    for name in ("apply_residual_connection_post_layernorm", "masked_softmax_fusion", "bias_dropout_fusion"):
        config.flag(name)
    attention = Attention(**shape, path="self_attention", bias=True, bias_o=True, fused="query_key_value", names=FUSED)
    mlp = MLP(d_ff=4 * d, gated=False, bias=True, names=("", "dense_h_to_4h", "dense_4h_to_h"))
    embedding = (Embedding(name="word_embeddings"), Norm(name="word_embeddings_layernorm", bias=True))
    return build(config, key, n_layer, attention, mlp, embedding=embedding, tied=True)


def mpt(config: Config, key: str) -> Architecture:
    """MPT without biases, with ALiBi; what its first code base offers beyond that is refused."""
    n_layer, d, shape = sizes(config, (("n_layers", "num_hidden_layers"), ("n_heads", "num_attention_heads"), ("d_model", "hidden_size")))
    config.refuse_if("expansion_ratio", "its MLP is four times as wide as the model", allowed=(None, 4))
    config.refuse_if("no_bias", "biases are not computed", allowed=(None, True))
    for name in ("learned_pos_emb", "init_device", "norm_type", "emb_pdrop", "logit_scale", "embedding_fraction", "verbose"):
        config.raw(name, default=None)
    if (inner := config.part("attn_config", default=None)) is not None:
        inner.refuse_if("alibi", "learned positions are not computed", allowed=(None, True))
        inner.refuse_if("attn_type", "only multihead_attention is computed", allowed=(None, "multihead_attention"))
        inner.refuse_if("qk_ln", "norms of queries and keys are not computed")
        inner.refuse_if("rope", "rotary positions are not computed")
        inner.refuse_if("kv_n_heads", f"must be n_heads = {shape['n_q']}", allowed=(None, shape["n_q"]))
    attention = Attention(**shape, path="attn", fused="Wqkv", names=("", "", "", "out_proj"))
    mlp = MLP(d_ff=4 * d, path="ffn", gated=False)
    return build(
        config, key, n_layer, attention, mlp, ("norm_1", "", "norm_2", ""), norm_bias=False, embedding=(Embedding(name="wte"),), tied=True
    )


def falcon(config: Config, key: str) -> Architecture:
    """Falcon: 7B with one key/value head behind one norm, 40B and 180B with groups and two norms, 1B serial with ALiBi."""
    n_layer, d, shape = sizes(config, USUAL)
    new, bias = config.flag("new_decoder_architecture"), config.flag("bias")
    config.flag("alibi")
    if new:
        shape["n_kv"] = config.count("num_kv_heads", "n_head_kv", default=shape["n_q"])
        if shape["n_q"] % shape["n_kv"]:
            raise ConfigError(f"{config.where}: num_attention_heads = {shape['n_q']} is no multiple of num_kv_heads = {shape['n_kv']}")
    elif config.flag("multi_query", default=True):
        shape["n_kv"] = 1
        config.raw("num_kv_heads", "n_head_kv", default=None)  # the class ignores it here
    else:
        config.refuse_if(
            "num_kv_heads", f"without multi_query it must be num_attention_heads = {shape['n_q']}", allowed=(None, shape["n_q"])
        )
    config.raw("multi_query", default=None)
    side_by_side = config.flag("parallel_attn", default=True)
    norms = config.count("num_ln_in_parallel_attn", default=2 if new else 1)
    if side_by_side:
        names = ("ln_attn", "", "ln_mlp", "") if norms == 2 else ("input_layernorm", "", "", "")
    else:
        names = PRE
    attention = Attention(**shape, path="self_attention", bias=bias, bias_o=bias, fused="query_key_value", names=FUSED)
    d_ff = config.count("ffn_hidden_size", default=4 * d)
    mlp = MLP(d_ff=d_ff, gated=False, bias=bias, names=("", "dense_h_to_4h", "dense_4h_to_h"))
    embedding = (Embedding(name="word_embeddings"),)
    return build(config, key, n_layer, attention, mlp, names, embedding=embedding, tied=True, side_by_side=side_by_side or new)
