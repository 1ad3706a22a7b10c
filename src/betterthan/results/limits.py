"""Limits of a comparison, and how many of its verdicts are expected to be wrong."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.context import Shown
from betterthan.results.engines import ENGINES, EXAMPLES_INDEPENDENT
from betterthan.results.rows import in_one_unit
from betterthan.results.sentences import unit_of
from betterthan.signed import Signature


def limits(shown: Shown) -> list[str]:
    """What this comparison cannot say."""
    notes = [*(shown.made.notes or ()), *_independence(shown)]
    notes += _named_by_chance(shown)
    notes.append(
        "Undecided means that these data do not settle the matter, not that the systems are equal."
    )
    if not shown.rope:
        notes.append(
            "Better means better by any amount; with a rope, the words on a pair also say whether "
            "it is surely better by more than the rope."
        )
    else:
        notes.append(
            "Better means a difference above 0; where it is also sure to be above the rope, the "
            "words on the pair say so."
        )
    notes.append(
        "A probability speaks of new examples like these ones, not of examples of another kind."
    )
    return notes


def _independence(shown: Shown) -> list[str]:
    if shown.made.n_units is not None:
        tests = (
            "tests and Bayes factors count whole clusters, too."
            if shown.made.tests_on
            else "tests compare the means of their runs."
        )
        return [
            f"The {shown.made.unit}s are taken as independent, not the examples in them; {tests}"
        ]
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


def _named_by_chance(shown: Shown) -> list[str]:
    """How often the rule names one of two equal systems."""
    threshold = shown.made.threshold or names.VERDICT_PROB
    rate, stricter = 200 * (1 - threshold), (1 + threshold) / 2
    said = (
        f"A verdict on a pair by itself looks at one side: of two equal systems it names one in "
        f"about {rate:.2g}% of data sets, or {rate / 2:.2g}% with threshold={stricter:g}, and the "
        "two-sided interval of a decided pair may include 0."
    )
    if "among_verdict" in shown.whole and threshold >= names.VERDICT_PROB:
        said += (
            f" Among all systems: where {_SIMULATED} are equal, in at most "
            f"{100 * NAMED_AMONG_EQUAL:g}% of pairs (simulated)."
        )
    return [said]


# of pairs of equal systems, how many the joint answer names one of: see docs/calibration.md
NAMED_AMONG_EQUAL = 0.003
_SIMULATED = "10 or 20 systems"


def multiplicity(shown: Shown) -> list[str]:
    """How many pairs were compared, how many of the verdicts are expected to be wrong, and whence
    the joint answer.
    """
    made = shown.made
    if "prob_best" not in shown.whole:
        how = made.no_joint or "pairs alone do not say who is the best of all"
        return [_multiplicity(shown.whole), f"There is no joint answer here: {how}."]
    joint = ENGINES[str(made.joint_model)].joint
    drawn = {} if made.joint_kept is None else {"joint_drawn": 1 - made.joint_kept}
    return [_multiplicity(shown.whole), joint.format_map(made.to_attrs() | drawn)]


def _multiplicity(main: xr.Dataset) -> str:
    upper = np.triu_indices(main.sizes[names.SYSTEM_A], 1)
    verdict, error = (
        main[k].transpose(*names.SQUARE).values[upper] for k in ("verdict", "sign_error")
    )
    named = np.isin(verdict, ("a_better", "b_better"))
    wrong, given = np.nansum(error), int(named.sum())
    also = main["among_verdict"].values[upper] == verdict if "among_verdict" in main else None
    alone = in_one_unit(main)[upper]
    compared = int(((verdict != "no_data") | alone).sum())
    if alone.any() and alone.sum() == compared:
        one = unit_of(Signature.from_attrs(main.attrs))
        return f"Pairs compared: {compared:,}; there is no verdict on any, for each has one {one}."
    if (verdict == "no_verdict").all():
        reason = main["reason"].values[0, -1] if "reason" in main else names.NOT_CONVERGED
        return f"Pairs compared: {compared:,}; there is no verdict on any: {reason}."
    if not given:
        return f"Pairs compared: {compared:,}; no verdict names a better system."
    if also is None:
        return (
            f"Pairs compared: {compared:,}, of which {given:,} with a better system; by their own "
            f"probabilities {wrong:.2g} of these verdicts are expected to be wrong, which is far "
            "too few where many systems are similar. The best of many is partly the luckiest."
        )
    both = int((also & named).sum())
    return (
        f"Pairs compared: {compared:,}, of which {given:,} with a better system by themselves, "
        f"{both:,} also among all systems; among all, {wrong:.2g} of the {given:,} are expected to "
        "be wrong. The best of many is partly the luckiest."
    )
