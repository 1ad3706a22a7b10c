"""A comparison as JSON, for other programs; its rows stand as in the report."""

import json
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan.results.kinds import plain
from betterthan.results.provenance import signature
from betterthan.results.rows import pair_rows, system_rows

SCHEMA = "betterthan.comparison/1"  # the number grows if a key changes its meaning


def as_json(comparison: xr.Dataset) -> str:
    """A comparison as JSON: schema, signature, settings, systems, pairs."""
    comparison = plain(comparison)
    document = {
        "schema": SCHEMA,
        "signature": signature(comparison),
        "settings": {name: _plain(value) for name, value in comparison.attrs.items()},
        "systems": _records(system_rows(comparison)),
        "pairs": _records(pair_rows(comparison)),
    }
    written = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # a terminal acts on some characters that JSON lets stand
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in written)


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {name: _plain(value) for name, value in row.items()} for row in table.to_dict("records")
    ]


def _plain(value: Any) -> Any:
    """A value that JSON knows; nan becomes null."""
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
