"""Operations and bytes of a decode step and of a prompt. A multiply-add counts as two operations."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    batch, beta_mem, context, d_head, d_model, intensity, kv_bytes, machine_balance, n_block, n_layer, n_q, n_read,
    one_flop, peak, prefill_flops, prompt, step_bytes, step_flops, vocab, weight_read,
)  # fmt: skip

position = sympy.Symbol("i", integer=True, positive=True)
layer = sympy.Symbol("l", integer=True, positive=True)

decode_flops = Formula(
    "decode-flops", step_flops, one_flop * batch * (2 * n_read + 4 * n_layer * n_q * d_head * context),
    says="Two operations per weight and token, and in attention four per head element and token of context.",
    holds="dense model with full attention and the usual matrix product; norm weights count as matrix weights, "
    "activations and softmax are left out",
    cites=("brown2020gpt3", "pope2022scaling"),
)  # fmt: skip
Derivation(
    decode_flops,
    one_flop * batch * (2 * n_read + sympy.Sum(4 * n_q * d_head * context, (layer, 1, n_layer))),
    "Each of the $B$ tokens meets every weight once, a multiply and an add. In each layer every query head then takes $S$ dot products of "
    "width $d_\\mathrm{h}$ for the scores and adds up $S$ values of that width: twice two operations per element.",
).rewrite(one_flop * batch * (2 * n_read + 4 * n_layer * n_q * d_head * context), "All layers are alike.")

prefill_work = Formula(
    "prefill-flops", prefill_flops,
    one_flop * (2 * n_block * prompt + 2 * vocab * d_model + 2 * n_layer * n_q * d_head * prompt * (prompt + 1)),
    says="The layers see every prompt token, the output head only the last one, and attention only the causal half of the square.",
    holds="dense model with full causal attention, none of the prompt cached; norm weights count as matrix weights, "
    "activations and softmax are left out",
    cites=("brown2020gpt3",),
)  # fmt: skip
Derivation(
    prefill_work,
    one_flop * (2 * n_block * prompt + 2 * vocab * d_model + sympy.Sum(4 * n_layer * n_q * d_head * position, (position, 1, prompt))),
    "Weights as in decoding, but the head is needed for one token only. The token at position $i$ attends to $i$ tokens, itself included.",
).rewrite(
    one_flop * (2 * n_block * prompt + 2 * vocab * d_model + 2 * n_layer * n_q * d_head * prompt * (prompt + 1)),
    "The sum of the first $S_\\mathrm{p}$ whole numbers is $S_\\mathrm{p}(S_\\mathrm{p}+1)/2$.",
)

step_bytes_read = Formula(
    "step-bytes", step_bytes, weight_read + kv_bytes,
    says="A decode step reads the weights once for all requests, and the cache of every request.",
    holds="nothing stays on chip from step to step; activations are left out, and the new token's keys and values count as read",
    cites=("pope2022scaling",),
)  # fmt: skip
Derivation(
    step_bytes_read, weight_read + kv_bytes, "The weights are shared by the batch; a cache belongs to one request and is read whole."
)

arithmetic_intensity = Formula(
    "arithmetic-intensity", intensity, step_flops / step_bytes,
    says="How often a step uses each byte that it reads.",
    holds="the bytes and operations counted above",
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(arithmetic_intensity, step_flops / step_bytes, "Operations of a step over the bytes that it reads.")

balance_of_device = Formula(
    "machine-balance", machine_balance, peak / beta_mem,
    says="A step with less intensity than this waits for memory, one with more waits for arithmetic.",
    holds="dense peak of the format computed in",
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(
    balance_of_device, machine_balance, "At balance, reading the bytes takes as long as working on them.",
).when(sympy.Eq(step_bytes / beta_mem, machine_balance * step_bytes / peak), peak / beta_mem, "The bytes cancel.")  # fmt: skip
