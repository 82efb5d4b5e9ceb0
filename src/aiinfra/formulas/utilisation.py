"""Utilisation: what share of a peak a measured time reached."""

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import beta_mem, devices, mbu, mfu, peak, step_bytes, step_flops, t_step

model_flops_utilisation = Formula(
    "mfu", mfu, step_flops / (t_step * devices * peak),
    says="The operations that the model needs, over those that the devices could have done in the time that passed.",
    holds="dense peak of the format computed in; only operations that the model needs, no recomputation",
    cites=("chowdhery2022palm", "korthikanti2022activation"),
)  # fmt: skip
Derivation(
    model_flops_utilisation,
    step_flops / (t_step * devices * peak),
    "The rate reached, $F_\\mathrm{step}/t_\\mathrm{step}$, over the rate available.",
)

bandwidth_utilisation = Formula(
    "mbu", mbu, step_bytes / (t_step * devices * beta_mem),
    says="The bytes that a step needs, over those that the memories could have delivered in the time that passed.",
    holds="only bytes that the step needs, each counted once",
    cites=("agarwal2023mbu",),
)  # fmt: skip
Derivation(
    bandwidth_utilisation,
    step_bytes / (t_step * devices * beta_mem),
    "The bandwidth reached, $D_\\mathrm{step}/t_\\mathrm{step}$, over the bandwidth available.",
)
