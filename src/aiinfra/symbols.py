"""Every symbol of the book, declared once: name, LaTeX, meaning, unit, assumptions.

The order of declaration is the order in which factors print. A name or a LaTeX that is already taken is
refused on import, so that one letter means one thing in the whole book.
"""

from __future__ import annotations

import sympy

from aiinfra.errors import DefinitionError, unknown
from aiinfra.symbol_info import SymbolInfo
from aiinfra.units import Unit, byte, dollar, flop, joule, one, request, second, token, watt

TABLE: dict[str, SymbolInfo] = {}
SYMBOLS: dict[str, sympy.Symbol] = {}


def symbol(name: str, latex: str, meaning: str, unit: Unit = one, *, integer=False, positive=True, nonnegative=False) -> sympy.Symbol:
    """Declare a symbol: positive by default, ``nonnegative`` where zero makes sense, ``positive=False`` for any real."""
    if not name.isidentifier():
        raise DefinitionError(f"symbol {name!r}: the name must be a Python identifier")
    if name in TABLE:
        raise DefinitionError(f"symbol {name!r} is declared twice: {TABLE[name].meaning!r} and {meaning!r}")
    taken = next((info for info in TABLE.values() if info.latex == latex), None)
    if taken:
        raise DefinitionError(f"symbol {name!r}: LaTeX {latex!r} already means {taken.name!r} ({taken.meaning})")
    if nonnegative:
        assumptions = {"nonnegative": True}
    else:
        assumptions = {"positive": True} if positive else {"real": True}
    if integer:
        assumptions["integer"] = True
    strictly = positive and not nonnegative
    TABLE[name] = SymbolInfo(name, latex, meaning, unit, integer, 0 if positive else None, strictly, len(TABLE))
    SYMBOLS[name] = sympy.Symbol(name, **assumptions)
    return SYMBOLS[name]


def info(sym: sympy.Symbol | str) -> SymbolInfo:
    """The table row of a symbol.

    >>> info("n_layer").meaning
    'layers'
    """
    name = sym if isinstance(sym, str) else sym.name
    if name not in TABLE or (not isinstance(sym, str) and SYMBOLS[name] != sym):
        raise unknown("symbol", name, TABLE)
    return TABLE[name]


# One operation: carries the unit through a count, is 1 in numbers and is not printed among other factors
one_flop = sympy.Symbol("one_flop", positive=True)
UNIT_SYMBOLS = {one_flop: flop}

# Model: counts from its configuration
n_param = symbol("n_param", "N", "parameters, all of them", integer=True)
n_block = symbol("n_block", r"N_\mathrm{b}", "parameters in the layers, without the two token tables", integer=True)
n_read = symbol("n_read", r"N_\mathrm{r}", "parameters read in one decode step", integer=True)
untied = symbol(
    "untied", "u", "1 where input embedding and output head are two tables, 0 where they are one", integer=True, nonnegative=True
)
vocab = symbol("vocab", "V", "rows of the token table", integer=True)
n_layer = symbol("n_layer", "L", "layers", integer=True)
d_model = symbol("d_model", "d", "width of the residual stream", integer=True)
n_q = symbol("n_q", r"n_\mathrm{q}", "query heads per layer", integer=True)
n_kv = symbol("n_kv", r"n_\mathrm{kv}", "key/value heads per layer", integer=True)
d_head = symbol("d_head", r"d_\mathrm{h}", "width of one head", integer=True)

# Formats
b_w = symbol("b_w", r"b_\mathrm{w}", "bytes of one stored weight", byte)
b_kv = symbol("b_kv", r"b_\mathrm{kv}", "bytes of one cached key or value element", byte)
b_grad = symbol("b_grad", r"b_\mathrm{g}", "bytes of one gradient element", byte)
b_opt = symbol("b_opt", r"b_\mathrm{o}", "bytes that the optimizer keeps for one parameter", byte, nonnegative=True)
b_act = symbol("b_act", r"b_\mathrm{a}", "bytes of one activation element", byte)

# One matrix of a model, and how its elements are stored
d_in = symbol("d_in", r"d_\mathrm{in}", "width of a matrix's input", integer=True)
d_out = symbol("d_out", r"d_\mathrm{out}", "width of a matrix's output", integer=True)
biased = symbol("biased", r"u_\mathrm{b}", "1 where a matrix has a bias, 0 where it has none", integer=True, nonnegative=True)
n_matrix = symbol("n_matrix", r"N_\mathrm{m}", "parameters of one matrix", integer=True)
group_in = symbol("group_in", r"g_\mathrm{in}", "inputs that share one scale", integer=True)
group_out = symbol("group_out", r"g_\mathrm{out}", "outputs that share one scale", integer=True)
b_scale = symbol("b_scale", r"b_\mathrm{s}", "bytes of one scale, with its zero point where there is one", byte, nonnegative=True)
b_tensor = symbol("b_tensor", r"b_\mathrm{t}", "bytes kept once for a matrix beside elements and scales", byte, nonnegative=True)

