"""Queues: how long requests wait for a busy server, and how large a decode batch becomes."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    added_load, answer, arrivals, backlog, batch_high, batch_limit, batch_mean, batch_variance, beyond, cv_arrive, cv_serve, goodput,
    group, idle_square, in_system, load, load_balance, longest, most_arrivals, p_fit, p_late, p_wait, peak_arrivals, pooling, servers,
    servers_wanted, service_rate, speedup, t_added, t_beyond, t_burst, t_demand, t_drain, t_fill, t_fixed, t_limit, t_prefill, t_serve,
    t_spare, t_system, t_token, t_wait, z_score,
)  # fmt: skip

index, inner = sympy.symbols("k j", integer=True, nonnegative=True)
place = sympy.Symbol("i", integer=True, positive=True)

little = Formula(
    "littles-law", in_system, arrivals * t_system,
    says="What is in a system is what arrives in a second, times how long each stays.",
    holds="averages over a long time, in which nothing is lost; any order, any distribution, any part of a system",
    cites=("little1961proof",),
)  # fmt: skip
Derivation(
    little, arrivals * t_system,
    "Let every request pay one for each second that it is there. In a second, those that are there pay $n_\\mathrm{sys}$; those that "
    "arrive in it will pay $t_\\mathrm{sys}$ each, and in the long run it is the same money.",
)  # fmt: skip

utilisation = Formula(
    "server-load", load, arrivals * t_serve / servers,
    says="The work that arrives in a second, over the servers that share it.",
    holds="all requests are served, and no server works for nothing; a result above one means that the queue grows for ever",
)  # fmt: skip
Derivation(
    utilisation, arrivals * t_serve / servers, "Little's law for the servers alone: $\\lambda t_\\mathrm{s}$ of them are busy on average.",
)  # fmt: skip

burst = Formula(
    "backlog", backlog, (peak_arrivals - service_rate) * t_burst,
    says="What arrives above the rate of service piles up.",
    holds="a fluid: both rates are steady, and the queue is empty when the burst begins",
    valid=(peak_arrivals >= service_rate,),
)  # fmt: skip
Derivation(burst, peak_arrivals * t_burst - service_rate * t_burst, "Arrived, less served.").rewrite(
    (peak_arrivals - service_rate) * t_burst, "Take the length of the burst out."
)

drain = Formula(
    "drain-time", t_drain, backlog / (service_rate - arrivals),
    says="A backlog drains with what service has to spare over the usual arrivals.",
    holds="a fluid; after the burst requests arrive at their usual rate",
    valid=(service_rate > arrivals,),
)  # fmt: skip
Derivation(drain, backlog / (service_rate - arrivals), "In each second $\\mu$ leave and $\\lambda$ come.")

single = Formula(
    "mg1-wait", t_wait, load * t_serve * (1 + cv_serve**2) / (2 * (1 - load)),
    says="The wait grows without end as the server gets busy, and with the spread of the service times.",
    holds="one server in order of arrival; Poisson arrivals; service times of any distribution, independent of each other",
    valid=(load < 1,),
)  # fmt: skip
Derivation(single, t_wait, "The mean wait is sought, of a request that finds the server as it is at a random moment.").when(
    sympy.Eq(t_wait, load * t_serve * (1 + cv_serve**2) / 2 + load * t_wait),
    load * t_serve * (1 + cv_serve**2) / (2 * (1 - load)),
    "It waits for the service at hand, and for those who wait. With probability $\\rho$ there is a service at hand; its length is that "
    "of one met at random, $t_\\mathrm{s}(1 + c_\\mathrm{s}^2)$, of which half is left. Those who wait are "
    "$\\lambda\\,t_\\mathrm{wait}$, by Little's law, and $\\lambda\\,t_\\mathrm{s} = \\rho$.",
)

shared = Formula(
    "shared-time", t_system, t_serve / (1 - load),
    says="With service times spread exponentially, a request stays as long as if it had the idle share of the server for itself.",
    holds="one server, Poisson arrivals: in order of arrival with exponential service times (M/M/1), or shared evenly by all who are "
    "there, with any service times (processor sharing)",
    valid=(load < 1,),
    cites=("bonald2002insensitivity",),
)  # fmt: skip
Derivation(shared, t_wait + t_serve, "A wait and a service.").using(single).when(
    (cv_serve, sympy.Integer(1)), t_serve / (1 - load), "Exponential service times have a coefficient of variation of one."
)

erlang = Formula(
    "wait-probability", p_wait,
    1 / (load + (1 - load) * sympy.Sum(sympy.Product((servers - inner) / (servers * load), (inner, 0, index - 1)), (index, 0, servers))),
    says="The share of requests that find all servers busy: Erlang's C formula.",
    holds="one queue for all servers, Poisson arrivals, exponential service times",
    valid=(load < 1,),
    cites=("vanleeuwaarden2019economies",),
)  # fmt: skip
Derivation(
    erlang,
    (1 / (1 - load))
    / (sympy.Sum(sympy.Product((servers - inner) / (servers * load), (inner, 0, index - 1)), (index, 0, servers)) + load / (1 - load)),
    "Let the probability of $n_\\mathrm{srv}$ requests be the unit. In the long run the queue goes up from $i - 1$ to $i$ as often as "
    "down: $\\lambda p_{i-1} = \\min(i, n_\\mathrm{srv})\\,p_i / t_\\mathrm{s}$. Going down from $n_\\mathrm{srv}$ by $k$ requests, the "
    "probabilities are the products; going up, they fall by $\\rho$ each time and add up to $\\rho/(1 - \\rho)$. All together is the "
    "whole; a request waits in the states from $n_\\mathrm{srv}$ on, $1/(1 - \\rho)$.",
).rewrite(
    1 / (load + (1 - load) * sympy.Sum(sympy.Product((servers - inner) / (servers * load), (inner, 0, index - 1)), (index, 0, servers))),
    "Multiply through by $1 - \\rho$.",
)

several = Formula(
    "mmc-wait", t_wait, p_wait * t_serve / (servers * (1 - load)),
    says="Those who find all servers busy wait, the others do not.",
    holds="as for the probability of waiting",
    resolves=False,
    valid=(load < 1,),
)  # fmt: skip
Derivation(
    several, p_wait * (t_serve / servers + load / (1 - load) * t_serve / servers),
    "While all servers are busy, one becomes free every $t_\\mathrm{s}/n_\\mathrm{srv}$. A request that waits needs that once for itself "
    "and once for each that waits before it, of whom there are $\\rho/(1 - \\rho)$ on average, since each further one is $\\rho$ times "
    "as likely.",
).rewrite(p_wait * t_serve / (servers * (1 - load)), "Add the two.")  # fmt: skip

late = Formula(
    "wait-tail", p_late, p_wait * sympy.exp(-servers * (1 - load) * t_limit / t_serve),
    says="Of those who wait, the share that waits longer than a limit falls exponentially with it.",
    holds="in order of arrival, and as for the probability of waiting",
    valid=(load < 1,),
)  # fmt: skip
Derivation(
    late, p_wait * sympy.exp(-t_limit / (t_serve / (servers * (1 - load)))),
    "Who waits passes through a number of exponential times of mean $t_\\mathrm{s}/n_\\mathrm{srv}$ that stops at each with probability "
    "$1 - \\rho$; such a sum is exponential again, with the mean $t_\\mathrm{s}/(n_\\mathrm{srv}(1 - \\rho))$.",
)  # fmt: skip

wait_percentile = Formula(
    "wait-percentile", t_beyond, t_serve * sympy.log(p_wait / beyond) / (servers * (1 - load)),
    says="The wait that only a given share of the requests exceeds.",
    holds="as for the tail; a share that is smaller than that of those who wait",
    resolves=False,
    valid=(load < 1, p_wait > beyond),
)  # fmt: skip
Derivation(wait_percentile, t_beyond, "The limit is sought that the share $\\epsilon$ exceeds.").when(
    sympy.Eq(t_beyond * servers * (1 - load), t_serve * sympy.log(p_wait / beyond)),
    t_serve * sympy.log(p_wait / beyond) / (servers * (1 - load)),
    "Logarithms of both sides of $p_\\mathrm{wait}\\,e^{-n_\\mathrm{srv}(1 - \\rho)\\,t_\\epsilon/t_\\mathrm{s}} = \\epsilon$.",
)

single_percentile = Formula(
    "mg1-wait-percentile", t_beyond, t_wait / load * sympy.log(load / beyond),
    relation="~",
    says="The wait that only a given share exceeds, if the waits of those who wait were exponential.",
    holds="one server, in order of arrival, Poisson arrivals; exact for exponential service times, too long for equal ones, "
    "too short where a few long services make the long waits",
    valid=(load < 1, load > beyond),
)  # fmt: skip
Derivation(
    single_percentile, t_beyond, "A share $\\rho$ waits; the mean over those is $t_\\mathrm{wait}/\\rho$.", relation="~",
).when(
    sympy.Eq(t_beyond * load, t_wait * sympy.log(load / beyond)), t_wait / load * sympy.log(load / beyond),
    "Logarithms of both sides of $\\rho\\,e^{-\\rho\\,t_\\epsilon/t_\\mathrm{wait}} = \\epsilon$.",
)  # fmt: skip

kingman = Formula(
    "kingman-bound", t_wait, (cv_arrive**2 / arrivals**2 + cv_serve**2 * t_serve**2) / (2 * (1 / arrivals - t_serve)),
    relation="<=",
    says="What bursts do to a queue, they do through the spread of the gaps between arrivals.",
    holds="one server in order of arrival; gaps drawn independently from one distribution, service times from another",
    valid=(arrivals * t_serve < 1,),
    cites=("kingman1962inequalities",),
)  # fmt: skip
Derivation(
    kingman, (cv_arrive**2 / arrivals**2 + cv_serve**2 * t_serve**2 + t_spare**2 - idle_square) / (2 * t_spare),
    "A request waits for what the one before it waited and was served, less the gap between the two; or, if the gap is longer, the "
    "server is idle for the rest of it. So wait less idle time is the last wait, plus a service, less a gap. Square both sides and "
    "average: wait and idle time are never both there, the squares of the waits cancel, and what is left can be solved for the mean "
    "wait. The variance of service less gap is the sum of theirs, and its mean is $-t_\\mathrm{sp}$.",
).at_most(
    (cv_arrive**2 / arrivals**2 + cv_serve**2 * t_serve**2) / (2 * t_spare),
    "The mean idle time per gap is $t_\\mathrm{sp}$, and a mean square is at least the squared mean.",
    given=(idle_square >= t_spare**2,),
).when(
    sympy.Eq(t_spare, 1 / arrivals - t_serve),
    (cv_arrive**2 / arrivals**2 + cv_serve**2 * t_serve**2) / (2 * (1 / arrivals - t_serve)),
    "The mean gap is $1/\\lambda$.",
)  # fmt: skip

served_in_time = Formula(
    "goodput", goodput, arrivals * (1 - p_late),
    says="Of those who come, those who are served in time.",
    holds="late requests are served too, and take as long",
    valid=(p_late < 1,),
    cites=("vllm2026serve",),
)  # fmt: skip
Derivation(served_in_time, arrivals * (1 - p_late), "Arrivals, less those who wait too long.")

balance = Formula(
    "wait-balance", load_balance, 2 / (3 + cv_serve**2),
    says="Beyond this utilisation a request waits longer than it is served.",
    holds="one server; as for the wait",
)  # fmt: skip
Derivation(balance, load_balance, "Sought is the utilisation at which wait and service are equal.").when(
    sympy.Eq(load_balance * (1 + cv_serve**2), 2 * (1 - load_balance)), 2 / (3 + cv_serve**2),
    "The wait over the service time is $\\rho(1 + c_\\mathrm{s}^2)/(2(1 - \\rho))$; set it to one.",
)  # fmt: skip

pooled = Formula(
    "pooling-gain", pooling, load * servers / p_wait,
    says="One queue for all servers shortens the wait by the number of servers, and again because fewer wait at all.",
    holds="exponential service times; separate queues that each get an equal, random part of the arrivals",
    valid=(load < 1,),
)  # fmt: skip
Derivation(
    pooled, t_wait / (p_wait * t_serve / (servers * (1 - load))), "The wait before one server of its own, over that before all of them.",
).using(single).when((cv_serve, sympy.Integer(1)), load * servers / p_wait, "Exponential service times; the rest cancels.")  # fmt: skip

fast = Formula(
    "fast-server-time", t_system, t_serve / (speedup - arrivals * t_serve),
    says="One server that works faster, with all the arrivals.",
    holds="as for the shared server",
    resolves=False,
    valid=(arrivals * t_serve < speedup,),
)  # fmt: skip
Derivation(
    fast, (t_serve / speedup) / (1 - arrivals * t_serve / speedup),
    "Service takes a part $1/s$ of the time, and so does the work that arrives.",
).rewrite(t_serve / (speedup - arrivals * t_serve), "Multiply through by $s$.")  # fmt: skip

split = Formula(
    "split-servers-time", t_system, t_serve / (1 - arrivals * t_serve / servers),
    says="Several servers, each with its part of the arrivals.",
    holds="as for the shared server; arrivals are dealt out at random",
    resolves=False,
    valid=(arrivals * t_serve < servers,),
)  # fmt: skip
Derivation(split, t_serve / (1 - load), "One server, with its part of the arrivals.").using(utilisation)

staffing = Formula(
    "square-root-staffing", servers_wanted, arrivals * t_serve + z_score * sympy.sqrt(arrivals * t_serve),
    relation="~",
    says="The work that arrives, and a reserve that grows only with its root.",
    holds="many servers, Poisson arrivals; with $z$ of two a few in a hundred wait, with one about a fifth, with zero most",
    cites=("halfin1981heavy",),
)  # fmt: skip
Derivation(
    staffing, arrivals * t_serve + z_score * sympy.sqrt(arrivals * t_serve),
    "With servers enough, those that are busy are Poisson distributed: mean and variance are both $\\lambda\\,t_\\mathrm{s}$. Provide "
    "the mean and $z$ standard deviations.",
    relation="~",
)  # fmt: skip

additions = Formula(
    "added-load", added_load, arrivals * (answer - 1) * t_added,
    says="In a second, so many requests come, for so many steps, and make each of them so much longer.",
    holds="a step takes $t_\\mathrm{fix} + B\\,t_\\mathrm{add}$",
)  # fmt: skip
Derivation(
    additions, arrivals * sympy.Sum(t_added, (place, 1, answer - 1)), "Each request makes $G - 1$ steps longer by $t_\\mathrm{add}$.",
).rewrite(arrivals * (answer - 1) * t_added, "All steps alike.")  # fmt: skip

mean_batch = Formula(
    "decode-batch", batch_mean, added_load * (1 + t_fixed / t_added) / (1 - added_load),
    says="The batch that a stream of requests makes for itself.",
    holds="Poisson arrivals, lengths of any distribution; each joins at once; a step takes $t_\\mathrm{fix} + B\\,t_\\mathrm{add}$ "
    "and is short beside an answer",
    valid=(added_load < 1,),
    cites=("bonald2002insensitivity",),
)  # fmt: skip
Derivation(
    mean_batch, batch_mean,
    "A batch of $n$ gives $n/(t_\\mathrm{fix} + n\\,t_\\mathrm{add})$ tokens in a second, and an answer needs $G - 1$ of them. In the "
    "long run the batch goes up from $n - 1$ to $n$ as often as down: $n\\,p_n = (\\rho_\\mathrm{add} t_\\mathrm{fix}/t_\\mathrm{add} + "
    "n \\rho_\\mathrm{add})\\,p_{n-1}$.",
).when(
    sympy.Eq(batch_mean, added_load * t_fixed / t_added + added_load * (batch_mean + 1)),
    added_load * (1 + t_fixed / t_added) / (1 - added_load),
    "Add up over all $n$: on the left stands the mean; on the right $n$ averages to the mean plus one, since it counts one more than "
    "$p_{n-1}$ does.",
)  # fmt: skip

variance_of_batch = Formula(
    "decode-batch-variance", batch_variance, added_load * (1 + t_fixed / t_added) / (1 - added_load) ** 2,
    says="The batch strays further from its mean the more of the time the additions take.",
    holds="as for the mean",
    valid=(added_load < 1,),
    cites=("bonald2002insensitivity",),
)  # fmt: skip
Derivation(
    variance_of_batch,
    (added_load * t_fixed / t_added * (batch_mean + 1) + added_load * (2 * batch_mean + 1)) / (1 - added_load) - batch_mean**2,
    "Multiply the balance by $n$ and add up: $\\overline{n^2} = \\rho_\\mathrm{add}(t_\\mathrm{fix}/t_\\mathrm{add})(\\bar{B} + 1) + "
    "\\rho_\\mathrm{add}(\\overline{n^2} + 2\\bar{B} + 1)$. Solve for $\\overline{n^2}$ and take $\\bar{B}^2$ away.",
).using(mean_batch).rewrite(added_load * (1 + t_fixed / t_added) / (1 - added_load) ** 2, "Collect.")  # fmt: skip

high_batch = Formula(
    "decode-batch-percentile", batch_high, batch_mean + z_score * sympy.sqrt(batch_variance),
    relation="~",
    says="A percentile of the batch, as if it were normally distributed.",
    holds="batches of ten and more, where a p99 comes out one to seven per cent too small; "
    "$z$ is the same percentile of a normal distribution, 2.326 for the p99",
)  # fmt: skip
Derivation(
    high_batch, batch_mean + z_score * sympy.sqrt(batch_variance), "The mean and $z$ standard deviations.", relation="~"
)  # fmt: skip

fitting = Formula(
    "batch-within", p_fit,
    (1 - added_load) ** (1 + t_fixed / t_added)
    * sympy.Sum(added_load**index * sympy.Product(1 + t_fixed / (t_added * inner), (inner, 1, index)), (index, 0, batch_limit)),
    says="The share of the time for which the batch is no larger than a limit.",
    holds="as for the mean, and the limit turns nobody away",
    valid=(added_load < 1,),
    cites=("bonald2002insensitivity",),
)  # fmt: skip
Derivation(
    fitting,
    (1 - added_load) ** (1 + t_fixed / t_added)
    * sympy.Sum(added_load**index * sympy.Product(1 + t_fixed / (t_added * inner), (inner, 1, index)), (index, 0, batch_limit)),
    "The balance gives $p_n$ from $p_{n-1}$ by the factor $\\rho_\\mathrm{add}(1 + t_\\mathrm{fix}/(n\\,t_\\mathrm{add}))$. The products "
    "over all $n$ are a binomial series, with the sum $(1 - \\rho_\\mathrm{add})^{-(1 + t_\\mathrm{fix}/t_\\mathrm{add})}$: a negative "
    "binomial distribution.",
)

loaded_gap = Formula(
    "loaded-token-time", t_token, (t_fixed + t_added) / (1 - added_load),
    says="The step of a request alone, stretched by the share of the time that all additions leave.",
    holds="as for the batch; averaged over tokens",
    resolves=False,
    valid=(added_load < 1,),
)  # fmt: skip
Derivation(
    loaded_gap, batch_mean / (arrivals * (answer - 1)), "Little's law for the batch: a token takes the batch over the tokens of a second.",
).using(mean_batch).when(
    sympy.Eq(added_load, arrivals * (answer - 1) * t_added), (t_fixed + t_added) / (1 - added_load), "Put in the added load."
)  # fmt: skip

mixed_gap = Formula(
    "shared-token-time", t_token, (t_fixed + t_added) / (1 - arrivals * t_prefill - arrivals * (answer - 1) * t_added),
    relation="~",
    says="The same on devices that also process the prompts: they take their share of the time first.",
    holds="as for the batch; prompts go before steps, and their time is taken as spread evenly, which makes it up to a seventh too short",
    valid=(arrivals * t_prefill + arrivals * (answer - 1) * t_added < 1,),
)  # fmt: skip
Derivation(
    mixed_gap,
    ((t_fixed + t_added) / (1 - arrivals * t_prefill)) / (1 - arrivals * (answer - 1) * t_added / (1 - arrivals * t_prefill)),
    "Prompts leave the share $1 - \\lambda\\,t_\\mathrm{pre}$ of the time, so both parts of a step take so much longer.",
    relation="~",
).rewrite(
    (t_fixed + t_added) / (1 - arrivals * t_prefill - arrivals * (answer - 1) * t_added), "Multiply through by that share."
)  # fmt: skip

stable = Formula(
    "most-arrivals", most_arrivals, 1 / (t_prefill + (answer - 1) * t_added),
    relation="<=",
    says="Each request takes its prompt, and what it adds to the steps; the weights are read for all.",
    holds="prompts and steps take turns on the same devices; unlimited memory; nothing is said of waiting",
)  # fmt: skip
Derivation(stable, most_arrivals, "Sought is the rate up to which the work of a second fits into a second.").at_most(
    1 / t_demand, "The requests of a second occupy the devices for $\\lambda\\,t_\\mathrm{dem}$.", given=(most_arrivals * t_demand <= 1,),
).when(
    sympy.Eq(t_demand, t_prefill + (answer - 1) * t_added), 1 / (t_prefill + (answer - 1) * t_added),
    "A request occupies them with its prompt, and with what it adds to its $G - 1$ steps. The weights are read for the whole batch, and "
    "for a batch without bound their part in each request goes to nothing.",
)  # fmt: skip

collecting = Formula(
    "group-fill-time", t_fill, (group - 1) / (2 * arrivals),
    says="The first waits for all the others, the last for nobody.",
    holds="a group starts when it is full",
)  # fmt: skip
Derivation(
    collecting, sympy.Sum((group - place) / arrivals, (place, 1, group)) / group,
    "Number $i$ of the group waits for $B_\\mathrm{grp} - i$ further arrivals, each $1/\\lambda$ after the last one.",
).rewrite((group - 1) / (2 * arrivals), "Sum the arithmetic series.")  # fmt: skip

longest_answer = Formula(
    "longest-of-group", longest, sympy.Sum(1 / place, (place, 1, group)),
    relation="~",
    says="A group is done when its longest answer is.",
    holds="lengths spread exponentially, as a provider found them; independent of each other",
    cites=("xiang2025servegen",),
)  # fmt: skip
Derivation(
    longest_answer, sympy.Sum(1 / place, (place, 1, group)),
    "While $i$ answers of the group are not done, the next one ends after $1/i$ of a mean length: that many exponential lengths run side "
    "by side, and what is left of each is as long as a new one.",
    relation="~",
)  # fmt: skip
