"""Rooflines: several ceilings over one operator, and where a matrix, attention, a norm or a link meets them."""

import sympy
from sympy import Min

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.formulas.collectives import all_reduce
from aiinfra.formulas.shape import matrix_intensity
from aiinfra.symbols import (
    all_reduce_bytes, b_act, b_kv, b_w, beta, beta_cache, beta_chip, beta_mem, cache_traffic, chip_traffic, clock, crossing, crossings,
    d_in, d_key, d_latent, d_model, d_out, d_rope, d_value, data, devices, element_flops, entries, exp_rate, exp_share, flop_rate, fresh,
    intensity, intensity_cache, intensity_link, machine_balance, message, n_kv, n_layer_param, n_q, narrowest, one_flop, op_bytes,
    op_flops, pairs, path_balance, peak, port, t_op, tokens, units,
)  # fmt: skip

unit = sympy.Symbol("i", integer=True, positive=True)
entry = sympy.Symbol("j", integer=True, positive=True)
width = (1 / d_in + 1 / d_out) * b_act  # bytes of vectors for each weight and token

operator_time = Formula(
    "operator-time", t_op, slowest(op_flops / peak, op_bytes / beta_mem),
    relation=">=",
    says="One operator takes at least its arithmetic and at least its traffic.",
    holds="one device; rated bandwidth, and the peak of the units that do the work",
    resolves=False,
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(operator_time, t_op, "What is sought is the time of one operator.").at_least(
    slowest(op_flops / peak, op_bytes / beta_mem),
    "In that time no more operations are done than the peak allows, and no more bytes pass than the bandwidth allows.",
    given=(op_flops <= peak * t_op, op_bytes <= beta_mem * t_op),
)

attainable = Formula(
    "attainable-rate", flop_rate, Min(peak, intensity * beta_mem),
    relation="<=",
    says="Up to the ridge the rate follows the memory, beyond it the arithmetic sets it.",
    holds="as for the time of an operator; the rate counts the operations that the result needs",
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(attainable, op_flops / t_op, "The rate is operations over time.").at_most(
    Min(peak, intensity * beta_mem),
    "The peak is one limit. The other is the bandwidth: each byte brings $I$ operations, so that $F_\\mathrm{op}$ of them need "
    "$F_\\mathrm{op}/I$ bytes.",
    given=(op_flops <= peak * t_op, op_flops <= intensity * beta_mem * t_op),
)

balance_of_path = Formula(
    "path-balance", path_balance, peak / beta,
    says="Work with less intensity than this waits for the path, work with more for the arithmetic.",
    holds="any path: a link, a cache, the memory inside the units; intensity counted on the bytes that cross it",
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(balance_of_path, path_balance, "At balance, the bytes take as long to arrive as the operations on them.").when(
    sympy.Eq(data / beta, path_balance * data / peak), peak / beta, "The bytes cancel."
)

chip_bandwidth = Formula(
    "on-chip-bandwidth", beta_chip, units * clock * port,
    says="Each unit reads its own memory, all of them side by side.",
    holds="accesses without conflicts; the clock at which the units run",
)  # fmt: skip
Derivation(chip_bandwidth, sympy.Sum(clock * port, (unit, 1, units)), "A unit is given $w_\\mathrm{sm}$ bytes in each clock.").rewrite(
    units * clock * port, "All units are alike."
)

time_of_levels = Formula(
    "operator-time-levels", t_op,
    slowest(op_flops / peak, op_bytes / beta_mem, cache_traffic / beta_cache, chip_traffic / beta_chip),
    relation=">=",
    says="Every level that the bytes cross has a clock of its own; the slowest sets the time.",
    holds="bytes counted at each level; rated or measured bandwidths",
    resolves=False,
    cites=("yang2020hierarchical",),
)  # fmt: skip
Derivation(time_of_levels, t_op, "What is sought is the time of one operator.").at_least(
    slowest(op_flops / peak, op_bytes / beta_mem, cache_traffic / beta_cache, chip_traffic / beta_chip),
    "In that time each level passes no more than its bandwidth allows, and the units do no more than their peak.",
    given=(
        op_flops <= peak * t_op, op_bytes <= beta_mem * t_op, cache_traffic <= beta_cache * t_op, chip_traffic <= beta_chip * t_op,
    ),
)  # fmt: skip

rate_of_levels = Formula(
    "hierarchical-rate", flop_rate, Min(peak, intensity * beta_mem, intensity_cache * beta_cache),
    relation="<=",
    says="A roofline with a slope for each level; the lowest point under which an operator stands is its limit.",
    holds="two levels; each further one adds a slope. Every level has an intensity of its own, and those near the units have the lower "
    "ones, since bytes are read from near more often than from far",
    cites=("yang2020hierarchical",),
)  # fmt: skip
Derivation(rate_of_levels, op_flops / t_op, "The rate is operations over time.").at_most(
    Min(peak, intensity * beta_mem, intensity_cache * beta_cache),
    "The peak is one limit; each level is another one, with the operations that a byte of it brings.",
    given=(
        op_flops <= peak * t_op, op_flops <= intensity * beta_mem * t_op, op_flops <= intensity_cache * beta_cache * t_op,
    ),
)  # fmt: skip

tokens_at_ridge = Formula(
    "crossing-tokens", crossing, machine_balance * b_w / (2 * one_flop - machine_balance * width),
    says="With fewer tokens the matrix waits for memory, with more for arithmetic; the vectors put the point off, and may "
    "put it off for ever.",
    holds="weights, inputs and outputs cross the memory once each",
    valid=(2 * one_flop > machine_balance * width,),
)  # fmt: skip
Derivation(
    tokens_at_ridge, crossing, "At the ridge the operations for each byte are the balance of the device.",
).when(
    sympy.Eq(2 * one_flop * crossing, machine_balance * (b_w + crossing * width)),
    machine_balance * b_w / (2 * one_flop - machine_balance * width),
    "For each weight: two operations for each token on the left; the weight, and its share of the vectors of each token, on the right. "
    "Solve for the tokens.",
)  # fmt: skip

matrix_rate = Formula(
    "matrix-rate", flop_rate, Min(peak, beta_mem * 2 * one_flop * tokens / (b_w + tokens * width)),
    relation="<=",
    says="The rate of a matrix rises with the tokens until arithmetic binds, or until its vectors alone fill the memory.",
    holds="weights, inputs and outputs cross the memory once each; rated bandwidth and peak",
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(matrix_rate, flop_rate, "What is sought is the rate of one product.").using(attainable).using(matrix_intensity)

narrowest_output = Formula(
    "narrowest-output", narrowest, machine_balance * b_act * d_in / (2 * one_flop * d_in - machine_balance * b_act),
    says="A matrix with fewer outputs than this waits for memory, however many tokens pass.",
    holds="inputs and outputs cross the memory once each; the same for inputs and outputs exchanged",
    valid=(2 * one_flop * d_in > machine_balance * b_act,),
)  # fmt: skip
Derivation(
    narrowest_output, narrowest, "With many tokens the weights no longer count, only operations and vectors.",
).when(
    sympy.Eq(2 * one_flop * narrowest * d_in, machine_balance * b_act * (narrowest + d_in)),
    machine_balance * b_act * d_in / (2 * one_flop * d_in - machine_balance * b_act),
    "For one token, the operations of all weights, and the balance times the bytes of input and output. Solve for the output.",
)  # fmt: skip

attention_per_byte = Formula(
    "attention-intensity", intensity, 2 * one_flop * fresh * n_q / (n_kv * b_kv),
    says="Each element of the cache serves the query heads that share it and the tokens that come together; context and batch do not "
    "matter.",
    holds="one read of the cache, scores and values kept on the chip; short queries and results left out",
    resolves=False,
)  # fmt: skip
Derivation(
    attention_per_byte,
    sympy.Sum(2 * one_flop * n_q * fresh * (d_key + d_value), (entry, 1, entries))
    / sympy.Sum(n_kv * (d_key + d_value) * b_kv, (entry, 1, entries)),
    "For each entry of the cache: two operations for each query head, new token and element of key and value, over its bytes.",
).rewrite(2 * one_flop * fresh * n_q / (n_kv * b_kv), "All entries are alike; their number and the widths cancel.")  # fmt: skip

latent_per_byte = Formula(
    "latent-intensity", intensity, 2 * one_flop * fresh * n_q * (2 * d_latent + d_rope) / ((d_latent + d_rope) * b_kv),
    says="All heads share one entry, and most of the entry is used twice, as key and as value.",
    holds="absorbed latent attention with all heads on one device; one read of the cache",
    resolves=False,
    cites=("deepseek2024mla",),
)  # fmt: skip
Derivation(
    latent_per_byte,
    sympy.Sum(2 * one_flop * n_q * fresh * (d_latent + d_rope) + 2 * one_flop * n_q * fresh * d_latent, (entry, 1, entries))
    / sympy.Sum((d_latent + d_rope) * b_kv, (entry, 1, entries)),
    "For each entry: scores take the latent and the rotary key, values the latent again; both are read once.",
).rewrite(
    2 * one_flop * fresh * n_q * (2 * d_latent + d_rope) / ((d_latent + d_rope) * b_kv), "All entries are alike, and their number cancels."
)  # fmt: skip

elementwise = Formula(
    "elementwise-intensity", intensity, element_flops / (crossings * b_act),
    says="An operator without a matrix uses each element a few times and is done with it.",
    holds="vectors pass through memory; fused with its neighbours it crosses less often",
    resolves=False,
)  # fmt: skip
Derivation(
    elementwise, element_flops / sympy.Sum(b_act, (entry, 1, crossings)),
    "For one element: its operations, over its bytes each time that it is read or written.",
).rewrite(element_flops / (crossings * b_act), "Each crossing moves the same bytes.")  # fmt: skip

exponentials = Formula(
    "exponential-share", exp_share, peak / (2 * one_flop * (d_key + d_value) * exp_rate),
    says="One exponential stands between the two products of each pair; where it takes longer than they do, a faster matrix unit "
    "brings nothing.",
    holds="softmax at one exponential for each pair and head, on units of its own; its other operations left out",
    cites=("shah2024flashattention3",),
)  # fmt: skip
Derivation(
    exponentials,
    sympy.Sum(pairs / exp_rate, (entry, 1, n_q)) / sympy.Sum(2 * one_flop * pairs * (d_key + d_value) / peak, (entry, 1, n_q)),
    "For each head: time of one exponential for each pair, over the time of the products of each pair at the peak.",
).rewrite(peak / (2 * one_flop * (d_key + d_value) * exp_rate), "Pairs and heads cancel.")  # fmt: skip

link_intensity_of_layer = Formula(
    "link-intensity", intensity_link, one_flop * n_layer_param / (2 * (devices - 1) * d_model * b_act),
    says="Operations and bytes both grow with the tokens, so only the layer, its width and the number of devices count.",
    holds="one dense layer split over all devices, two ring all-reduces; attention over the cache is left out",
    valid=(devices > 1,),
    cites=("shoeybi2019megatron",),
)  # fmt: skip
Derivation(
    link_intensity_of_layer, 2 * one_flop * n_layer_param * tokens / devices / (2 * all_reduce_bytes),
    "Each device does its share of two operations for each parameter and token, and takes part in two all-reduces.",
).using(all_reduce).when(
    sympy.Eq(message, tokens * d_model * b_act), one_flop * n_layer_param / (2 * (devices - 1) * d_model * b_act),
    "A vector for each token is reduced: the tokens cancel, and so does the share.",
)  # fmt: skip
