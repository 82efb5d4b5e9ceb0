"""MiniMax: Text-01 and M1 with lightning attention, M2 with full attention, M3 with attention to chosen blocks and a tower."""

from __future__ import annotations

from dataclasses import replace

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, given_heads, heads, standard_layer
from aiinfra.architecture.families.deepseek import INDEX_KEYS, agreed
from aiinfra.architecture.families.vision import Tower, attach, projector, text_of, vector
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention, Experts, Index, Part, Recurrent
from aiinfra.architecture.rows import FULL, Reach
from aiinfra.errors import ConfigError

STATE = "states of lightning attention are counted in the model's format, as the reference keeps them; engines may take FP32"
UNSHAPED = (
    "image_grid_pinpoints", "image_seq_length", "process_image_mode", "projector_hidden_act", "vision_feature_layer",
    "vision_feature_select_strategy",
)  # fmt: skip
NO_FURTHER = "the config names modules that predict further tokens; the published files hold none, and none is counted"


def routed(config: Config, *, correction: bool, d_shared: int | None = None) -> Experts:
    """Experts of the width ``intermediate_size``."""
    n_expert, n_chosen = agreed(config, "num_local_experts", "num_experts"), config.count("num_experts_per_tok")
    if n_chosen > n_expert:
        raise ConfigError(f"{config.where}: num_experts_per_tok = {n_chosen} is more than num_local_experts = {n_expert}")
    d_expert = agreed(config, "intermediate_size", "moe_intermediate_size")
    return Experts(n_expert=n_expert, n_chosen=n_chosen, d_expert=d_expert, d_shared=d_shared, correction=correction)


def read_lightning(config: Config, key: str) -> Architecture:
    """minimax, and minimax_text_01 and minimax_m1: the same layout under the names of the first files."""
    n_layer = config.layers("num_hidden_layers")
    config.count("num_key_value_heads")
    shape = heads(config)
    window = config.count("sliding_window", default=None)
    full = Attention(**shape, reach=Reach("window", window) if window else FULL)
    n, wide = shape["n_q"], "n_rec*d_rec_v"
    linear = Recurrent(
        path="self_attn", n_rec=n, n_rec_k=n, d_rec_k=shape["d_head"], d_rec_v=shape["d_head"], rule="gated recurrence",
        inputs=(("qkv_proj", "d_model", f"3*{wide}"), ("output_gate", "d_model", wide)), vectors=(("norm", wide),),
        state_format=config.dtype(),
    )  # fmt: skip
    config.refuse_if("shared_intermediate_size", "shared experts are not known in this family")
    moe = routed(config, correction=False)
    layers = [standard_layer(linear if is_linear else full, moe) for is_linear in linear_layers(config, n_layer)]
    config.raw("block_size", "postnorm", "rotary_dim", default=None)
    scales = [
        n
        for n in config.table
        if n.endswith(("_alpha_factor", "_beta_factor", "attention_alpha", "attention_beta", "mlp_alpha", "mlp_beta"))
    ]
    config.read.update(scales)  # of residuals: no parameters
    return assemble(config, key, "minimax", group(layers), warnings=(STATE,))


def linear_layers(config: Config, n_layer: int) -> list[bool]:
    """Whether each layer is lightning attention: from ``layer_types``, or ``attn_type_list`` with 0 for it and 1 for full."""
    types = config.words("layer_types", n_layer, ("full_attention", "linear_attention"), default=None)
    numbers = config.counts("attn_type_list", n_layer, default=None)
    if types is None and numbers is None:
        raise ConfigError(f"{config.where}: field layer_types or attn_type_list is missing: nothing says which layers are linear")
    if numbers is not None and set(numbers) - {0, 1}:
        raise config.refuse("attn_type_list", "0 or 1 for each layer")
    found = [not n for n in numbers] if types is None else [t == "linear_attention" for t in types]
    if types is not None and numbers is not None and found != [not n for n in numbers]:
        raise ConfigError(f"{config.where}: layer_types contradicts attn_type_list")
    return found


