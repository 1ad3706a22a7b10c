"""The Mallows model against enumeration, and its quadrature against a fine grid."""

import numpy as np
import pytest

from betterthan.exact import mallows, rankings

THETAS = [-3.0, -0.4, -1e-5, 0.0, 1e-7, 0.003, 0.3, 2.0, 6.0]


@pytest.mark.parametrize("n", [2, 3, 6, 8])
@pytest.mark.parametrize("theta", THETAS)
def test_normaliser_mean_and_variance_are_sums_over_all_orders(n, theta):
    orders = np.array(rankings.orders_by_inversions(n), dtype=float)
    k = np.arange(len(orders))
    weight = orders * np.exp(-theta * k)
    p = weight / weight.sum()
    at = np.array(theta)
    assert mallows.log_normaliser(at, n) == pytest.approx(np.log(weight.sum()), abs=1e-11)
    assert mallows.expected_inversions(at, n) == pytest.approx(p @ k, abs=1e-9)
    assert mallows.inversion_variance(at, n) == pytest.approx(p @ k**2 - (p @ k) ** 2, abs=1e-8)
    assert mallows.expected_tau(at, n) == pytest.approx(1 - 4 * (p @ k) / (n * (n - 1)), abs=1e-9)


def test_slopes_are_differences():
    theta, h = np.linspace(-2, 2, 41), 1e-5
    for n in (5, 40):
        slope = (mallows.log_normaliser(theta + h, n) - mallows.log_normaliser(theta - h, n)) / (
            2 * h
        )
        assert mallows.expected_inversions(theta, n) == pytest.approx(-slope, rel=1e-6)


@pytest.mark.parametrize("theta", [-0.7, 0.0, 0.5, 3.0])
def test_draws_have_the_moments(theta):
    drawn = mallows.draw_inversions(
        np.full(40_000, theta), np.full(40_000, 7), np.random.default_rng(3)
    )
    mean, variance = (
        f(np.array(theta), 7) for f in (mallows.expected_inversions, mallows.inversion_variance)
    )
    assert abs(drawn.mean() - mean) < 4 * np.sqrt(variance / len(drawn))
    assert drawn.var() == pytest.approx(variance, rel=0.06)
    assert drawn.min() >= 0
    assert drawn.max() <= 21


def test_draws_follow_the_whole_distribution():
    drawn = mallows.draw_inversions(
        np.full(60_000, 0.4), np.full(60_000, 4), np.random.default_rng(5)
    )
    weight = np.array(rankings.orders_by_inversions(4)) * np.exp(-0.4 * np.arange(7))
    expected = weight / weight.sum() * len(drawn)
    # chi-square, 6 df: p 0.001
    assert ((np.bincount(drawn, minlength=7) - expected) ** 2 / expected).sum() < 22.5


@pytest.mark.parametrize(("k", "n"), [([3, 5, 1], [8, 8, 6]), ([0, 0], [2, 30]), ([28], [8])])
def test_quadrature_is_a_fine_sum(k, n):
    density = mallows.log_posterior(np.array(k), np.array(n), 1.0)
    theta, weight = mallows.quadrature(density, 1.0)
    grid = np.linspace(theta.min(), theta.max(), 200_001)
    fine = np.exp(density(grid) - density(grid).max())
    fine /= fine.sum()
    mean = weight @ theta
    assert mean == pytest.approx(fine @ grid, abs=1e-9)
    assert weight @ theta**2 == pytest.approx(fine @ grid**2, abs=1e-8)


def test_prob_greater_adds_up_and_is_that_of_draws():
    a = mallows.log_posterior(np.array([4, 6]), np.array([8, 8]), 1.0)
    b = mallows.log_posterior(np.array([9, 7]), np.array([8, 8]), 1.0)
    p = mallows.prob_greater(a, b, 1.0)
    assert p + mallows.prob_greater(b, a, 1.0) == pytest.approx(1, abs=1e-12)
    assert mallows.prob_greater(a, a, 1.0) == pytest.approx(0.5, abs=1e-12)
    random = np.random.default_rng(1)
    draws = []
    for density in (a, b):
        grid = np.linspace(-2, 3, 20_001)
        mass = np.exp(density(grid) - density(grid).max())
        draws.append(random.choice(grid, 200_000, p=mass / mass.sum()))
    assert abs((draws[0] > draws[1]).mean() - p) < 4 * np.sqrt(p * (1 - p) / 200_000)


def test_nearest_normal_curve():
    centre, information = mallows.approximation(
        np.array([5.0, 0.0, 45.0]), np.array([10, 10, 10]), 1.5
    )
    assert np.isfinite(centre).all()
    assert centre[1] > centre[0] > 0 > centre[2]
    top = centre[0]  # inside, it is close to the maximum of the likelihood
    assert mallows.expected_inversions(np.array(top), 10) == pytest.approx(5, abs=0.6)
    assert information[0] == pytest.approx(mallows.inversion_variance(np.array(top), 10), rel=0.15)
