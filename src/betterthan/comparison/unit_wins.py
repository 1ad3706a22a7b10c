"""Wins less losses on units of evidence, such as clusters."""

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.scoring import item_outcomes
from betterthan.counts.shapes import to_pairs
from betterthan.counts.tallies import tally_scores
from betterthan.counts.ties import policy_applied
from betterthan.counts.units import CLUSTER, ids_of
from betterthan.exact.joint.units import summed

_DROPPED = "drop"
_TO_A, _TO_B = "to_a", "to_b"


def of_items(plain: xr.DataArray, margin: float, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """Wins less losses, and examples, of each cluster (cluster, pair), from scores or tallies."""
    scored = tally_scores(plain) if names.TALLY in plain.dims else plain
    found = item_outcomes(scored, margin=margin)
    outcome, seen = found["outcome"].values, found["observed"].values
    if ties in (_TO_A, _TO_B):
        outcome = np.where(outcome == 0, 1 if ties == _TO_A else -1, outcome) * seen
    seen = (outcome != 0) if ties == _DROPPED else seen
    place = pd.factorize(ids_of(plain, CLUSTER))[0]
    return summed(outcome.astype(float), place), summed(seen.astype(float), place)


def of_counts(counts: xr.DataArray, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """The same of counts with a dim cluster, pooled over data sets and more."""
    known = (*names.SQUARE, names.PAIR, names.OUTCOME, CLUSTER)
    counts = counts.sum([d for d in counts.dims if d not in known], keep_attrs=True)
    under = policy_applied(counts, "third" if ties == "all" else ties)
    pairs = to_pairs(under) if names.SYSTEM_A in under.dims else under
    each = pairs.transpose(CLUSTER, names.PAIR, names.OUTCOME).values.astype(float)
    return each[..., 0] - each[..., 1], each.sum(-1)
