"""Capacity: memory needed on each device, devices needed, and the batch that still fits."""

import sympy

from aiinfra.engine.derivation import Derivation
from aiinfra.engine.formula import Formula
from aiinfra.symbols import batch_max, context, device_bytes, devices, kv_bytes, kv_token, reserve, usable, weight_bytes

memory_per_device = Formula(
    "memory-per-device", device_bytes, (weight_bytes + kv_bytes) / devices + reserve,
    says="Weights and cache are split evenly; what the runtime needs is there on every device.",
    holds="even split of weights and cache over the devices, none of it replicated",
)  # fmt: skip
Derivation(
    memory_per_device, weight_bytes / devices + kv_bytes / devices + reserve,
    "A device holds its share of the weights, its share of the cache, and its own workspace.",
).rewrite((weight_bytes + kv_bytes) / devices + reserve, "Put the shares together.")  # fmt: skip

devices_to_fit = Formula(
    "devices-to-fit", devices, sympy.ceiling((weight_bytes + kv_bytes) / (usable - reserve)),
    relation=">=",
    says="The smallest number of devices whose memory together holds weights and cache.",
    holds="even split; nothing is kept in host memory",
    valid=(usable > reserve,),
)  # fmt: skip
Derivation(
    devices_to_fit, devices, "Any number of devices will do on which the demand does not exceed the usable memory.",
).at_least(
    (weight_bytes + kv_bytes) / (usable - reserve),
    "Solve $(W + K)/n + M_0 \\le C_\\mathrm{u}$ for $n$.",
    given=(memory_per_device.right <= usable,),
).whole("A number of devices is whole, so it is at least the next whole number.")  # fmt: skip

largest_batch = Formula(
    "largest-batch", batch_max, sympy.floor((devices * (usable - reserve) - weight_bytes) / (context * kv_token)),
    relation="<=",
    says="What the weights leave free, divided by the cache of one request, and rounded down to whole requests.",
    holds="the weights fit; even split; every request holds $S$ tokens; nothing is kept in host memory",
    valid=(devices * (usable - reserve) > weight_bytes, context > 0),
    cites=("kwon2023vllm",),
)  # fmt: skip
Derivation(
    largest_batch, batch_max, "The batch may grow until the memory is full.",
).at_most(
    (devices * (usable - reserve) - weight_bytes) / (context * kv_token),
    "Solve $(W + B_\\mathrm{max} S\\,m_\\mathrm{kv})/n + M_0 \\le C_\\mathrm{u}$ for the number of requests.",
    given=((weight_bytes + batch_max * context * kv_token) / devices + reserve <= usable,),
).whole("Requests are whole.")  # fmt: skip
