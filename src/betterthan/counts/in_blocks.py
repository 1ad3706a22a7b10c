"""Wins, losses and ties of scores that come in blocks of items."""

from functools import partial

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.blocks.folding import folded
from betterthan.blocks.lazy import Blocks, blocks_of
from betterthan.counts.arrays import origin
from betterthan.counts.scoring import need_a_shared_item
from betterthan.counts.shapes import square_array
from betterthan.exact.blocks import outcomes
from betterthan.exact.blocks.leaves import Rule
from betterthan.exact.blocks.outcomes import Tables
from betterthan.signed import Signature


def count_blocks(
    data: xr.DataArray, *, margin: float = 0.0, missing: str = "pairwise"
) -> xr.DataArray:
    """The same as `count` of scores in memory; each block is read once.

    Scores that differ by no more than the rounding of a larger score in another block are counted
    again, which reads the blocks a second time.
    """
    of, margin = blocks_of(data), checks.margin(margin)
    checks.one_of(missing, names.MISSING, "missing")
    return counts_of(of, tables_of(of, margin, missing), margin).assign_attrs(missing=missing)


def rule_of(of: Blocks, missing: str) -> Rule:
    """How numbers are read, under a policy for missing scores."""
    return Rule(of.systems, of.code, missing, 0.0 if of.higher_is_better else 1.0)


def tables_of(of: Blocks, margin: float, missing: str, *, mark: bool = False) -> Tables:
    """What all blocks say of all pairs."""
    rule = rule_of(of, missing)
    see = partial(outcomes.tables, rule=rule, margin=margin, mark=mark)
    found = folded(of, see, outcomes.added)
    slack = outcomes.slack_of(found, margin, of.scores.dtype)
    if found.nearest <= slack:
        found = folded(of, partial(see, slack=slack), outcomes.added)
    if found.blank and missing == "wrong" and (found.low < 0 or found.high > 1):
        raise ValueError(
            "missing='wrong' needs scores within 0 and 1; these run from "
            f"{found.low:g} to {found.high:g}"
        )
    if found.blank and missing == "complete" and not found.items:
        raise ValueError(
            "no item has a score for every system; leave out systems with few scores, or use "
            "missing='pairwise'"
        )
    return found


def counts_of(of: Blocks, found: Tables, margin: float) -> xr.DataArray:
    """Counts as a labelled square, of which more is better."""
    wins = found.wins if of.higher_is_better else found.wins.T
    square = np.stack([wins, wins.T, found.shared - wins - wins.T], axis=-1)
    need_a_shared_item(found.shared, list(of.systems))
    counts = square_array(square, list(of.systems), {}).assign_coords(
        n_used=(names.SQUARE, found.shared), n_dropped=(names.SQUARE, of.items - found.shared)
    )
    made = Signature(
        unit=names.ITEM, n_items=of.items, margin=margin, missing="pairwise", ties="third"
    )
    return counts.assign_attrs(origin(of.scores, "higher_is_better") | made.to_attrs())
