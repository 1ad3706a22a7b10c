"""Read a table of judge outputs and human labels as judged counts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from betterthan.io.files import table_of
from betterthan.io.problems import problem
from betterthan.judged.counting import count
from betterthan.logs.judgments import judgment_kind
from betterthan.logs.sniffing import LogFile


def read_judged(
    source: Any,
    *,
    judge: str | Sequence[str] | None,
    human: str | None,
    strata: str | Sequence[str] | None,
    item: str | None,
    drop: bool,
) -> xr.Dataset:
    """Judged counts of one table; see `judged.count`.

    Raises
    ------
    ValueError
        If one of the two columns is not named, or the source is no table, or is a tool's file of
        judgments, in which people say nothing.
    """
    if judge is None or human is None:
        present, other = ("judge", "human") if human is None else ("human", "judge")
        raise ValueError(
            f"{present} names a column, and {other} does not; judged outcomes need both: what the "
            "judge says, and the labels by people"
        )
    if not isinstance(source, str | Path | pd.DataFrame):
        raise ValueError(
            f"source is a {type(source).__name__}; judged outcomes are read from one file or frame"
        )
    if isinstance(source, str | Path) and Path(source).is_file():
        _refuse_tool(Path(source))
    chosen = [strata] if isinstance(strata, str) else list(strata or ())
    columns: dict[str, Any] = {"judge": judge, "human": human, "item": item, "strata": chosen}
    return count(table_of(source), **columns, drop=drop)


def _refuse_tool(path: Path) -> None:
    """Refuse judgments as a tool writes them, some of which merge two orders into ties."""
    file = LogFile(path, path.name)
    if judgment_kind(file.preview) is not None:
        raise problem(
            path.name,
            "is a tool's file of judgments; make a table of one row an item, with the judge's "
            "answer in each order as a column of its own, and the labels by people",
        )
