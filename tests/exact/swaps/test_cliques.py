"""Maximal cliques against all subsets, and where there is a formula."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.exact.swaps import cliques
from betterthan.exact.swaps.cliques import letters, maximal_cliques


def by_all_subsets(similar):
    """Every set of systems that are pairwise similar and in no larger such set."""
    n = len(similar)
    near = [sum(1 << j for j in range(n) if j != i and similar[i][j]) for i in range(n)]
    found = []
    for bits in range(1, 1 << n):
        members = [k for k in range(n) if bits >> k & 1]
        if all((bits & ~near[k]) == 1 << k for k in members):
            outside = (k for k in range(n) if not bits >> k & 1)
            if not any(bits & ~near[k] == 0 for k in outside):
                found.append(tuple(members))
    return sorted(found)


def random_graph(seed, n, share):
    upper = np.triu(np.random.default_rng(seed).random((n, n)) < share, 1)
    return upper | upper.T


@given(st.integers(0, 10_000), st.integers(1, 10), st.sampled_from([0.2, 0.5, 0.8]))
def test_all_subsets(seed, n, share):
    similar = random_graph(seed, n, share)
    assert maximal_cliques(similar) == by_all_subsets(similar)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_all_subsets_of_twelve(share):
    similar = random_graph(5, 12, share)
    assert maximal_cliques(similar) == by_all_subsets(similar)


def test_plain_graphs():
    assert maximal_cliques(np.zeros((0, 0))) == []
    assert maximal_cliques(np.zeros((3, 3))) == [(0,), (1,), (2,)]
    assert maximal_cliques(np.eye(3)) == [(0,), (1,), (2,)]
    assert maximal_cliques(np.ones((400, 400))) == [tuple(range(400))]
    path = np.abs(np.subtract.outer(np.arange(50), np.arange(50))) <= 1
    assert maximal_cliques(path) == [(k, k + 1) for k in range(49)]


def test_a_graph_of_intervals_takes_few_steps(monkeypatch):
    centres = np.sort(np.random.default_rng(1).random(150))
    similar = np.abs(np.subtract.outer(centres, centres)) < 0.1
    expected, last = [], -1
    for k in range(150):  # on a line, groups are runs
        end = int(np.flatnonzero(similar[k])[-1])
        if end > last:
            expected.append(tuple(range(k, end + 1)))
            last = end
    branches, pivot = [], cliques._pivot
    monkeypatch.setattr(cliques, "_pivot", lambda *state: branches.append(state) or pivot(*state))
    assert maximal_cliques(similar) == expected
    assert len(branches) < 2_000  # 1,052; without the pivot each group of 30 would have 2 ** 30


def test_too_many_groups_are_refused_in_one_line():
    # 3 ** 7 groups, the most that 21 systems can form
    six = np.kron(np.eye(7), np.ones((3, 3))) == 0
    with pytest.raises(
        ValueError, match=r"21 systems form more than 1,000 overlapping groups; compare"
    ) as caught:
        maximal_cliques(six)
    assert "\n" not in str(caught.value)
    assert len(maximal_cliques(six, limit=3**7)) == 3**7


def test_letters_are_unambiguous():
    names = letters(200)
    assert len(set(names)) == 200
    assert "".join(names[:3]) == "abc"
    assert names[26] == "A"
    for some in itertools.islice(itertools.combinations(names[45:], 2), 500):
        joined = "".join(some)
        assert [n for n in names if n in joined] == list(some)
