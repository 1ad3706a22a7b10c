"""Bayesian bootstrap of scores that come in blocks of items."""

from functools import partial

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.blocks.folding import folded
from betterthan.blocks.lazy import blocks_of
from betterthan.counts.in_blocks import rule_of
from betterthan.exact.blocks import resampling
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.signed import Signature

MOST = 2**28  # bytes of what one block says


def block_draws(
    data: xr.DataArray, statistic: str | None, unit: str, draws: int, rng: object
) -> xr.DataArray:
    """See `bootstrap_draws`: the draws are others than of the same scores in memory, for weights
    depend on the seed and the number of the item alone; how blocks are cut moves nothing.

    Raises
    ------
    ValueError
        If the statistic is not a mean, a score is missing, or items go together.
    """
    blocks, seed = blocks_of(data), one_seed(rng)
    draws = checks.whole(draws, "draws")
    checks.one_of(statistic or "mean", ("mean", "accuracy"), "statistic of scores in blocks,")
    single(unit)
    enough_room(draws, len(blocks.systems))
    see = partial(resampling.weighted, rule=rule_of(blocks, "error"), draws=draws, seed=seed)
    weighed = folded(blocks, see, resampling.added)
    if statistic == "accuracy" and weighed.graded:
        raise ValueError("accuracy needs scores of 0 and 1, and some are others; say mean")
    provenance = Signature(
        version=__version__,
        model="bayesian_bootstrap",
        statistic=statistic or "mean",
        n_items=blocks.items,
        higher_is_better=blocks.higher_is_better,
        seed=seed,
        unit=unit,
    )
    means = weighed.sums[:, :-1] / weighed.sums[:, -1:]
    return xr.DataArray(
        monte_carlo.widened(means, blocks.items, seed),
        dims=("draw", names.SYSTEM),
        coords={"draw": np.arange(draws), names.SYSTEM: list(blocks.systems)},
        attrs=provenance.to_attrs() | {"n_weighed": blocks.items},
        name="score",
    )


def single(unit: str) -> None:
    """Refuse items that go together."""
    if unit != names.ITEM:
        raise ValueError(
            f"unit={unit!r} needs scores in memory, and these are in blocks: each item is its own"
        )


def enough_room(draws: int, systems: int) -> None:
    """Refuse so many draws that sums of one block do not fit."""
    if draws * (systems + 1) * 8 > MOST:
        raise ValueError(
            f"{draws:,} draws of {systems:,} systems are more than a block may hold; give at most "
            f"{MOST // 8 // (systems + 1):,} draws"
        )
