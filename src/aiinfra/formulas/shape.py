"""A dense model from its shape: parameters per layer and in all, and what a weight costs with its scales."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    b_act, b_eff, b_scale, b_w, d_ff, d_head, d_in, d_model, d_out, group_in, group_out, intensity, n_kv, n_layer, n_layer_param, n_param,
    n_q, one_flop, tokens, untied, vocab,
)  # fmt: skip

layer = sympy.Symbol("l", integer=True, positive=True)

layer_parameters = Formula(
    "layer-parameters", n_layer_param, 2 * d_model * d_head * (n_q + n_kv) + 3 * d_model * d_ff + 2 * d_model,
    says="Four matrices of attention, three of a gated MLP, and the weights of two norms.",
    holds="no biases, no norms of queries and keys, a gated MLP",
    cites=("shazeer2020glu",),
)  # fmt: skip
Derivation(
    layer_parameters,
    d_model * n_q * d_head + d_model * n_kv * d_head + d_model * n_kv * d_head + n_q * d_head * d_model
    + d_model * d_ff + d_model * d_ff + d_ff * d_model + d_model + d_model,
    "Queries, keys, values and output; gate, up and down; a norm before each half.",
).rewrite(2 * d_model * d_head * (n_q + n_kv) + 3 * d_model * d_ff + 2 * d_model, "Collect equal shapes.")  # fmt: skip

dense_parameters = Formula(
    "dense-parameters", n_param, n_layer * n_layer_param + (1 + untied) * vocab * d_model + d_model,
    says="All layers, one or two token tables, and the final norm.",
    holds="dense model with the layers above; positions are not learned",
    resolves=False,
)  # fmt: skip
Derivation(
    dense_parameters, sympy.Sum(n_layer_param, (layer, 1, n_layer)) + vocab * d_model + untied * vocab * d_model + d_model,
    "The token table, the layers, a norm, and an output head unless the token table serves as one.",
).rewrite(n_layer * n_layer_param + (1 + untied) * vocab * d_model + d_model, "All layers are alike.")  # fmt: skip

bytes_per_weight = Formula(
    "bytes-per-weight", b_eff, b_w + b_scale / (group_in * group_out),
    says="A weight costs its own bytes and its share of the scale of its block.",
    holds="whole blocks; what is kept once for a matrix is left out",
    cites=("ocp2023mx",),
)  # fmt: skip
Derivation(
    bytes_per_weight, (group_in * group_out * b_w + b_scale) / (group_in * group_out),
    "A block of weights and its scale, over the weights of the block.",
).rewrite(b_w + b_scale / (group_in * group_out), "Divide both terms.")  # fmt: skip

matrix_intensity = Formula(
    "matrix-intensity", intensity, 2 * one_flop * tokens / (b_w + b_act * tokens * (1 / d_in + 1 / d_out)),
    says="Each weight serves all tokens; the vectors that go in and come out cost the more, the narrower the matrix.",
    holds="weights, inputs and outputs cross the memory once each",
    resolves=False,
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(
    matrix_intensity, 2 * one_flop * tokens * d_in * d_out / (d_in * d_out * b_w + tokens * (d_in + d_out) * b_act),
    "Operations of the product over its bytes: the matrix once, and for each token its input and its output.",
).rewrite(2 * one_flop * tokens / (b_w + b_act * tokens * (1 / d_in + 1 / d_out)), "Divide by the weights of the matrix.")  # fmt: skip
