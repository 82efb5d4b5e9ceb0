"""Weights: how many, how many bytes they occupy, and how many a decode step reads."""

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import b_w, d_model, n_block, n_param, n_read, untied, vocab, weight_bytes, weight_read

resident_weights = Formula(
    "weight-bytes", weight_bytes, n_param * b_w,
    says="Every parameter is stored once, in the bytes of its format.",
    holds="one format for all weights; scales of quantised formats are not counted",
)  # fmt: skip
Derivation(resident_weights, n_param * b_w, "There are $N$ parameters, and each occupies $b_\\mathrm{w}$ bytes.")

block_parameters = Formula(
    "block-parameters", n_block, n_param - (1 + untied) * vocab * d_model,
    says="What is left when the token tables are taken out: one table if they are tied, two if not.",
    holds="no other parameters outside the layers, except the final norm, which stays in the count",
    valid=(n_param > (1 + untied) * vocab * d_model,),
)  # fmt: skip
Derivation(
    block_parameters,
    n_param - vocab * d_model - untied * vocab * d_model,
    "The input embedding is one table of $V$ rows of width $d$; an untied output head is a second one.",
).rewrite(n_param - (1 + untied) * vocab * d_model, "Collect the tables.")

parameters_read = Formula(
    "parameters-read", n_read, n_block + vocab * d_model,
    says="A decode step reads every layer and the whole output head, but of the input embedding only one row per token.",
    holds="dense model; the rows looked up in the input embedding are left out",
)  # fmt: skip
Derivation(
    parameters_read, n_block + vocab * d_model,
    "Each matrix of the layers meets the activations, and so does each of the $V$ rows of the output head.",
)  # fmt: skip

weight_bytes_read = Formula(
    "weight-bytes-read", weight_read, n_read * b_w,
    says="The weights that a step reads, in the bytes of their format, once for the whole batch.",
    holds="dense model; the batch is processed together, so each weight is read once per step",
)  # fmt: skip
Derivation(weight_bytes_read, n_read * b_w, "Each of the $N_\\mathrm{r}$ weights that take part is read once.")
