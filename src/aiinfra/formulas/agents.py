"""Agents and conversations: prefixes that grow, sessions that pause, attempts that fail, calls that wait for each other."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    answer, at_once, attempt_cost, attempts, branches, check_cost, hit, input_tokens, observed, price_cached, price_in, price_out,
    processed_tokens, prompt, request_state, saturation, session_rate, sessions, solved, state_room, step_cost, step_success, success,
    success_cost, t_agent, t_alone, t_answer, t_branch, t_demand, t_keep, t_last, t_path, t_prefill,
    t_request, t_round, t_spread, t_task, t_tool,
    t_work, tried, turns, unseen_tokens,
)  # fmt: skip

turn = sympy.Symbol("i", integer=True, positive=True)

agent_input = Formula(
    "agent-input-tokens", input_tokens, turns * prompt + turns * (turns - 1) * (answer + observed) / 2,
    says="Every turn sends all that came before it again, so the sum grows with the square of the number of turns.",
    holds="every turn adds its answer and one result of $S_\\mathrm{obs}$ tokens, or the averages of both; nothing is cut from the context",
)  # fmt: skip
Derivation(
    agent_input, sympy.Sum(prompt + (turn - 1) * (answer + observed), (turn, 1, turns)),
    "The prompt of turn $i$ holds the first prompt and what $i - 1$ turns added.",
).rewrite(turns * prompt + turns * (turns - 1) * (answer + observed) / 2, "Sum the arithmetic series.")  # fmt: skip

agent_unseen = Formula(
    "agent-unseen-tokens", unseen_tokens, prompt + (turns - 1) * (observed + 1),
    says="With every prefix kept, a turn processes what is new: the tool's result, and the last token of the answer before.",
    holds="the cache keeps what prompts and answers put into it, to the token, so one of whole pages processes up to a page more "
    "in each turn; the last token of an answer was given but never processed",
)  # fmt: skip
Derivation(
    agent_unseen, prompt + sympy.Sum(observed + 1, (turn, 2, turns)),
    "The first turn processes its prompt; of each later one, all but the last result and one token was processed before.",
).rewrite(prompt + (turns - 1) * (observed + 1), "All later turns alike.")  # fmt: skip

agent_processed = Formula(
    "agent-processed-tokens", processed_tokens, hit * unseen_tokens + (1 - hit) * input_tokens,
    relation="~",
    resolves=True,
    says="A turn that finds its prefix processes what is new; a turn that misses it processes its whole prompt.",
    holds="a miss finds nothing at all, and is as likely in every turn after the first",
    valid=(hit <= 1,),
)  # fmt: skip
Derivation(
    agent_processed, unseen_tokens + (1 - hit) * (input_tokens - unseen_tokens),
    "New tokens are always processed, those seen before in the share $1 - h$ of the turns.", relation="~",
).rewrite(hit * unseen_tokens + (1 - hit) * input_tokens, "Collect by hits and misses; the first turn counts alike in both.")  # fmt: skip

cost_of_attempt = Formula(
    "attempt-cost", attempt_cost,
    price_in * processed_tokens + price_cached * (input_tokens - processed_tokens) + price_out * turns * answer,
    relation="~",
    says="Prompt tokens are paid for by whether they were in the cache, answers by the token.",
    holds="one price for each kind of token whatever the length; writing to the cache costs nothing extra",
)  # fmt: skip
Derivation(
    cost_of_attempt,
    price_in * processed_tokens + price_cached * (input_tokens - processed_tokens) + sympy.Sum(price_out * answer, (turn, 1, turns)),
    "Each token of a prompt is processed or found; each turn gives one answer.", relation="~",
).rewrite(
    price_in * processed_tokens + price_cached * (input_tokens - processed_tokens) + price_out * turns * answer, "All answers alike."
)  # fmt: skip

agent_time = Formula(
    "agent-time", t_agent, turns * t_answer + (turns - 1) * t_tool,
    says="Turns and tool calls take turns: nothing of a chain can overlap.",
    holds="averages of both times; every turn but the last calls one tool and waits for it",
)  # fmt: skip
Derivation(
    agent_time, sympy.Sum(t_answer, (turn, 1, turns)) + sympy.Sum(t_tool, (turn, 1, turns - 1)),
    "Each turn waits for its answer, each but the last for a tool.",
).rewrite(turns * t_answer + (turns - 1) * t_tool, "All turns at the average times.")  # fmt: skip

rate_of_sessions = Formula(
    "session-rate", session_rate, sessions / t_round,
    says="Each session completes one request in each of its rounds.",
    holds="a session sends its next request when the last is answered and its pause is over; averages over a long time",
    cites=("denning1978operational",),
)  # fmt: skip
Derivation(rate_of_sessions, sessions / t_round, "Little's law for the whole loop: $n_\\mathrm{ses}$ are in it, each for one round.")

round_bound = Formula(
    "session-round-bound", t_round, slowest(t_alone + t_tool, sessions * t_demand),
    relation=">=",
    says="A round takes at least an answer without company and the pause, and at least the system's time for everybody's answer.",
    holds="$t_\\mathrm{dem}$ is taken at the batch at which it is least, whether or not that batch comes about",
    cites=("denning1978operational",),
)  # fmt: skip
Derivation(round_bound, t_round, "What is sought is the time from one request of a session to its next.").at_least(
    slowest(t_alone + t_tool, sessions * t_demand),
    "No answer is faster than one alone; and in one round the system works for every session once.",
    given=(t_alone + t_tool <= t_round, sessions * t_demand <= t_round),
)  # fmt: skip

session_rate_bound = Formula(
    "session-rate-bound", session_rate, sessions / slowest(t_alone + t_tool, sessions * t_demand),
    relation="<=",
    says="The rate grows at most with the sessions, and never beyond one answer in each $t_\\mathrm{dem}$.",
    holds="as for the round",
    cites=("denning1978operational",),
)  # fmt: skip
Derivation(session_rate_bound, session_rate, "What is sought is the rate of all sessions.").using(rate_of_sessions).using(round_bound)

saturating_sessions = Formula(
    "saturation-sessions", saturation, (t_alone + t_tool) / t_demand,
    says="Fewer sessions cannot bring the highest rate of the system; whether this many do depends on how they meet.",
    holds="the number at which both limits of the round are equal",
    cites=("denning1978operational",),
)  # fmt: skip
Derivation(saturating_sessions, (t_alone + t_tool) / t_demand, "Set $t_1 + t_\\mathrm{tool} = n_\\ast\\,t_\\mathrm{dem}$.")

response_of_sessions = Formula(
    "session-response", t_request, sessions / session_rate - t_tool,
    says="What is left of a round after the pause is what a session waits for its answer.",
    holds="averages over a long time; any system, any order of service",
    valid=(sessions > session_rate * t_tool,),
    resolves=False,
    cites=("denning1978operational",),
)  # fmt: skip
Derivation(
    response_of_sessions, sessions / session_rate - t_tool,
    "By Little's law a round lasts $n_\\mathrm{ses}/\\lambda_\\mathrm{ses}$, and it is a response and a pause.",
)  # fmt: skip

keep_or_make = Formula(
    "keep-time", t_keep, t_prefill * state_room / request_state,
    relation="~",
    says="A state may wait as long as the memory that it takes would be rented for the price of making it again.",
    holds="memory is full, so that what one session keeps another lacks; devices are paid for by their time, and time and memory are "
    "each worth the whole price; the state is made again by a prompt of its length",
    valid=(request_state > 0,),
    cites=("gray1987fiveminute",),
)  # fmt: skip
Derivation(
    keep_or_make, t_prefill / (request_state / state_room),
    "Keeping a state for a time $t$ takes $t\\,K_\\mathrm{req}/M_\\mathrm{pool}$ of the devices' time, making it again "
    "$t_\\mathrm{pre}$: equal at $t_\\mathrm{keep}$.", relation="~",
)  # fmt: skip

success_within = Formula(
    "success-within", solved, 1 - (1 - success) ** attempts,
    relation="~",
    resolves=True,
    says="All attempts must fail for the task to fail.",
    holds="attempts succeed with one probability, independently; a success is recognised",
    valid=(success <= 1,),
)  # fmt: skip
Derivation(success_within, 1 - (1 - success) ** attempts, "Each of the attempts fails with $1 - p_\\mathrm{try}$.", relation="~")

attempts_made = Formula(
    "attempts-made", tried, solved / success,
    relation="~",
    says="As many attempts as it takes at $1/p_\\mathrm{try}$ for each success.",
    holds="as for the success; the first success ends the task",
    valid=(success <= 1,),
    resolves=True,
)  # fmt: skip
Derivation(
    attempts_made, sympy.Sum((1 - success) ** (turn - 1), (turn, 1, attempts)),
    "Attempt $i$ is made if the $i - 1$ before it failed.", relation="~",
).rewrite((1 - (1 - success) ** attempts) / success, "The geometric series.").when(
    sympy.Eq(solved, 1 - (1 - success) ** attempts), solved / success, "The numerator is the probability of a success."
)  # fmt: skip

cost_per_success = Formula(
    "cost-per-success", success_cost, attempt_cost / success,
    relation="~",
    says="What is spent on failures is paid for by successes; a limit on the attempts does not change the price of one.",
    holds="as for the success; failures cost what successes cost",
    valid=(success <= 1,),
)  # fmt: skip
Derivation(
    cost_per_success, attempt_cost * tried / solved, "Spent on a task, on average, over the share of the tasks that succeed.", relation="~",
).using(attempts_made)  # fmt: skip

unchecked_chain = Formula(
    "unchecked-chain-cost", success_cost, turns * step_cost / step_success**turns,
    relation="~",
    says="Where a wrong step shows only at the end, all steps of an attempt must be right at once.",
    holds="steps succeed independently, each with $p_\\mathrm{step}$; a failed task starts again from its first step",
    valid=(step_success <= 1,),
)  # fmt: skip
Derivation(
    unchecked_chain, attempt_cost / success, "The price of a success.", relation="~",
).when(sympy.Eq(attempt_cost, turns * step_cost), turns * step_cost / success, "An attempt is all steps.").when(
    (success, step_success**turns), turns * step_cost / step_success**turns, "It succeeds if every step does."
)  # fmt: skip

checked_chain = Formula(
    "checked-chain-cost", success_cost, turns * (step_cost + check_cost) / step_success,
    relation="~",
    says="Where every step is checked, only the wrong one is done again.",
    holds="as for the chain without checks; a check is always right, and a failed step leaves nothing behind",
    valid=(step_success <= 1,),
)  # fmt: skip
Derivation(
    checked_chain, sympy.Sum((step_cost + check_cost) / step_success, (turn, 1, turns)),
    "Each step is a task of its own, tried until it succeeds.", relation="~",
).rewrite(turns * (step_cost + check_cost) / step_success, "All steps alike.")  # fmt: skip

slowest_branch = Formula(
    "slowest-branch", t_last, t_branch + t_spread * (branches - 1) / sympy.sqrt(2 * branches - 1),
    relation="<=",
    says="Waiting for the slowest of several calls costs spread, at most about the square root of half their number of it.",
    holds="times of the calls are independent and of one distribution, whatever it is; nothing queues",
    cites=("hartley1954extreme",),
)  # fmt: skip
Derivation(
    slowest_branch, t_branch + t_spread * sympy.sqrt(branches**2 / (2 * branches - 1) - 2 + 1),
    "With $x(u)$ the time that a share $u$ of the calls does not exceed, the mean of the slowest exceeds the mean by "
    "$\\int_0^1 (x - \\bar{t}_\\mathrm{br})(k_\\mathrm{br}\\,u^{k_\\mathrm{br} - 1} - 1)\\,du$. By the inequality of Cauchy and Schwarz "
    "that is at most the root of $\\int (x - \\bar{t}_\\mathrm{br})^2\\,du = \\sigma_\\mathrm{br}^2$ times that "
    "of the square of the other factor.",
    relation="<=",
).rewrite(t_branch + t_spread * (branches - 1) / sympy.sqrt(2 * branches - 1), "The numerator is a square.", sampled=True)  # fmt: skip

task_least = Formula(
    "task-time-least", t_task, slowest(t_work / at_once, t_path),
    relation=">=",
    says="No schedule beats its longest chain, nor the work shared out evenly.",
    holds="calls take the same time however many run",
)  # fmt: skip
Derivation(task_least, t_task, "What is sought is the time from first call to last.").at_least(
    slowest(t_work / at_once, t_path),
    "At most $k_\\mathrm{par}$ calls run at any time; and the chain runs one call after another.",
    given=(t_work <= at_once * t_task, t_path <= t_task),
)  # fmt: skip

task_most = Formula(
    "task-time-most", t_task, t_work / at_once + t_path * (1 - 1 / at_once),
    relation="<=",
    says="A schedule that starts every call as soon as it can takes at most the even share and the rest of the chain.",
    holds="a call starts whenever its inputs are there and fewer than $k_\\mathrm{par}$ run",
)  # fmt: skip
Derivation(
    task_most, (t_work - t_path) / at_once + t_path,
    "While fewer than $k_\\mathrm{par}$ calls run, every call that could start has started, so the longest chain that is left gets "
    "shorter: that lasts at most $t_\\mathrm{path}$. For the rest of the time $k_\\mathrm{par}$ run, on what is left of the work.",
    relation="<=",
).rewrite(t_work / at_once + t_path * (1 - 1 / at_once), "Collect the chain.")  # fmt: skip
