"""What stands in one cell of a table of answers, or of one system in it, as written."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.escapes import on_one_line


def cell_of(table: xr.Dataset, i: int, j: int) -> xr.Dataset:
    """One pair of a table over both systems."""
    return table.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})


def names_in(cell: xr.Dataset) -> tuple[str, str]:
    """The two systems of a cell."""
    a, b = (on_one_line(str(cell[dim].item())) for dim in names.SQUARE)
    return a, b


def probability_in(at: xr.Dataset, name: str) -> str:
    """A probability, with its Monte Carlo error where it has one."""
    return numbers.probability(at[name].item(), _error(at, name))


def p_value_in(at: xr.Dataset, name: str = "p_value") -> str:
    """A p-value, with its Monte Carlo error where it has one."""
    return numbers.p_value(at[name].item(), _error(at, name))


def difference_in(at: xr.Dataset) -> str:
    """A difference, its Monte Carlo error and its interval."""
    ends = [at[f"difference_{end}"].item() for end in ("mean", "lower", "upper")]
    return numbers.difference(*ends, mcse=_error(at, "difference_mean"))


def within_rope(at: xr.Dataset) -> str:
    """The probability of a difference within the rope."""
    masses = [name for name in ("mass", "mass_mcse") if name in at]
    return probability_in(at[masses].sel({names.REGION: "rope"}), "mass")


def interval_of(attrs: Mapping[str, Any]) -> str:
    """Mass and kind of the intervals.

    Examples
    --------
    >>> interval_of({"ci_prob": 0.95, "ci_kind": "hdi"})
    '95% HDI'
    """
    return f"{100 * attrs['ci_prob']:g}% {attrs['ci_kind'].upper()}"


def sampled_by(attrs: Mapping[str, Any]) -> str:
    """How many draws, from which seed."""
    return f"{attrs['draws']} draws, seed {attrs['seed']}"


def _error(at: xr.Dataset, name: str) -> float:
    error = f"{name}_mcse"
    return float(at[error].item()) if error in at else 0.0
