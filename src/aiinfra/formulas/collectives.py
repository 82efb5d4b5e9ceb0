"""Traffic between the devices of one scale-up domain: the ring all-reduce and tensor parallelism."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    all_reduce_bytes, alpha_ar, b_act, batch, beta_link, d_model, devices, eta_mem, message, n_layer, peak,
    prefill_flops, prompt, t_comp, t_link, t_link_prefill, t_mem, t_prefill, t_step, tp_bytes,
)  # fmt: skip

turn = sympy.Symbol("i", integer=True, positive=True)

all_reduce = Formula(
    "all-reduce-bytes", all_reduce_bytes, 2 * (devices - 1) / devices * message,
    says="In a ring, every device sends almost twice the vector, however many devices there are.",
    holds="ring or any bandwidth-optimal all-reduce without reduction in the switch; bytes sent by one device, one direction",
    cites=("patarasuk2009allreduce", "nvidia2024nccltests"),
)  # fmt: skip
Derivation(
    all_reduce, sympy.Sum(message / devices, (turn, 1, devices - 1)) + sympy.Sum(message / devices, (turn, 1, devices - 1)),
    "The vector is cut into $n$ parts. A reduce-scatter passes one on in each of $n - 1$ rounds, and an all-gather again.",
).rewrite(2 * (devices - 1) / devices * message, "All rounds move the same bytes.")  # fmt: skip

tensor_parallel_bytes = Formula(
    "tensor-parallel-bytes", tp_bytes, 4 * n_layer * (devices - 1) / devices * batch * d_model * b_act,
    says="Two all-reduces per layer, one after attention and one after the MLP, each of one vector of width $d$ per request.",
    holds="tensor parallelism over two devices or more, one token per request and step; "
    "embedding and output head, which exchange less, are left out",
    cites=("shoeybi2019megatron", "pope2022scaling"),
)  # fmt: skip
Derivation(
    tensor_parallel_bytes, 2 * n_layer * all_reduce_bytes, "Each layer ends two of its blocks with an all-reduce of the residual stream.",
).using(all_reduce).when(
    (message, batch * d_model * b_act), 4 * n_layer * (devices - 1) / devices * batch * d_model * b_act,
    "The vector holds one row of width $d$ for each of the $B$ tokens of a step.",
)  # fmt: skip

tensor_parallel_time = Formula(
    "tensor-parallel-time", t_link, tp_bytes / beta_link + 2 * n_layer * alpha_ar,
    says="The bytes at link bandwidth, plus the fixed time of two all-reduces per layer; for small batches the second part is nearly all.",
    relation="~",
    resolves=True,
    holds="two devices or more; link bandwidth in one direction; the all-reduces follow each other, "
    "because each layer waits for the one before",
    valid=(tp_bytes > 0,),
)  # fmt: skip
Derivation(
    tensor_parallel_time, 2 * n_layer * (alpha_ar + (tp_bytes / (2 * n_layer)) / beta_link),
    "Model: each of the $2L$ all-reduces takes its fixed time and then moves its share of the bytes.", relation="~",
).rewrite(tp_bytes / beta_link + 2 * n_layer * alpha_ar, "Multiply out.")  # fmt: skip

step_with_links = Formula(
    "decode-step-with-links", t_step, slowest(t_mem, t_comp) + t_link,
    says="The all-reduces stand between the layers, so their time adds to the rest of the step.",
    relation="~",
    holds="communication is not overlapped with reading or arithmetic; kernel launches and scheduling are left out",
)  # fmt: skip
Derivation(
    step_with_links, slowest(t_mem, t_comp) + t_link,
    "Model: the next matrix needs the reduced vector, so the step is the pace of the devices plus the time on the links.", relation="~",
)  # fmt: skip

step_forecast = Formula(
    "decode-step-forecast", t_step, slowest(t_mem / eta_mem, t_comp) + t_link,
    says="Reading at the bandwidth that kernels reach, plus the all-reduces: what the devices would need if nothing else took time.",
    relation="~",
    holds="launches, sampling and scheduling are left out; arithmetic at its peak",
    valid=(eta_mem <= 1,),
)  # fmt: skip
Derivation(
    step_forecast, slowest(t_mem / eta_mem, t_comp) + t_link,
    "Model: the step with links, its reading longer because kernels reach only a share $\\eta_\\mathrm{mem}$ of the bandwidth.",
    relation="~",
)  # fmt: skip

prefill_link_time = Formula(
    "prefill-link-time", t_link_prefill,
    4 * n_layer * (devices - 1) * prompt * d_model * b_act / (devices * beta_link) + 2 * n_layer * alpha_ar,
    says="The same all-reduces as in a step, each of one vector for every token of the prompt.",
    relation="~",
    resolves=True,
    holds="tensor parallelism over two devices or more; no overlap with arithmetic, no reduction in the switch",
    valid=(devices >= 2,),
)  # fmt: skip
Derivation(
    prefill_link_time, tp_bytes / beta_link + 2 * n_layer * alpha_ar, "Model: a prompt makes the all-reduces of one step.", relation="~",
).using(tensor_parallel_bytes).when(
    (batch, prompt), 4 * n_layer * (devices - 1) * prompt * d_model * b_act / (devices * beta_link) + 2 * n_layer * alpha_ar,
    "Its $S_\\mathrm{p}$ tokens go through the layers together, as a batch does.",
)  # fmt: skip

prefill_with_links = Formula(
    "prefill-with-links", t_prefill, prefill_flops / (devices * peak) + t_link_prefill,
    says="The arithmetic of the prompt at peak rate, and its all-reduces after it.",
    relation="~",
    holds="arithmetic binds; communication is not overlapped with it",
)  # fmt: skip
Derivation(
    prefill_with_links, prefill_flops / (devices * peak) + t_link_prefill,
    "Model: each layer waits for the reduced vectors of the layer before.", relation="~",
)  # fmt: skip
