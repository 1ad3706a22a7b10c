"""Scores that dask holds in blocks, beside the loop over the same blocks that cannot be done
without.
"""

import large
import pytest

COUNT = "counting 200,000 items x 500 systems, int8 in blocks"


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=COUNT)
def test_count(benchmark, who):
    given = 200_000, 500, 0
    if who == "ours":
        benchmark.pedantic(large.count, given, rounds=3, warmup_rounds=1)
        return
    benchmark.extra_info["what"] = "each block drawn and multiplied, `X.T @ X`"
    benchmark.pedantic(large.bare, given, rounds=3, warmup_rounds=1)
