"""Recurrent layers: a state of fixed size that each token updates and reads."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import d_rec_k, d_rec_v, n_rec, one_flop, recurrent_flops, tokens

head = sympy.Symbol("h", integer=True, positive=True)
token = sympy.Symbol("i", integer=True, positive=True)

gated_recurrence = Formula(
    "gated-recurrence-flops", recurrent_flops, 5 * one_flop * tokens * n_rec * d_rec_k * d_rec_v,
    says="Per element of the state: one operation to let it decay, two to add the new outer product, two to read it out.",
    holds="the recurrence as written, token by token; a kernel that works on chunks does more operations on faster units",
    resolves=False,
    cites=("dao2024mamba2",),
)  # fmt: skip
Derivation(
    gated_recurrence,
    sympy.Sum(sympy.Sum(one_flop * d_rec_k * d_rec_v * (1 + 2 + 2), (head, 1, n_rec)), (token, 1, tokens)),
    "The state of a head is a matrix of $d_\\mathrm{rk}$ by $d_\\mathrm{rv}$. It is scaled by a gate, the product of key and value is "
    "added, and the query is multiplied with it.",
).rewrite(5 * one_flop * tokens * n_rec * d_rec_k * d_rec_v, "All heads and tokens are alike.")  # fmt: skip

delta_rule = Formula(
    "delta-rule-flops", recurrent_flops, 7 * one_flop * tokens * n_rec * d_rec_k * d_rec_v,
    says="As the gated recurrence, and two more per element to read what the state holds under the key before correcting it.",
    holds="the recurrence as written, token by token; a kernel that works on chunks does more operations on faster units",
    resolves=False,
    cites=("yang2024gateddelta", "kimi2025linear"),
)  # fmt: skip
Derivation(
    delta_rule,
    sympy.Sum(sympy.Sum(one_flop * d_rec_k * d_rec_v * (1 + 2 + 2 + 2), (head, 1, n_rec)), (token, 1, tokens)),
    "Decay, then a product of state and key that finds the value stored there, an outer product that corrects it, and a product "
    "of state and query.",
).rewrite(7 * one_flop * tokens * n_rec * d_rec_k * d_rec_v, "All heads and tokens are alike.")  # fmt: skip
