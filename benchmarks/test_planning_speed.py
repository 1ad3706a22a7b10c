"""Plans in counts beside what one would write with scipy, or simulate."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import betabinom

import betterthan as bt
from betterthan.exact.planning.edges import wins_needed
from betterthan.exact.wins.dirichlet import prob_within

CURVE, ROPE = "assurance at n = 1 to 1,000", "assurance with a rope at n = 400"
BOUNDARY, PAIRS = "stopping boundary of 1,000 looks", "8,911 pairs foreseen, 200 more items"
FEW = 20  # numbers of items, or pairs, of which the slow way is timed


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=CURVE)
def test_curve(benchmark, who):
    a, b, t = design = (12, 6, 22)
    ours = bt.plan.assurance(range(1, 1001), design=design)["probability"].values[:, 0]
    if who == "ours":
        benchmark.pedantic(bt.plan.assurance, (range(1, 1001),), {"design": design})
        return
    at = np.linspace(50, 1000, FEW).astype(int)

    def instead():
        found = []
        for n in at:
            m = np.arange(n + 1)
            won = betabinom.sf(wins_needed(m) - 1, m, a, b)
            found.append(betabinom.pmf(m, n, a + b, t) @ won)
        return np.array(found)

    np.testing.assert_allclose(instead(), ours[at - 1], atol=1e-9)
    benchmark.extra_info |= {"what": f"`scipy.stats.betabinom` ({FEW} of 1,000 n timed, x 50)"}
    benchmark.extra_info |= {"times": 1000 // FEW}
    benchmark.pedantic(instead)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=ROPE)
def test_rope(benchmark, who):
    if who == "ours":
        how = {"design": (10, 10, 180), "rope": 0.05}
        benchmark.pedantic(bt.plan.assurance, (400,), how)
        return
    w = np.arange(0, 401, 20)
    benchmark.extra_info |= {"what": "the masses of all 80,601 counts (861 timed)", "times": 94}
    l = np.arange(41)
    benchmark.pedantic(lambda: prob_within(w[:, None] + 1.0, l + 1.0, 400.0, 0.05))


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=BOUNDARY)
def test_boundary(benchmark, who):
    if who == "ours":
        benchmark.pedantic(bt.plan.stopping_boundary, (1000,))
        return
    rng = np.random.default_rng(0)
    need = wins_needed(np.arange(1, 1001), threshold=0.9987)

    def instead():
        wins = (rng.random((10_000, 1000)) < 0.5).cumsum(1)
        lost = np.arange(1, 1001) - wins
        return ((wins >= need) | (lost >= need)).any(1).mean()

    benchmark.extra_info |= {"what": "10,000 simulated walks, of one threshold alone"}
    benchmark.pedantic(instead)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=PAIRS)
def test_pairs(benchmark, who):
    rng = np.random.default_rng(0)
    w, l = rng.integers(0, 120, (2, 8911))
    counts = np.stack([w, l, 500 - w - l], axis=1)
    labels = {"outcome": ["win", "loss", "tie"]}
    table = xr.DataArray(counts, dims=("pair", "outcome"), coords=labels)
    if who == "ours":
        benchmark.pedantic(bt.plan.foresee, (table,), {"more": 200})
        return

    def instead():
        m = np.arange(201)
        return [
            betabinom.pmf(m, 200, x + y + 2, z + 1)
            @ betabinom.sf(wins_needed(x + y + m) - x - 1, m, x + 1, y + 1)
            for x, y, z in counts[:FEW].tolist()
        ]

    found = bt.plan.foresee(table[:FEW], more=200)["probability"].values[:, 0]
    np.testing.assert_allclose(instead(), found, atol=1e-9)
    benchmark.extra_info |= {
        "what": f"`scipy.stats.betabinom` ({FEW} pairs timed)",
        "times": 445.55,
    }
    benchmark.pedantic(instead)
