"""Test whether scores are missing on hard items, which would bias a comparison without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.counting import gaps_in
from betterthan.counts.units import EPOCH, item_ids, runs_together, several, sums_by_unit
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.swaps.corrections import holm
from betterthan.exact.swaps.rank_tests import auc_below, rank_sum_p
from betterthan.signed import provenance_attrs

LEAST = 3  # items missing, and as many present, below which nothing is tested
SHUFFLES = 9_999


def missing_by_difficulty(
    scores: xr.DataArray, *, alpha: float = names.ALPHA, shuffles: int = SHUFFLES, rng: Any = None
) -> xr.Dataset:
    """Test whether each system's scores are missing on harder or easier items.

    The ease of an item for a system is the mean of the other systems' scores on it. If this mean is
    lower where the system's score is missing, leaving such items out flatters the system.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores, with NaN for a missing one; before any policy for missing scores.
    alpha : float, default 0.05
        Significance level of ``differs``: the probability that any system is flagged if scores are
        missing at random.
    shuffles : int, default 9,999
        Number of permutations, used where the exact p would take long.
    rng : int, numpy.random.Generator or None
        Seed of the permutations.

    Returns
    -------
    xarray.Dataset
        Over system:

        - ``n_missing``, ``n_present``: items without and with a score, among those that another
          system has a score for
        - ``mean_missing``, ``mean_present``: mean score of the other systems on them
        - ``auc``: probability that an item with a missing score is harder than one without; ties
          count half
        - ``p_value``: two-sided, of the rank sum; NaN with fewer than 3 items of either kind
        - ``p_adjusted``: Holm's correction for the number of systems tested
        - ``differs``: whether ``p_adjusted`` is at most alpha

        Over (system_a, system_b):

        - ``n_dropped``: items that system_b has a score on and system_a lacks
        - ``mean_dropped``, ``mean_kept``: mean score of system_b on these, and on common items

    Raises
    ------
    ValueError
        If the scores are not scores, or an argument is not valid.

    Notes
    -----
    Items are treated as independent: if whole clusters are missing together, p is too small. Of
    repeated runs, an item is missing if the system lacks one of its runs: it was to have as many as
    there are, but no more than the system has of any item.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> values = np.array([[1.0, 1.0]] * 12 + [[0.0, np.nan]] * 6)
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    >>> result = missing_by_difficulty(scores).sel(system="B")
    >>> result["auc"].item(), result["differs"].item()
    (1.0, True)
    """
    scores = schemas.scores(scores)
    alpha = checks.probability(alpha, "alpha")
    shuffles, seed = checks.whole(shuffles, "shuffles"), one_seed(rng)
    labels = scores[names.SYSTEM].values.astype(str)
    runs = several(scores, EPOCH)
    scores, gaps = _of_items(scores)
    rows = [_test_system(scores, gaps, k, shuffles, seed) for k in range(len(labels))]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    adjusted = holm(columns["p_value"])
    columns |= {"p_adjusted": adjusted, "differs": np.nan_to_num(adjusted, nan=1.0) <= alpha}
    tests = xr.Dataset(
        {name: (names.SYSTEM, column) for name, column in columns.items()},
        coords={names.SYSTEM: labels},
    )
    tests = tests.merge(_pair_means(scores), join="exact")
    signed = provenance_attrs(alpha=alpha, correction="holm", seed=seed)
    return tests.assign_attrs(signed | {"shuffles": shuffles, "runs": int(runs)})


def _test_system(
    scores: xr.DataArray, gaps: np.ndarray, k: int, shuffles: int, seed: int
) -> dict[str, Any]:
    """Compare the others' mean on the items that system k lacks with that on the items it has."""
    lacked, present = _others(scores.values.astype(float), ~gaps[:, k], k)
    row: dict[str, Any] = {"n_missing": len(lacked), "n_present": len(present)}
    row |= {"mean_missing": _mean(lacked), "mean_present": _mean(present)}
    if not (len(lacked) and len(present)):
        return row | {"auc": np.nan, "p_value": np.nan}
    better = 1 if scores.attrs.get("higher_is_better", True) else -1
    lacked, present = (np.round(better * x, 12) for x in (lacked, present))  # a tie is a tie
    row["auc"] = auc_below(lacked, present)
    tested = min(len(lacked), len(present)) >= LEAST
    row["p_value"] = rank_sum_p(lacked, present, shuffles=shuffles, seed=seed) if tested else np.nan
    return row


def _of_items(scores: xr.DataArray) -> tuple[xr.DataArray, np.ndarray]:
    """Scores of items, the mean of their runs, and where a score, or a run, is missing."""
    gaps = gaps_in(scores).astype(float)
    if not several(scores, EPOCH):
        return scores, gaps > 0
    place, items = pd.factorize(item_ids(scores))
    return runs_together(scores), sums_by_unit(gaps, place, len(items))[0] > 0


def _others(values: np.ndarray, has: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean of the other systems on the items that system k lacks, and on those that it has."""
    observed = ~np.isnan(values)
    others = observed.sum(1) - observed[:, k]
    sums = np.where(observed, values, 0.0).sum(1) - np.where(observed[:, k], values[:, k], 0.0)
    has_others = others > 0
    mean, has = sums[has_others] / others[has_others], has[has_others]
    return mean[~has], mean[has]


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else np.nan


def _pair_means(scores: xr.DataArray) -> xr.Dataset:
    """For every pair, average the second system on the items that the first lacks, and on shared
    items.
    """
    values = scores.values.astype(float)
    observed = (~np.isnan(values)).astype(float)
    values = np.where(observed > 0, values, 0.0)
    labels = scores[names.SYSTEM].values.astype(str)
    columns: dict[str, Any] = {}
    for name, mask in (("dropped", 1.0 - observed), ("kept", observed)):
        n = mask.T @ observed
        with np.errstate(invalid="ignore"):
            columns[f"mean_{name}"] = (names.SQUARE, (mask.T @ values) / np.where(n > 0, n, np.nan))
        if name == "dropped":
            columns["n_dropped"] = (names.SQUARE, n.astype(np.int64))
    return xr.Dataset(columns, coords=dict.fromkeys(names.SQUARE, labels))
