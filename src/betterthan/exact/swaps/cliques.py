"""Groups of systems that are not significantly different: the maximal cliques of their similarity.

Similarity is not transitive, so groups may overlap. A set of systems is held as the bits of a
Python int.
"""

from string import ascii_letters

import numpy as np

LIMIT = 1000  # groups that anybody would read; a graph can have 3 ** (n / 3)


def maximal_cliques(similar: np.ndarray, limit: int = LIMIT) -> list[tuple[int, ...]]:
    """All largest sets of systems that are pairwise similar (Bron & Kerbosch 1973, with Tomita's
    pivot).

    Parameters
    ----------
    similar : array_like of bool, shape (systems, systems)
        Symmetric; the diagonal is not looked at.
    limit : int, default 1000
        More groups than this are refused.

    Returns
    -------
    list of tuple of int
        Members ascending; ordered by first member, then by the following ones.

    Raises
    ------
    ValueError
        If there are more than `limit` groups.

    References
    ----------
    C. Bron and J. Kerbosch (1973), Algorithm 457, CACM 16(9), 575-577, doi:10.1145/362342.362367.
    E. Tomita, A. Tanaka and H. Takahashi (2006), Theoretical Computer Science 363(1), 28-42,
    doi:10.1016/j.tcs.2006.06.015.

    Examples
    --------
    >>> maximal_cliques([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    [(0, 1), (1, 2)]
    """
    neighbors = _neighbours(np.asarray(similar, dtype=bool))
    cliques: list[tuple[int, ...]] = []
    todo = [(0, (1 << len(neighbors)) - 1, 0)] if neighbors else []
    while todo:
        clique, candidates, done = todo.pop()
        if not candidates:
            if not done:
                cliques.append(tuple(_members(clique)))
            if len(cliques) > limit:
                raise ValueError(
                    f"{len(neighbors)} systems form more than {limit:,} overlapping groups; "
                    "compare fewer systems at once, or read the pairs themselves"
                )
            continue
        for k in _members(candidates & ~neighbors[_pivot(neighbors, candidates, done)]):
            todo.append((clique | 1 << k, candidates & neighbors[k], done & neighbors[k]))
            candidates, done = candidates & ~(1 << k), done | 1 << k
    return sorted(cliques)


def letters(count: int) -> list[str]:
    """Names of groups: a to z, A to Z, then (53), (54), ..., so that they can be written without a
    space.

    Examples
    --------
    >>> letters(54)[:2], letters(54)[51:]
    (['a', 'b'], ['Z', '(53)', '(54)'])
    """
    return [ascii_letters[k] if k < len(ascii_letters) else f"({k + 1})" for k in range(count)]


def _neighbours(similar: np.ndarray) -> list[int]:
    others = similar & ~np.eye(len(similar), dtype=bool)
    return [
        int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in others
    ]


def _pivot(neighbors: list[int], candidates: int, done: int) -> int:
    """The system that is similar to most candidates: cliques without it or one not similar to it
    are not maximal.
    """
    return max(_members(candidates | done), key=lambda k: (candidates & neighbors[k]).bit_count())


def _members(bits: int) -> list[int]:
    members = []
    while bits:
        lowest = bits & -bits
        members.append(lowest.bit_length() - 1)
        bits ^= lowest
    return members
