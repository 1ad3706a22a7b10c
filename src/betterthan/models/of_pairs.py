"""What models over pairs of systems share: pairs that can be fitted, their coordinates, made-up
ones.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.pairing import as_pairs

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
    import pymc as pm

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
    size = checks.nonnegative_integers(np.asarray(n), "n")
    if size.size not in (1, checks.whole(count, noun)):
        raise ValueError(f"n has {size.size} numbers; give one, or one for each of {count} {noun}")
    return np.broadcast_to(size, (count,))
