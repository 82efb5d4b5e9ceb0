"""One matrix: its parameters, its operations and its bytes in any format. A multiply-add counts as two operations."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    act_bytes, b_act, b_scale, b_tensor, b_w, biased, conv_flops, d_in, d_out, group_in, group_out, matrix_bytes, matrix_flops, n_matrix,
    one_flop, taps, tokens,
)  # fmt: skip

column = sympy.Symbol("j", integer=True, positive=True)
token = sympy.Symbol("i", integer=True, positive=True)

matrix_parameters = Formula(
    "matrix-parameters", n_matrix, d_out * (d_in + biased),
    says="A weight for every input of every output, and one more where there is a bias.",
    holds="a dense matrix; a norm or another vector is one of a single input",
)  # fmt: skip
Derivation(
    matrix_parameters, sympy.Sum(d_in + biased, (column, 1, d_out)),
    "Each of the $d_\\mathrm{out}$ outputs is a weighted sum of the $d_\\mathrm{in}$ inputs, plus a bias if the matrix has one.",
).rewrite(d_out * (d_in + biased), "All outputs are alike.")  # fmt: skip

operations_of_matrix = Formula(
    "matrix-flops", matrix_flops, 2 * one_flop * tokens * d_in * d_out,
    says="Every token meets every weight once, in a multiply and an add.",
    holds="the usual matrix product; the addition of a bias is left out",
    cites=("brown2020gpt3",),
)  # fmt: skip
Derivation(
    operations_of_matrix,
    sympy.Sum(sympy.Sum(2 * one_flop * d_in, (column, 1, d_out)), (token, 1, tokens)),
    "For each token and each output, $d_\\mathrm{in}$ products are formed and added up: $d_\\mathrm{in}$ multiplications and as many "
    "additions, the first of which adds to zero.",
).rewrite(2 * one_flop * tokens * d_in * d_out, "All outputs and all tokens are alike.")

matrix_bytes_stored = Formula(
    "matrix-bytes", matrix_bytes,
    d_out * (d_in + biased) * b_w + b_scale * sympy.ceiling(d_in / group_in) * sympy.ceiling(d_out / group_out) + b_tensor,
    says="Every element in the bytes of its format, and a scale for each block of elements that share one.",
    holds="padding and packing into words add nothing; a bias is kept in the format of the weights",
)  # fmt: skip
Derivation(
    matrix_bytes_stored,
    d_out * (d_in + biased) * b_w + b_scale * sympy.ceiling(d_in / group_in) * sympy.ceiling(d_out / group_out) + b_tensor,
    "Blocks of $g_\\mathrm{in}$ inputs by $g_\\mathrm{out}$ outputs tile the matrix; a block that the edge cuts still needs its scale.",
)

activation_traffic = Formula(
    "activation-bytes", act_bytes, b_act * tokens * (d_in + d_out),
    says="An operator reads the vector of every token and writes another one.",
    holds="inputs and outputs pass through memory, each once; fusing an operator with its neighbours takes one or both away",
)  # fmt: skip
Derivation(
    activation_traffic, sympy.Sum(b_act * d_in + b_act * d_out, (token, 1, tokens)),
    "For each token, $d_\\mathrm{in}$ elements are read and $d_\\mathrm{out}$ are written.",
).rewrite(b_act * tokens * (d_in + d_out), "All tokens are alike.")  # fmt: skip

short_convolution = Formula(
    "convolution-flops", conv_flops, 2 * one_flop * tokens * d_out * taps,
    says="Every channel of every token is a sum over the last few tokens.",
    holds="one filter per channel; the addition of a bias is left out",
)  # fmt: skip
Derivation(
    short_convolution, sympy.Sum(sympy.Sum(2 * one_flop * taps, (column, 1, d_out)), (token, 1, tokens)),
    "Each of $d_\\mathrm{out}$ channels multiplies its last $w_\\mathrm{f}$ values by the taps of its filter and adds them up.",
).rewrite(2 * one_flop * tokens * d_out * taps, "All channels and tokens are alike.")  # fmt: skip
