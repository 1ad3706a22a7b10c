"""Answers for all systems at once, from the posterior of their abilities."""

from collections.abc import Sequence

import numpy as np

from betterthan import names
from betterthan.counts.arrays import Arrays
from betterthan.counts.shapes import pair_indices
from betterthan.exact.joint.abilities import Abilities
from betterthan.posterior import table
from betterthan.posterior.table import Question

DRAWS = 10_000  # for ranks alone: pairs need none


def of_pairs(
    abilities: Abilities,
    systems: Sequence[str],
    question: Question,
    *,
    higher_is_better: bool = True,
    alone: bool = False,
) -> Arrays:
    """``among_prob_better``, ``among_difference_*``, with a rope ``among_mass``, and
    ``among_verdict`` over (system_a, system_b), without draws.

    Parameters
    ----------
    abilities : Abilities
        Of which more is better.
    systems : sequence of str
    question : Question
    higher_is_better : bool, default True
        If not, differences are given as the scores stand: below 0 where A is better.
    alone : bool, default False
        Whether "equivalent" is left to the pair by itself.
    """
    pairs = abilities.pairs(question.ci_prob, question.ci_kind, question.rope, alone=alone)
    middle, low, high = pairs.mean, pairs.lower, pairs.upper
    if not higher_is_better:
        middle, low, high = -middle, -high, -low
    parts = {
        "prob_better": pairs.better,
        "prob_worse": pairs.worse,
        "difference_mean": middle,
        "difference_lower": low,
        "difference_upper": high,
    }
    if question.rope:
        parts["mass"] = pairs.mass
    squares = table.squares(parts, len(systems), *pair_indices(len(systems)))
    answers = table.exact_table(squares, systems, question, facts=squares)
    return answers.renamed([*squares, "verdict"], "among_")


def ranks_of(abilities: Abilities, question: Question, seed: int) -> Arrays:
    """``prob_best``, ``expected_rank``, ``rank_lower``, ``rank_upper``, ``in_best_set`` over
    system, and ``prob_rank``, from draws of the same posterior.
    """
    drawn = abilities.draws(DRAWS, np.random.default_rng(seed))[None]
    ranks = table.ranks(drawn, question.ci_prob, independent=True)
    low, high = _limits(ranks["prob_rank"][1], question.ci_prob)
    return ranks | {"rank_lower": ((names.SYSTEM,), low), "rank_upper": ((names.SYSTEM,), high)}


def _limits(prob_rank: np.ndarray, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """The equal-tailed interval of each rank."""
    below = prob_rank.cumsum(1)
    tail = (1 - prob) / 2
    return (below > tail).argmax(1) + 1, (below >= 1 - tail - 1e-12).argmax(1) + 1