# Attention: widths, and which positions meet
d_key = symbol("d_key", r"d_\mathrm{k}", "width of a key in one head", integer=True)
d_value = symbol("d_value", r"d_\mathrm{v}", "width of a value in one head", integer=True)
d_latent = symbol("d_latent", r"d_\mathrm{c}", "width of the latent vector that stands for keys and values", integer=True)
d_latent_q = symbol("d_latent_q", r"d_\mathrm{cq}", "width of the latent vector that queries are made from", integer=True)
d_nope = symbol("d_nope", r"d_\mathrm{n}", "width of the part of a key without position, in one head", integer=True)
d_rope = symbol("d_rope", r"d_\mathrm{r}", "width of the part of a key with position, shared by all heads", integer=True)
n_index = symbol("n_index", r"n_\mathrm{ix}", "heads of the index that chooses positions", integer=True)
d_index = symbol("d_index", r"d_\mathrm{ix}", "width of one index head", integer=True)
sequence = symbol("sequence", r"S_\mathrm{q}", "tokens of one sequence, counted from its start", integer=True, nonnegative=True)
window = symbol("window", "w", "positions that a window lets a token see, its own included", integer=True)
chunk = symbol("chunk", r"w_\mathrm{c}", "positions of one chunk, beyond whose start no token sees", integer=True)
ratio = symbol("ratio", "m", "tokens that are compressed into one cache entry", integer=True)
chosen = symbol("chosen", r"k_\mathrm{ix}", "cache entries, or blocks of them, that an index chooses for a token", integer=True)
kept = symbol("kept", r"n_\mathrm{s}", "cache entries that a layer keeps of one request", integer=True, nonnegative=True)
d_entry = symbol("d_entry", r"d_\mathrm{s}", "elements of one cache entry", integer=True)
entries = symbol("entries", r"n_\mathrm{e}", "cache entries that one token meets", integer=True, nonnegative=True)
earlier = symbol("earlier", r"n_\mathrm{bl}", "whole blocks before its own that the last token meets", integer=True, nonnegative=True)
own_pairs = symbol("own_pairs", r"n_\mathrm{pc}", "pairs within chunks", nonnegative=True)
pairs = symbol("pairs", r"n_\mathrm{p}", "pairs of a token and a cache entry that meet", nonnegative=True)

n_full_layer = symbol("n_full_layer", r"L_\mathrm{f}", "layers that attend to the whole context", integer=True, nonnegative=True)
n_window_layer = symbol("n_window_layer", r"L_\mathrm{w}", "layers that attend in a window", integer=True, nonnegative=True)
n_rec_layer = symbol("n_rec_layer", r"L_\mathrm{r}", "layers with a recurrent state", integer=True, nonnegative=True)
page = symbol("page", r"S_\mathrm{pg}", "tokens of one page of the cache", integer=True)
pages = symbol("pages", r"n_\mathrm{pg}", "pages that a request holds", integer=True, nonnegative=True)
cached = symbol("cached", r"S_0", "tokens whose cache entries are there already", nonnegative=True)
fresh = symbol("fresh", r"n_\mathrm{new}", "tokens of one request that are processed at once")
n_layer_param = symbol("n_layer_param", r"N_\mathrm{lay}", "parameters of one layer", integer=True)
causal_share = symbol("causal_share", r"f_\mathrm{c}", "share of the square that a causal order leaves")
saving = symbol("saving", r"r_\mathrm{kv}", "cache with a key/value head per query head over the cache at hand")
b_eff = symbol("b_eff", r"b_\mathrm{eff}", "bytes per weight with its share of the scales", byte)

# Experts
n_expert = symbol("n_expert", "E", "routed experts in a layer", integer=True)
n_chosen = symbol("n_chosen", r"k_\mathrm{E}", "routed experts that each token passes through", integer=True)
n_shared = symbol("n_shared", r"E_\mathrm{s}", "shared experts, through which every token passes", integer=True, nonnegative=True)
n_touched = symbol("n_touched", r"\bar{E}", "distinct routed experts that a batch touches in a layer, on average")
d_ff = symbol("d_ff", r"d_\mathrm{ff}", "inner width of the MLP", integer=True)
d_expert = symbol("d_expert", r"d_\mathrm{e}", "inner width of one routed expert", integer=True)
d_shared = symbol("d_shared", r"d_\mathrm{sh}", "inner width of the shared experts together", integer=True)
n_moe_layer = symbol("n_moe_layer", r"L_\mathrm{E}", "layers with experts", integer=True)
n_routed = symbol("n_routed", r"N_\mathrm{E}", "parameters of all routed experts", integer=True)
n_active = symbol("n_active", r"N_\mathrm{a}", "parameters that serve one token", integer=True)
expert_tokens = symbol("expert_tokens", r"n_\mathrm{te}", "tokens that one touched expert serves, on average")
touched_share = symbol("touched_share", r"f_\mathrm{E}", "share of the routed experts that a batch touches")
granularity = symbol("granularity", r"g_\mathrm{E}", "experts into which one MLP of the dense width is cut")
d_moe = symbol("d_moe", r"d_\mathrm{m}", "width of the vector that experts receive, where it is projected first", integer=True)

