"""Work in flight: what a memory needs to be busy, what threads and copies provide, and what hides the wait of arithmetic."""

import sympy
from sympy import Min, ceiling, floor

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    beta_mem, byte_rate, delay, flight, flight_needed, lanes, line_bytes, lines, most_threads, ready, register_use, registers, stage,
    stages, t_lat, thread_bytes, threads, units,
)  # fmt: skip

unit = sympy.Symbol("i", integer=True, positive=True)

needed = Formula(
    "bytes-in-flight", flight_needed, beta_mem * t_lat,
    says="A memory is busy when as many bytes are on their way as it delivers in the time that one request takes: Little's law.",
    holds="full rated bandwidth; requests that take $t_\\mathrm{lat}$ each",
    cites=("little1961proof",),
)  # fmt: skip
Derivation(
    needed, flight_needed, "Each byte is on its way for $t_\\mathrm{lat}$, so $D_{\\mathrm{fly}\\ast}$ of them bring "
    "$D_{\\mathrm{fly}\\ast}/t_\\mathrm{lat}$ in a second. That has to be the bandwidth.",
).when(sympy.Eq(flight_needed / t_lat, beta_mem), beta_mem * t_lat, "Multiply by the time.")  # fmt: skip

open_requests = Formula(
    "lines-in-flight", lines, beta_mem * t_lat / (units * line_bytes),
    says="The same for one unit, counted in requests.",
    holds="units that read alike, requests of one size",
)  # fmt: skip
Derivation(open_requests, flight_needed / (units * line_bytes), "A unit's share of the bytes, in requests.").using(needed)

upper = Formula(
    "flight-bandwidth", byte_rate, Min(beta_mem, flight / t_lat),
    relation="<=",
    says="With too little in flight the rate is what is in flight over the time of one request.",
    holds="no request takes less than $t_\\mathrm{lat}$",
    cites=("little1961proof", "denning1978operational"),
)  # fmt: skip
Derivation(upper, byte_rate, "What is sought is the rate.").at_most(
    Min(beta_mem, flight / t_lat),
    "No more comes than the memory delivers; and while a request is under way, for $t_\\mathrm{lat}$ or longer, no more than was asked "
    "for.",
    given=(byte_rate <= beta_mem, byte_rate * t_lat <= flight),
)

lower = Formula(
    "flight-bandwidth-least", byte_rate, flight / (t_lat + flight / beta_mem),
    relation=">=",
    says="Even if every request had to wait for all others in flight, this much would come.",
    holds="a memory that is never idle while it has requests; each waits at most for those that are in flight with it",
    cites=("denning1978operational",),
)  # fmt: skip
Derivation(lower, byte_rate, "What is sought is the rate.").at_least(
    flight / (t_lat + flight / beta_mem),
    "A request takes its own time, and at most that in which the memory serves everything in flight. By Little's law "
    "$D_\\mathrm{fly}$ is the rate times the time of a request.",
    given=(flight <= byte_rate * (t_lat + flight / beta_mem),),
)

resident = Formula(
    "resident-threads", threads, Min(most_threads, floor(registers / (units * register_use))),
    says="A unit keeps as many threads as its registers hold, and no more than it can count.",
    holds="registers set the limit, not the memory inside the unit; threads come in groups, which rounds down further",
)  # fmt: skip
Derivation(
    resident,
    Min(most_threads, floor(registers / (units * register_use))),
    "The registers of one unit, $M_\\mathrm{reg}/n_\\mathrm{u}$, in those of one thread, or as many as the unit can count.",
)

by_threads = Formula(
    "thread-flight", flight, units * threads * thread_bytes,
    says="Every thread that is resident has asked for its bytes and waits.",
    holds="an upper bound for real programs, whose threads also start, compute and end",
)  # fmt: skip
Derivation(by_threads, sympy.Sum(threads * thread_bytes, (unit, 1, units)), "Each unit has its threads, each thread its bytes.").rewrite(
    units * threads * thread_bytes, "All units are alike."
)

copies = Formula(
    "copy-stages", stages, ceiling(beta_mem * t_lat / (units * stage)),
    relation=">=",
    says="So many copies have to be under way in each unit, besides the one that is being worked on.",
    holds="copies that need no threads while they are under way; each has its own room in the memory inside the unit",
)  # fmt: skip
Derivation(copies, stages, "What is sought is the number of copies.").at_least(
    flight_needed / (units * stage),
    "Together they hold at least what has to be in flight.",
    given=(stages * units * stage >= flight_needed,),
).using(needed).whole("Copies are whole.")

independent = Formula(
    "independent-operations", ready, lanes * delay,
    says="Little's law for arithmetic: what a unit starts in a clock, for as many clocks as a result takes.",
    holds="full rate of one kind of operation",
    cites=("volkov2016latency",),
)  # fmt: skip
Derivation(
    independent, sympy.Sum(lanes, (unit, 1, delay)),
    "Until the first result is there, $k_\\mathrm{lat}$ clocks pass, and in each of them $n_\\mathrm{lane}$ operations start that cannot "
    "use it.",
).rewrite(lanes * delay, "All clocks are alike.")  # fmt: skip
