"""Randomization of scores that come in blocks of items: swaps by the item's number, the same ones
however blocks are cut.
"""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.blocks.folding import folded
from betterthan.blocks.lazy import Blocks, blocks_of
from betterthan.counts.in_blocks import rule_of
from betterthan.counts.shapes import pair_indices
from betterthan.exact.blocks import resampling
from betterthan.exact.blocks.resampling import Counted, Sums
from betterthan.exact.swaps import randomization
from betterthan.exact.wins.sign import sign_p
from betterthan.signed import Signature
from betterthan.significance import nulls
from betterthan.significance.corrections import adjusted_square

_ROUNDING = 1e-12  # of the sizes of all scores: sums closer than that are equal
_HELD = 2**22  # sums of pairs at once
_MOST = 2**28  # bytes of what one block says


def randomize_blocks(
    data: xr.DataArray, statistic: Any, options: dict[str, Any], seed: int, **tables: Any
) -> xr.Dataset:
    """See `randomization_test`; swaps are others than of the same scores in memory.

    Parameters
    ----------
    data : xarray.DataArray
    statistic : str, optional
    options : dict
        The other choices.
    seed : int
    **tables
        ``sided`` and ``how_sure``: from tails of pairs to squares.

    Raises
    ------
    ValueError
        If what is asked needs scores in memory, or a score is missing.
    """
    blocks = blocks_of(data)
    _possible(blocks, statistic, options)
    counted = _read(blocks, options, seed)
    binomial = not counted.tables.graded and options["method"] != "monte_carlo"
    if counted.tables.graded and options["method"] == "exact":
        raise ValueError(
            "method='exact' is not possible in blocks of graded scores; use method='monte_carlo'"
        )
    sign = 1 if blocks.higher_is_better else -1
    tails = (
        _exact(counted, sign) if binomial or counted.sums is None else _sampled(counted.sums, sign)
    )
    result = _assembled(blocks, counted, tails, options | tables)
    provenance = Signature(
        version=betterthan.__version__,
        statistic=statistic or "mean",
        n_items=blocks.items,
        method="binomial" if binomial else "monte_carlo",
        seed=None if binomial else seed,
        shuffles=None if binomial else options["shuffles"],
        correction=options["correction"],
    )
    choices = {k: options[k] for k in ("alternative", "unit", "cutoff")}
    why = "every swap counts" if binomial else "scores are in blocks"
    description = {"test": "randomization", "reason": why, "sampled": int(not binomial)}
    return result.assign_attrs(provenance.to_attrs() | description | choices)


def _possible(blocks: Blocks, statistic: Any, options: dict[str, Any]) -> None:
    """Refuse what needs all scores at once."""
    choices = ("mean", "accuracy")
    if callable(statistic) or (statistic or "mean") not in choices:
        raise ValueError(
            f"statistic is {checks.shown(statistic)}; of scores in blocks choose one of "
            f"{', '.join(choices)}"
        )
    wanted = {"unit": names.ITEM, "stop_after": None}
    for name, only in wanted.items():
        if options[name] != only:
            raise ValueError(f"{name}={options[name]!r} needs scores in memory, not in blocks")
    checks.one_of(options["correction"], names.CORRECTIONS, "correction of scores in blocks,")
    if options["shuffles"] * (len(blocks.systems) + 1) * 8 > _MOST:
        raise ValueError(
            f"{options['shuffles']:,} shuffles of {len(blocks.systems):,} systems are more than a "
            f"block may hold; give at most {_MOST // 8 // (len(blocks.systems) + 1):,} shuffles"
        )


def _read(blocks: Blocks, options: dict[str, Any], seed: int) -> Counted:
    """One reading; a second where some blocks hold 0 and 1 alone, and others do not."""
    see = partial(
        resampling.counted_and_swapped,
        rule=rule_of(blocks, "error"),
        draws=options["shuffles"],
        seed=seed,
    )
    always = options["method"] == "monte_carlo"
    counted = folded(blocks, partial(see, always=always), resampling.both_added)
    if counted.tables.graded and counted.sums is None:
        return folded(blocks, partial(see, always=True), resampling.both_added)
    return counted


def _exact(counted: Counted, sign: int) -> nulls.Tails:
    """Tails for scores of 0 and 1: swaps of items on which two systems differ are binomial."""
    first, second = pair_indices(len(counted.tables.wins))
    wins, losses = counted.tables.wins[first, second], counted.tables.wins[second, first]
    if sign < 0:
        wins, losses = losses, wins
    return nulls.Tails(np.stack([sign_p(wins, losses, side) for side in names.ALTERNATIVES]))


def _sampled(sums: Sums, sign: int) -> nulls.Tails:
    """All three tails of every pair, counted in the same swaps."""
    moved, totals = sign * sums.sums[:, :-1], sign * sums.totals[:-1]
    first, second = pair_indices(len(totals))
    step = max(1, _HELD // len(moved))
    parts = [
        _reached(moved, totals, sums.sizes, first[k : k + step], second[k : k + step])
        for k in range(0, len(first), step)
    ]
    counted = np.concatenate(parts, axis=1)
    done = np.full(counted.shape, len(moved))
    return nulls.Tails(randomization.monte_carlo_p(counted, done), counted, done)


def _reached(
    moved: np.ndarray, totals: np.ndarray, sizes: np.ndarray, a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Number of swaps that reach the difference of each pair: two-sided, greater, less."""
    observed = totals[a] - totals[b]
    swapped = observed - 2 * (moved[:, a] - moved[:, b])
    slack = _ROUNDING * (sizes[a] + sizes[b])
    two = np.abs(swapped) >= np.abs(observed) - slack
    sides = two, swapped >= observed - slack, swapped <= observed + slack
    return np.stack([side.sum(0) for side in sides])


def _select_side(tails: nulls.Tails, side: str) -> nulls.Tails:
    rows = [nulls.TWO_SIDED] if side == "two-sided" else [nulls.GREATER, nulls.LESS]
    if tails.exceedances is None or tails.shuffles is None:
        return nulls.Tails(tails.p[rows])
    return nulls.Tails(tails.p[rows], tails.exceedances[rows], tails.shuffles[rows])


def _assembled(
    blocks: Blocks, counted: Counted, tails: nulls.Tails, options: dict[str, Any]
) -> xr.Dataset:
    """The table of `randomization_test`."""
    side, sided = options["alternative"], options["sided"]
    side_tails = _select_side(tails, side)
    score = np.diag(counted.tables.sums) / blocks.items
    differ = counted.tables.wins + counted.tables.wins.T
    least = 0.5**differ * (2.0 if side == "two-sided" else 1.0)
    if side_tails.shuffles is not None:
        least = np.maximum(least, 1 / (options["shuffles"] + 1))
    table: dict[str, Any] = {
        "p_value": sided(side_tails.p, side, 1.0),
        "difference": score[:, None] - score,
        "n": counted.tables.shared,
        "n_differ": differ,
        "smallest_p": np.minimum(least, 1.0),
    }
    table |= options["how_sure"](side_tails, side, options["cutoff"])
    variables = {name: xr.Variable(names.SQUARE, values) for name, values in table.items()}
    variables["score"] = xr.Variable(names.SYSTEM, score)
    variables["p_adjusted"] = adjusted_square(table["p_value"], options["correction"])
    systems = list(blocks.systems)
    return xr.Dataset(variables, coords=dict.fromkeys((*names.SQUARE, names.SYSTEM), systems))
