"""The time of a decode step and of a prompt: two clocks, and the bound that follows from them."""

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.formulas.work import step_bytes_read
from aiinfra.symbols import (
    batch, beta_mem, devices, kv_bytes, overlap_gain, peak, prefill_flops, rate, step_bytes, step_flops, t_comp, t_mem,
    t_prefill, t_step, weight_read,
)  # fmt: skip

memory_time = Formula(
    "memory-time", t_mem, step_bytes / (devices * beta_mem),
    says="The devices read their shares of the step's bytes side by side, each at its full memory bandwidth.",
    holds="rated bandwidth; even split over the devices, any other takes longer",
)  # fmt: skip
Derivation(memory_time, step_bytes / (devices * beta_mem), "Each of $n$ devices reads one share of the bytes at its bandwidth.")

compute_time = Formula(
    "compute-time", t_comp, step_flops / (devices * peak),
    says="The devices do their shares of the step's operations side by side, each at its dense peak.",
    holds="rated dense peak of the format computed in; even split over the devices, any other takes longer",
)  # fmt: skip
Derivation(compute_time, step_flops / (devices * peak), "Each of $n$ devices does one share of the operations at its peak rate.")

overlap_bound = Formula(
    "overlap-bound", t_step, slowest(t_mem, t_comp),
    relation=">=",
    says="Reading and computing can at best run at the same time; the slower of the two sets the pace.",
    holds="rated bandwidth and peak",
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(overlap_bound, t_step, "The step is over when both the reading and the arithmetic are.").at_least(
    slowest(t_mem, t_comp),
    "In the time of the step no more bytes pass than bandwidth allows, and no more operations than the peak rate: "
    "both times are at most $t_\\mathrm{step}$.",
    given=(t_mem <= t_step, t_comp <= t_step),
)

gain = Formula(
    "overlap-gain", overlap_gain, (t_mem + t_comp) / slowest(t_mem, t_comp),
    says="How much a schedule that does one after the other loses against one that does both at once.",
    holds="two activities, both needed in full",
)  # fmt: skip
Derivation(gain, (t_mem + t_comp) / slowest(t_mem, t_comp), "One after the other takes the sum, both at once the larger one.")

gain_limit = Formula(
    "overlap-gain-limit", overlap_gain, 2,
    relation="<=",
    says="Overlapping two activities never gains more than a factor of two.",
    holds="two activities; with more, their number takes the place of two",
)  # fmt: skip
Derivation(gain_limit, overlap_gain, "Start from the gain.").using(gain).at_most(
    2, "Neither time exceeds the larger one, so their sum is at most twice it."
)

decode_step_bound = Formula(
    "decode-step-bound", t_step, slowest((weight_read + kv_bytes) / (devices * beta_mem), step_flops / (devices * peak)),
    relation=">=",
    says="A decode step takes at least as long as reading weights and cache, and at least as long as the arithmetic.",
    holds="dense model, one token per request, nothing kept on chip from step to step, rated bandwidth and peak; "
    "links and waiting are left out, which can only add time",
    cites=("pope2022scaling",),
)  # fmt: skip
Derivation(
    decode_step_bound, t_step, "What is sought is the time of one step.",
).using(overlap_bound).using(memory_time).using(step_bytes_read).using(compute_time)  # fmt: skip

decode_rate = Formula(
    "decode-rate", rate, batch / t_step,
    says="Each step gives one token to every request in the batch.",
    holds="one token per request and step (no speculation)",
)  # fmt: skip
Derivation(decode_rate, batch / t_step, "A step ends with one new token for each of $B$ requests.")

decode_rate_bound = Formula(
    "decode-rate-bound", rate, batch / slowest((weight_read + kv_bytes) / (devices * beta_mem), step_flops / (devices * peak)),
    relation="<=",
    says="The rate is at most one token per request in the shortest possible step.",
    holds="as for the step; one token per request and step",
)  # fmt: skip
Derivation(decode_rate_bound, rate, "What is sought is the rate of all requests together.").using(decode_rate).using(decode_step_bound)

prefill_bound = Formula(
    "prefill-bound", t_prefill, slowest(prefill_flops / (devices * peak), weight_read / (devices * beta_mem)),
    relation=">=",
    says="A prompt takes at least its arithmetic at peak rate, and at least one read of the weights.",
    holds="one prompt, dense model, rated bandwidth and peak; "
    "links and waiting are left out, which can only add time",
    cites=("pope2022scaling",),
)  # fmt: skip
Derivation(prefill_bound, t_prefill, "What is sought is the time until the first token.").at_least(
    slowest(prefill_flops / (devices * peak), weight_read / (devices * beta_mem)),
    "The same two clocks as in a decode step, for the work of a prompt.",
    given=(prefill_flops <= devices * peak * t_prefill, weight_read <= devices * beta_mem * t_prefill),
)
