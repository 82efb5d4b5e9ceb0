"""Gemma 1 to 3: a tied head, heads of their own width, from Gemma 2 on local and global layers with norms around both parts."""

from __future__ import annotations

from dataclasses import replace

from aiinfra.architecture.config import Config
from aiinfra.architecture.families.llama import AROUND, Family, build
from aiinfra.architecture.families.vision import Tower, attach, projector, text_of, vector, weight
from aiinfra.architecture.model import Architecture
from aiinfra.architecture.rows import Row

GEMMA = {"bias_mlp": False, "d_head": 256, "tied": True}
FAMILIES = {
    "gemma": Family(**GEMMA, kv=16),
    "gemma2": Family(**GEMMA, kv=4, norms=AROUND, window=4096, local="period", period=2),
    "gemma3_text": Family(**GEMMA, kv=4, norms=AROUND, window=4096, local="period", period=6, qk_norm="head"),
}
# What published Gemma 3 configs with images leave to the class of their text model, transformers 5.24
LEFT_OUT = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 262208}


def read(config: Config, key: str) -> Architecture:
    """gemma, gemma2, gemma3_text."""
    config.refuse_if("use_bidirectional_attention", "attention in both directions is not computed")
    return build(config, key, FAMILIES[config.word("model_type")])


def gemma3(config: Config, key: str) -> Architecture:
    """Gemma 3 with images: the text model, a SigLIP tower, and a projector of one matrix behind a norm."""
    text = text_of(config, "gemma3_text", tied=True)
    absent = {name: value for name, value in LEFT_OUT.items() if name not in text.table}
    text.table = {**text.table, **absent}
    vision = config.part("vision_config", default=None)
    rows = () if vision is None else siglip(vision, text.count("hidden_size"))
    config.count("mm_tokens_per_image", default=256)
    model = read(text, key)
    taken = ", ".join(f"{name} = {value}" for name, value in absent.items())
    warnings = (*model.warnings, *((f"{text.where} leaves to its class: {taken}",) if absent else ()))
    return attach(replace(model, warnings=warnings), config, "gemma3", rows, vision)


def siglip(vision: Config, d_text: int) -> tuple[Row, ...]:
    """Rows of a SigLIP tower and of Gemma's projector; the tower's pooling head, unused here, is there unless vision_use_head is false."""
    vision.word("model_type", default="siglip_vision_model", among=("siglip_vision_model",))
    vision.count("num_attention_heads", default=None)
    d, patch = vision.count("hidden_size"), vision.count("patch_size")
    tower = Tower(
        width=d,
        inner=vision.count("intermediate_size"),
        depth=vision.layers("num_hidden_layers"),
        patch=patch,
        channels=vision.count("num_channels", default=3),
        patch_name="embeddings.patch_embedding",
        positions=(vision.count("image_size") // patch) ** 2,
        position_name="embeddings.position_embedding",
        attention=tuple(f"self_attn.{x}_proj" for x in ("q", "k", "v", "out")),
        norms=("layer_norm1", "layer_norm2"),
        path="vision_tower.vision_model",
    )
    path = "vision_tower.vision_model"
    last = [vector("post_layernorm", d, True, path=path)]
    if vision.flag("vision_use_head", default=True):
        shapes = (("attention.in_proj", d, 3 * d), ("attention.out_proj", d, d), ("mlp.fc1", d, tower.inner), ("mlp.fc2", tower.inner, d))
        last += [weight(name, i, o, True, path=f"{path}.head") for name, i, o in shapes]
        last += [vector("probe", d, path=f"{path}.head"), vector("layernorm", d, True, path=f"{path}.head")]
    steps = (("mm_input_projection_weight", d, d_text, False),)
    return (*tower.rows(), *last, *projector(steps, norm=("mm_soft_emb_norm", d, False), path="multi_modal_projector"))
