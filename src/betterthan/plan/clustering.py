"""Plan before the first item of clustered data: probability of a verdict with a number of
clusters.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.exact.joint.student import DF_MIN
from betterthan.exact.planning.clusters import Power, power, spread_sizes
from betterthan.exact.planning.verdicts import VERDICTS
from betterthan.plan.answer import Plan
from betterthan.results import numbers


def cluster_power(
    difference: float,
    *,
    sd: float,
    icc: float,
    sizes: Sequence[float] | None = None,
    clusters: Any = None,
    size: float | None = None,
    cv: float = 0.0,
    threshold: float = names.VERDICT_PROB,
) -> Plan:
    """Probability of each verdict on items that come in clusters, before any is run.

    Parameters
    ----------
    difference : float
        The assumed difference of means A - B, in units of the score.
    sd : float above 0
        Standard deviation of an item's difference A - B. Of scores of 0 and 1 it is the root of the
        share of items on which the systems differ, less the squared difference.
    icc : float in [0, 1]
        Intraclass correlation of the differences: how alike two items of one cluster are.
    sizes : sequence of float, optional
        Number of items of each cluster, where these are known.
    clusters : int or sequence of int, optional
        In place of `sizes`: numbers of clusters; a sequence gives a curve, over a dim ``clusters``.
    size : float, optional
        With `clusters`: the mean number of items of a cluster.
    cv : float, default 0
        With `clusters`: the coefficient of variation of the sizes, taken as those of a gamma
        distribution.
    threshold : float, default 0.95
        Probability from which a verdict is given.

    Returns
    -------
    Plan
        Its data: ``probability`` (verdict), of a_better, b_better, equivalent (0, for there is no
        ROPE) and undecided; ``error``, the standard error of the mean difference;
        ``effective_items``, how many independent items have that error; ``design_effect``, the
        items over these; ``df``, the degrees of freedom, and ``items``.

    Raises
    ------
    ValueError
        If an argument is not valid, both or neither of `sizes` and `clusters` are given, or the
        sizes leave 2 degrees of freedom or fewer.

    Notes
    -----
    The difference, the standard deviation and the correlation are taken as known, which makes the
    answer too hopeful where they are a guess. More items of the same clusters help little once the
    correlation dominates: more clusters do.

    References
    ----------
    L. Kish (1965), Survey Sampling, Wiley, section 5.4: the design effect.

    Examples
    --------
    >>> found = cluster_power(0.15, sd=0.6, icc=0.1, clusters=10, size=20)
    >>> float(found["probability"].sel(verdict="a_better").round(6))
    0.607213
    >>> print(found.lines[0])
    200 items in 10 clusters are worth 69 independent items and 9.0 degrees of freedom.
    """
    difference = checks.real(difference, "difference")
    sd, icc = float(checks.positive(sd, "sd")), checks.real(icc, "icc")
    if not 0 <= icc <= 1:
        raise ValueError(f"icc is {icc:g}; give a correlation from 0 to 1")
    threshold = checks.threshold(threshold)
    sizes_by_plan, several = _sizes(sizes, clusters, size, cv)
    powers = [
        power(cluster_sizes, difference, sd, icc, threshold) for cluster_sizes in sizes_by_plan
    ]
    for cluster_sizes, plan_power in zip(sizes_by_plan, powers, strict=True):
        if plan_power.df <= DF_MIN:
            raise ValueError(
                f"{len(cluster_sizes)} clusters of these sizes leave {plan_power.df:.1f} degrees "
                "of freedom; a plan "
                "needs more than 2: take more clusters, or sizes that are more alike"
            )
    data = _labelled(powers, sizes_by_plan)
    data = data if several else data.isel(clusters=0)
    attrs = {"version": __version__, "answer": "cluster power", "threshold": threshold, "rope": 0.0}
    attrs |= {"difference": difference, "sd": sd, "icc": icc}
    return Plan(data.assign_attrs(attrs), _lines(data))


def _sizes(
    sizes: Any, clusters: Any, size: float | None, cv: float
) -> tuple[list[np.ndarray], bool]:
    """Sizes of the clusters, once or for several numbers of them."""
    if (sizes is None) == (clusters is None):
        raise ValueError("pass sizes= or clusters=, one of the two")
    if sizes is not None:
        sizes_array = np.asarray(sizes, dtype=float)
        if (
            sizes_array.ndim != 1
            or len(sizes_array) < 2
            or not (np.isfinite(sizes_array) & (sizes_array > 0)).all()
        ):
            raise ValueError("sizes must be two or more numbers of items above 0")
        return [sizes_array], False
    if size is None:
        raise ValueError("pass size=, the mean number of items of a cluster")
    mean, variation = float(checks.positive(size, "size")), checks.real(cv, "cv")
    if not 0 <= variation < np.inf:
        raise ValueError(f"cv is {variation:g}; give a coefficient of variation, 0 or more")
    several = isinstance(clusters, list | tuple | range | np.ndarray)
    counts = [checks.whole(k, "clusters", 2) for k in (clusters if several else [clusters])]
    if not counts:
        raise ValueError("clusters is empty; give at least one number of clusters")
    return [spread_sizes(k, mean, variation) for k in counts], several


def _labelled(powers: list[Power], sizes: list[np.ndarray]) -> xr.Dataset:
    items = np.array([cluster_sizes.sum() for cluster_sizes in sizes])
    effective = np.array([plan_power.effective_items for plan_power in powers])
    verdicts = [
        [plan_power.better, plan_power.worse, 0.0, 1 - plan_power.better - plan_power.worse]
        for plan_power in powers
    ]
    parts = {
        "items": items,
        "effective_items": effective,
        "design_effect": items / effective,
        "df": np.array([plan_power.df for plan_power in powers]),
        "error": np.array([plan_power.error for plan_power in powers]),
    }
    return xr.Dataset(
        {k: ("clusters", v) for k, v in parts.items()}
        | {"probability": (("clusters", "verdict"), np.array(verdicts))},
        coords={
            "clusters": [len(cluster_sizes) for cluster_sizes in sizes],
            "verdict": list(VERDICTS),
        },
    )


def _lines(data: xr.Dataset) -> tuple[str, ...]:
    """What the largest plan is worth."""
    last = data.isel(clusters=-1) if "clusters" in data.dims else data
    better = last["probability"].sel(verdict="a_better").item()
    return (
        f"{last['items'].item():,.0f} items in {last['clusters'].item():,} clusters are worth "
        f"{last['effective_items'].item():,.0f} independent items and {last['df'].item():.1f} "
        "degrees of freedom.",
        f"With probability {numbers.probability(better)} the verdict is A better.",
    )
