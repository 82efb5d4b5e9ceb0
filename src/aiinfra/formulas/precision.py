"""Number formats: what they hold, how far a stored value is off, what a sum loses, and what a narrower format buys."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    added, chernoff, crest, exp_bias, exp_bits, exp_here, exp_top, group_in, largest_input, largest_value, least_normal, mant_bits,
    octaves, quant_noise, quant_step, quicken, reserved_exp, reserved_top, roundoff, samples, shrink, snr, snr_db, speedup, sum_error,
    t_comp, t_mem, whole_bits,
)  # fmt: skip

i = sympy.Symbol("i", integer=True, positive=True)
half = sympy.Rational(1, 2)

bias = Formula(
    "exponent-bias", exp_bias, 2 ** (exp_bits - 1) - 1,
    says="Half of the exponent codes stand for exponents up to zero, so that a format reaches about as far down as up.",
    holds="the rule of IEEE 754, which BF16, FP8, FP6 and FP4 keep",
    cites=("micikevicius2022fp8", "ocp2023mx"),
)  # fmt: skip
Derivation(
    bias, 2**exp_bits / 2 - 1,
    "Of the $2^{k_\\mathrm{x}}$ codes half lie at or below the one that stands for exponent 0, and the lowest is kept apart.",
).rewrite(
    2 ** (exp_bits - 1) - 1, "Halving takes one from the exponent."
)

top = Formula(
    "top-exponent", exp_top, 2 ** (exp_bits - 1) - reserved_exp,
    says="The largest code less the bias, and one less where that code is kept for infinities.",
    holds="bias by the rule above",
    valid=(reserved_exp <= 1,),
    cites=("micikevicius2022fp8", "ocp2023mx"),
)  # fmt: skip
Derivation(
    top, 2**exp_bits - 1 - reserved_exp - exp_bias,
    "The codes end at $2^{k_\\mathrm{x}} - 1$; the bias is taken from the stored code.",
).using(bias).rewrite(
    2 ** (exp_bits - 1) - reserved_exp, "Put the two powers together."
)

largest = Formula(
    "largest-value", largest_value, 2**exp_top * (2 - 2 ** (-mant_bits) * (1 + reserved_top)),
    says="The largest exponent, with all bits of the fraction set or, where that code is taken, with all but the last.",
    holds="a fraction of at least one bit; of the formats here only FP8 E4M3 keeps its top code for what is no number",
    valid=(reserved_top <= 1,),
    cites=("micikevicius2022fp8", "ocp2023mx"),
)  # fmt: skip
Derivation(
    largest, 2**exp_top * (1 + sympy.Sum(2 ** (-i), (i, 1, mant_bits)) - reserved_top * 2 ** (-mant_bits)),
    "A leading one, then the bits of the fraction, worth a half, a quarter and so on; a reserved code takes the last one away.",
).rewrite(2**exp_top * (2 - 2 ** (-mant_bits) * (1 + reserved_top)), "The sum of the bits is $1 - 2^{-k_\\mathrm{m}}$.")

smallest = Formula(
    "least-normal", least_normal, 2 ** (1 - exp_bias),
    says="The smallest exponent with a fraction of zero; below it digits are lost one by one.",
    holds="formats with subnormal numbers, which keep the lowest code for them",
    cites=("ocp2023mx",),
)  # fmt: skip
Derivation(smallest, 2 ** (1 - exp_bias), "The stored code 1 less the bias is the exponent, and the fraction is zero.")

range_of = Formula(
    "format-octaves", octaves, 2**exp_bits - 1 - reserved_exp,
    says="Every exponent code but the lowest, and but the top one where that is kept, gives one power of two.",
    holds="normal numbers; subnormal ones add one power of two for each bit of the fraction, at falling accuracy",
    valid=(reserved_exp <= 1,),
)  # fmt: skip
Derivation(
    range_of, exp_top - (1 - exp_bias) + 1,
    "From the exponent of the smallest normal number to that of the largest one.",
).using(top).using(
    bias
).rewrite(2**exp_bits - 1 - reserved_exp, "The two halves of the codes together.")

rounding = Formula(
    "unit-roundoff", roundoff, 2 ** (-mant_bits - 1),
    says="Rounding to the nearest value is off by at most half a step, and a step is the smaller the more bits the fraction has.",
    holds="normal numbers, rounded to nearest; a result that is cut off instead is off by up to twice this",
    cites=("ipsen2019inner",),
)  # fmt: skip
Derivation(
    rounding, half * 2 ** (exp_here - mant_bits) / 2**exp_here,
    "Between $2^x$ and $2^{x+1}$ values stand $2^{x-k_\\mathrm{m}}$ apart; half of that, over the smallest number there.",
).rewrite(2 ** (-mant_bits - 1), "The size of the number cancels: floating point is equally accurate over its whole range.")

step = Formula(
    "integer-step", quant_step, largest_input / (2 ** (whole_bits - 1) - 1),
    says="The largest value takes the largest integer, and all steps are alike.",
    holds="symmetric around zero, the most negative code unused; one scale for all values",
    valid=(whole_bits > 1,),
)  # fmt: skip
Derivation(
    step, 2 * largest_input / (2**whole_bits - 2),
    "The $2^{k_\\mathrm{int}}$ codes less the one without a counterpart leave $2^{k_\\mathrm{int}} - 2$ steps from end to end.",
).rewrite(largest_input / (2 ** (whole_bits - 1) - 1), "Divide by two.")

noise = Formula(
    "quantisation-noise", quant_noise, quant_step**2 / 12,
    relation="~",
    says="An error that is equally likely anywhere within half a step has this mean square.",
    holds="values spread over many steps; no clipping",
    cites=("widrow1996quantization",),
)  # fmt: skip
Derivation(
    noise, sympy.Sum((((i - half) / samples - half) * quant_step) ** 2, (i, 1, samples)) / samples,
    "Model: errors at $n_\\mathrm{smp}$ places spread evenly over one step, from $-\\Delta/2$ to $\\Delta/2$; the mean of their squares.",
    relation="~",
).rewrite(quant_step**2 / 12 * (1 - 1 / samples**2), "Sums of $i$ and $i^2$ up to $n_\\mathrm{smp}$.").when(
    (samples, sympy.oo), quant_step**2 / 12, "The places lie ever closer."
)  # fmt: skip

integer_snr = Formula(
    "integer-snr", snr, 12 * (2 ** (whole_bits - 1) - 1) ** 2 / crest**2,
    relation="~",
    says="Four times as much for each bit, and less by the square of how far the largest value stands out.",
    holds="as for the noise; the scale is set by the largest value",
    valid=(whole_bits > 1,),
)  # fmt: skip
Derivation(
    integer_snr, (largest_input / crest) ** 2 / quant_noise,
    "Signal over noise; the root mean square is the largest value over the crest factor."
).using(noise).using(step, "Put in the step: the largest value cancels.")

float_snr = Formula(
    "float-snr", snr, 28 * 4**mant_bits,
    relation="~",
    says="Four times as much for each bit of the fraction, whatever the size and spread of the values.",
    holds="values spread evenly within their power of two; all of them normal numbers, none clipped",
)  # fmt: skip
Derivation(
    float_snr, sympy.Sum((2**exp_here * (1 + (i - half) / samples)) ** 2, (i, 1, samples)) / samples
    / ((2 ** (exp_here - mant_bits)) ** 2 / 12),
    "Model: values at $n_\\mathrm{smp}$ places spread evenly from $2^x$ to $2^{x+1}$; their mean square over that of the error, "
    "a twelfth of the squared step.", relation="~",
).rewrite(
    4**mant_bits * (28 - 1 / samples**2), "The powers of $2^x$ cancel; sums of $i$ and $i^2$ again.",
).when((samples, sympy.oo), 28 * 4**mant_bits, "The mean of $v^2$ between 1 and 2 is $7/3$, and 12 times that is 28.")  # fmt: skip

decibels = Formula(
    "snr-decibels", snr_db, 10 * sympy.log(snr) / sympy.log(10),
    says="Ten times the decimal logarithm; each bit that quadruples the ratio adds 6.02 dB.",
)  # fmt: skip
Derivation(decibels, 10 * sympy.log(snr) / sympy.log(10), "The definition: a factor of ten is 10 dB.")

block_crest = Formula(
    "block-crest", crest, sympy.sqrt(2 * sympy.log(2 * group_in)),
    relation="<=",
    says="Among few values the largest stands out less, so that a scale of their own fits them better.",
    holds="normally distributed values, largest over standard deviation, in the mean over blocks; heavier tails go beyond it",
)  # fmt: skip
Derivation(
    block_crest, crest,
    "What is sought is the mean of the largest of $g_\\mathrm{in}$ absolute values, in standard deviations.",
).at_most(
    sympy.log(2 * group_in) / chernoff + chernoff / 2,
    "For any $\\vartheta$: $e^{\\vartheta\\zeta}$ is at most the mean of $e^{\\vartheta\\max}$, hence at most the sum over "
    "$2g_\\mathrm{in}$ values of either sign, $2g_\\mathrm{in}\\,e^{\\vartheta^2/2}$; take the logarithm and divide.",
    given=(crest * chernoff <= sympy.log(2 * group_in) + chernoff**2 / 2,),
).when(
    sympy.Eq(chernoff, sympy.sqrt(2 * sympy.log(2 * group_in))), sympy.sqrt(2 * sympy.log(2 * group_in)),
    "The bound is least where both terms are equal."
)

sum_bound = Formula(
    "accumulation-bound", sum_error, (1 + roundoff) ** added - 1,
    relation="<=",
    says="In the worst case every addition errs the same way, and the error is close to the number of additions times that of one.",
    holds="terms of one sign, added one after another; terms of both signs lose as much of the sum of their absolute values",
    cites=("ipsen2019inner",),
)  # fmt: skip
Derivation(
    sum_bound, sympy.Product(1 + roundoff, (i, 1, added)) - 1,
    "Each addition multiplies what was added up so far by at most $1 + \\varepsilon$; no term meets more than $n_\\mathrm{sum}$ of them.",
    relation="<=",
).rewrite((1 + roundoff) ** added - 1, "All factors are alike.")  # fmt: skip

sum_model = Formula(
    "accumulation-error", sum_error, roundoff * sympy.sqrt((added + 1) * (2 * added + 1) / (18 * added)),
    relation="~",
    says="Errors of either sign cancel in part, so that their root mean square grows with the root of the number of terms.",
    holds="terms of about the same size and sign, rounded to nearest; errors independent of each other; sums far from stalling",
    cites=("ipsen2019inner",),
)  # fmt: skip
Derivation(
    sum_model, sympy.sqrt(sympy.Sum((i / added) ** 2 * roundoff**2 / 3, (i, 1, added))),
    "Model: the sum after $i$ of $n_\\mathrm{sum}$ terms is $i/n_\\mathrm{sum}$ of the whole; its rounding error is spread evenly within "
    "$\\pm\\varepsilon$, with a mean square of $\\varepsilon^2/3$, and squares of independent errors add up.", relation="~",
).rewrite(roundoff * sympy.sqrt((added + 1) * (2 * added + 1) / (18 * added)),
    "The sum of the squares up to $n_\\mathrm{sum}$.")  # fmt: skip

stall = Formula(
    "stalled-sum", added, 2 ** (mant_bits + 1),
    resolves=False,
    says="After this many equal terms a sum stands still: the next term is half a step of it and is rounded away.",
    holds="equal terms, each added on its own to a sum in this format, rounded to nearest even, within its range",
)  # fmt: skip
Derivation(
    stall, added,
    "After $n_\\mathrm{sum}$ equal terms, one term is $1/n_\\mathrm{sum}$ of the sum. It is lost once that is no more than $\\varepsilon$.",
).when(
    sympy.Eq(1, added * 2 ** (-mant_bits - 1)), 2 ** (mant_bits + 1), "Put in $\\varepsilon = 2^{-k_\\mathrm{m}-1}$ and solve."
)

gain = Formula(
    "format-gain", speedup, slowest(t_mem, t_comp) / slowest(shrink * t_mem, t_comp / quicken),
    resolves=False,
    says="Fewer bytes shorten the reading, a higher peak shortens the arithmetic, and each helps only while its clock is the slower one.",
    holds="reading and arithmetic fully overlapped; converting between formats is free",
)  # fmt: skip
Derivation(
    gain, slowest(t_mem, t_comp) / slowest(shrink * t_mem, t_comp / quicken),
    "Time before over time after: the bytes become $r_\\mathrm{B}$ of what they were, the operations run $r_\\mathrm{P}$ times as fast.",
)
