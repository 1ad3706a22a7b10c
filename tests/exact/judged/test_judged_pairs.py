"""Judged outcomes: reference values, what they collapse to, enumeration, and exact draws."""

import itertools

import numpy as np
import pytest
from scipy import special

from betterthan.exact.judged import (
    JudgedPairs,
    best_ratio,
    correlation_ratio,
    draws,
    effective_gold,
    ratio_range,
)
from betterthan.exact.wins import dirichlet, intervals

GOLD = np.array([[18, 2, 5], [3, 9, 4], [4, 3, 12]])
JUDGED = np.array([210, 120, 170])
NINE = np.array(
    [[1, 1, 0, 0, 0, 0, 0, 0, 1], [1, 3, 0, 0, 2, 0, 0, 0, 0], [0, 3, 2, 0, 2, 0, 1, 0, 3]]
)
NINE_JUDGED = np.array([53, 80, 34, 10, 45, 12, 11, 33, 42])
MOSTLY = np.where(np.eye(3) > 0, 0.6, 0.2)
# mean, sd, P(d > 0), P(d > .05), to the digits of their source (two rules of quadrature that agree)
REFERENCE = [
    (GOLD, JUDGED, 1 / 3, 0.14520245, 0.08863058, 0.947146441983, 0.858737986338),
    (GOLD, JUDGED, 1.0, 0.13883776, 0.08703846, 0.942544016865, 0.846423421348),
    (GOLD, JUDGED, MOSTLY, 0.14524119, 0.08761590, 0.949107705319, 0.861651068009),
    (NINE, NINE_JUDGED, 1 / 3, -0.09133739, 0.13129118, 0.246362942687, None),
    (NINE, NINE_JUDGED, 1 / 9, -0.10236203, 0.14465857, 0.245042408713, None),
    (
        [[16, 1, 0], [3, 6, 1], [1, 2, 0]],
        [60, 28, 6],
        1 / 3,
        0.20373098,
        0.13576585,
        0.928549684360,
        None,
    ),
]


def of(gold, judged, prior=1 / 3):
    return JudgedPairs.from_counts(np.array([gold]), np.array([judged]), prior)


@pytest.mark.parametrize(("gold", "judged", "prior", "mean", "sd", "above", "beyond"), REFERENCE)
def test_reference_values(gold, judged, prior, mean, sd, above, beyond):
    pairs = of(gold, judged, prior)
    found = pairs.mean_and_sd()
    assert found[0][0] == pytest.approx(mean, abs=5.1e-9)
    assert found[1][0] == pytest.approx(sd, abs=5.1e-9)
    assert pairs.above(0.0)[0] == pytest.approx(above, abs=1e-12)
    if beyond is not None:
        assert pairs.above(0.05)[0] == pytest.approx(beyond, abs=1e-12)


def test_swapping_systems_gives_the_other_tail():
    one, other = of(GOLD, JUDGED), of(GOLD[[1, 0, 2]][:, [1, 0, 2]], JUDGED[[1, 0, 2]])
    for x in (0.0, 0.05, -0.3):
        np.testing.assert_allclose(one.above(x), other.below(-x), rtol=1e-11)
    lower, upper, _ = one.interval(0.95, "hdi")
    low, high, _ = other.interval(0.95, "hdi")
    np.testing.assert_allclose([lower, upper], [-high, -low], atol=1e-9)


def test_with_all_items_gold_it_is_the_usual_answer():
    pairs = of(GOLD, GOLD.sum(0), 1.0)
    a, b, t = GOLD.sum(1) + 3.0
    assert pairs.above(0.0)[0] == pytest.approx(0.908037589311, abs=1e-12)
    assert pairs.above(0.1)[0] == pytest.approx(0.625347066411, abs=1e-12)
    for x in (-0.4, 0.0, 0.1, 0.5, 0.75):
        np.testing.assert_allclose(pairs.above(x), dirichlet.prob_above(a, b, t, x), rtol=1e-9)
        np.testing.assert_allclose(pairs.below(x), dirichlet.prob_below(a, b, t, x), rtol=1e-9)
        np.testing.assert_allclose(pairs.density(x), dirichlet.density(a, b, t, x), rtol=1e-8)
    for rope in (0.01, 0.2):
        np.testing.assert_allclose(
            pairs.within(rope), dirichlet.prob_within(a, b, t, rope), rtol=1e-9
        )
    np.testing.assert_allclose(
        pairs.interval(0.95, "hdi")[:2], np.array([intervals.hdi(a, b, t, 0.95)[:2]]).T, atol=1e-9
    )
    np.testing.assert_allclose(
        pairs.interval(0.9, "eti")[:2], np.array([intervals.eti(a, b, t, 0.9)]).T, atol=1e-9
    )


