"""Omnibus tests: one test of all systems, before any pair."""

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names, schemas
from betterthan.counts.units import default_unit, ids_of, unit_means
from betterthan.exact.swaps.rank_tests import friedman as friedman_of
from betterthan.signed import Signature

FEWEST = 3  # systems


def friedman(scores: xr.DataArray, *, unit: str | None = None) -> xr.Dataset:
    """Test whether any of three or more systems differ, with Friedman's test.

    The test compares the ranks of the systems on the items. For scores of 0 and 1 it is Cochran's
    Q. It does not show which systems differ, and a verdict on a pair does not need it.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores, with NaN for a missing one. Items without a score of every system are left out and
        counted.
    unit : str, optional
        Unit of analysis: "item", or an item coordinate such as "cluster", by the mean of its items.
        Default: the cluster if items come in clusters, else the item with all its runs.

    Returns
    -------
    xarray.Dataset
        - ``statistic``, ``p_value``, ``df``: chi-square test
        - ``concordance``: Kendall's W, from 0 to 1
        - ``mean_rank`` (system): 1 is the best

        If no two systems differ on any item, the statistic is NaN and p is 1. ``attrs``: ``n``, the
        units ranked, and ``n_dropped``, those without a score of every system.

    Raises
    ------
    ValueError
        If the data are not scores, there are fewer than three systems, the unit is unknown, or no
        two units have scores of all systems.

    References
    ----------
    M. Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the
    analysis of variance, JASA 32(200), 675-701. W. G. Cochran (1950), The comparison of percentages
    in matched samples, Biometrika 37(3/4), 256-266.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[3, 2, 1], [3, 1, 2], [2, 1, 1], [3, 2, 1]],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B", "C"]},
    ... )
    >>> result = friedman(scores)
    >>> round(result["statistic"].item(), 3), round(result["p_value"].item(), 3)
    (6.533, 0.038)
    """
    scores = schemas.scores(scores)
    if scores.sizes[names.SYSTEM] < FEWEST:
        raise ValueError("Friedman's test is of three systems or more; of two use sign_test")
    by = default_unit(scores) or names.ITEM if unit is None else checks.label(unit, "unit")
    result, rank, units = ranks(scores, by)
    if units["n"] < 2:
        raise ValueError(
            f"{units['n']} of {units['n'] + units['n_dropped']} have scores of all systems "
            f"(unit={by!r}); Friedman's test needs two: leave out the systems that lack most"
        )
    provenance = Signature(answer="friedman", version=betterthan.__version__, unit=by)
    return xr.Dataset(
        {k: ((), v) for k, v in result.items()} | {"mean_rank": (names.SYSTEM, rank)},
        coords={names.SYSTEM: scores[names.SYSTEM].values.astype(str)},
        attrs=units | provenance.to_attrs(),
    )


def ranks(scores: xr.DataArray, by: str) -> tuple[dict[str, float], np.ndarray, dict[str, int]]:
    """The numbers of the same of scores that are checked, the mean rank of each system, and how
    many units are complete, and how many are not.
    """
    better = 1 if scores.attrs.get("higher_is_better", True) else -1
    values = better * unit_means(scores, ids_of(scores, by))
    complete = ~np.isnan(values).any(1)
    n, systems = int(complete.sum()), values.shape[1]
    rank, statistic, p = friedman_of(values[complete]) if n else (np.nan * values[0], np.nan, 1.0)
    result = {"statistic": statistic, "df": systems - 1, "p_value": p}
    result |= {"concordance": statistic / (n * (systems - 1)) if n else np.nan}
    return result, rank, {"n": n, "n_dropped": len(values) - n}
