"""Latent attention: what it caches, and its two ways to compute."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    attention_flops, b_kv, cached, d_latent, d_nope, d_rope, d_value, fresh, kv_token, latent_balance, n_kv, n_layer, n_q, one_flop, saving,
)  # fmt: skip

layer = sympy.Symbol("l", integer=True, positive=True)

grouping = Formula(
    "grouping-saving", saving, n_q / n_kv,
    says="Query heads that share a key/value head share its cache.",
    holds="heads of one width; $n_\\mathrm{kv}$ is $n_\\mathrm{q}$ for multi-head and 1 for multi-query attention",
    cites=("shazeer2019mqa", "ainslie2023gqa"),
)  # fmt: skip
Derivation(grouping, n_q / n_kv, "A cache of one key/value head per query head, over one of $n_\\mathrm{kv}$ heads.")

latent_bytes = Formula(
    "latent-bytes-per-token", kv_token, n_layer * (d_latent + d_rope) * b_kv,
    says="One latent vector and one rotary key per layer stand for the keys and values of all heads.",
    holds="multi-head latent attention on every layer; one element size",
    resolves=False,
    cites=("deepseek2024mla",),
)  # fmt: skip
Derivation(
    latent_bytes, sympy.Sum(d_latent * b_kv + d_rope * b_kv, (layer, 1, n_layer)),
    "Each layer keeps, for every token, the latent of width $d_\\mathrm{c}$ and the part of the key that carries the position.",
).rewrite(n_layer * (d_latent + d_rope) * b_kv, "All layers are alike.")  # fmt: skip

expanded = Formula(
    "latent-expanded-flops", attention_flops,
    2 * one_flop * n_q * cached * (d_latent * (d_nope + d_value) + fresh * (d_nope + d_rope + d_value)),
    says="Make keys and values of all heads from the cached latents, then attend with narrow heads.",
    holds="one layer, one request; pairs among the new tokens are left out, and so is their own expansion, which both ways share",
    resolves=False,
    cites=("deepseek2024mla",),
)  # fmt: skip
Derivation(
    expanded,
    2 * one_flop * cached * d_latent * n_q * (d_nope + d_value) + 2 * one_flop * n_q * fresh * cached * ((d_nope + d_rope) + d_value),
    "A matrix from $d_\\mathrm{c}$ to keys and values of all heads meets each cached latent once; then each new token meets "
    "each cached one with a key of width $d_\\mathrm{n} + d_\\mathrm{r}$ and a value of width $d_\\mathrm{v}$.",
).rewrite(
    2 * one_flop * n_q * cached * (d_latent * (d_nope + d_value) + fresh * (d_nope + d_rope + d_value)), "Collect the factors."
)  # fmt: skip

absorbed = Formula(
    "latent-absorbed-flops", attention_flops, 2 * one_flop * n_q * cached * fresh * (2 * d_latent + d_rope),
    says="Bring the query to the latent's width once, and attend to the cached vectors as they are.",
    holds="one layer, one request; moving queries and results between the widths costs what expanding a new token costs, and is left out "
    "with it",
    resolves=False,
    cites=("deepseek2024mla",),
)  # fmt: skip
Derivation(
    absorbed, 2 * one_flop * n_q * fresh * cached * (d_latent + d_rope) + 2 * one_flop * n_q * fresh * cached * d_latent,
    "Scores take the latent and the rotary key, values the latent again.",
).rewrite(2 * one_flop * n_q * cached * fresh * (2 * d_latent + d_rope), "Collect the widths.")  # fmt: skip

expanding_pays = Formula(
    "latent-balance", latent_balance, d_latent * (d_nope + d_value) / (2 * d_latent - d_nope - d_value),
    says="Expanding costs once per cached token and saves on every pair, so it pays when many tokens are processed at once.",
    holds="operations only, as counted for both ways: with many more cached tokens than new ones",
    valid=(2 * d_latent > d_nope + d_value,),
)  # fmt: skip
Derivation(
    expanding_pays, latent_balance, "At balance both ways do the same number of operations per head and cached token.",
).when(
    sympy.Eq(d_latent * (d_nope + d_value) + latent_balance * (d_nope + d_rope + d_value), latent_balance * (2 * d_latent + d_rope)),
    d_latent * (d_nope + d_value) / (2 * d_latent - d_nope - d_value),
    "The rotary part cancels.",
)  # fmt: skip
