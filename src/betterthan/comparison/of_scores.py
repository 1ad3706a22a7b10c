"""What single scores say beside the pairs: how they spread, on which items systems differ most, and
whether the systems differ at all.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.given import Given
from betterthan.counts.arrays import with_arrays, without_attrs
from betterthan.counts.differing import differing
from betterthan.significance.all_at_once import FEWEST, ranks

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
ITEMS = 10  # on which systems differ most
_TENTH = 10


def of_scores(given: Given) -> xr.Dataset:
    """Of scores by item ``item_spread``, ``item_with_rest``, ``item_score`` and ``n_differing``;
    of three systems or more Friedman's test; of graded ones quantiles.
    """
    if given.found.kind not in ("scores", "trials"):
        return xr.Dataset()
    told = differing(given.plain, ITEMS)
    found = without_attrs(told[["spread", "with_rest", "score"]])
    found = found.rename({name: f"item_{name}" for name in found.data_vars})
    beside = {"n_differing": ((), told.attrs["n_differing"])} | _all_at_once(given)
    beside |= _spread(given.plain) if given.scores.graded else {}
    return with_arrays(found, beside)


def _all_at_once(given: Given) -> dict[str, Any]:
    if given.plain.sizes[names.SYSTEM] < FEWEST:
        return {}
    found, _, units = ranks(given.plain, given.unit)
    if units["n"] < 2:
        return {}
    told = {"statistic": found["statistic"], "p": found["p_value"], "n": units["n"]}
    return {f"friedman_{name}": ((), value) for name, value in told.items()}


def _sd(values: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Of each system; nan of a single score."""
    mean = np.nansum(values, axis=0) / np.maximum(n, 1)
    squares = np.nansum((values - mean) ** 2, axis=0)
    return np.sqrt(np.where(n > 1, squares, np.nan) / np.maximum(n - 1, 1))


def _spread(scores: xr.DataArray) -> dict[str, Any]:
    """Standard deviation, quantiles, and the mean of the worst tenth, of each system's scores."""
    values = scores.values.astype(float)
    better = 1 if scores.attrs.get("higher_is_better", True) else -1
    ascending = better * np.sort(better * values, axis=0)  # the worst first, nan last
    n = (~np.isnan(values)).sum(0)
    worst = np.arange(len(values))[:, None] < np.maximum(np.ceil(n / _TENTH), 1)
    quantiles = np.nanquantile(values, QUANTILES, axis=0).T
    return {
        "score_sd": (names.SYSTEM, _sd(values, n)),
        "score_quantile": ((names.SYSTEM, "quantile"), quantiles),
        "score_worst_tenth": (names.SYSTEM, np.nanmean(np.where(worst, ascending, np.nan), 0)),
        "quantile": ("quantile", np.array(QUANTILES)),
    }