# Recurrent layers
n_rec = symbol("n_rec", r"n_\mathrm{r}", "heads of a recurrent layer, each with a state of its own", integer=True)
n_rec_k = symbol("n_rec_k", r"n_\mathrm{rk}", "groups of heads that share one key", integer=True)
d_rec_k = symbol("d_rec_k", r"d_\mathrm{rk}", "rows of a head's state: the width of its key", integer=True)
d_rec_v = symbol("d_rec_v", r"d_\mathrm{rv}", "columns of a head's state: the width of its value", integer=True)
b_rec = symbol("b_rec", r"b_\mathrm{r}", "bytes of one element of a recurrent state", byte)
taps = symbol("taps", r"w_\mathrm{f}", "taps of a short convolution", integer=True)

# Workload
tokens = symbol("tokens", r"n_\mathrm{t}", "tokens that pass through together", integer=True, nonnegative=True)
batch = symbol("batch", "B", "requests decoded together")
batch_max = symbol("batch_max", r"B_\mathrm{max}", "requests that fit at once", integer=True, nonnegative=True)
context = symbol("context", "S", "tokens of context held per request, averaged over the batch", nonnegative=True)
prompt = symbol("prompt", r"S_\mathrm{p}", "prompt tokens of one request", integer=True)
answer = symbol("answer", "G", "tokens generated for one request", integer=True)
arrivals = symbol("arrivals", r"\lambda", "requests that arrive in a second", request / second)
accept = symbol("accept", "a", "probability that a proposed token is accepted")
proposed = symbol("proposed", r"n_\mathrm{d}", "tokens proposed for one step", integer=True, nonnegative=True)
gained = symbol("gained", r"n_\mathrm{acc}", "tokens that one step gives, on average")
mean_context = symbol("mean_context", r"\bar{S}", "context length averaged over the decode steps of an answer")

