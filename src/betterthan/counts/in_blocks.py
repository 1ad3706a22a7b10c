"""Count wins, losses and ties of scores that come in blocks of items."""

from functools import partial

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.blocks.lazy import Blocks, blocks_of, folded
from betterthan.counts.counting import need_a_shared_item
from betterthan.counts.shapes import origin, square_array
from betterthan.exact.blocks import Rule, Tables, added, block_tables, slack_of
from betterthan.signed import Signature


def count_blocks(data: xr.DataArray, *, margin: float, missing: str) -> xr.DataArray:
    """The same as `count` of scores in memory; each block is read once.

    Scores that differ by no more than the rounding of a larger score in another block are counted
    again, which reads the blocks a second time.
    """
    blocks, margin = blocks_of(data), checks.margin(margin)
    checks.one_of(missing, names.MISSING, "missing")
    counts = counts_of(blocks, tables_of(blocks, margin, missing), margin)
    return counts.assign_attrs(missing=missing)


def rule_of(blocks: Blocks, missing: str) -> Rule:
    """Return how numbers are read under a policy for missing scores."""
    return Rule(blocks.systems, blocks.code, missing, 0.0 if blocks.higher_is_better else 1.0)


def tables_of(blocks: Blocks, margin: float, missing: str, *, mark: bool = False) -> Tables:
    """Accumulate the outcomes of all pairs over all blocks."""
    see = partial(block_tables, rule=rule_of(blocks, missing), margin=margin, mark=mark)
    tables = folded(blocks, see, added)
    slack = slack_of(tables, margin, blocks.scores.dtype)
    if tables.nearest <= slack:
        tables = folded(blocks, partial(see, slack=slack), added)
    if tables.blank and missing == "wrong" and (tables.low < 0 or tables.high > 1):
        raise ValueError(
            "missing='wrong' needs scores within 0 and 1; these run from "
            f"{tables.low:g} to {tables.high:g}"
        )
    if tables.blank and missing == "complete" and not tables.items:
        raise ValueError(
            "no item has a score for every system; leave out systems with few scores, or use "
            "missing='pairwise'"
        )
    return tables


def counts_of(blocks: Blocks, tables: Tables, margin: float) -> xr.DataArray:
    """Counts as a labelled square, of which more is better."""
    wins = tables.wins if blocks.higher_is_better else tables.wins.T
    square = np.stack([wins, wins.T, tables.shared - wins - wins.T], axis=-1)
    need_a_shared_item(tables.shared, list(blocks.systems))
    counts = square_array(square, list(blocks.systems), {}).assign_coords(
        n_used=(names.SQUARE, tables.shared), n_dropped=(names.SQUARE, blocks.items - tables.shared)
    )
    provenance = Signature(
        unit=names.ITEM, n_items=blocks.items, margin=margin, missing="pairwise", ties="third"
    )
    graded = {"graded": 1} if tables.graded else {}
    attrs = origin(blocks.scores, "higher_is_better") | provenance.to_attrs() | graded
    return counts.assign_attrs(attrs)
