"""What missing scores may have done to an answer: where they are, and the answer with each of them
counted as wrong.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.asked import Asked
from betterthan.counts.scoring import counted
from betterthan.counts.ties import policy_applied
from betterthan.posterior import closed, differences
from betterthan.posterior.parameters import settled
from betterthan.posterior.verdicts import decide
from betterthan.results import numbers

_NAMED = 3  # systems, and pairs, that are named; more are counted
_LEFT_OUT = ("pairwise", "complete")


def missing_beside(found: Any, raw: xr.DataArray, asked: Asked) -> tuple[xr.Dataset, list[str]]:
    """Where scores are missing on hard or on easy items: what to warn of, and over (system_a,
    system_b) ``prob_better_if_wrong`` and ``verdict_if_wrong``.

    Parameters
    ----------
    found : Found
        Of which scores are looked at ``before`` the policy for missing ones.
    raw : xarray.DataArray, dims (system_a, system_b, outcome)
        Counts under that policy, before that for ties.
    asked : Asked

    Returns
    -------
    tuple of xarray.Dataset and list of str
        Both empty where no score is missing, or none for a reason that can be seen.
    """
    scores = found.before
    if found.kind != "scores" or asked.missing not in _LEFT_OUT:
        return xr.Dataset(), []
    if not np.isnan(scores.values.astype(float)).any():
        return xr.Dataset(), []
    from betterthan.counts.missing_scores import missing_by_difficulty

    missing = missing_by_difficulty(scores, rng=asked.rank_seed)
    if not bool(missing["differs"].any()):
        return xr.Dataset(), []
    wrong = counted(as_wrong(scores), asked.margin)
    now, then = _answer(raw, asked), _answer(wrong, asked)
    table = {"prob_better_if_wrong": then[0], "verdict_if_wrong": then[1]}
    coords = {k: raw[k].values for k in names.SQUARE}
    coords |= {names.SYSTEM: missing[names.SYSTEM].values}
    beside = xr.Dataset({k: (names.SQUARE, v) for k, v in table.items()}, coords=coords)
    beside["missing_differs"] = (names.SYSTEM, missing["differs"].values)
    told = [*_of_systems(missing), _of_verdicts(raw[names.SYSTEM_A].values.tolist(), now, then)]
    return beside, [" ".join(told)]  # one thing to warn of


def as_wrong(scores: xr.DataArray) -> xr.DataArray:
    """Scores with the worst where one is missing: 0 of scores within 0 and 1, else the worst that
    was seen.
    """
    values = scores.values.astype(float)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    better = bool(scores.attrs.get("higher_is_better", True))
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return scores.astype(float).fillna(low if better else high)


def _answer(raw: xr.DataArray, asked: Asked) -> tuple[np.ndarray, np.ndarray]:
    """P(A better) and the verdict of every pair, in closed form."""
    policy = "third" if asked.ties == "all" else asked.ties
    of, question = settled(policy_applied(raw, policy), asked.prior), asked.question
    p, within = closed.better(of).transpose(*names.SQUARE).values, np.zeros(())
    rope = 0.0 if asked.quantity == "mean" else question.rope  # wins know no units of a score
    if rope:
        mass = differences.masses(of, rope).sel({names.REGION: "rope"})
        within = mass.transpose(*names.SQUARE).values
    return p, decide(p, p.T, within, rope, question.threshold)[0]


def _of_systems(found: xr.Dataset) -> list[str]:
    """A sentence on each system whose scores are missing where items are hard, or easy."""
    from betterthan.auditing.of_answers import difficulty_message

    named = [str(s) for s in found[names.SYSTEM].values[found["differs"].values]]
    tested = int(found["p_value"].notnull().sum())
    said = [difficulty_message(found.sel({names.SYSTEM: name}), tested) for name in named[:_NAMED]]
    more = len(named) - _NAMED
    return said + ([f"So it is of {more} more systems."] if more > 0 else [])


def _of_verdicts(
    systems: list[str],
    now: tuple[np.ndarray, np.ndarray],
    then: tuple[np.ndarray, np.ndarray],
) -> str:
    """What becomes of the verdicts if every missing score is counted as wrong."""
    said = "With every missing score counted as wrong"
    if len(systems) == 2:
        p, q = (numbers.probability(of[0][0, 1]) for of in (then, now))
        better = " is better than ".join(systems)
        return f"{said}, {better} with probability {p}; with those left out, {q}."
    pairs = list(zip(*np.triu_indices(len(systems), 1), strict=True))
    changed = [pair for pair in pairs if now[1][pair] != then[1][pair]]
    if not changed:
        return f"{said}, no verdict changes (wins, losses and ties, in closed form)."
    told = [
        f"{systems[i]} and {systems[j]}: "
        + " becomes ".join(_words(of[1][i, j], systems[i], systems[j]) for of in (now, then))
        for i, j in changed[:_NAMED]
    ]
    told += [f"and {len(changed) - _NAMED} more"] if len(changed) > _NAMED else []
    return f"{said}, {len(changed)} of {len(pairs)} verdicts change: {'; '.join(told)}."


def _words(verdict: str, a: str, b: str) -> str:
    return {"a_better": f"{a} better", "b_better": f"{b} better"}.get(str(verdict), str(verdict))
