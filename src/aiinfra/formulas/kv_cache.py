"""The key/value cache: bytes per token and bytes of a batch."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import b_kv, batch, context, d_head, kv_bytes, kv_token, n_kv, n_layer

layer = sympy.Symbol("l", integer=True, positive=True)

kv_bytes_per_token = Formula(
    "kv-bytes-per-token", kv_token, 2 * n_layer * n_kv * d_head * b_kv,
    says="One key and one value in every layer, for every key/value head.",
    holds="full attention on every layer; keys and values share one element size",
    cites=("ainslie2023gqa",),
)  # fmt: skip
Derivation(
    kv_bytes_per_token,
    sympy.Sum(n_kv * d_head * b_kv + n_kv * d_head * b_kv, (layer, 1, n_layer)),
    "Each layer keeps, for every token, a key and a value of width $d_\\mathrm{h}$ per key/value head.",
).rewrite(2 * n_layer * n_kv * d_head * b_kv, "All layers are alike.")

kv_cache_bytes = Formula(
    "kv-bytes", kv_bytes, batch * context * kv_token,
    says="Every request in the batch keeps the keys and values of all its tokens.",
    holds="no prefix shared between requests; whole pages of a paged cache are not rounded up",
    cites=("kwon2023vllm",),
)  # fmt: skip
Derivation(kv_cache_bytes, batch * context * kv_token, "$B$ requests hold $S$ tokens each, and a token keeps $m_\\mathrm{kv}$ bytes.")
