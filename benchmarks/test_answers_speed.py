"""Joint models by weights, judged outcomes and a page, beside what answers less."""

import gc

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize
from scipy.special import expit

import betterthan as bt
from betterthan.exact.judged import JudgedPairs, draws
from validation.of_hierarchical import common_mean

AGAIN = "the same, with predictive draws and log likelihoods"
ITEMS, VOTES = "abilities of 134 systems on 500 items", "abilities of 59 systems, 8,931 votes"
ARENA = {n: f"abilities of 200 models, {n:,} votes" for n in (1_000_000, 10_000_000)}
BY_JUDGES = "abilities by votes of 124 judges, 59 systems, 8,931 votes"
CLUSTERS = "28 pairs of clusters, 60 of 6 items, draws of all parameters"
DATASETS = "28 pairs over 10 data sets of 50, draws of all parameters"
JUDGED, MANY = "P of a judged pair, 10,000 items, nine signals", "45 judged pairs, all answers"
EXACT_1000, PAGE = "exact F1, 1,000 documents", "page of 134 systems"


def answers(systems=134, items=500, seed=0):
    random = np.random.default_rng(seed)
    ability, difficulty = np.linspace(1.5, -1.5, systems), random.normal(size=items)
    right = random.random((items, systems)) < expit(ability - difficulty[:, None])
    labels = {"system": [f"s{k}" for k in range(systems)]}
    return xr.DataArray(right.astype(float), dims=("item", "system"), coords=labels)


def mode_of_abilities(right):
    """Abilities and difficulties with normal priors, by L-BFGS: points, without errors."""
    items, systems = right.shape

    def loss(at):
        ability, difficulty = at[:systems], at[systems:]
        odds = ability - difficulty[:, None]
        miss = expit(odds) - right
        value = np.logaddexp(0, odds).sum() - (right * odds).sum() + at @ at / 2
        return value, np.concatenate([miss.sum(0), -miss.sum(1)]) + at

    return minimize(loss, np.zeros(systems + items), jac=True, method="L-BFGS-B").x


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=ITEMS)
def test_abilities_on_items(benchmark, who):
    scores = answers()
    if who == "ours":
        fit = {"rng": 1, "predictive": False}
        benchmark.pedantic(bt.models.item_response.fit, (scores,), fit)
        return
    benchmark.extra_info |= {"what": "their mode alone, by `scipy.optimize.minimize`"}
    benchmark.pedantic(mode_of_abilities, (scores.values,))


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=AGAIN)
def test_abilities_on_items_with_predictive_draws(benchmark, who):
    scores = answers()
    if who == "ours":
        # 2.7 GB of draws in int64: those of the round before go first
        def scores_alone():
            gc.collect()
            return (scores,), {"rng": 1}

        benchmark.pedantic(bt.models.item_response.fit, setup=scores_alone, rounds=2)
        return
    random, chance = np.random.default_rng(0), np.full((40, *scores.shape), 0.5)
    benchmark.extra_info |= {
        "what": "the 5,000 sets of 0 and 1 alone, by `Generator.binomial` (40 timed)",
        "times": 125,
    }
    benchmark.pedantic(random.binomial, (1, chance))


def mode_of_votes(first, second, said, systems=59):
    """Abilities and the weight of ties after Davidson, by L-BFGS."""

    def loss(at):
        half = (at[first] - at[second]) / 2
        logs = np.stack([half, -half, np.full(len(half), at[-1])])
        top = np.logaddexp.reduce(logs)
        share = np.exp(logs - top)
        slope = ((share[0] - (said == 0)) - (share[1] - (said == 1))) / 2
        gradient = np.bincount(first, slope, systems + 1) - np.bincount(second, slope, systems + 1)
        gradient[-1] = (share[2] - (said == 2)).sum()
        return (top - logs[said, np.arange(len(said))]).sum() + at @ at / 2, gradient + at

    return minimize(loss, np.zeros(systems + 1), jac=True, method="L-BFGS-B").x


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=VOTES)
def test_abilities_by_votes(benchmark, who):
    votes = bt.models.davidson.simulate(systems=59, judgments=8931, rng=0)
    if who == "ours":
        fit = {"rng": 1, "predictive": False}
        benchmark.pedantic(bt.models.davidson.fit, (votes,), fit)
        return
    random = np.random.default_rng(0)
    first, second = random.integers(0, 59, (2, 8931))
    said = random.integers(0, 3, 8931)
    benchmark.extra_info |= {"what": "their mode alone, by `scipy.optimize.minimize`"}
    benchmark.pedantic(mode_of_votes, (first, second, said))


def arena(models, votes):
    """Wins, losses and ties of all pairs of models, of which some meet often."""
    random = np.random.default_rng(1)
    popular, ability = random.dirichlet(np.full(models, 2.0)), random.normal(0, 0.8, models)
    first, second = np.triu_indices(models, 1)
    share = popular[first] * popular[second]
    odds = np.exp(np.stack([ability[first], ability[second], np.zeros(len(first))], axis=1))
    odds[:, 2] = 0.2 * np.sqrt(odds[:, 0] * odds[:, 1])
    met = random.poisson(votes * share / share.sum())
    counts = random.multinomial(met, odds / odds.sum(1, keepdims=True))
    names = [(f"m{i}", f"m{j}") for i, j in zip(first, second, strict=True)]
    table = dict(zip(names, map(tuple, counts.tolist()), strict=True))
    return bt.counts.from_table(table).assign_attrs(unit="judgment")


