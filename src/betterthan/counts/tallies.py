"""From tallies to totals, and to scores of single items."""

import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.shapes import origin
from betterthan.exact.swaps import ratios
from betterthan.signed import Signature

_STATISTICS = ("precision", "recall", "f1", "f_beta")


def tally_totals(tallies: xr.DataArray) -> xr.DataArray:
    """Sum TP/FP/FN counts over all items.

    Parameters
    ----------
    tallies : xarray.DataArray, dims (item, system, tally), with or without a dim label
        TP/FP/FN counts.

    Returns
    -------
    xarray.DataArray, dims (system, tally) or (system, tally, label), int64
        Totals, in units of ``attrs["scale"]`` like the input.

    Raises
    ------
    ValueError
        If the data are not TP/FP/FN counts.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> frame = pd.DataFrame(
    ...     {"system": ["A", "B"] * 2, "item": ["d1", "d1", "d2", "d2"], "tp": [3, 1, 1, 2]}
    ... ).assign(fp=1, fn=0)
    >>> tally_totals(bt.io.tallies_from_table(frame)).sel(system="A").values.tolist()
    [4, 2, 0]
    """
    totals = schemas.tallies(tallies).sum(names.ITEM, keep_attrs=True)
    order = (names.SYSTEM, names.TALLY, *([names.LABEL] if names.LABEL in totals.dims else []))
    return totals.transpose(*order).rename("totals")


def tally_scores(
    tallies: xr.DataArray, *, statistic: str = "f1", beta: float = 1.0, empty: float = 1.0
) -> xr.DataArray:
    """Score every item from its TP/FP/FN counts, to compare systems item by item.

    The mean of these scores differs from the score of all items together; for that one see
    `randomization_test`.

    Parameters
    ----------
    tallies : xarray.DataArray, dims (item, system, tally), with or without a dim label
        TP/FP/FN counts; labels are summed.
    statistic : {"f1", "precision", "recall", "f_beta"}, default "f1"
        Score to compute.
    beta : float, default 1
        For "f_beta": weight of recall relative to precision.
    empty : float in [0, 1], default 1
        Score of an item where it is 0 / 0. For F1, the system found nothing and there was nothing
        to find; for precision, it found nothing; for recall, there was nothing to find.

    Returns
    -------
    xarray.DataArray, dims (item, system)
        Scores between 0 and 1, with the coordinates of the items.

    Raises
    ------
    ValueError
        If the data are not TP/FP/FN counts, or an argument is not one of its choices.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> frame = pd.DataFrame(
    ...     {"system": ["A", "B"], "item": ["d1", "d1"], "tp": [3, 1], "fp": [1, 0], "fn": [0, 2]}
    ... )
    >>> tally_scores(bt.io.tallies_from_table(frame)).round(3).values.tolist()
    [[0.857, 0.5]]
    """
    checks.one_of(statistic, _STATISTICS, "statistic")
    if not 0 <= checks.real(empty, "empty", "a score between 0 and 1") <= 1:
        raise ValueError(f"empty is {empty!r}; give a score between 0 and 1")
    if checks.real(beta, "beta", "a positive number") != 1 and statistic != "f_beta":
        raise ValueError(f"beta={beta:g} is for statistic='f_beta', not {statistic!r}")
    tallies = schemas.tallies(tallies)
    summed = tallies.sum(names.LABEL) if names.LABEL in tallies.dims else tallies
    ratio = ratios.ratio_of(statistic, beta)
    x, y = ratios.sums_of(summed.transpose(..., names.TALLY).values, ratio)
    like = summed.isel({names.TALLY: 0}, drop=True).astype(float)
    scores = like.copy(data=ratios.score(x, y, ratio.k)).where(like.copy(data=x + y) > 0, empty)
    provenance = Signature(higher_is_better=True, statistic=statistic).to_attrs()
    return scores.assign_attrs(origin(tallies) | provenance).rename("scores")
