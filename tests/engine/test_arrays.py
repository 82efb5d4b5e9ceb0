"""Arrays give what single points give, and refuse what single points refuse."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiinfra import device, errors, formula, model

STEP = formula("decode-step-bound")
LLAMA, H100 = model("llama-3.1-70b"), device("h100-sxm")


@given(st.lists(st.tuples(st.integers(1, 4096), st.integers(0, 10**6)), min_size=1, max_size=8))
def test_each_element_is_the_point(pairs):
    batch, context = numpy.array(pairs).T
    got = STEP.array(LLAMA, H100, batch=batch, context=context, devices=8)
    assert got == pytest.approx([float(STEP(LLAMA, H100, batch=int(b), context=int(s), devices=8)) for b, s in pairs], rel=1e-14)


def test_shapes_broadcast():
    got = STEP.array(LLAMA, H100, batch=numpy.arange(1, 4)[:, None], context=[0, 100], devices=1)
    assert got.shape == (3, 2)
    assert got[2, 1] == pytest.approx(float(STEP(LLAMA, H100, batch=3, context=100, devices=1)))


@pytest.mark.parametrize("shape", [(70_001,), (3, 50_000), (2, 2, 30_000)])
def test_blocks_leave_no_seam(shape):
    data = numpy.arange(1, numpy.prod(shape) + 1, dtype=float).reshape(shape)
    assert (formula("transfer-time").array(data=data, beta=2.0) == data / 2).all()
    assert (formula("transfer-time").array(data=data.T, beta=data.T) == 1).all()


def test_numbers_alone_give_one_number():
    got = STEP.array(LLAMA, H100, batch=1, context=0, devices=1)
    assert (got.shape, float(got)) == ((), float(STEP(LLAMA, H100, batch=1, context=0, devices=1)))


def test_inputs_stay_as_they_are():
    data = numpy.array([1.0, 2.0])
    formula("transfer-time").array(data=data, beta=2.0)[:] = 0
    assert list(data) == [1, 2]


@pytest.mark.parametrize(
    ("name", "value", "kind", "says"),
    [
        ("batch", [], ValueError, "batch: the array is empty"),
        ("batch", [1, 0], ValueError, "batch = 0.0 in an array: must be a finite number above zero"),
        ("batch", [1, float("nan")], ValueError, "batch = nan in an array"),
        ("batch", [float("inf")], ValueError, "batch = inf in an array"),
        ("batch", [-1.0], ValueError, "batch = -1.0 in an array"),
        ("batch", ["a"], TypeError, "batch: an array of numbers is needed"),
        ("batch", [True], TypeError, "not of bool"),
        ("batch", [1j], TypeError, "not of complex128"),
        ("batch", [None], TypeError, "not of object"),
        ("batch", numpy.array([1, 2], dtype=object), TypeError, "not of object"),
        ("batch", [[1, 2], [3]], TypeError, r"batch = \[\[1, 2\], \[3\]\]: the rows have different lengths"),
        ("batch", {1}, TypeError, "not set"),
        ("batch", [1, 2], ValueError, r"do not fit together: batch has shape \(2,\), context has shape \(3,\)|context has shape"),
        ("devices", [1, 2.5], ValueError, "devices = 2.5 in an array: must be a whole number"),
        ("weights", ["fp8"], KeyError, "unknown format"),
        ("nobody", [1], KeyError, "unknown symbol 'nobody'"),
        ("price", [1.0], KeyError, "does not use price"),
    ],
)
def test_bad_arrays_give_one_clear_line(name, value, kind, says):
    with pytest.raises(kind, match=says) as error:
        STEP.array(LLAMA, H100, **{"batch": 1, "context": [1, 2, 3], "devices": 1} | {name: value})
    assert isinstance(error.value, errors.AIInfraError)
    assert "\n" not in str(error.value)


def test_points_outside_the_conditions_are_refused():
    with pytest.raises(errors.OutsideValidity, match="amdahl-speedup holds only for part <= 1"):
        formula("amdahl-speedup").array(part=[0.5, 1.5], factor=2)


def test_no_silent_infinity():
    with pytest.raises(errors.BadValue, match="no finite value at some points"):
        formula("overlap-gain").array(t_mem=[1e308], t_comp=1e308)
