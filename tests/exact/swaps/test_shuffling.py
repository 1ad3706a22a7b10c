"""Swaps do not depend on the chunk, and move what they should."""

import numpy as np
import pytest
from scipy.stats import beta, chi2

from betterthan.exact.swaps import randomization


def swaps_of(items, shuffles, seed, rows):
    return [
        randomization.unpacked(chunk, items)
        for chunk in randomization.random_swaps(items, shuffles, seed, rows)
    ]


@pytest.mark.parametrize("items", [0, 1, 63, 64, 65, 200])
def test_chunks_do_not_change_the_swaps(items):
    whole = np.concatenate(swaps_of(items, 50, 7, 50))
    assert whole.shape == (50, items)
    for rows in (1, 3, 17, 49, 1000):
        np.testing.assert_array_equal(np.concatenate(swaps_of(items, 50, 7, rows)), whole)


def test_swaps_are_fair_and_independent():
    swaps = np.concatenate(swaps_of(65, 20_000, 1, 1000)).astype(float)
    z = (swaps.mean(0) - 0.5) / (0.5 / np.sqrt(20_000))
    assert (z**2).sum() < chi2.ppf(0.9999, 65)
    correlation = np.corrcoef(swaps.T)[np.triu_indices(65, 1)]
    assert np.abs(correlation).max() * np.sqrt(20_000) < 5


def test_all_swaps_are_all_of_them_once():
    swaps = np.concatenate(
        [randomization.unpacked(chunk, 6) for chunk in randomization.all_swaps(6, 7)]
    )
    assert len({tuple(row) for row in swaps.tolist()}) == len(swaps) == 64


@pytest.mark.parametrize("size", [3, 2**23, 2**40])
@pytest.mark.parametrize("columns", [(), (2,), (2, 2)])
@pytest.mark.parametrize("items", [1, 30, 64, 90])
def test_moved_sums_of_whole_numbers_are_exact(size, columns, items):
    rng = np.random.default_rng(0)
    responses = rng.integers(-size, size, (items, *columns))
    swaps = next(randomization.random_swaps(items, 40, 0, 40))
    bits = randomization.unpacked(swaps, items).astype(np.int64)
    expected = np.einsum("ri,i...->...r", bits, responses)
    np.testing.assert_array_equal(randomization.moved(swaps, responses), expected)


def test_confidence_is_the_beta_posterior():
    found = randomization.confidence_below(np.array([480]), np.array([9999]), 0.05)
    assert found[0] == pytest.approx(beta.cdf(0.05, 481, 9520), rel=1e-12)
    assert found[0] == pytest.approx(0.814, abs=5e-4)  # a peer prints .978 here


def test_more_shuffles_settle_and_fewer_do_not():
    b, n = np.array([115, 85, 95, 400]), 10_000
    more = randomization.more_shuffles(b, np.full(4, n), 0.01, 0.99)
    assert more[3] == 0
    rate = (b + 1) / (n + 2)
    for share, inside in ((1.0, True), (0.97, False)):
        sure = randomization.confidence_below(b + rate * more * share, n + more * share, 0.01)
        settled = (sure >= 0.99) | (sure <= 0.01)
        assert (settled[:3] == inside).all()


def test_more_shuffles_never_settle_at_the_cutoff():
    assert randomization.more_shuffles(np.array([0]), np.array([0]), 0.5, 0.99)[0] == np.inf


def test_stopping_points():
    exceeds = np.array([[1, 1, 1], [0, 0, 1], [1, 0, 0]], dtype=bool)
    np.testing.assert_array_equal(
        randomization.stopping_points(exceeds, np.array([0, 0, 1]), 2), [2, 0, 1]
    )


def test_sampled_p_is_never_zero():
    assert randomization.monte_carlo_p(np.array([0]), np.array([9999]))[0] == 1e-4
