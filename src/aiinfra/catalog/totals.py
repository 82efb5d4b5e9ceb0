"""What a published tensor total counts, so that a ledger can be held against it to the last element.

Checkpoints hold more than the tensors of the model once each: copies of tables, scales of quantised blocks, buffers.
"""

from __future__ import annotations

from collections.abc import Callable

from aiinfra.architecture.ledger import Ledger
from aiinfra.architecture.rows import Row
from aiinfra.catalog.schema import Model
from aiinfra.errors import CatalogError


def scales(rows) -> int:
    """Scales of all blocks, and those kept once for a matrix."""
    return round(sum(_scales(row) for row in rows))


def _scales(row: Row) -> float:
    f = row.format
    if row.tied or not (f.scale or f.tensor):
        return 0
    one = row.bytes_of_one - row.one * f.element
    blocks = (one - f.tensor) / f.scale if f.scale else 0
    return (blocks + bool(f.tensor)) * row.value(row.copies) * row.layers


def _mtp_layers(ledger: Ledger) -> int:
    return sum(len(b) for b in ledger.architecture.blocks if b.section == "mtp")


def _table(ledger: Ledger) -> int:
    return ledger.architecture.vocab * ledger.architecture.d_model


# word -> what it adds to the sum of the sections
WORDS: dict[str, Callable[[Ledger], int]] = {
    "tied head": _table,  # stored a second time
    "mtp tables": lambda ledger: 2 * _table(ledger) * _mtp_layers(ledger),  # token table and head, copied for each further-token layer
    "scales": lambda ledger: scales(ledger.rows),
    "fp8 scales": lambda ledger: scales(ledger.architecture.ledger(weights="fp8-block128").rows),  # of an edition in FP8
    "rotary tables": lambda ledger: sum(len(b) for b in ledger.architecture.blocks) * ledger.architecture.uniform.d_head // 2,
    "no buffers": lambda ledger: -sum(row.parameters for row in ledger.rows if row.buffer),  # what only steers is left out
}


def counted(model: Model) -> int:
    """The total that the ledger gives for what the published one counts."""
    ledger = model.ledger()
    total = 0
    for word in model.published_of:
        if word in ledger.sections:
            total += ledger.sections[word]
        elif word in WORDS:
            total += WORDS[word](ledger)
        else:
            raise CatalogError(f"{model.key}: published_of has {word!r}; known: {', '.join([*ledger.sections, *WORDS])}")
    return total
