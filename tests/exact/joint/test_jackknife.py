"""Errors and degrees of freedom of units of unequal size, each a second way."""

import tomllib
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

from betterthan.exact.joint import units
from betterthan.exact.joint.units import Shares, changes, differences, leave_out, means

REFERENCE = tomllib.loads(
    (Path(__file__).parents[2] / "reference" / "unequal_units.toml").read_text("utf-8")
)
EXAMPLE = REFERENCE["example"]


def shares(*sizes):
    return Shares.from_sizes(np.array(sizes, dtype=float)[:, None])


def sizes_of(key):
    return [float(x) for x in key.split()]


def by_matrices(sizes, variances):
    """tr(M)^2 / tr(M^2) of the errors of totals with these variances, in 40 digits."""
    with mp.workdps(40):
        s = [mp.mpf(float(x)) for x in sizes]
        w = [x / sum(s) for x in s]
        v = [x / sum(variances(w)) for x in variances(w)]
        k = len(w)
        centred = mp.matrix(k, k)
        for c in range(k):
            for d in range(k):
                centred[c, d] = (c == d) - w[c]
        g = centred * mp.diag(v) * centred.T
        m = [[g[c, d] / mp.sqrt((1 - w[c]) * (1 - w[d])) for d in range(k)] for c in range(k)]
        trace = sum(m[c][c] for c in range(k))
        return float(trace**2 / sum(x * x for row in m for x in row))


def independent(w):
    return w


def alike(w):
    return [x * x for x in w]


def combined(sizes):
    one, two = by_matrices(sizes, independent), by_matrices(sizes, alike)
    return 2 / (1 / one + 1 / min(one, two))


def test_the_example_has_its_published_errors():
    size = np.array(EXAMPLE["sizes"], dtype=float)[:, None]
    a, b = (size * np.array(EXAMPLE[k])[:, None] for k in "ab")
    found = differences(a, size, b, size)
    assert found.difference[0] == pytest.approx(EXAMPLE["difference"], abs=5e-12)
    assert found.error[0] == pytest.approx(EXAMPLE["error"], abs=5e-13)
    assert found.df[0] == pytest.approx(EXAMPLE["df"], abs=2e-10)
    assert shares(*EXAMPLE["sizes"]).constant[0] == pytest.approx(EXAMPLE["constant"], abs=5e-12)
    means_without = [
        (np.delete(a - b, k).sum() / np.delete(size, k).sum()) - found.difference[0]
        for k in range(6)
    ]
    by_hand = np.sqrt(np.square(means_without).sum() / EXAMPLE["constant"])
    assert found.error[0] == pytest.approx(by_hand, rel=1e-10)


@pytest.mark.parametrize("key", REFERENCE["independent"])
def test_degrees_of_freedom_for_independent_items_and_j(key):
    df, j = REFERENCE["independent"][key]
    of = shares(*sizes_of(key))
    assert of.constant[0] == pytest.approx(j, abs=6e-12)
    assert by_matrices(sizes_of(key), independent) == pytest.approx(df, abs=6e-12)
    assert of.df[0] == pytest.approx(combined(sizes_of(key)), rel=1e-12)


@pytest.mark.parametrize("key", REFERENCE["df"])
def test_degrees_of_freedom_in_use(key):
    assert shares(*sizes_of(key)).df[0] == pytest.approx(REFERENCE["df"][key], abs=6e-12)


def test_ten_geometric_sizes():
    assert shares(*np.geomspace(1, 40, 10)).df[0] == pytest.approx(2.79471405997, abs=6e-12)


def test_random_sizes_agree_with_matrices():
    random = np.random.default_rng(0)
    for _ in range(40):
        sizes = np.exp(random.normal(0, random.uniform(0.1, 5), random.integers(2, 9)))
        assert shares(*sizes).df[0] == pytest.approx(max(combined(sizes), 1.0), rel=1e-12)


@pytest.mark.parametrize("units", [2, 5, 13, 40])
def test_equal_sizes_are_the_error_and_degrees_of_freedom_of_a_mean(units):
    of = shares(*[7.0] * units)
    assert of.df[0] == units - 1
    assert of.constant[0] == units / (units - 1)
    x = np.random.default_rng(units).normal(size=(units, 3))
    size = np.full((units, 3), 7.0)
    found = differences(x * 7, size, 0 * x, size)
    np.testing.assert_allclose(found.error, x.std(0, ddof=1) / np.sqrt(units), rtol=1e-12)


@pytest.mark.parametrize("sizes", [(4.0, 9.0), (1e9, 1.0), (1.0, 1e12)])
def test_two_units_leave_one_degree_of_freedom(sizes):
    assert shares(*sizes).df[0] == pytest.approx(1.0, abs=1e-12)


def test_one_unit_with_nearly_all_items_loses_no_digits():
    size = np.array([1e12, 1.0, 1.0])[:, None]
    total = size * np.array([0.5, 0.25, 1.0])[:, None]
    found = differences(total, size, 0 * total, size)
    # without the largest the mean is .625, without another one it stays: J is 1
    assert found.error[0] == pytest.approx(0.125, rel=1e-9)
    assert found.df[0] == pytest.approx(1.0, abs=1e-9)


