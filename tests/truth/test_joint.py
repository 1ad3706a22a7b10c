"""The joint posterior of all systems: reference values, exact identities, and PyMC."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact.joint import rows, shrinkage, units
from betterthan.exact.joint.mixture import Mixture, mixture

ITEMS = "1111 1100 1110 1100 1100 1000 1100 0011 0011 1111 1100 0000"
X = np.array([[int(c) for c in row] for row in ITEMS.split()], dtype=float)
FIRST, SECOND = np.triu_indices(4, 1)
GRADED = np.array(
    [
        *([0.9, 0.7, 0.2], [0.8, 0.9, 0.4], [0.4, 0.1, 0.3]),
        *([0.7, 0.6, 0.6], [1, 0.5, 0.1], [0.6, 0.4, 0.5]),
    ]
)


def scores(values, **coords):
    systems = [chr(65 + k) for k in range(np.shape(values)[1])]
    given = {name: ("item", value) for name, value in coords.items()}
    return xr.DataArray(
        np.asarray(values, dtype=float),
        dims=("item", "system"),
        coords={"system": systems} | given,
    )


@pytest.fixture(scope="module")
def contrasts():
    of = units.means(X, np.ones_like(X))
    return shrinkage.contrasts(of.mean, of.rows, pseudo=4, scale=0.25)


@pytest.fixture(scope="module")
def whole(contrasts):
    return mixture(contrasts)


@pytest.fixture(scope="module")
def none_apart(whole):
    weight = whole.weight.copy()
    weight[:, 1:] = 0
    return Mixture(whole.of, whole.tau, weight / weight.sum())


def test_means_of_rows_of_0_and_1():
    mean, covariance = rows.moments(X)
    assert mean.tolist() == [0.6875, 0.625, 0.4375, 0.375]
    expected = [[55, 34, -13, -18], [34, 60, -6, -12], [-13, -6, 63, 38], [-18, -12, 38, 60]]
    np.testing.assert_allclose(4352 * covariance, expected, rtol=1e-12)


def test_draws_of_rows_have_these_moments_and_the_closed_form_of_pairs():
    mean, covariance = rows.moments(X)
    wide = np.concatenate([X, X, X[:, :1]], axis=1)  # nine systems: the base by sticks
    for values, tolerance in ((X, 4e-3), (wide, 6e-3)):
        drawn = rows.draws(values, 100_000, np.random.default_rng(3))[:, :4]
        np.testing.assert_allclose(drawn.mean(0), mean, atol=2e-3)
        np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=3e-4)
        better = (drawn[:, FIRST] > drawn[:, SECOND]).mean(0)
        closed = bt.prob_better(bt.count(scores(X))).values[FIRST, SECOND]
        np.testing.assert_allclose(better, closed, atol=tolerance)  # 4 standard errors of draws
    best = np.bincount(rows.draws(X, 200_000, np.random.default_rng(4)).argmax(1)) / 200_000
    np.testing.assert_allclose(best, [0.6956, 0.2236, 0.0607, 0.0201], atol=4e-3)


def test_the_covariance_is_drawn_to_a_multiple_of_one(contrasts):
    assert contrasts.shrunk == pytest.approx(0.21253985, abs=5e-9)
    row = [0.016659410, 0.005004055, -0.010717806, -0.010945659]
    np.testing.assert_allclose(contrasts.covariance[0], row, atol=5e-10)
    assert contrasts.covariance[1, 1] == pytest.approx(0.015747998, abs=5e-10)
    assert contrasts.covariance[1, 2] == pytest.approx(-0.010034247, abs=5e-10)


def test_no_answer_depends_on_the_basis_or_the_order():
    order = [2, 0, 3, 1]
    of = units.means(X[:, order], np.ones_like(X))
    turned = mixture(shrinkage.contrasts(of.mean, of.rows, pseudo=4, scale=0.25))
    here = bt.compare(scores(X))["among_prob_better"].values
    there = turned.prob_above(*np.triu_indices(4, 1))
    expected = [here[order[i], order[j]] for i, j in zip(FIRST, SECOND, strict=True)]
    np.testing.assert_allclose(there, expected, atol=1e-9)


def test_reference_where_none_stands_apart(none_apart):
    assert none_apart.spread == pytest.approx(0.11403499, abs=5e-9)
    found = none_apart.prob_above(FIRST, SECOND)
    expected = [0.61701403, 0.68401246, 0.75491220, 0.59889389, 0.68401246, 0.61701403]
    np.testing.assert_allclose(found, expected, atol=6e-9)
    expected = [0.05296298, 0.02076468, -0.02076468, -0.05296298]
    np.testing.assert_allclose(none_apart.mean(), expected, atol=5e-9)


def test_reference_of_the_whole(whole):
    assert 1 - whole.prob_apart.sum() == pytest.approx(0.55353376, abs=5e-9)
    expected = [0.11981421, 0.10341891, 0.10341891, 0.11981421]
    np.testing.assert_allclose(whole.prob_apart, expected, atol=5e-9)
    assert whole.spread == pytest.approx(0.11723034, abs=1e-8)
    found = whole.prob_above(FIRST, SECOND)
    expected = [0.62748157, 0.70034912, 0.77620096, 0.60859162, 0.70034912, 0.62748157]
    np.testing.assert_allclose(found, expected, atol=6e-9)
    drawn = whole.draws(200_000, np.random.default_rng(5))
    best = np.bincount(drawn.argmax(1)) / len(drawn)
    np.testing.assert_allclose(best, [0.468, 0.254, 0.176, 0.102], atol=4e-3)


def test_draws_and_intervals_are_of_the_same_mixture(whole):
    drawn = whole.draws(200_000, np.random.default_rng(6))
    apart = drawn[:, FIRST] - drawn[:, SECOND]
    np.testing.assert_allclose((apart > 0).mean(0), whole.prob_above(FIRST, SECOND), atol=4e-3)
    np.testing.assert_allclose(drawn.mean(0), whole.mean(), atol=2e-3)
    low, high = whole.interval(FIRST, SECOND, 0.9)
    np.testing.assert_allclose((apart <= low).mean(0), 0.05, atol=2e-3)
    np.testing.assert_allclose((apart <= high).mean(0), 0.95, atol=2e-3)
    np.testing.assert_allclose(drawn.sum(1), 0, atol=1e-12)


def test_the_comparison_says_the_same(whole):
    found = bt.compare(scores(X), ci_prob=0.9)
    np.testing.assert_allclose(
        found["among_prob_better"].values[FIRST, SECOND], whole.prob_above(FIRST, SECOND)
    )
    p = found["among_prob_better"].values
    np.testing.assert_allclose(p + p.T, 1, atol=1e-12)
    low, _ = whole.interval(FIRST, SECOND, 0.9)
    np.testing.assert_allclose(found["among_difference_lower"].values[FIRST, SECOND], low)


def test_student_t_on_units_without_and_with_sizes():
    found = bt.compare(scores(GRADED), quantity="mean")["prob_better"].values
    # by t .9710136132, .9784010082, .8909750859: of the third Hall's t is less certain
    expected = [0.9710136132, 0.9784010082, 0.8872536779]
    np.testing.assert_allclose(found[np.triu_indices(3, 1)], expected, atol=5e-11)
    size = np.array([3, 5, 1, 8, 4, 2])
    rows_of = np.repeat(np.arange(6), size)
    together = bt.compare(scores(GRADED[rows_of], cluster=rows_of), quantity="mean")
    assert together["difference_mean"].values[0, 1] == pytest.approx(0.1565217391, abs=5e-11)
    assert together["prob_better"].values[0, 1] == pytest.approx(0.8918792273, abs=5e-10)
    # of five degrees of freedom and the errors of equal sizes it was .9240681816
    assert together["difference_error"].values[0, 1] == pytest.approx(0.098982289201, abs=5e-12)
    assert together["difference_df"].values[0, 1] == pytest.approx(2.86235372765, abs=5e-11)


def test_equal_sizes_are_the_paired_t_test():
    from scipy import stats

    p = bt.compare(scores(GRADED), quantity="mean")["prob_better"].values[0, 1]
    test = stats.ttest_rel(GRADED[:, 0], GRADED[:, 1], alternative="greater")
    assert p == pytest.approx(1 - test.pvalue, abs=1e-12)


def hall_interval(x, prob):
    """Of a mean, by finding roots of Hall's transformation."""
    from scipy import optimize, stats

    n, g = len(x), stats.skew(x)

    def t_of(quantile):
        def gap(t):
            cubed = g**2 * t**3 / (27 * n)
            return t + g * t**2 / (3 * n**0.5) + cubed + g / (6 * n**0.5) - quantile

        return optimize.brentq(gap, -1e4, 1e4, xtol=1e-13)

    q = stats.t.ppf((1 + prob) / 2, n - 1)
    return tuple(x.mean() - stats.sem(x) * t_of(k) for k in (q, -q))


