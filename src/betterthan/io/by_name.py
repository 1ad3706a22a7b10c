"""Readers of single layouts, called by name."""

from pathlib import Path

import pandas as pd
import xarray as xr

from betterthan import checks
from betterthan.io.files import table_of
from betterthan.io.frames import table_from_frame
from betterthan.io.judged import judgments_by
from betterthan.io.layouts import layout_by_name
from betterthan.io.recognition import require
from betterthan.io.saying import line
from betterthan.io.tally_rows import tallies
from betterthan.signed import Signature


def tallies_from_table(table: pd.DataFrame, *, scale: int = 1) -> xr.DataArray:
    """Tallies of systems on items from a table with one row for each.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``system``, ``item`` (or ``doc``, ``document``), ``tp``, ``fp``, ``fn``, optionally
        ``label`` (or ``type``, ``class``), and ``dataset``, ``epoch`` (which tell items of one id
        apart) or ``cluster`` (one for all rows of an item).
    scale : int, default 1
        What tallies are multiplied by to be whole: 2 where partial credit comes in halves. Scores
        do not change.

    Returns
    -------
    xarray.DataArray, dims (item, system, tally), or (item, system, label, tally), int64
        Items in the order they first occur, joined by their ids within dataset and epoch.
        ``attrs["scale"]`` keeps the scale. A label without a row has tallies of 0 if the system has
        another row for that item; ``attrs["reading"]`` counts them.

    Raises
    ------
    ValueError
        If a column is missing, a tally is negative or not whole, a row is there twice, or a system
        has no row at all for an item: missing is not zero.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"system": ["A", "B"], "doc": ["d1", "d1"], "tp": [3, 1.5], "fp": [1, 0], "fn": [0, 2]}
    ... )
    >>> tallies_from_table(frame, scale=2).sel(system="B").values.tolist()
    [[3, 0, 4]]
    """
    checks.of_type(
        table, pd.DataFrame, "table is", "pandas.DataFrame, or a path to betterthan.read"
    )
    parsed = table_from_frame(table, "DataFrame")
    require(parsed, "tallies")
    reading = tallies(parsed, scale)
    said = line(parsed.source, layout_by_name("tallies"), reading.data, [reading])
    return reading.data.assign_attrs(reading=said)


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
    >>> votes = pd.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]})
    >>> votes["who"] = ["x", "y"]
    >>> read_judgments(votes, judge="who")["outcome"].values.tolist()
    [1, 0]
    """
    table = table_of(source)
    require(table, "judgments")
    reading = judgments_by(table, {"judge": judge, "cluster": cluster})
    said = line(table.source, layout_by_name("judgments"), reading.data, [reading])
    signed = Signature(unit="judgment", source=table.source, reading=said)
    return reading.data.assign_attrs(signed.to_attrs())
