"""One instance that serves requests: memory, the bound and the forecast of a pass, and what it finishes in a second.

Bytes and operations are those of one device; with tensor parallelism every device has a share of its own.
"""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    all_reduce_bytes, alpha_ar, answer, b_act, batch, batch_average, batch_cross, batch_max, batch_shared, beta_link, beta_mem, d_model,
    device_bytes, done_rate, eta_comp, eta_link, eta_mem, headroom, kv_bytes, least_state, mean_state, memory_share, message, n_pass,
    n_reduce, own_state, peak, prefill_flops, rate, request_state, reserve, shared_state, step_flops, t_comp, t_host, t_link, t_mem,
    t_pass, t_prefill, t_share, t_step, t_token, t_wire, token_flops, token_state, tokens, usable, weight_bytes, weight_read, workspace,
)  # fmt: skip

free = memory_share * usable - reserve - workspace - weight_bytes
requests_that_fit = Formula(
    "requests-that-fit", batch_max, sympy.floor(sympy.Max(0, free) / request_state),
    relation="<=",
    says="What weights, workspace and runtime leave of the memory that the engine takes, divided by the state of one request; none where "
    "they leave nothing.",
    holds="bytes of one device; every request is at its full length, and shares nothing with others; nothing is kept in host memory",
    valid=(memory_share <= 1, request_state > 0),
    cites=("kwon2023vllm",),
)  # fmt: skip
Derivation(
    requests_that_fit, batch_max, "The batch may grow until the memory is full.",
).at_most(
    sympy.Max(0, free) / request_state,
    "Solve $B_\\mathrm{max} K_\\mathrm{req} + W + M_\\mathrm{ws} + M_0 \\le \\eta_\\mathrm{cap} C_\\mathrm{u}$ for the number of requests.",
    given=(batch_max * request_state + weight_bytes + workspace + reserve <= memory_share * usable,),
).whole("A number of requests is whole, so it is at most the next whole number below.")  # fmt: skip

requests_that_share = Formula(
    "requests-that-share", batch_shared, sympy.floor(sympy.Max(0, 1 + (free - request_state) / own_state)),
    relation="<=",
    says="One request is held whole; each further one adds at least what it does not share.",
    holds="bytes of one device; every request is at its full length, behind one prefix that all share; nothing is kept in host memory",
    valid=(memory_share <= 1, own_state > 0),
    cites=("kwon2023vllm",),
)  # fmt: skip
Derivation(
    requests_that_share, batch_shared, "The batch may grow until the memory is full.",
).at_most(
    sympy.Max(0, 1 + (free - request_state) / own_state),
    "Solve $K_\\mathrm{req} + (B_\\mathrm{sh} - 1) K_\\mathrm{own} + W + M_\\mathrm{ws} + M_0 \\le \\eta_\\mathrm{cap} "
    "C_\\mathrm{u}$ for the "
    "number of requests.",
    given=(request_state + (batch_shared - 1) * own_state + weight_bytes + workspace + reserve <= memory_share * usable,),
).whole("A number of requests is whole, so it is at most the next whole number below.")  # fmt: skip

requests_on_average = Formula(
    "requests-on-average", batch_average, sympy.floor(sympy.Max(0, free) / mean_state),
    relation="~",
    says="The same room, divided by what a request holds on average while its answer grows.",
    holds="bytes of one device; the requests are at steps of all kinds at the same time, and pages are given out as they are needed; what "
    "is begun in a page is not counted; nothing is shared, nothing kept in host memory",
    valid=(memory_share <= 1, mean_state > 0),
    cites=("kwon2023vllm",),
)  # fmt: skip
Derivation(
    requests_on_average, sympy.floor(sympy.Max(0, free) / mean_state),
    "Model: at any moment the requests hold their mean, and whole requests only.", relation="~",
)  # fmt: skip

instance_memory = Formula(
    "instance-memory", device_bytes, weight_bytes + batch * request_state + workspace + reserve,
    says="Weights, the state of all requests, the vectors of the largest pass, and what the runtime keeps.",
    holds="bytes of one device, its own share of weights and state; every request is at its full length",
    resolves=False,
)  # fmt: skip
Derivation(instance_memory, weight_bytes + batch * request_state + workspace + reserve, "What lies in memory at the same time.")

memory_left = Formula(
    "headroom", headroom, memory_share * usable - device_bytes,
    says="What the engine may take, less what it needs; negative where it does not fit.",
    holds="bytes of one device",
    valid=(memory_share <= 1,),
)  # fmt: skip
Derivation(memory_left, memory_share * usable - device_bytes, "The budget less the need.")

