"""Tensor parallelism: what each of several devices holds of every matrix, and of what the layers keep of a request.

Heads, inner widths and the vocabulary are cut; what lies between two cuts, such as norms, routers and the matrices that lead to
a latent vector, is repeated on every device. Where there are fewer key/value heads than devices, each head is repeated too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiinfra.architecture.parts import Attention, LatentAttention, Recurrent
from aiinfra.architecture.through import Through
from aiinfra.errors import BadValue, whole

if TYPE_CHECKING:
    from aiinfra.architecture.model import Architecture
    from aiinfra.architecture.rows import Row

CUT = {  # must be divided without a rest
    "n_q": "query heads", "n_rec": "heads of the recurrence", "d_ff": "inner width of the MLP", "d_expert": "inner width of an expert",
    "d_shared": "inner width of the shared experts",
}  # fmt: skip
REPEATED = {"n_kv": "key/value heads", "n_rec_k": "key heads of the recurrence"}  # may be fewer than the devices
PADDED = "vocab"  # engines fill it up with empty rows
LARGEST = 1024
MIXERS = (Attention, LatentAttention, Recurrent)


def shard(values: Mapping[str, int], n: int) -> dict[str, int]:
    """The sizes of one device of ``n``.

    >>> shard({"n_q": 64, "n_kv": 8, "d_head": 128, "vocab": 128256}, 16)
    {'n_q': 4, 'n_kv': 1, 'd_head': 128, 'vocab': 8016}
    """
    found = dict(values)
    for name in CUT:
        if name in found:
            found[name] //= n
    for name in REPEATED:
        if name in found:
            found[name] = max(1, found[name] // n)
    if PADDED in found:
        found[PADDED] = -(-found[PADDED] // n)
    return found


def shard_row(row: Row, n: int) -> Row:
    """A row as one device of ``n`` holds it."""
    more = {row.cut: str(row.value(getattr(row, row.cut)) // n)} if row.cut else {}
    return row.but(values=shard(row.values, n), **more)


def check(architecture: Architecture, n: int) -> None:
    """Refuse a number of devices over which a model cannot be cut, and say which numbers would do."""
    whole("tp", n, 1, LARGEST)
    if why := _obstacle(architecture, n):
        fitting = ", ".join(str(k) for k in range(1, 129) if not _obstacle(architecture, k))
        raise BadValue(f"tp = {n}: {architecture.key} has {why}, which {n} devices cannot share evenly; possible: {fitting}")


def _obstacle(architecture: Architecture, n: int) -> str:
    for block in architecture.blocks:
        for part in block.parts:
            for name, value in part.sizes().items():
                if name in CUT and value % n:
                    return f"{value:,} {CUT[name]}"
                if name in REPEATED and value % n and n % value:
                    return f"{value:,} {REPEATED[name]}"
    return ""


def reductions(architecture: Architecture, kept: bool = False) -> int:
    """All-reduces of one pass under tensor parallelism: one after what mixes tokens, and one after each MLP or set of experts.

    Where several read the same vector and their results are added, such as attention and a recurrence or, side by side, attention and MLP,
    one all-reduce of the sum is enough. With ``kept`` only those of layers through which all tokens of a prompt must come.

    >>> from aiinfra import model
    >>> reductions(model("llama-3.1-70b").architecture)
    160
    """
    blocks = [block for block in architecture.blocks if block.section == "language"]
    last = Through.of(row for row in architecture.state() if row.section == "language").all if kept else 0
    found = 0
    for block in blocks:
        layers = sum(index < last for index in block.indices) if kept else len(block)
        cut = [part for part in block.parts if any(name in CUT for name in part.sizes())]
        mixers = sum(isinstance(part, MIXERS) for part in cut)
        exchanges = min(mixers, 1) + len(cut) - mixers
        found += layers * (min(exchanges, 1) if architecture.side_by_side else exchanges)
    return found
