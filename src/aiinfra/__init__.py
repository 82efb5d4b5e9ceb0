"""Quantitative analysis and system design for large-language-model infrastructure.

The library beside the AI Infra Book. Formulas evaluate without SymPy; asking one for its algebra loads it.

>>> from aiinfra import device, formula, model
>>> formula("kv-bytes-per-token")(model("llama-3.1-70b"))
327.7 kB
"""

from importlib import import_module

__version__ = "0.1.0"

_WHERE = {
    "formula": "aiinfra.engine.formula",
    "formula_keys": "aiinfra.engine.formula",
    "Formula": "aiinfra.engine.formula",
    "model": "aiinfra.catalog",
    "models": "aiinfra.catalog",
    "device": "aiinfra.catalog",
    "devices": "aiinfra.catalog",
    "measurement": "aiinfra.catalog",
    "measurements": "aiinfra.catalog",
    "parse": "aiinfra.units",
    "Quantity": "aiinfra.units",
}
__all__ = [*_WHERE, "__version__"]


def __getattr__(name: str):
    if name not in _WHERE:
        raise AttributeError(f"module 'aiinfra' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = globals()[name] = getattr(import_module(_WHERE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
