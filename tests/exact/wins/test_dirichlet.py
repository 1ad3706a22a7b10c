from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from betterthan.exact.wins import beta, dirichlet

PRECISE = pd.read_csv(
    Path(__file__).parents[2] / "reference" / "high_precision_difference.csv", dtype=str
)


@pytest.mark.parametrize(
    "row", list(PRECISE.itertuples(index=False)), ids=lambda r: "-".join(r[:4])
)
def test_sixty_digits(row):
    a, b, t, x = (float(v) for v in row[:4])
    assert dirichlet.prob_above(a, b, t, x) == pytest.approx(float(row.above), rel=1e-9, abs=0)
    assert dirichlet.prob_below(a, b, t, x) == pytest.approx(float(row.below), rel=1e-9, abs=0)
    assert dirichlet.prob_within(a, b, t, x) == pytest.approx(float(row.within), rel=1e-9, abs=0)
    assert dirichlet.prob_below(b, a, t, -x) == dirichlet.prob_above(a, b, t, x)


def wild(n, seed, largest=1e6):
    rng = np.random.default_rng(seed)
    a, b, t = np.exp(rng.uniform(np.log(0.01), np.log(largest), (3, n)))
    return a, b, t, np.exp(rng.uniform(np.log(1e-6), np.log(0.999), n))


def test_never_fails_on_wild_parameters_and_masses_add_up():
    a, b, t, x = wild(1500, 1)
    above, below, within = (
        dirichlet.prob_above(a, b, t, x),
        dirichlet.prob_below(a, b, t, -x),
        dirichlet.prob_within(a, b, t, x),
    )
    for mass in (above, below, within):
        assert np.isfinite(mass).all()
        assert (mass >= 0).all()
    np.testing.assert_allclose(above + below + within, 1, atol=2e-9)
    np.testing.assert_allclose(above + dirichlet.prob_below(a, b, t, x), 1, atol=2e-9)
    assert not np.isnan(dirichlet.density(a, b, t, x)).any()


def test_next_to_zero_with_parameters_below_one():
    rng = np.random.default_rng(3)
    a, b, t = np.exp(rng.uniform(np.log(0.01), np.log(50), (3, 500)))
    x = np.exp(rng.uniform(np.log(5e-324), np.log(1e-6), 500))  # subnormal ones too
    above, within = dirichlet.prob_above(a, b, t, x), dirichlet.prob_within(a, b, t, x)
    below = dirichlet.prob_below(a, b, t, -x)
    np.testing.assert_allclose(above + within + below, 1, atol=1e-9)
    np.testing.assert_allclose(dirichlet.prob_below(a, b, t, x), below + within, rtol=1e-9)
    assert not np.isnan(dirichlet.density(a, b, t, x)).any()
    n = a + b
    settled = within < 1e-12  # then who is better decides
    assert settled.sum() > 200
    half = beta.prob_above_half(a, b)
    np.testing.assert_allclose(above[settled], half[settled], rtol=1e-9, atol=1e-12)
    assert (within[n < 0.05] > 1e-16).all()


@pytest.mark.parametrize("ties", [1e-20, 2e-13, 1e-11])
def test_hardly_any_ties(ties):
    x = np.array([1e-300, 1e-17, 0.1, 0.9])
    np.testing.assert_allclose(
        dirichlet.prob_above(2.0, 0.5, ties, x), dirichlet.prob_above(2.0, 0.5, 0.0, x), rtol=1e-9
    )


def test_the_triangle_of_no_data():
    x = np.linspace(0, 1, 11)
    np.testing.assert_allclose(dirichlet.prob_above(1, 1, 1, x), (1 - x) ** 2 / 2, rtol=1e-9)
    np.testing.assert_allclose(dirichlet.density(1, 1, 1, x), 1 - x, rtol=1e-9, atol=1e-15)


def test_without_ties_it_is_a_beta():
    x = np.linspace(-0.99, 0.99, 23)
    p = stats.beta(7.5, 3.25)
    np.testing.assert_allclose(dirichlet.prob_above(7.5, 3.25, 0, x), p.sf((1 + x) / 2), rtol=1e-10)
    np.testing.assert_allclose(
        dirichlet.density(7.5, 3.25, 0, x), p.pdf((1 + x) / 2) / 2, rtol=1e-10
    )
    few = dirichlet.prob_above(7.5, 3.25, 1e-9, x)
    np.testing.assert_allclose(few, p.sf((1 + x) / 2), rtol=1e-6)


def test_at_zero_it_is_who_is_better():
    a, b, t, _ = wild(500, 2)
    a, b = a + 1, b + 1  # with fewer decisive examples much of d lies within any distance of 0
    np.testing.assert_array_equal(dirichlet.prob_above(a, b, t, 0.0), beta.prob_above_half(a, b))
    near = dirichlet.prob_above(a, b, t, 1e-12)
    np.testing.assert_allclose(near, beta.prob_above_half(a, b), rtol=1e-3, atol=1e-6)


def test_it_falls_from_one_to_zero():
    x = np.linspace(-1, 1, 401)
    for a, b, t in ((13, 3, 987), (0.5, 0.5, 0.5), (200, 20, 1), (1, 1, 5000), (3, 900, 4)):
        p = dirichlet.prob_above(a, b, t, x)
        assert (np.diff(p) <= 1e-9).all()  # the accuracy of one value
        assert (p[0], p[-1]) == (1, 0)


def test_density_is_the_slope():
    x = np.array([-0.4, -0.03, 0.02, 0.3])
    h = 1e-5
    for a, b, t in ((29, 45, 30), (2.5, 0.5, 1.5), (200, 20, 1)):
        slope = (dirichlet.prob_above(a, b, t, x - h) - dirichlet.prob_above(a, b, t, x + h)) / (
            2 * h
        )
        np.testing.assert_allclose(dirichlet.density(a, b, t, x), slope, rtol=1e-4, atol=1e-7)


def test_simulation_is_a_third_road():
    rng = np.random.default_rng(3)
    for a, b, t, x in ((13, 3, 87, 0.05), (0.5, 0.5, 0.5, 0.2), (30, 40, 2, 0.1)):
        theta = rng.dirichlet([a, b, t], 300_000)
        d = theta[:, 0] - theta[:, 1]
        for found, share in (
            (dirichlet.prob_above(a, b, t, x), (d > x).mean()),
            (dirichlet.prob_within(a, b, t, x), (np.abs(d) < x).mean()),
        ):
            assert share == pytest.approx(found, abs=4 * np.sqrt(found * (1 - found) / 300_000))


def test_moments():
    a, b, t = 13.0, 3.0, 7.5
    theta = stats.dirichlet([a, b, t])
    cov = theta.cov()
    assert dirichlet.mean_difference(a, b, t) == pytest.approx(
        theta.mean()[0] - theta.mean()[1], rel=1e-12
    )
    variance = cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]
    assert dirichlet.sd_difference(a, b, t) == pytest.approx(np.sqrt(variance), rel=1e-12)