# Workloads and queues: latency, lengths, waiting
t_net = symbol("t_net", r"t_\mathrm{net}", "time of a request and its first token on the network", second, nonnegative=True)
t_wait = symbol("t_wait", r"t_\mathrm{wait}", "time that a request waits before it is served, mean", second, nonnegative=True)
t_first = symbol("t_first", r"t_\mathrm{first}", "time from sending a request to its first token", second)
t_token = symbol("t_token", r"t_\mathrm{tok}", "gap between the tokens of one answer, mean", second)
t_request = symbol("t_request", r"t_\mathrm{req}", "time from sending a request to its last token", second)
t_norm = symbol("t_norm", r"t_\mathrm{norm}", "time of a request over the tokens of its answer", second)
calm = symbol("calm", r"p_\mathrm{calm}", "share of the gaps between tokens into which no prompt falls")
mean_time = symbol("mean_time", r"\bar{t}", "mean of a time", second)
beyond = symbol("beyond", r"\epsilon", "share of requests beyond a percentile: 0.01 for a p99")
t_beyond = symbol("t_beyond", r"t_\epsilon", "time that this share of requests exceeds", second, nonnegative=True)
n_part = symbol("n_part", r"n_\mathrm{part}", "parts of which a task has to wait for every one", integer=True)
all_within = symbol("all_within", r"p_\mathrm{all}", "share of tasks of which every part is within its percentile")
mean_size = symbol("mean_size", r"\bar{x}", "mean of a size")
cv = symbol("cv", r"c_\mathrm{v}", "coefficient of variation: standard deviation over mean", nonnegative=True)
met_size = symbol("met_size", r"\hat{x}", "mean size of the one to which a random token or moment belongs")
sigma_log = symbol("sigma_log", r"\sigma", "standard deviation of the logarithm", nonnegative=True)
z_score = symbol("z_score", "z", "standard deviations above the mean of a normal distribution", positive=False)
percentile_ratio = symbol("percentile_ratio", r"r_\epsilon", "a percentile over the mean")
tail_index = symbol("tail_index", r"\kappa", "power with which a tail falls")
top_share = symbol("top_share", r"f_\mathrm{top}", "largest requests, as a share of all")
top_tokens = symbol("top_tokens", r"f_\mathrm{hold}", "share of all tokens that the largest requests hold")
cv_prompt = symbol("cv_prompt", r"c_\mathrm{p}", "coefficient of variation of the prompt's length", nonnegative=True)
cv_answer = symbol("cv_answer", r"c_\mathrm{G}", "coefficient of variation of the answer's length", nonnegative=True)
correlation = symbol("correlation", r"r_\mathrm{pG}", "correlation of the lengths of prompt and answer", positive=False)
t_window = symbol("t_window", r"t_\mathrm{win}", "length of the windows in which arrivals are counted", second)
cv_rate = symbol("cv_rate", r"c_\lambda", "coefficient of variation of the arrival rate from window to window", nonnegative=True)
dispersion = symbol("dispersion", r"I_\mathrm{d}", "variance of the arrivals in a window over their mean")
servers = symbol("servers", r"n_\mathrm{srv}", "servers, each of which serves one request at a time", integer=True)
t_serve = symbol("t_serve", r"t_\mathrm{s}", "time for which a request occupies a server, mean", second)
cv_serve = symbol("cv_serve", r"c_\mathrm{s}", "coefficient of variation of the service time", nonnegative=True)
cv_arrive = symbol("cv_arrive", r"c_\mathrm{a}", "coefficient of variation of the gaps between arrivals", nonnegative=True)
load = symbol("load", r"\rho", "utilisation: share of the time for which a server is busy")
in_system = symbol("in_system", r"n_\mathrm{sys}", "requests in a system, mean", nonnegative=True)
t_system = symbol("t_system", r"t_\mathrm{sys}", "time that a request spends in a system, mean", second)
peak_arrivals = symbol("peak_arrivals", r"\lambda_\mathrm{peak}", "requests that arrive in a second of a burst", request / second)
service_rate = symbol("service_rate", r"\mu", "requests that a system can serve in a second", request / second)
t_burst = symbol("t_burst", r"t_\mathrm{burst}", "length of a burst", second)
backlog = symbol("backlog", r"n_\mathrm{back}", "requests that wait when a burst ends", nonnegative=True)
t_drain = symbol("t_drain", r"t_\mathrm{drain}", "time after a burst until nobody waits", second, nonnegative=True)
p_wait = symbol("p_wait", r"p_\mathrm{wait}", "share of requests that have to wait at all")
t_limit = symbol("t_limit", r"t_\mathrm{lim}", "wait that is allowed", second, nonnegative=True)
p_late = symbol("p_late", r"p_\mathrm{late}", "share of requests that wait longer than is allowed")
goodput = symbol("goodput", r"\lambda_\mathrm{good}", "requests of a second that are served within their limit", request / second)
t_spare = symbol("t_spare", r"t_\mathrm{sp}", "gap between arrivals less the service time, mean", second)
idle_square = symbol("idle_square", r"\overline{t_\mathrm{idle}^2}", "square of the server's idle time before an arrival, mean", second**2)
load_balance = symbol("load_balance", r"\rho_\ast", "utilisation at which waiting takes as long as service")
pooling = symbol("pooling", r"g_\mathrm{pool}", "wait in separate queues over the wait in one queue")
servers_wanted = symbol("servers_wanted", r"n_\mathrm{want}", "servers that keep waiting rare")
t_fixed = symbol("t_fixed", r"t_\mathrm{fix}", "part of a decode step that does not depend on the batch", second, nonnegative=True)
t_added = symbol("t_added", r"t_\mathrm{add}", "time that each request of the batch adds to a decode step", second)
added_load = symbol("added_load", r"\rho_\mathrm{add}", "share of the time that the additions of all requests take")
batch_mean = symbol("batch_mean", r"\bar{B}", "requests decoded together, mean over time")
batch_variance = symbol("batch_variance", r"v_\mathrm{B}", "requests decoded together, variance over time")
batch_high = symbol("batch_high", r"B_\epsilon", "batch that is exceeded for a given share of the time")
batch_limit = symbol("batch_limit", r"B_\mathrm{lim}", "a limit of the batch", integer=True, nonnegative=True)
p_fit = symbol("p_fit", r"p_\mathrm{fit}", "share of the time for which the batch is within its limit")
group = symbol("group", r"B_\mathrm{grp}", "requests that are collected and then decoded together to the end", integer=True)
t_fill = symbol("t_fill", r"t_\mathrm{fill}", "wait of a request until its group is full, mean", second, nonnegative=True)
longest = symbol("longest", r"r_\mathrm{max}", "longest answer of a group over the mean answer, on average")
most_arrivals = symbol("most_arrivals", r"\lambda_\mathrm{max}", "largest arrival rate at which no queue grows for ever", request / second)

