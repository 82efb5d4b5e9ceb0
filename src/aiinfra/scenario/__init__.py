"""A deployment described, and what follows from it: memory, times, rates, cost, and what binds.

>>> from aiinfra.scenario import Scenario
>>> estimate = Scenario(model="llama-3.1-70b", device="h100-sxm", tp=8, batch=32, prompt=2048, output=128).estimate()
>>> estimate["decode.bound"]
>= 6.014 ms
"""

from aiinfra.scenario.estimate import Estimate
from aiinfra.scenario.inputs import Scenario

__all__ = ["Estimate", "Scenario"]
