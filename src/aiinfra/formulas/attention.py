"""Attention: which positions meet, how many pairs that makes over a sequence, and what a pair costs."""

import sympy
from sympy import Min, floor

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    attention_balance, attention_flops, causal_share, chosen, chunk, d_head, d_index, d_key, d_value, earlier, entries, index_flops,
    n_index, n_layer, n_q, n_read, one_flop, own_pairs, pairs, ratio, sequence, window,
)  # fmt: skip

position = sympy.Symbol("i", integer=True, positive=True)
number = sympy.Symbol("j", integer=True, positive=True)

attention_work = Formula(
    "attention-flops", attention_flops, 2 * one_flop * n_q * pairs * (d_key + d_value),
    says="For each pair, every query head takes one dot product with the key and adds up one weighted value.",
    holds="scaling, softmax and masks are left out",
    cites=("vaswani2017attention",),
)  # fmt: skip
Derivation(
    attention_work, one_flop * n_q * (2 * pairs * d_key + 2 * pairs * d_value),
    "A dot product of width $d_\\mathrm{k}$ gives the score, two operations per element; adding the value of width $d_\\mathrm{v}$, times "
    "its weight, takes two more per element.",
).rewrite(2 * one_flop * n_q * pairs * (d_key + d_value), "Collect the factors.")  # fmt: skip

index_work = Formula(
    "index-flops", index_flops, 2 * one_flop * n_index * pairs * d_index,
    says="An index scores every pair, with heads of its own and no values.",
    holds="the sum over heads, the activation and the choice of the best are left out",
    cites=("deepseek2025v32",),
)  # fmt: skip
Derivation(index_work, 2 * one_flop * n_index * pairs * d_index, "One dot product of width $d_\\mathrm{ix}$ for each index head and pair.")

causal_pairs = Formula(
    "causal-pairs", pairs, sequence * (sequence + 1) / 2,
    says="Each token meets itself and all tokens before it: half of the square, and half of its diagonal more.",
    holds="full causal attention, nothing cached before the first of these tokens",
    resolves=False,
)  # fmt: skip
Derivation(
    causal_pairs, sympy.Sum(position, (position, 1, sequence)), "The token at position $i$ meets $i$ tokens.",
).rewrite(sequence * (sequence + 1) / 2, "The sum of the first whole numbers.")  # fmt: skip

all_pairs = Formula(
    "rectangle-pairs", pairs, sequence**2,
    says="Without a causal order, or in a kernel that computes what it then masks, every token meets every token.",
    holds="full attention, nothing cached before the first of these tokens",
    resolves=False,
)  # fmt: skip
Derivation(all_pairs, sympy.Sum(sequence, (position, 1, sequence)), "Each of the tokens meets all of them.").rewrite(
    sequence**2, "All tokens are alike."
)

window_entries = Formula(
    "window-entries", entries, Min(sequence, window),
    says="A window of $w$ positions holds the token itself and the $w - 1$ before it.",
    holds="the last token of the sequence",
    resolves=False,
)  # fmt: skip
Derivation(window_entries, Min(sequence, window), "All positions there are, but no more than the window takes.")

full = Min(sequence, window)  # the tokens before which the window is not yet full
window_pairs = Formula(
    "window-pairs", pairs, full * (full + 1) / 2 + (sequence - full) * window,
    says="A triangle until the window is full, a band of the width of the window after that.",
    holds="causal attention in a window, nothing cached before the first of these tokens",
    resolves=False,
    cites=("jiang2023mistral",),
)  # fmt: skip
Derivation(
    window_pairs, sympy.Sum(position, (position, 1, full)) + sympy.Sum(window, (position, full + 1, sequence)),
    "The first tokens, up to the window's width, meet all before them; each later one meets $w$.",
).rewrite(full * (full + 1) / 2 + (sequence - full) * window, "Sum both parts.")  # fmt: skip

chunk_entries = Formula(
    "chunk-entries", entries, sequence - chunk * floor((sequence - 1) / chunk),
    says="A token sees its chunk only, from the start of the chunk to itself.",
    holds="the last token of a sequence of one or more; chunks start at position one",
    valid=(sequence > 0,),
    resolves=False,
)  # fmt: skip
Derivation(
    chunk_entries, sequence - chunk * floor((sequence - 1) / chunk),
    "Of the tokens up to this one, those in earlier chunks, all of them full, are out of sight.",
)  # fmt: skip

whole_chunks = floor(sequence / chunk)
rest = sequence - chunk * whole_chunks
chunk_pairs = Formula(
    "chunk-pairs", pairs, whole_chunks * chunk * (chunk + 1) / 2 + rest * (rest + 1) / 2,
    says="One triangle for each whole chunk, and a smaller one for the chunk that is begun.",
    holds="causal attention within chunks, nothing cached before the first of these tokens",
    resolves=False,
)  # fmt: skip
Derivation(
    chunk_pairs,
    sympy.Sum(sympy.Sum(position, (position, 1, chunk)), (number, 1, whole_chunks)) + sympy.Sum(position, (position, 1, rest)),
    "Within its chunk, the token at position $i$ meets $i$ tokens.",
).rewrite(whole_chunks * chunk * (chunk + 1) / 2 + rest * (rest + 1) / 2, "Sum the triangles.")

