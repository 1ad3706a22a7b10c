"""Verdicts and limits in plain sentences."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers


def title_of_verdict(verdict: str, a: str, b: str) -> str:
    """A verdict in a word or two, with the name of the better system."""
    words = {
        "a_better": f"{a} better",
        "b_better": f"{b} better",
        "no_data": "no examples",
        "no_verdict": "no verdict: not converged",
    }
    return words.get(verdict, verdict)


def sentence(cell: xr.Dataset, attrs: dict[str, Any]) -> str:
    """One plain sentence on one pair; `cell` holds the scalars of the pair."""
    a, b = str(cell[names.SYSTEM_A].item()), str(cell[names.SYSTEM_B].item())
    verdict = str(cell["verdict"].item())
    counts = cell["counts"].values
    turned = verdict == "b_better" or (verdict == "undecided" and cell["prob_better"].item() < 0.5)
    own, other = counts[1::-1] if turned else counts[:2]
    tallied = f"{own:,} to {other:,} in wins" + (
        f", {_ties(counts[2])}" if counts.size == 3 else ""
    )
    if verdict == "no_data":
        never = "were never compared" if attrs["unit"] == "judgment" else "share no example"
        return f"{a} and {b} {never}, so nothing is said about them."
    if verdict == "no_verdict":
        return f"No verdict on {a} and {b}: the chains have not converged (see diagnostics)."
    p = float(cell["prob_better"].item())
    mcse = float(cell["prob_better_mcse"].item())
    if verdict in ("a_better", "b_better"):
        first, second, sure = (a, b, p) if verdict == "a_better" else (b, a, 1 - p)
        return (
            f"{first} is better than {second} with probability {numbers.probability(sure, mcse)} "
            f"({tallied}){_size(cell, attrs, verdict == 'b_better')}."
        )
    if verdict == "equivalent":
        within = float(cell["mass"].sel({names.REGION: "rope"}).item())
        also = _also(cell, a, b, p)
        return (
            f"{a} and {b} are practically equivalent: with probability "
            f"{numbers.probability(within)} they differ by no "
            f"more than {attrs['rope']:g} ({tallied}){also}."
        )
    behind = p < 0.5  # speak of the one that is ahead
    first, sure = (b, 1 - p) if behind else (a, p)
    return (
        f"Undecided between {a} and {b}: the probability that {first} is better is "
        f"{numbers.probability(sure, mcse)} "
        f"({tallied}){_size(cell, attrs, behind)}; this is not evidence that they are equal."
    )


def _ties(count: int) -> str:
    return f"{count:,} tie" if count == 1 else f"{count:,} ties"


def _size(cell: xr.Dataset, attrs: dict[str, Any], turned: bool) -> str:
    if "difference_mean" not in cell or np.isnan(cell["difference_mean"].item()):
        return ""
    mean, lower, upper = (float(cell[f"difference_{k}"].item()) for k in ("mean", "lower", "upper"))
    mcse = float(cell["difference_mean_mcse"].item())
    if turned:
        mean, lower, upper = -mean, -upper, -lower
    kind = f"{100 * attrs['ci_prob']:g}% {attrs['ci_kind'].upper()}"
    text = numbers.difference(mean, lower, upper, mcse)
    return f"; difference {text.split(' [')[0]}, {kind} [{text.split(' [')[1]}"


def _also(cell: xr.Dataset, a: str, b: str, p: float) -> str:
    if not bool(cell["also_ahead"].item()):
        return ""
    ahead, sure = (a, p) if p > 0.5 else (b, 1 - p)
    return f"; {ahead} is also ahead, with probability {numbers.probability(sure)}, but by less than matters"


def limits(main: xr.Dataset) -> list[str]:
    """What this comparison cannot say."""
    notes = [line for line in main.attrs.get("notes", "").split("\n") if line]
    modelled = str(main.attrs.get("modelled", ""))
    if main.attrs["unit"] == "judgment":
        who = "on one prompt" if "judges" in modelled else "by one judge, or on one prompt,"
        notes.append(
            f"Judgments are taken as independent; several {who} are not, and make the answers "
            f"more certain than they "
            "should be."
        )
        if "position" not in modelled:
            notes.append(
                "Which system was shown first is not taken into account; "
                "betterthan.models.davidson does, with "
                "judgments from betterthan.io.read_judgments and position=True."
            )
    elif str(main[names.ENGINE].item()) in _TAKEN_AS:
        notes.append(_TAKEN_AS[str(main[names.ENGINE].item())])
    else:
        notes.append(
            "Examples are taken as independent draws of one population; translations, paraphrases "
            "or turns of one "
            "dialogue are not, and make the answers more certain than they should be."
        )
    if _touches_zero(main):
        notes.append(
            "A verdict looks at one side only, so the two-sided interval of a decided pair may "
            "still hold 0."
        )
    notes.append(
        "Undecided means that these data do not settle the matter, not that the systems are equal."
    )
    if not main.attrs["rope"]:
        notes.append(
            "Better means better by any amount; give a rope to ask for a difference that matters."
        )
    notes.append(
        "A probability speaks of new examples like these ones, not of examples of another kind."
    )
    return notes


_TAKEN_AS = {
    "clustered": "Clusters are taken as independent draws of one population, and examples of one "
    "as alike.",
    "hierarchical": "Examples of one data set are taken as independent, and data sets as draws of "
    "one kind.",
}


def _touches_zero(main: xr.Dataset) -> bool:
    if "difference_lower" not in main:
        return False
    around = (main["difference_lower"].values < 0) & (main["difference_upper"].values > 0)
    return bool((around & np.isin(main["verdict"].values, ["a_better", "b_better"])).any())


def multiplicity(main: xr.Dataset) -> list[str]:
    """How many pairs were compared, how many of the verdicts are expected to be wrong, and whence
    the joint answer.
    """
    systems = main.sizes[names.SYSTEM_A]
    notes = [_multiplicity(main, systems)]
    a = main.attrs
    if "prob_best" not in main:
        how = a.get("no_joint", "pairs alone do not say who is the best of all")
        notes.append(f"There is no joint answer here: {how}.")
    elif a["joint_model"] == "Bayesian bootstrap":
        notes.append(
            f"The joint answer is by the Bayesian bootstrap of {a['joint_units']} "
            f"({a['joint_draws']:,} draws, seed "
            f"{a['joint_seed']}); its prior is zero, so few examples read as too certain."
        )
    elif a["joint_model"] == "bayesian_bootstrap":
        notes.append(
            f"The joint answer is by the Bayesian bootstrap of the score itself "
            f"({a['joint_draws']:,} draws)."
        )
    else:
        notes.append(
            f"The joint answer is by {a['joint_model']} ({a['joint_draws']:,} draws), which draws "
            f"systems together by "
            "as much as they are alike: the best of many is partly the luckiest, and is moved "
            "back most."
        )
    return notes


def _multiplicity(main: xr.Dataset, systems: int) -> str:
    verdict = np.triu(main["verdict"].values != "", 1)
    better, worse = main["verdict"].values == "a_better", main["verdict"].values == "b_better"
    p = main["prob_better"].values
    wrong = float(np.where(better, 1 - p, 0)[verdict].sum() + np.where(worse, p, 0)[verdict].sum())
    given = int((better | worse)[verdict].sum())
    pairs = systems * (systems - 1) // 2 - int((main["verdict"].values == "no_data").sum()) // 2
    if (main["verdict"].values[verdict] == "no_verdict").all():
        return f"Pairs compared: {pairs}; there is no verdict on any, for the chains have not converged."
    if not given:
        return f"Pairs compared: {pairs}; none has a better system."
    return (
        f"Pairs compared: {pairs}, of which {given} with a better system; by their own "
        f"probabilities "
        f"{wrong:.2g} of these verdicts are expected to be wrong. "
        "With many systems the best of them is partly the luckiest."
    )