def read_m2(config: Config, key: str) -> Architecture:
    """minimax_m2."""
    n_layer = config.layers("num_hidden_layers")
    kinds = config.counts("attn_type_list", n_layer, default=None)
    if kinds is not None and set(kinds) != {1}:
        raise config.refuse("attn_type_list", "1, full attention, for each layer")
    config.refuse_if("use_qk_norm", "this family normalises queries and keys", (None, True))
    config.word("qk_norm_type", default="per_layer", among=("per_layer",))
    config.refuse_if("shared_intermediate_size", "shared experts are not known in this family")
    config.refuse_if("sliding_window", "windows are not known in this family", (None,))
    moe = routed(config, correction=config.flag("use_routing_bias", default=True))
    layer = standard_layer(Attention(**given_heads(config), norm="full"), moe)
    named = config.flag("use_mtp", default=False) and config.count("num_mtp_modules", default=0, least=0)
    config.raw("mtp_transformer_layers", "num_mtp_modules", "rotary_dim", default=None)
    return assemble(config, key, "minimax_m2", group([layer] * n_layer), warnings=(NO_FURTHER,) if named else ())


def read_m3(config: Config, key: str, family: str = "minimax_m3") -> Architecture:
    """minimax_m3 and minimax_m3_vl_text: the language model."""
    n_layer = config.layers("num_hidden_layers")
    config.refuse_if("attention_output_gate", "such a gate is not known in this family", (None, False))
    config.refuse_if("use_qk_norm", "this family normalises queries and keys", (None, True))
    config.word("qk_norm_type", default="per_head", among=("per_head",))
    config.refuse_if("n_shared_experts", "one shared expert is computed", (None, 1))
    full = Attention(**given_heads(config), norm="head")
    sparse, index, which = chosen_blocks(config, n_layer, full)
    mlp = MLP(d_ff=config.count("dense_intermediate_size"))
    moe = routed(config, correction=config.flag("use_routing_bias", default=True), d_shared=config.count("shared_intermediate_size"))

    def layer(is_sparse: bool, feed: Part) -> tuple[Part, ...]:
        before, attention, *after = standard_layer(sparse if is_sparse else full, feed)
        return (before, index, attention, *after) if is_sparse else (before, attention, *after)

    layers = [layer(*kinds) for kinds in zip(which, [moe if r else mlp for r in expert_layers(config, n_layer)], strict=True)]
    named = any([config.count(name, default=0, least=0) for name in ("num_mtp_modules", "num_nextn_predict_layers")])
    config.raw("rotary_dim", "swiglu_alpha", "swiglu_limit", "use_gemma_norm", default=None)  # no shapes
    warnings = ((INDEX_KEYS,) if any(which) else ()) + ((NO_FURTHER,) if named else ())
    return assemble(config, key, family, group(layers), warnings=warnings)


def chosen_blocks(config: Config, n_layer: int, full: Attention) -> tuple[Attention, Index | None, list[bool]]:
    """Attention to chosen blocks, the index that chooses them, and which layers have both."""
    types = config.words("layer_types", n_layer, ("full_attention", "minimax_m3_sparse"), default=None)
    given = config.part("sparse_attention_config", default=None)
    flags = None if given is None else given.counts("sparse_attention_freq", n_layer, default=None)
    if types is None and flags is None:
        raise ConfigError(f"{config.where}: field layer_types or sparse_attention_config is missing: nothing says which layers are sparse")
    which = [t == "minimax_m3_sparse" for t in types] if flags is None else [bool(f) for f in flags]
    if types is not None and which != [t == "minimax_m3_sparse" for t in types]:
        raise ConfigError(f"{config.where}: layer_types contradicts sparse_attention_config.sparse_attention_freq")
    if not any(which):
        config.raw("index_n_heads", "index_head_dim", "index_block_size", "index_topk_blocks", "index_local_blocks", default=None)
        return full, None, which
    if given is not None:
        given.refuse_if("use_sparse_attention", "false contradicts layers that are sparse", (None, True))
        given.refuse_if("sparse_init_block", "blocks that are always chosen at the start are not computed", (None, 0))
        none = given.counts("sparse_disable_index_value", n_layer, default=None)
        if none is not None and any(sparse and not off for sparse, off in zip(which, none, strict=True)):
            raise given.refuse("sparse_disable_index_value", "1 in every sparse layer: an index with values is not computed")

    def size(inner: str, outer: str) -> int:
        return given.count(inner) if given is not None and inner in given else config.count(outer)

    n_index, d_index = size("sparse_num_index_heads", "index_n_heads"), size("sparse_index_dim", "index_head_dim")
    block, best = size("sparse_block_size", "index_block_size"), size("sparse_topk_blocks", "index_topk_blocks")
    local = size("sparse_local_block", "index_local_blocks")
    if n_index != full.n_kv:
        raise ConfigError(f"{config.where}: {n_index} index heads, but num_key_value_heads = {full.n_kv}: each chooses for one of them")
    if not 1 <= local <= best:
        raise ConfigError(f"{config.where}: {local} local blocks of {best} that are chosen")
    index = Index(
        n_index=n_index,
        d_index=d_index,
        key_norm="rms",
        query_norm=True,
        per_head_weight=False,
        path="self_attn",
        names=("index_q_proj", "index_k_proj", "index_k_norm", ""),
    )
    return replace(full, reach=Reach("blocks", block, best), stored=FULL), index, which


