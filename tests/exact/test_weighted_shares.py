"""Weighted sums of Dirichlet shares, against closed forms, quadrature, draws and enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, special, stats

from betterthan.exact.runs import WeightedShares

THIRDS = np.array([-1.0, 0.0, 1.0])


def test_wins_losses_and_ties_have_the_incomplete_beta_also_in_the_tails():
    random = np.random.default_rng(0)
    loss, tie, win = random.uniform(0.5, 400, (3, 200))
    law = WeightedShares(np.column_stack([loss, tie, win]), THIRDS)
    np.testing.assert_allclose(law.prob_above(), special.betaincc(win, loss, 0.5), atol=2e-14)
    small = special.betainc(win, loss, 0.5)
    tail = (small < 0.5) & (small > 1e-60)
    np.testing.assert_allclose(law.prob_below()[tail], small[tail], rtol=1e-9)


@pytest.mark.parametrize("cells", [(0.5, 0.5), (1.5, 0.5), (1, 1), (7.5, 120.5)])
def test_two_values_have_the_beta_distribution(cells):
    law, beta = WeightedShares(np.array([cells], float), np.array([0.0, 1.0])), stats.beta
    beta = beta(cells[1], cells[0])
    for x in (0.02, 0.3, 0.9):
        np.testing.assert_allclose(law.prob_above(x), beta.sf(x), rtol=1e-11)
        np.testing.assert_allclose(law.density(x), beta.pdf(x), rtol=1e-10)
    np.testing.assert_allclose(law.quantile(0.025), beta.ppf(0.025), atol=1e-10)
    np.testing.assert_allclose([law.mean[0], law.sd[0]], [beta.mean(), beta.std()], rtol=1e-13)


def test_many_values_have_the_share_of_draws():
    alpha, values = np.array([3.5, 2, 1, 7, 8.5]), np.array([0, 0.1, 0.4, 0.8, 1])
    law = WeightedShares(alpha[None], values)
    draws = np.random.default_rng(1).dirichlet(alpha, 200_000) @ values
    for x in (0.4, 0.6, 0.8):
        exact = law.prob_above(x)[0]
        assert abs((draws > x).mean() - exact) < 4 * np.sqrt(exact * (1 - exact) / len(draws))


def test_density_integrates_to_the_probability_and_has_its_slope():
    law = WeightedShares(np.array([[2.5, 3.0, 1.0, 4.5]]), np.array([0, 0.3, 0.6, 1.0]))
    mass = integrate.quad(lambda x: law.density(x)[0], 0.5, 0.9, epsabs=1e-12)[0]
    np.testing.assert_allclose(law.prob_above(0.5) - law.prob_above(0.9), mass, atol=1e-11)
    for x in (0.4, 0.7):
        rise = (law.density(x + 1e-5) - law.density(x - 1e-5)) / 2e-5
        np.testing.assert_allclose(law.slope(x), rise, rtol=1e-5)


def test_narrowest_interval_has_its_mass_equal_heights_and_no_narrower_one():
    law = WeightedShares(np.array([[2.5, 3.0, 1.0, 4.5]]), np.array([0, 0.3, 0.6, 1.0]))
    low, high = law.interval(0.9, "hdi")
    np.testing.assert_allclose(law.prob_above(low) - law.prob_above(high), 0.9, atol=1e-10)
    np.testing.assert_allclose(law.density(low), law.density(high), rtol=1e-6)
    below = np.linspace(0.001, 0.099, 50)
    widths = [law.quantile(b + 0.9) - law.quantile(b) for b in below]
    assert high - low <= np.min(widths) + 1e-9


def test_interval_goes_to_the_end_where_the_density_rises_to_it():
    law = WeightedShares(np.array([[0.5, 20.5]]), np.array([0.0, 1.0]))
    low, high = law.interval(0.95, "hdi")
    np.testing.assert_allclose(low, stats.beta(20.5, 0.5).ppf(0.05), atol=1e-6)
    assert high[0] == pytest.approx(1, abs=1e-12)


def test_what_is_certain_has_no_spread():
    law = WeightedShares(np.array([[0.0, 4.0]]), np.array([0.0, 1.0]))
    assert law.prob_above(0.5)[0] == 1
    assert law.prob_above(1.0)[0] == 0.5
    assert [end[0] for end in law.interval(0.95, "hdi")] == [1, 1]


SHARES = arrays(float, (1, 5), elements=st.floats(0.25, 60))


@given(SHARES, st.floats(-0.9, 0.9))
def test_mirrored_values_mirror_the_law(alpha, x):
    values = np.array([-1, -0.3, 0, 0.6, 1])
    law, mirrored = WeightedShares(alpha, values), WeightedShares(alpha, -values)
    np.testing.assert_allclose(law.prob_above(x), mirrored.prob_below(-x), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(law.prob_above(x) + law.prob_below(x), 1, atol=1e-12)