def test_tails_keep_their_digits():
    gold = np.array([[60, 4, 9], [5, 20, 6], [8, 6, 30]])
    pairs, (a, b, t) = of(gold, gold.sum(0), 1 / 3), gold.sum(1) + 1.0
    for x in (0.45, 0.6, 0.7):
        exact = dirichlet.prob_above(a, b, t, x)
        assert exact < 3e-3
        np.testing.assert_allclose(pairs.above(x), exact, rtol=1e-9)


@pytest.mark.parametrize("x", [0.0, 0.01, -0.02])
def test_many_labels_of_which_few_decide(x):
    """All labelled: the answer of the labels alone. Rules of quadrature were 1e-4 off."""
    gold = np.array([[7, 4, 1], [0, 2, 0], [497, 295, 194]])
    pairs, (a, b, t) = of(gold, gold.sum(0)), gold.sum(1) + 1.0
    np.testing.assert_allclose(pairs.above(x), dirichlet.prob_above(a, b, t, x), rtol=1e-9)
    np.testing.assert_allclose(pairs.below(x), dirichlet.prob_below(a, b, t, x), rtol=1e-9)
    ends = np.array([intervals.hdi(a, b, t, 0.95)[:2]]).T
    np.testing.assert_allclose(pairs.interval(0.95, "hdi")[:2], ends, atol=1e-9)


@pytest.mark.parametrize(("labels", "seed"), [(5, 1), (60, 2), (500, 3), (3000, 4)])
def test_where_all_is_labelled_any_table_is_the_usual_answer(labels, seed):
    random = np.random.default_rng(seed)
    shares = [random.dirichlet(np.tile([0.02, 0.02, 1.0], 3), 20), random.dirichlet([0.3] * 9, 20)]
    gold = random.multinomial(labels, np.concatenate(shares)).reshape(-1, 3, 3).swapaxes(1, 2)
    pairs, (a, b, t) = JudgedPairs.from_counts(gold, gold.sum(1)), (gold.sum(2) + 1.0).T
    for x in (0.0, 0.05):
        exact = dirichlet.prob_above(a, b, t, x)
        np.testing.assert_allclose(pairs.above(x), exact, rtol=1e-9, atol=1e-12)


def test_the_masses_are_each_an_integral_and_sum_to_one():
    few = [[2, 0], [0, 0], [1, 1]], [3, 2]  # the density has a corner at 0
    for gold, judged in ((GOLD, JUDGED), (NINE, NINE_JUDGED), few):
        pairs = of(gold, judged)
        for rope in (0.0001, 0.01, 0.05, 0.3):
            total = pairs.above(rope) + pairs.within(rope) + pairs.below(-rope)
            np.testing.assert_allclose(total, 1, atol=1e-9)


def test_without_gold_nothing_is_known_of_the_side():
    pairs = of(np.zeros((3, 3), dtype=int), JUDGED)
    mean, sd = pairs.mean_and_sd()
    assert mean[0] == 0
    assert sd[0] == pytest.approx(0.341905154, abs=5e-10)
    assert pairs.above(0.0)[0] == pytest.approx(0.5, abs=1e-11)
    np.testing.assert_allclose(pairs.above(0.3) + pairs.below(0.3), 1, rtol=1e-12)


def test_a_judge_that_says_one_thing_adds_nothing():
    """One signal: whatever n, the labels alone."""
    pairs = of([[7], [2], [4]], [1000], 1.0)
    np.testing.assert_allclose(pairs.above(0.1), dirichlet.prob_above(8, 3, 5, 0.1), rtol=1e-9)


def test_a_judge_known_to_be_perfect_makes_every_item_gold():
    prior = np.where(np.eye(3) > 0, 1.0, 1e-7)
    pairs = of(np.diag([6, 3, 2]), [60, 41, 30], prior)
    exact = dirichlet.prob_above(61, 42, 31, 0.05)
    np.testing.assert_allclose(pairs.above(0.05), exact, rtol=1e-5)


