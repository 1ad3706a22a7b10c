"""The contour beside the road over the share of decisive examples, in corners and at random."""

import numpy as np
import pytest
from scipy import stats

from betterthan.exact.wins import dirichlet, intervals, inverse_laplace


def wild(n, least, most, reach, seed=1):
    """Parameters of any size, and a point so many standard deviations from the mean."""
    rng = np.random.default_rng(seed)
    a, b, t = np.exp(rng.uniform(np.log(least), np.log(most), (3, n)))
    mean, sd = dirichlet.mean_difference(a, b, t), dirichlet.sd_difference(a, b, t)
    y = mean + sd * rng.uniform(*reach, n)
    inside = (np.abs(y) < 1) & (y != 0)
    return tuple(z[inside] for z in (a, b, t, y))


@pytest.fixture
def by_share(monkeypatch):
    """The other road: no row of the contour settles."""
    whole = inverse_laplace.beyond

    def never(*four, **choice):
        found = whole(*four, **choice)
        return found._replace(converged=np.zeros_like(found.converged))

    return lambda: monkeypatch.setattr(inverse_laplace, "beyond", never)


@pytest.mark.parametrize(
    ("least", "most", "reach", "share"),
    [
        (1, 10, (-3, 3), 0.9),
        (1, 100, (-9, 9), 0.98),
        (1, 1e4, (-6, 30), 0.9),
        (1, 1e6, (-6, 30), 0.9),
        (1e3, 1e6, (-3, 30), 0.99),
        (0.01, 1e6, (-3, 12), 0.1),
    ],
)
def test_masses_and_densities_are_those_of_the_other_road(least, most, reach, share, by_share):
    four = wild(600, least, most, reach)
    found = inverse_laplace.beyond(*four)
    assert found.converged.mean() > share
    by_share()
    rows = np.flatnonzero(found.converged)
    four = tuple(z[rows] for z in four)
    np.testing.assert_allclose(found.mass[rows], dirichlet.prob_above(*four), 2e-10, 1e-285)
    # beside 40 digits the contour is within 1e-12, and densities over the share within 3e-9
    np.testing.assert_allclose(found.density[rows], dirichlet.density(*four), 5e-9, 1e-285)


def test_nothing_below_one_settles():
    a, b, t, y = wild(300, 0.01, 50, (-2, 2))
    settled = inverse_laplace.beyond(a, b, t, y).converged
    assert not settled[np.minimum(np.minimum(a, b), t) < 1].any()


def test_the_slope_is_that_of_the_density():
    a, b, t, y = wild(300, 2, 1e4, (-3, 3))
    h = 1e-4 * dirichlet.sd_difference(a, b, t)
    there = [inverse_laplace.beyond(a, b, t, y + k * h) for k in (-1, 0, 1)]
    settled = np.all([z.converged for z in there], axis=0)
    slope = (there[2].density - there[0].density) / (2 * h)
    scale = there[1].density / dirichlet.sd_difference(a, b, t)
    gap = np.abs(there[1].slope - slope) / scale
    assert settled.mean() > 0.9
    assert gap[settled].max() < 1e-4


def test_sides_exchanged_are_the_same_to_the_bit():
    a, b, t, y = wild(300, 1, 1e4, (-3, 3))
    one, other = inverse_laplace.beyond(a, b, t, y), inverse_laplace.beyond(b, a, t, -y)
    upper = y * (a + b + t) >= a - b
    kept = one.converged & upper
    np.testing.assert_array_equal(other.mass[kept], 1 - one.mass[kept])
    np.testing.assert_array_equal(one.density, other.density)


@pytest.mark.parametrize("prob", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("least", "most"), [(1, 20), (1, 1e4), (1.5, 1e6)])
def test_narrowest_intervals_are_those_of_the_other_road(least, most, prob, by_share):
    a, b, t = np.exp(np.random.default_rng(5).uniform(np.log(least), np.log(most), (3, 60)))
    lower, upper, settled = intervals.narrowest(a, b, t, prob)
    assert settled.mean() > 0.6
    by_share()
    three = a[settled], b[settled], t[settled]
    *other, found = intervals._equal_heights(*three, prob)
    assert found.mean() > 0.9
    np.testing.assert_allclose(lower[settled][found], other[0][found], atol=1e-10)
    np.testing.assert_allclose(upper[settled][found], other[1][found], atol=1e-10)


def test_quantiles_are_those_of_the_other_road(by_share):
    a, b, t, _ = wild(60, 0.01, 1e6, (0, 0.5))
    levels = np.random.default_rng(2).choice([1e-9, 0.025, 0.3, 0.5, 0.9, 0.975], a.size)
    found = intervals.quantile(a, b, t, levels)
    by_share()
    np.testing.assert_allclose(found, intervals.quantile(a, b, t, levels), atol=1e-10)


def test_a_narrow_rope_is_no_difference_of_tails(by_share):
    a, b, t, _ = wild(200, 1, 1e4, (0, 1))
    found = dirichlet.prob_within(a, b, t, 1e-7)
    by_share()
    np.testing.assert_allclose(found, dirichlet.prob_within(a, b, t, 1e-7), rtol=1e-9)


def test_a_rough_tail_is_near_the_exact_one():
    random = np.random.default_rng(4)
    a, b = random.integers(20, 80, (2, 400)).astype(float)
    t = random.integers(50, 400, 400).astype(float)
    mean, sd, _ = intervals.shape(a, b, t)
    y = mean + sd * random.uniform(-3, 3, 400)
    exact, rough = (inverse_laplace.beyond(a, b, t, y, rough=k) for k in (False, True))
    assert rough.converged.all()
    for name, most in (("mass", 1e-6), ("density", 1e-6), ("slope", 1e-3)):
        of_exact, of_rough = getattr(exact, name), getattr(rough, name)
        scale = np.abs(of_exact) + (name == "slope") * exact.density / sd
        assert (np.abs(of_rough - of_exact) <= most * scale).all(), name
    assert (rough.mass != exact.mass).any()  # by fewer nodes


def test_pairs_without_ties_are_betas():
    a, b = np.array([[3.0, 30.0, 400.0], [2.0, 45.0, 90.0]])
    lower, upper, converged = intervals.narrowest(a, b, np.zeros(3), 0.95)
    assert converged.all()
    low, high = (stats.beta(a, b).cdf((1 + end) / 2) for end in (lower, upper))
    np.testing.assert_allclose(high - low, 0.95, rtol=1e-12)
    heights = [stats.beta(a, b).pdf((1 + end) / 2) for end in (lower, upper)]
    np.testing.assert_allclose(*heights, rtol=1e-10)
    assert not intervals.narrowest(*np.array([[1.0], [9.0], [0.0]]), 0.95)[2].any()  # at an end
