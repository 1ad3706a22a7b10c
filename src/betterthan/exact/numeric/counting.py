"""Wins, losses and ties of all pairs of columns, and how far apart systems are on each item."""

import numpy as np

from betterthan.rounding import slack

_BLOCK = 8192  # items counted at once: bounds the memory of the float32 copy
_LEVELS = 12  # up to this many distinct scores, counting is a few matrix products


def count(values: np.ndarray, margin: float) -> np.ndarray:
    """(win, loss, tie) of every ordered pair, int64 of shape (systems, systems, 3), from (item,
    system).
    """
    gaps = bool(np.isnan(values).any())
    levels = _levels(values)
    allowed = slack(values, margin)
    if levels is None:
        wins, shared = _count_graded(values, allowed, gaps)
    else:
        wins, shared = _count_levels(values, levels, allowed, gaps)
    return np.stack([wins, wins.T, shared - wins - wins.T], axis=-1)


def with_nearest(values: np.ndarray, allowed: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Wins and shared items of every ordered pair beyond a slack, and the smallest difference that
    is beyond it: up to there another slack gives the same.
    """
    gaps = bool(np.isnan(values).any())
    levels = _levels(values)
    if levels is not None:
        differences = levels[:, None] - levels
        nearest = float(differences[differences > allowed].min(initial=np.inf))
        return *_count_levels(values, levels, allowed, gaps), nearest
    nearest = np.inf
    for k in range(values.shape[1]):
        differences = values[:, k, None] - values
        nearest = min(nearest, float(differences[differences > allowed].min(initial=np.inf)))
    return *_count_graded(values, allowed, gaps), nearest


def _levels(values: np.ndarray) -> np.ndarray | None:
    """The distinct scores in ascending order, or None as soon as there are too many of them."""
    levels = np.empty(0)
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        fresh = ~np.isnan(block)
        for level in levels:
            fresh &= block != level
        if fresh.any():
            levels = np.union1d(levels, np.unique(block[fresh]))
            if levels.size > _LEVELS:
                return None
    return levels


def _count_levels(
    values: np.ndarray, levels: np.ndarray, allowed: float, gaps: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Few distinct scores: the wins are matrix products of "has this score" and "is below it by
    more".
    """
    systems = values.shape[1]
    wins = np.zeros((systems, systems), dtype=np.int64)
    shared = np.full((systems, systems), 0 if gaps else len(values), dtype=np.int64)
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        if gaps:
            present = (~np.isnan(block)).astype(np.float32)
            shared += _exact_product(present, present)
        if not gaps and levels.size == 2 and levels[1] - levels[0] > allowed:
            high = (block == levels[1]).astype(np.float32)  # one symmetric product is enough
            wins += high.sum(0).astype(np.int64)[:, None] - _exact_product(high, high)
            continue
        for level in levels[1:]:
            below = (level - block > allowed).astype(np.float32)
            if below.any():
                wins += _exact_product((block == level).astype(np.float32), below)
    return wins, shared


def _exact_product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Inner products of 0/1 columns; exact in float32 because a block is far shorter than 2**24."""
    return (left.T @ right).astype(np.int64)


def _count_graded(values: np.ndarray, allowed: float, gaps: bool) -> tuple[np.ndarray, np.ndarray]:
    """Many distinct scores: one system at a time against all others."""
    systems = values.shape[1]
    wins = np.empty((systems, systems), dtype=np.int64)
    rows = np.ascontiguousarray(values.T)  # sums over items are faster along memory
    for k in range(systems):
        wins[k] = np.count_nonzero(rows[k] - rows > allowed, axis=1)
    if not gaps:
        return wins, np.full((systems, systems), len(values), dtype=np.int64)
    present = (~np.isnan(values)).astype(np.float64)
    return wins, (present.T @ present).astype(np.int64)


def spreads(values: np.ndarray) -> dict[str, np.ndarray]:
    """Of values (item, system), nan where one is missing: over items how many systems were
    ``scored``, their ``mean``, their standard deviation ``spread``, and ``with_rest``, the
    correlation, over systems, of the item's values with their means on the other items.

    What is not known is nan: of one system the spread, of equal values the correlation.

    Examples
    --------
    >>> result = spreads(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1.0], [1, 0, 0]]))
    >>> result["spread"].round(3).tolist(), result["with_rest"].round(3).tolist()
    ([0.577, 0.577, 0.577, 0.577], [1.0, 0.0, -0.756, 1.0])
    """
    present = ~np.isnan(values)
    total, number = np.where(present, values, 0.0).sum(0), present.sum(0)
    parts = [
        _row_spreads(values[k : k + _ROWS], total, number)
        for k in range(0, max(1, len(values)), _ROWS)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _row_spreads(
    values: np.ndarray, total: np.ndarray, number: np.ndarray
) -> dict[str, np.ndarray]:
    """`spreads` of some items, given the sum and the number of each system's values on all."""
    present = ~np.isnan(values)
    filled, n = np.where(present, values, 0.0), present.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        # nan where a system has no other item
        without = (total - filled) / np.where(present, number - 1, np.nan)
        mean = np.where(n > 0, filled.sum(1) / n, np.nan)
        spread = np.where(n > 1, np.sqrt((_centred(values, present) ** 2).sum(1) / (n - 1)), np.nan)
        both = np.isfinite(without)
        scores, others = _centred(values, both), _centred(without, both)
        squares = (scores**2).sum(1) * (others**2).sum(1)
        along = (scores * others).sum(1) / np.sqrt(np.where(squares > _NOTHING, squares, np.nan))
    return {"scored": n, "mean": mean, "spread": spread, "with_rest": np.clip(along, -1, 1)}


def observed_mean(values: np.ndarray) -> np.ndarray:
    """Over rows, without nan; nan where there is nothing else."""
    number = (~np.isnan(values)).sum(0)
    return np.where(number > 0, np.nansum(values, axis=0) / np.maximum(number, 1), np.nan)


def _centred(values: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Values less the mean of those present in the row; 0 elsewhere."""
    filled = np.where(present, values, 0.0)
    return np.where(present, filled - (filled.sum(1) / present.sum(1))[:, None], 0.0)


_ROWS = 2**16  # items that are looked at together
_NOTHING = 1e-24  # a product of sums of squares that rounding alone has left