def test_a_useless_judge_leaves_what_the_labels_say():
    share, truth = np.array([40, 20, 40]), np.array([0.5, 0.3, 0.2])
    pairs = of((truth[:, None] * share).astype(int), 20 * share)
    a, b, t = (truth[:, None] * share).astype(int).sum(1) + 1.0
    mean, sd = pairs.mean_and_sd()
    assert mean[0] == pytest.approx(dirichlet.mean_difference(a, b, t), abs=0.005)
    assert sd[0] == pytest.approx(dirichlet.sd_difference(a, b, t), rel=0.03)
    assert correlation_ratio(pairs.cells, pairs.size)[0] < 0.001


@pytest.mark.parametrize(
    ("gold", "more", "prior"),
    [
        ([[2, 1], [0, 3], [1, 0]], [3, 2], 2.0),
        ([[0, 0], [0, 0], [0, 0]], [6, 5], 1 / 3),
        ([[3, 0], [1, 0], [400, 250]], [9, 7], 1 / 3),
        ([[200, 9], [0, 1], [2, 300]], [8, 0], 0.1),
    ],
)
def test_it_is_the_sum_over_all_truths_of_the_judged_items(gold, more, prior):
    """Enumeration: the labels that were not made are Dirichlet-multinomial under each signal, and
    given them the answer is the usual one.
    """
    gold = np.array(gold)
    pairs = of(gold, gold.sum(0) + more, prior)
    truths = list(itertools.product(*(_ways(n) for n in more)))
    log = [
        sum(_log_chance(np.array(k), gold[:, y] + prior) for y, k in enumerate(truth))
        for truth in truths
    ]
    a, b, t = (gold.sum(1) + np.sum(truths, axis=1) + 2 * prior).T
    for x in (0.0, 0.07):
        total = np.exp(log) @ dirichlet.prob_above(a, b, t, x)
        assert pairs.above(x)[0] == pytest.approx(total, rel=1e-9)


def _ways(n):
    return [(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)]


def _log_chance(k, alpha):
    n, total, log = k.sum(), alpha.sum(), special.gammaln
    parts = log(alpha + k) - log(alpha) - log(k + 1)
    return log(n + 1) + log(total) - log(total + n) + parts.sum()


@pytest.mark.parametrize(("gold", "judged"), [(GOLD, JUDGED), (NINE, NINE_JUDGED)])
def test_exact_draws_agree(gold, judged):
    pairs = of(gold, judged)
    theta = draws(pairs.cells, pairs.size, 200_000, np.random.default_rng(1))[:, 0]
    d = theta[:, 0] - theta[:, 1]
    p = pairs.above(0.05)[0]
    assert abs((d > 0.05).mean() - p) < 4 * np.sqrt(p * (1 - p) / len(d))
    mean, sd = pairs.mean_and_sd()
    assert abs(d.mean() - mean[0]) < 4 * sd[0] / np.sqrt(len(d))
    lower, upper, narrow = pairs.interval(0.95, "hdi")
    assert narrow.all()
    inside = ((d > lower[0]) & (d < upper[0])).mean()
    assert abs(inside - 0.95) < 4 * np.sqrt(0.95 * 0.05 / len(d))


def test_few_labels_agree_with_draws_too():
    """One label: the truth under two signals is hardly known, and the density is no bell."""
    pairs = of([[1, 0, 0], [0, 0, 0], [0, 0, 0]], JUDGED)
    theta = draws(pairs.cells, pairs.size, 200_000, np.random.default_rng(2))[:, 0]
    d = theta[:, 0] - theta[:, 1]
    for x in (0.0, 0.4):
        p = pairs.above(x)[0]
        assert abs((d > x).mean() - p) < 4 * np.sqrt(p * (1 - p) / len(d))
    assert abs(pairs.above(0.2) + pairs.below(0.2) - 1)[0] < 1e-11


def test_where_the_density_has_two_modes_the_interval_has_equal_tails():
    pairs = of([[30, 0], [30, 0], [5, 0]], [500, 500], 0.1)
    lower, upper, narrow = pairs.interval(0.95, "hdi")
    assert not narrow[0]
    assert pairs.below(lower[0])[0] == pytest.approx(0.025, abs=1e-6)
    assert pairs.above(upper[0])[0] == pytest.approx(0.025, abs=1e-6)


