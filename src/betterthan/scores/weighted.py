"""Scores of weighted items, and of each item by itself."""

import numpy as np

from betterthan.counts.responses import Responses, of_means
from betterthan.exact.swaps import ratios


def unit_columns(responses: Responses) -> np.ndarray:
    """Columns that are summed over units, (unit, column); for means also the items of a unit."""
    columns = responses.values.reshape(len(responses.values), -1).astype(float)
    if responses.kind in ("sum", "means"):
        return np.concatenate([columns, responses.seen.astype(float)[:, :1]], axis=1)
    return columns


def scored(responses: Responses, sums: np.ndarray) -> np.ndarray:
    """Scores (rows, system) from weighted sums (rows, column)."""
    if responses.kind == "sum":
        mean = sums[:, :-1] / sums[:, -1:] / responses.scale
        return mean if responses.higher_is_better else -mean
    if responses.kind == "means":
        means = (sums[:, :-1] / sums[:, -1:]).reshape(len(sums), *responses.values.shape[1:])
        scores = of_means(responses, means)
        if not np.isfinite(scores).all():
            raise ValueError(
                f"statistic {responses.statistic!r} gave {scores[~np.isfinite(scores)][0]}; it "
                "must be finite"
            )
        return scores
    shaped = sums.reshape(len(sums), *responses.values.shape[1:])
    x, y = shaped[..., 0], shaped[..., 1]
    bottom = responses.k * x + y
    score = responses.k * x / np.where(bottom > 0, bottom, 1)
    return score.mean(-1) if responses.kind == "macro" else score


def unit_wins(responses: Responses) -> np.ndarray:
    """Number of units on which the system of the row scores higher, (system, system)."""
    if responses.kind == "sum":
        scores = responses.values / responses.seen
    elif responses.kind == "means":
        # 0 / 0 of one item wins and loses nothing
        with np.errstate(invalid="ignore", divide="ignore"):
            sizes = responses.seen.reshape(
                *responses.seen.shape, *[1] * (responses.values.ndim - 2)
            )
            scores = of_means(responses, responses.values / sizes)
    else:
        scores = ratios.score(responses.values[..., 0], responses.values[..., 1], responses.k)
        scores = scores.mean(-1) if responses.kind == "macro" else scores
    return np.stack([(scores[:, k : k + 1] > scores).sum(0) for k in range(scores.shape[1])])
