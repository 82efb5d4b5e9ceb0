"""Whole answers and training steps: sums of passes over a model."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    accept, answer, answer_flops, answer_read, b_grad, b_opt, b_w, backward_flops, d_head, d_model, forward_flops, gained, kv_token,
    layer_flops, n_block, n_layer, n_param, n_q, one_flop, pairs, prompt, proposed, sequence, training_bytes, training_flops, vocab,
)  # fmt: skip

step = sympy.Symbol("i", integer=True, positive=True)
seen = prompt + answer - 1  # tokens that pass through the layers: all but the last one given

whole_answer = Formula(
    "answer-flops", answer_flops,
    2 * one_flop * (n_block * seen + vocab * d_model * answer + n_layer * n_q * d_head * seen * (seen + 1)),
    says="Every token but the last given passes through the layers once; the output head works once for each token given.",
    holds="dense model with full causal attention, none of the prompt cached, every step gives one token",
)  # fmt: skip
Derivation(
    whole_answer,
    2 * one_flop * n_block * prompt + 2 * one_flop * vocab * d_model + 2 * one_flop * n_layer * n_q * d_head * prompt * (prompt + 1)
    + sympy.Sum(
        2 * one_flop * (n_block + vocab * d_model) + 4 * one_flop * n_layer * n_q * d_head * (prompt + step), (step, 1, answer - 1)
    ),
    "The prompt, and $G - 1$ steps of which number $i$ meets $S_\\mathrm{p} + i$ tokens.",
).rewrite(
    2 * one_flop * (n_block * seen + vocab * d_model * answer + n_layer * n_q * d_head * seen * (seen + 1)),
    "The steps continue the triangle of the prompt: it does not matter for the count of pairs where the prompt ends.",
)

answer_cache_read = Formula(
    "answer-cache-read", answer_read, kv_token * (answer - 1) * (2 * prompt + answer) / 2,
    says="Every step reads the cache of all tokens so far: the prompt as often as there are steps, the answer in a triangle.",
    holds="full attention; the new token's keys and values count as read",
)  # fmt: skip
Derivation(
    answer_cache_read, sympy.Sum(kv_token * (prompt + step), (step, 1, answer - 1)), "Step $i$ reads $S_\\mathrm{p} + i$ tokens.",
).rewrite(kv_token * (answer - 1) * (2 * prompt + answer) / 2, "Sum the arithmetic series.")  # fmt: skip

backward = Formula(
    "backward-flops", backward_flops, 2 * forward_flops,
    says="Backward, each product of the forward pass becomes two: one for the gradient of each of its factors.",
    holds="all weights are trained; gradients of the input of the first layer count with the others",
    cites=("kaplan2020scaling",),
)  # fmt: skip
Derivation(
    backward, 2 * forward_flops,
    "For $Y = XW$ the gradients are $X^\\top\\,\\partial Y$ and $\\partial Y\\,W^\\top$: two products of the same three widths.",
)  # fmt: skip

training_step = Formula(
    "training-step-flops", training_flops, 3 * forward_flops,
    says="Forward once and backward twice as much.",
    holds="nothing is recomputed; the optimizer's few operations per weight are left out",
)  # fmt: skip
Derivation(training_step, forward_flops + backward_flops, "Both passes.").using(backward)

recomputing = Formula(
    "recompute-flops", training_flops, 3 * forward_flops + layer_flops,
    says="Where activations are not kept, the layers are computed once more.",
    holds="full recomputation of every layer; the output head is not computed again",
    resolves=False,
    cites=("korthikanti2022activation",),
)  # fmt: skip
Derivation(recomputing, 3 * forward_flops + layer_flops, "A training step, and the forward pass of the layers a second time.")

forward_of_sequence = Formula(
    "forward-flops", forward_flops, 2 * one_flop * (n_block * sequence + vocab * d_model * sequence + 2 * n_layer * n_q * d_head * pairs),
    says="In training every token gives logits, so the head works on all of them.",
    holds="dense model; one sequence of $S_\\mathrm{q}$ tokens; pairs by the convention that is stated",
)  # fmt: skip
Derivation(
    forward_of_sequence,
    2 * one_flop * n_block * sequence + 2 * one_flop * vocab * d_model * sequence + 4 * one_flop * n_layer * n_q * d_head * pairs,
    "Layers and head meet every token; attention takes four operations per pair, head and element.",
).rewrite(
    2 * one_flop * (n_block * sequence + vocab * d_model * sequence + 2 * n_layer * n_q * d_head * pairs), "Collect the factors."
)  # fmt: skip

layers_of_sequence = Formula(
    "layers-flops", layer_flops, 2 * one_flop * (n_block * sequence + 2 * n_layer * n_q * d_head * pairs),
    says="A forward pass without the output head.",
    holds="as for the forward pass",
)  # fmt: skip
Derivation(
    layers_of_sequence, 2 * one_flop * n_block * sequence + 4 * one_flop * n_layer * n_q * d_head * pairs, "The same without the head.",
).rewrite(2 * one_flop * (n_block * sequence + 2 * n_layer * n_q * d_head * pairs), "Collect the factors.")  # fmt: skip

training_state = Formula(
    "training-state-bytes", training_bytes, n_param * (b_w + b_grad + b_opt),
    says="Each parameter is held as a weight, as a gradient, and in what the optimizer keeps of it.",
    holds="all parameters are trained and all three are held whole; activations are not in it",
    cites=("rajbhandari2020zero",),
)  # fmt: skip
Derivation(
    training_state, n_param * b_w + n_param * b_grad + n_param * b_opt, "Three copies, each in a format of its own.",
).rewrite(n_param * (b_w + b_grad + b_opt), "Collect the parameters.")  # fmt: skip

accepted_tokens = Formula(
    "tokens-per-step", gained, (1 - accept ** (proposed + 1)) / (1 - accept),
    relation="~",
    says="A step that checks proposed tokens gives those accepted before the first refusal, and one of its own.",
    holds="each proposed token is accepted with one probability, independently of the others",
    valid=(accept < 1,),
    cites=("leviathan2023speculative",),
)  # fmt: skip
Derivation(
    accepted_tokens, sympy.Sum(accept**step, (step, 0, proposed)),
    "The step's own token always comes; token $i$ of the proposal comes if it and all before it are accepted.", relation="~",
).rewrite((1 - accept ** (proposed + 1)) / (1 - accept), "The geometric series.", sampled=True)  # fmt: skip