def test_pairs_are_answered_together_as_each_alone():
    random = np.random.default_rng(3)
    gold = random.multinomial(25, np.full(9, 1 / 9), size=6).reshape(6, 3, 3)
    judged = gold.sum(1) + random.integers(5, 90, size=(6, 3))
    together = JudgedPairs.from_counts(gold, judged)
    for k in range(6):
        alone = of(gold[k], judged[k])
        np.testing.assert_allclose(together.above(0.02)[k], alone.above(0.02)[0], rtol=1e-10)
        np.testing.assert_allclose(
            together.interval(0.95, "hdi")[0][k], alone.interval(0.95, "hdi")[0][0], atol=1e-8
        )


def test_levels_are_uniform_under_the_prior():
    """Simulation-based calibration of the closed form: worlds drawn from the prior."""
    random, worlds, n, m = np.random.default_rng(4), 200, 60, 15
    phi = random.dirichlet(np.ones(9), size=worlds)
    d = phi[:, :3].sum(1) - phi[:, 3:6].sum(1)
    gold = random.multinomial(m, phi).reshape(-1, 3, 3)
    judged = gold.sum(1) + random.multinomial(n - m, phi).reshape(-1, 3, 3).sum(1)
    level = JudgedPairs.from_counts(gold, judged, 1.0).below(d)
    bins = np.bincount(np.minimum((level * 10).astype(int), 9), minlength=10)
    assert ((bins - 20) ** 2 / 20).sum() < 27.9  # chi2 of 9, p = .001


def test_a_large_pair_of_nine_signals_is_answered():
    random = np.random.default_rng(5)
    gold = random.multinomial(200, np.full(27, 1 / 27)).reshape(3, 9)
    judged = gold.sum(0) + random.multinomial(9800, np.full(9, 1 / 9))
    pairs = of(gold, judged)
    assert pairs.above(0.0)[0] + pairs.below(0.0)[0] == pytest.approx(1, abs=1e-11)


def test_what_judged_items_are_worth():
    worth = [effective_gold(r2, 50, 1000) for r2 in (0.25, 0.35, 0.5, 0.7)]
    np.testing.assert_allclose(worth, [65.6, 74.9, 95.2, 149.3], atol=0.05)
    assert effective_gold(0.5, 50, 50) == pytest.approx(50)
    assert best_ratio(0.5, 16, 1) == pytest.approx(4)
    # 2 judged items a label cost 6 for three quarters of its variance, labels alone 4 for all
    assert best_ratio(0.5, 4, 1) == 1
    # confusions of two judges with the majority of three people, PandaLM's test set
    for table, r2 in (
        ([[332, 71, 19], [86, 360, 26], [42, 45, 18]], 0.3425),
        ([[298, 84, 40], [100, 337, 35], [35, 38, 32]], 0.2554),
    ):
        cells = np.array(table, dtype=float).T
        assert correlation_ratio(cells, cells.sum(-1)) == pytest.approx(r2, abs=5e-5)


@pytest.mark.parametrize("strength", [0.5, 1.5])
def test_the_range_of_r2_holds_the_truth_as_often_as_stated(strength):
    rng, runs = np.random.default_rng(1), 300
    share = np.array([0.4, 0.35, 0.25])
    truth = np.exp(np.log(share) + strength * np.eye(3))
    truth /= truth.sum(1, keepdims=True)
    size = rng.multinomial(1000, share, runs)
    cells = np.stack([rng.multinomial(rng.multinomial(60, share), truth) for _ in range(runs)])
    low, high = ratio_range(cells + 1 / 3, size + 1.0, 0.95)
    r2 = correlation_ratio(truth[None], share[None])[0]
    held = ((low <= r2) & (r2 <= high)).mean()
    assert held > 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)


def test_the_range_of_r2_is_the_same_whichever_system_is_named_first():
    rng = np.random.default_rng(3)
    cells, size = rng.gamma(1.0, 3.0, (5, 3, 3)), rng.gamma(2.0, 40.0, (5, 3))
    turned = cells[:, [1, 0, 2]][..., [1, 0, 2]]
    swapped = ratio_range(turned, size[:, [1, 0, 2]], 0.95)
    np.testing.assert_array_equal(ratio_range(cells, size, 0.95), swapped)
