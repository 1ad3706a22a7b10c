"""Places among sorted draws are the shares that are counted one by one."""

import numpy as np
import pytest

from betterthan.posterior import from_draws
from betterthan.posterior.from_draws import Sorted


@pytest.fixture(params=[1, 2, 7, 64, 401])
def d(request):
    """Draws (chain, draw, pair): rounded so that many are equal, alike, all below or above 0."""
    random = np.random.default_rng(request.param)
    d = random.normal([0.1, -0.5, 0, 9, -9], [1, 0.2, 0, 1, 1], size=(2, request.param, 5))
    return d.round(1)


@pytest.mark.parametrize("limit", [0.0, -0.3, 0.3, 20.0, -20.0, [0.1, -0.5, 0.0, 9.0, -9.0]])
def test_places_are_counts(d, limit):
    ordered, flat = Sorted.of(d), d.reshape(-1, 5)
    assert (ordered.below(np.array(limit)) == (flat < limit).sum(0)).all()
    assert (ordered.below(np.array(limit), inclusive=True) == (flat <= limit).sum(0)).all()


@pytest.mark.parametrize("kind", ["hdi", "eti"])
@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("rope", [0.0, 0.25])
def test_answers_are_those_of_counting(d, rope, higher, kind):
    found = Sorted.of(d).answers(rope, 0.9, kind, higher_is_better=higher)
    counted = from_draws.better(d, higher_is_better=higher)
    counted |= from_draws.masses(d, rope, higher_is_better=higher)
    counted |= from_draws.sizes(d, 0.9, kind)
    for name in ("prob_better", "mass", "difference_lower", "difference_upper"):
        assert (found[name] == counted[name]).all(), name
    assert set(counted) - set(found) == {"ess", "difference_mean", "difference_mean_mcse"}


def test_errors_are_those_of_as_many_draws():
    d = np.random.default_rng(1).normal(0.5, 1, size=(4, 1000, 3))
    found = Sorted.of(d).answers(0.1, 0.9, "hdi")
    p = found["prob_better"]
    assert found["prob_better_mcse"] == pytest.approx(np.sqrt(p * (1 - p) / 4000))
    by_chains = from_draws.sizes(d, 0.9, "hdi")
    for end in ("difference_lower_mcse", "difference_upper_mcse"):
        assert found[end] == pytest.approx(by_chains[end], rel=0.3)
