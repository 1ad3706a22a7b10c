"""Published tables dealt out at random to groups: alike in the limit, they are the one table
again.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.models import dirichlet_multinomial, likelihood_data
from validation import distances

PARTS = 4  # data sets or clusters that a table is dealt out to
NEAR_ONE = 1e7  # a concentration at which groups are alike to all digits asked for


def dealt(cases: list[dict[str, Any]], dim: str, seed: int) -> xr.DataArray:
    """Counts (`dim`, pair, outcome) that sum to the published ones."""
    random = np.random.default_rng(seed)
    tables = np.array([[*case["counts"], 0][:3] for case in cases])
    return xr.DataArray(
        np.stack([_dealt(table, random) for table in tables], axis=1),
        dims=(dim, names.PAIR, names.OUTCOME),
        coords=likelihood_data.simulated(len(tables)) | {names.OUTCOME: list(names.OUTCOMES)},
    )


def published(cases: list[dict[str, Any]], dim: str, seed: int, margin: xr.DataArray) -> Any:
    """What is printed, by the closed form of all groups together, and by draws of a margin."""
    exact = dirichlet_multinomial.closed_form(dealt(cases, dim, seed).sum(dim)).values
    return {
        "cases": len(cases),
        "reproduced_by_closed_form": distances.reproduced(exact, cases),
        "max_abs_z_probability": distances.from_probability(margin, exact),
    }


def _dealt(table: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The examples of a table dealt out to parts at random, (part, outcome)."""
    examples = random.permutation(np.repeat(np.arange(3), table))
    return np.stack([np.bincount(part, minlength=3) for part in np.array_split(examples, PARTS)])
