"""The items on which systems differ most: those to read first."""

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.arrays import Arrays, Table
from betterthan.counts.runs import mean_of_runs
from betterthan.counts.units import EPOCH, item_ids, several
from betterthan.exact.numeric.item_spreads import spreads

_PLACES = 12  # spreads and correlations that differ by rounding alone are equal


def disagreements(scores: xr.DataArray, *, most: int | None = None) -> xr.Dataset:
    """Items on which systems differ, those on which they differ most first.

    Of items with the same spread, such as those that half of the systems got right, the ones that
    contradict the others come first: solved by systems that are weak elsewhere, failed by strong
    ones. These are to be read for a wrong key, or a question that can be taken in two ways.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        NaN is missing. Runs of an item are taken together, by their mean.
    most : int, optional
        How many items to give. Default: all on which two systems differ.

    Returns
    -------
    xarray.Dataset
        Over item: ``spread``, the standard deviation of the systems' scores (n - 1), in units of
        the score; ``with_rest``, the correlation over systems of their scores on the item with
        their means on all other items, -1 to 1 (of two systems only the sign), nan where these are
        equal; ``mean``; ``scored``, how many systems have a score. ``score`` (item, system), the
        systems in their order. ``attrs``: ``n_items``, how many there are in all, and
        ``n_differing``, on how many two systems differ.

    Raises
    ------
    ValueError
        If the scores are not scores, or ``most`` is not a whole number.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B", "C"]},
    ... )
    >>> found = disagreements(scores, most=2)
    >>> found["item"].values.tolist(), found["spread"].values.round(3).tolist()
    (['2', '1'], [0.577, 0.577])
    """
    scores = schemas.scores(scores)
    if most is not None:
        most = checks.whole(most, "most")
    return differing(scores, most).to_dataset()


def differing(scores: xr.DataArray, most: int | None) -> Table:
    """The same of scores that are checked."""
    scores = mean_of_runs(scores) if several(scores, EPOCH) else scores
    values = scores.values.astype(float, copy=False)
    columns = spreads(values)
    spread = np.round(np.nan_to_num(columns["spread"]), _PLACES)
    n = int((spread > 0).sum())
    order = np.lexsort((np.round(np.nan_to_num(columns["with_rest"]), _PLACES), -spread))[:n][:most]
    arrays: Arrays = {name: ((names.ITEM,), column[order]) for name, column in columns.items()}
    arrays["score"] = (names.ITEM, names.SYSTEM), values[order]
    arrays[names.ITEM] = (names.ITEM,), item_ids(scores, order)
    arrays[names.SYSTEM] = (names.SYSTEM,), scores[names.SYSTEM].values.astype(str)
    return Table(arrays, {"n_items": len(values), "n_differing": n})
