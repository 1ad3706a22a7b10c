"""How far apart systems are on each item, and whether an item goes with all the others."""

import numpy as np


def spreads(values: np.ndarray) -> dict[str, np.ndarray]:
    """Of values (item, system), nan where one is missing: over items how many systems were
    ``scored``, their ``mean``, their standard deviation ``spread``, and ``with_rest``, the
    correlation, over systems, of the item's values with their means on the other items.

    What is not known is nan: of one system the spread, of equal values the correlation.

    Examples
    --------
    >>> found = spreads(np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1.0], [1, 0, 0]]))
    >>> found["spread"].round(3).tolist(), found["with_rest"].round(3).tolist()
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


def _centred(values: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Values less the mean of those present in the row; 0 elsewhere."""
    filled = np.where(present, values, 0.0)
    return np.where(present, filled - (filled.sum(1) / present.sum(1))[:, None], 0.0)


_ROWS = 2**16  # items that are looked at together
_NOTHING = 1e-24  # a product of sums of squares that rounding alone has left
