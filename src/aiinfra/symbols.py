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
