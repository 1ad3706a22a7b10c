"""Joint draws and stepwise choices: beside the bare matrix product, a loop over resamples, and
refits.
"""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import xarray as xr
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.significance import PairedTest

import betterthan as bt
from betterthan.scores import resampling

DRAWS = "100 systems x 1,000 items x 10,000 joint draws"
PAIRED = "P(F of A > F of B), 100 documents, 10,000 draws"
PAIRED_SACREBLEU = "the same beside sacrebleu's paired bootstrap"
CHOSEN = "stepwise by AIC inside each of 35 folds, 35 x 20 features"
LARGE = "134 systems x 500 items, 4,000 draws: P(best), ranks, all pairs"


def scores(systems, items, seed=0):
    values = (
        np.random.default_rng(seed).random((items, systems)) < np.linspace(0.3, 0.75, systems)
    ).astype(float)
    return xr.DataArray(
        values, dims=("item", "system"), coords={"system": [f"s{k}" for k in range(systems)]}
    )


def tallies(documents, seed=0):
    values = np.random.default_rng(seed).poisson([5, 1, 1], (documents, 2, 3))
    return xr.DataArray(
        values,
        dims=("item", "system", "tally"),
        coords={"system": ["A", "B"], "tally": ["tp", "fp", "fn"]},
    )


def features(seed=0):
    random = np.random.default_rng(seed)
    x = random.normal(size=(35, 20))
    return x, x[:, 0] - 0.5 * x[:, 1] + random.normal(size=35)


def peak(call):
    """Greatest new memory of a call, in MB."""
    tracemalloc.start()
    call()
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used / 2**20


def product(data, draws):
    """Weights of all draws and their product with the scores, nothing else, in chunks of the same
    size.
    """
    random = np.random.default_rng(1)
    rows = resampling._NUMBERS // len(data)
    return np.concatenate(
        [
            random.standard_exponential((min(rows, draws - k), len(data))) @ data
            for k in range(0, draws, rows)
        ]
    )


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=DRAWS)
def test_joint_draws(benchmark, who):
    data = scores(100, 1000)
    if who == "ours":
        used = peak(lambda: bt.scores.bootstrap_draws(data, draws=10_000, rng=1))
        benchmark.extra_info["note"] = f"{used:.0f} MB of new memory, the draws themselves are 8 MB"
        drawn = benchmark(bt.scores.bootstrap_draws, data, draws=10_000, rng=1)
        assert drawn.shape == (10_000, 100)
    else:
        benchmark.extra_info["what"] = (
            "random weights and `weights @ scores` in numpy, in the same chunks"
        )
        benchmark(product, np.ascontiguousarray(data.values), 10_000)


class Counted(Metric):
    """A metric of sacrebleu on tallies that are known already; a hypothesis is an index."""

    _SIGNATURE_TYPE = Signature

    def __init__(self, values):
        super().__init__()
        self.values, self.num_refs = values, 1

    def _check_corpus_score_args(self, hyps, refs):
        pass

    def _extract_corpus_statistics(self, hypotheses, references):
        return self.values[[int(h) for h in hypotheses]]

    def _compute_score_from_stats(self, stats):
        tp, fp, fn = stats
        return Score("counted", float(2 * tp / (2 * tp + fp + fn)))

    def _aggregate_and_compute(self, stats):
        return self._compute_score_from_stats(np.asarray(stats).sum(0))

    _compute_segment_statistics = _preprocess_segment = _extract_reference_info = None


def by_sacrebleu(values, draws):
    items = len(values)
    metric = Counted(np.concatenate([values[:, 0], values[:, 1]]))
    systems = [
        ("A", [str(k) for k in range(items)]),
        ("B", [str(k) for k in range(items, 2 * items)]),
    ]
    return PairedTest(
        systems, {"counted": metric}, references=None, test_type="bs", n_samples=draws
    )()


