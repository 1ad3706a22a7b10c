"""The section on what to expect of more items, and on what the verdicts hang."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.context import Shown
from betterthan.results.document import VERDICT, Part, Table
from betterthan.results.outlook import outlook_lines
from betterthan.results.sentences import title_of_verdict

_LOOKING = (
    "This is told for one look. Whoever looks again after each item until there is a verdict finds "
    "one between equal systems, too: in 33 % of cases by 20 decisive items, in 60 % by 200. "
    "betterthan.plan.stopping_boundary gives the wins at which one may stop."
)


def outlook_part(shown: Shown) -> Part | None:
    """Of the pairs that have rows: how many more items, would it come again, what would undo it."""
    found = shown.outlook
    lines = outlook_lines(found)
    if not lines:
        return None
    heading = "With more items, and with fresh ones"
    if found.sizes[names.PAIR] == 1:
        return Part(heading, lines=[*lines, _LOOKING])
    return Part(heading, tables=[_table(found, shown.verdict_head)], notes=[_LOOKING])


def _table(data: xr.Dataset, verdict: str = VERDICT) -> Table:
    """A row a pair, without columns that say nothing."""
    of = data.attrs["of"]
    pairs = [data.isel({names.PAIR: k}) for k in range(data.sizes[names.PAIR])]
    columns = {
        f"More {of}": [_more(one) for one in pairs],
        "Found again": [_or_dash(one["replicates"], numbers.probability) for one in pairs],
        "Would turn": [_or_dash(one["turn"], "{:,.0f}".format) for one in pairs],
        "Or go": [_or_dash(one["drop"], "{:,.0f}".format) for one in pairs],
    }
    told = {head: cells for head, cells in columns.items() if set(cells) != {"–"}}
    a, b = (data[k].values.tolist() for k in names.SQUARE)
    verdicts = [
        title_of_verdict(str(v), x, y) for v, x, y in zip(data["now"].values, a, b, strict=True)
    ]
    rows = list(zip(a, b, verdicts, *told.values(), strict=True))
    target = f"{data.attrs['target']:g}"
    caption = (
        f"More {of}: after so many more there is a verdict with probability {target}, "
        "as far as the data so far tell. Found again: the probability of the same verdict on as "
        f"many fresh {of} alone. Would turn, or go: the fewest decisive items without which, "
        "turned out otherwise or left out, the verdict is gone"
    )
    return Table(("System", "Other", verdict, *told), rows, caption, left=2)


def outlook_columns(shown: Shown) -> list[dict[str, Any]]:
    """What the table says of a pair, for the card of the pair on a page: by its two systems."""
    table = _table(shown.outlook) if outlook_lines(shown.outlook) else None
    if table is None:
        return []
    each = {head: k for k, head in enumerate(table.heads) if k > 2}
    return [
        {
            "name": head,
            "pairs": [list(row[:2]) for row in table.rows],
            "told": [row[k] for row in table.rows],
        }
        for head, k in each.items()
    ]


def _more(one: xr.Dataset) -> str:
    if one["now"] == "undecided" and not one["decisive"] and not one["n"]:
        return "–"  # nothing but the prior
    if np.isnan(one["more_items"]) and not np.isnan(one["more_probability"]):
        return "above 10,000"
    return _or_dash(one["more_items"], "{:,.0f}".format)


def _or_dash(value: xr.DataArray, write: Callable[[float], str]) -> str:
    return "–" if np.isnan(value) else write(float(value))
