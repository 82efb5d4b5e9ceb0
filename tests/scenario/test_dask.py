"""A sweep on a real scheduler with two worker processes gives what one machine gives, bit for bit."""

import numpy
import pytest

from aiinfra.scenario import Scenario
from aiinfra.scenario.sweep import sweep

SCENARIO = Scenario(model="llama-3.1-8b", device="h100-sxm")
AXES = {"device": ["h100-sxm", "mi300x", "rtx-4090"], "tp": [1, 2, 3], "batch": [1, 5, 300], "prompt": [7, 3000]}


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is an extra of its own")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as found:
        yield found


@pytest.mark.parametrize("how", ["client", "address"])
def test_the_same_bits(cluster, how):
    from distributed import Client

    here = sweep(SCENARIO, AXES)
    with Client(cluster) as client:
        there = sweep(SCENARIO, AXES, client=client if how == "client" else cluster.scheduler_address)
    assert there.refused == here.refused and len(here.refused) == 4  # three heads of eight, and a card without links
    for name, array in here.results.items():
        assert numpy.array_equal(array, there.results[name], equal_nan=True)
        assert array.tobytes() == there.results[name].tobytes()