def resampled_plainly(documents, draws):
    """The same on lists, as the tools do it that have no arrays."""
    random = np.random.default_rng(1)
    ahead = 0
    for _ in range(draws):
        chosen = random.choice(len(documents), len(documents), replace=True)
        scores = []
        for system in (0, 1):
            tp = sum(documents[k][system][0] for k in chosen)
            fp = sum(documents[k][system][1] for k in chosen)
            fn = sum(documents[k][system][2] for k in chosen)
            scores.append(2 * tp / (2 * tp + fp + fn))
        ahead += scores[0] > scores[1]
    return ahead / draws


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=PAIRED)
def test_paired_f(benchmark, who):
    data = tallies(100)
    if who == "ours":
        benchmark(bt.scores.bootstrap, data, draws=10_000, rng=1)
    else:
        benchmark.extra_info["what"] = (
            "documents resampled in a Python loop, sums of lists (1,000 draws timed, x 10)"
        )
        benchmark.extra_info["times"] = 10
        benchmark.pedantic(resampled_plainly, (data.values.tolist(), 1_000))


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=PAIRED_SACREBLEU)
def test_paired_f_beside_sacrebleu(benchmark, who):
    data = tallies(100)
    if who == "ours":
        benchmark(bt.scores.bootstrap, data, draws=10_000, rng=1)
    else:
        benchmark.extra_info["what"] = "`sacrebleu.significance.PairedTest`, the same tallies"
        benchmark.pedantic(by_sacrebleu, (data.values, 10_000))


def aic(y, x):
    fit = sm.OLS(y, x).fit()
    return len(y) * np.log(fit.ssr / len(y)) + 2 * x.shape[1]


def refitted(x, y):
    """Both ways, from nothing, every candidate refitted by statsmodels, in each fold."""
    chosen = []
    for fold in range(len(y)):
        rest = np.arange(len(y)) != fold
        inside, now = [], aic(y[rest], np.ones((rest.sum(), 1)))
        while True:
            moves = [
                [k for k in inside if k != j] if j in inside else [*inside, j]
                for j in range(x.shape[1])
            ]
            costs = [
                aic(y[rest], sm.add_constant(x[rest][:, m]) if m else np.ones((rest.sum(), 1)))
                for m in moves
            ]
            best = int(np.argmin(costs))
            if costs[best] >= now - 1e-9:
                break
            inside, now = moves[best], costs[best]
        chosen.append(sorted(inside))
    return chosen


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.benchmark(group=CHOSEN)
def test_stepwise(benchmark, who):
    x, y = features()
    frame = pd.DataFrame(x, columns=[f"x{k}" for k in range(20)])
    if who == "ours":
        benchmark.extra_info["note"] = "ours with the final fit, the path and all measures"
        function = benchmark(bt.features.performance_function, frame, y)
        held, every = function.fit["held_out_chosen"].values, np.arange(len(y))
        for fold, inside in enumerate(refitted(x, y)):
            columns, rest = sm.add_constant(x[:, inside]), every != fold
            expected = columns[fold] @ sm.OLS(y[rest], columns[rest]).fit().params
            np.testing.assert_allclose(held[fold], expected)
    else:
        benchmark.extra_info["what"] = "`statsmodels` OLS refitted for every candidate"
        benchmark.pedantic(refitted, (x, y))


@pytest.mark.parametrize("who", ["ours", "instead"])
@pytest.mark.filterwarnings("ignore:fewer than 5")
@pytest.mark.benchmark(group=LARGE)
def test_many_systems(benchmark, who):
    data = scores(134, 500)
    if who == "ours":
        used = peak(lambda: bt.scores.bootstrap(data, rng=1))
        benchmark.extra_info["note"] = (
            f"{used:.0f} MB of new memory; draws x systems x systems would be 575 MB"
        )
        benchmark.pedantic(bt.scores.bootstrap, (data,), {"rng": 1})
    else:
        benchmark.extra_info["what"] = "the joint draws alone, `scores.bootstrap_draws`"
        benchmark(bt.scores.bootstrap_draws, data, rng=1)
