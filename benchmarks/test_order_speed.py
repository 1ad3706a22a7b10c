"""Kendall's tau beside scipy, and draws of the Mallows model."""

import time

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt

MANY = "Kendall's tau of 10,000 documents of 20 items"
LONG = "Kendall's tau of one order of 1,000,000 items"
FIT = "Mallows, 3 systems x 200 documents of 12 items, 4 x 1,000 draws"


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=MANY)
def test_many_documents(benchmark, who):
    random = np.random.default_rng(1)
    ranks = random.permuted(np.broadcast_to(np.arange(1, 21), (10_000, 20)), axis=1)
    both = np.stack([np.broadcast_to(np.arange(1, 21), ranks.shape), ranks], axis=1)
    if who == "ours":
        orders = xr.DataArray(
            both, dims=("document", "system", "item"), coords={"system": ["reference", "A"]}
        )
        benchmark.extra_info["note"] = "ours with checks, exact p and Spearman"
        benchmark(bt.orders.kendall_tau, orders, "reference")
    else:
        benchmark.extra_info["what"] = "a loop of `scipy.stats.kendalltau`"
        benchmark.pedantic(lambda: [stats.kendalltau(x, y) for x, y in both])


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=LONG)
def test_long_order(benchmark, who):
    n = 1_000_000
    first, second = np.arange(1.0, n + 1), np.random.default_rng(2).permutation(n) + 1.0
    if who == "ours":
        orders = xr.DataArray(
            [first, second], dims=("system", "item"), coords={"system": ["reference", "A"]}
        )
        benchmark.extra_info["note"] = "ours with checks and Spearman"
        benchmark.pedantic(bt.orders.kendall_tau, (orders, "reference"), rounds=2)
    else:
        benchmark.extra_info["what"] = "`scipy.stats.kendalltau`"
        benchmark.pedantic(stats.kendalltau, (first, second), rounds=2)


@pytest.mark.sampled
@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.once
@pytest.mark.benchmark(group=FIT, timer=time.perf_counter)
def test_mallows(benchmark, who):
    import arviz as az
    import pymc as pm

    from betterthan.models import inversion_counts, mallows, sampling
    from betterthan.models.inversion_counts import to_cells

    data = mallows.simulate(200, systems=3, items=12, rng=2)

    def sampled(model):
        start = time.perf_counter()
        tree = sampling.sample(model, seed=1, draws=1000, tune=1000, chains=4, target_accept=0.9)
        parameters = tree["posterior"].to_dataset()[["theta", "document_sd", "cell_sd"]]
        least = min(float(v.min()) for v in az.ess(parameters).data_vars.values())
        benchmark.extra_info["ess_per_second"] = least / (time.perf_counter() - start)

    def plain():
        """The same model on non-centred coordinates, as one would write it."""
        cells = to_cells(data, "error")
        with pm.Model(coords={"system": cells.systems}) as model:
            theta = pm.Normal("theta", 0, 1, dims="system")
            document_sd, cell_sd = pm.HalfNormal("document_sd", 0.5), pm.HalfNormal("cell_sd", 0.5)
            document = pm.Normal("document", 0, 1, shape=200)
            cell = pm.Normal("cell", 0, 1, shape=600)
            each = theta[cells.system] + document_sd * document[cells.document] + cell_sd * cell
            pm.CustomDist(
                "y", each, cells.n, logp=inversion_counts.log_probability, observed=cells.k
            )
        return model

    model = mallows.build(data) if who == "ours" else plain()
    if who == "instead":
        benchmark.extra_info["what"] = "the same model in PyMC, effects not centred"
    with sampling.steady_arithmetic():
        benchmark.pedantic(sampled, (model,))
