"""One line on what was read, and how."""

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
    """What `data` is and what it was read from, in one line."""
    said = f"{source} read as {layout.name}: {_size(layout, data, readings[0].said)}"
    said += f", datasets {', '.join(datasets)}" if datasets else ""
    ignored = list(dict.fromkeys(column for one in readings for column in one.ignored))
    said += f", ignored columns {listed(ignored)}" if ignored else ""
    return printable(" ".join(said.splitlines()))


def named_systems(systems: Sequence[str]) -> str:
    """How many systems there are, and which: a column that is none is seen here."""
    return f"{counted(len(systems), 'system')} ({listed(systems)})"


def _size(layout: Layout, data: xr.DataArray | xr.Dataset, said: str) -> str:
    missing = data.attrs.get("n_missing", 0)
    if layout.gives == "scores":
        systems = named_systems(data[names.SYSTEM].values.tolist())
        missed = f"{counted(missing, 'score')} missing"
        return f"{counted(data.sizes[names.ITEM], 'item')} x {systems}, {said}, {missed}"
    if "n" in data.attrs:  # of votes or judgments
        blank = f", {missing} more without a winner left out" if missing else ""
        return f"{counted(data.attrs['n'], layout.name.removesuffix('s'))} {said}{blank}"
    return said
