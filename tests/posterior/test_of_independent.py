"""Answers of independent draws, of which the tails alone are sorted, are those of counting."""

import numpy as np
import pytest

from betterthan.exact.numeric.monte_carlo import quantile_error
from betterthan.posterior import from_draws


@pytest.fixture(params=[1, 2, 7, 64, 401])
def d(request):
    """Draws (chain, draw, pair): rounded so that many are equal, alike, all below or above 0."""
    random = np.random.default_rng(request.param)
    d = random.normal([0.1, -0.5, 0, 9, -9], [1, 0.2, 0, 1, 1], size=(2, request.param, 5))
    return d.round(1)


@pytest.mark.parametrize("kind", ["hdi", "eti"])
@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("rope", [0.0, 0.25])
def test_answers_are_those_of_counting(d, rope, higher, kind):
    found = from_draws.of_independent(d, rope, 0.9, kind, higher_is_better=higher)
    counted = from_draws.better(d, higher_is_better=higher)
    counted |= from_draws.masses(d, rope, higher_is_better=higher)
    counted |= from_draws.sizes(d, 0.9, kind)
    for name in ("prob_better", "mass", "difference_lower", "difference_upper"):
        assert (found[name] == counted[name]).all(), name
    assert set(counted) - set(found) == {"ess", "difference_mean", "difference_mean_mcse"}


@pytest.mark.parametrize("kind", ["hdi", "eti"])
@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize("prob", [0.2, 0.9, 0.99])
def test_errors_of_bounds_are_those_of_all_draws_in_order(prob, digits, kind):
    """Also where so many draws are equal that an error is that of draws between the tails."""
    d = np.random.default_rng(1).normal([0, 0.3, 2], [0.3, 1, 1], size=(1, 1000, 3)).round(digits)
    found = from_draws.of_independent(d, 0.0, prob, kind)
    for end in ("difference_lower", "difference_upper"):
        level = (d[0] <= found[end]).mean(0)
        expected = quantile_error(np.sort(d[0], axis=0), level, np.full(3, 1000.0))
        assert (found[f"{end}_mcse"] == expected).all()


def test_errors_are_those_of_as_many_draws():
    d = np.random.default_rng(1).normal(0.5, 1, size=(4, 1000, 3))
    found = from_draws.of_independent(d, 0.1, 0.9, "hdi")
    p = found["prob_better"]
    assert found["prob_better_mcse"] == pytest.approx(np.sqrt(p * (1 - p) / 4000))
    by_chains = from_draws.sizes(d, 0.9, "hdi")
    for end in ("difference_lower_mcse", "difference_upper_mcse"):
        assert found[end] == pytest.approx(by_chains[end], rel=0.3)
