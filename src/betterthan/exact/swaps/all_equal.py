"""One test of all systems at once: whether their ranks on the items differ at all."""

import numpy as np
from scipy import special


def friedman(values: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Mean ranks, the statistic and its p by chi-square, of complete values (item, system), of
    which more is better; rank 1 is the best, ties share their mean (Conover 1999, 5.8).

    Of values of which none differ on any item nothing can be told: nan, and p = 1. Of 0 and 1 the
    statistic is Cochran's Q.

    Examples
    --------
    >>> ranks, statistic, p = friedman(np.array([[3, 2, 1], [3, 1, 2], [2, 1, 1], [3, 2, 1]]))
    >>> ranks.round(3).tolist(), round(statistic, 3), round(p, 3)
    ([1.0, 2.375, 2.625], 6.533, 0.038)
    """
    systems = values.shape[1]
    ranks = _ranks(-values)
    spread = ((ranks - (systems + 1) / 2) ** 2).sum() / (systems - 1)
    if not spread:
        return ranks.mean(0), np.nan, 1.0
    sums = (ranks - (systems + 1) / 2).sum(0)
    statistic = float((sums**2).sum() / spread)
    return ranks.mean(0), statistic, float(special.chdtrc(systems - 1, statistic))


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks within each row from 1, equal values their mean rank: `scipy.stats` is slow to load."""
    order = np.argsort(values, axis=1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=1)
    other = ascending[:, 1:] != ascending[:, :-1]
    edge = np.ones((len(values), 1), dtype=bool)
    place = np.arange(values.shape[1])
    first = np.maximum.accumulate(np.where(np.hstack([edge, other]), place, 0), axis=1)
    edges = np.where(np.hstack([other, edge]), place, place[-1])
    last = np.minimum.accumulate(edges[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks
