"""Many scenarios at once: ranges of any field, computed in blocks with NumPy, on this machine or on Dask workers.

Fields that change what is counted or on what (device, tp, formats …) make blocks; within a block batch, prompt and output are arrays.
The steps and formulas are those of one estimate, so that a point of a sweep is the estimate of that point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import NamedTuple

import numpy

from aiinfra.errors import AIInfraError, BadType, BadValue, MissingInput, brief, unknown, whole
from aiinfra.scenario.estimate import Estimate, counts, weights
from aiinfra.scenario.inputs import FIELDS, MOST, WHOLE, Scenario
from aiinfra.scenario.steps import COST, ENERGY, names, run

INNER = ("prompt", "output", "batch")  # arrays within a block, in this order
RESULTS = (
    "decode.bound", "decode.expected.slow", "decode.expected.fast", "prefill.bound", "service.tokens.bound", "service.tokens.expected.slow",
    "service.tokens.expected.fast", "memory.headroom",
)  # fmt: skip
LARGEST = 50_000_000
MOST_BLOCKS = 100_000


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

    def only(self, there: numpy.ndarray) -> Sweep:
        """The same sweep with the points for which ``there`` is true; the others are as if they were not computed."""
        return replace(self, results={name: numpy.where(there, array, numpy.nan) for name, array in self.results.items()})

    def best(self, name: str, *, most: bool) -> Sweep:
        """The one point with the most, or the least, of a result or an axis; the first of several."""
        computed = ~numpy.all([numpy.isnan(array) for array in self.results.values()], axis=0)
        if name in self.axes:
            at = list(self.axes).index(name)
            array = numpy.array(self.axes[name]).reshape([-1 if i == at else 1 for i in range(len(self.axes))])
            if not numpy.issubdtype(array.dtype, numpy.number):
                raise BadValue(f"{name}: its values are names, of which none is the most or the least")
        elif name in self.results:
            array = self.results[name]
        else:
            raise unknown("axis or result of the sweep", name, [*self.axes, *self.results])
        array = numpy.where(computed, array, numpy.nan)
        there = numpy.zeros(array.shape, dtype=bool)
        if not numpy.all(numpy.isnan(array)):
            there.flat[numpy.nanargmax(array) if most else numpy.nanargmin(array)] = True
        return self.only(there)

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
    scenario: Scenario | Mapping[str, object],
    over: Mapping[str, Sequence],
    results: Sequence[str] = RESULTS,
    *,
    client: object | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Every combination of the values in ``over``, each a field of a scenario.

    ``scenario`` may be a mapping of fields, which need not be possible before the values of ``over`` are put in. ``client`` is a Dask
    client, or the address of a scheduler; ``progress`` is called with blocks done and in all. Interrupted from the keyboard, it gives
    what is done.

    >>> from aiinfra.scenario import Scenario
    >>> found = sweep(Scenario(model="llama-3.1-8b", device="h100-sxm"), {"batch": [1, 8], "tp": [1, 2]}, ["decode.bound"])
    >>> found.results["decode.bound"].shape
    (2, 2)
    """
    base = _fields(scenario) if isinstance(scenario, Scenario) else dict(scenario)
    axes = _axes(base, over)
    outer = {name: values for name, values in axes.items() if name not in INNER and name != "concurrency"}
    if prod(map(len, outer.values())) > MOST_BLOCKS:
        raise BadValue(f"{', '.join(outer)}: {prod(map(len, outer.values())):,} combinations beside batch, prompt and output: "
                       f"{MOST_BLOCKS:,} at most")  # fmt: skip
    inner = {name: axes.get(name) or (_alone(base, name),) for name in ("prompt", "output")}
    shared = _shared(base, axes)
    batches = shared or axes.get("batch") or (_alone(base, "batch"),)
    blocks = [Block(tuple(zip(outer, point, strict=True)), *inner.values(), batches) for point in product(*outer.values())]
    replicas = [dict(block.outer).get("replicas", base.get("replicas", 1)) for block in blocks]
    if shared:  # requests of all replicas, of which each has an equal part; a replica that has none is no deployment
        parts = [n if isinstance(n, int) and n > 0 else 1 for n in replicas]  # what is no number of replicas is refused with its block
        blocks = [block._replace(batches=tuple(-(-c // n) for c in shared)) for block, n in zip(blocks, parts, strict=True)]
    arrays = {name: numpy.full((len(blocks), *map(len, (*inner.values(), batches))), numpy.nan) for name in results}
    refused, done = {}, 0
    try:
        for number, found in _computed(base, blocks, tuple(results), client):
            if isinstance(found, str):
                refused[tuple(v for _, v in blocks[number].outer)] = found
            else:
                there = numpy.array([c >= replicas[number] for c in shared]) if shared else True
                for name, array in found.items():
                    arrays[name][number] = numpy.where(there, array, numpy.nan)
            done += 1
            if progress is not None:
                progress(done, len(blocks))
    except KeyboardInterrupt:
        pass
    return Sweep(axes, _ordered(axes, outer, arrays), refused, done)


def point(base: Mapping[str, object], values: Mapping[str, object]) -> Scenario:
    """The scenario of one point; a batch takes the place of requests of all replicas, and the other way round."""
    one = {"batch": "concurrency", "concurrency": "batch"}
    return Scenario(**{name: value for name, value in base.items() if one.get(name) not in values} | values)


def _fields(scenario: Scenario) -> dict[str, object]:
    return {name: getattr(scenario, name) for name in FIELDS}


def _alone(base: Mapping[str, object], name: str) -> int:
    """The one value of an inner field that the sweep does not change."""
    value = base.get(name, getattr(Scenario, name))
    if name == "batch" and value == "max":
        raise BadValue("batch = 'max': a sweep needs numbers of requests; memory.batch_max is one of its results")
    value = 1 if value is None else value
    whole(name, value, WHOLE.get(name, 1), MOST)
    return value


def _shared(base: Mapping[str, object], axes: Mapping[str, tuple]) -> tuple[int, ...]:
    """Requests of all replicas, where they are given in place of a batch."""
    if "concurrency" in axes or "batch" in axes:
        return axes.get("concurrency", ())
    value = base.get("concurrency")
    if value is None:
        return ()
    whole("concurrency", value, 1, MOST)
    return (value,)


def _axes(base: Mapping[str, object], over: Mapping[str, Sequence]) -> dict[str, tuple]:
    found = {}
    for name in base:
        if name not in FIELDS:
            raise unknown("field of a scenario", name, FIELDS)
    for name, values in over.items():
        if name not in FIELDS or name in ("model", "assume"):
            raise unknown("field of a sweep", name, [f for f in FIELDS if f not in ("model", "assume")])
        if isinstance(values, str) or not isinstance(values, (Sequence, range, numpy.ndarray)):
            raise BadType(f"{name} = {brief(values)}: must be a list of values")
        values = tuple(v.item() if isinstance(v, numpy.generic) else v for v in values)
        if not values:
            raise BadValue(f"{name}: the list of values is empty")
        if name in INNER or name == "concurrency":
            least = WHOLE.get(name, 1)
            for v in values:
                whole(name, v, least, MOST)
        found[name] = values
    if not found:
        raise BadValue("a sweep needs at least one field with its values")
    for name in ("model", "device"):
        if name not in base and name not in found:
            raise MissingInput(f"a scenario needs {name}")
    if "batch" in found and "concurrency" in found:
        raise BadValue("batch and concurrency: sweep one of them")
    if prod(map(len, found.values())) > LARGEST:
        raise BadValue(f"a sweep of {prod(map(len, found.values())):,} points: {LARGEST:,} at most")
    return found


def _computed(base: Mapping[str, object], blocks: list[Block], results: tuple[str, ...], client) -> Iterator[tuple[int, dict | str]]:
    """Results of blocks with their numbers, as they become ready."""
    if client is None:
        for number, block in enumerate(blocks):
            yield number, compute(base, block, results)
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
        futures = (mine or client).map(compute, [base] * len(blocks), blocks, [results] * len(blocks), pure=False)
        numbers = {future.key: number for number, future in enumerate(futures)}
        for future in as_completed(futures):
            yield numbers[future.key], future.result()
            future.release()
    finally:
        if mine is not None:
            mine.close()


def compute(base: Mapping[str, object], block: Block, results: tuple[str, ...]) -> dict[str, numpy.ndarray] | str:
    """The results of one block, or why it is refused."""
    try:  # lengths beyond the model's context leave single points out
        small = point(base, {"prompt": 1, "output": 2, "batch": block.batches[0], **dict(block.outer)})
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
    now = [*outer, *INNER[:2], "concurrency" if "concurrency" in axes else "batch"]
    found = {}
    for name, array in arrays.items():
        shaped = array.reshape(*map(len, outer.values()), *array.shape[1:])
        kept = [i for i, axis in enumerate(now) if axis in axes]
        shaped = shaped.squeeze(tuple(i for i, axis in enumerate(now) if axis not in axes))
        order = [[now[i] for i in kept].index(axis) for axis in axes]
        found[name] = shaped.transpose(order)
    return found
