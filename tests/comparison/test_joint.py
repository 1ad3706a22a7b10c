"""The joint posterior of all systems, and Student's t, in the answers of `compare`."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact.joint import abilities
from betterthan.exact.joint.abilities import Abilities

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


def test_the_comparison_says_what_the_joint_posterior_says():
    found = bt.compare(scores(X), ci_prob=0.9, rope=0.1)
    pairs = Abilities.fit(abilities.evidence_from_right(X.T @ X, 12, (1, 1, 1))).pairs(
        0.9, "hdi", 0.1
    )
    p = found["prob_better"].values
    np.testing.assert_allclose(p[FIRST, SECOND], pairs.better)
    np.testing.assert_allclose(p + p.T, 1, atol=1e-12)
    np.testing.assert_allclose(found["difference_lower"].values[FIRST, SECOND], pairs.lower)
    np.testing.assert_allclose(found["mass"].values[FIRST, SECOND], pairs.mass)
    assert found["prob_best"].values == pytest.approx([0.538, 0.277, 0.114, 0.070], abs=0.02)


def test_a_third_system_like_the_second_draws_the_first_towards_both():
    """Two systems are answered by themselves; a copy of the second tells that systems are alike."""
    one = np.repeat([[1.0, 0], [0, 1], [1, 1]], [8, 2, 10], axis=0)
    alone = bt.compare(scores(one))["prob_better"].values[0, 1]
    among = bt.compare(scores(one[:, [0, 1, 1]]))["prob_better"].values
    assert alone == pytest.approx(0.967285, abs=5e-7)
    assert among[0, 1] == pytest.approx(0.921421, abs=5e-7)
    assert among[1, 2] == 0.5


def test_student_t_on_units_without_and_with_sizes():
    found = bt.compare(scores(GRADED), quantity="mean")["pairwise_prob_better"].values
    # by t .9710136132, .9784010082, .8909750859: of the third Hall's t is less certain
    expected = [0.9710136132, 0.9784010082, 0.8872536779]
    np.testing.assert_allclose(found[np.triu_indices(3, 1)], expected, atol=5e-11)
    size = np.array([3, 5, 1, 8, 4, 2])
    rows_of = np.repeat(np.arange(6), size)
    together = bt.compare(scores(GRADED[rows_of], cluster=rows_of), quantity="mean")
    assert together["pairwise_difference_mean"].values[0, 1] == pytest.approx(
        0.1565217391, abs=5e-11
    )
    assert together["pairwise_prob_better"].values[0, 1] == pytest.approx(0.8918792273, abs=5e-10)
    # of five degrees of freedom and the errors of equal sizes it was .9240681816
    assert together["difference_error"].values[0, 1] == pytest.approx(0.098982289201, abs=5e-12)
    assert together["difference_df"].values[0, 1] == pytest.approx(2.86235372765, abs=5e-11)


def test_equal_sizes_are_the_paired_t_test():
    from scipy import stats

    p = bt.compare(scores(GRADED), quantity="mean")["pairwise_prob_better"].values[0, 1]
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
    np.testing.assert_allclose(found["prob_better"], 0.5, rtol=1e-12)
    np.testing.assert_allclose(found["expected_rank"], 2.5, atol=0.05)


def test_systems_apart_by_the_same_on_every_item_are_decided_without_a_slope():
    noise = np.random.default_rng(1).normal(size=(30, 1))
    scores = xr.DataArray(
        noise + np.array([0.0, 1.0, 2.0]),
        dims=("item", "system"),
        coords={"system": list("ABC")},
    )
    found = bt.compare(scores, quantity="mean")
    assert found.pairs["verdict"].tolist() == ["better"] * 3
    assert "the same on every item" in found.attrs["no_joint"]


def test_a_system_is_the_best_no_more_often_than_it_is_better_than_each_other():
    """Draws with normal errors would call the second best too often where there are few items."""
    right = [20, 18, 12, 10, 8, 5, 2, 1, 0]
    comparison = bt.compare(scores(np.arange(20)[:, None] < np.array(right)))
    better = comparison["prob_better"].values + np.eye(len(right))
    best = comparison["prob_best"].values
    assert (best <= better.min(1) + 1e-4).all()
    first, second = best[:2]
    # of two that are far ahead, the one is the best where it is better
    assert second == pytest.approx(1 - better[0, 1], abs=2e-3)
    assert first + second > 0.995
    assert comparison["expected_rank"].values[0] == pytest.approx(2 - better[0, 1], abs=0.01)


def test_the_best_set_holds_the_best_of_simulated_systems_where_two_are_far_ahead():
    """Where P(best) most often had to be lowered; the truth is not the prior of the model."""
    rng = np.random.default_rng(7)
    hits = []
    for _ in range(120):
        ability = np.r_[rng.uniform(1.7, 3.5, 2), rng.uniform(-3.0, 0.4, 3)]
        right = rng.logistic(size=(20, 5)) < ability + rng.normal(size=(20, 1))
        comparison = bt.compare(scores(right))
        hits.append(comparison["in_best_set"].values[ability.argmax()])
    assert np.mean(hits) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(hits))


@pytest.mark.parametrize(
    ("items", "accuracies"),
    [
        (100, (1, 0, 0)),
        (300, (0.9, 0.85, 0.1)),
        (1000, (0.9, 0.88, 0.87, 0.2)),
        (2000, (0.99, 0.98, 0.01)),
    ],
)
def test_systems_far_apart_are_not_drawn_further_apart(items, accuracies):
    """Much data make the joint answer the pairwise one, also of a weak baseline."""
    right = np.random.default_rng(0).random((items, len(accuracies))) < accuracies
    systems = [f"s{k}" for k in range(len(accuracies))]
    scores = xr.DataArray(right.astype(float), dims=("item", "system"), coords={"system": systems})
    pair = bt.compare(scores, rng=1).data.sel(system_a="s0", system_b=systems[-1])
    mean, lower, upper = (pair[f"difference_{k}"].item() for k in ("mean", "lower", "upper"))
    alone = [pair[f"pairwise_difference_{k}"].item() for k in ("mean", "lower", "upper")]
    width = alone[2] - alone[1]
    assert lower < mean < upper
    assert mean < right[:, 0].mean() - right[:, -1].mean()
    np.testing.assert_allclose([mean, lower, upper], alone, atol=0.15 * width)


@pytest.mark.parametrize("graded", [False, True])
def test_who_looks_for_nan_with_errors_of_numpy_gets_the_same_answer(graded):
    """What underflows far away is rightly 0."""
    random = np.random.default_rng(0)
    values = (random.random((300, 3)) < [0.9, 0.6, 0.1]) * 1.0
    values = values * random.random((300, 1)) if graded else values
    wanted = bt.compare(scores(values), rope=0.02, rng=1)
    with np.errstate(all="raise"):
        assert str(bt.compare(scores(values), rope=0.02, rng=1)) == str(wanted)
