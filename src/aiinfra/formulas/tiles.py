"""Products in tiles: padding, waves over the units, and the traffic that a tile saves."""

import sympy
from sympy import ceiling

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    b_acc, b_act, b_w, busy, d_in, d_out, expert_tokens, filled, intensity, near, one_flop, op_bytes, peak, pieces, path_balance, side,
    t_op, tile_cols, tile_rows, tiles, tokens, units, wave_bytes, wave_rows, waves,
)  # fmt: skip

tile = sympy.Symbol("i", integer=True, positive=True)
extra = sympy.Symbol("r", integer=True, nonnegative=True)
grid = ceiling(tokens / tile_rows) * ceiling(d_out / tile_cols)

count = Formula(
    "tile-count", tiles, grid,
    says="The result is cut into tiles of one size; those at the edges are computed whole.",
    holds="one size of tile for the whole product",
    cites=("nvidia2026matrix",),
)  # fmt: skip
Derivation(
    count,
    sympy.Sum(ceiling(d_out / tile_cols), (tile, 1, ceiling(tokens / tile_rows))),
    "Rows of tiles cover the tokens, and in each row tiles cover the outputs.",
).rewrite(grid, "All rows are alike.")

useful_share = Formula(
    "useful-share", filled, tokens * d_out / (tiles * tile_rows * tile_cols),
    says="What is wanted, over what the tiles compute.",
    holds="padding takes as long as results",
    valid=(tiles > 0,),
    resolves=False,
    cites=("nvidia2026matrix",),
)  # fmt: skip
Derivation(
    useful_share, tokens * d_out / sympy.Sum(tile_rows * tile_cols, (tile, 1, tiles)),
    "There are $n_\\mathrm{t}\\,d_\\mathrm{out}$ results; each tile has places for $T_\\mathrm{m}\\,T_\\mathrm{n}$ of them.",
).rewrite(tokens * d_out / (tiles * tile_rows * tile_cols), "All tiles are alike.")  # fmt: skip

expert_padding = Formula(
    "expert-padding", filled, expert_tokens / (expert_tokens + (tile_rows - 1) / sympy.Integer(2)),
    relation="~",
    says="Every expert ends in a tile that is partly empty, on average by half of its rows.",
    holds="each touched expert has tiles of its own; token counts that leave every remainder equally often, so not far fewer than a tile",
)  # fmt: skip
Derivation(
    expert_padding, expert_tokens / (expert_tokens + sympy.Sum(extra, (extra, 0, tile_rows - 1)) / tile_rows),
    "Model: the last tile lacks from 0 to $T_\\mathrm{m} - 1$ tokens, each as often.", relation="~",
).rewrite(expert_tokens / (expert_tokens + (tile_rows - 1) / sympy.Integer(2)), "The mean of the first whole numbers.")  # fmt: skip

wave_count = Formula(
    "waves", waves, ceiling(pieces * tiles / units),
    says="The units take one tile each until none is left; the last round is as long as the others, however few tiles it has.",
    holds="one tile or part of a tile at a time on each unit, all equally long",
    cites=("nvidia2026matrix",),
)  # fmt: skip
Derivation(
    wave_count,
    ceiling(pieces * tiles / units),
    "Each round takes at most $n_\\mathrm{u}$ of the $n_\\mathrm{sp}\\,n_\\mathrm{tile}$ pieces of work; what is left over takes a "
    "round of its own.",
)

busy_share = Formula(
    "wave-share", busy, pieces * tiles / (units * waves),
    says="One tile more than the units can take at once halves it.",
    holds="as for the waves",
    valid=(waves > 0,),
    cites=("nvidia2026matrix",),
)  # fmt: skip
Derivation(
    busy_share, pieces * tiles * t_op / sympy.Sum(units * t_op, (tile, 1, waves)),
    "Pieces of work over the places for them, in time: each round lasts as long as one piece, on every unit.",
).rewrite(pieces * tiles / (units * waves), "All rounds are alike.")  # fmt: skip

product_time = Formula(
    "tiled-time", t_op, waves * 2 * one_flop * tile_rows * tile_cols * d_in * units / (pieces * peak),
    relation=">=",
    says="As many rounds as there are, each as long as a unit needs for a whole tile.",
    holds="rated peak, spread evenly over the units; memory, and adding up the parts of a split sum, are left out",
    resolves=False,
)  # fmt: skip
Derivation(product_time, t_op, "What is sought is the time of the product.").at_least(
    waves * (2 * one_flop * tile_rows * tile_cols * (d_in / pieces) / (peak / units)),
    "A round lasts at least as long as one piece on one unit, which has the share $1/n_\\mathrm{u}$ of the peak.",
    given=(waves * (2 * one_flop * tile_rows * tile_cols * (d_in / pieces) / (peak / units)) <= t_op,),
)

