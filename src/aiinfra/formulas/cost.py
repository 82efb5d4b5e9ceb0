"""Price and energy."""

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import cost, devices, energy, power, price, rate, run_cost, t_run

cost_per_token = Formula(
    "cost-per-token", cost, devices * price / rate,
    says="What the devices cost in a second, over the tokens of that second.",
    holds="devices paid for all the time and busy all the time; nothing but the devices is counted",
)  # fmt: skip
Derivation(cost_per_token, (devices * price) / rate, "Price per second over tokens per second.")

energy_per_token = Formula(
    "energy-per-token", energy, devices * power / rate,
    says="What the devices draw, over the tokens of a second.",
    holds="devices at their rated power; host, network and cooling are left out",
)  # fmt: skip
Derivation(energy_per_token, (devices * power) / rate, "Energy per second over tokens per second.")

cost_of_run = Formula(
    "run-cost", run_cost, devices * t_run * price,
    says="Devices, time and price: a device costs the same idle or busy.",
    holds="all devices are held for the whole time",
)  # fmt: skip
Derivation(cost_of_run, devices * t_run * price, "Every device is paid for every second.")
