"""What an audit of the scores says, in the words of an answer, and what missing scores can do."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.counts.arrays import without_attrs


def audited(given: Given, asked: Asked, bounds: xr.Dataset | None) -> dict[str, Any]:
    """``audit``, the lines that stand under an answer; nothing where there are none.

    Bounds are those of wins by item, with missing scores left out pair by pair: where the answer
    is another, the line says so.
    """
    if not _looked_at(given, asked) or not _wanting(given.found.before):
        return {}
    from betterthan.auditing.beside import lines_beside

    by = "" if _by_item(given) else "by wins on items"
    lines = lines_beside(given.found.before, baseline=asked.baseline, by=by, bounds=bounds)
    return {"audit": tuple(lines)} if lines else {}


def bounds_of(given: Given, asked: Asked) -> xr.Dataset | None:
    """The worst and the best that missing scores can do, where some are missing."""
    if given.found.kind == "blocks":
        return _of_blocks(given, asked)
    if not _looked_at(given, asked):
        return None
    missing = np.isnan(given.found.before.values.astype(float)) if given.found.by_item else []
    if not np.any(missing) or np.all(missing):
        return None
    from betterthan.posterior.bounds import missing_bounds

    rope = 0.0 if given.quantity.lead == "mean" else asked.question.rope
    return missing_bounds(
        given.found.before,
        margin=asked.margin,
        ties="third" if asked.ties == "all" else asked.ties,
        prior=asked.prior,
        rope=rope if rope < 1 else names.ROPE,
        threshold=asked.question.threshold,
    )


def _of_blocks(given: Given, asked: Asked) -> xr.Dataset | None:
    """The same of right and wrong in blocks, from what was counted."""
    found, scores = given.scores.found, given.scores
    if found.graded or not found.blank or asked.missing != "pairwise" or asked.margin >= 1:
        return None
    from betterthan.posterior.bounds import bounds_of_right_or_wrong

    right, wins = np.diag(found.sums).astype(np.int64), found.wins
    if not scores.higher_is_better:  # where 0 is right
        right, wins = scores.scored - right, wins.T
    return bounds_of_right_or_wrong(
        wins,
        found.shared,
        right,
        found.items,
        scores.systems,
        ties="third" if asked.ties == "all" else asked.ties,
        prior=asked.prior,
        rope=asked.question.rope if asked.question.rope < 1 else names.ROPE,
        threshold=asked.question.threshold,
    )


def holding(given: Given, bounds: xr.Dataset | None) -> xr.Dataset:
    """Of each pair ``n_missing`` and ``missing_holds``, whether its verdict is the same for every
    value of the missing scores, and ``counts_worst``, before any policy for ties: where verdicts
    are by wins on items.
    """
    if bounds is None or not _by_item(given):
        return xr.Dataset()
    held = {"missing_holds": bounds["holds"]}
    if given.counts.sizes[names.OUTCOME] == bounds.sizes[names.OUTCOME]:  # ties were kept
        held["counts_worst"] = bounds["counts"].sel(case="worst", drop=True)
    return without_attrs(bounds[["n_missing"]].assign(held))


def _looked_at(given: Given, asked: Asked) -> bool:
    return given.found.kind == "scores" and asked.missing == "pairwise"


def _wanting(scores: xr.DataArray) -> bool:
    """Whether a log tells how each came about, or some are missing: else nothing is to be said."""
    return "status" in scores.coords or bool(np.isnan(scores.values.astype(float)).any())


def _by_item(given: Given) -> bool:
    """Whether verdicts are by wins on single items."""
    scores = given.scores
    return given.quantity.lead != "mean" and (scores is None or scores.single)
