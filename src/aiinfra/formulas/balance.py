"""Where the bound changes sides: the batch and the context at which memory and arithmetic balance."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    b_w, batch_balance, beta_mem, context_balance, d_head, devices, kv_token, n_layer, n_q, n_read, one_flop, peak,
)  # fmt: skip

balance_batch = Formula(
    "balance-batch", batch_balance, b_w * peak / (2 * one_flop * beta_mem),
    says="The number of tokens per weight read that keeps the arithmetic as busy as the memory.",
    holds="short contexts, so that cache and attention do not count; same for any number of devices",
    cites=("pope2022scaling",),
)  # fmt: skip
Derivation(
    balance_batch, batch_balance,
    "At balance, reading $N_\\mathrm{r}$ weights takes as long as two operations on each of them for every request.",
).when(
    sympy.Eq(n_read * b_w / (devices * beta_mem), 2 * one_flop * n_read * batch_balance / (devices * peak)),
    b_w * peak / (2 * one_flop * beta_mem),
    "Parameters and devices cancel: the answer belongs to the device and the format, not to the model.",
)  # fmt: skip

balance_context = Formula(
    "balance-context", context_balance,
    2 * one_flop * n_read * beta_mem / (peak * kv_token - 4 * one_flop * n_layer * n_q * d_head * beta_mem),
    says="With more context than this, a larger batch never makes the step bound by arithmetic.",
    holds="any batch beyond that context: weights only add to the reading; cache read once per request and step",
    valid=(peak * kv_token > 4 * n_layer * n_q * d_head * one_flop * beta_mem,),
)  # fmt: skip
Derivation(
    balance_context, context_balance,
    "In a large batch each request adds $S\\,m_\\mathrm{kv}$ bytes and its operations. At balance both take equally long.",
).when(
    sympy.Eq(context_balance * kv_token / beta_mem, one_flop * (2 * n_read + 4 * n_layer * n_q * d_head * context_balance) / peak),
    2 * one_flop * n_read * beta_mem / (peak * kv_token - 4 * one_flop * n_layer * n_q * d_head * beta_mem),
    "Solve for the context; devices and batch have cancelled.",
)  # fmt: skip
