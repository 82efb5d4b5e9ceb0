"""Mixtures of experts: how many distinct experts a batch touches."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import n_chosen, n_expert, n_touched, tokens

expert = sympy.Symbol("e", integer=True, positive=True)

experts_touched = Formula(
    "experts-touched", n_touched, n_expert * (1 - (1 - n_chosen / n_expert) ** tokens),
    relation="~",
    resolves=True,
    says="An expert stays untouched only if every token passes it by.",
    holds="each token chooses its experts evenly and independently of the other tokens; real routers are less even and touch fewer",
    valid=(n_chosen <= n_expert,),
    cites=("ainslie2023gqa",),
)  # fmt: skip
Derivation(
    experts_touched, sympy.Sum(1 - (1 - n_chosen / n_expert) ** tokens, (expert, 1, n_expert)),
    "One token passes a given expert by with probability $1 - k_\\mathrm{E}/E$, all tokens do with that power. Expectations add up, "
    "whether or not the experts depend on each other.",
    relation="~",
).rewrite(n_expert * (1 - (1 - n_chosen / n_expert) ** tokens), "All experts are alike.")  # fmt: skip
