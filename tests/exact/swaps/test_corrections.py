"""Corrections against statsmodels and scipy; step-down maxima against their definition."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from betterthan.exact.swaps import corrections

P = st.lists(
    st.one_of(st.sampled_from([0.0, 0.01, 0.02, 0.5, 1.0]), st.floats(0, 1, allow_subnormal=False)),
    min_size=1,
    max_size=30,
)
ADJUST = {"holm": corrections.holm, "fdr_bh": corrections.benjamini_hochberg}


@pytest.mark.parametrize("method", ADJUST)
@given(p=P)
def test_against_statsmodels(method, p):
    np.testing.assert_allclose(ADJUST[method](p), multipletests(p, method=method)[1], rtol=1e-12)


@given(p=P)
def test_bh_against_scipy(p):
    np.testing.assert_allclose(
        corrections.benjamini_hochberg(p), false_discovery_control(p), rtol=1e-12
    )


@pytest.mark.parametrize("adjust", ADJUST.values())
@given(p=P, seed=st.integers(0, 100))
def test_never_below_p_nor_above_one_and_blind_to_order_and_missing(adjust, p, seed):
    p = np.array(p)
    found = adjust(p)
    assert ((found >= p) & (found <= 1)).all()
    order = np.random.default_rng(seed).permutation(p.size)
    np.testing.assert_array_equal(adjust(p[order]), found[order])
    with_holes = np.insert(p, order, np.nan)
    holes = np.isnan(with_holes)
    np.testing.assert_array_equal(np.isnan(adjust(with_holes)), holes)
    np.testing.assert_array_equal(adjust(with_holes)[~holes], found)
    for tied in np.unique(p):
        assert np.unique(found[p == tied]).size == 1


@pytest.mark.parametrize("adjust", ADJUST.values())
def test_families_are_on_the_last_axis(adjust):
    p = np.random.default_rng(1).random((2, 3, 7))
    p[0, 1, :4] = np.nan
    p[1, 2] = np.nan
    one_by_one = np.array([[adjust(family) for family in block] for block in p])
    np.testing.assert_array_equal(adjust(p), one_by_one)
    assert adjust(np.empty((2, 0))).shape == (2, 0)


@given(p=P, cutoff=st.floats(0.001, 0.5))
def test_steps_turn_a_cutoff_on_the_adjusted_p_into_one_on_p(p, cutoff):
    p = np.array(p)
    multiplier, rank = corrections.holm_steps(p)
    own = multiplier * p <= cutoff
    every_step_before = [own[rank <= r].all() for r in rank]
    np.testing.assert_array_equal(corrections.holm(p) <= cutoff, every_step_before)
    multiplier, rank = corrections.bh_steps(p)
    # p * (m / i) and m * p / i may round to different sides
    assume((np.abs(multiplier * p - cutoff) > 1e-12).all())
    own = multiplier * p <= cutoff
    any_step_after = [own[rank >= r].any() for r in rank]
    np.testing.assert_array_equal(corrections.benjamini_hochberg(p) <= cutoff, any_step_after)


def test_steps_leave_missing_out():
    p = np.array([[0.2, np.nan, 0.1], [np.nan, np.nan, np.nan]])
    for steps, multipliers in ((corrections.holm_steps, [1, 2]), (corrections.bh_steps, [1, 2])):
        multiplier, rank = steps(p)
        np.testing.assert_array_equal(multiplier[0], [multipliers[0], np.nan, multipliers[1]])
        assert rank.tolist() == [[2, 0, 1], [0, 0, 0]]
        assert np.isnan(multiplier[1]).all()


@given(st.integers(0, 1000), st.integers(1, 7))
def test_step_down_maxima_are_their_definition_and_add_up_over_chunks(seed, pairs):
    source = np.random.default_rng(seed)
    observed = source.integers(0, 4, pairs).astype(float)
    null = source.integers(0, 5, (40, pairs)).astype(float)
    counts = sum(corrections.step_down_maxima(observed, chunk) for chunk in np.split(null, [7, 20]))
    expected = []
    for k in range(pairs):  # a larger one, or an equal one that comes first, is out of the race
        inside = (observed < observed[k]) | ((observed == observed[k]) & (np.arange(pairs) >= k))
        expected.append((null[:, inside].max(1) >= observed[k]).sum())
    assert counts.tolist() == expected
    p = corrections.monotone_p(observed, counts, 40)
    largest = observed == observed.max()
    np.testing.assert_array_equal(p[largest], ((null.max(1) >= observed.max()).sum() + 1) / 41)
    assert (np.diff(p[np.argsort(-observed, kind="stable")]) >= 0).all()
    assert (p >= ((null >= observed).sum(0) + 1) / 41).all()
    for tied in np.unique(observed):
        assert np.unique(p[observed == tied]).size == 1


def test_max_t_keeps_the_level_when_nothing_differs():
    source = np.random.default_rng(3)
    hits = 0
    for _ in range(400):
        shared = source.normal(size=(100, 1))
        draws = np.abs(source.normal(size=(100, 6)) + shared)
        counts = corrections.step_down_maxima(draws[0], draws[1:])
        hits += corrections.monotone_p(draws[0], counts, 99).min() <= 0.05
    assert 0.02 < hits / 400 < 0.085  # exact level 0.05, standard error 0.011
