import numpy as np
import pytest
from scipy import stats

from betterthan.exact.swaps import corrections


def test_binomial_tail_against_scipy():
    for n in (1, 10, 400):
        m = np.arange(n + 1)[:, None]
        v = np.array([0.0, 1e-9, 0.02, 0.3, 0.5])
        np.testing.assert_allclose(
            corrections.binomial_tail(m, n, v), stats.binom.sf(m - 1, n, v), rtol=1e-11
        )


def test_thresholds_turn_a_tail_into_p_values():
    line = corrections.thresholds(0.03, 12)
    np.testing.assert_allclose(
        corrections.binomial_tail(np.arange(1, 13), 12, line), 0.03, rtol=1e-10
    )
    assert (np.diff(line) > 0).all()


def test_counts_are_those_of_a_loop():
    observed, measures, simulations = np.array([0.02, 0.3]), 5, 2_000
    own, either = corrections.exceedances(observed, measures, simulations, seed=3)
    rng = np.random.default_rng(3)
    a = b = both = 0
    for _ in range(simulations):
        u = rng.random(measures)
        least = [
            min([1.0, *corrections.subsets(p, measures)[2]]) if p.size else 1.0
            for p in (u[u < 0.5], 1 - u[u >= 0.5])
        ]
        a, b = a + (least[0] <= observed[0]), b + (least[1] <= observed[1])
        both += min(least) <= observed.min()
    assert own.tolist() == [a, b]
    assert either == both


def test_any_chunk_size_gives_the_same(monkeypatch):
    whole = corrections.exceedances(np.array([0.1, 0.05]), 7, 5_000, seed=1)
    monkeypatch.setattr(corrections, "_NUMBERS", 100)
    parts = corrections.exceedances(np.array([0.1, 0.05]), 7, 5_000, seed=1)
    assert whole[0].tolist() == parts[0].tolist()
    assert whole[1] == parts[1]


def test_nothing_in_favour_is_always_reached():
    own, either = corrections.exceedances(np.array([0.0, 1.0]), 3, 100, seed=1)
    assert own.tolist() == [0, 100]
    assert either == 0


@pytest.mark.parametrize("measures", [1, 3])
def test_one_subset_for_each_distinct_p(measures):
    p, m, tail = corrections.subsets(np.array([0.4] * measures), measures)
    assert p.tolist() == [0.4]
    assert m.tolist() == [measures]
    assert tail == pytest.approx(0.4**measures)
