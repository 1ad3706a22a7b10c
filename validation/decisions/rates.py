"""How often something happened in simulated sets, beside how often it should have."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan import names
from betterthan.posterior.verdicts import decide


@dataclass(frozen=True)
class Rate:
    """One line of a table: whose answer it is, what it says, and how often that was so."""

    answer: str
    says: str
    nominal: float | None  # what it promises; nothing where it promises nothing, as with power
    actual: float
    error: float  # standard error of the actual one, over sets


def rate(
    answer: str, says: str, happened: Any, nominal: float | None = None, *, among: Any = None
) -> Rate:
    """The share of what happened, or the mean of numbers.

    Parameters
    ----------
    answer, says : str
    happened : array_like, (set, ...)
    nominal : float, optional
    among : array_like of bool, (set, ...), optional
        What is counted at all; sets then weigh by how much they have of it.

    Examples
    --------
    >>> rate("alone", "names one of two equal systems", [True, False, False, False], 0.1).actual
    0.25
    """
    values = np.asarray(happened, dtype=float)
    counted = np.ones(values.shape) if among is None else np.asarray(among, dtype=float)
    sets = len(values)
    hits, tries = (x.reshape(sets, -1).sum(1) for x in (np.where(counted > 0, values, 0), counted))
    if not tries.sum():
        return Rate(answer, says, nominal, float("nan"), float("nan"))
    share = hits.sum() / tries.sum()
    spread = np.sqrt(np.square(hits - share * tries).sum() / max(sets - 1, 1) * sets)
    error = spread / tries.sum() or 1 / sets  # all sets alike: one more could have been another
    return Rate(answer, says, nominal, float(share), float(error))


def of_verdicts(answer: str, better: Any, truth: Any, *, worse: Any = None) -> list[Rate]:
    """What verdicts of the package's one rule are worth: of equal systems every one is false.

    Parameters
    ----------
    answer : str
    better, worse : array_like, (set, ...)
        P(d > 0) and P(d < 0), exact in their tails; the second is 1 less the first unless given.
    truth : float or array_like
        d: of a set, or of each pair of it.
    """
    above = np.asarray(better, dtype=float)
    below = 1 - above if worse is None else np.asarray(worse, dtype=float)
    d = np.broadcast_to(np.asarray(truth, dtype=float), above.shape)
    sure = round(1 - names.VERDICT_PROB, 9)
    verdict, _ = decide(np.nan_to_num(above), np.nan_to_num(below), 0.0, 0.0)
    named = verdict != "undecided"
    wrong = named & np.where(verdict == "a_better", d <= 0, d >= 0)
    stated = np.where(named, np.fmin(above, below), 0.0)
    if not d.any():
        found = [rate(answer, "names one of two equal systems", named, 2 * sure)]
    else:
        apart = d != 0
        found = [
            rate(answer, "names the better system", named & ~wrong, among=apart),
            rate(answer, "names the worse system", wrong, sure, among=apart),
        ]
    return [*found, _per_set(answer, wrong, stated)]


def coverage(answer: str, lower: Any, upper: Any, truth: Any, *, of: str = "d") -> Rate:
    """How often intervals hold the truth; where there is none, nothing is counted."""
    low, high = np.asarray(lower), np.asarray(upper)
    told = ~(np.isnan(low) | np.isnan(high))
    holds = (low <= truth) & (truth <= high)
    says = f"{names.CI_PROB:.0%} interval holds {of}".replace("%", " %")
    return rate(answer, says, holds, names.CI_PROB, among=told)


def _per_set(answer: str, wrong: np.ndarray, stated: np.ndarray) -> Rate:
    """Wrong verdicts a set, beside how many the answer itself expects."""
    each = wrong.reshape(len(wrong), -1).sum(1)
    expected = float(stated.reshape(len(stated), -1).sum(1).mean())
    return rate(answer, "wrong verdicts a set", each, expected)
