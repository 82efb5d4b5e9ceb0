"""Readers of configs, one module for each group of related families, and the table from ``model_type`` to reader."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module

from aiinfra.architecture.config import Config
from aiinfra.architecture.model import Architecture
from aiinfra.errors import ConfigError, brief

# model_type -> module:function; a module is imported when a config asks for it
READERS = {
    **dict.fromkeys(
        """llama mistral ministral ministral3 qwen2 qwen3 olmo olmo2 olmo3 phi phi3 granite smollm3 exaone4 stablelm starcoder2 cohere
        cohere2 internlm3 helium nemotron arcee hunyuan_v1_dense ernie4_5""".split(),
        "llama:read",
    ),
    "mistral3": "llama:mistral3",
    "gpt2": "gpt:gpt2",
    "gpt3": "gpt:gpt2",
    "gpt_bigcode": "gpt:gpt2",
    "gpt_neo": "gpt:gpt_neo",
    "opt": "gpt:opt",
    "gpt_neox": "gpt:gpt_neox",
    "gptj": "gpt:gptj",
    "bloom": "gpt:bloom",
    "mpt": "gpt:mpt",
    "falcon": "gpt:falcon",
    "gemma": "gemma:read",
    "gemma2": "gemma:read",
    "gemma3_text": "gemma:read",
    "gemma3": "gemma:gemma3",
    **dict.fromkeys("mixtral qwen2_moe qwen3_moe olmoe phimoe granitemoe gpt_oss hunyuan_v1_moe ernie4_5_moe".split(), "moe:read"),
    "llama4": "llama4:multimodal",
    "llama4_text": "llama4:read",
    "qwen3_next": "qwen_hybrid:read",
    "qwen3_5_text": "qwen_hybrid:read",
    "qwen3_5_moe_text": "qwen_hybrid:read",
    "qwen3_5": "qwen_hybrid:read_multimodal",
    "qwen3_5_moe": "qwen_hybrid:read_multimodal",
    "qwen2_vl": "qwen_vl:read",
    "qwen2_5_vl": "qwen_vl:read",
    "qwen3_vl": "qwen_vl:read",
    "qwen3_vl_moe": "qwen_vl:read",
    "mamba2": "mamba:read",
    "nemotron_h": "mamba:read_nemotron",
    "falcon_h1": "mamba:read_falcon",
    "bamba": "mamba:read_bamba",
    "lfm2": "mamba:read_lfm2",
    "lfm2_moe": "mamba:read_lfm2",
    "gemma3n": "gemma4:read_3n_multimodal",
    "gemma3n_text": "gemma4:read_3n",
    "gemma4": "gemma4:read_multimodal",
    "gemma4_text": "gemma4:read",
    "nemotron-nas": "nemotron_nas:read",
    **dict.fromkeys("deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 glm_moe_dsa".split(), "deepseek:read"),
    "deepseek_v4": "deepseek_v4:read",
    "deepseek_ref": "deepseek_v4:read",
    "kimi_k25": "kimi:read_k25",
    "kimi_linear": "kimi:read",
    "kimi_k3": "kimi:read_k3",
    "glm4_moe": "glm:read",
    "minimax": "minimax:read_lightning",
    "minimax_text_01": "minimax:read_lightning",
    "minimax_m1": "minimax:read_lightning",
    "minimax_m2": "minimax:read_m2",
    "minimax_m3": "minimax:read_m3",
    "minimax_m3_vl_text": "minimax:read_m3",
    "minimax_m3_vl": "minimax:read_m3_vl",
    "step3p7": "step:read",
    "step3p5": "step:read",
    "mimo": "mimo:read",
    "mimo_v2_flash": "mimo:read_v2",
}
# Fields under which wrappers keep their language model
NESTED = ("text_config", "language_config", "llm_config", "language_model", "thinker_config")
# What is no decoder-only language model, by kind
OTHERS = {
    "an encoder": """
        albert bert bge big_bird camembert convbert deberta deberta-v2 distilbert electra ernie eurobert flaubert funnel ibert layoutlm
        layoutlmv3 longformer lxmert megatron-bert mobilebert modernbert mpnet mra nezha nomic_bert nystromformer rembert roberta
        roformer splinter squeezebert xlm xlm-roberta xlm-roberta-xl xmod yoso
    """,
    "an encoder with a decoder": """
        bart bigbird_pegasus blenderbot blenderbot-small encoder-decoder fsmt led longt5 m2m_100 marian mbart mt5 mvp nllb-moe pegasus
        pegasus_x plbart prophetnet switch_transformers t5 t5gemma t5gemma2 umt5 xlm-prophetnet
    """,
    "a model of speech": """
        bark data2vec-audio encodec hubert mimi moonshine musicgen parakeet seamless_m4t seamless_m4t_v2 sew speech_to_text speecht5
        unispeech univnet vits wav2vec2 wav2vec2-bert wavlm whisper
    """,
    "a model of images": """
        aimv2 aimv2_text_model align altclip beit blip blip-2 bit chinese_clip clip clip_text_model clip_vision_model clipseg
        conditional_detr convnext convnextv2 data2vec-vision deformable_detr deit depth_anything detr dinat dinov2 dinov3_vit donut-swin
        dpt flava grounding-dino hiera ijepa levit mask2former maskformer metaclip_2 mobilenet_v2 mobilevit owlv2 owlvit pix2struct pvt
        regnet resnet rt_detr sam sam2 sam3 sam_hq segformer siglip siglip2 siglip_text_model siglip_vision_model superpoint swin swinv2
        table-transformer timm_backbone timm_wrapper tvlt vilt vit vit_mae vit_msn vitdet vjepa2 yolos zoedepth
    """,
    "a model of time series": """
        autoformer informer patchtsmixer patchtst time_series_transformer timesfm
    """,
}  # fmt: skip
# Language models inside wrappers that are of another family under a name of their own
ALIASES = {"qwen2_vl_text": "qwen2", "qwen2_5_vl_text": "qwen2", "qwen3_vl_text": "qwen3", "qwen3_vl_moe_text": "qwen3_moe"}
ALIKE = {"kimi_k2": "deepseek_v3", "deepseek_ref": "deepseek_v4", "gpt3": "gpt2"}  # whose files name a class of another family
PIECES = ("encoder", "vision", "audio", "image", "speech", "patcher", "qformer", "projector")  # in the name of what is a piece of a model
NO_DECODERS = {name: kind for kind, names in OTHERS.items() for name in names.split()}
HEADS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "MTP")  # how classes with an output head are called


def reader(model_type: str) -> Callable[[Config, str], Architecture]:
    """The reader of a family."""
    module, _, name = READERS[model_type].partition(":")
    return getattr(import_module(f"aiinfra.architecture.families.{module}"), name)


def read(config: Config, key: str, depth: int = 0) -> Architecture:
    """The architecture of a config of any family that is known, or that is recognisably like Llama."""
    model_type, names = config.word("model_type", default=""), config.raw("architectures", default=None)
    if not model_type and names:
        model_type = by_class(names)
        if not model_type:
            raise stranger(config, f"architectures = {brief(names)} names none either")
        architecture = read(Config({**config.table, "model_type": model_type}, config.where, config.top), key, depth)
        note = f"{config.where}: model_type is missing: read as {model_type}, which architectures = {brief(names)} names"
        return replace(architecture, warnings=(note, *architecture.warnings))
    if model_type in ALIASES:
        config, model_type = Config({**config.table, "model_type": ALIASES[model_type]}, config.where, config.top), ALIASES[model_type]
    if model_type in READERS:
        return checked(config, reader(model_type)(config, key))
    if model_type in NO_DECODERS:
        raise ConfigError(f"{config.where}: model_type = {model_type!r}: {NO_DECODERS[model_type]}, not a decoder that generates text")
    if config.raw("is_encoder_decoder", default=False) is True:
        raise ConfigError(f"{config.where}: is_encoder_decoder = True: an encoder with a decoder is not counted")
    for name in NESTED:
        if isinstance(config.table.get(name), dict):
            if depth:
                raise ConfigError(f"{config.where}: {name}: a wrapper within a wrapper is not read")
            inner = tied_as(config, config.part(name))
            kind = inner.word("model_type", default="")
            if kind not in READERS and kind not in NO_DECODERS and kind not in ALIASES:
                raise stranger(inner, "its fields are not searched for a likeness inside a wrapper")
            architecture = read(inner, key, depth + 1)
            note = f"{config.where}: model_type = {brief(model_type)} is not known: only its language model, {kind}, is counted"
            return replace(architecture, warnings=(note, *architecture.warnings))
    return like_llama(config, key, model_type)


def tied_as(config: Config, inner: Config) -> Config:
    """The language model of a wrapper, with what the wrapper says of its head; both must agree."""
    name = "tie_word_embeddings"
    if name not in config:
        return inner
    outer = config.flag(name)
    if name in inner and inner.flag(name) != outer:
        raise ConfigError(f"{config.where}: {name} = {outer}, but {inner.where} says {not outer}")
    return Config({**inner.table, name: outer}, inner.where, inner.top)


def by_class(names: object) -> str:
    """The family after which a class of ``architectures`` is called; empty where there is none.

    >>> by_class(["Qwen3MoeForCausalLM"])
    'qwen3_moe'
    """
    families = {name.replace("_", "").replace("-", ""): name for name in READERS}
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and (found := families.get(re.sub("(For|LMHead|MTP)[A-Z]?.*", "", name).lower())):
            return found
    return ""


def stranger(config: Config, why: str) -> ConfigError:
    """The error for a family that is not known: the field that makes it so, and what is known."""
    name = config.table.get("model_type")
    near = get_close_matches(name[:60], READERS, n=6, cutoff=0.6) if isinstance(name, str) else []
    known = f"near: {', '.join(near)}" if near else f"known: {', '.join(sorted(READERS)[:40])}, …"
    return ConfigError(f"{config.where}: model_type = {brief(name)} is not a known family, and {why}; {known}")


def like_llama(config: Config, key: str, model_type: str) -> Architecture:
    """A family that is not known but has Llama's fields and no others, counted as Llama with a warning; else refused."""
    if piece := next((word for word in PIECES if word in model_type), ""):
        raise stranger(config, f"by its name it is a piece of a model ({piece})")
    for name in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size", "rms_norm_eps"):
        if name not in config:
            raise stranger(config, f"{name} is missing, so that it is not like Llama")
    act = config.raw("hidden_act", "hidden_activation", default=None)
    if act not in ("silu", "swiglu", "swish"):
        raise stranger(config, f"hidden_act = {brief(act)} does not say that its MLP is gated, as Llama's is")
    if config.raw("attention_bias", default=False) not in (False, 0):
        raise stranger(config, "attention_bias = True does not say which of its matrices have a bias")
    if config.raw("sliding_window", default=None):
        raise stranger(config, f"sliding_window = {brief(config.table['sliding_window'])} does not say in which layers")
    model = Config({**config.table, "model_type": "llama"}, config.where, config.top)
    architecture = reader("llama")(model, key)
    if strange := model.unread():
        raise stranger(config, f"its field {strange[0]} = {brief(config.table[strange[0]])} is none of Llama's")
    name = brief(model_type) if model_type else "missing"
    own = ", and its own code (auto_map) was not read" if "auto_map" in config else ""
    note = (
        f"model_type {name} is not known: counted as Llama, whose fields it has; biases and norms that no field names are not counted{own}"
    )
    return checked(model, replace(architecture, family=brief(model_type)[1:-1] or "llama", warnings=(note, *architecture.warnings)))


def checked(config: Config, architecture: Architecture) -> Architecture:
    """The architecture, unless a field that must matter was not read; with warnings of what may not be as counted."""
    for place, names in config.untouched(NESTED).items():
        if names:
            raise ConfigError(
                f"{place}: {names[0]} is a field of the shape that the reader of {architecture.family} does not know; "
                "it is not counted without it"
            )
    warnings = list(architecture.warnings)
    if architecture.quantization is not None:
        warnings += architecture.quantization.check(architecture)
    names = config.table.get("architectures")
    if isinstance(names, list) and names and not any(isinstance(n, str) and n.endswith(HEADS) for n in names):
        warnings.append(f"architectures = {brief(names)}: counted with the output head of a language model")
    model_type, named = config.table.get("model_type"), by_class(names)
    if named and named not in (model_type, ALIKE.get(model_type)):
        warnings.append(f"architectures = {brief(names)} is of {named}, but model_type = {brief(model_type)}: counted as the latter")
    return replace(architecture, warnings=tuple(warnings)) if len(warnings) != len(architecture.warnings) else architecture
