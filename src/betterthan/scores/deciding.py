"""Verdicts of resampled scores: how much their data hold, and when a verdict is given.

How much the data of resampled scores hold: units that count, gold items of each label, and
whether a row is one mention.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.responses import Responses
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior import verdicts
from betterthan.posterior.table import Question


@dataclass(frozen=True)
class Held:
    """Of one statistic."""

    units: int  # that the statistic rests on
    rare: dict[str, int]  # labels of a macro average, with so few gold items
    only_predicted: tuple[str, ...] = ()  # labels that no gold item has

    def to_attrs(self) -> dict[str, Any]:
        """As attrs that netCDF can hold."""
        rare = ", ".join(f"{label} ({number:,})" for label, number in self.rare.items())
        without = {"rare_labels": rare, "no_joint": f"these labels have too few items: {rare}"}
        return {"n_weighed": self.units} | (without if rare else {})


def held(data: xr.DataArray, responses: Responses) -> Held:
    """What a statistic rests on: the units that hold any of its tallies, for a macro average those
    of the label that is on the fewest.
    """
    values = responses.values
    if responses.kind == "ratio":
        return Held(int(values.reshape(len(values), -1).any(1).sum()), {})
    if responses.kind != "macro":
        return Held(len(values), {})
    tallies = data.sel({names.TALLY: ["tp", "fn"]}).sum((names.ITEM, names.TALLY))
    gold = tallies.max(names.SYSTEM).values / int(data.attrs.get("scale", 1))
    labels = _labels(data)
    present = gold > 0  # a label that is only predicted has an F of 0, and no error
    on_units = values.any((1, 3)).sum(0)
    rare = present & ((gold < names.LABEL_ITEMS_MIN) | (on_units < 2))
    named = {labels[k]: int(gold[k]) for k in np.argsort(gold, kind="stable") if rare[k]}
    # one unit says nothing of a label's error, two next to nothing
    fewest = max(int(on_units[present].min(initial=len(values))), min(2, len(values)))
    return Held(fewest, named, tuple(labels[k] for k in np.flatnonzero(~present)))


def _labels(data: xr.DataArray) -> list[str]:
    if names.LABEL in data.coords:
        return [str(k) for k in data[names.LABEL].values]
    return [f"label {k + 1}" for k in range(data.sizes[names.LABEL])]


def single_mentions(tallies: xr.DataArray) -> bool:
    """Whether no system has more than one gold and one predicted mention in a row (item, system,
    tally).
    """
    most = int(tallies.attrs.get("scale", 1))
    tp, fp, fn = (tallies.sel({names.TALLY: k}) for k in ("tp", "fp", "fn"))
    return bool((tp + fp <= most).all() and (tp + fn <= most).all())


Parts = dict[str, np.ndarray]
_BOUNDS = tuple(f"difference_{end}{error}" for end in ("lower", "upper") for error in ("", "_mcse"))


def decided(answers: Parts, wins: np.ndarray, held: Held, question: Question, size: float) -> Parts:
    """The answers with ``prob_more_wins`` and verdicts.

    Parameters
    ----------
    answers : dict of str to numpy.ndarray, (system_a, system_b, ...)
        From joint draws.
    wins : numpy.ndarray, (system, system)
        Units on which the system of the row is ahead.
    held : Held
    question : Question
    size : float
        The largest absolute score, beside which rounding is judged.
    """
    more = np.asarray(prob_above_half(1.0 + wins, 1.0 + wins.T))
    others = ~np.eye(len(wins), dtype=bool)
    answers = answers | {"wins": wins, "prob_more_wins": more}
    answers |= _without_width(answers, others, question, size)
    behind = answers["prob_better"].T
    answers |= verdicts.of_masses(answers, behind, others, question.rope, question.threshold)
    return answers | _agreed(answers, held, question)


def _without_width(answers: Parts, others: np.ndarray, question: Question, size: float) -> Parts:
    """If all units show the same difference there is no interval; wins then decide."""
    lower, upper = (answers[f"difference_{end}"] for end in ("lower", "upper"))
    flat = ~monte_carlo.has_width(lower, upper, size) & others
    if not flat.any():
        return {}
    more = answers["prob_more_wins"]
    masses = np.full_like(answers["mass"], np.nan)
    if question.rope == 0:
        masses = np.stack([more.T, np.zeros(more.shape), more], axis=-1)
    parts = {name: np.where(flat, np.nan, answers[name]) for name in _BOUNDS}
    parts["prob_better"] = np.where(flat, more, answers["prob_better"])
    parts["prob_better_mcse"] = np.where(flat, 0.0, answers["prob_better_mcse"])
    parts["mass"] = np.where(flat[..., None], masses, answers["mass"])
    parts["mass_mcse"] = np.where(flat[..., None], masses * 0, answers["mass_mcse"])
    return parts


def no_surer_than_pairs(answers: Parts, question: Question) -> Parts:
    """P(best) of a system that differs from another by the same on all units: its draws are all
    alike, and it is at most P(better) by wins. What is left is of those that may be better.
    """
    flat = np.isnan(answers["difference_lower"]) & ~np.eye(len(answers["wins"]), dtype=bool)
    if not flat.any():
        return {}
    better = answers["prob_better"]
    best = np.minimum(answers["prob_best"], np.where(flat, better, 1.0).min(1))
    others = np.where(np.arange(len(best)) == best.argmax(), 0.0, better[:, best.argmax()])
    best = best + (1 - best.sum()) * others / max(others.sum(), 1e-300)
    held = answers["in_best_set"] | monte_carlo.best_set(best, question.ci_prob)
    return {"prob_best": best, "in_best_set": held}


def _agreed(answers: Parts, held: Held, question: Question) -> Parts:
    """Verdicts that agree with the numbers of wins; none on rare labels or a single unit."""
    more, verdict = answers["prob_more_wins"], answers["verdict"]
    sure, better = more >= question.threshold, answers["prob_better"]
    agrees = np.where(verdict == "a_better", sure, sure.T)
    sided = np.isin(verdict, ("a_better", "b_better"))
    verdict = np.where(sided & ~agrees, "undecided", verdict)
    also = answers["also_ahead"] & np.where(better > 0.5, sure, sure.T)
    withheld = "no_data" if held.units < 2 else "no_verdict" if held.rare else ""
    if withheld:
        verdict = np.where(np.eye(len(verdict), dtype=bool), verdict, withheld)
        also = np.zeros_like(also)
    parts = {"verdict": verdict, "also_ahead": also}
    if "beyond_rope" in answers:
        named = np.isin(verdict, ("a_better", "b_better"))
        parts["beyond_rope"] = answers["beyond_rope"] & named
    return parts


def within(answers: Any, low: float, high: float) -> dict[str, Any]:
    """Bounds of intervals clipped to possible scores and differences; draws are not."""
    widest = high - low
    limits = {f"score_{end}": (low, high) for end in ("lower", "upper")}
    limits |= {f"difference_{end}": (-widest, widest) for end in ("lower", "upper")}
    return {name: answers[name].clip(*most) for name, most in limits.items()}


def warn(
    answers: Parts, systems: list[str], held: Held, statistic: str, single: Sequence[str] = ()
) -> None:
    """Warn of each limitation of the answer; for `single` systems, one unit holds everything that
    their score counts.
    """
    flat = [systems[k] for k in np.flatnonzero(np.isnan(answers["score_lower"]))]
    alike = np.argwhere(np.triu(np.isnan(answers["difference_lower"])))
    pairs = [(systems[i], systems[j]) for i, j in alike.tolist()]
    flat = [k for k in flat if k not in single]
    pairs = [pair for pair in pairs if not set(pair) & set(single)]
    only = ", ".join(map(repr, held.only_predicted[:3]))
    zero = f"no item has {only}, which macro-averages of every system count as 0" if only else ""
    lines = [few_units(held.units), _rare_line(held), zero, no_width(flat, statistic, pairs)]
    if single:
        listed = _first([repr(k) for k in single])
        lines.append(
            f"no error of the {statistic} of {listed}: without one unit nothing is left that it "
            "counts; pairs are answered by how many units each system won"
        )
    for line in filter(None, lines):
        checks.warn(line)


def few_units(units: int, noun: str = "units") -> str:
    """A warning, or nothing."""
    if units >= names.UNITS_MIN:
        return ""
    number = f"{units} {noun}" if units != 1 else f"1 {noun.removesuffix('s')}"
    return (
        f"the uncertainty is little more than a guess: the score rests on {number}, fewer than "
        f"{names.UNITS_MIN}"
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


def no_width(systems: list[str], quantity: str, pairs: Sequence[tuple[str, str]] = ()) -> str:
    """A warning, or nothing: a quantity that is the same on every unit has no error."""
    listed, between = [repr(k) for k in systems], [f"{a!r} and {b!r}" for a, b in pairs]
    kinds = ((quantity, listed), ("the difference", between))
    reasons = "; ".join(f"{kind} of {_first(who)}" for kind, who in kinds if who)
    return f"no interval where all units say the same: {reasons}" if reasons else ""


def _first(texts: list[str]) -> str:
    more = f" and {len(texts) - 3:,} more" if len(texts) > 3 else ""
    return ", ".join(texts[:3]) + more
