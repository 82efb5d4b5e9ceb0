"""Training runs: operations, days, steps, what a budget should buy, what service adds, and cycles of reinforcement learning."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.formulas.passes import training_step
from aiinfra.symbols import (
    batch_tokens, best_param, best_tokens, critical_tokens, dearness, devices, exp_d, exp_n, forward_flops, least_param, least_steps,
    life_flops, life_tokens, longest_answer, loss, loss_floor, mean_answer, mfu, n_param, occupancy, one_flop, peak, rate, rollouts,
    run_flops, run_tokens, scale_d, scale_n, scorers, sequence, size, t_cycle, t_rollout, t_step, t_sync, t_train, t_update, train_rate,
    train_steps, training_flops, update_flops, uptime,
)  # fmt: skip

run_work = Formula(
    "run-flops", run_flops, 6 * one_flop * n_param * run_tokens,
    relation="~",
    resolves=True,
    says="Two operations per parameter and token forward, four backward.",
    holds="chapter 2's rule 6N: attention is left out, token tables count as if they were multiplied; for a mixture of experts $N$ is what "
    "serves one token; nothing is recomputed",
    cites=("kaplan2020scaling",),
)  # fmt: skip
Derivation(
    run_work, run_tokens / sequence * training_flops, "As many training steps of one sequence as make up the tokens.", relation="~",
).using(training_step).when(
    (forward_flops, 2 * one_flop * n_param * sequence), 6 * one_flop * n_param * run_tokens,
    "Forward, the rule counts two operations per parameter and token.",
)  # fmt: skip

run_time = Formula(
    "training-time", t_train, run_flops / (devices * peak * mfu * uptime),
    says="Operations over the rate at which devices do useful ones, over the share of the time in which they do any.",
    holds="MFU is that of the steps; evaluation, restarts and work done twice are in $\\eta_\\mathrm{up}$",
    valid=(mfu <= 1, uptime <= 1),
)  # fmt: skip
Derivation(
    run_time, run_flops / (devices * peak * mfu) / uptime,
    "Steps take the first quotient; they fill a share $\\eta_\\mathrm{up}$ of the time.",
)  # fmt: skip

rate_of_training = Formula(
    "training-rate", train_rate, devices * peak * mfu / (6 * n_param * one_flop),
    relation="~",
    says="Useful operations of a second, over those of a token.",
    holds="as for the operations of a run; while steps run",
    valid=(mfu <= 1,),
)  # fmt: skip
Derivation(
    rate_of_training, run_tokens / (run_flops / (devices * peak * mfu)), "The tokens of a run over the time of its steps.", relation="~",
).using(run_work)  # fmt: skip

steps_needed = Formula(
    "steps-for-loss", train_steps, least_steps * (1 + critical_tokens / batch_tokens),
    relation="~",
    says="Small steps are noisy, so more of them are needed; large ones hardly save any.",
    holds="to one and the same loss, with the best learning rate for every size of step; $B_\\mathrm{crit}$ is measured, and grows as "
    "loss falls",
    cites=("mccandlish2018batch",),
)  # fmt: skip
Derivation(
    steps_needed, least_steps + least_steps * critical_tokens / batch_tokens,
    "A step along the exact gradient gains the most. The mean over $B_\\mathrm{tok}$ tokens has a variance in proportion to "
    "$1/B_\\mathrm{tok}$, which costs further steps in that proportion: at $B_\\mathrm{crit}$ as many again.",
    relation="~",
).rewrite(least_steps * (1 + critical_tokens / batch_tokens), "Collect the steps.")  # fmt: skip

tokens_needed = Formula(
    "tokens-for-batch", run_tokens, least_steps * (batch_tokens + critical_tokens),
    relation="~",
    says="Beyond the critical size, larger steps need more tokens for the same loss.",
    holds="as for the steps",
    cites=("mccandlish2018batch",),
)  # fmt: skip
Derivation(tokens_needed, batch_tokens * train_steps, "Steps times their size.").using(steps_needed).rewrite(
    least_steps * (batch_tokens + critical_tokens), "Multiply out."
)  # fmt: skip

loss_law = Formula(
    "loss-law", loss, loss_floor + scale_n / size**exp_n + scale_d / run_tokens**exp_d,
    relation="~",
    says="What is left above the floor falls as a power of the parameters and as a power of the tokens.",
    holds="a fit to one family of models, one text and one way to train; fresh tokens only; it says nothing of tasks",
    cites=("hoffmann2022chinchilla",),
)  # fmt: skip
Derivation(
    loss_law, loss_floor + scale_n / size**exp_n + scale_d / run_tokens**exp_d,
    "Three parts, by assumption: text that cannot be foretold, a model too small, a text too short.", relation="~",
)  # fmt: skip

budget = run_flops / (6 * one_flop)
optimal_parameters = Formula(
    "optimal-parameters", best_param,
    (exp_n * scale_n / (exp_d * scale_d)) ** (1 / (exp_n + exp_d)) * budget ** (exp_d / (exp_n + exp_d)),
    relation="~",
    resolves=True,
    says="Parameters grow as a power of the operations, close to their square root where both exponents are alike.",
    holds="loss by the law, operations by the rule $6\\mathcal{N}\\mathcal{D}$; the least loss for the operations of training alone",
    cites=("hoffmann2022chinchilla",),
)  # fmt: skip
Derivation(
    optimal_parameters, (exp_n * scale_n / (exp_d * scale_d) * budget**exp_d) ** (1 / (exp_n + exp_d)),
    "At the optimum one per cent more parameters gain what one per cent more tokens gain: "
    "$\\nu\\mathcal{A}/\\mathcal{N}^{\\nu} = \\delta\\mathcal{B}/\\mathcal{D}^{\\delta}$. "
    "With $\\mathcal{D} = \\mathcal{C}/6\\mathcal{N}$ solve for $\\mathcal{N}$.",
    relation="~",
).rewrite(
    (exp_n * scale_n / (exp_d * scale_d)) ** (1 / (exp_n + exp_d)) * budget ** (exp_d / (exp_n + exp_d)), "The root of each factor."
)  # fmt: skip

optimal_tokens = Formula(
    "optimal-tokens", best_tokens, run_flops / (6 * one_flop * best_param),
    relation="~",
    resolves=True,
    says="The rest of the operations go into tokens.",
    holds="as for the parameters",
)  # fmt: skip
Derivation(
    optimal_tokens, run_flops / (6 * one_flop * best_param),
    "Solve $\\mathcal{C} = 6\\mathcal{N}\\mathcal{D}$ for the tokens.", relation="~",
)  # fmt: skip

tokens_for_loss = Formula(
    "tokens-for-loss", run_tokens, (scale_d / (loss - loss_floor - scale_n / size**exp_n)) ** (1 / exp_d),
    relation="~",
    resolves=True,
    says="A smaller model reaches the same loss with more tokens, until no number of tokens is enough.",
    holds="loss by the law",
    valid=(loss > loss_floor + scale_n / size**exp_n,),
)  # fmt: skip
Derivation(
    tokens_for_loss, (scale_d / (loss - loss_floor - scale_n / size**exp_n)) ** (1 / exp_d),
    "Floor and model leave $\\mathcal{L} - \\mathcal{E} - \\mathcal{A}/\\mathcal{N}^{\\nu}$ for the text; "
    "$\\mathcal{B}/\\mathcal{D}^{\\delta}$ must be that.",
    relation="~",
)  # fmt: skip

smallest = Formula(
    "least-parameters", least_param, (scale_n / (loss - loss_floor)) ** (1 / exp_n),
    relation="~",
    says="Below this number of parameters the model's own term alone exceeds the loss that is wanted.",
    holds="loss by the law, with any number of tokens",
    valid=(loss > loss_floor,),
)  # fmt: skip
Derivation(
    smallest, (scale_n / (loss - loss_floor - scale_d / run_tokens**exp_d)) ** (1 / exp_n),
    "The law, solved for the parameters.", relation="~",
).when((run_tokens, sympy.oo), (scale_n / (loss - loss_floor)) ** (1 / exp_n), "With ever more tokens the last term vanishes.")  # fmt: skip

lifetime = Formula(
    "life-flops", life_flops, 2 * one_flop * size * (3 * run_tokens + dearness * life_tokens),
    relation="~",
    says="A token of training costs three forward passes, one in service costs one, at a price of its own.",
    holds="rules 2N and 6N for both; $r_\\mathrm{op} = 1$ counts operations, and the ratio of the two MFU counts device time",
    cites=("sardana2023beyond",),
)  # fmt: skip
Derivation(
    lifetime, 6 * one_flop * size * run_tokens + 2 * one_flop * size * dearness * life_tokens,
    "Training, and two operations per parameter and token served.", relation="~",
).rewrite(2 * one_flop * size * (3 * run_tokens + dearness * life_tokens), "Collect the factors.")  # fmt: skip

served_optimum = Formula(
    "life-tokens-at-optimum", life_tokens,
    3 * run_tokens / dearness * (exp_n * scale_n * run_tokens**exp_d / (exp_d * scale_d * size**exp_n) - 1),
    relation="~",
    says="Every size trained longer than its training optimum is the cheapest of its loss for one volume of service, "
    "and this is that volume.",
    holds="loss by the law, cost of a life by the rules; sizes that training alone would choose serve nothing",
    valid=(exp_n * scale_n * run_tokens**exp_d > exp_d * scale_d * size**exp_n,),
)  # fmt: skip
Derivation(
    served_optimum,
    (6 * run_tokens * (exp_n * scale_n / size**exp_n) / (exp_d * scale_d / run_tokens**exp_d) - 6 * run_tokens) / (2 * dearness),
    "At one loss, one per cent fewer parameters need $(\\nu\\mathcal{A}/\\mathcal{N}^{\\nu})/(\\delta\\mathcal{B}/\\mathcal{D}^{\\delta})$ "
    "per cent more tokens. They "
    "save one per cent of $6\\mathcal{D} + 2r_\\mathrm{op}\\mathcal{T}$ and cost that many per cent of $6\\mathcal{D}$: "
    "equal at the optimum.",
    relation="~",
).rewrite(
    3 * run_tokens / dearness * (exp_n * scale_n * run_tokens**exp_d / (exp_d * scale_d * size**exp_n) - 1), "Collect the tokens."
)  # fmt: skip

rollout_bound = Formula(
    "rollout-bound", t_rollout, slowest((longest_answer - 1) * t_step, rollouts * mean_answer / rate),
    relation=">=",
    says="A rollout waits for its longest answer, and for all its tokens.",
    holds="$t_\\mathrm{step}$ is the mean step of the longest answer if it decoded alone, and $R$ the highest rate that the devices reach",
)  # fmt: skip
Derivation(rollout_bound, t_rollout, "What is sought is the time until the last answer is there.").at_least(
    slowest((longest_answer - 1) * t_step, rollouts * mean_answer / rate),
    "Tokens of one answer come one step after another; and no more than $R$ tokens come in a second.",
    given=((longest_answer - 1) * t_step <= t_rollout, rollouts * mean_answer <= rate * t_rollout),
)  # fmt: skip

places_used = Formula(
    "rollout-occupancy", occupancy, mean_answer / longest_answer,
    says="A place in the batch is used for as long as its answer, and held for as long as the longest.",
    holds="all answers start together, each has a place, and no new ones take the places of those that ended",
    valid=(mean_answer <= longest_answer,),
)  # fmt: skip
Derivation(places_used, mean_answer / longest_answer, "Each place is used for $\\bar{G}$ of $G_\\mathrm{max}$ steps, on average.")

updating = Formula(
    "update-flops", update_flops, 2 * one_flop * n_param * rollouts * mean_answer * (3 + scorers),
    relation="~",
    says="Training passes over each answer three times as much as a forward pass; each model that scores it once.",
    holds="rules 2N and 6N; scorers are as large as the model; every answer is trained on once; prompts are left out",
)  # fmt: skip
Derivation(
    updating, 6 * one_flop * n_param * rollouts * mean_answer + 2 * one_flop * n_param * rollouts * mean_answer * scorers,
    "One training pass and $n_\\mathrm{sc}$ forward passes over all tokens.", relation="~",
).rewrite(2 * one_flop * n_param * rollouts * mean_answer * (3 + scorers), "Collect the factors.")  # fmt: skip

cycle = Formula(
    "rl-cycle-time", t_cycle, t_rollout + t_update + t_sync,
    says="Answers are generated, trained on, and the new weights are brought back: one after another.",
    holds="answers come from the newest weights only; scoring by programs is over when the last answer is",
)  # fmt: skip
Derivation(cycle, t_rollout + t_update + t_sync, "Each stage needs what the one before it made.")
