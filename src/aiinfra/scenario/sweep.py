"""Many scenarios at once: ranges of any field, computed in blocks with NumPy, on this machine or on Dask workers.

Fields that change what is counted or on what (device, tp, formats …) make blocks; within a block batch, prompt and output are arrays.
The steps and formulas are those of one estimate, so that a point of a sweep is the estimate of that point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

import numpy

from aiinfra.errors import AIInfraError, BadType, BadValue, brief, unknown, whole
from aiinfra.scenario.estimate import Estimate, counts, weights
from aiinfra.scenario.inputs import FIELDS, MOST, WHOLE, Scenario
from aiinfra.scenario.steps import COST, ENERGY, names, run

INNER = ("prompt", "output", "batch")  # arrays within a block, in this order
RESULTS = (
    "decode.bound", "decode.expected.slow", "decode.expected.fast", "prefill.bound", "service.tokens.bound", "service.tokens.expected.slow",
    "service.tokens.expected.fast", "memory.headroom",
)  # fmt: skip
LARGEST = 50_000_000


class Block(NamedTuple):
    """Points that differ in prompt, output and batch only."""

    outer: tuple[tuple[str, object], ...]
    prompts: tuple[int, ...]
    outputs: tuple[int, ...]
    batches: tuple[int, ...]


@dataclass(frozen=True)
class Sweep:
    """The results of a sweep: an array for each, in the order of the axes; NaN where a point is refused or beyond the model's context, and
    where it does not fit, except for results of memory.

    ``refused`` says why whole blocks are.
    """

    axes: dict[str, tuple]
    results: dict[str, numpy.ndarray]
    refused: dict[tuple, str]
    done: int

    @property
    def size(self) -> int:
        """Points, computed or not."""
        return prod(map(len, self.axes.values()))

    def columns(self) -> dict[str, numpy.ndarray]:
        """A column for each axis and each result, without the points that were not computed."""
        grid = numpy.indices(tuple(map(len, self.axes.values()))).reshape(len(self.axes), -1)
        results = {name: array.ravel() for name, array in self.results.items()}
        there = ~numpy.all([numpy.isnan(column) for column in results.values()], axis=0)
        axes = {name: numpy.array(values)[index[there]] for (name, values), index in zip(self.axes.items(), grid, strict=True)}
        return axes | {name: column[there] for name, column in results.items()}

    def rows(self) -> Iterator[dict]:
        """One mapping for each point that was computed."""
        columns = [array.ravel() for array in self.results.values()]
        for point, *values in zip(product(*self.axes.values()), *columns, strict=True):
            if not all(v != v for v in values):
                yield dict(zip(self.axes, point, strict=True)) | dict(zip(self.results, map(float, values), strict=True))


def sweep(
    scenario: Scenario,
    over: Mapping[str, Sequence],
    results: Sequence[str] = RESULTS,
    *,
    client: object | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Every combination of the values in ``over``, each a field of a scenario.

    ``client`` is a Dask client, or the address of a scheduler; ``progress`` is called with blocks done and in all. Interrupted
    from the keyboard, it gives what is done.

    >>> from aiinfra.scenario import Scenario
    >>> found = sweep(Scenario(model="llama-3.1-8b", device="h100-sxm"), {"batch": [1, 8], "tp": [1, 2]}, ["decode.bound"])
    >>> found.results["decode.bound"].shape
    (2, 2)
    """
    axes = _axes(scenario, over)
    outer = {name: values for name, values in axes.items() if name not in INNER}
    inner = [axes.get(name, (_alone(scenario, name),)) for name in INNER]
    blocks = [Block(tuple(zip(outer, point, strict=True)), *inner) for point in product(*outer.values())]
    arrays = {name: numpy.full((len(blocks), *map(len, inner)), numpy.nan) for name in results}
    refused, done = {}, 0
    try:
        for number, found in _computed(scenario, blocks, tuple(results), client):
            if isinstance(found, str):
                refused[tuple(v for _, v in blocks[number].outer)] = found
            else:
                for name, array in found.items():
                    arrays[name][number] = array
            done += 1
            if progress is not None:
                progress(done, len(blocks))
    except KeyboardInterrupt:
        pass
    return Sweep(axes, _ordered(axes, outer, arrays), refused, done)


