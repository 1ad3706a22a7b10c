"""What every policy for ties would have said."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.counts.ties import POLICIES, mirror_of, policy_applied
from betterthan.posterior import closed, differences
from betterthan.posterior.parameters import settled
from betterthan.posterior.verdicts import decide


def every_policy(given: Given, asked: Asked) -> xr.Dataset:
    """P(A better) and the verdict under every tie policy, and where they do not agree; nothing
    where it was not asked.
    """
    if asked.ties != "all":
        return xr.Dataset()
    schemas.ties_known(given.raw, "ties='all'")
    found = {policy.name: _under(given, asked, policy.name) for policy in POLICIES}
    # in every cell, to_a is for the system_a of that cell, also below the diagonal
    below = np.tril(np.ones(given.raw.shape[:2], dtype=bool), -1)
    told = {
        name: [np.where(below, found[mirror_of(name)][k], found[name][k]) for k in (0, 1)]
        for name in found
    }
    better, verdicts = (np.array([of[k] for of in told.values()]) for k in (0, 1))
    dims = (names.TIES_POLICY, *names.SQUARE)
    coords = {names.TIES_POLICY: list(told)} | {k: given.raw[k].values for k in names.SQUARE}
    table = {
        "prob_better_by_ties": (dims, better),
        "verdict_by_ties": (dims, verdicts),
        "ties_flip": (names.SQUARE, (verdicts != verdicts[0]).any(0)),
    }
    return xr.Dataset(table, coords=coords)


def _under(given: Given, asked: Asked, policy: str) -> tuple[np.ndarray, np.ndarray]:
    """P(A better) and the verdicts under one policy."""
    of = settled(policy_applied(given.raw, policy), asked.prior)
    p = closed.better(of).values
    within: Any = 0.0
    if asked.question.rope:
        within = differences.masses(of, asked.question.rope).sel({names.REGION: "rope"}).values
    return p, decide(p, p.T, within, asked.question.rope, asked.question.threshold)[0]
