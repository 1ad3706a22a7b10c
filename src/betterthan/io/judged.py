"""Read single judgments: judge, item, and which system came first."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.io import cells
from betterthan.io.alike import refuse_alike_by_pairs, tell_alike
from betterthan.io.problems import listed, problem
from betterthan.io.roles import find
from betterthan.io.squares import pair_columns
from betterthan.io.table import Reading, Table, unread
from betterthan.io.text_arrays import array_from_codes, text_array
from betterthan.io.votes import describe_systems, vote_outcomes

_CODE = np.array([1, -1, 0])  # first wins, second wins, tie
_ROLES = ("judge", "cluster")


def judgments(table: Table) -> Reading:
    """Judgments with the judge and the cluster of each, where there are such columns."""
    return judgments_by(table, {role: find(table, role) for role in _ROLES})


def judgments_by(table: Table, columns: dict[str, str | None]) -> Reading:
    """Judgments with coordinates from these columns; rows without a winner are left out."""
    pair = pair_columns(table)
    systems, a, b, won = vote_outcomes(table)
    decided = won >= 0
    coords = {
        role: ("judgment", text_array(_labels(table, column, role))[decided])
        for role, column in columns.items()
        if column is not None
    }
    refuse_alike_by_pairs(table.source, systems, a, b)
    variables: dict[Any, Any] = {
        names.SYSTEM_A: ("judgment", array_from_codes(systems, a[decided])),
        names.SYSTEM_B: ("judgment", array_from_codes(systems, b[decided])),
        names.OUTCOME: ("judgment", _CODE[won[decided]]),
    }
    data = xr.Dataset(variables, coords={names.SYSTEM: systems} | coords)
    data.attrs = {"n": int(decided.sum()), "n_missing": int((~decided).sum())}
    used = {*pair, find(table, "winner"), *columns.values()}
    return Reading(data, describe_systems(systems, pair), unread(table, used))


def _labels(table: Table, column: str, role: str) -> Sequence[str]:
    if column not in table.columns:
        raise problem(
            table.source,
            f"there is no column {column!r} for the {role}; found {listed(list(table.columns))}",
        )
    values = cells.labels(table, column, f"each row its {role}")
    tell_alike(table.source, values, f"{role}s")
    return values