def _alone(scenario: Scenario, name: str) -> int:
    """The one value of an inner field that the sweep does not change."""
    if name != "batch":
        return getattr(scenario, name)
    if scenario.batch == "max":
        raise BadValue("batch = 'max': a sweep needs numbers of requests; memory.batch_max is one of its results")
    return -(-scenario.concurrency // scenario.replicas) if scenario.concurrency is not None else scenario.batch or 1


def _axes(scenario: Scenario, over: Mapping[str, Sequence]) -> dict[str, tuple]:
    found = {}
    for name, values in over.items():
        if name not in FIELDS or name in ("model", "assume", "concurrency"):
            raise unknown("field of a sweep", name, [f for f in FIELDS if f not in ("model", "assume", "concurrency")])
        if isinstance(values, str) or not isinstance(values, (Sequence, range, numpy.ndarray)):
            raise BadType(f"{name} = {brief(values)}: must be a list of values")
        values = tuple(v.item() if isinstance(v, numpy.generic) else v for v in values)
        if not values:
            raise BadValue(f"{name}: the list of values is empty")
        if name in INNER:
            least = WHOLE.get(name, 1)
            for v in values:
                whole(name, v, least, MOST)
        found[name] = values
    if not found:
        raise BadValue("a sweep needs at least one field with its values")
    if prod(map(len, found.values())) > LARGEST:
        raise BadValue(f"a sweep of {prod(map(len, found.values())):,} points: {LARGEST:,} at most")
    return found


def _computed(scenario: Scenario, blocks: list[Block], results: tuple[str, ...], client) -> Iterator[tuple[int, dict | str]]:
    """Results of blocks with their numbers, as they become ready."""
    if client is None:
        for number, block in enumerate(blocks):
            yield number, compute(scenario, block, results)
        return
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise BadValue("a sweep on several machines needs Dask: pip install 'aiinfra[dask]'") from None
    try:
        mine = Client(client) if isinstance(client, str) else None
    except (OSError, ValueError, TypeError) as error:
        raise BadValue(f"client = {brief(client)}: no scheduler answers there: {' '.join(str(error).split())}") from None
    try:
        futures = (mine or client).map(compute, [scenario] * len(blocks), blocks, [results] * len(blocks), pure=False)
        numbers = {future.key: number for number, future in enumerate(futures)}
        for future in as_completed(futures):
            yield numbers[future.key], future.result()
            future.release()
    finally:
        if mine is not None:
            mine.close()


def compute(scenario: Scenario, block: Block, results: tuple[str, ...]) -> dict[str, numpy.ndarray] | str:
    """The results of one block, or why it is refused."""
    first = {"prompt": block.prompts[0], "output": block.outputs[0], "batch": block.batches[0], "concurrency": None}
    first |= dict(block.outer)
    try:
        small = scenario.but(**{**first, "prompt": 1, "output": 2})  # lengths beyond the model's context leave single points out
        estimate = Estimate(small, strict=False)
    except AIInfraError as error:
        return str(error)
    for name in results:
        if name not in estimate.values:
            if name in names((*COST, *ENERGY)):
                return f"{small.hardware.key} has no price or power, which {name} needs"
            raise unknown("result", name, estimate.values)
    values, s = dict(estimate.values), small
    prompt, output, batch = (numpy.array(a, dtype=float) for a in (block.prompts, block.outputs, block.batches))
    prompt, output = prompt[:, None, None], output[:, None]
    cached = numpy.minimum(numpy.floor(prompt * s.prefix_hit), prompt - 1)
    shape = (len(block.prompts), len(block.outputs), 1)
    with numpy.errstate(all="ignore"):
        values |= counts(estimate.ledger, prompt, output, cached, s.page, s.chunk, arrays=True)
        values |= {"batch": batch, "decode.weights": weights(estimate.ledger, batch, arrays=True)}
        values["decode.least.weights"] = values["prefill.least.weights"]
        run(estimate.steps, values, arrays=True)
    full = (*shape[:2], len(block.batches))
    most = s.architecture.max_context
    inside = numpy.array(True) if most is None else (values["prompt"] + values["output"] <= most)
    fits = inside & (values["memory.headroom"] >= 0)

    def kept(name: str) -> numpy.ndarray:
        return numpy.where(inside if name.startswith("memory.") else fits, numpy.broadcast_to(values[name], full), numpy.nan)

    return {name: kept(name) for name in results}


def _ordered(axes: dict, outer: dict, arrays: dict[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Arrays with one dimension for each axis, in the order of the axes."""
    now = [*outer, *INNER]
    found = {}
    for name, array in arrays.items():
        shaped = array.reshape(*map(len, outer.values()), *array.shape[1:])
        kept = [i for i, axis in enumerate(now) if axis in axes]
        shaped = shaped.squeeze(tuple(i for i, axis in enumerate(now) if axis not in axes))
        order = [[now[i] for i in kept].index(axis) for axis in axes]
        found[name] = shaped.transpose(order)
    return found
