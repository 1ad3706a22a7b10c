"""Verdicts and limits in plain sentences."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers
from betterthan.reporting.cells import difference_in, interval_of, names_in, probability_in
from betterthan.reporting.engines import ENGINES, EXAMPLES_INDEPENDENT, JOINT_OF_UNITS
from betterthan.reporting.shown import Shown
from betterthan.signed import Signature


def title_of_verdict(verdict: str, a: str, b: str) -> str:
    """A verdict in a word or two, with the name of the better system."""
    words = {
        "a_better": f"{a} better",
        "b_better": f"{b} better",
        "no_data": "no examples",
        "no_verdict": "no verdict: not converged",
    }
    return words.get(verdict, verdict)


def sentence(cell: xr.Dataset, made: Signature) -> str:
    """One plain sentence on one pair; `cell` holds its scalars, the system ahead first."""
    (a, b), verdict = names_in(cell), str(cell["verdict"].item())
    if verdict == "no_data":
        never = "were never compared" if made.unit == "judgment" else "share no example"
        return f"{a} and {b} {never}, so nothing is said about them."
    if verdict == "no_verdict":
        return f"No verdict on {a} and {b}: the chains have not converged (see diagnostics)."
    p = probability_in(cell, "prob_better")
    if verdict == "a_better":
        size = _size(cell, made)
        return f"{a} is better than {b} with probability {p} ({_tallied(cell)}){size}."
    if verdict == "equivalent":
        return _equivalent(cell, made)
    return (
        f"Undecided between {a} and {b}: the probability that {a} is better is {p} "
        f"({_tallied(cell)}){_size(cell, made)}; this is not evidence that they are equal."
    )


def _equivalent(cell: xr.Dataset, made: Signature) -> str:
    a, b = names_in(cell)
    within = numbers.probability(cell["mass"].sel({names.REGION: "rope"}).item())
    also = ""
    if bool(cell["also_ahead"].item()):
        p = numbers.probability(cell["prob_better"].item())
        also = f"; {a} is also ahead, with probability {p}, but by less than matters"
    return (
        f"{a} and {b} are practically equivalent: with probability {within} they differ by no more "
        f"than {made.rope:g} ({_tallied(cell)}){also}."
    )


def _tallied(cell: xr.Dataset) -> str:
    wins, losses, *ties = (int(count) for count in cell["counts"].values)
    said = "".join(f", {count:,} {'tie' if count == 1 else 'ties'}" for count in ties)
    return f"{wins:,} to {losses:,} in wins{said}"


def _size(cell: xr.Dataset, made: Signature) -> str:
    if "difference_mean" not in cell or np.isnan(cell["difference_mean"].item()):
        return ""
    mean, ends = difference_in(cell).split(" [")
    return f"; difference {mean}, {interval_of(made.to_attrs())} [{ends}"


def limits(shown: Shown) -> list[str]:
    """What this comparison cannot say."""
    notes = [*(shown.made.notes or ()), *_independence(shown)]
    if _touches_zero(shown.whole):
        notes.append(
            "A verdict looks at one side only, so the two-sided interval of a decided pair may "
            "still hold 0."
        )
    notes.append(
        "Undecided means that these data do not settle the matter, not that the systems are equal."
    )
    if not shown.rope:
        notes.append(
            "Better means better by any amount; give a rope to ask for a difference that matters."
        )
    notes.append(
        "A probability speaks of new examples like these ones, not of examples of another kind."
    )
    return notes


def _independence(shown: Shown) -> list[str]:
    if shown.made.unit != "judgment":
        return [ENGINES[shown.engine_names[0]].taken_as or EXAMPLES_INDEPENDENT]
    modelled = shown.made.modelled or ""
    who = "on one prompt" if "judges" in modelled else "by one judge, or on one prompt,"
    notes = [
        f"Judgments are taken as independent; several {who} are not, and make the answers more "
        "certain than they should be."
    ]
    if "position" not in modelled:
        notes.append(
            "Which system was shown first is not taken into account; betterthan.models.davidson "
            "does, with judgments from betterthan.io.read_judgments and position=True."
        )
    return notes


def _touches_zero(main: xr.Dataset) -> bool:
    if "difference_lower" not in main:
        return False
    around = (main["difference_lower"].values < 0) & (main["difference_upper"].values > 0)
    return bool((around & np.isin(main["verdict"].values, ["a_better", "b_better"])).any())


def multiplicity(shown: Shown) -> list[str]:
    """How many pairs were compared, how many of the verdicts are expected to be wrong, and whence
    the joint answer.
    """
    made = shown.made
    if "prob_best" not in shown.whole:
        how = made.no_joint or "pairs alone do not say who is the best of all"
        return [_multiplicity(shown.whole), f"There is no joint answer here: {how}."]
    joint = JOINT_OF_UNITS if made.joint_units else ENGINES[str(made.joint_model)].joint
    return [_multiplicity(shown.whole), joint.format_map(made.to_attrs())]


def _multiplicity(main: xr.Dataset) -> str:
    upper = np.triu_indices(main.sizes[names.SYSTEM_A], 1)
    verdict, p = (
        main[k].transpose(*names.SQUARE).values[upper] for k in ("verdict", "prob_better")
    )
    better, worse = verdict == "a_better", verdict == "b_better"
    wrong, given = (1 - p)[better].sum() + p[worse].sum(), int((better | worse).sum())
    compared = int((verdict != "no_data").sum())
    if (verdict == "no_verdict").all():
        return (
            f"Pairs compared: {compared}; there is no verdict on any, for the chains have not "
            "converged."
        )
    if not given:
        return f"Pairs compared: {compared}; none has a better system."
    return (
        f"Pairs compared: {compared}, of which {given} with a better system; by their own "
        f"probabilities {wrong:.2g} of these verdicts are expected to be wrong. With many systems "
        "the best of them is partly the luckiest."
    )
