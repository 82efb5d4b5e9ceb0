"""What follows from a scenario: every number is a value of the catalogue, of a ledger or of the scenario, or a formula of those."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from aiinfra.architecture.ledger import Ledger
from aiinfra.architecture.split import reductions
from aiinfra.engine.table import table
from aiinfra.errors import BadValue, unknown
from aiinfra.formats import bytes_of
from aiinfra.scenario.profile import Given, Profile, requests
from aiinfra.scenario.steps import COST, ENDS, ENERGY, STEPS, Step, alone, run
from aiinfra.units import Quantity

if TYPE_CHECKING:
    from aiinfra.architecture import Architecture
    from aiinfra.engine.tree import Node
    from aiinfra.scenario.flips import Flip
    from aiinfra.scenario.inputs import Scenario
    from aiinfra.scenario.questions import Line


@lru_cache(maxsize=64)
def ledger_of(architecture: Architecture, weights: str | None, kv: str | None, tp: int) -> Ledger:
    """The ledger of one device of an instance, kept."""
    return architecture.ledger(weights, kv, tp)


# What a scenario, a device and a ledger supply: the symbol that says its meaning and unit, and where it comes from
GIVEN = {
    "tp": ("devices", "scenario"), "batch": ("batch", "scenario"), "output": ("answer", "scenario"), "prompt": ("prompt", "scenario"),
    "fresh": ("fresh", "scenario: prompt tokens that are not in the cache"), "pass.tokens": ("tokens", "scenario: the largest pass"),
    "b_act": ("b_act", "scenario"), "d_model": ("d_model", "model"), "reductions": ("n_reduce", "model: parts that end in an all-reduce"),
    "widest.in": ("d_in", "ledger: input of the widest matrix"), "widest.out": ("d_out", "ledger: output of the widest matrix"),
    "memory.weights": ("weight_bytes", "ledger of one device: bytes of all rows"),
    "memory.request": ("request_state", "ledger of one device: state of a request at its full length, in whole pages"),
    "prefill.weights": ("weight_read", "ledger of one device: weights that the passes of the prompt read, each for itself"),
    "prefill.state": ("kv_bytes", "ledger of one device: state that the passes of the prompt find"),
    "memory.own": ("own_state", "ledger of one device: the same beside the cached prefix, which requests may share"),
    "prefill.flops": ("prefill_flops", "ledger of one device: operations of the prompt"),
    "decode.weights": ("weight_read", "ledger of one device: weights that the batch reads"),
    "request.state": ("token_state", "ledger of one device: mean over the decode steps of an answer"),
    "request.flops": ("token_flops", "ledger of one device: mean over the decode steps of an answer"),
    "request.least.flops": ("token_flops", "ledger of one device: latent attention in the form that computes less"),
    "request.shared": ("shared_state", "ledger of one device: what a step reads of the cached prefix, which requests may share"),
    "prefill.passes": ("n_pass", "scenario: the prompt's new tokens, in passes of at most chunk"),
    "prefill.least.flops": ("prefill_flops", "ledger of one device: without what nobody reads in the last layers"),
    "prefill.least.weights": ("weight_read", "ledger of one device: weights that one token reads"),
    "prefill.least.state": ("kv_bytes", "ledger of one device: state of the cached tokens, once"),
    "prefill.least.reductions": ("n_reduce", "model: parts that end in an all-reduce of all tokens, without the last layers"),
    "decode.least.weights": ("weight_read", "ledger of one device: weights that one token reads"),
    "memory.mean": ("mean_state", "ledger of one device: state of a request, mean over the decode steps of its answer"),
}  # fmt: skip
GIVEN |= {f"{phase}.wire": ("t_wire", "one device sends nothing") for phase in ("prefill", "decode")}
GIVEN |= {f"{phase}.link{end}": ("t_link", "one device sends nothing") for phase in ("prefill", "decode") for end in ENDS}

MODELS = ("prefill.weights", "prefill.state")  # of passes, in whose states half an entry each is left out

# where an exact formula takes a bound, its result is one
RELATIONS = {"cost.bound": ">=", "service.tokens.bound": "<=", "answer.bound": ">=", "memory.batch_max": "<="} | {
    f"{phase}.least.{clock}": ">=" for phase in ("prefill", "decode") for clock in ("state", "bytes", "memory", "compute")
}


@lru_cache(maxsize=64)
def profile_of(ledger: Ledger) -> Profile:
    """The profile of a ledger, kept."""
    return Profile.of(ledger)


def counts(ledger: Ledger, prompt, output, cached, page: int, chunk: int, arrays: bool = False) -> dict:
    """What one device's ledger says of requests of one kind, or with arrays of many; nothing in it depends on the batch."""
    return dict(requests(profile_of(ledger), prompt, output, cached, page, chunk, arrays))


def weights(ledger: Ledger, batch, arrays: bool = False):
    """Weight bytes that a step for so many requests reads; of experts, those touched on average."""
    profile = profile_of(ledger)
    return profile.evaluate(profile.weights, Given(profile.reaches, 0, batch, arrays=arrays))


