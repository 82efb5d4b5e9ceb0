"""Mixtures of experts: parameters in all and per token, and the experts that a batch touches."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    b_w, d_expert, d_ff, d_model, expert_read, expert_tokens, granularity, n_active, n_chosen, n_expert, n_moe_layer, n_param, n_routed,
    n_touched, tokens, touch_balance, touched_share,
)  # fmt: skip

expert = sympy.Symbol("e", integer=True, positive=True)

experts_touched = Formula(
    "experts-touched", n_touched, n_expert * (1 - (1 - n_chosen / n_expert) ** tokens),
    relation="~",
    resolves=True,
    says="An expert stays untouched only if every token passes it by.",
    holds="each token chooses its experts evenly and independently of the other tokens; real routers are less even and touch fewer",
    valid=(n_chosen <= n_expert,),
    cites=("huang2025moesd",),
)  # fmt: skip
Derivation(
    experts_touched, sympy.Sum(1 - (1 - n_chosen / n_expert) ** tokens, (expert, 1, n_expert)),
    "One token passes a given expert by with probability $1 - k_\\mathrm{E}/E$, all tokens do with that power. Expectations add up, "
    "whether or not the experts depend on each other.",
    relation="~",
).rewrite(n_expert * (1 - (1 - n_chosen / n_expert) ** tokens), "All experts are alike.")  # fmt: skip

routed_parameters = Formula(
    "routed-parameters", n_routed, n_moe_layer * n_expert * 3 * d_model * d_expert,
    says="Three matrices for each expert of each layer.",
    holds="gated experts that work at the width of the model, without biases",
    cites=("jiang2024mixtral",),
)  # fmt: skip
Derivation(
    routed_parameters, sympy.Sum(n_expert * (d_model * d_expert + d_model * d_expert + d_expert * d_model), (expert, 1, n_moe_layer)),
    "Gate, up and down of every expert, in each of the $L_\\mathrm{E}$ layers that have experts.",
).rewrite(n_moe_layer * n_expert * 3 * d_model * d_expert, "All layers are alike.")  # fmt: skip

active_parameters = Formula(
    "active-parameters", n_active, n_param - n_routed * (1 - n_chosen / n_expert),
    says="A token passes by all routed experts but those chosen for it, and through everything else.",
    holds="all experts are of one size; token tables count whole",
    valid=(n_chosen <= n_expert,),
    cites=("jiang2024mixtral",),
)  # fmt: skip
Derivation(
    active_parameters, (n_param - n_routed) + n_routed * n_chosen / n_expert,
    "Everything outside the routed experts, and of these the share $k_\\mathrm{E}/E$.",
).rewrite(n_param - n_routed * (1 - n_chosen / n_expert), "Collect the routed experts.")  # fmt: skip

tokens_per_expert = Formula(
    "tokens-per-expert", expert_tokens, tokens * n_chosen / n_touched,
    relation="~",
    says="The tokens' choices are spread over the experts that are touched.",
    holds="an average; a busy expert serves more",
    cites=("shazeer2017moe", "huang2025moesd"),
)  # fmt: skip
Derivation(
    tokens_per_expert, tokens * n_chosen / n_touched,
    "Each of the tokens makes $k_\\mathrm{E}$ choices, and they fall on $\\bar{E}$ distinct experts.", relation="~",
)  # fmt: skip

tokens_to_touch = Formula(
    "tokens-to-touch", touch_balance, sympy.log(1 - touched_share) / sympy.log(1 - n_chosen / n_expert),
    relation="~",
    says="The batch from which a step reads so large a share of the experts.",
    holds="each token chooses its experts evenly and independently of the other tokens",
    valid=(n_chosen < n_expert, touched_share < 1),
    cites=("huang2025moesd",),
)  # fmt: skip
Derivation(
    tokens_to_touch, touch_balance, "At this number of tokens, the share of experts that stay untouched is what is left of one.",
    relation="~",
).when(
    sympy.Eq(touch_balance * sympy.log(1 - n_chosen / n_expert), sympy.log(1 - touched_share)),
    sympy.log(1 - touched_share) / sympy.log(1 - n_chosen / n_expert),
    "Logarithms of both sides of $(1 - k_\\mathrm{E}/E)^{n_\\mathrm{all}} = 1 - f_\\mathrm{E}$.",
)  # fmt: skip

expert_bytes_read = Formula(
    "expert-bytes-read", expert_read, n_moe_layer * n_touched * 3 * d_model * d_expert * b_w,
    relation="~",
    says="Of the routed experts a step reads those that its tokens touch, each once.",
    holds="gated experts that work at the width of the model; the average over routings",
)  # fmt: skip
Derivation(
    expert_bytes_read, sympy.Sum(n_touched * 3 * d_model * d_expert * b_w, (expert, 1, n_moe_layer)),
    "In each layer, $\\bar{E}$ experts of three matrices.", relation="~",
).rewrite(n_moe_layer * n_touched * 3 * d_model * d_expert * b_w, "All layers are alike.")  # fmt: skip

expert_granularity = Formula(
    "granularity", granularity, d_ff / d_expert,
    says="How many experts one MLP of the dense width would be cut into.",
    holds="the dense width is that of the model's dense layers, or of the dense model compared with",
    cites=("krajewski2024granularity",),
)  # fmt: skip
Derivation(
    expert_granularity, d_ff / d_expert, "Experts of inner width $d_\\mathrm{e}$ that make up an MLP of inner width $d_\\mathrm{ff}$."
)  # fmt: skip
