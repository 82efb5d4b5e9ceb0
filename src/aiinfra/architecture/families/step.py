"""StepFun's Step-3.7: layers with a window that have more query heads than the others, a gate per head, experts, a tower."""

from __future__ import annotations

from dataclasses import replace

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.common import assemble, standard_layer
from aiinfra.architecture.families.deepseek import agreed, experts, joined, shared_head
from aiinfra.architecture.families.vision import Tower, attach, projector, text_of, vector, weight
from aiinfra.architecture.model import Architecture, group
from aiinfra.architecture.parts import MLP, Attention, Norm
from aiinfra.architecture.rows import Reach, Row
from aiinfra.errors import ConfigError

SAME_HEADS = "attention_other_setting is missing: layers with a window are counted with as many query heads as the others"
HEADS = "each layer that predicts further tokens is counted with an output head of its own, as the files of Step-3.5-Flash hold it"
TYPES = ("full_attention", "sliding_attention")


def read(config: Config, key: str) -> Architecture:
    """step3p7: the language model in ``text_config``, or beside it in files that hold no tower; step3p5: the language model alone."""
    if config.word("model_type") == "step3p5":
        return language(config, key)
    text = text_of(config, "step3p5")
    vision = config.part("vision_config", default=None)
    extra = () if vision is None else tower(vision, text, config.flag("projector_bias", default=False))
    text.read.add("quantization_config")  # read from the whole, of which this is a part
    return attach(language(text, key), config, "step3p7", extra, vision)


def language(config: Config, key: str) -> Architecture:
    """The language model."""
    n_layer = config.layers("num_hidden_layers")
    further = agreed(config, "num_nextn_predict_layers", "num_mtp_layers", default=0, least=0, most=100)
    types, later = attention_types(config, n_layer, further)
    attention = attentions(config, {*types, *later})
    bias = config.flag("mlp_bias", default=False)
    mlp, moe = MLP(d_ff=config.count("intermediate_size"), bias=bias), routed(config, bias)
    which = expert_layers(config, n_layer, further)
    layers = [standard_layer(attention[kind], moe if sparse else mlp) for kind, sparse in zip(types, which, strict=False)]
    own = (Norm(name="shared_head.norm"), shared_head(tied=False))
    last = [
        (joined("enorm", "hnorm", "eh_proj"), *standard_layer(attention[kind], moe if sparse else mlp), *own)
        for kind, sparse in zip(later, which[n_layer:], strict=True)
    ]
    config.raw("moe_router_scaling_factor", "swiglu_limits", "swiglu_limits_shared", "partial_rotary_factors", default=None)  # no shapes
    blocks = group(layers) + group(last, section="mtp", first=n_layer)
    other = "attention_other_setting" in config or "num_sliding_attention_heads" in config
    warnings = (HEADS,) * bool(further) + (SAME_HEADS,) * ("sliding_attention" in types and not other)
    return assemble(config, key, "step3p5", blocks, warnings=warnings)


def attention_types(config: Config, n_layer: int, further: int) -> tuple[list[str], list[str]]:
    """The kind of each layer, and of the layers for further tokens, which a list may hold at its end."""
    given = config.items("layer_types", None, default=None)
    whole = given is not None and further and len(given) == n_layer + further
    types = config.words("layer_types", n_layer + further if whole else n_layer, TYPES, default=None)
    if types is None:
        raise ConfigError(f"{config.where}: field layer_types is missing: nothing says which layers have a window")
    later = config.words("mtp_layer_types", further, TYPES, default=None)
    # where the file is silent: a window, as the files that say it have for these layers
    return types[:n_layer], later or types[n_layer:] or ["sliding_attention"] * further


def attentions(config: Config, types: set[str]) -> dict[str, Attention]:
    """Attention by kind of layer."""
    n_q, d_head = config.count("num_attention_heads"), config.count("head_dim")
    n_kv = agreed(config, "num_key_value_heads", "num_attention_groups")
    bias = config.flag("attention_bias", default=False)
    gating = config.raw("gating", "use_head_wise_attn_gate", default=True)
    if gating not in (True, "per-head"):
        raise config.refuse("gating" if "gating" in config else "use_head_wise_attn_gate", "true: a gate for each head")
    full = Attention(n_q=n_q, n_kv=n_kv, d_head=d_head, bias=bias, bias_o=bias, norm="head", gate="head")
    if "sliding_attention" not in types:
        config.raw("sliding_window", "attention_other_setting", "num_sliding_attention_heads", default=None)  # of no layer
        return {"full_attention": full}
    other = config.part("attention_other_setting", default=None) or Config({}, config.where)
    other.word("attention_type", default="sliding_attention", among=("sliding_attention",))
    here = config.count("num_sliding_attention_heads", default=None)
    there = other.count("num_attention_heads", default=None)
    if here is not None and there is not None and here != there:
        raise ConfigError(f"{config.where}: num_sliding_attention_heads = {here}, but {other.where}.num_attention_heads = {there}")
    local = replace(
        full, n_q=here or there or n_q, n_kv=other.count("num_attention_groups", default=n_kv),
        d_head=other.count("head_dim", default=d_head), reach=Reach("window", config.count("sliding_window")),
    )  # fmt: skip
    for part in (full, local):
        if part.n_q % part.n_kv:
            raise ConfigError(f"{config.where}: {part.n_q} query heads are no multiple of {part.n_kv} key/value heads")
    return {"full_attention": full, "sliding_attention": local}


