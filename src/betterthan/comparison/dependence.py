"""Dependence of items and unequal weights, and by how much they reduce the sample size."""

from collections.abc import Collection
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.scoring import item_outcomes
from betterthan.counts.shapes import to_pairs
from betterthan.counts.units import CLUSTER, EPOCH, ids_of, several, unlabelled
from betterthan.exact.wins.clusters import design_effect, design_effect_of_sums

_UNITS_MIN = 5  # of fewer clusters, what they cost is a guess
_WHAT = {EPOCH: "items were run repeatedly", CLUSTER: "items come in clusters"}


def dependence(data: xr.DataArray, taken: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """What is pooled, and what is taken as independent though it is not, which is to be warned of.

    Parameters
    ----------
    data : xarray.DataArray
        Scores, tallies or counts.
    taken : collection of str
        Of dataset, cluster and epoch, what a model takes into account.
    """
    return _of_scores(data, taken) if names.ITEM in data.dims else _of_counts(data, taken)


def pooled_note(datasets: int) -> str:
    """What pooling data sets does."""
    return (
        f"{datasets} data sets are pooled: every example counts the same, so large sets weigh more."
    )


def _of_scores(scores: xr.DataArray, taken: Collection[str]) -> tuple[list[str], list[str]]:
    pooled = []
    if names.DATASET not in taken and several(scores, names.DATASET):
        pooled.append(pooled_note(len(set(scores[names.DATASET].values.tolist()))))
    ignored = [name for name in (EPOCH, CLUSTER) if name not in taken and several(scores, name)]
    tallies = names.TALLY in scores.dims
    known = {name: () if tallies else _effective(scores, name) for name in ignored}
    return pooled, [_too_sure(name, *of) for name, of in known.items()]


def _of_counts(counts: xr.DataArray, taken: Collection[str]) -> tuple[list[str], list[str]]:
    extra = [str(d) for d in counts.dims if d not in _PAIRS and counts.sizes[d] > 1]
    sets = [d for d in extra if d != CLUSTER]
    ignored = sets and names.DATASET not in taken
    pooled = [pooled_note(int(np.prod([counts.sizes[d] for d in sets])))] if ignored else []
    if CLUSTER not in extra or CLUSTER in taken:
        return pooled, []
    return pooled, [_too_sure(CLUSTER, *_effective_counts(counts))]


def _effective_counts(counts: xr.DataArray) -> tuple[np.ndarray, ...]:
    """As `_effective`, of counts by cluster."""
    if counts.sizes[CLUSTER] < _UNITS_MIN:
        return ()
    pairs = to_pairs(counts) if names.SYSTEM_A in counts.dims else counts
    pairs = pairs.sum([d for d in pairs.dims if d not in (*_PAIRS, CLUSTER)])
    each = pairs.transpose(CLUSTER, names.PAIR, names.OUTCOME).values.astype(float)
    net, decisive = each[..., 0] - each[..., 1], each[..., :2].sum((0, 2))
    return each.sum((0, 2)), design_effect_of_sums(each.sum(2), net, decisive)


def _effective(scores: xr.DataArray, name: str) -> tuple[np.ndarray, ...]:
    """Examples of each pair, and how many times the variance is that of as many independent
    ones.
    """
    if unlabelled(scores, name):
        return ()
    units, place = np.unique(
        ids_of(scores, names.ITEM if name == EPOCH else name), return_inverse=True
    )
    if len(units) < _UNITS_MIN:
        return ()
    outcomes = item_outcomes(scores)
    observed = outcomes["observed"].values
    return observed.sum(0), design_effect(outcomes["outcome"].values * observed, observed, place)


def _too_sure(name: str, *known: Any) -> str:
    many = _as_many(*known) if known else ""
    return (
        f"The answers are too certain if rows are correlated: {_WHAT[name]} ({name}), but are "
        f"treated as independent.{many} betterthan.advise recommends a model for this."
    )


def _as_many(n: np.ndarray, design: np.ndarray) -> str:
    """How many independent items would say as much, over the pairs."""
    number = n / np.maximum(design, 1.0)
    if not np.isfinite(number).any():
        return ""
    low, middle = np.nanmin(number), np.nanmedian(number)
    pairs = "" if len(n) == 1 else f" (median of the pairs; at least {low:.0f})"
    return (
        f" The effective sample size is about {middle:.0f}{pairs}, not {int(n.max()):,} "
        "independent items."
    )


_PAIRS = (names.SYSTEM_A, names.SYSTEM_B, names.PAIR, names.OUTCOME)