# Workloads and queues: agents, other inputs than text, training runs
turns = symbol("turns", r"n_\mathrm{turn}", "turns of an agent, each one call of the model", integer=True)
observed = symbol("observed", r"S_\mathrm{obs}", "tokens of the result of one tool call", integer=True, nonnegative=True)
input_tokens = symbol("input_tokens", r"n_\mathrm{in}", "tokens of all prompts of an agent's run", integer=True)
unseen_tokens = symbol("unseen_tokens", r"n_\mathrm{fr}", "tokens of these prompts that were not processed before", integer=True)
processed_tokens = symbol("processed_tokens", r"n_\mathrm{pro}", "tokens of these prompts that are processed, on average")
hit = symbol("hit", "h", "share of later turns that find their prefix in the cache", nonnegative=True)
price_in = symbol("price_in", r"p_\mathrm{in}", "price of a prompt token that is processed", dollar / token)
price_cached = symbol("price_cached", r"p_\mathrm{hit}", "price of a prompt token found in the cache", dollar / token, nonnegative=True)
price_out = symbol("price_out", r"p_\mathrm{out}", "price of a generated token", dollar / token)
attempt_cost = symbol("attempt_cost", r"c_\mathrm{try}", "price of one attempt at a task", dollar)
t_tool = symbol("t_tool", r"t_\mathrm{tool}", "time between an answer and the next request of the same session", second, nonnegative=True)
t_agent = symbol("t_agent", r"t_\mathrm{agent}", "time from start to end of an agent's run", second)
sessions = symbol("sessions", r"n_\mathrm{ses}", "sessions that each have at most one request in the system", integer=True)
session_rate = symbol("session_rate", r"\lambda_\mathrm{ses}", "requests that all sessions complete in a second", request / second)
t_alone = symbol("t_alone", r"t_1", "time of an answer with nobody else in the system", second)
t_demand = symbol("t_demand", r"t_\mathrm{dem}", "least time of the system that one answer takes", second)
t_round = symbol("t_round", r"t_\mathrm{rnd}", "time from one request of a session to its next", second)
saturation = symbol("saturation", r"n_\ast", "fewest sessions that can bring the highest rate of a system")
state_room = symbol("state_room", r"M_\mathrm{pool}", "memory for the state of requests, all devices together", byte)
t_keep = symbol("t_keep", r"t_\mathrm{keep}", "pause up to which keeping a state is cheaper than making it again", second)
success = symbol("success", r"p_\mathrm{try}", "probability that one attempt succeeds")
attempts = symbol("attempts", r"n_\mathrm{try}", "attempts that are allowed", integer=True)
solved = symbol("solved", r"p_\mathrm{any}", "probability that one of the attempts succeeds")
tried = symbol("tried", r"\bar{n}_\mathrm{try}", "attempts that are made, on average")
success_cost = symbol("success_cost", r"c_\mathrm{suc}", "price of one task that succeeded", dollar)
step_success = symbol("step_success", r"p_\mathrm{step}", "probability that one step of a task succeeds")
step_cost = symbol("step_cost", r"c_\mathrm{step}", "price of one step of a task", dollar)
check_cost = symbol("check_cost", r"c_\mathrm{chk}", "price of the check of one step", dollar, nonnegative=True)
branches = symbol("branches", r"k_\mathrm{br}", "calls that start together and are all waited for", integer=True)
t_branch = symbol("t_branch", r"\bar{t}_\mathrm{br}", "time of one call, mean", second)
t_spread = symbol("t_spread", r"\sigma_\mathrm{br}", "time of one call, standard deviation", second, nonnegative=True)
t_last = symbol("t_last", r"t_\mathrm{last}", "time until the last of several calls ends, mean", second)
t_work = symbol("t_work", r"t_\mathrm{work}", "time of all calls of a task, one after another", second)
t_path = symbol("t_path", r"t_\mathrm{path}", "time of the longest chain of calls that need each other's results", second)
at_once = symbol("at_once", r"k_\mathrm{par}", "calls that may run at once", integer=True)
t_task = symbol("t_task", r"t_\mathrm{task}", "time from the first to the last call of a task", second)
corpus = symbol("corpus", r"S_\mathrm{cor}", "tokens of all texts that are searched", integer=True)
passage = symbol("passage", r"S_\mathrm{pas}", "tokens of one passage", integer=True)
shared_tokens = symbol("shared_tokens", r"S_\mathrm{ov}", "tokens that two neighbouring passages share", integer=True, nonnegative=True)
vectors = symbol("vectors", r"n_\mathrm{vec}", "vectors of an index, one for each passage", integer=True)
d_vector = symbol("d_vector", r"d_\mathrm{vec}", "elements of such a vector", integer=True)
b_vector = symbol("b_vector", r"b_\mathrm{vec}", "bytes of one of these elements", byte)
index_bytes = symbol("index_bytes", r"M_\mathrm{vec}", "bytes of all vectors of an index", byte)
pixels_high = symbol("pixels_high", r"a_\mathrm{y}", "height of an image in pixels", integer=True)
pixels_wide = symbol("pixels_wide", r"a_\mathrm{x}", "width of an image in pixels", integer=True)
cell = symbol("cell", r"a_\mathrm{tok}", "side in pixels of the square that becomes one token", integer=True)
image_tokens = symbol("image_tokens", r"n_\mathrm{img}", "tokens of one image", integer=True)
duration = symbol("duration", r"t_\mathrm{snd}", "length of a recording", second)
audio_rate = symbol("audio_rate", r"f_\mathrm{snd}", "tokens that a second of sound becomes", token / second)
audio_tokens = symbol("audio_tokens", r"n_\mathrm{snd}", "tokens of a recording", integer=True)
passes = symbol("passes", r"n_\mathrm{pass}", "passes of a whole image through a model that denoises it", integer=True)
image_flops = symbol("image_flops", r"F_\mathrm{img}", "operations to generate one image", flop)
size = symbol("size", r"\mathcal{N}", "parameters of a model whose size is to be chosen")
run_tokens = symbol("run_tokens", r"\mathcal{D}", "tokens that a model is trained on")
run_flops = symbol("run_flops", r"\mathcal{C}", "operations of a whole training run", flop)
uptime = symbol("uptime", r"\eta_\mathrm{up}", "share of the time in which training advances")
t_train = symbol("t_train", r"t_\mathrm{trn}", "time of a training run from start to end", second)
train_rate = symbol("train_rate", r"R_\mathrm{trn}", "tokens trained on in a second, all devices together", token / second)
batch_tokens = symbol("batch_tokens", r"B_\mathrm{tok}", "tokens of one training step")
critical_tokens = symbol("critical_tokens", r"B_\mathrm{crit}", "tokens of one step at which steps and tokens are both twice their least")
least_steps = symbol("least_steps", r"n_\mathrm{least}", "steps that are needed however large they are")
train_steps = symbol("train_steps", r"n_\mathrm{upd}", "steps of a training run")
loss = symbol("loss", r"\mathcal{L}", "loss: mean negative log-likelihood of a token, in nats")
loss_floor = symbol("loss_floor", r"\mathcal{E}", "loss that no model and no amount of text removes", nonnegative=True)
scale_n = symbol("scale_n", r"\mathcal{A}", "loss from too few parameters, times parameters to their exponent")
scale_d = symbol("scale_d", r"\mathcal{B}", "loss from too few tokens, times tokens to their exponent")
exp_n = symbol("exp_n", r"\nu", "exponent of the parameters in the loss")
exp_d = symbol("exp_d", r"\delta", "exponent of the tokens in the loss")
best_param = symbol("best_param", r"N_\star", "parameters of the least loss for a number of operations")
best_tokens = symbol("best_tokens", r"\mathcal{D}_\star", "tokens of the least loss for a number of operations")
least_param = symbol("least_param", r"N_\mathrm{least}", "parameters below which a loss is out of reach")
life_tokens = symbol("life_tokens", r"\mathcal{T}", "tokens that a model processes in service, prompts and answers")
dearness = symbol("dearness", r"r_\mathrm{op}", "price of an operation in service over that in training")
life_flops = symbol("life_flops", r"\mathcal{C}_\mathrm{life}", "operations of a model's life, in those of training", flop)
rollouts = symbol("rollouts", r"n_\mathrm{roll}", "answers generated for one step of reinforcement learning", integer=True)
mean_answer = symbol("mean_answer", r"\bar{G}", "tokens of one of these answers, mean")
longest_answer = symbol("longest_answer", r"G_\mathrm{max}", "tokens of the longest of these answers")
t_rollout = symbol("t_rollout", r"t_\mathrm{roll}", "time to generate all answers of a step of reinforcement learning", second)
t_update = symbol("t_update", r"t_\mathrm{upd}", "time to train on these answers", second)
t_sync = symbol("t_sync", r"t_\mathrm{sync}", "time to bring new weights to where answers are generated", second, nonnegative=True)
t_cycle = symbol("t_cycle", r"t_\mathrm{cyc}", "time of one step of reinforcement learning", second)
scorers = symbol("scorers", r"n_\mathrm{sc}", "forward passes over the answers besides training", integer=True, nonnegative=True)
update_flops = symbol("update_flops", r"F_\mathrm{upd}", "operations to score answers and to train on them", flop)
occupancy = symbol("occupancy", r"f_\mathrm{occ}", "share of a batch's places that are in use, averaged over a rollout")

