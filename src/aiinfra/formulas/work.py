"""Operations and bytes of a decode step and of a prompt. A multiply-add counts as two operations."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    batch, context, d_head, d_model, kv_bytes, n_block, n_layer, n_q, n_read, one_flop, prefill_flops, prompt, step_bytes, step_flops, vocab, weight_read,
)  # fmt: skip

position = sympy.Symbol("i", integer=True, positive=True)

decode_flops = Formula(
    "decode-flops", step_flops, one_flop * batch * (2 * n_read + 4 * n_layer * n_q * d_head * context),
    says="Two operations per weight and token, and in attention four per head element and token of context.",
    holds="dense model with full attention; norms, activations and softmax are left out",
    cites=("brown2020gpt3", "pope2022scaling"),
)  # fmt: skip
Derivation(
    decode_flops,
    one_flop * batch * (2 * n_read + sympy.Sum(4 * n_q * d_head * context, (position, 1, n_layer))),
    "Each of the $B$ tokens meets every weight once, a multiply and an add. In each layer every query head then takes $S$ dot products of "
    "width $d_\\mathrm{h}$ for the scores and adds up $S$ values of that width: twice two operations per element.",
).rewrite(one_flop * batch * (2 * n_read + 4 * n_layer * n_q * d_head * context), "All layers are alike.")

prefill_work = Formula(
    "prefill-flops", prefill_flops,
    one_flop * (2 * n_block * prompt + 2 * vocab * d_model + 2 * n_layer * n_q * d_head * prompt * (prompt + 1)),
    says="The layers see every prompt token, the output head only the last one, and attention only the causal half of the square.",
    holds="dense model with full causal attention, none of the prompt cached; norms, activations and softmax are left out",
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
    holds="activations and the new keys and values, which are small, are left out",
    cites=("pope2022scaling",),
)  # fmt: skip
Derivation(step_bytes_read, weight_read + kv_bytes, "The weights are shared by the batch; a cache belongs to one request and is read whole.")
