"""An explanation: a number, where it comes from, and the numbers under it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiinfra.engine import evaluate
from aiinfra.engine.table import table
from aiinfra.sections import section
from aiinfra.units import Quantity

if TYPE_CHECKING:
    from aiinfra.engine.formula import Formula


@dataclass(frozen=True, repr=False)
class Node:
    """A number in an explanation; ``origin`` is the key of a formula, which is its label in the book too, or a source."""

    name: str
    value: Quantity
    origin: str
    parts: tuple[Node, ...] = ()

    @property
    def section(self) -> str:
        """The page and the heading of the book under which the formula stands that gave the number; empty where none did."""
        return section(self.origin)

    def walk(self, depth: int = 0, seen: set[str] | None = None) -> Iterator[tuple[int, Node, bool]]:
        """Every number with its depth; what stands under a number comes the first time only, and then it is marked."""
        seen = set() if seen is None else seen
        again = bool(self.name in seen and self.parts)
        seen.add(self.name)
        yield depth, self, again
        for part in () if again else self.parts:
            yield from part.walk(depth + 1, seen)

    def lines(self) -> Iterator[str]:
        """One line a number, indented by its depth; then where the book has each formula."""
        found: dict[str, str] = {}
        for depth, node, again in self.walk():
            mark = "; see above" if again else ""
            yield f"{'  ' * depth}{node.name} {node.value.relation} {node.value.text()}   [{node.origin}{mark}]"
            if node.section:
                found[node.origin] = node.section
        if found:
            yield from ("", *(f"{key}: {where}" for key, where in found.items()))

    def __str__(self) -> str:
        return "\n".join(self.lines())

    __repr__ = __str__


def explain(f: Formula, entries: tuple, inputs: dict, dtype: str | None) -> Node:
    """The tree from the result down to what was given."""
    steps, supplied, given = f.prepare(entries, inputs, dtype)
    values = supplied | given
    evaluate.run(steps, values)
    made = {s.name: s for s in steps[:-1]}
    symbols = table().symbols

    def quantity(name: str, relation: str = "=") -> Quantity:
        return Quantity(values[name], symbols[name].unit, relation)

    def node(name: str) -> Node:
        if name in made:
            step = made[name]
            return Node(name, quantity(name, step.record.relation), step.record.key, tuple(node(a) for a in step.args))
        found = None if name in given else evaluate.source_of(name, entries, dtype)
        return Node(name, quantity(name), f"{found[0].key}, {found[1].source}, {found[1].at}" if found else "given")

    return Node(f.symbol, quantity(f.symbol, f.relation), f.key, tuple(node(a) for a in steps[-1].args))
