"""Counts of groups of examples, which are data sets or clusters, as a likelihood takes them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.pairing import as_pairs
from betterthan.models import of_pairs

CLUSTER = "cluster"


@dataclass(frozen=True)
class Groups:
    """Counts of every pair in every group."""

    values: np.ndarray  # (*dims of groups, pair, outcome)
    pairs: xr.DataArray  # (pair, outcome), over all groups
    square: bool  # whether they came as a square
    levels: dict[str, list[str]]  # of each dim of groups the labels

    @property
    def dims(self) -> tuple[str, ...]:
        """Dims of ``values``."""
        return (*self.levels, names.PAIR, names.OUTCOME)

    @property
    def coords(self) -> dict[str, Any]:
        """Names of groups, pairs and their systems, and outcomes."""
        coords = (names.PAIR, *names.SQUARE, names.OUTCOME)
        return {k: self.pairs[k] for k in coords} | self.levels


def by_cluster(counts: xr.DataArray) -> Groups:
    """Counts over clusters, of which there are two or more.

    Raises
    ------
    ValueError
        If they are no counts with ties over several clusters, or a joint fit cannot hold them.
    """
    counts = schemas.counts(counts)
    schemas.ties_known(counts, "a model of clusters")
    if CLUSTER not in counts.dims:
        raise ValueError(
            f"counts have dims ({', '.join(map(str, counts.dims))}); give a dim 'cluster': see "
            f'bt.count(data, by="cluster")'
        )
    if counts.sizes[CLUSTER] < 2:
        raise ValueError(
            "there is 1 cluster; how much clusters differ is seen from two on: pool it, or give "
            "more"
        )
    return _grouped(counts, [CLUSTER], "a model of clusters")


def by_dataset(counts: xr.DataArray) -> Groups:
    """Counts over one dim beside pairs and outcomes, or over two crossed ones.

    Raises
    ------
    ValueError
        If they are no counts with ties over one or two such dims, or a joint fit cannot hold them.
    """
    counts = schemas.counts(counts)
    schemas.ties_known(counts, "a model of data sets")
    if CLUSTER in counts.dims or counts.attrs.get("clusters"):
        raise ValueError(
            "items come in clusters, which a model of data sets takes as independent items; "
            "betterthan.compare(data) answers on clusters, data.drop_vars('cluster') drops them"
        )
    factors = [str(d) for d in counts.dims if d not in (*names.SQUARE, names.PAIR, names.OUTCOME)]
    if not 1 <= len(factors) <= 2:
        raise ValueError(
            f"counts have dims ({', '.join(map(str, counts.dims))}); give one dim more than "
            f'systems and outcomes, or two crossed ones: see bt.count(data, by="dataset")'
        )
    return _grouped(counts, factors, "a model of data sets")


def _grouped(counts: xr.DataArray, dims: list[str], kind: str) -> Groups:
    levels = {d: _labels(counts, d) for d in dims}
    for d, labels in levels.items():
        checks.unique(labels, d)
    counts = counts.transpose(*dims, ...)
    pairs, square = of_pairs.to_fit(counts.sum(dims, keep_attrs=True))
    flat = counts.stack(_all=dims).transpose("_all", ...)
    tables = [as_pairs(flat.isel(_all=k, drop=True))[0].values for k in range(flat.sizes["_all"])]
    values = np.stack(tables).reshape(*counts.shape[: len(dims)], *pairs.shape)
    if len(pairs[names.OUTCOME]) != 3:
        raise ValueError(f"{kind} needs win, loss and tie; keep ties as a third outcome")
    return Groups(values, pairs, square, levels)


def _labels(counts: xr.DataArray, dim: str) -> list[str]:
    labels = counts[dim].values if dim in counts.coords else range(counts.sizes[dim])
    return [str(v) for v in labels]
