"""Latency: what is measured of a request, what percentiles say, how lengths and arrivals are spread."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    all_within, answer, arrivals, beyond, calm, context, correlation, cv, cv_answer, cv_prompt, cv_rate, dispersion, mean_size, mean_time,
    met_size, n_part, percentile_ratio, prompt, sigma_log, t_beyond, t_first, t_net, t_norm, t_prefill, t_request, t_step, t_token,
    t_wait, t_window, tail_index, top_share, top_tokens, z_score,
)  # fmt: skip

token_index = sympy.Symbol("i", integer=True, positive=True)

first_token = Formula(
    "time-to-first-token", t_first, t_net + t_wait + t_prefill,
    says="The first token comes after the way there and back, a wait, and the prompt.",
    holds="measured where the request is sent; tokens are passed on as they are made",
)  # fmt: skip
Derivation(first_token, t_net + t_wait + t_prefill, "The three follow one another, and each of them happens to every request.")

request_time = Formula(
    "request-time", t_request, t_first + (answer - 1) * t_token,
    says="An answer of $G$ tokens has one first token and $G - 1$ gaps.",
    holds="$t_\\mathrm{tok}$ is the mean gap of this answer",
)  # fmt: skip
Derivation(
    request_time, t_first + sympy.Sum(t_token, (token_index, 1, answer - 1)), "The first token, then one gap before each further token.",
).rewrite(t_first + (answer - 1) * t_token, "All gaps at their mean.")  # fmt: skip

time_per_token = Formula(
    "time-per-output-token", t_token, (t_request - t_first) / (answer - 1),
    says="What is left of the request after its first token, over the tokens that came in it.",
    holds="two tokens or more, one request",
    valid=(answer > 1, t_request > t_first),
)  # fmt: skip
Derivation(time_per_token, t_token, "The request's time is given, the gap is sought.").when(
    sympy.Eq(t_request, t_first + (answer - 1) * t_token),
    (t_request - t_first) / (answer - 1),
    "Solve the time of a request for the gap.",
)

normalised = Formula(
    "normalised-latency", t_norm, t_token + (t_first - t_token) / answer,
    says="The gap between tokens, and a part of the wait for the first one that grows as the answer gets shorter.",
    holds="one request",
    cites=("ray2024llmperf",),
)  # fmt: skip
Derivation(normalised, t_request / answer, "By definition: all the time of a request over all its tokens.").using(request_time).rewrite(
    t_token + (t_first - t_token) / answer, "One token costs the first wait, each of the others one gap."
)

calm_gaps = Formula(
    "calm-gaps", calm, sympy.exp(-arrivals * t_step),
    says="A gap between two tokens stays short if nobody arrives during the step before it.",
    holds="requests arrive at random (Poisson), a prompt is processed whole and before the next step, $t_\\mathrm{step}$ is fixed",
)  # fmt: skip
Derivation(
    calm_gaps, sympy.exp(-arrivals * t_step),
    "A prompt stands in a gap if one or more requests came during the step; those that come during that prompt are in the same gap. Of a "
    "Poisson stream, $\\lambda t$ arrivals are expected in a time $t$, and none with probability $e^{-\\lambda t}$.",
)  # fmt: skip

percentile_bound = Formula(
    "percentile-from-mean", t_beyond, mean_time / beyond,
    relation="<=",
    says="Knowing only the mean, this is all that can be said of a percentile.",
    holds="any distribution of times (Markov's inequality); there is one that reaches it",
)  # fmt: skip
Derivation(percentile_bound, t_beyond, "A percentile is sought, and only the mean is known.").at_most(
    mean_time / beyond,
    "The share $\\epsilon$ takes at least $t_\\epsilon$ and the others at least nothing, so the mean is at least "
    "$\\epsilon\\,t_\\epsilon$.",
    given=(beyond * t_beyond <= mean_time,),
)

all_parts = Formula(
    "all-within", all_within, (1 - beyond) ** n_part,
    says="A task is in time only if all its parts are.",
    holds="the parts are late independently of each other, and each is held against its own percentile",
    cites=("dean2013tail",),
    valid=(beyond <= 1,),
)  # fmt: skip
Derivation(
    all_parts, sympy.Product(1 - beyond, (token_index, 1, n_part)), "Each part is within its percentile with probability $1 - \\epsilon$.",
).rewrite((1 - beyond) ** n_part, "All parts are alike.")  # fmt: skip

lognormal_sigma = Formula(
    "lognormal-spread", sigma_log, sympy.sqrt(sympy.log(1 + cv**2)),
    relation="~",
    resolves=True,
    says="How widely the logarithm must be spread for a given spread of the sizes.",
    holds="the logarithm of the size is normally distributed",
)  # fmt: skip
Derivation(
    lognormal_sigma, sympy.sqrt(sympy.log(1 + cv**2)),
    "Of a lognormal size with the median $e^m$, $\\overline{x^k} = e^{k m + k^2 \\sigma^2/2}$. Variance over squared mean is then "
    "$c_\\mathrm{v}^2 = \\overline{x^2}/\\bar{x}^2 - 1 = e^{\\sigma^2} - 1$; solve for the spread.",
    relation="~",
)  # fmt: skip

lognormal_percentile = Formula(
    "lognormal-percentile", percentile_ratio, sympy.exp(z_score * sigma_log - sigma_log**2 / 2),
    relation="~",
    says="A percentile of the sizes over their mean.",
    holds="lognormal sizes; $z$ is the same percentile of a normal distribution, 2.326 for the p99",
)  # fmt: skip
Derivation(
    lognormal_percentile, sympy.exp(z_score * sigma_log) / sympy.exp(sigma_log**2 / 2),
    "The percentile is $e^{m + z\\sigma}$ and the mean $e^{m + \\sigma^2/2}$; the median cancels.", relation="~",
)  # fmt: skip

pareto_top = Formula(
    "pareto-top-share", top_tokens, top_share ** (1 - 1 / tail_index),
    relation="~",
    says="The nearer the power is to one, the more the few largest requests hold.",
    holds="sizes with a Pareto tail, $\\Pr(X > x) \\propto x^{-\\kappa}$, from the smallest on",
    valid=(tail_index > 1, top_share <= 1),
)  # fmt: skip
Derivation(
    pareto_top,
    top_share * top_share ** (-1 / tail_index),
    "The share $f_\\mathrm{top}$ of the sizes lies above $f_\\mathrm{top}^{-1/\\kappa}$ times the smallest, and for a Pareto tail the "
    "mean of what lies above any $x$ is $\\kappa x/(\\kappa - 1)$: so much larger than the mean of all are these.",
    relation="~",
)

met = Formula(
    "length-bias", met_size, mean_size * (1 + cv**2),
    says="Large ones hold more of the tokens, and of the time, so what is met at random is larger than the mean.",
    holds="what is met is drawn in proportion to size",
)  # fmt: skip
Derivation(
    met, (mean_size**2 + (cv * mean_size) ** 2) / mean_size,
    "Drawn in proportion to size, a size $x$ counts $x/\\bar{x}$ times: the mean is $\\overline{x^2}/\\bar{x}$, and $\\overline{x^2}$ is "
    "the squared mean and the variance.",
).rewrite(mean_size * (1 + cv**2), "Take the mean out.")  # fmt: skip

batch_context = Formula(
    "context-in-batch", context, prompt * (1 + correlation * cv_prompt * cv_answer) + answer * (1 + cv_answer**2) / 2,
    relation="~",
    says="In a batch one meets requests with long answers more often, half-way through them, with the prompts that go with them.",
    holds="each token of an answer takes equally long; terms of one token are left out",
    resolves=False,
    valid=(correlation >= -1, correlation <= 1),
)  # fmt: skip
Derivation(
    batch_context,
    (prompt * answer + correlation * cv_prompt * prompt * cv_answer * answer) / answer
    + (answer**2 + (cv_answer * answer) ** 2) / (2 * answer),
    "A request is in the batch for its $G$ tokens. Weighted by them, the prompt has the mean $\\overline{S_\\mathrm{p} G}/\\bar{G}$, and "
    "of the answer half is there, $\\overline{G^2}/(2\\bar{G})$; $S_\\mathrm{p}$ and $G$ stand for the means.",
    relation="~",
).rewrite(
    prompt * (1 + correlation * cv_prompt * cv_answer) + answer * (1 + cv_answer**2) / 2, "Take the means out."
)  # fmt: skip

count_dispersion = Formula(
    "count-dispersion", dispersion, 1 + arrivals * t_window * cv_rate**2,
    relation="~",
    says="Chance alone gives one; a rate that wanders adds the more the longer one counts.",
    holds="within a window the arrivals are Poisson, and its rate is drawn with a coefficient of variation $c_\\lambda$",
)  # fmt: skip
Derivation(
    count_dispersion, (arrivals * t_window + (cv_rate * arrivals * t_window) ** 2) / (arrivals * t_window),
    "The variance of the count is the mean variance within windows, which for Poisson arrivals is the mean, and the variance of the "
    "windows' own means.",
    relation="~",
).rewrite(1 + arrivals * t_window * cv_rate**2, "Over the mean count.")  # fmt: skip
