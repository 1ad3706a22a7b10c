"""How probable it is that a verdict names the wrong system."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.arrays import without_attrs


def sign_error(result: xr.Dataset) -> xr.DataArray:
    """Probability that a verdict names the wrong system of the two, among all systems where that is
    told; nan where none is named.
    """
    better = result["prob_better"]
    among = result.get("among_prob_better", better)
    swapped = among.transpose(..., names.SYSTEM_B, names.SYSTEM_A)
    behind = swapped.values  # the other tail, not 1 less this one
    verdict = result["verdict"].transpose(*better.dims).values
    sides = [verdict == "a_better", verdict == "b_better"]
    named = np.select(sides, [behind, among.values], np.nan)
    return without_attrs(better.copy(data=named)).rename("sign_error")