# Devices and paths
devices = symbol("devices", "n", "devices that share the model", integer=True)
trips = symbol("trips", "q", "trips made one after another", integer=True)
alpha = symbol("alpha", r"\alpha", "time of one trip before the first byte counts", second, nonnegative=True)
alpha_ar = symbol("alpha_ar", r"\alpha_\mathrm{ar}", "time of one all-reduce of a very short vector", second, nonnegative=True)
capacity = symbol("capacity", "C", "memory capacity of one device, as sold", byte)
usable = symbol("usable", r"C_\mathrm{u}", "memory of one device, all that its driver reports", byte)
beta_mem = symbol("beta_mem", r"\beta_\mathrm{mem}", "memory bandwidth of one device", byte / second)
beta_link = symbol("beta_link", r"\beta_\mathrm{link}", "link bandwidth of one device, one direction", byte / second)
beta = symbol("beta", r"\beta", "bandwidth of a path, one direction", byte / second)
peak = symbol("peak", "P", "dense peak rate of one device in the format computed in", flop / second)
power = symbol("power", r"P_\mathrm{el}", "electrical power of one device", watt)
price = symbol("price", r"p_\mathrm{dev}", "price of one device for one second", dollar / second)

# Bytes
weight_bytes = symbol("weight_bytes", "W", "bytes of all weights, resident", byte)
weight_read = symbol("weight_read", r"W_\mathrm{r}", "weight bytes read in one decode step", byte)
kv_token = symbol("kv_token", r"m_\mathrm{kv}", "cache bytes per token of context", byte)
kv_bytes = symbol("kv_bytes", "K", "cache bytes of all requests in the batch", byte, nonnegative=True)
step_bytes = symbol("step_bytes", r"D_\mathrm{step}", "bytes read from device memory in one decode step", byte)
reserve = symbol("reserve", r"M_0", "memory per device kept for workspace and runtime", byte, nonnegative=True)
device_bytes = symbol("device_bytes", r"M_\mathrm{dev}", "memory needed on each device", byte)
message = symbol("message", r"D_\mathrm{msg}", "bytes of the vector that a collective reduces", byte)
all_reduce_bytes = symbol("all_reduce_bytes", r"D_\mathrm{ar}", "bytes each device sends in one all-reduce", byte, nonnegative=True)
tp_bytes = symbol("tp_bytes", r"D_\mathrm{tp}", "bytes each device sends for tensor parallelism in one step", byte, nonnegative=True)
data = symbol("data", "D", "bytes moved over one path", byte)
half_rate_bytes = symbol("half_rate_bytes", r"D_{1/2}", "bytes at which a path reaches half of its bandwidth", byte)

