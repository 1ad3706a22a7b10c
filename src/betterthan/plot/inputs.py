"""What the figures accept: one clear line where the data do not fit the figure."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.pairing import as_pairs

_DIFFERENCE = ("difference_mean", "difference_lower", "difference_upper", "verdict")


def probabilities(prob: Any, order: Sequence[str] | None) -> xr.DataArray:
    """A square of probabilities, its systems in the order given or by their mean, highest first."""
    if not isinstance(prob, xr.DataArray) or set(prob.dims) != set(names.SQUARE):
        found = (
            f"dims ({', '.join(map(str, prob.dims))})"
            if hasattr(prob, "dims")
            else type(prob).__name__
        )
        raise ValueError(
            f"expected probabilities with dims (system_a, system_b), got {found}; see "
            f"betterthan.prob_better"
        )
    prob = prob.transpose(*names.SQUARE)
    systems = _square_systems(prob)
    values = np.asarray(prob.values, dtype=float)
    bad = (values < 0) | (values > 1)
    if bad.any():
        raise ValueError(f"probabilities hold {values[bad][0]}; give numbers from 0 to 1")
    if order is None:
        rows = np.argsort(-_row_means(values), kind="stable")
    else:
        rows = [systems.index(known(s, systems, "order")) for s in order]
        checks.unique([systems[r] for r in rows], "system in order")
        checks.at_least_two([systems[r] for r in rows])
    coords = {dim: [systems[r] for r in rows] for dim in names.SQUARE}
    return xr.DataArray(values[np.ix_(rows, rows)], dims=names.SQUARE, coords=coords)


def one_pair(counts: Any, systems: Sequence[str] | None) -> tuple[str, str, xr.DataArray]:
    """Names and counts of one pair, told from the side of the first."""
    pairs = distinct_pairs(counts)
    a, b = pair_names(pairs)
    if systems is None:
        if len(a) != 1:
            raise ValueError(f"counts hold {len(a)} pairs; give systems=(a, b) to choose one")
        return a[0], b[0], pairs[0]
    if isinstance(systems, str) or len(systems) != 2:
        raise ValueError(f"systems is {systems!r}; give the names of two systems")
    there = list(dict.fromkeys([*a, *b]))
    first, second = (known(s, there, "systems") for s in systems)
    checks.not_against_itself(first, second, "systems")
    for k, pair in enumerate(zip(a, b, strict=True)):
        if set(pair) == {first, second}:
            return first, second, pairs[k] if pair[0] == first else exchanged(pairs[k])
    raise ValueError(f"counts do not compare {first!r} with {second!r}")


def distinct_pairs(counts: Any) -> xr.DataArray:
    """Counts over (pair, outcome), no pair twice."""
    pairs, _ = as_pairs(counts)
    a, b = pair_names(pairs)
    checks.unique([tuple(sorted(pair)) for pair in zip(a, b, strict=True)], "pair")
    if not a:
        raise ValueError("counts hold no pairs")
    return pairs


def pair_names(pairs: xr.DataArray) -> tuple[list[str], list[str]]:
    """Names of the first and of the second system of every pair."""
    return [str(s) for s in pairs[names.SYSTEM_A].values], [
        str(s) for s in pairs[names.SYSTEM_B].values
    ]


def exchanged(counts: xr.DataArray) -> xr.DataArray:
    """Counts from the side of the other system."""
    return counts.copy(data=counts.values[..., [1, 0, 2][: counts.sizes[names.OUTCOME]]])


def differences(comparison: Any) -> tuple[xr.Dataset, list[str]]:
    """Mean, interval and verdict of every difference, of one engine, and the systems."""
    if getattr(comparison, "attrs", {}).get("ties") == "unknown":
        raise ValueError(
            "a difference needs the number of ties, which this comparison does not have"
        )
    missing = [v for v in _DIFFERENCE if v not in getattr(comparison, "data_vars", ())]
    if missing:
        raise ValueError(
            f"expected a comparison with a variable {missing[0]!r}, got "
            f"{type(comparison).__name__}; "
            "see betterthan.compare"
        )
    chosen = comparison[list(_DIFFERENCE)]
    if names.ENGINE in chosen.dims:
        chosen = chosen.isel({names.ENGINE: 0})
    if set(chosen.dims) != set(names.SQUARE):
        raise ValueError(
            f"differences have dims ({', '.join(map(str, chosen.dims))}); give (system_a, "
            f"system_b): "
            "select the others first"
        )
    chosen = chosen.transpose(*names.SQUARE)
    systems = _square_systems(chosen)
    verdicts = {str(v) for v in np.unique(chosen["verdict"].values.astype(str))}
    for verdict in sorted(verdicts):
        checks.one_of(verdict, names.VERDICTS, "verdict")
    return chosen, systems


def known(system: Any, systems: Sequence[str], what: str) -> str:
    """Return the name of a system when it is one of `systems`."""
    if str(system) not in systems:
        shown = ", ".join(systems[:8]) + (", ..." if len(systems) > 8 else "")
        raise ValueError(f"{what} names {str(system)!r}, which is not among the systems: {shown}")
    return str(system)


def _square_systems(data: Any) -> list[str]:
    for dim in names.SQUARE:
        if dim not in data.coords:
            raise ValueError(f"expected a coordinate {dim!r} with the names of the systems")
    systems = [str(s) for s in data[names.SYSTEM_A].values]
    if systems != [str(s) for s in data[names.SYSTEM_B].values]:
        raise ValueError("system_a and system_b must name the same systems in the same order")
    checks.unique(systems, "system")
    checks.at_least_two(systems)
    return systems


def _row_means(values: np.ndarray) -> np.ndarray:
    """Mean of each row without the diagonal and without gaps; one half where nothing is left."""
    use = ~np.isnan(values) & ~np.eye(len(values), dtype=bool)
    total, number = np.where(use, values, 0).sum(1), use.sum(1)
    return np.where(number > 0, total / np.maximum(number, 1), 0.5)
