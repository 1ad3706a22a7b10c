"""Beta-binomial clusters: sums of logarithms by two roads, slope and curvature against differences,
draws against the quadrature.
"""

import numpy as np
import pytest
from scipy import special

from betterthan.exact.laplace import rising, shares
from betterthan.exact.numeric.sampling_error import probability_z
from betterthan.exact.wins import clusters

FEW = np.array([[0, 3], [4, 0], [7, 0], [2, 1]])
LARGE = np.array([[0, 500], [900, 3], [900, 0]])  # steps would be more than there are kinds


@pytest.mark.parametrize("k", [FEW, LARGE], ids=["by steps", "by gamma functions"])
def test_rising_factorials_are_sums_of_logarithms(k):
    found = rising.Rising.of(k)
    assert len(found.beyond) == (0 if k is LARGE else 6)
    x, of = np.array([0.01, 0.7, 30.0, 5e3]), np.array([0, 1, 0, 1])
    j = [[np.arange(size) for size in k[:, table]] for table in of]
    wanted = [sum(np.log1p(s / own).sum() for s in steps) for own, steps in zip(x, j, strict=True)]
    assert found.log(x, of) == pytest.approx(wanted, rel=1e-12)
    first, second = found.bent(x, of)
    shares_of = [[s / (own + s) for s in steps] for own, steps in zip(x, j, strict=True)]
    assert first == pytest.approx([sum(s.sum() for s in own) for own in shares_of], rel=1e-9)
    both = [sum((s * (1 - s)).sum() for s in own) for own in shares_of]
    assert second == pytest.approx(both, rel=1e-6)


@pytest.mark.parametrize("scale", [1, 300])
def test_slope_and_curvature_are_those_of_the_density(scale):
    won, lost = FEW * scale, FEW[::-1] * scale
    found = shares.Shares.of(won, lost, (0.5, 2.0), None)
    t, kappa, of = np.array([-2.0, 0.3, 1.5]), np.array([0.02, 3.0, 400.0]), np.array([0, 1, 1])
    here, h = found.curved(t, kappa, of), 1e-4
    after, before = (found.log(t + way * h, kappa, of) for way in (1, -1))
    assert here.slope[:, 0] == pytest.approx((after - before) / (2 * h), rel=1e-5)
    slopes = [found.curved(t + way * h, kappa, of).slope[:, 0] for way in (1, -1)]
    assert here.down[:, 0, 0] == pytest.approx(-(slopes[0] - slopes[1]) / (2 * h), rel=1e-4)


def test_the_density_is_beta_binomial():
    found = shares.Shares.of(FEW, FEW[::-1], (0.5, 2.0), None)
    t, kappa = np.array([-1.0, 0.4, 2.0]), np.array([0.3, 5.0, 5.0])
    p = special.expit(t)
    for table in range(2):
        w, x = FEW[:, table, None], FEW[::-1, table, None]
        a, b = p * kappa, (1 - p) * kappa
        log = (special.betaln(a + w, b + x) - special.betaln(a, b)).sum(0)
        log += 0.5 * np.log(p) + 2.0 * np.log(1 - p)
        own = found.log(t, kappa, np.full(3, table))
        assert np.ptp(own - log) < 1e-10


def test_draws_are_those_of_the_quadrature():
    random = np.random.default_rng(4)
    n = random.integers(0, 9, (30, 12))
    won = random.binomial(n, random.beta(1, 1.3, n.shape))
    found = shares.draws(shares.Shares.of(won, n - won, (1.0, 1.0), None), 4000, random)
    exact = [
        clusters.prob_above_half(w, x, 1.0, 1.0)[0] for w, x in zip(won.T, (n - won).T, strict=True)
    ]
    above = (found.t > 0).mean(0)
    assert np.abs(probability_z(np.array(exact), above, np.full(12, 3500.0))).max() < 4
    assert found.k_hat.max() < 0.7
    assert found.effective.min() >= 4000
    # tables are drawn apart: those of equal rank have nothing to do with each other
    assert np.abs(np.corrcoef(found.t.T) - np.eye(12)).max() < 0.08