@pytest.mark.once
@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.parametrize(
    "votes", [pytest.param(v, marks=pytest.mark.benchmark(group=g)) for v, g in ARENA.items()]
)
def test_abilities_by_millions_of_votes(benchmark, who, votes):
    if who == "instead":
        benchmark.extra_info["what"] = "those of 600,000 votes"
    counts = arena(200, votes if who == "ours" else 600_000)
    fit = {"rng": 1, "predictive": False, "sampler": "laplace"}
    benchmark.pedantic(bt.models.davidson.fit, (counts,), fit)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=BY_JUDGES)
def test_abilities_by_votes_of_judges(benchmark, who):
    votes = bt.models.davidson.simulate(systems=59, judgments=8931, judges=124, rng=1)
    fit = {"judges": who == "ours", "rng": 1, "predictive": False}
    benchmark.extra_info |= {"what": "the same fit, judges taken to be alike"}
    benchmark.pedantic(bt.models.davidson.fit, (votes,), fit)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=CLUSTERS)
def test_pairs_of_clusters(benchmark, who):
    counts = bt.models.clustered.simulate(60, size=6, pairs=28, rng=0)["counts"]
    if who == "ours":
        fit = {"rng": 1, "predictive": False}
        benchmark.pedantic(bt.models.clustered.fit, (counts,), fit)
        return
    benchmark.extra_info |= {"what": "P(A better) alone by quadrature, `closed_form`"}
    benchmark.pedantic(bt.models.clustered.closed_form, (counts,))


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=DATASETS)
def test_pairs_over_data_sets(benchmark, who):
    counts = bt.models.hierarchical.simulate(10, n=50, pairs=28, rng=0)["counts"]
    if who == "ours":
        fit = {"rng": 1, "predictive": False}
        benchmark.pedantic(bt.models.hierarchical.fit, (counts,), fit)
        return
    what = "the common difference alone, by sums over a grid (1 pair timed)"
    benchmark.extra_info |= {"what": what, "times": 28}
    benchmark.pedantic(common_mean, (counts.values[:, 0],))


def judged(pairs, signals, items, labels, seed=0):
    random = np.random.default_rng(seed)
    gold = random.multinomial(labels, np.full(3 * signals, 1 / (3 * signals)), size=pairs)
    gold = gold.reshape(pairs, 3, signals)
    rest = random.multinomial(items - labels, np.full(signals, 1 / signals), size=pairs)
    return gold, gold.sum(1) + rest


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=JUDGED)
def test_one_judged_pair(benchmark, who):
    pairs = JudgedPairs.from_counts(*judged(1, 9, 10_000, 200))
    if who == "ours":
        benchmark.pedantic(lambda: pairs.above(0.0), rounds=2)
        return
    random = np.random.default_rng(0)
    benchmark.extra_info |= {"what": "1,000,000 exact draws of it, an error of .0005"}
    benchmark.pedantic(draws, (pairs.cells, pairs.size, 1_000_000, random))


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=MANY)
def test_many_judged_pairs(benchmark, who):
    gold, seen = judged(45, 4, 100, 30)
    names = [(f"s{a}", f"s{b}") for a in range(10) for b in range(a + 1, 10)]
    table = dict(zip(names, zip(gold, seen, strict=True), strict=True))
    if who == "ours":
        counts = bt.judged.from_table(table)
        benchmark.pedantic(bt.compare, (counts,), {"rope": 0.02})
        return
    alone = bt.counts.from_table({pair: found[0].sum(1) for pair, found in table.items()})
    benchmark.extra_info |= {"what": "the labels alone, by the same `compare`"}
    benchmark.pedantic(bt.compare, (alone,), {"rope": 0.02})


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=EXACT_1000)
def test_exact_f1(benchmark, who):
    values = np.random.default_rng(0).poisson([5, 1, 1], (1000, 2, 3))
    labels = {"system": ["s0", "s1"], "tally": ["tp", "fp", "fn"]}
    data = xr.DataArray(values, dims=("item", "system", "tally"), coords=labels)
    how = {"method": "exact"} if who == "ours" else {"method": "monte_carlo", "rng": 0}
    benchmark.extra_info |= {"what": "our own 10,000 shuffles"}
    benchmark.pedantic(bt.randomization_test, (data,), how)


@pytest.mark.parametrize("who", ["instead", "ours"])
@pytest.mark.benchmark(group=PAGE)
def test_page(benchmark, who):
    scores = answers()
    found = bt.compare(scores)
    if who == "ours":
        benchmark.pedantic(bt.report, (found,), {"format": "html"})
        return
    benchmark.extra_info |= {"what": "the answer itself, `compare`"}
    benchmark.pedantic(bt.compare, (scores,))
