"""DeepSeek's families with latent attention and many experts, and those that follow them: V2, V3, V3.2, Kimi-K2, GLM-5.

Also what further families share with them: experts in groups, dense first layers, layers that predict further tokens.
"""

from __future__ import annotations

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, standard_layer
from aiinfra.architecture.model import Architecture, Block, group
from aiinfra.architecture.parts import MLP, Experts, Index, LatentAttention, Norm, Other, Part
from aiinfra.architecture.rows import FULL, Reach, Row
from aiinfra.errors import ConfigError

INDEX_KEYS = "index keys are counted in the format of the cache; engines may keep them in another, with scales"
NO_COPIES = "the files may hold copies of the token table and the head for the further-token layers: counted once, in the language model"


def read(config: Config, key: str) -> Architecture:
    """deepseek_v2, deepseek_v3, deepseek_v32, kimi_k2, glm_moe_dsa."""
    family = config.word("model_type")
    old, sparse = family == "deepseek_v2", family in ("deepseek_v32", "glm_moe_dsa")
    n_layer = config.layers("num_hidden_layers")
    config.refuse_if("moe_layer_freq", "only 1, experts in every layer after the dense ones, is computed", (None, 1))
    methods = ("greedy", "group_limited_greedy") if old else ("noaux_tc",)
    config.word("topk_method", default=methods[0], among=methods)
    config.raw("index_share_for_mtp_iteration", "indexer_rope_interleave", "moe_router_dtype", default=None)  # no shapes
    config.words(
        "layer_types", n_layer, ("indexed_attention", "deepseek_sparse_attention") if sparse else ("full_attention",), default=None
    )
    if not old:
        config.refuse_if("mlp_bias", "no layer of this family has such a bias")
    mlp_bias = old and config.flag("mlp_bias", default=False)
    mlp = MLP(d_ff=config.count("intermediate_size"), bias=mlp_bias)
    moe = experts(config, correction=not old, shared_bias=mlp_bias)
    reach = Reach("chosen", 1, config.count("index_topk")) if sparse else FULL
    attention = latent_attention(config, reach=reach, stored=FULL if sparse else None, low_rank=sparse)
    full = None
    if sparse:
        n_index, d_index = config.count("index_n_heads"), config.count("index_head_dim")
        full = Index(n_index=n_index, d_index=d_index, source="d_latent_q", d_latent_q=attention.d_latent_q)
    shares = index_shares(config, n_layer) if family == "glm_moe_dsa" else [False] * n_layer

    def layer(feed: Part, shared: bool = False) -> tuple[Part, ...]:
        parts = standard_layer(attention, feed)
        if full is None:
            return parts
        index = Index(n_index=n_index, d_index=d_index, shared=True) if shared else full
        return (parts[0], index, *parts[1:])

    layers = [layer(moe if routed else mlp, shared) for routed, shared in zip(routed_layers(config, n_layer), shares, strict=True)]
    further, warnings = ((), ()) if old else next_tokens(config, layer(moe), n_layer)
    return assemble(config, key, family, group(layers) + further, warnings=warnings + ((INDEX_KEYS,) if sparse else ()))


def latent_attention(config: Config, *, low_rank: bool = False, **more) -> LatentAttention:
    """Latent attention from the names that all these families use; ``q_lora_rank`` null or 0: queries are made directly."""
    n_q = config.count("num_attention_heads")
    n_kv = config.count("num_key_value_heads", default=n_q)
    if n_kv != n_q:
        raise ConfigError(
            f"{config.where}: num_key_value_heads = {n_kv}, but latent attention makes keys for all num_attention_heads = {n_q} heads"
        )
    if "q_lora_rank" not in config.table:
        config.count("q_lora_rank")  # missing is no answer here: the families differ in what they take then
    d_latent_q = config.count("q_lora_rank", default=None, least=1 if low_rank else 0) or None
    if low_rank and d_latent_q is None:
        raise ConfigError(f"{config.where}: q_lora_rank is null, but the index makes its queries from that vector")
    d_nope, d_rope = config.count("qk_nope_head_dim"), config.count("qk_rope_head_dim")
    whole = config.count("qk_head_dim", default=d_nope + d_rope)
    if whole != d_nope + d_rope:
        raise ConfigError(f"{config.where}: qk_head_dim = {whole}, but qk_nope_head_dim + qk_rope_head_dim = {d_nope + d_rope}")
    config.raw("head_dim", default=None)  # written by some, and meaning now one width, now another
    bias = config.flag("attention_bias", default=False)
    return LatentAttention(
        n_q=n_q, d_latent=config.count("kv_lora_rank"), d_nope=d_nope, d_rope=d_rope, d_value=config.count("v_head_dim"),
        d_latent_q=d_latent_q, bias=bias, bias_o=bias, **more,
    )  # fmt: skip


