"""From a result down to what it rests on: formulas, the ledger, the catalogue with its sources, assumptions, the scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiinfra.engine.table import table
from aiinfra.engine.tree import Node
from aiinfra.errors import unknown
from aiinfra.scenario.steps import source

if TYPE_CHECKING:
    from aiinfra.scenario.estimate import Estimate


def explain(estimate: Estimate, name: str) -> Node:
    """The tree of one result."""
    if name not in estimate.values:
        raise unknown("result", name, estimate.values)
    step = estimate.step(name)
    if step is None:
        return Node(name, estimate[name], origin(estimate, name))
    end = next((e for e in (".slow", ".fast") if step.ends and name.endswith(e)), "")
    parts = []
    for symbol in table().record(step.formula).inputs:
        given = step.inputs[symbol]
        if not isinstance(given, int):
            parts.append(explain(estimate, source(estimate.values, given, end)))
    return Node(name, estimate[name], step.formula, tuple(parts))


def origin(estimate: Estimate, name: str) -> str:
    """Where a value that no formula gives comes from."""
    from aiinfra.scenario.estimate import GIVEN
    from aiinfra.scenario.inputs import OWN

    s = estimate.scenario
    symbol = name.removesuffix(".slow").removesuffix(".fast")
    if symbol in s.assumptions:
        found = s.assumptions[symbol]
        return f"assumption: {found.why} ({found.source})"
    if getattr(s, OWN.get(name, ""), None) is not None:
        return "scenario"
    if name in GIVEN:
        return GIVEN[name][1]
    value = s.hardware.price if name == "price" else s.hardware.source_of(symbol, s.computed_in)
    if value is None and name == "usable":
        value = s.hardware.capacity
    return f"{s.hardware.key}, {value.source}, {value.at}, read {value.read}" if value is not None else "scenario"
