"""Exact nulls against every one of the 2**n swaps, in fractions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from betterthan.exact.swaps import randomization, ratios

STATISTICS = [
    ("precision", 1),
    ("recall", 1),
    ("f1", 1),
    ("f_beta", 0.5),
    ("f_beta", 2),
    ("f_beta", 1.5),
]


def fraction_of(tallies, statistic, beta=1):
    """Precision, recall or F of (tp, fp, fn), from its textbook definition."""
    tp, fp, fn = (int(v) for v in tallies)
    precision = Fraction(tp, tp + fp) if tp + fp else Fraction(0)
    recall = Fraction(tp, tp + fn) if tp + fn else Fraction(0)
    if statistic in ("precision", "recall"):
        return precision if statistic == "precision" else recall
    square = Fraction(beta) ** 2
    if not precision or not recall:
        return Fraction(0)
    return (1 + square) * precision * recall / (square * precision + recall)


def brute(a, b, score):
    """(two-sided, greater, less) of score(sum of A) - score(sum of B) over all swaps."""
    observed = score(a.sum(0)) - score(b.sum(0))
    reached = np.zeros(3, dtype=int)
    for mask in itertools.product([False, True], repeat=len(a)):
        m = np.array(mask).reshape(-1, *[1] * (a.ndim - 1))
        d = score(np.where(m, b, a).sum(0)) - score(np.where(m, a, b).sum(0))
        reached += [abs(d) >= abs(observed), d >= observed, d <= observed]
    return reached / 2 ** len(a)


def tails(a, b, statistic, beta=1):
    ratio = ratios.ratio_of(statistic, beta)
    return randomization.ratio_tails(*ratios.sums_of(a, ratio), *ratios.sums_of(b, ratio), ratio.k)


@pytest.mark.parametrize(("statistic", "beta"), STATISTICS)
@pytest.mark.parametrize("items", [1, 2, 5, 8])
@pytest.mark.parametrize("largest", [1, 4])
def test_lattice_is_every_swap(statistic, beta, items, largest):
    rng = np.random.default_rng([items, largest])
    a, b = rng.integers(0, largest + 1, (2, items, 3))
    expected = brute(a, b, lambda t: fraction_of(t, statistic, beta))
    np.testing.assert_allclose(tails(a, b, statistic, beta), expected, rtol=1e-13)


def test_twelve_items():
    a, b = np.random.default_rng(3).integers(0, 4, (2, 12, 3))
    np.testing.assert_allclose(
        tails(a, b, "f1"), brute(a, b, lambda t: fraction_of(t, "f1")), rtol=1e-13
    )


@given(st.lists(st.integers(-6, 6), max_size=9))
@settings(max_examples=40, deadline=None)
def test_sums_are_every_swap(differences):
    d = np.array(differences, dtype=np.int64)
    sums = np.array([np.dot(signs, d) for signs in itertools.product([1, -1], repeat=d.size)])
    total = d.sum()
    expected = [(abs(sums) >= abs(total)).mean(), (sums >= total).mean(), (sums <= total).mean()]
    np.testing.assert_allclose(randomization.sum_tails(d), expected, rtol=1e-13)


def test_differences_of_one_size_are_a_binomial():
    d = np.array([3] * 17 + [-3] * 8 + [0] * 40)
    two, greater, less = randomization.sum_tails(d)
    assert greater == pytest.approx(binom.sf(16, 25, 0.5), rel=1e-12)
    assert less == pytest.approx(binom.cdf(17, 25, 0.5), rel=1e-12)
    assert two == pytest.approx(2 * binom.sf(16, 25, 0.5), rel=1e-12)


def test_convolution_keeps_its_tail():
    d = np.array([1] * 60 + [2] * 30)  # all in favour of A: one swap of 2**90 each way
    two, greater, less = randomization.sum_tails(d)
    assert greater == pytest.approx(2.0**-90, rel=1e-12)
    assert two == pytest.approx(2.0**-89, rel=1e-12)
    assert less == 1


def test_more_halvings_than_a_float_has_are_not_zero():
    d = np.tile([1, 2], 700)
    assert 0 < randomization.sum_tails(d)[0] < 1e-300


def test_nothing_to_swap():
    none = np.zeros(0, dtype=np.int64)
    assert randomization.sum_tails(none) == (1, 1, 1)
    assert randomization.ratio_tails(none, none, none, none, 2) == (1, 1, 1)
    zeros = np.zeros((5, 3), dtype=np.int64)
    assert tails(zeros, zeros, "f1") == (1, 1, 1)


def test_zero_over_zero_is_zero():
    ratio = ratios.ratio_of("f1")
    x, y = ratios.sums_of(np.zeros(3, dtype=np.int64), ratio)
    assert ratios.score(x, y, ratio.k) == 0


def test_only_items_that_differ_matter():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, (2, 6, 3))
    same = rng.integers(0, 4, (50, 3))
    more = tails(np.concatenate([a, same]), np.concatenate([b, same]), "f1")
    shared = same.sum(0)
    np.testing.assert_allclose(
        more, brute(a, b, lambda t: fraction_of(t + shared, "f1")), rtol=1e-13
    )


def test_large_tallies_are_compared_exactly():
    """Products beyond 2**63, and an observed difference that many swaps reach exactly."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, (2, 9, 3)) * 10**7
    expected = brute(a // 10**7, b // 10**7, lambda t: fraction_of(t, "f1"))
    np.testing.assert_allclose(tails(a, b, "f1"), expected, rtol=1e-13)
    assert any(0 < p < 1 for p in expected)


def test_gap_in_floats_agrees_with_whole_numbers():
    rng = np.random.default_rng(2)
    small = tuple(rng.integers(0, 5, (4, 2000)))
    seen = tuple(np.array(v) for v in (3, 2, 2, 3))
    for two_sided in (False, True):
        whole = ratios.gap(small, seen, 2, two_sided)
        big = ratios.gap(
            tuple(v * 10**7 for v in small), tuple(v * 10**7 for v in seen), 2, two_sided
        )
        assert big.dtype.kind == "f"
        zero = sum(small) == 0  # 0/0 counts as 0 with denominator 1, which does not scale
        np.testing.assert_array_equal(np.sign(whole)[~zero], np.sign(big)[~zero])


@pytest.mark.parametrize(
    ("values", "scale"), [([0.1, 0.2, 0.7], 10), ([1 / 3, 2 / 3], 3), ([0.25, 1.5], 4), ([2, 3], 1)]
)
def test_scores_become_whole(values, scale):
    whole, found = randomization.whole_scores(np.array(values))
    assert found == scale
    np.testing.assert_allclose(whole / scale, values)


def test_scores_that_no_scale_makes_whole():
    assert randomization.whole_scores(np.array([0.1, np.pi])) is None
    assert randomization.whole_scores(np.array([1e15, 1.0])) is None


@pytest.mark.parametrize("beta", [0, -1, np.inf, np.nan, np.pi])
def test_beta_must_be_a_small_ratio(beta):
    with pytest.raises(ValueError, match="beta is"):
        ratios.ratio_of("f_beta", beta)


@pytest.mark.parametrize("more", [0, 1, 4])
def test_what_is_left_out_far_from_the_middle_is_not_seen(more):
    """Beside the whole lattice; the last p is below what the first window is good for."""
    random = np.random.default_rng(more)
    sums = random.poisson([5, 1, 5, 1], (250, 4))
    sums[:, 0] += more
    xa, ya, xb, yb = sums.T
    totals = tuple(np.asarray(v.sum()) for v in (xa, ya, xb, yb))
    x, y, p = randomization.ratio_null(xa - xb, ya - yb)
    delta = ratios.score(totals[0] - x, totals[1] - y, 2) - ratios.score(
        totals[2] + x, totals[3] + y, 2
    )
    observed = ratios.score(*totals[:2], 2) - ratios.score(*totals[2:], 2)
    slack = 1e-12
    expected = (
        p[np.abs(delta) >= abs(observed) - slack].sum(),
        p[delta >= observed - slack].sum(),
        p[delta <= observed + slack].sum(),
    )
    found = randomization.ratio_tails(xa, ya, xb, yb, 2)
    assert found == pytest.approx(expected, rel=1e-12)
    assert (min(found) < 1e-8) == (more == 4)
    window = randomization.ratio_null(xa - xb, ya - yb, 6.0)[2]
    assert window.size < p.size / 2
    assert 0 < 1 - window.sum() < 8 * np.exp(-18)


@pytest.mark.parametrize("shift", [0, 4, 12])
def test_tails_of_many_items_are_those_of_every_step_in_turn(shift):
    d = np.random.default_rng(shift).normal(shift, 20, 120).astype(np.int64)
    null = np.ones(1)
    for step in np.abs(d).tolist():
        null = np.convolve(null, np.r_[0.5, np.zeros(step - 1), 0.5]) if step else null
    ahead, behind = int(d[d > 0].sum()), int(-d[d < 0].sum())
    greater, less = null[: behind + 1].sum(), null[: ahead + 1].sum()
    expected = 2 * min(greater, less), greater, less
    np.testing.assert_allclose(randomization.sum_tails(d), expected, rtol=2e-15 * 120)
