"""Number formats: bytes of one element, and the scales that blocks of elements share."""

from __future__ import annotations

from typing import NamedTuple

from aiinfra.errors import unknown


class Format(NamedTuple):
    """How the elements of a matrix are stored: each in ``element`` bytes, and ``scale`` bytes for each block.

    A block is ``group_in`` inputs by ``group_out`` outputs; 0 stands for all of them. ``tensor`` bytes are kept once.
    """

    name: str
    element: float
    scale: float = 0
    group_in: int = 0
    group_out: int = 0
    tensor: float = 0

    def __str__(self) -> str:
        return self.name


# Elements without the scales that some formats add; what a formula takes where one number per element is asked for
BYTES = {
    "fp64": 8, "fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2,
    "fp8": 1, "int8": 1, "fp6": 0.75, "fp4": 0.5, "int4": 0.5,
}  # fmt: skip

FORMATS = {name: Format(name, size) for name, size in BYTES.items()} | {
    f.name: f
    for f in (
        Format("fp8-tensor", 1, tensor=4),  # one FP32 scale a matrix
        Format("fp8-channel", 1, scale=4, group_out=1),  # one FP32 scale an output
        Format("fp8-block128", 1, scale=4, group_in=128, group_out=128),  # DeepSeek-V3
        Format("fp8-block128-e8m0", 1, scale=1, group_in=128, group_out=128),  # DeepSeek-V4: power-of-two scales
        Format("int8-channel", 1, scale=2, group_out=1),
        Format("int4-group32", 0.5, scale=2, group_in=32, group_out=1),  # symmetric: a 16-bit scale, no zero point
        Format("int4-group64", 0.5, scale=2, group_in=64, group_out=1),
        Format("int4-group128", 0.5, scale=2, group_in=128, group_out=1),
        Format("awq-group128", 0.5, scale=2.5, group_in=128, group_out=1),  # a 16-bit scale and a 4-bit zero point
        Format("awq-group64", 0.5, scale=2.5, group_in=64, group_out=1),
        Format("awq-group32", 0.5, scale=2.5, group_in=32, group_out=1),
        Format("mxfp8", 1, scale=1, group_in=32, group_out=1),  # OCP MX: an E8M0 scale for 32 elements
        Format("mxfp6", 0.75, scale=1, group_in=32, group_out=1),
        Format("mxfp4", 0.5, scale=1, group_in=32, group_out=1),
        Format("nvfp4", 0.5, scale=1, group_in=16, group_out=1, tensor=4),  # an E4M3 scale for 16, an FP32 one a matrix
    )
}


def bytes_of(name: str) -> float:
    """Bytes of one element of a format.

    >>> bytes_of("bf16"), bytes_of("int4")
    (2, 0.5)
    """
    if not isinstance(name, str) or name not in BYTES:
        raise unknown("format", name, BYTES)
    return BYTES[name]


def format_of(name: str) -> Format:
    """A format with its scales.

    >>> format_of("mxfp4").group_in
    32
    """
    if not isinstance(name, str) or name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]
