"""Summarize in one line what was read, and how."""

from collections.abc import Sequence

import xarray as xr

from betterthan import names
from betterthan.io.layouts import Layout
from betterthan.io.problems import counted, listed, printable
from betterthan.io.table import Reading


def line(
    source: str,
    layout: Layout,
    data: xr.DataArray | xr.Dataset,
    readings: Sequence[Reading],
    datasets: Sequence[str] = (),
) -> str:
    """Describe `data` and its source in one line."""
    summary = f"{source} read as {layout.name}: {_size(layout, data, readings[0].summary)}"
    summary += f", datasets {', '.join(datasets)}" if datasets else ""
    ignored = list(dict.fromkeys(column for reading in readings for column in reading.ignored))
    summary += f", ignored columns {listed(ignored)}" if ignored else ""
    return printable(" ".join(summary.splitlines()))


def named_systems(systems: Sequence[str]) -> str:
    """How many systems there are, and which: a column that is none is seen here."""
    return f"{counted(len(systems), 'system')} ({listed(systems)})"


def _size(layout: Layout, data: xr.DataArray | xr.Dataset, detail: str) -> str:
    missing = data.attrs.get("n_missing", 0)
    if layout.gives == "scores":
        systems = named_systems(data[names.SYSTEM].values.tolist())
        missed = f"{counted(missing, 'score')} missing"
        return f"{counted(data.sizes[names.ITEM], 'item')} x {systems}, {detail}, {missed}"
    if "n" in data.attrs:  # of votes or judgments
        blank = f", {missing} more without a winner left out" if missing else ""
        return f"{counted(data.attrs['n'], layout.name.removesuffix('s'))} {detail}{blank}"
    return detail
