"""Answers for all systems at once, from the mixture of normals that draws them together."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.blocks.work import Work, here
from betterthan.counts.shapes import pair_indices
from betterthan.exact.joint.mixture import Mixture
from betterthan.posterior import table
from betterthan.posterior.table import Question

DRAWS = 10_000  # for ranks alone: pairs need none


def of_mixture(
    found: Mixture,
    systems: Sequence[str],
    asked: Question,
    *,
    higher_is_better: bool = True,
    at_work: Work = here,
) -> xr.Dataset:
    """``among_prob_better``, ``among_difference_*`` and ``among_verdict`` over (system_a,
    system_b), without draws; intervals are equal-tailed.

    Parameters
    ----------
    found : Mixture
        Of abilities of which more is better.
    systems : sequence of str
    asked : Question
        Its rope is left to the pair alone.
    higher_is_better : bool, default True
        If not, differences are told as the scores stand: below 0 where A is better.
    at_work : callable
        Of `blocks.work`.
    """
    first, second = pair_indices(len(systems))
    middle = found.mean()
    middle = middle[first] - middle[second]
    answers = partial(found.answers, prob=asked.ci_prob)
    better, worse, low, high = at_work(answers, first, second, outputs=4)
    if not higher_is_better:
        middle, low, high = -middle, -high, -low
    parts = {
        "prob_better": better,
        "prob_worse": worse,
        "difference_mean": middle,
        "difference_lower": low,
        "difference_upper": high,
    }
    square = table.square_of(parts, list(systems), first, second)
    decided = table.with_verdicts(square, Question(threshold=asked.threshold))
    decided = decided.drop_vars("also_ahead")
    return decided.rename({name: f"among_{name}" for name in decided.data_vars})


def ranks_of(found: Mixture, systems: Sequence[str], asked: Question, seed: int) -> xr.Dataset:
    """``prob_best``, ``expected_rank``, ``rank_lower``, ``rank_upper``, ``in_best_set`` over
    system, and ``prob_rank``, from draws of the same mixture.
    """
    drawn = found.draws(DRAWS, np.random.default_rng(seed))[None]
    told = table.of_systems(drawn, systems, ci_prob=asked.ci_prob, independent=True)
    low, high = _ends(told["prob_rank"].values, asked.ci_prob)
    return told.assign(rank_lower=(names.SYSTEM, low), rank_upper=(names.SYSTEM, high))


def _ends(prob_rank: np.ndarray, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the equal-tailed interval of each rank."""
    below = prob_rank.cumsum(1)
    tail = (1 - prob) / 2
    return (below > tail).argmax(1) + 1, (below >= 1 - tail - 1e-12).argmax(1) + 1
