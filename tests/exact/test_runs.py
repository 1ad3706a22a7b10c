"""pass^k, its bounds, variances of runs and items, and whole runs that differ."""

from itertools import permutations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from betterthan.exact import runs

RIGHT = np.arange(6)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_chances_are_those_of_drawing_without_replacement(k):
    every = [comb(s, k) / comb(5, k) for s in RIGHT]
    some = [1 - comb(5 - s, k) / comb(5, k) for s in RIGHT]
    np.testing.assert_allclose(runs.drawn(RIGHT, np.full(6, 5), k, "all"), every, atol=1e-15)
    np.testing.assert_allclose(runs.drawn(RIGHT, np.full(6, 5), k, "any"), some, atol=1e-15)


def test_fewer_runs_than_k_have_no_chance_to_count():
    assert np.isnan(runs.drawn(np.array([2]), np.array([2]), 3, "all"))[0]


@given(st.floats(0, 1), st.integers(1, 4), st.integers(4, 6), st.sampled_from(["all", "any"]))
def test_estimate_is_unbiased_for_every_success_probability(p, k, r, kind):
    right = np.arange(r + 1)
    expected = stats.binom.pmf(right, r, p) @ runs.drawn(right, np.full(r + 1, r), k, kind)
    assert expected == pytest.approx(p**k if kind == "all" else 1 - (1 - p) ** k, abs=1e-12)


def test_three_items_with_three_runs_enumerated():
    """Over all outcomes of 3 x 3 runs, the mean estimate is the mean of p^2."""
    p = np.array([0.2, 0.5, 0.9])
    total = 0.0
    for right in product(range(4), repeat=3):
        weight = np.prod(stats.binom.pmf(right, 3, p))
        total += weight * runs.drawn(np.array(right), np.full(3, 3), 2, "all").mean()
    assert total == pytest.approx((p**2).mean(), abs=1e-12)


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.floats(0, 1)), min_size=1, max_size=6),
    st.integers(1, 6),
    st.integers(1, 20),
)
def test_bounds_hold_the_value_of_every_mixture(mixture, r, more):
    weight, p = np.array(mixture).T
    weight = weight / weight.sum()
    for kind, value in (
        ("all", lambda k: weight @ p**k),
        ("any", lambda k: weight @ (1 - (1 - p) ** k)),
    ):
        low, high = runs.bounds(np.array(value(r)), r, r + more, kind)
        assert low - 1e-12 <= value(r + more) <= high + 1e-12


def test_one_run_has_the_posterior_of_wins_losses_and_ties():
    from betterthan.exact.wins import dirichlet

    first, second = (
        np.repeat([[1.0], [1], [0], [0]], [9, 2, 4, 6], 0),
        np.repeat([[1.0], [0], [1], [0]], [9, 2, 4, 6], 0),
    )
    law = runs.differences_of(first, second, np.ones_like(first, dtype=bool))
    three = 1 + 2, 1 + 4, 1 + 15
    np.testing.assert_allclose(law.prob_above(), dirichlet.prob_above(*three, 0.0), atol=1e-12)
    np.testing.assert_allclose(law.prob_above(0.1), dirichlet.prob_above(*three, 0.1), atol=1e-11)


def test_variances_are_those_of_the_analysis_of_variance():
    random = np.random.default_rng(3)
    scores = (random.random((40, 6)) < random.beta(1, 1, (40, 1))).astype(float)
    sums, trials = scores.sum(1, keepdims=True), np.full((40, 1), 6.0)
    spread = runs.spread_of_runs(sums, sums, trials)
    of = runs.variances(sums / 6, spread, spread / 6)
    within = scores.var(1, ddof=1).mean()
    np.testing.assert_allclose(of.run, within, rtol=1e-12)
    np.testing.assert_allclose(of.total, scores.mean(1).var(ddof=1), rtol=1e-12)
    np.testing.assert_allclose(of.item, scores.mean(1).var(ddof=1) - within / 6, rtol=1e-12)


def test_variances_are_unbiased():
    """Simulated: the estimates have the variances of p and of p (1 - p) as their means."""
    random = np.random.default_rng(4)
    p = random.beta(0.5, 0.5, (30, 4000))
    right = random.binomial(3, p).astype(float)
    spread = runs.spread_of_runs(right, right, np.full(right.shape, 3.0))
    of = runs.variances(right / 3, spread, spread / 3)
    item = of.total - of.of_runs
    for values, truth in ((of.run, 1 / 8), (item, 1 / 8)):  # of Beta(1/2, 1/2)
        assert abs(values.mean() - truth) < 4 * values.std() / np.sqrt(values.size)


def test_best_runs_minimizes_the_error_at_any_budget():
    item, run, cost_item, cost_run = 0.03, 0.2, 4.0, 1.5
    best = float(runs.best_runs(np.array(item), np.array(run), cost_item, cost_run))
    r = np.linspace(1, 20, 20_001)
    assert r[np.argmin((item + run / r) * (cost_item + r * cost_run))] == pytest.approx(
        best, abs=1e-3
    )
    assert runs.best_runs(np.array(item), np.array(0.0), 4, 1) == 1
    assert runs.best_runs(np.array(0.0), np.array(run), 4, 1) == np.inf


def test_permutation_p_of_whole_runs_is_enumerated():
    values = np.array([[1.0, 1, 0], [1, 0, 0], [1, 1, 0], [0.5, 1, 0]])
    here = values.sum(0).var()
    orders = list(permutations(range(3)))
    sums = [
        sum(row[list(order)] for row, order in zip(values, chosen, strict=True)).var()
        for chosen in product(orders, repeat=4)
    ]
    exact = np.mean(np.array(sums) >= here - 1e-12)
    p, means = runs.run_effect(values)
    np.testing.assert_allclose(means, values.mean(0))
    assert abs(p - exact) < 4 * np.sqrt(exact * (1 - exact) / 500)


def test_two_runs_have_the_exact_sign_test():
    values = np.array([[1.0, 0]] * 7 + [[0, 1]] + [[1, 1]] * 5)
    assert runs.run_effect(values)[0] == pytest.approx(stats.binomtest(1, 8).pvalue)


def test_runs_that_never_differ_have_no_effect():
    assert runs.run_effect(np.array([[1.0, 1], [0, 0]]))[0] == 1
