"""Student's t times a normal prior: against the product of two normals, and sums on a grid."""

import numpy as np
import pytest
from scipy import integrate, stats

from betterthan.exact.joint.skeptical import Shrunk

MEAN = np.array([0.02, 0.5, -0.1, 0.0, 0.3, 0.01])
ERROR = np.array([0.015, 0.01, 0.3, 0.02, 0.001, 0.5])
DF = np.array([30.0, 20, 3, 1, 200, 5])
SD = 0.05


@pytest.fixture(scope="module")
def posterior():
    return Shrunk(MEAN, ERROR, DF, SD, 1.0)


def test_of_many_degrees_of_freedom_it_is_the_product_of_two_normals():
    mean, error = np.array([0.02, 0.1, -0.3]), np.array([0.03, 0.05, 0.1])
    found = Shrunk(mean, error, np.full(3, 1e9), SD)
    weight = SD**2 / (SD**2 + error**2)
    of = stats.norm(weight * mean, np.sqrt(weight) * error)
    np.testing.assert_allclose(found.prob_above(0.0), of.sf(0), rtol=1e-6)
    np.testing.assert_allclose(found.prob_below(-0.02), of.cdf(-0.02), rtol=1e-6)
    np.testing.assert_allclose(found.expected(), of.mean(), atol=1e-8)
    for kind in ("eti", "hdi"):
        np.testing.assert_allclose(found.interval(0.95, kind), of.interval(0.95), atol=2e-6)


def test_sums_on_a_grid_agree(posterior):
    d, step = np.linspace(-0.6, 0.6, 240_001, retstep=True)
    for k, (middle, error, df) in enumerate(zip(MEAN, ERROR, DF, strict=True)):
        logs = stats.t.logpdf((d - middle) / error, df) + stats.norm.logpdf(d, scale=SD)
        height = np.exp(logs - logs.max())
        mass = integrate.simpson(height, dx=step)
        above = integrate.simpson(height[len(d) // 2 :], dx=step)
        assert posterior.prob_above(0.0)[k] == pytest.approx(above / mass, abs=1e-9)
        mean = integrate.simpson(d * height, dx=step) / mass
        assert posterior.expected()[k] == pytest.approx(mean, abs=1e-9)


def test_tails_are_precise_and_add_up(posterior):
    above, below = posterior.prob_above(0.0), posterior.prob_below(0.0)
    np.testing.assert_allclose(above + below, 1, atol=1e-12)
    assert 0 < below[4] < 1e-200
    mirrored = Shrunk(-MEAN, ERROR, DF, SD, 1.0)
    np.testing.assert_allclose(mirrored.prob_above(0.0), below, rtol=1e-9)


@pytest.mark.parametrize("kind", ["hdi", "eti"])
def test_intervals_hold_their_mass_and_the_narrowest_is(posterior, kind):
    low, high = posterior.interval(0.9, kind)
    for k in range(len(MEAN)):
        one = Shrunk(MEAN[[k]], ERROR[[k]], DF[[k]], SD, 1.0)
        inside = 1 - one.prob_above(high[k]) - one.prob_below(low[k])
        assert inside[0] == pytest.approx(0.9, abs=1e-7)
    wide = np.subtract(*posterior.interval(0.9, "eti")[::-1])
    assert (high - low <= wide + 1e-9).all()


def test_a_wide_prior_leaves_t_as_it_is():
    found = Shrunk(MEAN[[0]], ERROR[[0]], DF[[0]], 1e4)
    t = stats.t.sf(-MEAN[0] / ERROR[0], DF[0])
    assert found.prob_above(0.0)[0] == pytest.approx(t, abs=1e-7)