reduce_least = Formula(
    "reduce-least-time", t_wire, n_reduce * message / beta_link,
    relation=">=",
    says="However it is done, each device must receive a vector that it could not compute alone.",
    holds="two devices or more; link bandwidth in one direction; reduction in the switch included",
)  # fmt: skip
Derivation(
    reduce_least, t_wire, "The links are busy at least as long as one device needs to receive what it lacks.",
).at_least(
    n_reduce * message / beta_link,
    "The result of an all-reduce depends on what the others hold, so that as many bytes as it has must come in.",
    given=(n_reduce * message <= beta_link * t_wire,),
)  # fmt: skip

reduce_time = Formula(
    "reduce-time", t_link, n_reduce * (n_pass * alpha_ar + all_reduce_bytes / (eta_link * beta_link)),
    relation="~",
    says="Every all-reduce has its fixed time, in each pass of a prompt again, and moves its bytes at the bandwidth that the "
    "collective reaches.",
    holds="ring; the bytes are those of all passes together; the all-reduces follow each other, because each layer waits for the "
    "one before",
    valid=(eta_link <= 1,),
    resolves=False,
)  # fmt: skip
Derivation(
    reduce_time, n_reduce * (n_pass * alpha_ar + all_reduce_bytes / (eta_link * beta_link)),
    "Model: the same time for each of every pass, all bytes at a share $\\eta_\\mathrm{link}$ of the rated bandwidth.", relation="~",
)  # fmt: skip

pass_bound = Formula(
    "pass-bound", t_pass, slowest(t_mem, t_comp, t_wire),
    relation=">=",
    says="Reading, computing and exchanging can at best all run at the same time; the slowest of the three sets the pace.",
    holds="rated bandwidths and dense peak; one token for a request and step; nothing stays on the chip from one pass to the next; waiting "
    "and launches are left out, which can only add time",
    cites=("williams2009roofline", "pope2022scaling"),
)  # fmt: skip
Derivation(
    pass_bound, t_pass, "A pass is over when reading, arithmetic and exchange are.",
).at_least(
    slowest(t_mem, t_comp, t_wire),
    "In the time of the pass no more bytes, operations and vectors get through than the rates allow: all three times are at most "
    "$t_\\mathrm{pass}$.",
    given=(t_mem <= t_pass, t_comp <= t_pass, t_wire <= t_pass),
)  # fmt: skip

pass_forecast = Formula(
    "pass-forecast", t_pass, slowest(t_mem / eta_mem, t_comp / eta_comp) + t_link + n_pass * t_host,
    relation="~",
    says="The slower of reading and computing at the rates that kernels reach, then the exchange, then the host, once for each pass "
    "that a prompt takes.",
    holds="one token for a request and step; exchange and host are not hidden behind reading or arithmetic; both rates are reached "
    "by all kernels alike",
    valid=(eta_mem <= 1, eta_comp <= 1),
)  # fmt: skip
Derivation(
    pass_forecast, slowest(t_mem / eta_mem, t_comp / eta_comp) + t_link + n_pass * t_host,
    "Model: the two clocks run slower by the shares that are reached, and what nothing hides is added.", relation="~",
)  # fmt: skip

instance_rate = Formula(
    "instance-rate", done_rate, batch / (batch * t_prefill + (answer - 1) * t_step),
    relation="~",
    says="While $B$ requests get their answers, as many new prompts take their turns on the same devices.",
    holds="the batch is always full; a prompt stops the steps, whole or in pieces; $t_\\mathrm{step}$ is the mean over the answer",
)  # fmt: skip
Derivation(
    instance_rate, batch / ((answer - 1) * t_step + batch * t_prefill),
    "Model: in the time in which $B$ requests make their $G - 1$ steps together, $B$ others finish and $B$ prompts come in.", relation="~",
)  # fmt: skip

share = slowest((prefill_flops + (answer - 1) * token_flops) / peak, (answer - 1) * (weight_read / batch + token_state) / beta_mem)
share_bound = Formula(
    "request-share-bound", t_share, share,
    relation=">=",
    says="However prompts and steps are mixed, all operations of a request must be done, and its share of the steps' bytes read.",
    holds="one token for a request and step; bytes and operations of one device; at most $B$ requests in a step; the prompt's "
    "reading is left out, which could only add time",
    valid=(answer > 1,),
)  # fmt: skip
Derivation(share_bound, t_share, "In this time arithmetic and reading for one request get done, whatever else they overlap with.").at_least(
    share,
    "The operations of prompt and answer take their time at the peak; $G - 1$ steps read its state and, with at most $B$ requests in "
    "each, at least $1/B$ of the weights.",
    given=(
        (prefill_flops + (answer - 1) * token_flops) / peak <= t_share,
        (answer - 1) * (weight_read / batch + token_state) / beta_mem <= t_share,
    ),
)  # fmt: skip

