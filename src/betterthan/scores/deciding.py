"""What resampled scores say of pairs: where units say all the same, and when a verdict is given."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan import names
from betterthan.exact.numeric import weights
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior import verdicts
from betterthan.posterior.table import Question
from betterthan.scores.evidence import Held

Parts = dict[str, np.ndarray]
_OF_ENDS = tuple(f"difference_{end}{of}" for end in ("lower", "upper") for of in ("", "_mcse"))


def decided(found: Parts, wins: np.ndarray, held: Held, asked: Question, size: float) -> Parts:
    """The answers with ``prob_more_wins`` and verdicts.

    Parameters
    ----------
    found : dict of str to numpy.ndarray, (system_a, system_b, ...)
        From joint draws.
    wins : numpy.ndarray, (system, system)
        Units on which the system of the row is ahead.
    held : Held
    asked : Question
    size : float
        The largest absolute score, beside which rounding is judged.
    """
    more = np.asarray(prob_above_half(1.0 + wins, 1.0 + wins.T))
    others = ~np.eye(len(wins), dtype=bool)
    found = found | {"wins": wins, "prob_more_wins": more}
    found |= _without_width(found, others, asked, size)
    behind = found["prob_better"].T
    found |= verdicts.of_masses(found, behind, others, asked.rope, asked.threshold)
    return found | _agreed(found, held, asked)


def _without_width(found: Parts, others: np.ndarray, asked: Question, size: float) -> Parts:
    """Where all units say the same of a pair there is no interval, and wins say who is better."""
    lower, upper = (found[f"difference_{end}"] for end in ("lower", "upper"))
    flat = ~weights.has_width(lower, upper, size) & others
    if not flat.any():
        return {}
    more = found["prob_more_wins"]
    masses = _masses(more) if asked.rope == 0 else np.full_like(found["mass"], np.nan)
    parts = {name: np.where(flat, np.nan, found[name]) for name in _OF_ENDS}
    parts["prob_better"] = np.where(flat, more, found["prob_better"])
    parts["prob_better_mcse"] = np.where(flat, 0.0, found["prob_better_mcse"])
    parts["mass"] = np.where(flat[..., None], masses, found["mass"])
    parts["mass_mcse"] = np.where(flat[..., None], masses * 0, found["mass_mcse"])
    return parts


def _masses(more: np.ndarray) -> np.ndarray:
    """Of both sides, and none between."""
    return np.stack([more.T, np.zeros(more.shape), more], axis=-1)


def _agreed(found: Parts, held: Held, asked: Question) -> Parts:
    """Verdicts that the numbers of wins agree with; none on rare labels, nor on a single unit."""
    more, verdict = found["prob_more_wins"], found["verdict"]
    sure, better = more >= asked.threshold, found["prob_better"]
    agrees = np.where(verdict == "a_better", sure, sure.T)
    sided = np.isin(verdict, ("a_better", "b_better"))
    verdict = np.where(sided & ~agrees, "undecided", verdict)
    also = found["also_ahead"] & np.where(better > 0.5, sure, sure.T)
    withheld = "no_data" if held.units < 2 else "no_verdict" if held.rare else ""
    if withheld:
        verdict = np.where(np.eye(len(verdict), dtype=bool), verdict, withheld)
        also = np.zeros_like(also)
    parts = {"verdict": verdict, "also_ahead": also}
    if "beyond_rope" in found:
        named = np.isin(verdict, ("a_better", "b_better"))
        parts["beyond_rope"] = found["beyond_rope"] & named
    return parts


def behind_top(verdict: np.ndarray, score: np.ndarray, higher_is_better: bool) -> np.ndarray:
    """Which systems the one of the highest score is found better than."""
    return verdict[int(np.argmax(score if higher_is_better else -score))] == "a_better"


def within(found: Any, low: float, high: float) -> dict[str, Any]:
    """Ends of intervals cut at what a score, and a difference of two, can be; draws are not."""
    widest = high - low
    ends = {f"score_{end}": (low, high) for end in ("lower", "upper")}
    ends |= {f"difference_{end}": (-widest, widest) for end in ("lower", "upper")}
    return {name: found[name].clip(*most) for name, most in ends.items()}


def warn(
    found: Parts, systems: list[str], held: Held, statistic: str, single: Sequence[str] = ()
) -> None:
    """One line for each reason to read less into the answer; `single` systems have all that their
    score counts in one unit.
    """
    flat = [systems[k] for k in np.flatnonzero(np.isnan(found["score_lower"]))]
    alike = np.argwhere(np.triu(np.isnan(found["difference_lower"])))
    pairs = [(systems[i], systems[j]) for i, j in alike.tolist()]
    flat = [k for k in flat if k not in single]
    pairs = [pair for pair in pairs if not set(pair) & set(single)]
    lines = [few_units(held.units), _rare_line(held), no_width(flat, statistic, pairs)]
    if single:
        each = _first([repr(k) for k in single])
        lines.append(
            f"no error of the {statistic} of {each}: without one unit nothing is left that it "
            "counts; pairs are answered by how many units each system won"
        )
    for line in filter(None, lines):
        warnings.warn(line, skip_file_prefixes=names.PACKAGE)


def few_units(units: int, what: str = "units") -> str:
    """A warning, or nothing."""
    if units >= names.UNITS_MIN:
        return ""
    number = f"{units} {what}" if units != 1 else f"1 {what.removesuffix('s')}"
    return (
        f"the score rests on {number}, fewer than {names.UNITS_MIN}: how sure the answer is, is "
        "little more than a guess"
    )


def _rare_line(held: Held) -> str:
    if not held.rare:
        return ""
    (label, number), *more = held.rare.items()
    others = f" and {len(more)} more labels" if len(more) > 1 else " and another" if more else ""
    return (
        f"{label!r} has {number} gold items{others}; the error of a macro-average rests on the "
        f"rarest label, so there is no verdict below {names.LABEL_ITEMS_MIN}, or where a label is "
        "in one unit alone"
    )


def no_width(systems: list[str], what: str, pairs: Sequence[tuple[str, str]] = ()) -> str:
    """A warning, or nothing: what is the same on every unit, so that nothing tells its error."""
    each, between = [repr(k) for k in systems], [f"{a!r} and {b!r}" for a, b in pairs]
    kinds = ((what, each), ("the difference", between))
    said = "; ".join(f"{kind} of {_first(who)}" for kind, who in kinds if who)
    return f"no interval where all units say the same: {said}" if said else ""


def _first(said: list[str]) -> str:
    more = f" and {len(said) - 3:,} more" if len(said) > 3 else ""
    return ", ".join(said[:3]) + more
