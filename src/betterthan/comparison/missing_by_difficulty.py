"""Whether scores are missing on hard or easy items, and the answer with each counted as wrong."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.loaded import LoadedData
from betterthan.comparison.options import Options
from betterthan.counts.counting import counted
from betterthan.counts.shapes import Arrays
from betterthan.counts.ties import policy_applied
from betterthan.posterior import closed, differences
from betterthan.posterior.parameters import posterior_parameters
from betterthan.posterior.verdicts import decide
from betterthan.results import numbers

_NAMED = 3  # systems, and pairs, that are named; more are counted
_LEFT_OUT = ("pairwise", "complete")  # policies under which a missing score is not used


def difficulty_of_missing(
    loaded: LoadedData, raw_counts: xr.DataArray, options: Options
) -> tuple[Arrays, list[str]]:
    """Where scores are missing on hard or on easy items: over (system_a, system_b)
    ``prob_better_if_wrong`` and ``verdict_if_wrong``, and what to warn of.

    Parameters
    ----------
    loaded : LoadedData
    raw_counts : xarray.DataArray, dims (system_a, system_b, outcome)
        Counts under the policy for missing scores, before that for ties.
    options : Options

    Returns
    -------
    tuple of arrays and list of str
        Both empty where no score is missing, or none for a reason that can be seen.
    """
    scores = loaded.observed
    if loaded.kind != "scores" or options.missing not in _LEFT_OUT:
        return {}, []
    if not np.isnan(scores.values.astype(float)).any():
        return {}, []
    from betterthan.counts.missing_scores import missing_by_difficulty

    missing = missing_by_difficulty(scores, rng=options.rank_seed)
    if not bool(missing["differs"].any()):
        return {}, []
    wrong = counted(as_wrong(scores), options.margin)
    now, then = _answer(raw_counts, options), _answer(wrong, options)
    columns: Arrays = {
        "prob_better_if_wrong": (names.SQUARE, then[0]),
        "verdict_if_wrong": (names.SQUARE, then[1]),
        "missing_differs": ((names.SYSTEM,), missing["differs"].values),
    }
    systems = raw_counts[names.SYSTEM_A].values.tolist()
    sentences = [*_of_systems(missing), _of_verdicts(systems, now, then)]
    return columns, [" ".join(sentences)]  # one thing to warn of


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


def _answer(raw_counts: xr.DataArray, options: Options) -> tuple[np.ndarray, np.ndarray]:
    """P(A better) and the verdict of every pair, in closed form."""
    # wins know no units of a score
    rope = 0.0 if options.quantity == "mean" else options.question.rope
    return closed_verdicts(raw_counts, options.tie_policy, options, rope)


def closed_verdicts(
    raw_counts: xr.DataArray, ties: str, options: Options, rope: float
) -> tuple[np.ndarray, np.ndarray]:
    """P(A better) and the verdict of every pair of counts, under a policy for ties."""
    of = posterior_parameters(policy_applied(raw_counts, ties), options.prior)
    better = closed.better(of)
    within = differences.masses(of, rope)[..., 1] if rope else np.zeros(())
    return better, decide(better, better.T, within, rope, options.question.threshold)[0]


def _of_systems(missing: xr.Dataset) -> list[str]:
    """A sentence on each system whose scores are missing where items are hard, or easy."""
    from betterthan.auditing.answer_checks import difficulty_message

    systems = [str(s) for s in missing[names.SYSTEM].values[missing["differs"].values]]
    tested = int(missing["p_value"].notnull().sum())
    sentences = [
        difficulty_message(missing.sel({names.SYSTEM: s}), tested) for s in systems[:_NAMED]
    ]
    more = len(systems) - _NAMED
    return sentences + ([f"So it is of {more} more systems."] if more > 0 else [])


def _of_verdicts(
    systems: list[str],
    now: tuple[np.ndarray, np.ndarray],
    then: tuple[np.ndarray, np.ndarray],
) -> str:
    """What becomes of the verdicts if every missing score is counted as wrong."""
    condition = "With every missing score counted as wrong"
    if len(systems) == 2:
        p, q = (numbers.probability(answer[0][0, 1]) for answer in (then, now))
        better = " is better than ".join(systems)
        return f"{condition}, {better} with probability {p}; with those left out, {q}."
    pairs = list(zip(*np.triu_indices(len(systems), 1), strict=True))
    changed = [pair for pair in pairs if now[1][pair] != then[1][pair]]
    if not changed:
        return f"{condition}, no verdict changes (wins, losses and ties, in closed form)."
    changes = [
        f"{systems[i]} and {systems[j]}: "
        + " becomes ".join(
            _words(answer[1][i, j], systems[i], systems[j]) for answer in (now, then)
        )
        for i, j in changed[:_NAMED]
    ]
    changes += [f"and {len(changed) - _NAMED} more"] if len(changed) > _NAMED else []
    return f"{condition}, {len(changed)} of {len(pairs)} verdicts change: {'; '.join(changes)}."


def _words(verdict: str, a: str, b: str) -> str:
    return {"a_better": f"{a} better", "b_better": f"{b} better"}.get(str(verdict), str(verdict))
