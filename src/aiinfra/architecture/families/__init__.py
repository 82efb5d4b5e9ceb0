"""Readers of configs, one module for each group of related families, and the table from ``model_type`` to reader."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from aiinfra.architecture.config import Config
from aiinfra.architecture.model import Architecture
from aiinfra.errors import ConfigError, unknown

# model_type -> module:function; a module is imported when a config asks for it
READERS = {
    **dict.fromkeys(
        """llama mistral ministral ministral3 qwen2 qwen3 olmo olmo2 olmo3 phi phi3 granite smollm3 exaone4 stablelm starcoder2 cohere cohere2
        internlm3 helium nemotron arcee hunyuan_v1_dense ernie4_5""".split(),
        "llama:read",
    ),
    "mistral3": "llama:mistral3",
}
# model_type of a wrapper -> how its language model is found
NESTED = ("text_config", "language_config", "llm_config", "language_model")


def reader(model_type: str) -> Callable[[Config, str], Architecture]:
    """The reader of a family."""
    module, _, name = READERS[model_type].partition(":")
    return getattr(import_module(f"aiinfra.architecture.families.{module}"), name)


def read(config: Config, key: str) -> Architecture:
    """The architecture of a config of any family that is known, or that is recognisably like Llama."""
    model_type = config.word("model_type", default="")
    if model_type in READERS:
        return reader(model_type)(config, key)
    raise unknown("model_type", model_type, READERS)
