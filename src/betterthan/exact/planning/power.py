"""Power of exact tests and on clusters, and the sample size that a target probability takes.

Power of a comparison on clusters before any data, from their sizes and how alike items are.

Items of one cluster correlate by rho, so the variance of a mean difference is
sd^2 sum((1 - rho) s + rho s^2) / (sum s)^2 for sizes s (Kish 1965, Survey Sampling, chapter 5). The
verdict is by Student's t with the degrees of freedom of these sizes (`exact.joint.jackknife`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.joint.units import Shares
from betterthan.exact.planning.edges import fewest
from betterthan.exact.planning.verdicts import Urn
from betterthan.exact.wins.sign import upper_tail

_RATIO = 1.1  # of one number of items to the one before, where not every one is tried


def crossing(
    prob: Callable[[np.ndarray], np.ndarray], target: float, most: int, every: int, around: float
) -> tuple[float, float]:
    """The first n at which `prob` reaches `target`, and that from which on it stays there.

    Parameters
    ----------
    prob : callable
        Probabilities at ascending numbers of items.
    target : float
    most : int
        The largest number of items that is thought of.
    every : int
        Up to here every n is looked at. Beyond, n a tenth apart, and every n that is within
        `around` (a share) of a crossing.

    Returns
    -------
    tuple of float
        nan where there is none.

    Examples
    --------
    >>> crossing(lambda n: 1 - 1 / n + 0.05 * (n % 2), 0.8, 1000, 100, 0.1)
    (5.0, 5.0)
    >>> crossing(lambda n: 1 - 1 / n - 0.05 * (n % 2), 0.8, 1000, 100, 0.1)
    (6.0, 6.0)
    """
    n = np.empty(0, np.int64)
    met = np.empty(0, bool)
    for block in _blocks(most, every):
        n, met = np.concatenate([n, block]), np.concatenate([met, prob(block) >= target])
        if _stays_above(n, met):
            break
    if not met.any():
        return np.nan, np.nan
    close = _candidates(n, met, most, around)
    n, met = np.concatenate([n, close]), np.concatenate([met, prob(close) >= target])
    first, below = n[met].min(), n[~met].max(initial=0)
    later = n[met & (n > below)]
    return float(first), float(later.min()) if len(later) else np.nan


def _blocks(most: int, every: int) -> list[np.ndarray]:
    """Every n to `every`, then some, in blocks that double."""
    every = min(every, most)
    spread = every * _RATIO ** np.arange(1, 1 + max(0.0, np.log(most / every)) / np.log(_RATIO))
    n = np.concatenate([np.arange(1, every + 1), np.rint([*spread, most]).astype(np.int64)])
    n = np.unique(n)
    cuts = np.searchsorted(n, 128 * 2 ** np.arange(32))
    return [block for block in np.split(n, cuts) if len(block)]


def _stays_above(n: np.ndarray, met: np.ndarray) -> bool:
    """Whether the curve has stayed above the target for as many items as it took."""
    below = n[~met].max(initial=0)
    return bool(met.any() and n[-1] >= 2 * below + 32)


def _candidates(n: np.ndarray, met: np.ndarray, most: int, around: float) -> np.ndarray:
    """Untried numbers of items, close to where the curve crosses the target."""
    left, right = n[met].min(), n[~met].max(initial=1)
    parts = [np.arange(int(k * (1 - around)), int(k * (1 + around)) + 2) for k in (left, right)]
    numbers = np.unique(np.concatenate(parts))
    return np.setdiff1d(numbers[(numbers >= 1) & (numbers <= most)], n)


_LEADING = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
ROUND = np.array([5] + [int(x * 10**k) for k in (1, 2, 3) for x in _LEADING] + [10_000])


_Prob = Callable[[np.ndarray, np.ndarray], np.ndarray]


def soonest(prob: _Prob, sure: _Prob, rows: np.ndarray, target: float) -> np.ndarray:
    """For each row a round number at which a probability reaches the target, as it did not at the
    one before; nan where none does up to 10,000.

    Parameters
    ----------
    prob, sure : callable
        Of some rows (their places) at a number of items each: at a glance, and exactly. The last
        number that `sure` is asked of a row is the one that is returned, or 10,000.
    rows : numpy.ndarray of int
        Places of the rows.
    target : float

    Examples
    --------
    >>> rate = np.array([0.01, 0.2, 0])
    >>> curve = lambda rows, n: 1 - np.exp(-rate[rows] * n)
    >>> soonest(curve, curve, np.arange(3), 0.8).tolist()
    [200.0, 10.0, nan]
    """
    items = np.full(len(rows), np.nan)
    place = np.minimum(_halved(prob, rows, target), len(ROUND) - 1)
    while (open_ := np.flatnonzero(np.isnan(items) & (place < len(ROUND)))).size:
        met = sure(rows[open_], ROUND[place[open_]]) >= target
        items[open_[met]] = ROUND[place[open_[met]]]
        place[open_[~met]] += 1
    return items


def _halved(prob: _Prob, rows: np.ndarray, target: float) -> np.ndarray:
    """The place among the round numbers, past the last where none will do."""
    low, high = np.zeros(len(rows), np.int64), np.full(len(rows), len(ROUND))
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        met = prob(rows[open_], ROUND[middle]) >= target
        high[open_] = np.where(met, middle, high[open_])
        low[open_] = np.where(met, low[open_], middle + 1)
    return low


def critical_wins(decisive: np.ndarray, alpha: float, alternative: str) -> np.ndarray:
    """Fewest wins that the sign test finds significant; one more than there are where none is.

    Examples
    --------
    >>> critical_wins(np.array([4, 5, 10]), 0.05, "greater").tolist()
    [5, 5, 9]
    """
    allowed = alpha / 2 if alternative == "two-sided" else alpha
    n = np.asarray(decisive, np.int64)

    def significant(wins: np.ndarray) -> np.ndarray:
        return upper_tail(wins, np.maximum(n - wins, 0)) <= allowed * (1 + 1e-12)

    return fewest(significant, 0, n + 1)


def rejections(n: np.ndarray, theta: Any, alpha: float, alternative: str) -> np.ndarray:
    """P(the test is significant) at each n, with these probabilities of win and loss (two numbers,
    of decisive items) or of win, loss and tie (three, of all items).

    Examples
    --------
    >>> rejections(np.array([158]), (0.6, 0.4), 0.05, "greater").round(4).tolist()
    [0.8057]
    """
    win, loss = theta[0], theta[1]
    if alternative == "less":
        win, loss = loss, win
    most = int(n.max(initial=0))
    m = np.arange(most + 1)
    needed = critical_wins(m, alpha, alternative)
    urn = Urn.from_probability([win / (win + loss) if win + loss else 0.5], most)
    power = urn.tails(needed)[0]
    if alternative == "two-sided":
        power = power + urn.swapped().tails(needed)[0]
    if len(theta) == 2:
        return power[n]
    share = Urn.from_probability([min(win + loss, 1.0)], most)
    return np.array([share.term(np.full_like(m, k), m)[0] @ power for k in n])


@dataclass(frozen=True)
class Power:
    """What clusters of these sizes are worth, and how often they give a verdict."""

    error: float  # standard error of the mean difference
    effective_items: float  # as many independent items have this error
    df: float
    better: float  # P(verdict for the better system)
    worse: float


def power(
    sizes: np.ndarray, difference: float, sd: float, correlation: float, threshold: float
) -> Power:
    """Of clusters with these sizes, (cluster,).

    Examples
    --------
    >>> plan = power(np.full(10, 20.0), 0.15, 0.6, 0.1, 0.95)
    >>> round(plan.error, 10), round(plan.effective_items, 7), plan.df, round(plan.better, 9)
    (0.0722495675, 68.9655172, 9.0, 0.607213364)
    """
    items = sizes.sum()
    effect = 1 + ((sizes**2).sum() / items - 1) * correlation
    error = sd * np.sqrt(effect / items)
    df = float(Shares.from_sizes(sizes[:, None]).df[0])
    far, needed = difference / error, special.stdtrit(df, threshold)
    better, worse = (1 - float(special.nctdtr(df, side * far, needed)) for side in (1, -1))
    return Power(float(error), float(items / effect), df, better, worse)


def spread_sizes(clusters: int, mean: float, variation: float) -> np.ndarray:
    """Sizes of clusters with this mean and coefficient of variation: quantiles of a gamma
    distribution at evenly spaced probabilities, moved to the mean.

    Examples
    --------
    >>> spread_sizes(5, 20.0, 0.5).round(1).tolist()
    [7.2, 13.2, 18.5, 24.9, 36.2]
    """
    if not variation:
        return np.full(clusters, float(mean))
    shape = 1 / variation**2
    probs = (np.arange(clusters) + 0.5) / clusters
    sizes = special.gammaincinv(shape, probs)
    # quantiles vary less than the distribution: spread them to the wanted variation
    deviation = sizes / sizes.mean() - 1
    deviation = deviation * variation / np.sqrt((deviation**2).mean())
    return mean * np.maximum(1 + deviation, 1e-3)