def agreed(config: Config, *names: str, **limits) -> int:
    """A count that goes by several names, which must not contradict each other.

    >>> agreed(Config({"num_experts": 8, "n_routed_experts": 8}), "n_routed_experts", "num_experts")
    8
    """
    found = {name: config.count(name, **limits) for name in names if name in config}
    if len(set(found.values())) > 1:
        raise ConfigError(f"{config.where}: " + ", but ".join(f"{name} = {value}" for name, value in found.items()))
    return config.count(*names, **limits)


def experts(config: Config, *, correction: bool = True, shared: bool = True, shared_bias: bool = False) -> Experts:
    """Routed experts, in groups of which a token may use a few, and where there may be such, ``shared`` ones."""
    n_expert = agreed(config, "n_routed_experts", "num_experts", "num_local_experts")
    n_chosen = agreed(config, "num_experts_per_tok", "num_experts_per_token", "moe_top_k")
    d_expert = config.count("moe_intermediate_size")
    groups = config.count("n_group", "num_expert_group", default=1)
    kept = config.count("topk_group", default=groups)
    if n_expert % groups:
        raise ConfigError(f"{config.where}: n_routed_experts = {n_expert} is no multiple of n_group = {groups}")
    if kept > groups:
        raise ConfigError(f"{config.where}: topk_group = {kept} is more than n_group = {groups}")
    if n_chosen > n_expert // groups * kept:
        raise ConfigError(
            f"{config.where}: num_experts_per_tok = {n_chosen} is more than the {n_expert // groups * kept} experts to choose from"
        )
    names = ("n_shared_experts", "num_shared_experts")
    if shared and not any(name in config.table for name in names):
        config.count(*names)  # null says that there are none; a missing field says nothing
    n_shared = config.count(*names, default=0, least=0) if shared else 0
    return Experts(
        n_expert=n_expert,
        n_chosen=n_chosen,
        d_expert=d_expert,
        d_shared=n_shared * d_expert or None,
        correction=correction,
        shared_bias=shared_bias,
    )


def routed_layers(config: Config, n_layer: int) -> list[bool]:
    """Whether each layer has experts: from ``mlp_layer_types``, or all after the first dense ones."""
    types = config.words("mlp_layer_types", n_layer, ("dense", "sparse"), default=None)
    first = config.count("first_k_dense_replace", least=0, **({} if types is None else {"default": None}))
    counted = None if first is None else [index >= first for index in range(n_layer)]
    if types is None:
        return counted
    listed = [t == "sparse" for t in types]
    if counted is not None and counted != listed:
        raise ConfigError(
            f"{config.where}: first_k_dense_replace = {first}, but mlp_layer_types has {n_layer - sum(listed)} dense layers or others"
        )
    return listed


def index_shares(config: Config, n_layer: int) -> list[bool]:
    """Whether each layer takes its choice from an earlier one: from a list, a pattern, or every so many layers."""
    pattern = config.raw("index_topk_pattern", default=None)
    every, offset = config.count("index_topk_freq", default=1), config.count("index_skip_topk_offset", default=2, least=0)
    types = config.words("indexer_types", n_layer, ("full", "shared"), default=None)
    if types is None and pattern is not None:
        if not isinstance(pattern, (str, list)) or len(pattern) != n_layer or set(map(str, pattern)) - {"F", "S"}:
            raise config.refuse("index_topk_pattern", f"F or S for each of {n_layer} layers")
        types = ["full" if p == "F" else "shared" for p in pattern]
    if types is None:
        types = ["shared" if max(index - offset + 1, 0) % every else "full" for index in range(n_layer)]
    if types[0] == "shared":
        raise ConfigError(f"{config.where}: indexer_types begins with shared, but there is no earlier layer to share with")
    return [t == "shared" for t in types]


def next_tokens(
    config: Config, layer: tuple[Part, ...], n_layer: int, *, final: str = "shared_head.norm"
) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Layers that predict further tokens: two norms and a matrix that joins token and state, a layer, and the head once more."""
    count = agreed(config, "num_nextn_predict_layers", "num_mtp_layers", default=None, least=0, most=100)
    if count is None:
        return (), ("num_nextn_predict_layers is missing: no layers that predict further tokens are counted",)
    parts = (joined("enorm", "hnorm", "eh_proj"), *layer, Norm(name=final), shared_head())
    return group([parts] * count, section="mtp", first=n_layer), (NO_COPIES,) if count else ()


def joined(token: str, state: str, matrix: str) -> Other:
    """What joins the last layer's state and the next token: a norm for each, and a matrix over both."""
    return Other(
        given=(
            Row("mtp", token, "vector", "1", "d_model", module=token),
            Row("mtp", state, "vector", "1", "d_model", module=state),
            Row("mtp", matrix, "matrix", "2*d_model", "d_model", module=matrix),
        )
    )


def shared_head(tied: bool = True) -> Other:
    """The output head of a layer that predicts further tokens: the model's, used once more, or one of its own."""
    return Other(given=(Row("head", "shared_head.head", "matrix", "d_model", "vocab", tied=tied, module="shared_head.head"),))
