"""State of a request: what one layer keeps, entry by entry."""

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import b_kv, d_out, entries, state_bytes

layer_state = Formula(
    "layer-state-bytes", state_bytes, entries * d_out * b_kv,
    says="Entries, each a vector of fixed width, in the bytes of their format.",
    holds="exact bytes; pages of an engine are not rounded up",
)  # fmt: skip
Derivation(layer_state, entries * d_out * b_kv, "A layer keeps $n_\\mathrm{e}$ entries of $d_\\mathrm{out}$ elements.")