matrix_bytes = symbol("matrix_bytes", r"W_\mathrm{m}", "bytes of one matrix as stored", byte)
act_bytes = symbol("act_bytes", r"D_\mathrm{io}", "bytes of the vectors that an operator reads and writes", byte)
training_bytes = symbol("training_bytes", r"M_\mathrm{trn}", "bytes of weights, gradients and optimizer in training", byte)
answer_read = symbol("answer_read", r"D_\mathrm{ans}", "cache bytes read over the decode steps of one answer", byte, nonnegative=True)
expert_read = symbol("expert_read", r"W_\mathrm{E}", "bytes of routed experts read for a batch, all layers", byte)
request_state = symbol("request_state", r"K_\mathrm{req}", "state bytes of one request, all layers", byte, nonnegative=True)
fixed_state = symbol("fixed_state", r"K_0", "state bytes of one request that do not grow with its length", byte, nonnegative=True)
state_bytes = symbol("state_bytes", r"K_\mathrm{l}", "state bytes of one request in one layer", byte, nonnegative=True)

# Work
matrix_flops = symbol("matrix_flops", r"F_\mathrm{m}", "operations of one matrix", flop, nonnegative=True)
attention_flops = symbol("attention_flops", r"F_\mathrm{att}", "operations of scores and values in one layer", flop, nonnegative=True)
index_flops = symbol("index_flops", r"F_\mathrm{ix}", "operations of an index's scores in one layer", flop, nonnegative=True)
conv_flops = symbol("conv_flops", r"F_\mathrm{f}", "operations of a short convolution", flop, nonnegative=True)
recurrent_flops = symbol("recurrent_flops", r"F_\mathrm{r}", "operations on the state of one recurrent layer", flop, nonnegative=True)
step_flops = symbol("step_flops", r"F_\mathrm{step}", "operations of one decode step", flop)
answer_flops = symbol("answer_flops", r"F_\mathrm{ans}", "operations of a whole answer, prompt included", flop)
backward_flops = symbol("backward_flops", r"F_\mathrm{bwd}", "operations of a backward pass", flop)
training_flops = symbol("training_flops", r"F_\mathrm{trn}", "operations of a training step", flop)
forward_flops = symbol("forward_flops", r"F_\mathrm{fwd}", "operations of a forward pass with all logits", flop)
layer_flops = symbol("layer_flops", r"F_\mathrm{lay}", "operations of a forward pass in the layers, without the output head", flop)
prefill_flops = symbol("prefill_flops", r"F_\mathrm{pre}", "operations to process one prompt", flop)

