"""Weighted averages of independent differences, against closed forms, quadrature and draws."""

from fractions import Fraction
from itertools import pairwise
from math import comb, factorial, prod

import numpy as np
import pytest
from scipy.stats import multinomial

from betterthan.exact import averages
from betterthan.exact.averages import Average, Counts
from betterthan.exact.wins import dirichlet

SUITE = np.array([[14, 2, 14], [120, 140, 340], [30, 20, 40], [9, 4, 7]]) + 1.0


def of_counts(*cells, weights=None):
    cells = np.array([cells], dtype=float)
    number = cells.shape[1]
    return Average(Counts(cells), np.array(weights or [1 / number] * number))


def by_quadrature(first, second, weights, x):
    """P(d > x) of two data sets: the density of one with the other tail of the other."""
    (w, v), node = weights, np.linspace(-3.2, 3.2, 129)
    kinks = {-1.0, 0.0, 1.0} | {(x - v * k) / w for k in (-1, 0, 1)}
    kinks = sorted(k for k in kinks if -1 <= k <= 1)
    total, spread = 0.0, np.pi / 2 * np.sinh(node)
    slope = np.pi / 2 * np.cosh(node) / np.cosh(spread) ** 2 * (node[1] - node[0])
    for low, high in pairwise(kinks):
        d = (low + high) / 2 + (high - low) / 2 * np.tanh(spread)
        left = np.clip((x - w * d) / v, -1 + 1e-15, 1 - 1e-15)
        height = dirichlet.density(*first, d) * dirichlet.prob_above(*second, left)
        total += ((high - low) / 2 * slope * height).sum()
    return total


def test_four_tasks_have_the_probabilities_of_reference():
    equal = of_counts(*SUITE)
    np.testing.assert_allclose(equal.mean, 0.163846763, atol=5e-10)
    np.testing.assert_allclose(equal.sd, 0.052381560, atol=5e-10)
    np.testing.assert_allclose(equal.prob_above(0.0), 0.998752446539, atol=5e-13)
    np.testing.assert_allclose(equal.prob_above(0.05), 0.983085436727, atol=5e-13)
    size = (SUITE - 1).sum(1)
    by_size = of_counts(*SUITE, weights=(size / size.sum()).tolist())
    np.testing.assert_allclose(by_size.prob_above(0.0), 0.609846268, atol=5e-10)


def rising(x, k):
    return prod((x + j for j in range(k)), start=Fraction(1))


@pytest.mark.parametrize(
    "cells", [("33/10", "1/57", "1/57"), ("1/150", "1/150", "99/100"), ("6/5", "9/10", "1/150")]
)
def test_parameters_near_zero_have_the_characteristic_function_of_their_moments(cells):
    """The sum of E (i s d)^k / k!, where d = q (2 p - 1) and all moments are fractions."""
    a, b, t = map(Fraction, cells)
    s, total = 5, 0j
    for k in range(40):
        p = sum(
            comb(k, j) * 2**j * (-1) ** (k - j) * rising(a, j) / rising(a + b, j)
            for j in range(k + 1)
        )
        total += 1j**k * float(p * s**k * rising(a + b, k) / rising(a + b + t, k) / factorial(k))
    found = Counts(np.array([[[float(a), float(b), float(t)]]])).characteristic(
        np.full((1, 1, 1), s)
    )
    np.testing.assert_allclose(found[0, 0, 0], total, atol=1e-10)


@pytest.mark.parametrize("n", [2, 3, 5, 20])
def test_the_posterior_of_few_items_varies_as_their_difference_does(n):
    """Averaged over all outcomes of n items; the prior's share goes to zero."""
    p = np.array([0.35, 0.25, 0.4])
    wins, losses = np.indices((n + 1, n + 1)).reshape(2, -1)
    outcomes = np.stack([wins, losses, n - wins - losses], axis=-1)[wins + losses <= n]
    probability = multinomial.pmf(outcomes, n, p)
    counts = np.stack([outcomes, outcomes], axis=1)
    law = Counts.from_suite(counts, np.full(3, 1e-7), np.full(2, 0.5))
    truth = (p[0] + p[1] - (p[0] - p[1]) ** 2) / n
    np.testing.assert_allclose(probability @ law.sd[:, 0] ** 2, truth, rtol=1e-6)
    observed = (outcomes[:, 0] - outcomes[:, 1]) / n
    np.testing.assert_allclose(law.mean[:, 0], observed, atol=1e-6)


