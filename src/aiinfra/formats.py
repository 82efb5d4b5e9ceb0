"""Number formats and the bytes of one element, without the scales that some of them add."""

from __future__ import annotations

from aiinfra.errors import unknown

BYTES = {
    "fp64": 8, "fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2,
    "fp8": 1, "int8": 1, "fp6": 0.75, "fp4": 0.5, "int4": 0.5,
}  # fmt: skip


def bytes_of(name: str) -> float:
    """Bytes of one element of a format.

    >>> bytes_of("bf16"), bytes_of("int4")
    (2, 0.5)
    """
    if not isinstance(name, str) or name not in BYTES:
        raise unknown("format", name, BYTES)
    return BYTES[name]