rate_of_shares = Formula(
    "rate-of-shares", done_rate, 1 / t_share,
    says="An instance that gives every request so much of its time finishes one in each such time.",
    holds="averages over a long time",
    resolves=False,
)  # fmt: skip
Derivation(rate_of_shares, 1 / t_share, "The time is shared out among the requests that finish in it.")

rate_bound = Formula(
    "instance-rate-bound", done_rate, 1 / share,
    relation="<=",
    says="No schedule finishes more requests in a second.",
    holds="one token for a request and step, and what else the share of one request assumes",
    valid=(answer > 1,),
)  # fmt: skip
Derivation(rate_bound, done_rate, "What is sought is the rate of finished requests.").using(rate_of_shares).using(share_bound)

token_time_in_service = Formula(
    "token-time-in-service", t_token, t_step + batch * t_prefill / (answer - 1),
    relation="~",
    says="A user waits for the step and for a share of the prompts that come between.",
    holds="as for the rate of an instance; prefill on the same devices, in the gaps of decoding",
    valid=(answer > 1,),
)  # fmt: skip
Derivation(
    token_time_in_service, batch / ((answer - 1) * done_rate),
    "By Little's law, $B$ requests that finish at this rate stay $B$ over the rate.", relation="~",
).using(instance_rate).rewrite(t_step + batch * t_prefill / (answer - 1), "Divide.")  # fmt: skip

batch_crossing = Formula(
    "step-balance-batch", batch_cross, weight_read * peak / (beta_mem * token_flops - peak * token_state),
    says="The batch at which a decode step turns from reading to arithmetic.",
    holds="rated bandwidth and dense peak; weights read do not grow with the batch, which experts' do until all are touched",
    valid=(beta_mem * token_flops > peak * token_state,),
)  # fmt: skip
Derivation(
    batch_crossing, batch_cross, "At the crossing, reading weights and state takes as long as the arithmetic.",
).when(
    sympy.Eq((weight_read + batch_cross * token_state) / beta_mem, batch_cross * token_flops / peak),
    weight_read * peak / (beta_mem * token_flops - peak * token_state),
    "Solve for the batch. Where a request's state takes longer to read than its operations take, no batch is large enough.",
)  # fmt: skip

shared = slowest(token_state / batch, token_state - (1 - 1 / batch) * shared_state)
shared_read = Formula(
    "shared-state-read", least_state, shared,
    relation=">=",
    says="What requests have in common is read at least once, what each has for itself is read for each.",
    holds="a decode step, the mean for one of $B$ requests; no more than $K_\\mathrm{sh}$ of what each reads is common to all; a state of "
    "fixed size is each request's own",
)  # fmt: skip
Derivation(shared_read, least_state, "An engine that holds a common prefix once may read it once for the whole batch.").at_least(
    shared,
    "The batch reads at least what one of its requests needs, and at least $B (K_\\mathrm{r} - K_\\mathrm{sh}) + K_\\mathrm{sh}$; "
    "divide by $B$.",
    given=(token_state / batch <= least_state, token_state - (1 - 1 / batch) * shared_state <= least_state),
)  # fmt: skip

state_of_batch = Formula(
    "batch-state-read", kv_bytes, batch * token_state,
    says="What one request reads, times the requests.",
    holds="a decode step; requests of one length, or their mean; each reads so much for itself",
    resolves=False,
)  # fmt: skip
Derivation(state_of_batch, batch * token_state, "All $B$ requests read theirs.")

flops_of_batch = Formula(
    "batch-flops", step_flops, batch * token_flops,
    says="Operations are proportional to the requests, weights or no weights.",
    holds="a decode step; requests of one length, or their mean",
    resolves=False,
)  # fmt: skip
Derivation(flops_of_batch, batch * token_flops, "All $B$ requests need theirs.")

vector_of_pass = Formula(
    "reduced-vector", message, tokens * d_model * b_act,
    says="What an all-reduce adds up is the residual stream of all tokens of the pass.",
    holds="tensor parallelism",
    resolves=False,
)  # fmt: skip
Derivation(vector_of_pass, tokens * d_model * b_act, "One row of width $d$ for each token.")

served_tokens = Formula(
    "served-token-rate", rate, done_rate * answer,
    says="Every request that is finished has given all the tokens of its answer.",
    holds="averages over a long time; answer tokens only",
    resolves=False,
)  # fmt: skip
Derivation(served_tokens, done_rate * answer, "Requests of a second, times the tokens of each.")
