"""Mixtures of experts on layers like Llama's: Mixtral, Qwen, OLMoE, Phi, Granite, GPT-OSS, Hunyuan, Ernie."""

from __future__ import annotations

from collections.abc import Callable

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.deepseek import agreed
from aiinfra.architecture.families.llama import QWEN, Family, build
from aiinfra.architecture.model import Architecture
from aiinfra.architecture.parts import MLP, Experts, Part
from aiinfra.errors import ConfigError, brief

OWN = {"bias_mlp": False}
FAMILIES = {
    "mixtral": Family(bias=False, bias_o=False, kv=8, slides=True, **OWN),
    "qwen2_moe": Family(**QWEN | {"bias": "qkv_bias", "bias_default": True, "local": "odd", "kv": 16}),
    "qwen3_moe": Family(**QWEN | {"bias_o": "attention_bias", "qk_norm": "head", "local": "", "kv": 4}),
    "olmoe": Family(qk_norm="full", **OWN),
    "phimoe": Family(norm_bias=True, head_bias="lm_head_bias", kv=8, slides=True, **OWN),
    "granitemoe": Family(**OWN),
    "gpt_oss": Family(bias_default=True, sinks=True, window=128, local="period", period=2, kv=8, d_head=64, **OWN),
    "hunyuan_v1_moe": Family(qk_norm="head", **OWN),
    "ernie4_5_moe": Family(bias="use_bias", bias_o="use_bias", bias_mlp="use_bias", head_bias="use_bias", kv=4, tied=True),
}


def experts(config: Config, many: tuple[str, ...], few: tuple[str, ...], **more) -> Experts:
    """Routed experts; a token cannot pass through more than there are."""
    n, k = agreed(config, *many), agreed(config, *few)
    if k > n:
        raise ConfigError(f"{config.where}: {few[0]} = {k} is more than {many[0]} = {n}")
    return Experts(n_expert=n, n_chosen=k, **more)


def read(config: Config, key: str) -> Architecture:
    """A family whose layers all have experts of the same width, or some a plain MLP."""
    family = config.word("model_type")
    mlp = {"qwen2_moe": qwen, "qwen3_moe": qwen, "hunyuan_v1_moe": hunyuan, "ernie4_5_moe": ernie}.get(family, alike)(config, family)
    return build(config, key, FAMILIES[family], mlp=mlp)


def alike(config: Config, family: str) -> Callable[[int], Part]:
    """Experts in every layer, as wide as intermediate_size."""
    many = ("num_experts", "num_local_experts") if family == "olmoe" else ("num_local_experts", "num_experts")
    few = ("num_experts_per_tok", "experts_per_token") if family == "gpt_oss" else ("num_experts_per_tok",)
    if family == "gpt_oss":
        config.number("swiglu_limit", default=None)
        biased = {"bias": True, "router_bias": True}  # whatever attention_bias says
    else:
        biased = {}
    path = "block_sparse_moe" if family in ("mixtral", "granitemoe") else "mlp"
    router = {"granitemoe": "router.layer", "gpt_oss": "router"}.get(family, "gate")
    part = experts(config, many, few, d_expert=config.count("intermediate_size"), path=path, router_path=router, **biased)
    return lambda i: part


def qwen(config: Config, family: str) -> Callable[[int], Part]:
    """Experts in every decoder_sparse_step-th layer but those in mlp_only_layers; Qwen2 with a shared expert behind a gate."""
    step, n_layer = config.count("decoder_sparse_step", default=1), config.layers("num_hidden_layers")
    plain = config.items("mlp_only_layers", None, default=[])
    if any(isinstance(i, bool) or not isinstance(i, int) or not 0 <= i < n_layer for i in plain):
        raise ConfigError(f"{config.where}: mlp_only_layers = {brief(plain)}: must be layer numbers below {n_layer}")
    d_shared = None
    if family == "qwen2_moe":
        d_shared = config.count("shared_expert_intermediate_size")
    else:
        config.refuse_if("shared_expert_intermediate_size", "Qwen3 has no shared expert")
    part = experts(
        config,
        ("num_experts", "num_local_experts"),
        ("num_experts_per_tok",),
        d_expert=config.count("moe_intermediate_size"),
        d_shared=d_shared,
        shared_gate=d_shared is not None,
        shared_path="shared_expert",
    )
    d_ff = config.count("intermediate_size", default=None)
    plain = frozenset(plain)

    def mlp(i: int) -> Part:
        if i not in plain and (i + 1) % step == 0:
            return part
        if d_ff is None:
            raise ConfigError(f"{config.where}: field intermediate_size is missing, and layer {i} has no experts")
        return MLP(d_ff=d_ff)

    return mlp


def one(config: Config, *names: str, default: int | None = None) -> int | None:
    """A number that a config may repeat for every layer in a list; all must be the same.

    >>> one(Config({"moe_topk": [8, 8]}), "moe_topk")
    8
    """
    value = config.raw(*names, default=default)
    if isinstance(value, list):
        if not value or any(type(v) is not int or v != value[0] or v < 1 for v in value):
            raise ConfigError(f"{config.where}: {names[0]} = {brief(value)}: must be the same whole number for every layer")
        return value[0]
    return config.count(*names, default=default)


def hunyuan(config: Config, family: str) -> Callable[[int], Part]:
    """Experts and a shared one of the same width in every layer."""
    config.refuse_if("use_cla", "caches shared between layers are not computed for this family")
    width, n = config.count("intermediate_size"), one(config, "num_experts", "num_local_experts")
    for name, must in (("moe_intermediate_size", width), ("num_shared_expert", 1)):
        if one(config, name, default=must) != must:
            raise ConfigError(f"{config.where}: {name} = {brief(config.raw(name))}: the class computes {must} only")
    k = one(config, "moe_topk", "num_experts_per_tok")
    if n is None or k is None or k > n:
        raise ConfigError(f"{config.where}: moe_topk = {k} of num_experts = {n}: must be given, and no more than there are")
    part = Experts(n_expert=n, n_chosen=k, d_expert=width, d_shared=width, shared_path="shared_mlp", router_path="gate.wg")
    return lambda i: part


def ernie(config: Config, family: str) -> Callable[[int], Part]:
    """Experts in every moe_layer_interval-th layer from moe_layer_start_index to moe_layer_end_index, a plain MLP in the others."""
    n_layer, bias = config.layers("num_hidden_layers"), config.flag("use_bias")
    every, first = config.count("moe_layer_interval", default=1), config.count("moe_layer_start_index", default=1, least=0)
    last = config.count("moe_layer_end_index", default=-1, least=-1)
    last = n_layer - 1 if last == -1 else last
    width, shared = config.count("moe_intermediate_size"), config.count("moe_num_shared_experts", default=2, least=0)
    part = experts(
        config,
        ("moe_num_experts", "num_experts"),
        ("moe_k", "num_experts_per_tok"),
        d_expert=width,
        d_shared=width * shared or None,
        shared_bias=bias,
        correction=True,
        correction_trained=True,
    )
    dense = MLP(d_ff=config.count("intermediate_size"), bias=bias)
    return lambda i: part if first <= i <= last and (i + 1) % every == 0 else dense
