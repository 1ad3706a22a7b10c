"""The joint answer of every pair: reference values, plain loops, simulation, and what must hold."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, special, stats

from betterthan.exact.joint import abilities, units
from betterthan.exact.joint.abilities import Abilities
from betterthan.exact.joint.groups import Partitions, fit_groups
from betterthan.exact.joint.mixture import Mixture
from betterthan.exact.wins import dirichlet, intervals
from betterthan.posterior.from_draws import ranks
from tests.exact.joint.tables import REFERENCE, SCORES, evidence, rasch


def joint(scores, **choices):
    return Abilities.fit(evidence(scores, **choices))


def certain(of):
    """The same with nothing drawn together: k = 1 in one group."""
    found = fit_groups(of.score, of.variance, of.scale, most=1)
    one = {name: values[:1] for name, values in vars(found.parts[0]).items()}
    part = Partitions(**one | {"k": np.ones(1), "weight": np.ones(1)})
    return Abilities(of, replace(found, parts=(part,)))


@pytest.mark.parametrize("name", SCORES)
def test_published_probabilities(name, monkeypatch):
    found = joint(SCORES[name]).pairs(0.95, "eti", 0.0)
    np.testing.assert_allclose(found.better, REFERENCE[name]["prob"], atol=2e-6)
    np.testing.assert_allclose(found.better + found.worse, 1, atol=1e-13)
    systems = SCORES[name].shape[1]
    monkeypatch.setattr(Abilities, "_alike", np.zeros((systems + 1, systems + 1)))
    without = joint(SCORES[name]).pairs(0.95, "eti", 0.0)
    np.testing.assert_allclose(without.better, REFERENCE[name]["no_families"], atol=2e-6)
    if "wrong" in REFERENCE[name]:
        named = np.maximum(without.better, without.worse) >= 0.95
        wrong = np.minimum(without.better, without.worse)[named].sum()
        assert wrong == pytest.approx(REFERENCE[name]["wrong"], abs=2e-6)


def test_published_intervals_of_graded_units():
    found = joint(SCORES["d"]).pairs(0.95, "eti", 0.0)
    np.testing.assert_allclose(found.lower, REFERENCE["d"]["lower"], atol=2e-6)
    np.testing.assert_allclose(found.upper, REFERENCE["d"]["upper"], atol=2e-6)


@pytest.mark.parametrize("name", ["a", "c", "d"])
def test_published_probabilities_to_be_the_best(name):
    """Of 400,000 draws, +- .0008."""
    drawn = joint(SCORES[name]).draws(200_000, np.random.default_rng(3))
    best = np.bincount(drawn.argmax(1), minlength=drawn.shape[1]) / len(drawn)
    np.testing.assert_allclose(best, REFERENCE[name]["best"], atol=0.005)


def by_loops(of):
    """P(first better) of every pair, one partition and one pair of groups after the other."""
    found, score = fit_groups(of.score, of.variance, of.scale), of.score
    level = found.level
    order = list(np.argsort(score, kind="stable"))
    first, second = np.triu_indices(len(score), 1)
    square = np.zeros((len(score),) * 2)
    square[first, second] = square[second, first] = of.error**2
    df, z, v = of.pairwise.df, of.pairwise.z, of.variance
    tail = stats.norm.cdf if df is None else (lambda x: stats.t.cdf(x, df[0]))
    total = np.zeros(len(first))
    for part in found.parts:
        for w in range(len(part.weight)):
            k, edges = part.k[w], np.r_[0, part.sizes[w].cumsum()]
            blocks = [order[a:b] for a, b in itertools.pairwise(edges)]
            for b, at_b in enumerate(blocks):
                for c, at_c in enumerate(blocks):
                    label = part.label[w, b, level[first]] * part.label[w, c, level[second]]
                    move, more = 0.0, 0.0
                    if b != c:
                        kept_b, kept_c = part.retained[w, b], part.retained[w, c]
                        move = (1 - k) * (part.centre[w, b] - part.centre[w, c])
                        more = (1 - k) * v * (kept_b / len(at_b) + kept_c / len(at_c))
                        more += (1 - k) ** 2 * (kept_b - kept_c) ** 2 * part.common[w]
                        shared = square[np.ix_(at_b, at_c)].mean()
                        shared -= square[np.ix_(at_b, at_b)].mean() / 2
                        shared -= square[np.ix_(at_c, at_c)].mean() / 2
                        own = v * (1 / len(at_b) + 1 / len(at_c))
                        more += (1 - k) ** 2 * kept_b * kept_c * max(0.0, shared - own)
                    s = of.error
                    above = tail((k * s * z + move) / np.sqrt(k * s**2 + more))
                    total += part.weight[w] * label * above
    return total


@pytest.mark.parametrize(
    "scores", [rasch(4, 30, 0.5), rasch(5, 60, 1.0, seed=2), SCORES["d"]], ids=["4", "5", "t"]
)
def test_probabilities_are_those_of_plain_loops(scores):
    of = evidence(scores)
    found = Abilities.fit(of).pairs(0.95, "hdi", 0.0)
    np.testing.assert_allclose(found.better, by_loops(of), atol=1e-6)


def test_merging_components_moves_probabilities_by_little(monkeypatch):
    of = evidence(rasch(20, 100, 0.3))
    merged, cells = Abilities.fit(of), len(Abilities.fit(of)._atoms.start)
    here = merged.pairs(0.9, "eti", 0.0)
    monkeypatch.setattr(abilities, "_EXACT", np.inf)
    exact = Abilities.fit(of)
    there = exact.pairs(0.9, "eti", 0.0)
    assert cells < 0.5 * len(exact._atoms.start)
    # what merging may move under one tau
    np.testing.assert_allclose(here.better, there.better, atol=abilities._SLACK)
    np.testing.assert_allclose(here.lower, there.lower, atol=abilities._SLACK)


def test_pairs_and_joint_draws_agree():
    """Of graded scores there is no bridge: normal errors of 200 items, all of one covariance."""
    random = np.random.default_rng(5)
    scores = random.normal(size=(200, 1)) + random.normal(size=(200, 6)) + np.linspace(0, 0.3, 6)
    found = joint(scores)
    first, second = np.triu_indices(6, 1)
    drawn = found.draws(200_000, np.random.default_rng(6))
    apart = drawn[:, first] - drawn[:, second]
    pairs = found.pairs(0.9, "eti", 0.05)
    # beside the error of draws, the working variance is one for all pairs
    np.testing.assert_allclose((apart > 0).mean(0), pairs.better, atol=6e-3)
    np.testing.assert_allclose((apart > 0.05).mean(0), pairs.mass[:, 2], atol=6e-3)
    np.testing.assert_allclose((apart < pairs.lower).mean(0), 0.05, atol=5e-3)
    np.testing.assert_allclose(apart.mean(0), pairs.mean, atol=5e-3)


def test_nothing_drawn_together_is_the_closed_form_of_the_pair_to_the_digit():
    scores = rasch(5, 60, 0.7, seed=4)
    of = evidence(scores)
    a, b, t = of.pairwise.a, of.pairwise.b, of.pairwise.t
    for kind, closed in (
        ("hdi", intervals.hdi(a, b, t, 0.9)),
        ("eti", intervals.eti(a, b, t, 0.9)),
    ):
        found = certain(of).pairs(0.9, kind, 0.05)
        np.testing.assert_allclose(found.better, special.betainc(b, a, 0.5), atol=1e-13)
        np.testing.assert_allclose(found.lower, closed[0], atol=1e-9)
        np.testing.assert_allclose(found.upper, closed[1], atol=1e-9)
        np.testing.assert_allclose(found.mean, dirichlet.mean_difference(a, b, t), atol=1e-14)
        within = dirichlet.prob_within(a, b, t, 0.05)
        np.testing.assert_allclose(found.mass[:, 1], within, atol=1e-11)


def test_a_prior_below_one_has_its_narrowest_interval_where_a_system_never_lost():
    scores = np.zeros((30, 3))
    scores[:9, 0] = scores[:6, 1] = scores[:4, 2] = 1  # the first never loses
    half = (0.5, 0.5, 0.5)
    of = abilities.evidence_from_right(scores.T @ scores, 30, half)
    found = certain(of).pairs(0.95, "hdi", 0.0)
    lower, upper, _ = intervals.hdi(of.pairwise.a, of.pairwise.b, of.pairwise.t, 0.95)
    np.testing.assert_allclose(found.lower, lower, atol=1e-6)
    np.testing.assert_allclose(found.upper, upper, atol=1e-6)


@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("kind", ["hdi", "eti"])
def test_nothing_drawn_together_is_students_t_to_the_digit(kind, skewed):
    random = np.random.default_rng(1)
    of = evidence(random.gamma(0.7, size=(12, 4)) + np.arange(4) / 3, skewed=skewed)
    found, law = certain(of).pairs(0.9, kind, 0.2), of.pairwise.means
    lower, upper = law.interval(0.9, kind)
    np.testing.assert_allclose(found.lower, lower, atol=1e-7)
    np.testing.assert_allclose(found.upper, upper, atol=1e-7)
    np.testing.assert_allclose(found.better, law.prob_above(), atol=1e-8)
    np.testing.assert_allclose(found.mass[:, 2], law.prob_above(0.2), atol=1e-8)


@pytest.mark.parametrize("kind", ["hdi", "eti"])
def test_nothing_drawn_together_is_truncated_t_to_the_digit(kind):
    random = np.random.default_rng(3)
    totals = random.binomial(9, [[0.97, 0.9, 0.2]], (6, 3)).astype(float)
    sizes = np.full((6, 3), 9.0)
    pairs = units.pair_means(totals, sizes, np.arange(6), most=1.0)
    means = units.means(totals, sizes)
    of = abilities.evidence_from_means(means.mean, means.covariance, means.df, pairs, 0.3)
    found = certain(of).pairs(0.95, kind, 0.0)
    lower, upper = pairs.interval(0.95, kind)
    np.testing.assert_allclose(found.lower, lower, atol=1e-6)
    np.testing.assert_allclose(found.upper, upper, atol=1e-6)
    np.testing.assert_allclose(found.better, pairs.prob_above(), atol=1e-9)


@pytest.mark.parametrize("prob", [0.5, 0.95])
def test_intervals_end_at_equal_heights_also_where_newton_takes_many_steps(prob):
    random = np.random.default_rng(2)
    scores = random.beta(0.4, 0.1, (12, 70)) * random.random((12, 1)) * np.linspace(0.7, 1, 70)
    sizes = np.ones_like(scores)
    pairs = units.pair_means(scores, sizes, np.arange(12))
    means = units.means(scores, sizes)
    of = abilities.evidence_from_means(means.mean, means.covariance, means.df, pairs, scores.std())
    found = abilities.Abilities.fit(of)
    ends = found.pairs(prob, "hdi", 0.0)
    for at, own, mixture in found.mixtures():
        low, high = (own.chart(end[at]) for end in (ends.lower, ends.upper))
        left, right = (mixture.around(u, 1.0)[1] * steep for u, steep, _ in (low, high))
        np.testing.assert_allclose(left, right, rtol=1e-6)
        np.testing.assert_allclose(mixture.below(high[0]) - mixture.below(low[0]), prob, atol=1e-8)


def test_components_in_single_precision_do_not_depend_on_what_their_memory_held_before():
    found = joint(rasch(abilities.MANY, 40, 0.5))
    atoms, first, second = found._atoms, np.array([0]), np.array([1])
    assert atoms.lower.dtype == np.float32
    rows = 2 * int(atoms.likely.sum())
    results = []
    for before in (0.0, 1e300):  # more than single precision holds
        weight, variance = np.full((2, rows, 1), before)
        shift = atoms.pair_components(first, second, weight, variance)
        results.append((weight, shift, variance))
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("scores", [SCORES["a"], rasch(10, 30, 0.3)], ids=["a", "10"])
def test_intervals_hold_their_probability_and_none_is_narrower(scores):
    found = joint(scores)
    ends = {kind: found.pairs(0.95, kind, 0.0) for kind in ("hdi", "eti")}
    for at, own, mixture in found.mixtures():
        for tail, end in ((mixture.below, ends["eti"].lower), (mixture.above, ends["eti"].upper)):
            np.testing.assert_allclose(tail(own.chart(end[at])[0]), 0.025, atol=1e-8)
        low, high = (own.chart(end[at])[0] for end in (ends["hdi"].lower, ends["hdi"].upper))
        np.testing.assert_allclose(mixture.below(high) - mixture.below(low), 0.95, atol=1e-8)
        # the same probability, moved to either side
        for move in (-0.003, 0.003):
            moved = [own.place(mixture.quantile(p)) for p in (0.025 + move, 0.975 + move)]
            assert (
                moved[1] - moved[0] >= ends["hdi"].upper[at] - ends["hdi"].lower[at]
            ).mean() > 0.4
    narrower = (ends["eti"].upper - ends["eti"].lower) - (ends["hdi"].upper - ends["hdi"].lower)
    assert (narrower > -1e-12).all()


def test_means_of_differences_are_integrals_over_the_mixture():
    found = joint(rasch(4, 25, 0.5, seed=3))
    told = found.pairs(0.95, "eti", 0.0).mean
    ((_, _, mixture),) = found.mixtures()
    own = found.evidence.pairwise
    x = np.linspace(-1, 1, 401)
    for pair in range(6):
        same = [pair] * len(x)
        parts = {k: getattr(mixture, k)[:, same] for k in ("weight", "centre", "sd")}
        above = replace(mixture, **parts).above(own.take(same).score(x))
        # E d = integral of P(d > x) over x > 0, less that of P(d < -x)
        mean = integrate.trapezoid(above, x) - 1
        # on half of the points the integral is the same to a twentieth of what is asserted
        assert integrate.trapezoid(above[::2], x[::2]) - 1 == pytest.approx(mean, abs=1e-5)
        assert told[pair] == pytest.approx(mean, abs=2e-4)


def test_equal_counts_are_exactly_even():
    scores = rasch(8, 40, 0.4, seed=8)
    scores[:, 3] = scores[::-1, 5]  # as many right, on other items
    scores[:, 6] = scores[:, 0]  # a copy
    found = joint(scores).pairs(0.95, "hdi", 0.05)
    first, second = np.triu_indices(8, 1)
    right = scores.sum(0)
    even = right[first] == right[second]
    assert even.sum() >= 2
    assert (found.better[even] == 0.5).all()
    np.testing.assert_allclose(found.mean[even], 0, atol=1e-12)
    np.testing.assert_allclose(found.lower[even], -found.upper[even], atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_the_better_score_is_never_less_probably_better(seed):
    random = np.random.default_rng(seed)
    systems, items = random.integers(3, 14), random.integers(6, 90)
    scores = rasch(systems, items, random.choice([0.0, 0.3, 1.5]), seed=seed)
    if seed % 3 == 0:  # two groups
        scores[:, : systems // 2] *= random.random((items, 1)) < 0.7
    found = joint(scores).pairs(0.95, "eti", 0.0)
    first, second = np.triu_indices(systems, 1)
    ahead = scores.sum(0)[first] - scores.sum(0)[second]
    assert ((found.better - 0.5) * ahead >= -1e-15).all()


def test_no_answer_depends_on_the_order_of_systems_or_on_which_answer_is_right():
    scores = rasch(6, 50, 0.5)
    order = np.array([4, 2, 0, 5, 1, 3])
    first, second = np.triu_indices(6, 1)
    here = np.full((6, 6), 0.5)
    here[first, second] = joint(scores).pairs(0.95, "eti", 0.0).better
    here[second, first] = 1 - here[first, second]
    there = joint(scores[:, order]).pairs(0.95, "eti", 0.0).better
    np.testing.assert_allclose(there, here[order[first], order[second]], atol=1e-12)
    wrong = joint(1 - scores).pairs(0.95, "eti", 0.0)
    np.testing.assert_allclose(wrong.worse, here[first, second], atol=1e-12)


def test_much_data_is_the_closed_form_and_few_are_drawn_together():
    base = rasch(5, 40, 0.8, seed=1)
    many = evidence(np.tile(base, (500, 1)))
    found = Abilities.fit(many)
    assert found.groups.mean_k > 0.999
    closed = intervals.hdi(many.pairwise.a, many.pairwise.b, many.pairwise.t, 0.95)
    np.testing.assert_allclose(found.pairs(0.95, "hdi", 0.0).lower, closed[0], atol=1e-3)
    assert joint(base).groups.mean_k < 0.95


def test_equal_systems_are_drawn_together_and_their_pairs_undecided():
    found = joint(rasch(20, 100, 0.0, seed=2)).pairs(0.95, "hdi", 0.0)
    assert np.maximum(found.better, found.worse).max() < 0.95


def test_the_interval_of_a_full_score_stays_within_what_is_possible():
    """20 to 0 of 20 items: the closed form has .64 to .98, and no difference is above 1."""
    scores = np.zeros((20, 3))
    scores[:, 0] = 1
    scores[:2, 2] = 1
    found = joint(scores).pairs(0.95, "eti", 0.0)
    assert found.upper.max() < 1
    assert found.lower[0] > 0.5
    assert found.upper[0] > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_no_probability_is_above_1_by_rounding(seed):
    rng = np.random.default_rng(seed)
    values = (rng.random((400, 6)) < [0.9, 0.5, 0.49, 0.3, 0.28, 0.1]).astype(float)
    found = joint(values).pairs(0.95, "hdi", 0.0)
    assert max(found.better.max(), found.worse.max()) <= 1


@pytest.mark.parametrize("prob", [0.025, 0.5, 0.9, 0.975, 0.99])
def test_a_quantile_between_two_modes_is_where_that_much_lies_below(prob):
    small, far = np.meshgrid([0.02, 0.1, 0.3, 0.5], [2.0, 4.0, 12.0])
    weight, centre, sd = np.ones((3, 2, small.size))
    weight[:] = 1 - small.ravel(), small.ravel()
    centre[:], sd[1] = (np.zeros(small.size), far.ravel()), 0.1
    mixture = Mixture(weight, centre, sd, None)
    assert mixture.below(mixture.quantile(prob)) == pytest.approx(prob, abs=1e-11)


def test_mirrored_draws_of_many_systems_are_as_precise_as_stated():
    of = joint(rasch(64, 60, 0.5, seed=9))
    answers = [
        ranks(of.draws(1000, np.random.default_rng(seed))[None], independent=True)
        for seed in range(60)
    ]
    for name, least, most in (("prob_best", 0.7, 1.1), ("expected_rank", 0.2, 0.6)):
        values = np.array([answer[name] for answer in answers])
        stated = np.mean([answer[f"{name}_mcse"] for answer in answers], axis=0)
        varies = values.mean(0) > 0.02  # a rare best system has a skewed share of few draws
        ratio = np.sqrt(((values.std(0, ddof=1) / stated)[varies] ** 2).mean())
        assert least < ratio < most
