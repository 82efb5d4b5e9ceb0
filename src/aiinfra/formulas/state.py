"""State of a request: what one layer keeps, entry by entry, and mixes of layers that keep different things."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    b_kv, b_rec, context, d_entry, d_head, d_rec_k, d_rec_v, fixed_state, kept, n_full_layer, n_kv, n_rec, n_rec_layer, n_window_layer,
    page, pages, request_state, state_balance, state_bytes, window,
)  # fmt: skip

layer = sympy.Symbol("l", integer=True, positive=True)

layer_state = Formula(
    "layer-state-bytes", state_bytes, kept * d_entry * b_kv,
    says="Entries, each a vector of fixed width, in the bytes of their format.",
    holds="exact bytes; pages of an engine are not rounded up",
)  # fmt: skip
Derivation(layer_state, kept * d_entry * b_kv, "A layer keeps $n_\\mathrm{s}$ entries of $d_\\mathrm{s}$ elements.")

recurrent_state = Formula(
    "recurrent-state-bytes", fixed_state, n_rec_layer * n_rec * d_rec_k * d_rec_v * b_rec,
    says="A matrix per head and layer, whatever the length of the request.",
    holds="the inputs that short convolutions keep are left out",
    cites=("dao2024mamba2",),
)  # fmt: skip
Derivation(
    recurrent_state, sympy.Sum(n_rec * d_rec_k * d_rec_v * b_rec, (layer, 1, n_rec_layer)),
    "Each head of each recurrent layer keeps a state of $d_\\mathrm{rk}$ by $d_\\mathrm{rv}$.",
).rewrite(n_rec_layer * n_rec * d_rec_k * d_rec_v * b_rec, "All layers are alike.")  # fmt: skip

hybrid_state = Formula(
    "hybrid-state-bytes", request_state, 2 * n_full_layer * n_kv * d_head * b_kv * context + fixed_state,
    says="The attention layers keep keys and values of every token, the recurrent ones a state of fixed size.",
    holds="full attention in the layers that attend",
    resolves=False,
)  # fmt: skip
Derivation(
    hybrid_state, sympy.Sum(2 * n_kv * d_head * b_kv * context, (layer, 1, n_full_layer)) + fixed_state,
    "Add what both kinds of layers keep.",
).rewrite(2 * n_full_layer * n_kv * d_head * b_kv * context + fixed_state, "All attention layers are alike.")  # fmt: skip

window_state = Formula(
    "window-state-bytes", request_state, 2 * n_kv * d_head * b_kv * (n_full_layer * context + n_window_layer * sympy.Min(context, window)),
    says="Layers with a window stop growing when the window is full.",
    holds="one shape of heads in both kinds of layers; an engine that drops what a window no longer sees",
    resolves=False,
)  # fmt: skip
Derivation(
    window_state,
    2 * n_kv * d_head * b_kv
    * (sympy.Sum(context, (layer, 1, n_full_layer)) + sympy.Sum(sympy.Min(context, window), (layer, 1, n_window_layer))),
    "Every layer keeps a key and a value for each token that it may still meet.",
).rewrite(
    2 * n_kv * d_head * b_kv * (n_full_layer * context + n_window_layer * sympy.Min(context, window)), "Layers of a kind are alike."
)  # fmt: skip

state_breaks_even = Formula(
    "state-balance", state_balance, n_rec * d_rec_k * d_rec_v * b_rec / (2 * n_kv * d_head * b_kv),
    says="A recurrent layer keeps less than an attention layer once the context is longer than this.",
    holds="one layer of each kind; the inputs that short convolutions keep are left out",
)  # fmt: skip
Derivation(
    state_breaks_even, state_balance, "At balance, the keys and values of so many tokens take the bytes of the state.",
).when(
    sympy.Eq(2 * n_kv * d_head * b_kv * state_balance, n_rec * d_rec_k * d_rec_v * b_rec),
    n_rec * d_rec_k * d_rec_v * b_rec / (2 * n_kv * d_head * b_kv),
    "Divide by the bytes of one token.",
)  # fmt: skip

pages_of_request = Formula(
    "pages", pages, sympy.ceiling(context / page),
    says="A cache in pages holds whole pages; the last one is part empty.",
    holds="a layer that keeps every token",
    cites=("kwon2023vllm",),
)  # fmt: skip
Derivation(pages_of_request, sympy.ceiling(context / page), "A page that is begun is held whole.")
