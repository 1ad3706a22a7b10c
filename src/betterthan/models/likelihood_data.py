"""Counts of pairs, data sets and clusters as the likelihoods of models take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.shapes import as_pairs

if TYPE_CHECKING:
    import pymc as pm


COUNT_MAX = 2**31 - 1  # PyMC holds data as int32


def to_fit(counts: xr.DataArray) -> tuple[xr.DataArray, bool]:
    """Counts by pair, and whether they came as a square; refuse what a joint fit cannot hold.

    Raises
    ------
    ValueError
        If the counts are not counts, hold more than `names.MCMC_PAIRS_MAX` pairs, or a count is too
        large.
    """
    pairs, square = as_pairs(counts)
    n = pairs.sizes[names.PAIR]
    closed = "the closed form has no such limit: betterthan.prob_better(counts)"
    if n > names.MCMC_PAIRS_MAX:
        raise ValueError(
            f"{n} pairs are more than the {names.MCMC_PAIRS_MAX} that are sampled jointly; {closed}"
        )
    if n and int(pairs.values.max()) > COUNT_MAX:
        raise ValueError(
            f"a count of {int(pairs.values.max())} is more than a sampled model holds; {closed}"
        )
    return pairs, square


def coords(pairs: xr.DataArray) -> dict[str, Any]:
    """Coordinates of a PyMC model over these pairs."""
    return {
        names.PAIR: pairs[names.PAIR].values.tolist(),
        names.OUTCOME: pairs[names.OUTCOME].values.tolist(),
    }


def name_systems(model: "pm.Model", pairs: xr.DataArray) -> None:
    """Add to a PyMC model, of which this is the context, which systems each pair compares, as data.

    ``is_a`` (pair, system_a) and ``is_b`` (pair, system_b) are 1 for the two systems of a pair, so
    that ``pm.sample`` keeps their names: as coordinates of the group constant_data.
    """
    from betterthan.libraries import pm

    for side, name in zip(names.SQUARE, names.IS_SYSTEM, strict=True):
        labels = [str(s) for s in pairs[side].values]
        systems = list(dict.fromkeys(labels))
        model.add_coord(side, systems)
        indicator = np.equal.outer(labels, systems).astype(np.int32)
        pm.Data(name, indicator, dims=(names.PAIR, side))


def systems_named(constant: xr.Dataset) -> tuple[list[str], list[str]] | None:
    """The two systems of each pair, where `name_systems` recorded them."""
    if not set(names.IS_SYSTEM) <= set(constant):
        return None
    systems = []
    for side, name in zip(names.SQUARE, names.IS_SYSTEM, strict=True):
        place = constant[name].transpose(names.PAIR, side).values.argmax(1)
        systems.append([str(s) for s in constant[side].values[place]])
    return systems[0], systems[1]


def simulated(count: int) -> dict[str, Any]:
    """Coordinates of `count` made-up pairs, each of two systems of its own."""
    a, b = [f"A{k}" for k in range(count)], [f"B{k}" for k in range(count)]
    return {
        names.PAIR: [f"{x} vs {y}" for x, y in zip(a, b, strict=True)],
        names.SYSTEM_A: (names.PAIR, a),
        names.SYSTEM_B: (names.PAIR, b),
    }


def sizes(n: int | Sequence[int], count: int, noun: str = "pairs") -> np.ndarray:
    """Number of examples of each of `count` pairs: one for all, or one each."""
    size = checks.nonnegative_integers(n, "n")
    if size.size not in (1, checks.whole(count, noun)):
        raise ValueError(f"n has {size.size} numbers; give one, or one for each of {count} {noun}")
    return np.broadcast_to(size, (count,))


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
    """Counts over one dim in addition to pairs and outcomes, or over two crossed ones.

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
            "betterthan.compare(data, over='dataset') averages data sets on clusters, "
            "data.drop_vars('cluster') drops them"
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
    pairs, square = to_fit(counts.sum(dims, keep_attrs=True))
    flat = counts.stack(_all=dims).transpose("_all", ...)
    tables = [as_pairs(flat.isel(_all=k, drop=True))[0].values for k in range(flat.sizes["_all"])]
    values = np.stack(tables).reshape(*counts.shape[: len(dims)], *pairs.shape)
    if len(pairs[names.OUTCOME]) != 3:
        raise ValueError(f"{kind} needs win, loss and tie; keep ties as a third outcome")
    return Groups(values, pairs, square, levels)


def _labels(counts: xr.DataArray, dim: str) -> list[str]:
    labels = counts[dim].values if dim in counts.coords else range(counts.sizes[dim])
    return [str(v) for v in labels]
