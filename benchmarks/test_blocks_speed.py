"""Scores that dask holds in blocks, beside the loop over the same blocks that cannot be done
without.
"""

import dask
import large
import pytest
from distributed import Client, LocalCluster
from timers import together

COUNT = "counting 200,000 items x 500 systems, int8 in blocks"
WORKERS = "counting 2,000,000 items x 200 systems by two dask workers"


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=COUNT)
def test_count(benchmark, who):
    given = 200_000, 500, 0
    if who == "ours":
        benchmark.pedantic(large.count, given, rounds=3, warmup_rounds=1)
        return
    benchmark.extra_info["what"] = "each block drawn and multiplied, `X.T @ X`"
    benchmark.pedantic(large.bare, given, rounds=3, warmup_rounds=1)


@pytest.fixture(scope="module")
def two_workers():
    """A client of two processes, which have loaded what they need."""
    size = {"n_workers": 2, "threads_per_worker": 1}
    with LocalCluster(**size, dashboard_address=None) as cluster, Client(cluster) as client:
        client.upload_file(large.__file__)
        large.count(400_000, 200, 0)
        yield client


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=WORKERS, timer=together)
def test_workers(benchmark, who, two_workers):
    given = 2_000_000, 200, 0
    if who == "ours":
        benchmark.pedantic(large.count, given, rounds=3, warmup_rounds=1)
        return
    benchmark.extra_info["what"] = "the same by threads of one process"
    with dask.config.set(scheduler="threads"):
        benchmark.pedantic(large.count, given, rounds=3, warmup_rounds=1)