def test_units_that_are_not_there_do_not_count():
    with_gap = np.array([[3.0], [0.0], [5.0], [4.0]])
    np.testing.assert_allclose(Shares.from_sizes(with_gap).df, shares(3, 5, 4).df)
    moved = changes(np.array([[1.0], [0.0], [2.0], [3.0]]), with_gap)
    assert moved[1] == 0


def test_leaving_out_is_the_sum_of_the_others():
    values = np.random.default_rng(1).random((5, 3))
    expected = [[np.delete(values[:, k], c).sum() for k in range(3)] for c in range(5)]
    np.testing.assert_allclose(leave_out(values), expected, rtol=1e-14)


def test_the_variance_is_never_too_small_on_average():
    """Whatever the variances of independent units: exactly, from the quadratic form."""
    random = np.random.default_rng(2)
    for _ in range(300):
        sizes = np.exp(random.normal(0, 1.5, random.integers(2, 8)))
        v = np.exp(random.normal(0, 2, len(sizes)))  # of the totals
        w = sizes / sizes.sum()
        centred = np.eye(len(w)) - np.outer(w, np.ones(len(w)))
        spread = np.diag(centred @ np.diag(v) @ centred.T) / (1 - w) ** 2
        ratio = spread.sum() / shares(*sizes).constant[0] / v.sum()
        assert ratio >= 1 - 1e-12


def test_sizes_that_differ_by_system_average_their_shares():
    size_a, size_b = np.array([[3.0], [1], [2]]), np.array([[1.0], [4], [2]])
    total_a, total_b = size_a * 0.5 + 0.1, size_b * np.array([[0.2], [0.9], [0.4]])
    found = differences(total_a, size_a, total_b, size_b)
    w = (size_a / size_a.sum() + size_b / size_b.sum()) / 2
    np.testing.assert_allclose(found.df, Shares.from_sizes(w).df, rtol=1e-12)
    without = [
        np.delete(total_a, k).sum() / np.delete(size_a, k).sum()
        - np.delete(total_b, k).sum() / np.delete(size_b, k).sum()
        for k in range(3)
    ]
    squares = np.square(np.array(without) - found.difference[0]).sum()
    assert found.error[0] == pytest.approx(np.sqrt(squares / Shares.from_sizes(w).constant[0]))


def test_the_covariance_of_all_means_has_the_errors_of_the_pairs():
    random = np.random.default_rng(3)
    size = np.repeat(np.array([9.0, 14, 7, 12, 10, 8, 11])[:, None], 3, axis=1)
    total = random.normal(size=(7, 3)) * size
    of = means(total, size)
    pair = differences(total[:, :1], size[:, :1], total[:, 1:2], size[:, :1])
    assert of.df == pytest.approx(pair.df[0])
    apart = of.covariance[0, 0] + of.covariance[1, 1] - 2 * of.covariance[0, 1]
    assert apart == pytest.approx(pair.error[0] ** 2)


def test_pairs_of_some_systems_are_those_of_all_at_once(monkeypatch):
    random = np.random.default_rng(2)
    unit, size = np.repeat(np.arange(6), [3, 5, 1, 8, 4, 2]), (23, 7)
    scores = random.integers(0, 2, size).astype(float), np.ones(size), unit
    for each_once in (False, True):
        monkeypatch.setattr(units, "_BLOCK", 2**18)
        whole = units.pair_means(*scores, each_once=each_once)
        monkeypatch.setattr(units, "_BLOCK", 13)
        parts = units.pair_means(*scores, each_once=each_once)
        first, second = np.triu_indices(7, 1)
        sums = [units.summed(x, unit) for x in scores[:2]]
        sums = units.once(*sums) if each_once else sums
        alone = [
            differences(*(x[:, [k]] for k in (a, b) for x in sums))
            for a, b in zip(first, second, strict=True)
        ]
        for name in ("difference", "error", "df", "won", "lost", "units"):
            wanted = np.concatenate([getattr(one, name) for one in alone])
            np.testing.assert_allclose(getattr(whole, name), wanted, rtol=1e-12, atol=1e-15)
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


@pytest.mark.parametrize("size", [1.0, 3.0])
def test_units_of_one_size_are_answered_as_those_of_any_size(size):
    random = np.random.default_rng(1)
    totals = size * random.random((40, 5)).round(1)
    totals[:, 4], totals[:, 3] = totals[:, 0], totals[:, 0] + size
    a, b = (totals[:, side] for side in np.triu_indices(5, 1))
    sizes = np.full(a.shape, size)
    # a unit that neither system has says nothing, but sizes then differ
    more = [np.vstack([x, np.zeros(len(x[0]))]) for x in (a, sizes, b, sizes)]
    found, expected = units.differences(a, sizes, b, sizes), units.differences(*more)
    for name in ("difference", "error", "units", "won", "lost", "df"):
        expectation = pytest.approx(getattr(expected, name), rel=1e-12, abs=1e-15)
        assert getattr(found, name) == expectation, name
    assert (found.error == 0).sum() == 3
