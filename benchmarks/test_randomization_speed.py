"""Randomization tests in processor time, beside scipy, sacrebleu and our own sampled test."""

import numpy as np
import pytest
import xarray as xr
from sacrebleu.metrics.base import Metric, Score, Signature
from sacrebleu.significance import PairedTest
from scipy.stats import permutation_test

import betterthan as bt

SHUFFLES = 10_000
F1_SCIPY, F1_SACREBLEU = "micro F1, 100 documents, 10,000 shuffles", "the same beside sacrebleu"
ACCURACY, ACCURACY_SACREBLEU = "accuracy, 1,000 items", "accuracy, 1,000 items, beside sacrebleu"
EXACT_100, EXACT_300 = "exact F1, 100 documents", "exact F1, 300 documents"
MANY = "17 systems (136 pairs), micro F1, 100 documents, 10,000 shuffles"


def tallies(documents, systems=2, seed=0):
    values = np.random.default_rng(seed).poisson([5, 1, 1], (documents, systems, 3))
    labels = {"system": [f"s{k}" for k in range(systems)], "tally": ["tp", "fp", "fn"]}
    return xr.DataArray(values, dims=("item", "system", "tally"), coords=labels)


def right_or_wrong(items, seed=0):
    values = (np.random.default_rng(seed).random((items, 2)) < [0.72, 0.7]).astype(float)
    return xr.DataArray(values, dims=("item", "system"), coords={"system": ["s0", "s1"]})


def f1(totals):
    tp, fp, fn = np.moveaxis(totals, -1, 0)
    return 2 * tp / (2 * tp + fp + fn)


def by_scipy(values, statistic):
    """Responses of two systems swapped by index, as samples of scipy are one-dimensional."""
    items = len(values)
    both = np.concatenate([values[:, 0], values[:, 1]])

    def difference(a, b, axis):
        return statistic(both[a], axis) - statistic(both[b], axis)

    samples = np.arange(items), np.arange(items, 2 * items)
    return permutation_test(
        samples,
        difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=SHUFFLES,
        rng=1,
    ).pvalue


class Counted(Metric):
    """A metric of sacrebleu on statistics that are known already; a hypothesis is an index."""

    _SIGNATURE_TYPE = Signature

    def __init__(self, values, score):
        super().__init__()
        self.values, self.score, self.num_refs = values, score, 1

    def _check_corpus_score_args(self, hyps, refs):
        pass

    def _extract_corpus_statistics(self, hypotheses, references):
        return self.values[[int(h) for h in hypotheses]]

    def _aggregate_and_compute(self, stats):
        return Score("counted", float(self.score(np.asarray(stats).sum(0))))

    _compute_score_from_stats = _compute_segment_statistics = _preprocess_segment = (
        _extract_reference_info
    ) = None


def by_sacrebleu(values, score):
    items = len(values)
    metric = Counted(np.concatenate([values[:, 0], values[:, 1]]), score)
    systems = [
        ("s0", [str(k) for k in range(items)]),
        ("s1", [str(k) for k in range(items, 2 * items)]),
    ]
    return PairedTest(
        systems, {"counted": metric}, references=None, test_type="ar", n_samples=SHUFFLES
    )()


def sampled(data):
    return bt.randomization_test(data, method="monte_carlo", shuffles=SHUFFLES, rng=1)


def timed(benchmark, function, *arguments, rounds):
    benchmark.pedantic(function, arguments, rounds=rounds, warmup_rounds=1)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=F1_SCIPY)
def test_f1_scipy(benchmark, who):
    data = tallies(100)
    if who == "ours":
        timed(benchmark, sampled, data, rounds=20)
        return
    benchmark.extra_info["what"] = "`scipy.stats.permutation_test`, vectorised"
    ours = sampled(data)
    p = by_scipy(data.values, lambda x, axis: f1(x.sum(axis - 1)))
    assert abs(p - ours["p_value"].values[0, 1]) < 6 * ours["p_value_mcse"].values[0, 1]
    timed(benchmark, by_scipy, data.values, lambda x, axis: f1(x.sum(axis - 1)), rounds=2)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=F1_SACREBLEU)
def test_f1_sacrebleu(benchmark, who):
    data = tallies(100)
    if who == "ours":
        timed(benchmark, sampled, data, rounds=20)
    else:
        benchmark.extra_info["what"] = "`sacrebleu.significance.PairedTest`, the same tallies"
        timed(benchmark, by_sacrebleu, data.values, f1, rounds=1)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=ACCURACY)
def test_accuracy_scipy(benchmark, who):
    data = right_or_wrong(1000)
    if who == "ours":
        benchmark.extra_info["note"] = "ours is exact"
        timed(benchmark, bt.randomization_test, data, rounds=20)
        return
    benchmark.extra_info["what"] = "`scipy.stats.permutation_test`, vectorised, 10,000 shuffles"
    assert (
        abs(
            by_scipy(data.values, lambda x, axis: x.mean(axis))
            - bt.randomization_test(data)["p_value"].values[0, 1]
        )
        < 0.03
    )
    timed(benchmark, by_scipy, data.values, lambda x, axis: x.mean(axis), rounds=1)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=ACCURACY_SACREBLEU)
def test_accuracy_sacrebleu(benchmark, who):
    data = right_or_wrong(1000)
    if who == "ours":
        benchmark.extra_info["note"] = "ours is exact"
        timed(benchmark, bt.randomization_test, data, rounds=20)
        return
    benchmark.extra_info["what"] = "`sacrebleu.significance.PairedTest`, 10,000 shuffles"
    timed(benchmark, by_sacrebleu, data.values[..., None], lambda x: x[0] / 1000, rounds=1)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.parametrize("documents", [100, 300])
@pytest.mark.benchmark
def test_exact(benchmark, documents, who):
    benchmark.group = {100: EXACT_100, 300: EXACT_300}[documents]
    data = tallies(documents)
    if who == "ours":
        timed(benchmark, lambda: bt.randomization_test(data, method="exact"), rounds=4)
        return
    benchmark.extra_info["what"] = "our own 10,000 shuffles"
    exact, other = bt.randomization_test(data, method="exact"), sampled(data)
    assert abs(exact["p_value"] - other["p_value"]).max() < 6 * other["p_value_mcse"].max()
    timed(benchmark, sampled, data, rounds=20)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=MANY)
def test_many_systems(benchmark, who):
    if who == "ours":
        timed(benchmark, sampled, tallies(100, 17), rounds=4)
    else:
        benchmark.extra_info |= {"what": "one pair, x 17", "times": 17}
        timed(benchmark, sampled, tallies(100), rounds=20)