# Times
t_move = symbol("t_move", r"t_\mathrm{move}", "time to move data over one path", second)
t_mem = symbol("t_mem", r"t_\mathrm{mem}", "time to read a step's bytes at full bandwidth", second)
t_comp = symbol("t_comp", r"t_\mathrm{comp}", "time to do a step's operations at peak rate", second)
t_link = symbol("t_link", r"t_\mathrm{link}", "time of a step's all-reduces", second, nonnegative=True)
t_link_prefill = symbol("t_link_prefill", r"t_\mathrm{link,pre}", "time of a prompt's all-reduces", second, nonnegative=True)
t_step = symbol("t_step", r"t_\mathrm{step}", "time of one decode step", second)
t_prefill = symbol("t_prefill", r"t_\mathrm{pre}", "time to process the prompt and give the first token", second)
t_answer = symbol("t_answer", r"t_\mathrm{ans}", "time from start to last token of one request", second)
t_device = symbol("t_device", r"t_\mathrm{dev}", "device time that one answer takes, all devices together", second)
t_run = symbol("t_run", "T", "time for which devices are held", second)

# Ratios, rates and cost
rate = symbol("rate", "R", "tokens generated per second, all requests together", token / second)
mfu = symbol("mfu", r"\mathrm{MFU}", "model FLOP/s utilisation: share of the dense peak rate")
eta_mem = symbol("eta_mem", r"\eta_\mathrm{mem}", "share of the memory bandwidth that a kernel reaches, measured")
mbu = symbol("mbu", r"\mathrm{MBU}", "memory bandwidth utilisation: share of the memory bandwidth")
overlap_gain = symbol("overlap_gain", "g", "time without overlap over time with full overlap")
intensity = symbol("intensity", "I", "arithmetic intensity: operations per byte read", flop / byte)
machine_balance = symbol("machine_balance", r"I_\ast", "operations that a device can do per byte that it can read", flop / byte)
batch_balance = symbol("batch_balance", r"B_\ast", "batch at which weight reads and arithmetic take equally long")
attention_balance = symbol("attention_balance", r"S_\mathrm{att}", "context at which attention does as many operations as the matrices")
latent_balance = symbol("latent_balance", r"n_\mathrm{lat}", "tokens processed at once from which expanding latents takes fewer operations")
state_balance = symbol("state_balance", r"S_\mathrm{fix}", "context at which a growing cache is as large as a fixed state")
touch_balance = symbol("touch_balance", r"n_\mathrm{all}", "tokens that touch a given share of the experts")
context_balance = symbol("context_balance", r"S_\ast", "context beyond which no batch is bound by arithmetic")
speedup = symbol("speedup", "s", "time before a change over time after it")
part = symbol("part", "f", "share of the time that a change speeds up", nonnegative=True)
factor = symbol("factor", "k", "how many times faster that share becomes")
cost = symbol("cost", "c", "price of one generated token", dollar / token)
run_cost = symbol("run_cost", r"c_\mathrm{run}", "price of a run", dollar)
energy = symbol("energy", "e", "electrical energy of one generated token", joule / token)

# Serving: one instance, its parts and what they reach
memory_share = symbol("memory_share", r"\eta_\mathrm{cap}", "share of the usable memory that an engine takes for itself")
headroom = symbol("headroom", r"M_\mathrm{free}", "memory per device that the engine may take and does not need", byte, positive=False)
workspace = symbol("workspace", r"M_\mathrm{ws}", "memory per device for activations of the largest pass", byte, nonnegative=True)
eta_comp = symbol("eta_comp", r"\eta_\mathrm{comp}", "share of the peak rate that kernels reach, measured")
eta_link = symbol("eta_link", r"\eta_\mathrm{link}", "share of the link bandwidth that a collective reaches, measured")
t_host = symbol("t_host", r"t_\mathrm{host}", "time of a pass in which devices wait for their host", second, nonnegative=True)
n_reduce = symbol("n_reduce", r"n_\mathrm{ar}", "all-reduces of one pass", integer=True, nonnegative=True)
t_wire = symbol("t_wire", r"t_\mathrm{wire}", "least time of a pass on the links", second, nonnegative=True)
t_pass = symbol("t_pass", r"t_\mathrm{pass}", "time of one pass through the model, of a prompt or of a decode step", second)
t_share = symbol("t_share", r"t_\mathrm{share}", "time of an instance over the requests that it finishes in that time", second)
done_rate = symbol("done_rate", r"\lambda_\mathrm{done}", "requests that one instance finishes in a second", request / second)
token_state = symbol("token_state", r"K_\mathrm{r}", "state bytes that a decode step reads for one request", byte, nonnegative=True)
token_flops = symbol("token_flops", r"F_\mathrm{tok}", "operations of a decode step for one request", flop)
batch_cross = symbol("batch_cross", r"B_\times", "requests at which a step's arithmetic takes as long as its reading")
