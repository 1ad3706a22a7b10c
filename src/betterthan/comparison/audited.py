"""The audit of the scores, as lines under an answer."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.comparison.missing_bounds import told


def audited(given: Given, asked: Asked, bounds: xr.Dataset | None) -> dict[str, Any]:
    """``audit``, the lines that stand under an answer; nothing where there are none.

    Where bounds are not of what the answer is of, but of wins by item, the line says so.
    """
    scored = given.found.kind == "scores" and asked.missing == "pairwise"
    if not scored or not _wanting(given.found.before):
        return {}
    from betterthan.auditing.beside import lines_beside

    by = "" if told(given, asked) else "by wins on items"
    lines = lines_beside(given.found.before, baseline=asked.baseline, by=by, bounds=bounds)
    return {"audit": tuple(lines)} if lines else {}


def _wanting(scores: xr.DataArray) -> bool:
    """Whether a log tells how each came about, or some are missing: else nothing is to be said."""
    return "status" in scores.coords or bool(np.isnan(scores.values.astype(float)).any())
