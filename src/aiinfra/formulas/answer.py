"""A whole answer: the prompt once, then one step per further token over a growing context."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.engine.expressions import slowest
from aiinfra.formulas.step import overlap_bound, prefill_bound
from aiinfra.symbols import (
    answer, arrivals, batch, beta_mem, devices, mean_context, peak, prefill_flops, prompt, t_answer, t_comp, t_device, t_mem,
    t_prefill, t_step, weight_read,
)  # fmt: skip

step = sympy.Symbol("i", integer=True, positive=True)

average_context = Formula(
    "mean-context", mean_context, prompt + answer / 2,
    says="The context grows by one token a step, so its average lies half an answer above the prompt.",
    holds="two tokens or more; the first token comes from the prompt, the other $G - 1$ from one decode step each",
    valid=(answer > 1,),
)  # fmt: skip
Derivation(
    average_context, sympy.Sum(prompt + step, (step, 1, answer - 1)) / (answer - 1),
    "Decode step $i$ reads the cache of the prompt and of the $i$ tokens given so far.",
).rewrite(prompt + answer / 2, "The first $G - 1$ whole numbers add up to $G(G-1)/2$.")  # fmt: skip

answer_time = Formula(
    "answer-time", t_answer, t_prefill + (answer - 1) * t_step,
    says="The first token comes with the prompt; each further one costs a decode step.",
    holds="$t_\\mathrm{step}$ is the average over the steps; waiting in a queue is not in it",
)  # fmt: skip
Derivation(
    answer_time, t_prefill + sympy.Sum(t_step, (step, 1, answer - 1)), "The prompt gives token one; steps $1$ to $G-1$ give the others.",
).rewrite(t_prefill + (answer - 1) * t_step, "Every step at the average time.")  # fmt: skip

answer_bound = Formula(
    "answer-bound", t_answer,
    slowest(prefill_flops / (devices * peak), weight_read / (devices * beta_mem))
    + (answer - 1) * slowest(t_mem, t_comp),
    relation=">=",
    says="The bound of the prompt and one bound of a step for each further token.",
    holds="the context $S$ of the step is the average $\\bar{S}$; as for prompt and step otherwise",
)  # fmt: skip
Derivation(answer_bound, t_answer, "Start from the time of an answer.").using(answer_time).using(prefill_bound).using(
    overlap_bound,
    "Both times of a step are linear in the context, so their averages are their values at the average context; and "
    "the average of the larger is at least the larger of the averages.",
)

device_time = Formula(
    "answer-device-time", t_device, devices * (t_prefill + (answer - 1) * t_step / batch),
    says="A prompt holds all devices for itself; a step is shared by the requests of the batch.",
    holds="prompts and steps take turns on the same devices, which are never idle; every request gives $G$ tokens",
)  # fmt: skip
Derivation(
    device_time, devices * t_prefill + sympy.Sum(devices * t_step / batch, (step, 1, answer - 1)),
    "For each answer, $n$ devices work on its prompt, and then on $G - 1$ steps of which it has one part in $B$.",
).rewrite(devices * (t_prefill + (answer - 1) * t_step / batch), "All steps at the average time.")  # fmt: skip

requests_decoding = Formula(
    "requests-decoding", batch, arrivals * (answer - 1) * t_step,
    says="Little's law: what is in a system is what arrives in a second, times how long each stays.",
    holds="averages over a long time, in which nothing is lost; a request stays $G - 1$ steps in the decoding batch",
    cites=("little1961proof",),
    resolves=False,
)  # fmt: skip
Derivation(
    requests_decoding, arrivals * sympy.Sum(t_step, (step, 1, answer - 1)),
    "A request stays in the batch for $G - 1$ steps; $\\lambda$ of them arrive in a second.",
).rewrite(arrivals * (answer - 1) * t_step, "Every step at the average time.")  # fmt: skip
