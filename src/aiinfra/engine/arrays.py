"""Evaluation on NumPy arrays, through the same plans as at one point."""

from __future__ import annotations

import numpy

from aiinfra.engine import evaluate
from aiinfra.engine.table import table
from aiinfra.errors import BadType, BadValue, OutsideValidity, brief

BLOCK = 32_768


def clean(info, value: object):
    """A checked float64 array (or a plain number) in base units."""
    if not isinstance(value, (numpy.ndarray, list, tuple)):
        return evaluate.clean(info, value)
    try:
        array = numpy.asarray(value)
    except ValueError:
        raise BadType(f"{info.name} = {brief(value)}: the rows have different lengths ({info.meaning})") from None
    if array.dtype.kind not in "iuf":
        raise BadType(f"{info.name}: an array of numbers is needed, not of {array.dtype} ({info.meaning})")
    array = array.astype(numpy.float64, copy=False)
    if array.size == 0:
        raise BadValue(f"{info.name}: the array is empty")
    low, high = array.min(), array.max()  # a NaN makes both NaN, and every comparison false
    floor = -numpy.inf if info.minimum is None else info.minimum
    inside = (floor < low or (not info.positive and low == floor)) and high < numpy.inf
    if not inside:
        bad = next(v for v in array.flat if not (floor < v < numpy.inf or (not info.positive and v == floor)))
        raise BadValue(f"{info.name} = {float(bad)} in an array: must be {evaluate.allowed(info)} ({info.meaning})")
    if info.whole and not (array == numpy.floor(array)).all():
        bad = array[array != numpy.floor(array)].flat[0]
        raise BadValue(f"{info.name} = {float(bad)} in an array: must be {evaluate.allowed(info)} ({info.meaning})")
    return array


def run(formula, entries: tuple, inputs: dict, dtype: str | None):
    """The formula on arrays that broadcast together, float64 in base units."""
    t = table()
    wide = {k: v for k, v in inputs.items() if isinstance(v, (numpy.ndarray, list, tuple)) and k in t.symbols}
    scalar = {k: v for k, v in inputs.items() if k not in wide}
    supplied, given = evaluate.gather(t, entries, scalar, dtype)
    for name, value in wide.items():
        wide[name] = given[name] = clean(t.symbols[name], value)
    values = {k: float(v) for k, v in (supplied | given).items() if k not in wide}
    steps = evaluate.plan(t, formula.record, frozenset(values) | frozenset(wide), entries, dtype)
    evaluate.unused(formula.record, steps, given)
    functions = formula.array_functions()
    shapes = {a.shape for a in wide.values()}
    try:
        size = numpy.prod(numpy.broadcast_shapes(*shapes), dtype=int)
    except ValueError:
        raise BadValue(f"the arrays do not fit together: {', '.join(f'{k} has shape {a.shape}' for k, a in wide.items())}") from None
    if len(shapes) != 1 or size <= BLOCK:
        return _block(formula, steps, functions, values | wide)
    result = numpy.empty(size)
    flat = {k: a.ravel() for k, a in wide.items()}
    for start in range(0, size, BLOCK):  # temporaries that stay in the cache are several times faster
        part = slice(start, start + BLOCK)
        result[part] = _block(formula, steps, functions, values | {k: a[part] for k, a in flat.items()})
    return result.reshape(shapes.pop())


def _block(formula, steps, functions, values: dict):
    with numpy.errstate(all="ignore"):  # what is not finite is refused below, with the formula's name
        for name, record, args, _ in steps:
            function, checks = functions[record.key]
            for test, names, text in checks:
                if not numpy.all(test(*[values[n] for n in names])):
                    raise OutsideValidity(f"{record.key} holds only for {text}; some points of the arrays are outside")
            try:
                values[name] = function(*[values[a] for a in args])
            except ZeroDivisionError:
                raise BadValue(f"{record.key} has no finite value: it divides by zero") from None
    result = numpy.asarray(values[formula.symbol], dtype=numpy.float64)
    if not (numpy.isfinite(result.min()) and numpy.isfinite(result.max())):
        raise BadValue(f"{formula.key} has no finite value at some points of the arrays")
    return result
