"""From silicon to a choice: yield and cost of dies, traffic between them and to the host, and devices compared by what binds."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    b_w, beta, beta_host, beta_local, beta_mem, beta_remote, capacity, cells, choice_balance, clustering, data, defect_density, die_area,
    die_cost, die_yield, dies, doubling, grown, intensity, n_read, offload_tokens, one_flop, op_price, peak, price, remote,
    remote_limit, rival_beta, rival_price, split, split_area, split_cost, split_density, t_flop, t_move, t_sweep, wafer, wafer_price,
    yearly, years,
)  # fmt: skip

dies_on_wafer = Formula(
    "dies-per-wafer", dies, sympy.pi * wafer**2 / (4 * die_area) - sympy.pi * wafer / sympy.sqrt(2 * die_area),
    relation="~",
    says="The wafer's area in dies, less about one die for each diagonal of a die along the edge.",
    holds="nearly square dies that are small beside the wafer, else it counts too few; scribe lines and an unused rim are left out",
    valid=(wafer**2 > 8 * die_area,),
)  # fmt: skip
Derivation(
    dies_on_wafer, sympy.pi * (wafer / 2) ** 2 / die_area - sympy.pi * wafer / sympy.sqrt(2 * die_area),
    "Model: area over area, less the circumference over the diagonal $\\sqrt{2A_\\mathrm{die}}$ of a square die.", relation="~",
)  # fmt: skip

poisson = Formula(
    "poisson-yield", die_yield, sympy.exp(-defect_density * die_area),
    relation="~",
    resolves=False,
    says="Twice the area squares the share of dies that survive.",
    holds="defects independent of each other and everywhere as likely; a single one spoils a die",
)  # fmt: skip
Derivation(
    poisson, (1 - defect_density * die_area / cells) ** cells,
    "Model: each of many small parts of the die has a defect with a small probability of its own, and the die works if none has.",
    relation="~",
).when((cells, sympy.oo), sympy.exp(-defect_density * die_area), "The parts are made ever smaller.")  # fmt: skip

clustered = Formula(
    "clustered-yield", die_yield, (1 + defect_density * die_area / clustering) ** (-clustering),
    relation="~",
    resolves=False,
    says="Where defects come in clusters, more of them fall on dies that are lost already, and more dies survive.",
    holds="defect density that varies from place to place by a gamma distribution",
)  # fmt: skip
Derivation(
    clustered, (1 + defect_density * die_area / clustering) ** (-clustering),
    "Model: the mean of $e^{-x}$ over a gamma-distributed number $x$ of expected defects, "
    "of mean $D_0 A_\\mathrm{die}$ and shape $a_\\mathrm{cl}$.",
    relation="~",
)  # fmt: skip

cost_of_die = Formula(
    "die-cost", die_cost, wafer_price / (dies * die_yield),
    says="The wafer is paid for whole, and only the good dies carry it.",
    holds="no partly good dies are sold; design, memory, package and test are left out",
)  # fmt: skip
Derivation(cost_of_die, wafer_price / (dies * die_yield), "Price of a wafer over the good dies on it.")

cost_of_split = Formula(
    "split-cost", split_cost, (1 + split_area) * sympy.exp(-defect_density * die_area * (1 - (1 + split_area) / split)),
    relation="~",
    says="Splitting a chip adds area once, and takes most of the area that has to be free of defects together out of the exponent.",
    holds="independent defects; bad dies are found before they are mounted; edge of the wafer, package and mounting are left out",
    valid=(split >= 1 + split_area,),
)  # fmt: skip
Derivation(
    cost_of_split,
    split * (die_area * (1 + split_area) / split) * sympy.exp(defect_density * die_area * (1 + split_area) / split)
    / (die_area * sympy.exp(defect_density * die_area)),
    "Model: silicon costs its area over its yield; $n_\\mathrm{cl}$ small dies over one large one.", relation="~",
).rewrite(
    (1 + split_area) * sympy.exp(-defect_density * die_area * (1 - (1 + split_area) / split)), "Areas cancel, exponents are subtracted.",
)  # fmt: skip

split_pays = Formula(
    "split-density", split_density, sympy.log(1 + split_area) / (die_area * (1 - (1 + split_area) / split)),
    relation="~",
    says="Splitting pays in silicon alone once defects are denser than this.",
    holds="as for the cost of the split",
    valid=(split > 1 + split_area,),
)  # fmt: skip
Derivation(
    split_pays, split_density,
    "At the density sought, split and whole silicon cost the same: the exponent makes up for the area.", relation="~",
).when(
    sympy.Eq(sympy.log(1 + split_area), split_density * die_area * (1 - (1 + split_area) / split)),
    sympy.log(1 + split_area) / (die_area * (1 - (1 + split_area) / split)),
    "Take the logarithm and divide.",
)  # fmt: skip

mixed = Formula(
    "mixed-bandwidth", beta, 1 / ((1 - remote) / beta_local + remote / beta_remote),
    relation="~",
    resolves=False,
    says="The mean of two bandwidths that counts is that of their times.",
    holds="near and far bytes one after another, as for one reader that waits for each; the far way is as slow as its slowest part",
    valid=(remote <= 1,),
)  # fmt: skip
Derivation(
    mixed, data / ((1 - remote) * data / beta_local + remote * data / beta_remote),
    "Model: bytes over the time of the near ones and of the far ones.", relation="~",
).rewrite(1 / ((1 - remote) / beta_local + remote / beta_remote), "The amount cancels.")  # fmt: skip

mixed_at_once = Formula(
    "mixed-time", t_move, slowest((1 - remote) * data / beta_local, remote * data / beta_remote),
    relation=">=",
    resolves=False,
    says="With near and far bytes on their ways at once, the slower way sets the time.",
    holds="two ways that share nothing; the far way is as slow as its slowest part, the memory at its end included",
    valid=(remote <= 1,),
)  # fmt: skip
Derivation(mixed_at_once, t_move, "All has arrived when the near and the far bytes have.").at_least(
    slowest((1 - remote) * data / beta_local, remote * data / beta_remote), "Each way moves its share at its bandwidth at best.",
    given=((1 - remote) * data <= beta_local * t_move, remote * data <= beta_remote * t_move),
)  # fmt: skip

share_of_remote = Formula(
    "remote-limit", remote_limit, beta_remote / (beta_local + beta_remote),
    says="More bytes than this share behind the slower path, and that path is the limit.",
    holds="both ways busy at once",
)  # fmt: skip
Derivation(share_of_remote, remote_limit, "At the share sought, both ways take equally long.").when(
    sympy.Eq((1 - remote_limit) / beta_local, remote_limit / beta_remote), beta_remote / (beta_local + beta_remote), "Solve for the share."
)

tokens_from_host = Formula(
    "offload-tokens", offload_tokens, b_w * peak / (2 * one_flop * beta_host),
    says="Weights that come from the host for every pass stay hidden behind the arithmetic of this many tokens.",
    holds="dense matrices, each weight brought once for a pass, transfers and arithmetic overlapped; attention left out",
)  # fmt: skip
Derivation(
    tokens_from_host, offload_tokens,
    "At balance, bringing $N_\\mathrm{r}$ weights takes as long as two operations on each for every token.",
).when(
    sympy.Eq(n_read * b_w / beta_host, 2 * one_flop * n_read * offload_tokens / peak), b_w * peak / (2 * one_flop * beta_host),
    "The weights cancel, as in the balance of a batch.",
)  # fmt: skip

sweep = Formula(
    "memory-sweep", t_sweep, capacity / beta_mem,
    says="Time to read everything that a device holds, once.",
    holds="rated bandwidth; capacity as sold",
)  # fmt: skip
Derivation(sweep, capacity / beta_mem, "All bytes over the bytes of a second: no token comes faster from a dense model that fills it.")

price_of_operation = Formula(
    "operation-price", op_price, slowest(price / peak, price / (beta_mem * intensity)),
    relation=">=",
    says="The device is paid for while its slower clock runs.",
    holds="rated peak and bandwidth, reached in full; nothing but the device is counted",
)  # fmt: skip
Derivation(price_of_operation, price * t_flop, "Price of a second, for the time of one operation.").at_least(
    slowest(price / peak, price / (beta_mem * intensity)), "An operation waits for its turn at the peak rate and for its $1/I$ bytes.",
    given=(1 <= peak * t_flop, 1 <= beta_mem * intensity * t_flop),
)  # fmt: skip

choice = Formula(
    "choice-balance", choice_balance, peak * rival_price / (price * rival_beta),
    says="Between a device with more bandwidth and one with more peak for a dollar, work below this intensity belongs on the first.",
    holds="the first has more bandwidth for a dollar, the other more peak; with equal prices the comparison is for each device",
)  # fmt: skip
Derivation(
    choice, choice_balance,
    "Where they meet, the first is at its peak and the other, whose peak for a dollar is higher, is still bound by memory.",
).when(
    sympy.Eq(peak / price, rival_beta * choice_balance / rival_price), peak * rival_price / (price * rival_beta), "Solve for the intensity."
)  # fmt: skip

yearly_growth = Formula(
    "yearly-growth", yearly, grown ** (1 / years),
    says="The factor that, taken once for each year, gives the whole growth.",
)  # fmt: skip
Derivation(yearly_growth, yearly, "As many factors as there are years make up the growth.").when(
    sympy.Eq(grown, yearly**years), grown ** (1 / years), "Take the root."
)

doubling_time = Formula(
    "doubling-time", doubling, years * sympy.log(2) / sympy.log(grown),
    says="Years over the number of doublings in them.",
    holds="steady growth between the two products; two points make a rate, no law",
    valid=(grown > 1,),
)  # fmt: skip
Derivation(doubling_time, doubling, "In all years together the value grows by a factor of two for each doubling time among them.").when(
    sympy.Eq(grown, 2 ** (years / doubling)), years * sympy.log(2) / sympy.log(grown), "Take the logarithm of both sides and solve."
)
