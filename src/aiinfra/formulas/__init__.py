"""The formulas of the book, one module per topic, in the order in which chapters use them."""

from importlib import import_module

TOPICS = (
    "weights", "kv_cache", "memory", "transfer", "work", "step", "collectives", "balance", "answer", "utilisation", "scaling", "cost",
    "matrix", "shape", "attention", "latent", "experts", "recurrence", "state", "passes",
    "latency", "queues", "agents", "inputs", "training_runs",
    "roofline", "tiles", "concurrency", "precision", "power", "chips", "serving",
)  # fmt: skip


def load() -> dict:
    """Import every topic (and SymPy with it) and return all formulas by key."""
    from aiinfra.engine.formula import AUTHORED

    for topic in TOPICS:
        import_module(f"aiinfra.formulas.{topic}")
    return {key: f for key, f in AUTHORED.items() if f.module.startswith("aiinfra.formulas.")}
