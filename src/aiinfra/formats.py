"""Number formats: bytes of one element, and the scales that blocks of elements share.

| format | element, scales | where it is stated |
|---|---|---|
| ``fp32`` … ``int4`` | the plain width | width of the type |
| ``fp8-tensor`` | E4M3, an FP32 scale a matrix | vLLM, ``quantization/modelopt.py`` and ``fp8.py``: ``PerTensorScaleParameter`` |
| ``fp8-channel`` | E4M3, an FP32 scale an output | vLLM, ``quantization/modelopt.py``, FP8_PER_CHANNEL_PER_TOKEN |
| ``fp8-block128`` | E4M3, an FP32 scale for 128 × 128 | DeepSeek-V3, ``README_WEIGHTS.md``, "Dequantization Method" |
| ``fp8-block128-e8m0`` | E4M3, an E8M0 scale for 128 × 128 | vLLM, ``models/deepseek_v4/quant_config.py``, ``is_scale_e8m0`` |
| ``int8-channel`` | INT8, a 16-bit scale an output | compressed-tensors, ``lifecycle/initialize.py``: scales in the weights' dtype |
| ``int4-group…`` | INT4, a 16-bit scale for a group of inputs | compressed-tensors, ``lifecycle/initialize.py``, strategy group |
| ``awq-group…`` | INT4, a 16-bit scale and a 4-bit zero point | vLLM, ``quantization/auto_awq.py``: ``scales``, ``qzeros`` |
| ``gptq…-group…`` | INT2 to INT8, a 16-bit scale, a zero point, an index for each input | vLLM, ``quantization/auto_gptq.py`` |
| ``mxfp8``, ``mxfp6``, ``mxfp4`` | an E8M0 scale for 32 inputs | OCP Microscaling Formats (MX) v1.0, table 1 |
| ``nvfp4`` | E2M1, an E4M3 scale for 16 inputs, an FP32 scale a matrix | vLLM, ``quantization/modelopt.py``: ``weight_scale_2`` |
| ``nvfp4-cache`` | the same for cached entries, the scale shared out | one E4M3 byte for 16 elements |
"""

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


def grouped(name: str, bits: int, group: int, scale: float = 2, zero: bool = False, tensor: float = 0) -> Format:
    """Whole numbers of few bits, with a scale and maybe a zero point for each ``group`` inputs; 0: for each output.

    >>> grouped("awq", 4, 128, zero=True)
    Format(name='awq-group128', element=0.5, scale=2.5, group_in=128, group_out=1, tensor=0)
    """
    label = f"{name}-group{group}" if group else f"{name}-channel"
    element = bits // 8 if bits % 8 == 0 else bits / 8
    return Format(label, element, scale + (bits / 8 if zero else 0), group, 1, tensor)


FORMATS = {name: Format(name, size) for name, size in BYTES.items()} | {
    f.name: f
    for f in (
        Format("fp8-tensor", 1, tensor=4),
        Format("fp8-channel", 1, scale=4, group_out=1),
        Format("fp8-block128", 1, scale=4, group_in=128, group_out=128),
        Format("fp8-block128-e8m0", 1, scale=1, group_in=128, group_out=128),
        grouped("int8", 8, 0),
        *(grouped("int4", 4, size) for size in (32, 64, 128)),
        *(grouped("awq", 4, size, zero=True) for size in (32, 64, 128)),
        Format("mxfp8", 1, scale=1, group_in=32, group_out=1),
        Format("mxfp6", 0.75, scale=1, group_in=32, group_out=1),
        Format("mxfp4", 0.5, scale=1, group_in=32, group_out=1),
        Format("nvfp4", 0.5, scale=1, group_in=16, group_out=1, tensor=4),
        Format("nvfp4-cache", 0.5 + 1 / 16),
    )
}


class Float(NamedTuple):
    """How a floating-point number is laid out: bits of exponent and fraction, and which codes are no numbers.

    ``infinite`` is 1 where the top exponent is kept for infinities, ``reserved`` 1 where only the top code of all is kept.

    | format | where it is stated |
    |---|---|
    | ``fp64``, ``fp32``, ``fp16`` | IEEE 754; NumPy's ``finfo`` says the same |
    | ``bf16``, ``tf32`` | NVIDIA, "NVIDIA Ampere Architecture In-Depth": 8 bits of exponent, 7 and 10 of fraction |
    | ``fp22`` | SageAttention, issue 287: what the FP8 units of Ada and Hopper keep of a sum |
    | ``e5m2``, ``e4m3`` | Micikevicius et al., "FP8 formats for deep learning", table 1 |
    | ``e3m2``, ``e2m3``, ``e2m1`` | OCP Microscaling Formats (MX) v1.0, section 5.3 |
    """

    name: str
    exponent: int
    fraction: int
    infinite: int = 0
    reserved: int = 0

    def symbols(self) -> dict[str, int]:
        """Values by symbol of the book.

        >>> FLOATS["e4m3"].symbols()
        {'exp_bits': 4, 'mant_bits': 3, 'reserved_exp': 0, 'reserved_top': 1}
        """
        return {"exp_bits": self.exponent, "mant_bits": self.fraction, "reserved_exp": self.infinite, "reserved_top": self.reserved}


FLOATS = {
    "fp64": Float("FP64", 11, 52, 1), "fp32": Float("FP32", 8, 23, 1), "fp22": Float("FP22, a sum in FP8 units of Hopper", 8, 13, 1),
    "tf32": Float("TF32", 8, 10, 1), "bf16": Float("BF16", 8, 7, 1), "fp16": Float("FP16", 5, 10, 1),
    "e5m2": Float("FP8, E5M2", 5, 2, 1), "e4m3": Float("FP8, E4M3", 4, 3, reserved=1), "e3m2": Float("FP6, E3M2", 3, 2),
    "e2m3": Float("FP6, E2M3", 2, 3), "e2m1": Float("FP4, E2M1", 2, 1),
}  # fmt: skip


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
