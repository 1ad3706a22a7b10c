"""All pairs of a leaderboard: intervals by the contour beside the integrals of before, `compare`
beside the plain matrix, and what a process takes to say anything.
"""

import os
import subprocess
import sys
from functools import partial
from unittest import mock

import numpy as np
import pytest
from scipy.special import betainc, expit
from test_speed import bare, labelled, right_or_wrong
from timers import children

import betterthan as bt
from betterthan.blocks.lazy import run_locally
from betterthan.exact.wins import intervals, inverse_laplace
from betterthan.posterior.closed import Distinct

INTERVALS = "HDIs of the 8,911 pairs of 134 systems"
REPEATED = "HDIs of the 1,770 pairs of 60 models, 6,000 votes"
FEW_ITEMS = "HDIs of the 8,911 pairs of 134 systems x 100 items"
MATRIX = "P matrix of 134 systems x 500 items from counts"
COMPARE = {s: f"`compare` of {s} systems x 500 items" for s in (134, 300, 600)}
THOUSAND = "`compare` of 1,000 systems x 500 items"
GRADED = "`compare` of 14 systems x 500 scores of three decimals"
RUNS = "pass^k of 134 systems x 500 items x 5 runs, k = 1, 3, 5, all pairs"
LONG = "20 systems x 100,000 items, 1,000 joint draws and all answers"
IMPORT, VERSION, HELP = "`import betterthan`", "`betterthan --version`", "`betterthan --help`"
FEW = 300  # pairs, of those that are timed slowly


def parameters(systems, items=500):
    """Dirichlet parameters of every pair."""
    x = right_or_wrong(items, systems).T
    wins = x @ (1 - x).T
    first, second = np.triu_indices(systems, 1)
    a, b = 1 + wins[first, second], 1 + wins[second, first]
    return a, b, items + 3 - a - b


def by_share(a, b, t):
    """The road that the contour took the place of."""
    whole = inverse_laplace.beyond

    def never(*four, **choice):
        found = whole(*four, **choice)
        return found._replace(converged=np.zeros_like(found.converged))

    with mock.patch.object(inverse_laplace, "beyond", never):
        return intervals.hdi(a, b, t, 0.95)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=INTERVALS)
def test_intervals(benchmark, who):
    a, b, t = parameters(134)
    few = a[:FEW], b[:FEW], t[:FEW]
    assert intervals.narrowest(*few, 0.95)[2].all()
    np.testing.assert_allclose(by_share(*few)[:2], intervals.hdi(*few, 0.95)[:2], atol=1e-10)
    if who == "ours":
        benchmark.pedantic(intervals.hdi, (a, b, t, 0.95), rounds=2)
        return
    benchmark.extra_info |= {
        "what": f"the integrals over the share of decisive items ({FEW} pairs timed)",
        "times": len(a) / FEW,
    }
    benchmark.pedantic(by_share, few)


def each_once(a, b, t):
    """Intervals as `compare` takes them."""
    return Distinct(a, b, t).at_work(run_locally, partial(intervals.hdi, prob=0.95), 3)


def votes(models, number):
    """Dirichlet parameters of the pairs of models, of which some meet often."""
    random = np.random.default_rng(1)
    popular = random.dirichlet(np.full(models, 2.0))
    first, second = np.triu_indices(models, 1)
    share = popular[first] * popular[second]
    met = random.poisson(number * share / share.sum())
    ability = random.normal(0, 0.8, models)
    win = 0.8 / (1 + np.exp(ability[second] - ability[first]))
    counts = random.multinomial(met, np.stack([win, 0.8 - win, np.full(len(win), 0.2)], axis=1))
    return tuple(1.0 + counts.T)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=REPEATED)
def test_intervals_of_votes(benchmark, who):
    if who == "instead":
        benchmark.extra_info["what"] = "those of every pair, equal ones too"
    every = partial(intervals.hdi, prob=0.95)
    benchmark.pedantic(each_once if who == "ours" else every, votes(60, 6_000))


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=FEW_ITEMS)
def test_intervals_of_few_items(benchmark, who):
    if who == "instead":
        benchmark.extra_info["what"] = "those of 134 systems x 500 items"
    benchmark.pedantic(each_once, parameters(134, 100 if who == "ours" else 500), rounds=2)


