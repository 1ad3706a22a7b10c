"""Reduce the runs of an item to one score, by the reducers of Inspect other than the mean."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from betterthan.logs.record import OK, Frame

Reducer = Callable[[Sequence[float]], float]
_K_PATTERN = re.compile(r"(at_least|pass_at|pass_k)_(\d+)")
_RIGHT = 1.0  # the least score that passes


def reduced(records: Frame, name: str) -> float | None:
    """The mean over items of their scored runs under a reducer; None where it is not known.

    Parameters
    ----------
    records : pandas.DataFrame
        Of one run and metric.
    name : str
        As Inspect writes it: ``max``, ``median``, ``mode``, ``at_least_2``, ``pass_at_2``,
        ``pass_k_2``.
    """
    reducer = _reducer(name)
    if reducer is None:
        return None
    scored = records[records["status"] == OK].sort_values("epoch", kind="stable")
    groups = scored.groupby("item", observed=True, sort=False)["score"]
    scores = np.array([reducer(runs.tolist()) for _, runs in groups])
    scores = scores[~np.isnan(scores)]
    return float(scores.mean()) if len(scores) else None


def _reducer(name: str) -> Reducer | None:
    plain: dict[str, Reducer] = {
        "max": max,
        "median": lambda values: float(np.median(values)),
        "mode": lambda values: Counter(values).most_common(1)[0][0],  # of equals the first
    }
    fit = _K_PATTERN.fullmatch(name)
    if fit is None:
        return plain.get(name)
    k, reduce_k = (
        int(fit[2]),
        {"at_least": _k_or_more, "pass_at": _pass_at, "pass_k": _pass_k}[fit[1]],
    )
    return lambda values: reduce_k(len(values), sum(value >= _RIGHT for value in values), k)


def _k_or_more(n: int, correct: int, k: int) -> float:
    return float(correct >= k)


def _pass_at(n: int, correct: int, k: int) -> float:
    """P(one of k runs is correct), drawn from n without replacement (Chen et al. 2021)."""
    return 1 - math.comb(n - correct, k) / math.comb(n, k) if n >= k else math.nan


def _pass_k(n: int, right: int, k: int) -> float:
    """P(all of k runs are right), of n drawn without replacement (Yao et al. 2024)."""
    return math.comb(right, k) / math.comb(n, k) if n >= k else math.nan