def routed(config: Config, bias: bool):
    """Experts, whose count has a name of its own in older files, and a shared one of its own width."""
    names = ("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts")
    n_expert = agreed(config, *names)
    if config.count("n_shared_experts", default=1) != 1:
        raise config.refuse("n_shared_experts", "1: the width of the shared expert is share_expert_dim")
    found = experts(
        Config({**config.table, "n_routed_experts": n_expert}, config.where),
        shared=False,
        correction=config.flag("use_moe_router_bias", default=True),
    )
    config.read.update((*names, "num_experts_per_tok", "moe_top_k", "moe_intermediate_size", "n_group", "topk_group"))
    return replace(found, d_shared=agreed(config, "share_expert_dim", "share_expert_dims"), shared_bias=bias)


def expert_layers(config: Config, n_layer: int, further: int) -> list[bool]:
    """Whether each layer has experts, those for further tokens at the end: from a list of kinds, or a list of their numbers."""
    types = config.words("mlp_layer_types", n_layer, ("dense", "sparse"), default=None)
    numbers, first = config.raw("moe_layers_enum", default=None), config.count("first_k_dense_replace", default=None, least=0)
    later = config.words("mtp_mlp_layer_types", further, ("dense", "sparse"), default=["dense"] * further)
    said = {}
    if types is not None:
        said["mlp_layer_types"] = [t == "sparse" for t in types]
    if numbers is not None:
        texts = numbers.split(",") if isinstance(numbers, str) else numbers
        if not isinstance(texts, list) or not all(str(t).strip().isdigit() for t in texts):
            raise config.refuse("moe_layers_enum", "numbers of layers")
        said["moe_layers_enum"] = [i in {int(str(t).strip()) for t in texts} for i in range(n_layer)]
    if first is not None:
        said["first_k_dense_replace"] = [i >= first for i in range(n_layer)]
    if not said:
        raise ConfigError(f"{config.where}: field mlp_layer_types or moe_layers_enum is missing: nothing says which layers have experts")
    found = next(iter(said.values()))
    if any(layers != found for layers in said.values()):
        raise ConfigError(f"{config.where}: {' and '.join(said)} contradict each other")
    return found + [t == "sparse" for t in later]


def tower(vision: Config, text: Config, bias: bool) -> tuple[Row, ...]:
    """A perception encoder with scaled layers, two convolutions that shrink its grid, and a projector."""
    width, patch = agreed(vision, "width", "hidden_size"), vision.count("patch_size")
    depth = agreed(vision, "layers", "num_hidden_layers", most=10_000)
    inner = int(width * vision.number("mlp_ratio", default=8960 / 1536))
    path, image = "vision_model", vision.count("image_size")
    vision.raw(
        "heads",
        "num_attention_heads",
        "ls_init_value",
        "layer_scale_init_value",
        "intermediate_size",
        "max_position_embeddings",
        default=None,
    )
    eye = Tower(
        width=width, inner=inner, depth=depth, patch=patch, channels=vision.count("num_channels", default=3), patch_bias=False,
        positions=(image // patch) ** 2, attention=tuple(f"self_attn.{n}_proj" for n in ("q", "k", "v", "out")), mlp=("mlp.fc1", "mlp.fc2"),
        norms=("layernorm_before", "layernorm_after"), path=path,
    )  # fmt: skip
    scales = (vector(f"lambda_{i}", width, layers=depth, path=path) for i in (1, 2))
    shrinking = (weight(f"downsampler{i}", 9 * i * width, 2 * i * width, True, path=path) for i in (1, 2))
    steps = (("multi_modal_projector", 4 * width, text.count("hidden_size"), bias),)
    return (*eye.rows(), vector("pre_layernorm", width, True, path=path), *scales, *shrinking, *projector(steps))
