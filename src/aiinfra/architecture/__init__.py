"""Any model as work: from a ``config.json`` to typed layers, and from there to a ledger of every matrix.

>>> from aiinfra import architecture
>>> model = architecture.load({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
...     "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256})
>>> model.ledger().parameters
8030261248
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from aiinfra.architecture import families, quantization
from aiinfra.architecture.config import Config, load_json
from aiinfra.architecture.ledger import Ledger, Work
from aiinfra.architecture.model import Architecture
from aiinfra.errors import BadType, BadValue, ConfigError, brief

__all__ = ["Architecture", "Ledger", "Work", "families", "load"]


def load(source: str | Path | Mapping) -> Architecture:
    """The architecture of a config: a mapping, the path of a ``config.json`` or of its folder, or the name of a catalogued model.

    Raises `ConfigError` in one line where a field is missing, contradicts another or is of a kind that is not known.
    """
    if isinstance(source, Mapping):
        return families.read(Config(source), "config")
    if not isinstance(source, (str, Path)):
        raise BadType(f"{brief(source)}: expected a mapping, a path or the name of a model")
    if not str(source).strip():
        raise BadValue(f"{brief(source)}: expected a mapping, a path or the name of a model")
    path = Path(source)
    try:
        folder = path.is_dir()
    except (OSError, ValueError):  # longer than a file name may be
        folder = False
    if isinstance(source, str) and path.suffix != ".json" and not folder:
        from aiinfra import catalog  # only to look a name up: the catalogue reads its models through this package

        return catalog.model(source).architecture
    if folder:
        path = path / "config.json"
    table = load_json(path)
    try:
        key = path.parent.name if path.name == "config.json" else path.stem
        return families.read(Config(quantization.beside(path, table)), key or "config")
    except ConfigError as error:
        raise ConfigError(f"{path.name}: {error}") from None
