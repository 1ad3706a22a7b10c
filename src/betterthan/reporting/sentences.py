"""Verdicts and limits in plain sentences."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers
from betterthan.answers.words import difference_of
from betterthan.reporting.cells import difference_in, interval_of, names_in, probability_in
from betterthan.reporting.engines import ENGINES, EXAMPLES_INDEPENDENT
from betterthan.reporting.shown import Shown
from betterthan.signed import Signature


def title_of_verdict(verdict: str, a: str, b: str) -> str:
    """A verdict in a word or two, with the name of the better system."""
    words = {
        "a_better": f"{a} better",
        "b_better": f"{b} better",
        "no_data": "no examples",
        "split": "split: wins and mean differ",
        "no_verdict": "no verdict: not converged",
    }
    return words.get(verdict, verdict)


def sentence(cell: xr.Dataset, made: Signature) -> str:
    """One plain sentence on one pair; `cell` holds its scalars, the system ahead first."""
    (a, b), verdict = names_in(cell), str(cell["verdict"].item())
    if verdict == "no_data":
        return f"{a} and {b} {_no_data(cell, made)}, so nothing is said about them."
    if verdict == "no_verdict":
        return f"No verdict on {a} and {b}: the chains have not converged (see diagnostics)."
    if verdict == "a_better":
        p, beside = probability_in(cell, "prob_better"), _other(cell, made)
        of = ("The mean of ", "that of ") if made.quantity == "mean" else ("", "")
        said = f"{of[0]}{a} is better than {of[1]}{b} with probability {p} ({_tallied(cell)})"
        return f"{said}{_size(cell, made)}{_beyond(cell, made)}{beside}{_among(cell, a)}."
    if verdict == "equivalent":
        return _equivalent(cell, made)
    if verdict == "split":
        return _split(cell, made)
    return _open(cell, made)


def _open(cell: xr.Dataset, made: Signature) -> str:
    (a, b), p = names_in(cell), probability_in(cell, "prob_better")
    close = "; more draws may decide" if cell.get("too_close", False) else ""
    return (
        f"Undecided between {a} and {b}: the probability that {a} is better is {p} "
        f"({_tallied(cell)}){_size(cell, made)}{_other(cell, made)}{close}; this is not evidence "
        "that they are equal."
    )


def _split(cell: xr.Dataset, made: Signature) -> str:
    (a, b), p = names_in(cell), probability_in(cell, "prob_better")
    return (
        f"Split between {a} and {b}: {a} wins more often with probability {p} ({_tallied(cell)})"
        f"{_size(cell, made)}; the mean does not support it{_other(cell, made)}. No system is "
        "named."
    )


def _no_data(cell: xr.Dataset, made: Signature) -> str:
    """They share nothing, or one unit."""
    if "n_units" in cell and cell["n_units"].item() == 1 and cell["n"].item():
        return "share one cluster or item, which is one example"
    return "were never compared" if made.unit == "judgment" else "share no example"


def _other(cell: xr.Dataset, made: Signature) -> str:
    """What the other quantity says."""
    name = f"{made.beside_quantity}_prob_better"
    if name not in cell:
        return ""
    what = "its mean is better" if made.beside_quantity == "mean" else "it wins more often"
    return f" (probability that {what}: {numbers.probability(cell[name].item())})"


def _beyond(cell: xr.Dataset, made: Signature) -> str:
    """Whether the better one is better by more than the rope."""
    if not made.rope:
        return ""
    how = "by more" if cell["beyond_rope"].item() else "not surely by more"
    return f"; {how} than {made.rope:g}"


def _among(cell: xr.Dataset, a: str) -> str:
    """Whether the pair is decided among all systems, too."""
    if "among_verdict" not in cell or cell["among_verdict"].item() == "a_better":
        return ""
    p = numbers.probability(cell["among_prob_better"].item())
    return f"; among all systems this is not decided ({a} better: {p})"


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
    mean, bracket, ends = difference_in(cell).partition(" [")
    what = difference_of(*names_in(cell), made)
    interval = f", {interval_of(made.to_attrs())} [{ends}" if bracket else ""
    return f"; {what} {mean}{interval}"


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
        return [
            f"The {shown.made.unit}s are taken as independent, and not the examples in them; the "
            "tests beside it take examples as independent, and are too certain."
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
    joint = ENGINES[str(made.joint_model)].joint
    return [_multiplicity(shown.whole), joint.format_map(made.to_attrs())]


def _multiplicity(main: xr.Dataset) -> str:
    upper = np.triu_indices(main.sizes[names.SYSTEM_A], 1)
    verdict, error = (
        main[k].transpose(*names.SQUARE).values[upper] for k in ("verdict", "sign_error")
    )
    wrong, given = np.nansum(error), int(np.isin(verdict, ("a_better", "b_better")).sum())
    also = main["among_verdict"].values[upper] == verdict if "among_verdict" in main else None
    compared = int((verdict != "no_data").sum())
    if (verdict == "no_verdict").all():
        return (
            f"Pairs compared: {compared}; there is no verdict on any, for the chains have not "
            "converged."
        )
    if not given:
        return f"Pairs compared: {compared}; none has a better system."
    if also is None:
        return (
            f"Pairs compared: {compared}, of which {given} with a better system; by their own "
            f"probabilities {wrong:.2g} of these verdicts are expected to be wrong, which is far "
            "too few where many systems are similar. The best of many is partly the luckiest."
        )
    both = int((also & (verdict != "undecided")).sum())
    return (
        f"Pairs compared: {compared}, of which {given} with a better system by themselves, {both} "
        f"also among all systems; among all, {wrong:.2g} of the {given} are expected to be wrong. "
        "The best of many is partly the luckiest."
    )
