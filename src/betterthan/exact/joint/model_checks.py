"""Checks of the joint model: systems in groups, near copies, one dominating unit."""

from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.joint.abilities import Evidence
from betterthan.exact.joint.groups import Groups

_Array = Any  # an array of floats
_PROBABLE = 0.5  # that there are several groups
_TYPICAL = 0.75  # quantile of the distances of pairs
_CLOSE = 0.5  # of a typical distance: nearer systems err alike
_BY_CHANCE = 0.25  # systems whose nearest neighbor is that near by chance, at most on average
_DOMINATES = 0.5  # of the sum of squares of all units
_ALPHA = 0.05
_FAMILIES = 3  # one of so many systems must err like another


def in_groups(groups: Groups) -> int:
    """Most probable number of groups, if several are more probable than one; else 1."""
    prob = groups.prob_groups
    return 2 + int(prob[1:].argmax()) if prob[1:].sum() > _PROBABLE else 1


def err_alike(evidence: Evidence, units: int) -> _Array:
    """Systems whose errors are clearly more like those of another than is typical, (system,).

    The distance of two systems is the squared error of their difference over that of independent
    systems. Near copies have a distance of less than half of a typical one.

    Parameters
    ----------
    evidence : Evidence
    units : int
        Items or units, on which the distances rest.

    Examples
    --------
    >>> from betterthan.exact.joint.abilities import evidence_from_right
    >>> right = np.random.default_rng(0).random((200, 4)) < 0.6
    >>> right = np.concatenate([right, right[:, :1]], axis=1).astype(float)
    >>> err_alike(evidence_from_right(right.T @ right, 200, (1.0, 1.0, 1.0)), 200).tolist()
    [True, False, False, False, True]
    """
    variance = np.diag(evidence.covariance)
    first, second = np.triu_indices(len(variance), 1)
    distance = evidence.error**2 / np.maximum(variance[first] + variance[second], 1e-300)
    # a distance is a sum of squares of so many units, and each system has many neighbors
    chance, half = _BY_CHANCE / len(variance), (units - 1) / 2
    low = special.gammaincinv(half, chance) / half  # what the smallest ratio is by chance
    close = distance < _CLOSE * low * np.quantile(distance, _TYPICAL)
    flagged = np.zeros(len(variance), dtype=bool)
    flagged[first[close]] = flagged[second[close]] = True
    return flagged


def families(evidence: Evidence, units: int) -> int:
    """How many systems err like another, where that is at least a third of them; else 0."""
    alike = err_alike(evidence, units)
    return int(alike.sum()) if _FAMILIES * alike.sum() >= len(alike) else 0


def dominating(parts: _Array) -> tuple[int, float] | None:
    """The unit that adds more to the errors of differences than all others together, and its share;
    None where that can be chance among equally variable units.

    Parameters
    ----------
    parts : numpy.ndarray, (unit, system)
        Of `units.Means`.

    Examples
    --------
    >>> parts = np.random.default_rng(0).normal(size=(12, 3))
    >>> dominating(parts), dominating(parts * np.r_[12, np.ones(11)][:, None])
    (None, (0, 0.872))
    """
    deviation = parts - parts.mean(1, keepdims=True)
    squares = (deviation**2).sum(1)
    total = squares.sum()
    if not total:
        return None
    unit, k = int(squares.argmax()), len(parts)
    # by its distance from the mean of the others, of which it is no part
    share, others = squares[unit] / total * k / (k - 1), np.delete(deviation, unit, axis=0)
    others = others - others.mean(0)
    # as many independent contrasts as have squares that vary like those of the other units
    contrasts = (others**2).sum() ** 2 / max(((others.T @ others) ** 2).sum(), 1e-300)
    chance = k * special.betainc((k - 2) * contrasts / 2, contrasts / 2, 1 - share)
    if share <= _DOMINATES or chance > _ALPHA:
        return None
    return unit, round(min(float(share), 1.0), 3)
