"""Peak rates from their parts, and what holds them down: clocks, power limits, and the energy of operations and bytes."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.expressions import slowest
from aiinfra.engine.formula import Formula
from aiinfra.symbols import (
    arithmetic_energy, batch, best_clock, beta_mem, byte_energy, byte_rate, clock, clock_ratio, devices, dynamic_power, energy,
    energy_balance, flop_energy, flop_rate, idle_power, intensity, machine_balance, memory_energy, needed_clock, peak, pin_rate, pins,
    power, power_balance, static_power, step_bytes, step_energy, step_flops, t_flop, t_step, unit_flops, units, volt_ratio,
)  # fmt: skip

unit = sympy.Symbol("i", integer=True, positive=True)

peak_from_parts = Formula(
    "peak-from-parts", peak, units * clock * unit_flops,
    resolves=False,
    says="Every unit does its operations in every clock.",
    holds="dense operations of one format, on units of one kind; the clock is the one the data sheet means",
)  # fmt: skip
Derivation(
    peak_from_parts, sympy.Sum(clock * unit_flops, (unit, 1, units)),
    "A unit does $w_\\mathrm{u}$ operations in a clock, and has $f_\\mathrm{clk}$ clocks in a second.",
).rewrite(
    units * clock * unit_flops, "All units are alike."
)

bandwidth_from_pins = Formula(
    "bandwidth-from-pins", beta_mem, pins * pin_rate,
    resolves=False,
    says="Every data pin moves its bits in every transfer.",
    holds="data pins only; refresh, turning round and error correction are not taken off",
)  # fmt: skip
Derivation(
    bandwidth_from_pins, sympy.Sum(pin_rate, (unit, 1, pins)),
    "Each pin moves bits on its own.",
).rewrite(pins * pin_rate, "All pins are alike.")

device_power = Formula(
    "device-power", power, idle_power + flop_energy * flop_rate + byte_energy * byte_rate,
    relation="~",
    resolves=False,
    says="What a device draws at rest, and for each operation and each byte its energy.",
    holds="one clock and voltage; energies that do not depend on the data, of which random ones need most",
)  # fmt: skip
Derivation(
    device_power, idle_power + flop_energy * flop_rate + byte_energy * byte_rate,
    "Model: energy for each operation times operations in a second, energy for each byte times bytes in a second, "
    "and a part that is always there.",
    relation="~",
)  # fmt: skip

energy_of_operations = Formula(
    "arithmetic-energy", arithmetic_energy, flop_energy * step_flops,
    says="Each operation takes its energy.",
    holds="one clock and voltage; the part of the power that is always there is left out",
)  # fmt: skip
Derivation(energy_of_operations, flop_energy * step_flops, "Energy of one operation, as often as there are operations.")

energy_of_bytes = Formula(
    "memory-energy", memory_energy, byte_energy * step_bytes,
    says="Each byte that is moved takes its energy, whenever it is moved.",
    holds="all bytes over the same path; the part of the power that is always there is left out",
)  # fmt: skip
Derivation(energy_of_bytes, byte_energy * step_bytes, "Energy of one byte, as often as there are bytes.")

energy_of_step = Formula(
    "step-energy", step_energy, devices * idle_power * t_step + flop_energy * step_flops + byte_energy * step_bytes,
    relation="~",
    says="The part that is always there counts for as long as the step lasts; the rest does not depend on the time.",
    holds="as for the power of a device; all devices share the work evenly; links between them are left out",
)  # fmt: skip
Derivation(energy_of_step, devices * power * t_step, "Power of all devices times time.").using(device_power).when(
    sympy.Eq(flop_rate, step_flops / (devices * t_step)),
    devices * (idle_power + byte_energy * byte_rate) * t_step + flop_energy * step_flops,
    "Each device does its share of the operations in that time.",
).when(
    sympy.Eq(byte_rate, step_bytes / (devices * t_step)),
    devices * idle_power * t_step + flop_energy * step_flops + byte_energy * step_bytes,
    "And its share of the bytes: the time cancels.",
)  # fmt: skip

energy_of_token = Formula(
    "token-energy", energy, step_energy / batch,
    resolves=False,
    says="The energy of a step is shared by the tokens that it gives.",
    holds="one token for each request and step",
)  # fmt: skip
Derivation(energy_of_token, step_energy / batch, "A step ends with one new token for each of $B$ requests.")

balance_of_energy = Formula(
    "energy-balance", energy_balance, byte_energy / flop_energy,
    says="The operations that take as much energy as moving one byte.",
    holds="as for the power of a device",
)  # fmt: skip
Derivation(balance_of_energy, energy_balance, "At balance, the operations for each byte take as much energy as the byte.").when(
    sympy.Eq(flop_energy * energy_balance, byte_energy), byte_energy / flop_energy, "Solve for the intensity."
)

time_under_cap = Formula(
    "capped-time", t_flop, slowest(1 / peak, 1 / (beta_mem * intensity), (flop_energy + byte_energy / intensity) / (power - idle_power)),
    relation=">=",
    says="An operation waits for the arithmetic, for its share of the reading, or for its share of the power.",
    holds="power held at or below the limit $P_\\mathrm{el}$ on average; energies as for the power of a device, rated peak and bandwidth",
    valid=(power > idle_power,),
    cites=("williams2009roofline",),
)  # fmt: skip
Derivation(time_under_cap, t_flop, "What is sought is the mean time between two operations.").at_least(
    slowest(1 / peak, 1 / (beta_mem * intensity), (flop_energy + byte_energy / intensity) / (power - idle_power)),
    "In that time no more than one operation's share passes: of the peak, of the bandwidth with $1/I$ bytes, and of the power that "
    "the idle part leaves, with the energy of the operation and of its bytes.",
    given=(
        1 <= peak * t_flop, 1 / intensity <= beta_mem * t_flop,
        flop_energy + byte_energy / intensity <= (power - idle_power) * t_flop,
    ),
)  # fmt: skip

rate_under_cap = Formula(
    "capped-rate", flop_rate,
    1 / slowest(1 / peak, 1 / (beta_mem * intensity), (flop_energy + byte_energy / intensity) / (power - idle_power)),
    relation="<=",
    says="The roofline with one more ceiling, which power draws and which bends where the roofline has its ridge.",
    holds="as for the time",
    valid=(power > idle_power,),
)  # fmt: skip
Derivation(rate_under_cap, 1 / t_flop, "One operation in each such time.").using(time_under_cap)

cap_intensity = Formula(
    "power-balance", power_balance, byte_energy / ((power - idle_power) / peak - flop_energy),
    relation="~",
    says="Below this intensity the bytes take power that the peak would need; above it the peak fits into the limit.",
    holds="as for the power of a device; a limit that lets the arithmetic alone run at its peak",
    valid=(power > idle_power + flop_energy * peak,),
)  # fmt: skip
Derivation(
    cap_intensity, power_balance, "At the peak rate, operations and their bytes take just what the limit leaves beyond the idle part.",
    relation="~",
).when(
    sympy.Eq(power - idle_power, peak * (flop_energy + byte_energy / power_balance)),
    byte_energy / ((power - idle_power) / peak - flop_energy),
    "Solve for the intensity.",
)  # fmt: skip

power_at_clock = Formula(
    "clock-power", power, static_power + dynamic_power * clock_ratio**3,
    relation="~",
    resolves=False,
    says="Power grows with the cube of the clock, apart from what the clock does not change.",
    holds="voltage in proportion to the clock; towards the lowest voltage the power only falls in proportion",
)  # fmt: skip
Derivation(
    power_at_clock, static_power + dynamic_power * clock_ratio * volt_ratio**2,
    "Model: each switch takes an energy that grows with the square of the voltage, and there are as many switches as clocks.", relation="~",
).when(sympy.Eq(volt_ratio, clock_ratio), static_power + dynamic_power * clock_ratio**3,
    "A faster clock needs a higher voltage, here in proportion.")  # fmt: skip

clock_under_cap = Formula(
    "clock-under-cap", clock_ratio, ((power - static_power) / dynamic_power) ** sympy.Rational(1, 3),
    relation="~",
    says="A limit on power holds the clock down by the cube root only.",
    holds="as for the power at a clock; above 1 the limit does not bind",
    valid=(power > static_power,),
)  # fmt: skip
Derivation(clock_under_cap, clock_ratio, "What is sought is the clock at which the limit is just reached.", relation="~").when(
    sympy.Eq(power, static_power + dynamic_power * clock_ratio**3), ((power - static_power) / dynamic_power) ** sympy.Rational(1, 3),
    "Solve the power at a clock for the clock.",
)  # fmt: skip

energy_at_clock = Formula(
    "clock-energy", flop_energy, (static_power + dynamic_power * clock_ratio**3) / (peak * clock_ratio),
    relation="~",
    resolves=False,
    says="A slow clock stretches the static part over fewer operations, a fast one needs a higher voltage for each.",
    holds="arithmetic without a pause; as for the power at a clock",
)  # fmt: skip
Derivation(
    energy_at_clock, power / (peak * clock_ratio),
    "Power over operations in a second, which follow the clock.",
).using(power_at_clock)

clock_of_least_energy = Formula(
    "best-clock", best_clock, (static_power / (2 * dynamic_power)) ** sympy.Rational(1, 3),
    relation="~",
    says="The energy of an operation is least where the static part is twice the dynamic one.",
    holds="as for the energy at a clock; a result above 1 means the fastest clock",
)  # fmt: skip
Derivation(
    clock_of_least_energy, best_clock,
    "The energy of an operation, $(P_\\mathrm{st}/\\phi + P_\\mathrm{dyn}\\,\\phi^2)/P$, neither rises nor falls where the slopes of its "
    "two parts cancel: $P_\\mathrm{st}/\\phi^2 = 2 P_\\mathrm{dyn}\\,\\phi$.", relation="~",
).when(
    sympy.Eq(static_power / best_clock**2, 2 * dynamic_power * best_clock), (static_power / (2 * dynamic_power)) ** sympy.Rational(1, 3),
    "Solve for the clock.",
)  # fmt: skip

clock_for_memory = Formula(
    "needed-clock", needed_clock, intensity / machine_balance,
    says="Work that memory binds needs only this share of the clock for its arithmetic.",
    holds="intensity below the balance of the device; the clock of the memory and of the path to it stays as it is",
    valid=(intensity <= machine_balance,),
)  # fmt: skip
Derivation(
    clock_for_memory, needed_clock, "At the clock sought, the arithmetic takes as long as the reading.",
).when(
    sympy.Eq(intensity / (peak * needed_clock), 1 / beta_mem), intensity * beta_mem / peak,
    "For each byte, $I$ operations at a peak that follows the clock."
).when(sympy.Eq(machine_balance, peak / beta_mem), intensity / machine_balance,
    "Peak over bandwidth is the balance of the device.")  # fmt: skip
