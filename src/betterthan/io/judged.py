"""Judgments one by one: who judged, on what, and which system came first."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.io import cells
from betterthan.io.files import read_file
from betterthan.io.frames import table_from_frame
from betterthan.io.problems import counted, listed, problem
from betterthan.io.recognition import find, require
from betterthan.io.squares import pair_columns
from betterthan.io.table import Table
from betterthan.io.votes import vote_outcomes

_CODE = np.array([1, -1, 0])  # first wins, second wins, tie


def read_judgments(
    source: str | Path | pd.DataFrame, *, judge: str | None = None, cluster: str | None = None
) -> xr.Dataset:
    """Read judgments of two systems at a time, one row each.

    Parameters
    ----------
    source : path or pandas.DataFrame
        Columns ``model_a, model_b, winner`` (or ``system_a, system_b``, ``left, right``); the
        winner is a side, a name, or a tie. The system named first is the one that was shown first.
    judge : str, optional
        The column that says who judged.
    cluster : str, optional
        The column that says what was judged, such as the prompt: judgments of one prompt belong
        together.

    Returns
    -------
    xarray.Dataset
        Over judgment: ``system_a``, ``system_b`` and ``outcome`` (1: the first won, 0, -1), with
        coordinates ``judge`` and ``cluster`` where named; ``system`` lists all systems.
        ``attrs["unit"]`` is judgment; ``attrs["reading"]`` says what was read. Rows without a
        winner are left out and counted.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a column is missing, a winner is unknown, a system meets itself, or a judge or cluster is
        blank; the message names file, row, column and value.

    Examples
    --------
    >>> import pandas as pd
    >>> votes = pd.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"], "who": ["x", "y"]})
    >>> read_judgments(votes, judge="who")["outcome"].values.tolist()
    [1, 0]
    """
    table = (
        table_from_frame(source, "DataFrame")
        if isinstance(source, pd.DataFrame)
        else read_file(Path(source))
    )
    require(table, "votes")
    first, second, won = vote_outcomes(table)
    kept = won >= 0
    coords: dict[str, Any] = {}
    for role, column in (("judge", judge), ("cluster", cluster)):
        if column is not None:
            coords[role] = ("judgment", np.array(_labels(table, column, role))[kept])
    systems = list(dict.fromkeys(np.stack([first, second], axis=-1).ravel().tolist()))
    left_out = int((~kept).sum())
    columns = pair_columns(table)
    said = f"{counted(int(kept.sum()), 'judgment')} on {len(systems)} systems in columns {columns[0]!r} and {columns[1]!r}"
    said += f", {left_out} more without a winner left out" if left_out else ""
    used = {*columns, find(table, "winner"), judge, cluster}
    ignored = [c for c in table.columns if c not in used]
    said += f", ignored columns {listed(ignored)}" if ignored else ""
    return xr.Dataset(
        {
            names.SYSTEM_A: ("judgment", first[kept].astype(str)),
            names.SYSTEM_B: ("judgment", second[kept].astype(str)),
            names.OUTCOME: ("judgment", _CODE[won[kept]]),
        },
        coords={names.SYSTEM: systems} | coords,
        attrs={
            "unit": "judgment",
            "source": table.source,
            "reading": f"{table.source} read as judgments: {said}",
        },
    )


def _labels(table: Table, column: str, role: str) -> list[str]:
    if column not in table.columns:
        raise problem(
            table.source,
            f"there is no column {column!r} for the {role}; found {listed(list(table.columns))}",
        )
    return cells.labels(table, column, f"each row its {role}")