def expert_layers(config: Config, n_layer: int) -> list[bool]:
    """Whether each layer has experts: from ``mlp_layer_types``, ``moe_layer_freq`` or the number of dense layers before."""
    types = config.words("mlp_layer_types", n_layer, ("dense", "sparse"), default=None)
    flags = config.counts("moe_layer_freq", n_layer, default=None)
    first = config.count("first_k_dense_replace", default=None, least=0)
    said = {
        "mlp_layer_types": None if types is None else [t == "sparse" for t in types],
        "moe_layer_freq": None if flags is None else [bool(f) for f in flags],
        "first_k_dense_replace": None if first is None else [i >= first for i in range(n_layer)],
    }
    known = {name: layers for name, layers in said.items() if layers is not None}
    if not known:
        raise ConfigError(f"{config.where}: field mlp_layer_types or moe_layer_freq is missing: nothing says which layers have experts")
    if any(layers != next(iter(known.values())) for layers in known.values()):
        raise ConfigError(f"{config.where}: {' and '.join(known)} contradict each other")
    return next(iter(known.values()))


def read_m3_vl(config: Config, key: str) -> Architecture:
    """minimax_m3_vl: the language model of minimax_m3, a tower and a projector that merges patches."""
    text = text_of(config, "minimax_m3")
    vision = config.part("vision_config", default=None)
    language = read_m3(text, key)
    if vision is None:
        return attach(language, config, "minimax_m3_vl", (), None)
    width, path, d_model = vision.count("hidden_size"), "vision_tower", text.count("hidden_size")
    merging = vision.part("img_token_compression_config", default=None) or vision
    eye = Tower(
        width=width, inner=vision.count("intermediate_size"), depth=vision.layers("num_hidden_layers"), patch=vision.count("patch_size"),
        channels=vision.count("num_channels", default=3), frames=merging.count("temporal_patch_size", default=2), patch_bias=False,
        attention=("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj"), mlp=("mlp.fc1", "mlp.fc2"),
        norms=("layer_norm1", "layer_norm2"), path=path,
    )  # fmt: skip
    vision.raw(
        "rope_mode",
        "position_embedding_type",
        "vision_segment_max_frames",
        "num_attention_heads",
        "image_size",
        "projection_dim",
        "vocab_size",
        "initializer_factor",
        default=None,
    )
    config.raw("img_token_compression_config", *UNSHAPED, default=None)
    config.refuse_if("multimodal_projector_bias", "the projector of this family has biases", (None, True))
    between, merged = config.count("projector_hidden_size", default=d_model), merging.count("spatial_merge_size", default=2, most=64) ** 2
    steps = (
        ("linear_1", width, between, True), ("linear_2", between, d_model, True),
        ("merge_linear_1", d_model * merged, between, True), ("merge_linear_2", between, d_model, True),
    )  # fmt: skip
    extra = (*eye.rows(), vector("pre_layrnorm", width, True, path=path), *projector(steps, path="multi_modal_projector"))
    return attach(language, config, "minimax_m3_vl", extra, vision)
