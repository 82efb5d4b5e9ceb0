"""Axes of live charts have the ticks of the drawings, printed alike."""

import random

import pytest
from node import run

from aiinfra.book.draw import ticks


def ranges(seed: int) -> list[list[float]]:
    rng = random.Random(seed)
    found = [[1, 1024], [1, 1e6], [0.2, 1], [4, 4000], [1e-9, 1e-4], [1.25e10, 3e11], [1, 3], [2, 15.9], [999, 1e4]]
    for _ in range(200):
        low = 10 ** rng.uniform(-6, 12)
        found.append([low, low * 10 ** rng.uniform(0.05, 8)])
    return found


@pytest.mark.parametrize("kind", ["linear", "logarithmic"])
@pytest.mark.parametrize("most", [4, 7, 9])
def test_ticks_and_their_labels(kind, most):
    given = ranges(11)
    script = "return given.map(([low, high]) => aiinfra.ticks[`KIND`](low, high, MOST)).map((t) => [t, aiinfra.ticks.labels(t)])"
    found = run(script.replace("KIND", kind).replace("MOST", str(most)), given, ("numbers", "ticks"))
    for (low, high), (values, labels) in zip(given, found, strict=True):
        expected = getattr(ticks, kind)(low, high, most)
        assert values == pytest.approx(expected, rel=1e-12)
        assert labels == ticks.labels(expected), (low, high)


def test_amounts_print_alike():
    rng = random.Random(13)
    given = [0.0, 1.0, -3.5, 999.95, 9999.5, 1e7, 123456789.0, 1e21, 0.001, 0.00099, -2e-5]
    given += [rng.choice((-1, 1)) * 10 ** rng.uniform(-8, 22) for _ in range(400)]
    assert run("return given.map(aiinfra.ticks.amount)", given, ("numbers", "ticks")) == [ticks.amount(v) for v in given]
