"""Correlations of few texts: no p of 0, no interval of no width, errors as rare as promised."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

import betterthan as bt
from betterthan.people.correlations import _jackknife_errors

RANKED = (stats.spearmanr, stats.kendalltau)


def shares(x, y):
    """By brute force: arrangements of y that go with x as far as y does."""
    found = []
    for measure in (stats.spearmanr, stats.kendalltau):
        own = abs(measure(x, y)[0])
        every = [abs(measure(x, list(z))[0]) for z in permutations(y)]
        found.append(np.mean([v >= own - 1e-9 for v in every]))
    return found


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 5]),
        ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]),
        ([1, 1, 2, 3, 4], [3, 1, 1, 4, 4]),
        ([0, 0, 0, 1, 1], [5, 4, 5, 6, 6]),
    ],
)
def test_p_is_the_share_of_all_arrangements(x, y):
    found = bt.people.correlation(x, y)
    assert found["p_value"].values[1:] == pytest.approx(shares(x, y), rel=1e-12)
    assert found.attrs["p_of_ranks"] == "exact"


def test_published_exact_p():
    # of 5 pairs in one order 2 of 120 arrangements are perfect, of 4 pairs 2 of 24
    for n, p in ((4, 2 / 24), (5, 2 / 120), (9, 2 / 362880), (12, 2 / 479001600)):
        found = bt.people.correlation(np.arange(n), np.arange(n) ** 2)
        assert found["p_value"].values[1:] == pytest.approx([p, p], rel=1e-9)
    line = bt.people.correlation(np.arange(6), 3 - 2 * np.arange(6.0))
    assert line["p_value"].values == pytest.approx([2 / 720] * 3)


@pytest.mark.parametrize("y", [[1, 2, 3, 5], [1, 2, 3, 4, 6], [0, 0, 0, 1, 1, 1], list(range(15))])
def test_a_perfect_order_has_an_interval_that_is_no_point(y):
    x = np.array(y) ** 3
    for sign in (1, -1):
        found = bt.people.correlation(x, sign * np.array(y, dtype=float))
        ranks = found.isel(measure=[1, 2])
        assert ranks["r"].values == pytest.approx([sign, sign])
        far, near = ("upper", "lower") if sign > 0 else ("lower", "upper")
        assert (ranks[far].values == sign).all()
        assert (sign * ranks[near].values < 0.99).all()
        assert (found["p_value"].values > 0).all()
        assert found.attrs["perfect"][-2:] == ["spearman", "kendall"]


@pytest.mark.parametrize("y", [[0, 1, 3, 7], [1, 1, 2, 3], [0, 1, 1, 2], [1, 1, 2, 2, 5]])
def test_p_of_a_perfect_line_is_the_share_of_all_arrangements(y):
    own = bt.people.correlation(y, 2 * np.array(y) + 1)["p_value"].sel(measure="pearson").item()
    every = [abs(stats.pearsonr(y, list(z))[0]) for z in permutations(y)]
    assert own == pytest.approx(np.mean(np.array(every) > 1 - 1e-9), rel=1e-12)


def test_of_a_perfect_line_no_interval_is_told():
    found = bt.people.correlation([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    assert np.isnan([found[k].sel(measure="pearson").item() for k in ("lower", "upper")]).all()
    assert found["p_value"].sel(measure="pearson").item() == pytest.approx(2 / 120)


@pytest.mark.parametrize("n", [4, 5, 6])
def test_no_more_rejections_than_promised(n):
    random = np.random.default_rng(n)
    found = [bt.people.correlation(*random.normal(size=(2, n)))["p_value"] for _ in range(300)]
    assert (np.mean([p <= 0.05 for p in found], axis=0)[1:] <= 0.05 + 2 * 0.0126).all()
    assert max(float(p.min()) for p in found) <= 1


def test_standard_errors_of_two_ratings_are_those_of_leaving_out_one_pair():
    random = np.random.default_rng(1)
    x = random.integers(0, 4, 30).astype(float)
    y = np.clip(x + random.integers(-1, 2, 30), 0, 3)
    errors = _jackknife_errors(x, y)
    for place, measure in enumerate((stats.pearsonr, stats.spearmanr, stats.kendalltau)):
        z = np.arctanh([measure(np.delete(x, k), np.delete(y, k))[0] for k in range(30)])
        assert errors[place] == pytest.approx(np.sqrt(29 / 30 * ((z - z.mean()) ** 2).sum()))


@pytest.mark.parametrize("n", [20, 40])
def test_intervals_of_two_ratings_hold_the_truth(n):
    """Ratings 1 to 5, most of them 5; the truth is that of 40,000 of them."""
    edges, random = np.array([-2.2, -1.6, -0.9, 0.1]), np.random.default_rng(4)

    def ratings(n):
        quality = random.normal(size=n)
        return [np.digitize(quality + random.normal(0, 0.5, n), edges) for _ in range(2)]

    many = ratings(40_000)
    true = [f(*many)[0] for f in (stats.pearsonr, stats.spearmanr, stats.kendalltau)]
    drawn = [pair for pair in (ratings(n) for _ in range(300)) if all(map(np.ptp, pair))]
    found = [bt.people.correlation(*pair) for pair in drawn]
    held = np.mean([(c["lower"] <= true) & (true <= c["upper"]) for c in found], axis=0)
    assert (held > 0.91).all()  # 0.95, with three errors of 300


def test_means_that_differ_by_rounding_alone_are_ties():
    random = np.random.default_rng(104)
    ratings, y = random.integers(1, 6, (24, 3)), random.integers(1, 6, 24)
    tenths, whole = (bt.people.correlation(x, y) for x in ((ratings / 10).mean(1), ratings.sum(1)))
    np.testing.assert_allclose(tenths["r"], whole["r"], atol=1e-12)
    np.testing.assert_allclose(tenths["p_value"], whole["p_value"], atol=1e-9)
    alike = random.permuted(np.tile([0.1, 0.2, 0.3], (12, 1)), axis=1).mean(1)
    with pytest.raises(ValueError, match="x is constant"):
        bt.people.correlation(alike, y[:12])


@pytest.mark.parametrize("n", [20, 50])
@pytest.mark.parametrize("tails", ["normal", "lognormal", "heavy"])
def test_intervals_of_values_without_ties_hold_the_truth(n, tails):
    """Fisher's z alone holds 0.73 to 0.81 of lognormal and heavy-tailed values."""
    random = np.random.default_rng(5)

    def values(n):
        a, b = random.normal(size=(2, n))
        a, b = a, 0.6 * a + 0.8 * b
        if tails == "lognormal":
            return np.exp(a), np.exp(b)
        scale = np.sqrt(3 / random.chisquare(3, n)) if tails == "heavy" else 1.0
        return a * scale, b * scale

    many = values(1_000_000)
    true = [np.corrcoef(*many)[0, 1], *(f(*(v[:50_000] for v in many))[0] for f in RANKED)]
    found = [bt.people.correlation(*values(n)) for _ in range(200)]
    held = np.mean([(c["lower"] <= true) & (true <= c["upper"]) for c in found], axis=0)
    assert (held > 0.88).all()  # 0.95, with three errors of 200, and Pearson's r of heavy tails .91
    if tails == "normal":
        assert (held < 0.995).all()
