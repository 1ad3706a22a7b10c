import numpy as np
import pytest

from betterthan.exact.wins import dirichlet, intervals


def wild(n, seed, least=1.0):
    rng = np.random.default_rng(seed)
    return np.exp(rng.uniform(np.log(least), np.log(1e4), (3, n)))


@pytest.mark.parametrize("prob", [1e-4, 0.025, 0.5, 0.9, 0.999])
def test_quantile_undoes_the_distribution_function(prob):
    a, b, t = wild(300, 1, least=0.3)
    x = intervals.quantile(a, b, t, prob)
    below = dirichlet.prob_below(a, b, t, x)
    tolerance = 1e-10 * dirichlet.density(a, b, t, x) + 1e-10  # 1e-10 in x
    assert (np.abs(below - prob) <= tolerance).all()


def test_closed_forms():
    assert intervals.quantile(1, 1, 1, 0.98) == pytest.approx(0.8, abs=1e-10)
    assert intervals.quantile(1, 1, 1, 0.125) == pytest.approx(-0.5, abs=1e-10)
    assert intervals.quantile(4, 4, 2, 0.5) == pytest.approx(0, abs=1e-10)
    lower, upper, modes = intervals.hdi(1, 1, 1, 0.96)
    assert (lower, upper) == (pytest.approx(-0.8, abs=1e-10), pytest.approx(0.8, abs=1e-10))
    assert modes == 1
    lower, upper, _ = intervals.hdi(5, 1, 0, 0.95)  # a rising density: the interval ends at 1
    assert (lower, upper) == (
        pytest.approx(2 * 0.05**0.2 - 1, abs=1e-10),
        pytest.approx(1, abs=1e-10),
    )


def test_hdi_has_its_mass_equal_heights_and_is_the_shortest():
    a, b, t = wild(150, 2)
    lower, upper, modes = intervals.hdi(a, b, t, 0.95)
    assert (np.asarray(modes) == 1).all()
    mass = dirichlet.prob_below(a, b, t, upper) - dirichlet.prob_below(a, b, t, lower)
    np.testing.assert_allclose(mass, 0.95, atol=1e-9)
    inside = (lower > -1 + 1e-9) & (upper < 1 - 1e-9)
    heights = dirichlet.density(a, b, t, lower), dirichlet.density(a, b, t, upper)
    np.testing.assert_allclose(heights[0][inside], heights[1][inside], rtol=1e-6)
    for below in np.linspace(0.0002, 0.0498, 12):
        width = intervals.quantile(a, b, t, below + 0.95) - intervals.quantile(a, b, t, below)
        assert (width >= upper - lower - 1e-9).all()


@pytest.mark.parametrize(
    "case",
    [(0.5, 0.5, 3.5), (5.5, 0.5, 0.5), (0.5, 0.5, 0.5), (0.5, 20.5, 0.5), (3.01, 0.01, 2.01)],
)
def test_sparse_posteriors_by_search(case):
    lower, upper, _ = intervals.hdi(*case, 0.9)
    levels = np.linspace(1e-6, 0.1 - 1e-6, 61)
    widths = intervals.quantile(*case, levels + 0.9) - intervals.quantile(*case, levels)
    assert upper - lower <= widths.min() + 1e-8
    mass = dirichlet.prob_below(*case, upper) - dirichlet.prob_below(*case, lower)
    assert mass == pytest.approx(0.9, abs=1e-7)


def test_one_mode_where_it_is_claimed():
    values = [0.01, 0.3, 0.5, 1.0, 1.5, 2.5, 20.0]
    grid = np.array([(a, b, t) for a in values for b in values for t in values])
    claimed = intervals._unimodal(*grid.T)
    x = np.concatenate([-np.geomspace(1e-4, 0.999, 60)[::-1], np.geomspace(1e-4, 0.999, 60)])
    for a, b, t in grid[claimed]:
        heights = dirichlet.density(a, b, t, x)
        steps = np.sign(
            np.where(np.abs(np.diff(heights)) > 1e-9 * heights[1:], np.diff(heights), 0)
        )
        steps = steps[steps != 0]
        assert (np.diff(steps) <= 0).all(), (a, b, t)


def test_two_equal_rivals_give_the_equal_tailed_interval():
    lower, upper, modes = intervals.hdi(0.01, 0.01, 1e-6, 0.4)
    assert modes > 1
    assert lower == pytest.approx(-upper, abs=1e-9)


@pytest.mark.parametrize(
    "case", [(1.0, 1.0, 100001.0), (1.0, 3.0, 1e9), (1e9, 1e9, 1.0), (1.01, 0.01, 0.01)]
)
def test_extreme_quantiles_are_in_order(case):
    x = intervals.quantile(*case, np.array([0.001, 0.025, 0.5, 0.975, 0.999]))
    assert np.isfinite(x).all()
    assert (np.diff(x) >= -1e-10).all()