def test_each_mean_has_the_interval_of_a_t_test_or_of_hall_where_that_is_wider():
    from scipy import stats

    gaps = np.array([[0.5, 1.0], [0.0, np.nan], [1.0, 0.0], [0.5, 0.5], [0.25, 0.75]])
    found = bt.compare(scores(gaps), ci_prob=0.9).systems.set_index("system")
    for k, name in enumerate("AB"):
        own = gaps[~np.isnan(gaps[:, k]), k]
        ends = [stats.ttest_1samp(own, 0).confidence_interval(0.9), hall_interval(own, 0.9)]
        low, high = min(e[0] for e in ends), max(e[1] for e in ends)
        assert found.loc[name, "score"] == pytest.approx(own.mean())
        assert found.loc[name, ["score_lower", "score_upper"]].tolist() == pytest.approx(
            [low, high]
        )


def test_systems_that_answer_alike_share_everything():
    found = bt.compare(scores(np.repeat(X[:, :1], 4, axis=1)))
    np.testing.assert_allclose(found["among_prob_better"], 0.5, rtol=1e-12)
    np.testing.assert_allclose(found["expected_rank"], 2.5, atol=0.05)


@pytest.mark.sampled
def test_pymc_draws_the_same_posterior():
    """Eight schools with their known errors, as eight contrasts in which none stands apart."""
    import pymc as pm

    effect = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]) / 100
    error = np.array([15.0, 10, 16, 11, 9, 11, 10, 18]) / 100
    q = shrinkage.helmert(8)
    variance, axes = np.linalg.eigh(q.T @ np.diag(error**2) @ q)
    of = shrinkage.Contrasts(q @ axes, (effect @ q) @ axes, variance, 0.0, 0.25)
    weight = mixture(of).weight.copy()
    weight[:, 1:] = 0
    exact = Mixture(of, mixture(of).tau, weight / weight.sum())
    with pm.Model():
        tau = pm.HalfCauchy("tau", 0.25)
        raw = pm.Normal("raw", 0, 1, shape=7)
        contrast = tau * raw
        pm.Normal("seen", contrast, np.sqrt(variance), observed=of.at)
        pm.Deterministic("ability", contrast @ of.basis.T)
        tree = pm.sample(
            draws=1000,
            tune=500,
            chains=2,
            cores=1,
            random_seed=1,
            progressbar=False,
            target_accept=0.95,
        )
    ability = tree["posterior"]["ability"].values.reshape(-1, 8)
    tau = tree["posterior"]["tau"].values.ravel()
    first, second = np.triu_indices(8, 1)
    sampled = (ability[:, first] > ability[:, second]).mean(0)
    # 2,000 draws of some autocorrelation: four standard errors of 1,000 independent ones
    np.testing.assert_allclose(sampled, exact.prob_above(first, second), atol=4 * 0.5 / 1000**0.5)
    assert tau.mean() == pytest.approx(exact.spread, abs=4 * tau.std() / 1000**0.5)


def test_systems_apart_by_the_same_on_every_item_are_decided_without_a_slope():
    noise = np.random.default_rng(1).normal(size=(30, 1))
    scores = xr.DataArray(
        noise + np.array([0.0, 1.0, 2.0]),
        dims=("item", "system"),
        coords={"system": list("ABC")},
    )
    found = bt.compare(scores, quantity="mean")
    assert found.pairs["among_verdict"].tolist() == ["better"] * 3
    np.testing.assert_allclose(found.pairs["among_lower"], found.pairs["difference"], atol=1e-6)
