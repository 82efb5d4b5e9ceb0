"""Moving bytes over one path: bandwidth, the time of a trip, and the size where they balance."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import alpha, beta, data, half_rate_bytes, t_move, trips

transfer_time = Formula(
    "transfer-time", t_move, data / beta,
    relation=">=",
    says="No path moves bytes faster than its bandwidth.",
    holds="bandwidth in the direction of travel; bytes and bandwidth in the same kind of byte",
)  # fmt: skip
Derivation(
    transfer_time, t_move, "Bandwidth is the largest number of bytes that pass in a second: $D \\le \\beta\\,t_\\mathrm{move}$."
).at_least(
    data / beta, "Divide by the bandwidth.", given=(data <= beta * t_move,)
)

transfer_with_trips = Formula(
    "transfer-time-with-trips", t_move, trips * alpha + data / beta,
    relation="~",
    says="Each trip that waits for the one before adds its own time; the bytes add theirs once.",
    holds="the trips follow each other; each waits the same time",
)  # fmt: skip
trip = sympy.Symbol("i", integer=True, positive=True)
Derivation(
    transfer_with_trips, sympy.Sum(alpha + data / (trips * beta), (trip, 1, trips)),
    "Model: each of $q$ trips waits $\\alpha$ and then moves its share of the bytes at full bandwidth.", relation="~",
).rewrite(trips * alpha + data / beta, "All trips are alike.")  # fmt: skip

half_rate_size = Formula(
    "half-rate-size", half_rate_bytes, alpha * beta,
    says="The message for which waiting and moving take equally long; a path works well only far above it.",
    holds="one trip",
    valid=(alpha > 0,),
)  # fmt: skip
Derivation(
    half_rate_size, half_rate_bytes, "At half the bandwidth, moving the bytes takes as long as the trip: $D_{1/2}/\\beta = \\alpha$.",
).when(sympy.Eq(half_rate_bytes / beta, alpha), alpha * beta, "Multiply by the bandwidth.")  # fmt: skip
