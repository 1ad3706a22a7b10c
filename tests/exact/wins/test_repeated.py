"""Charts of pairs with the same counts are interpolated, and are those of each pair by itself."""

import numpy as np
import pytest

from betterthan.exact.joint import mixture
from betterthan.exact.joint import units as of_units
from betterthan.exact.joint.abilities import Abilities, evidence_from_means, evidence_from_right
from betterthan.exact.joint.mixture import Wins
from betterthan.exact.wins.intervals import edgeworth, shape
from betterthan.exact.wins.repeated import Distinct, Windows


@pytest.fixture
def many():
    """Pairs of which many are alike or mirrored, and about where their intervals end."""
    a, b = np.random.default_rng(0).integers(20, 45, (2, 2000)).astype(float)
    pairs = Wins(a, b, 300 - a - b)
    move = np.random.default_rng(1).normal(0, 0.05, len(a))
    mean, sd, skew = shape(pairs.a, pairs.b, pairs.t)
    return pairs, edgeworth(mean + sd * move, sd, skew, 0.95)


def test_charts_are_those_of_each_pair(many):
    pairs, ends = many
    distinct = Distinct(pairs.a, pairs.b, pairs.t)
    windows = Windows.near(ends, distinct, shape(*distinct.parameters)[1])
    rows = np.arange(0, 2000, 3)
    # two points suffice: an error of 1e-7 moves a tail by less than a thousandth of what merging
    # the components of the joint model does, and charts of other answers are not interpolated
    for end in (0, 1):
        chart = windows.chart(rows, end, ends[end, rows])
        within = ~np.isnan(chart[0])
        exact = pairs.take(rows[within]).chart(ends[end, rows[within]])
        assert within.mean() > 0.4  # windows without a precise polynomial say nothing
        for values, right, error in zip(chart, exact, (1e-7, 1e-6, 1e-3), strict=True):
            np.testing.assert_allclose(values[within], right, rtol=error, atol=error)


def test_nothing_is_known_outside_of_the_windows(many):
    pairs, ends = many
    distinct = Distinct(pairs.a, pairs.b, pairs.t)
    windows = Windows.near(ends, distinct, shape(*distinct.parameters)[1])
    assert np.isnan(windows.chart(np.arange(2000), 0, ends[1])).all()


def test_intervals_are_those_without_interpolation(monkeypatch):
    random = np.random.default_rng(2)
    right = (random.random((80, 70)) < np.linspace(0.3, 0.8, 70)).astype(float)
    joint = Abilities.fit(evidence_from_right(right.T @ right, 80, (1.0, 1.0, 1.0)))
    here = joint.pairs(0.9, "hdi", 0.0)
    monkeypatch.setattr(mixture, "_MANY", np.inf)
    there = joint.pairs(0.9, "hdi", 0.0)
    assert (here.lower != there.lower).any()
    # rough ends, where components are merged, which moves more than that
    np.testing.assert_allclose(here.lower, there.lower, atol=1e-6)
    np.testing.assert_allclose(here.upper, there.upper, atol=1e-6)


@pytest.mark.parametrize(("systems", "items", "spread"), [(70, 30, 0.3), (64, 20, 1.5), (64, 8, 1)])
@pytest.mark.parametrize("prob", [0.5, 0.95])
def test_rough_ends_are_near_also_on_few_items(systems, items, spread, prob, monkeypatch):
    random = np.random.default_rng(1)
    logits = random.normal(size=(items, 1)) + random.normal(0, spread, systems)
    right = (random.random((items, systems)) < 1 / (1 + np.exp(-logits))).astype(float)
    joint = Abilities.fit(evidence_from_right(right.T @ right, items, (1.0, 1.0, 1.0)))
    here = joint.pairs(prob, "hdi", 0.0)
    monkeypatch.setattr(mixture, "_MANY", np.inf)
    monkeypatch.setattr(mixture, "_SHORT_ROUGH", mixture._SHORT)
    there = joint.pairs(prob, "hdi", 0.0)
    most = 2e-5 * (there.upper - there.lower)  # as the page on the joint model says
    assert (here.lower != there.lower).any()
    assert (np.abs(here.lower - there.lower) < most).all()
    assert (np.abs(here.upper - there.upper) < most).all()


@pytest.mark.parametrize("kind", ["hdi", "eti"])
@pytest.mark.parametrize(("items", "most"), [(12, np.inf), (12, 1.0), (20, 1.0)])
def test_rough_ends_of_means_are_near_also_where_items_are_skewed(items, most, kind, monkeypatch):
    random = np.random.default_rng(2)
    score = random.beta(0.4, 0.1, (items, 70)) * random.random((items, 1)) * np.linspace(0.7, 1, 70)
    sizes, units = np.ones_like(score), np.arange(items)
    means = of_units.means(score, sizes, limits=(0.0, 1.0), skewed=True)
    pairs = of_units.pair_means(score, sizes, units, most=most, skewed=True)
    joint = Abilities.fit(
        evidence_from_means(means.mean, means.covariance, means.df, pairs, score.std())
    )
    here = joint.pairs(0.95, kind, 0.0)
    monkeypatch.setattr(mixture, "_STEP_ROUGH", mixture._STEP)
    there = joint.pairs(0.95, kind, 0.0)
    width = there.upper - there.lower
    assert (here.lower != there.lower).any()
    assert (np.abs(here.lower - there.lower) < 2e-5 * width).all()
    assert (np.abs(here.upper - there.upper) < 2e-5 * width).all()


@pytest.mark.parametrize("step", [1.0, 0.1])
def test_pairs_are_distinct_by_each_parameter(step):
    a, b, t = np.random.default_rng(3).integers(1, 5, (3, 300)) * step + 1 / 3
    distinct = Distinct(a, b, t)
    triples = {(max(x, y), min(x, y), z) for x, y, z in zip(a, b, t, strict=True)}
    assert len(distinct.parameters[0]) == len(triples)
    ahead = np.stack(distinct.parameters)[:, distinct.back]
    np.testing.assert_array_equal(ahead, [np.maximum(a, b), np.minimum(a, b), t])
