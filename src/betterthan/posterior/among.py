"""Answers for all systems at once, from the posterior of their abilities."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.arrays import with_arrays
from betterthan.counts.shapes import pair_indices
from betterthan.exact.joint.abilities import Abilities
from betterthan.posterior import table
from betterthan.posterior.table import Question

DRAWS = 10_000  # for ranks alone: pairs need none


def of_pairs(
    found: Abilities,
    systems: Sequence[str],
    asked: Question,
    *,
    higher_is_better: bool = True,
    alone: bool = False,
) -> xr.Dataset:
    """``among_prob_better``, ``among_difference_*``, with a rope ``among_mass``, and
    ``among_verdict`` over (system_a, system_b), without draws.

    Parameters
    ----------
    found : Abilities
        Of which more is better.
    systems : sequence of str
    asked : Question
    higher_is_better : bool, default True
        If not, differences are told as the scores stand: below 0 where A is better.
    alone : bool, default False
        Whether "equivalent" is left to the pair by itself.
    """
    of = found.pairs(asked.ci_prob, asked.ci_kind, asked.rope, alone=alone)
    middle, low, high = of.mean, of.lower, of.upper
    if not higher_is_better:
        middle, low, high = -middle, -high, -low
    parts = {
        "prob_better": of.better,
        "prob_worse": of.worse,
        "difference_mean": middle,
        "difference_lower": low,
        "difference_upper": high,
    }
    if asked.rope:
        parts["mass"] = of.mass
    square = table.square_of(parts, list(systems), *pair_indices(len(systems)))
    decided = table.with_verdicts(square, asked).drop_vars(
        ["also_ahead", "beyond_rope"], errors="ignore"
    )
    return decided.rename({name: f"among_{name}" for name in decided.data_vars})


def ranks_of(found: Abilities, systems: Sequence[str], asked: Question, seed: int) -> xr.Dataset:
    """``prob_best``, ``expected_rank``, ``rank_lower``, ``rank_upper``, ``in_best_set`` over
    system, and ``prob_rank``, from draws of the same posterior.
    """
    drawn = found.draws(DRAWS, np.random.default_rng(seed))[None]
    told = table.of_systems(drawn, systems, ci_prob=asked.ci_prob, independent=True)
    low, high = _ends(told["prob_rank"].values, asked.ci_prob)
    return with_arrays(
        told, {"rank_lower": (names.SYSTEM, low), "rank_upper": (names.SYSTEM, high)}
    )


def _ends(prob_rank: np.ndarray, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the equal-tailed interval of each rank."""
    below = prob_rank.cumsum(1)
    tail = (1 - prob) / 2
    return (below > tail).argmax(1) + 1, (below >= 1 - tail - 1e-12).argmax(1) + 1
