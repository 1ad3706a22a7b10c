"""The tie policies, one row each, and counts under one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.shapes import to_pairs, to_square


@dataclass(frozen=True)
class Policy:
    """What happens to ties, from the side of system A."""

    name: str
    mirror: str  # the policy that does the same when A and B are exchanged
    words: str  # of a report
    halves: tuple[int, int] = (0, 0)  # halves of the ties that A and B are given, as wins
    keeps_ties: bool = False  # as an outcome of their own

    def settle(self, wins: Any, losses: Any, ties: Any) -> tuple[Any, Any]:
        """Wins and losses of A with what the policy gives of the ties; of an odd one no half."""
        to_a, to_b = self.halves
        return wins + ties * to_a // 2, losses + ties * to_b // 2

    def left_out(self, ties: Any) -> Any:
        """How many ties are counted nowhere."""
        if self.keeps_ties:
            return 0 * ties
        to_a, to_b = self.settle(0, 0, ties)
        return ties - to_a - to_b

    @property
    def needs_ties(self) -> bool:
        """Whether the number of ties must be known."""
        return self.keeps_ties or any(self.halves)


POLICIES = (
    Policy("third", "third", "ties kept", keeps_ties=True),
    Policy("drop", "drop", "ties dropped"),
    Policy("half", "half", "ties split half and half", halves=(1, 1)),
    Policy("to_a", "to_b", "ties to the system named first", halves=(2, 0)),
    Policy("to_b", "to_a", "ties to the system named second", halves=(0, 2)),
)


def policy_of(name: str) -> Policy:
    """The row of a tie policy."""
    rows = {policy.name: policy for policy in POLICIES}
    return rows[checks.one_of(name, tuple(rows), "ties")]


def mirror_of(name: str) -> str:
    """The policy that does the same when A and B are exchanged."""
    return policy_of(name).mirror


def need_ties(counts: xr.DataArray, ties: str) -> None:
    """Refuse a policy that needs ties where there are none: unknown, or settled already."""
    if counts.sizes[names.OUTCOME] == len(names.OUTCOMES):
        return
    schemas.ties_known(counts, f"ties={ties!r}")
    raise ValueError(
        f"ties={ties!r} needs ties, and in these counts {counts.attrs['ties']!r} is applied; say "
        "ties='drop'"
    )


def apply_ties(counts: xr.DataArray, ties: str) -> xr.DataArray:
    """Return the counts after a policy for ties.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome)
        Counts with ties.
    ties : {"third", "drop", "half", "to_a", "to_b"}
        Policy. ``third`` keeps ties as an outcome of their own. ``drop`` leaves them out. ``half``
        gives half of them to each side and leaves out an odd one. ``to_a`` and ``to_b`` give all to
        one side; in a square, A is system_a.

    Returns
    -------
    xarray.DataArray
        For ``third``, the input. Otherwise only wins and losses, with ``attrs["ties"]`` set.

    Raises
    ------
    ValueError
        If the policy is unknown, or needs ties that are not known.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (8, 1, 11)})
    >>> apply_ties(counts, "half").sel(system_a="A", system_b="B").values.tolist()
    [13, 6]
    """
    return policy_applied(schemas.counts(counts), ties)


def policy_applied(counts: xr.DataArray, ties: str) -> xr.DataArray:
    """The same of counts that are checked already."""
    policy = policy_of(ties)
    if policy.keeps_ties:
        return counts
    square = set(names.SQUARE) <= set(counts.dims)
    if square and policy.mirror != policy.name:
        return to_square(policy_applied(to_pairs(counts), ties))
    decisive = counts.isel({names.OUTCOME: slice(2)}).copy()
    if policy.needs_ties:
        need_ties(counts, ties)
        wins, losses, tied = np.moveaxis(counts.values.astype(np.int64), -1, 0)
        decisive.values[..., 0], decisive.values[..., 1] = policy.settle(wins, losses, tied)
        if square:  # a system does not beat itself
            itself = decisive[names.SYSTEM_A] == decisive[names.SYSTEM_B]
            decisive = decisive.where(~itself, 0)
    decisive.attrs = counts.attrs | {"ties": ties}
    return decisive