class Estimate:
    """The results of a scenario by name: ``estimate["decode.bound"]``; iterating gives the names.

    A bound can be proved and has one value. What is expected rests on assumptions and has two, ``.slow`` and ``.fast``.
    """

    def __init__(self, scenario: Scenario, *, strict: bool = True):
        self.scenario = scenario
        self.ledger = ledger_of(scenario.architecture, scenario.weights, scenario.kv, scenario.tp)
        self.values = self._given()
        steps = STEPS + (COST if "price" in self.values else ()) + (ENERGY if "power" in self.values else ())
        if scenario.tp == 1:
            steps, nothing = alone(steps)
            self.values |= nothing
        self.steps = steps
        batch = self._batch(strict)
        self.values |= {"batch": batch, "decode.weights": weights(self.ledger, batch)}
        run(steps, self.values)
        if strict and not self.fits:
            from aiinfra.scenario.fit import explain

            raise BadValue(explain(self))

    def _given(self) -> dict[str, float]:
        s = self.scenario
        found = dict(s.facts) | counts(self.ledger, s.prompt, s.output, s.cached, s.page, s.chunk)
        found |= {"tp": s.tp, "b_act": bytes_of(s.activations), "d_model": s.architecture.d_model}
        found["reductions"] = reductions(s.architecture) if s.tp > 1 else 0
        found["prefill.least.reductions"] = reductions(s.architecture, kept=True) if s.tp > 1 else 0
        found["decode.least.weights"] = found["prefill.least.weights"]
        for a in s.assumptions.values():
            found |= {f"{a.symbol}.slow": a.slow, f"{a.symbol}.fast": a.fast}
        # capacity does not depend on how fast things are: the cautious end
        found |= {"memory_share": min(found["memory_share.slow"], found["memory_share.fast"])}
        return found | {"reserve": max(found["reserve.slow"], found["reserve.fast"])}

    def _batch(self, strict: bool) -> int:
        s = self.scenario
        if s.batch != "max":
            return -(-s.concurrency // s.replicas) if s.concurrency is not None else s.batch or 1
        run(STEPS[:2], self.values)
        found = int(self.values["memory.batch_max"])
        if found < 1 and strict:
            from aiinfra.scenario.fit import explain

            self.values |= {"batch": 1, "decode.weights": 0}
            run(STEPS[2:4], self.values)
            raise BadValue(explain(self))
        return max(found, 1)

    @property
    def fits(self) -> bool:
        """Whether all requests of the batch fit at their full length."""
        return self.values["memory.headroom"] >= 0

    def __getitem__(self, name: str) -> Quantity:
        if name not in self.values:
            raise unknown("result", name, self.values)
        return Quantity(self.values[name], self.unit(name), self.relation(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __repr__(self) -> str:
        s = self.scenario
        return f"<Estimate {s.architecture.key} on {s.tp} x {s.hardware.key}, batch {self.values['batch']}>"

    @cached_property
    def _by_name(self) -> dict[str, Step]:
        return {step.name + end: step for step in self.steps for end in (ENDS if step.ends else ("",))}

    def step(self, name: str) -> Step | None:
        """The formula that gave a result; None for what the scenario, the catalogue or the ledger gave."""
        return self._by_name.get(name)

    def explain(self, name: str) -> Node:
        """The tree from a result down to values of the catalogue with their sources."""
        from aiinfra.scenario.explain import explain

        return explain(self, name)

    @property
    def lines(self) -> list[Line]:
        """The ledger of one device: what moves, how much, how many times, through which path, who waits."""
        from aiinfra.scenario.questions import lines

        return lines(self)

    def binds(self, phase: str = "decode") -> str:
        """What sets the bound of a pass: weights, state, compute or links."""
        from aiinfra.scenario.questions import binds

        return binds(self, phase)

    @property
    def flips(self) -> list[Flip]:
        """Where something else would bind."""
        from aiinfra.scenario.flips import flips

        return flips(self)

    @property
    def longest_context(self) -> int:
        """The most tokens, prompt and answer, that every request of the batch may hold."""
        from aiinfra.scenario.fit import longest_context

        return longest_context(self)

    def symbol(self, name: str) -> str:
        """The symbol of the book that a result stands for."""
        if name in self._by_name:
            return table().record(self._by_name[name].formula).symbol
        return GIVEN[name][0] if name in GIVEN else name.removesuffix(".slow").removesuffix(".fast")

    def unit(self, name: str):
        """The unit of a result."""
        return table().symbols[self.symbol(name)].unit

    def relation(self, name: str) -> str:
        """``=`` exact, ``>=`` or ``<=`` a bound, ``~`` a model."""
        step = self.step(name)
        if step is None:
            return "~" if name in MODELS or not self.scenario.architecture.dense and name == "decode.weights" else "="
        if step.ends or self._rests_on_average(name):
            return "~"
        return RELATIONS.get(name, table().record(step.formula).relation)

    def _rests_on_average(self, name: str) -> bool:
        """Whether a result rests on an average: of the experts touched, or of what passes of a prompt find."""
        step = self.step(name)
        if step is None:
            return self.relation(name) == "~"
        return any(self._rests_on_average(given) for given in step.inputs.values() if isinstance(given, str))
