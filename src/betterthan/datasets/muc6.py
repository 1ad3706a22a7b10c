"""Which systems of the MUC-6 evaluation were not told apart."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names

MUC6_CITATION = (
    "Chinchor 1995, Statistical Significance of MUC-6 Results, Sixth Message Understanding "
    "Conference"
)

# Rank by rank: F, and the ranks it is not told from.
_MUC6 = {
    "named_entity": (
        "96.42 1-3; 95.66 1-4,6; 94.92 1-9,11; 94.00 2-11; 93.65 3-12; 93.33 2-12; 92.88 3-12; "
        "92.74 3-12; 92.61 3-13; 91.20 4-13; 90.84 3-16; 89.06 5-16; 88.19 9-16; 85.82 11-16; "
        "85.73 11-16; 84.95 11-16; 67.62 17-18; 59.38 17-18; 35.46 19; 2.38 20"
    ),
    "template_element": (
        "79.99 1-2; 79.85 1-2,4-5; 77.31 3-6; 77.24 2-6; 76.29 2-8; 74.96 3-8; 74.32 5-8; "
        "71.97 5-10; 71.16 7-10; 69.80 8-10; 61.17 11; 53.80 12"
    ),
    "scenario_template": (
        "56.40 1-6,8; 54.39 1-8; 53.27 1-8; 51.63 1-9; 50.98 1-9; 50.96 1-9; 48.96 2-9; "
        "48.14 1-10; 43.24 4-10; 40.35 8-11; 33.44 10-11"
    ),
}
_MUC6_ERRATA = {
    "named_entity": (
        "Rows 17 to 20 are as the text has them (17 and 18 a group, 19 and 20 alone); the printed "
        "columns are shifted by one."
    ),
    "template_element": (
        "Printed asymmetrically in one pair: row 9 marks rank 7, row 7 does not mark rank 9."
    ),
}


def muc6_similarity(task: str) -> xr.DataArray:
    """Check marks of a MUC-6 task: which systems were not told apart, at 0.01 with confidence 0.99.

    Parameters
    ----------
    task : {"named_entity", "template_element", "scenario_template"}

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b), bool
        Systems are named by their rank, as printed; ``score`` on system_a is F in percent.
        ``attrs`` hold the citation and, where the print is odd, an ``erratum``.

    Raises
    ------
    ValueError
        If the task is none of these.

    Examples
    --------
    >>> import betterthan as bt
    >>> marks = bt.datasets.muc6_similarity("named_entity")
    >>> marks.sel(system_a="17").values.sum()
    np.int64(2)
    """
    rows = [row.split() for row in _MUC6[checks.one_of(task, tuple(_MUC6), "task")].split("; ")]
    ranks = [str(k + 1) for k in range(len(rows))]
    marks = np.zeros((len(rows), len(rows)), dtype=bool)
    for row, (_, similar) in enumerate(rows):
        for run in similar.split(","):
            first, _, last = run.partition("-")
            marks[row, int(first) - 1 : int(last or first)] = True
    coords: dict[Any, Any] = dict.fromkeys(names.SQUARE, ranks)
    coords["score"] = (names.SYSTEM_A, [float(score) for score, _ in rows])
    attrs = {"citation": MUC6_CITATION, "cutoff": names.CUTOFF, "confidence": names.CONFIDENCE}
    attrs |= {"erratum": _MUC6_ERRATA[task]} if task in _MUC6_ERRATA else {}
    return xr.DataArray(marks, dims=names.SQUARE, coords=coords, attrs=attrs, name="similar")