def test_two_items_of_a_data_set_count_by_their_moments():
    law = Counts(np.array([[[0.2, 0.1, 0.4]]]))
    s = np.array([[[1e-3, 2e-3]]])
    found = np.log(law.characteristic(s))[0, 0]
    np.testing.assert_allclose(found.imag, s[0, 0] * law.mean[0], rtol=1e-9)
    np.testing.assert_allclose(found.real, -((s[0, 0] * law.sd[0]) ** 2) / 2, rtol=1e-9)


@pytest.mark.parametrize("n", [12.5, 30.0, 1e3, 1e6])
@pytest.mark.parametrize("share", [(0.2, 0.1, 0.7), (0.5, 0.5, 0), (0.9, 0.05, 0.05)])
def test_moments_and_the_integral_along_a_line_agree(n, share):
    cells = n * np.array([share])
    s = np.arange(1, 50)[None] / 10 / dirichlet.sd_difference(*cells.T)
    found, near = averages._by_moments(cells, s)
    assert near[0, :10].all()  # up to one standard deviation of the data set
    expected = averages._by_line(np.repeat(cells, near.sum(), 0), s[near])
    np.testing.assert_allclose(found[near], expected, atol=1e-12, rtol=0)


def test_moments_of_parameters_near_zero_and_of_any_size_stay_finite():
    cells = np.array([[1e-7, 1e-7, 1e-7], [1e-7, 1, 1], [1e12, 1e12, 1], [1e-7, 1e9, 0]])
    s = np.full((4, 1), 0.5) / dirichlet.sd_difference(*cells.T)[:, None]
    found, _ = averages._by_moments(cells, s)
    np.testing.assert_allclose(found[0], (1 + 2 * np.cos(s[0])) / 3, atol=1e-6)  # -1, 0 or 1
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    "cells",
    [(15, 3, 15), (2, 1, 1), (1, 1, 22), (12, 12, 1), (1, 1, 60), (30, 1, 1), (1200, 1400, 3000)],
)
def test_one_data_set_is_its_own_closed_form(cells):
    one, x = of_counts(cells), np.array([0.0, 0.03, -0.2])
    found = [one.prob_above(value)[0] for value in x]
    # the characteristic function of one data set decays the slowest
    np.testing.assert_allclose(found, dirichlet.prob_above(*map(float, cells), x), atol=1e-9)


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(
    ("first", "second", "weights"),
    [
        ((1, 1, 4), (1, 1, 4), (0.5, 0.5)),
        ((3, 1, 2), (1, 2, 3), (0.5, 0.5)),
        ((2, 1, 30), (1, 1, 30), (0.3, 0.7)),
        ((4, 1, 1), (2, 3, 1), (0.6, 0.4)),
        ((30, 20, 40), (9, 4, 7), (0.5, 0.5)),
    ],
)
def test_two_data_sets_of_few_items_are_exact(first, second, weights):
    average = of_counts(first, second, weights=list(weights))
    for x in (0.0, 0.1, -0.3):
        expected = by_quadrature(first, second, weights, x)
        np.testing.assert_allclose(average.prob_above(x), expected, atol=1e-9)


def test_draws_have_the_same_probabilities_and_intervals():
    rng, weights = np.random.default_rng(2), [0.5, 0.3, 0.2]
    cells = [(3.0, 2.0, 10.0), (1.0, 6.0, 20.0), (40.0, 20.0, 9.0)]
    average = of_counts(*cells, weights=weights)
    draws = sum(
        w * np.subtract(*rng.dirichlet(c, 1_000_000)[:, :2].T)
        for w, c in zip(weights, cells, strict=True)
    )
    for x in (0.0, 0.1, -0.2):
        assert abs(average.prob_above(x)[0] - (draws > x).mean()) < 0.002
    ends = np.ravel(average.interval(0.95, "eti"))
    np.testing.assert_allclose(ends, np.quantile(draws, [0.025, 0.975]), atol=0.001)


def test_exchanging_wins_and_losses_mirrors():
    average, mirror = of_counts(*SUITE), of_counts(*SUITE[:, [1, 0, 2]])
    np.testing.assert_allclose(average.prob_above(0.1), mirror.prob_below(-0.1), atol=1e-13)
    low, high = average.interval(0.95)
    np.testing.assert_allclose((-high, -low), mirror.interval(0.95), atol=1e-8)


def test_the_narrowest_interval_is_narrower_and_holds_as_much():
    average = of_counts(*SUITE)
    low, high = average.interval(0.9, "hdi")
    mass = average.prob_above(low) - average.prob_above(high)
    np.testing.assert_allclose(mass, 0.9, atol=1e-9)
    np.testing.assert_allclose(average.density(low), average.density(high), rtol=1e-5)
    equal = average.interval(0.9, "eti")
    assert high - low < equal[1] - equal[0]