compressed_entries = Formula(
    "compressed-entries", entries, floor(sequence / ratio),
    says="Every $m$ tokens become one entry; a group that is not complete has none yet.",
    holds="the last token of the sequence; groups do not overlap, or overlap without adding entries",
    resolves=False,
    cites=("deepseek2026v4",),
)  # fmt: skip
Derivation(compressed_entries, floor(sequence / ratio), "The groups that are complete.")

chosen_entries = Formula(
    "chosen-entries", entries, Min(floor(sequence / ratio), chosen),
    says="An index keeps the best entries, or all while there are no more than it may keep.",
    holds="the last token of the sequence; $m$ is one where entries are not compressed",
    resolves=False,
    cites=("deepseek2025v32", "deepseek2026v4"),
)  # fmt: skip
Derivation(chosen_entries, Min(floor(sequence / ratio), chosen), "The entries there are, but no more than the index chooses.")

chosen_pairs = Formula(
    "chosen-pairs", pairs, ratio * entries * (entries - 1) / 2 + entries * (sequence - ratio * entries + 1),
    says="A staircase with steps of $m$ tokens, which ends where there is something to choose: then every token meets as many as the last.",
    holds="causal attention to compressed or chosen entries, of which the last token meets $n_\\mathrm{e}$; nothing cached before these "
    "tokens",
    valid=(ratio * entries <= sequence,),
    resolves=False,
)  # fmt: skip
Derivation(
    chosen_pairs, sympy.Sum(ratio * (position - 1), (position, 1, entries)) + entries * (sequence - ratio * entries + 1),
    "While entry number $i$ is the next to come, $m$ tokens meet $i - 1$ entries each. From the token that completes the last entry that "
    "counts, every token meets as many as the last one does.",
).rewrite(ratio * entries * (entries - 1) / 2 + entries * (sequence - ratio * entries + 1), "Sum the stairs.")  # fmt: skip

blocks_entries = Formula(
    "blocks-entries", entries, Min(sequence, (chosen - 1) * chunk + sequence - chunk * floor((sequence - 1) / chunk)),
    says="Whole blocks that an index chooses, and of the token's own block what is there.",
    holds="the last token of a sequence of one or more; the token's own block is always among those chosen",
    valid=(sequence > 0,),
    resolves=False,
)  # fmt: skip
Derivation(
    blocks_entries, Min(sequence, (chosen - 1) * chunk + sequence - chunk * floor((sequence - 1) / chunk)),
    "All but one of the chosen blocks are earlier, so they are full; while there are no more blocks than may be chosen, all tokens are "
    "met.",
)  # fmt: skip

blocks_before = Formula(
    "blocks-before", earlier, Min(floor((sequence - 1) / chunk), chosen - 1),
    says="The blocks that are complete before the token's own, but no more than may be chosen beside it.",
    holds="the last token of a sequence of one or more; the token's own block is always among those chosen",
    valid=(sequence > 0,),
)  # fmt: skip
Derivation(
    blocks_before, Min(floor((sequence - 1) / chunk), chosen - 1),
    "The $S - 1$ tokens before the last fill so many whole blocks; one of the chosen blocks is the token's own.",
)  # fmt: skip

blocks_pairs = Formula(
    "blocks-pairs", pairs, own_pairs + chunk * earlier * (2 * sequence - chunk * (earlier + 1)) / 2,
    says="Pairs within each token's own block, and a staircase of whole blocks before it that ends when all chosen blocks are there.",
    holds="causal attention to the blocks that an index chooses, nothing cached before the first of these tokens",
    valid=(chunk * earlier <= sequence,),
    resolves=False,
)  # fmt: skip
Derivation(
    blocks_pairs,
    own_pairs + chunk * (sympy.Sum(chunk * (position - 1), (position, 1, earlier)) + earlier * (sequence - chunk * earlier)),
    "The tokens of block number $i$ meet the $i - 1$ blocks before theirs, each of $w_\\mathrm{c}$ positions; once the last token's number "
    "$n_\\mathrm{bl}$ is reached, all tokens meet so many.",
).rewrite(own_pairs + chunk * earlier * (2 * sequence - chunk * (earlier + 1)) / 2, "Sum the stairs.")  # fmt: skip

causal_half = Formula(
    "causal-share", causal_share, (sequence + 1) / (2 * sequence),
    says="The causal order leaves half of the square, and a little more for short sequences.",
    holds="full causal attention, nothing cached before the first of these tokens",
    valid=(sequence > 0,),
)  # fmt: skip
Derivation(
    causal_half, sympy.Sum(position, (position, 1, sequence)) / sequence**2, "Causal pairs over all pairs.",
).rewrite((sequence + 1) / (2 * sequence), "The triangle over the square.")  # fmt: skip

attention_overtakes = Formula(
    "attention-balance", attention_balance, n_read / (2 * n_layer * n_q * d_head),
    says="Attention grows with the context, the matrices do not; here both do the same number of operations in a decode step.",
    holds="dense model with full attention",
)  # fmt: skip
Derivation(
    attention_overtakes, attention_balance, "At balance, the operations on the context are those on the weights.",
).when(
    sympy.Eq(2 * one_flop * n_read, 4 * one_flop * n_layer * n_q * d_head * attention_balance), n_read / (2 * n_layer * n_q * d_head),
    "Two operations per weight on one side, four per layer, head element and token on the other.",
)  # fmt: skip
