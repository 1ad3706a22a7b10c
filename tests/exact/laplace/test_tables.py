"""Beta-binomial clusters and Dirichlet-multinomial data sets: sums of logarithms by two roads,
slope and curvature against differences, draws against the quadrature.
"""

import numpy as np
import pytest
from scipy import special, stats

from betterthan.exact.laplace import tables
from betterthan.exact.laplace.tables import Alike, Shares, Thirds
from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.exact.wins import clusters

FEW = np.array([[0, 3], [4, 0], [7, 0], [2, 1]])
ALIKE = Alike(clusters.CORRELATION, clusters.STRETCH)
LARGE = np.array([[0, 500], [900, 3], [900, 0]])  # steps would be more than there are kinds


@pytest.mark.parametrize("k", [FEW, LARGE], ids=["by steps", "by gamma functions"])
def test_rising_factorials_are_sums_of_logarithms(k):
    found = tables.Rising.from_counts(k)
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


def test_of_nothing_the_limit_is_told():
    found, none = tables.Rising.from_counts(FEW), np.zeros(2)
    assert np.isfinite(found.log(none, np.array([0, 1]))).all()
    first, second = found.bent(none, np.array([0, 1]))
    assert first.tolist() == [3 + 6 + 1, 2]  # one less than each number that is above 0
    assert second == pytest.approx(0.0)


def kinds(scale):
    """A density of one parameter, and one of two."""
    three = np.stack([FEW, FEW[::-1], FEW + 1], axis=-1) * scale
    return (
        Shares.from_counts(FEW * scale, FEW[::-1] * scale, (0.5, 2.0), ALIKE),
        Thirds.from_counts(three, (0.5, 2.0, 3.0), ALIKE),
    )


@pytest.mark.parametrize("which", [0, 1], ids=["share", "thirds"])
@pytest.mark.parametrize("scale", [1, 300])
def test_slope_and_curvature_are_those_of_the_density(which, scale):
    found, size = kinds(scale)[which], which + 1
    x = np.array([[-2.0, 0.7], [0.3, -1.0], [1.5, 2.0]])[:, :size]
    kappa, of, h = np.array([0.02, 3.0, 400.0]), np.array([0, 1, 1]), 1e-4
    here = found.curved(x, kappa, of)
    for k, step in enumerate(h * np.eye(size)):
        after, before = (found.curved(x + way * step, kappa, of) for way in (1, -1))
        slope = (after.height - before.height) / (2 * h)
        assert here.slope[:, k] == pytest.approx(slope, rel=1e-5, abs=1e-6)
        bend = (before.slope - after.slope) / (2 * h)
        assert here.down[:, k] == pytest.approx(bend, rel=1e-4, abs=1e-6)


def test_the_density_of_a_share_is_beta_binomial():
    found, _ = kinds(1)
    t, kappa = np.array([-1.0, 0.4, 2.0]), np.array([0.3, 5.0, 5.0])
    p = special.expit(t)
    for table in range(2):
        w, x = FEW[:, table, None], FEW[::-1, table, None]
        a, b = p * kappa, (1 - p) * kappa
        log = (special.betaln(a + w, b + x) - special.betaln(a, b)).sum(0)
        log += 0.5 * np.log(p) + 2.0 * np.log(1 - p)
        own = found.log(t[:, None], kappa, np.full(3, table))
        assert np.ptp(own - log) < 1e-10


def test_the_density_of_thirds_is_dirichlet_multinomial():
    _, found = kinds(1)
    x, kappa = np.array([[-1.0, 0.2], [0.4, -3.0], [2.0, 1.0]]), np.array([0.3, 5.0, 5.0])
    p, s = special.expit(x).T
    mu = np.stack([s * p, s * (1 - p), 1 - s], axis=-1)
    for table in range(2):
        y = np.stack([FEW, FEW[::-1], FEW + 1], axis=-1)[:, table]
        log = sum(
            stats.dirichlet_multinomial.logpmf(row, kappa[:, None] * mu, row.sum()) for row in y
        )
        log += stats.dirichlet.logpdf(mu.T, (0.5, 2.0, 3.0))
        log += np.log(p * (1 - p) * s**2 * (1 - s))  # of the coordinates
        own = found.log(x, kappa, np.full(3, table))
        assert np.ptp(own - log) < 1e-10


def test_draws_are_those_of_the_quadrature():
    random = np.random.default_rng(4)
    n = random.integers(0, 9, (30, 12))
    won = random.binomial(n, random.beta(1, 1.3, n.shape))
    found = tables.draws(Shares.from_counts(won, n - won, (1.0, 1.0), ALIKE), 4000, random)
    exact = [
        clusters.prob_above_half(w, x, 1.0, 1.0)[0] for w, x in zip(won.T, (n - won).T, strict=True)
    ]
    odds = found.x[..., 0]
    above = (odds > 0).mean(0)
    assert np.abs(probability_z(np.array(exact), above, np.full(12, 3500.0))).max() < 4
    assert found.k_hat.max() < 0.7
    assert found.effective.min() >= 4000
    # tables are drawn apart: those of equal rank have nothing to do with each other
    assert np.abs(np.corrcoef(odds.T) - np.eye(12)).max() < 0.08