tiled_traffic = Formula(
    "tiled-bytes", op_bytes, tokens * d_in * d_out * (b_w / tile_rows + b_act / tile_cols) + b_act * tokens * d_out,
    says="Twice as large a tile reads half as much; only the result is written once.",
    holds="sizes that are multiples of the tile; nothing shared between tiles",
    resolves=False,
    cites=("hong1981pebble",),
)  # fmt: skip
Derivation(
    tiled_traffic,
    sympy.Sum(
        tile_rows * d_in * b_act + tile_cols * d_in * b_w + tile_rows * tile_cols * b_act,
        (tile, 1, tokens * d_out / (tile_rows * tile_cols)),
    ),
    "Each tile reads the inputs of its $T_\\mathrm{m}$ tokens and the weights of its $T_\\mathrm{n}$ outputs, and writes its results.",
).rewrite(
    tokens * d_in * d_out * (b_w / tile_rows + b_act / tile_cols) + b_act * tokens * d_out, "All tiles are alike."
)  # fmt: skip

per_byte = Formula(
    "tile-intensity", intensity, 2 * one_flop / (b_w / tile_rows + b_act / tile_cols),
    says="Rows of the tile use a weight again, columns an input.",
    holds="long sums, beside which writing the result does not count; nothing shared between tiles",
    resolves=False,
    cites=("hong1981pebble",),
)  # fmt: skip
Derivation(per_byte, 2 * one_flop * tokens * d_in * d_out / op_bytes, "Operations of the product over its traffic.").using(
    tiled_traffic
).when((d_in, sympy.oo), 2 * one_flop / (b_w / tile_rows + b_act / tile_cols), "Long sums: the result no longer counts.")  # fmt: skip

least_side = Formula(
    "least-tile", side, path_balance * (b_w + b_act) / (2 * one_flop),
    says="A level that brings few bytes for each operation needs a large tile behind it.",
    holds="square tiles; the balance of the path from which tiles are filled",
)  # fmt: skip
Derivation(least_side, side, "A square tile has the intensity $2T_\\mathrm{sq}/(b_\\mathrm{w} + b_\\mathrm{a})$. At the ridge:").when(
    sympy.Eq(2 * one_flop * side, path_balance * (b_w + b_act)),
    path_balance * (b_w + b_act) / (2 * one_flop),
    "Solve for the side.",
)  # fmt: skip

root_law = Formula(
    "memory-intensity", intensity, 2 * one_flop * sympy.sqrt(near / b_acc) / (b_w + b_act),
    relation="<=",
    says="Four times the memory for sums doubles the intensity that a tile can reach.",
    holds="square tiles whose sums stay in that memory; inputs and weights pass through and take no room",
    cites=("hong1981pebble",),
)  # fmt: skip
Derivation(root_law, 2 * one_flop * side / (b_w + b_act), "The intensity of a square tile.").at_most(
    2 * one_flop * sympy.sqrt(near / b_acc) / (b_w + b_act),
    "Its sums, $T_\\mathrm{sq}^2$ of them, have to fit.",
    given=(side <= sympy.sqrt(near / b_acc),),
)

down, across = wave_rows * tile_rows * b_act, units / wave_rows * tile_cols * b_w
read_by_wave = Formula(
    "wave-bytes", wave_bytes, 2 * sympy.sqrt(units * tile_rows * tile_cols * b_w * b_act),
    relation=">=",
    says="Tiles that are worked on side by side share their inputs and weights; a block whose rows and columns read alike reads least.",
    holds="one wave of tiles in a block, fed from a cache in which all find what one of them has read",
)  # fmt: skip
Derivation(
    read_by_wave, down + across,
    "A block of $n_\\mathrm{wr}$ rows of tiles reads the inputs of its rows and the weights of its $n_\\mathrm{u}/n_\\mathrm{wr}$ columns.",
).rewrite(
    (sympy.sqrt(down) - sympy.sqrt(across)) ** 2 + 2 * sympy.sqrt(down) * sympy.sqrt(across),
    "A sum is the square of the difference of the two roots, and twice their product.",
).at_least(
    2 * sympy.sqrt(units * tile_rows * tile_cols * b_w * b_act), "A square is not negative; from the product the number of rows cancels."
)  # fmt: skip

wave_root = Formula(
    "wave-intensity", intensity, one_flop * sympy.sqrt(units * tile_rows * tile_cols / (b_w * b_act)),
    relation="<=",
    says="The tiles of a wave act towards the memory as one tile of their whole area.",
    holds="as for the bytes of a wave; long sums",
)  # fmt: skip
Derivation(
    wave_root,
    2 * one_flop * units * tile_rows * tile_cols / wave_bytes,
    "For each step of the sums, operations of all tiles of the wave over what they read.",
).using(read_by_wave)