def distinct(wins, losses):
    key = wins * (wins.max() + 1) + losses
    each, back = np.unique(key, return_inverse=True)
    w, l = np.divmod(each, wins.max() + 1)
    return betainc(l + 1.0, w + 1.0, 0.5)[back]


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=MATRIX)
def test_matrix_of_counts(benchmark, who):
    counts = bt.count(labelled(right_or_wrong(500, 134)))
    wins, losses = (counts.values[..., k] for k in (0, 1))
    np.testing.assert_allclose(bt.prob_better(counts).values, distinct(wins, losses), rtol=1e-12)
    if who == "ours":
        benchmark(bt.prob_better, counts)
    else:
        benchmark.extra_info["what"] = "`betainc` of the distinct counts in numpy"
        benchmark(distinct, wins, losses)


def grouped(value, group, **how):
    """A parameter that is a group of its own."""
    return pytest.param(value, marks=pytest.mark.benchmark(group=group, **how))


def of_difficulty(systems, items=500):
    """Right and wrong answers to items that differ in difficulty, as systems do in ability."""
    random = np.random.default_rng(0)
    odds = np.linspace(1.5, -1.5, systems) - random.normal(size=(items, 1))
    return (random.random((items, systems)) < expit(odds)).astype(float)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.parametrize("systems", [grouped(s, group) for s, group in COMPARE.items()])
def test_compare(benchmark, systems, who):
    values = of_difficulty(systems)
    if who == "ours":
        benchmark.pedantic(bt.compare, (labelled(values),), rounds=3, warmup_rounds=1)
    else:
        benchmark.extra_info["what"] = "`X @ X.T` and `betainc` in numpy"
        benchmark.pedantic(bare, (values,), rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=THOUSAND)
def test_compare_a_thousand(benchmark, who):
    if who == "instead":
        benchmark.extra_info["what"] = "`compare` of 600 systems"
    scores = labelled(of_difficulty(1000 if who == "ours" else 600))
    benchmark.pedantic(bt.compare, (scores,))


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=GRADED)
def test_compare_graded_scores(benchmark, who):
    scores = labelled(of_difficulty(14))
    if who == "instead":
        benchmark.extra_info["what"] = "`compare` of 14 systems x 500 scores of 0 and 1"
    else:
        random = np.random.default_rng(1)
        noise = random.normal(0, 0.12, scores.shape)
        scores = (random.random((500, 1)) + noise + 0 * scores).clip(0, 1).round(3)
    benchmark.pedantic(bt.compare, (scores,), rounds=40, warmup_rounds=2)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=RUNS)
def test_reliability_of_many_systems(benchmark, who):
    if who == "instead":
        benchmark.extra_info["what"] = "`compare` of 134 systems x 500 scores of 0 and 1"
        scores = labelled(of_difficulty(134))
        benchmark.pedantic(bt.compare, (scores,), rounds=3, warmup_rounds=1)
        return
    random = np.random.default_rng(0)
    odds = np.linspace(1.5, -1.5, 134) - random.normal(size=(500, 1))
    runs = (random.random((5, 500, 134)) < expit(odds)).sum(0)
    trials = labelled(runs).to_dataset(name="successes")
    trials = trials.assign(trials=trials["successes"] * 0 + 5)
    benchmark.pedantic(bt.runs.reliability, (trials,), rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=LONG)
def test_many_items(benchmark, who):
    items = 100_000 if who == "ours" else 10_000
    scores = labelled(right_or_wrong(items, 20))
    if who == "instead":
        benchmark.extra_info |= {"what": "10,000 items, x 10: what is linear", "times": 10}
    benchmark.pedantic(bt.scores.bootstrap, (scores,), {"draws": 1000, "rng": 1})


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.parametrize(
    "words",
    [
        grouped(["-c", "import betterthan"], IMPORT, timer=children),
        grouped(["-m", "betterthan", "--version"], VERSION, timer=children),
        grouped(["-m", "betterthan", "--help"], HELP, timer=children),
    ],
    ids=["import", "version", "help"],
)
def test_first_words(benchmark, words, who):
    command = [sys.executable, *words]
    if who == "instead":
        benchmark.extra_info["what"] = '`python -c "import numpy"`'
        command = [sys.executable, "-c", "import numpy"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    benchmark.pedantic(
        subprocess.run,
        (command,),
        {"check": True, "capture_output": True, "env": environment},
        rounds=3,
        warmup_rounds=1,
    )
