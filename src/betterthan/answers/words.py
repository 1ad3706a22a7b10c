"""The verdicts of an answer in a few plain sentences, made from its tables."""

from typing import Any

import numpy as np
import pandas as pd

from betterthan.answers import numbers
from betterthan.signed import Signature

_MANY = 4  # names in a sentence; more are counted
AT_RANDOM = " if the missing scores are missing at random"


def statement(pairs: Any, systems: Any, made: Signature) -> list[str]:
    """What a person wants to know first: who is better, or best, and what is open.

    Parameters
    ----------
    pairs, systems : pandas.DataFrame
        Of `rows`.
    made : Signature
    """
    if made.failures:
        return [f"No verdict: {' '.join(made.failures)}"]
    if len(pairs) == 1:
        return [of_pair(pairs.to_dict("records")[0], made), *_judged(pairs, made)]
    told = [*_best(systems, made), *_baseline(pairs, systems, made), _tally(pairs, made)]
    if at_random(pairs, made):
        told[0] = f"{told[0].removesuffix('.')},{AT_RANDOM}."
    return [*told, *_judged(pairs, made)]


def at_random(pairs: Any, made: Signature) -> bool:
    """Whether verdicts hold only if scores are missing at random: some values of the missing scores
    lead to another, or that is not known.
    """
    if not made.n_blank or made.missing not in ("pairwise", "complete"):
        return False
    verdicts = pairs["verdict"].tolist()
    if "among_verdict" in pairs:
        verdicts += pairs["among_verdict"].tolist()
    if len(pairs) > 1 and not {"better", "worse", "equivalent", "split"} & set(verdicts):
        return False  # none is given
    if "missing_holds" not in pairs or "among_verdict" in pairs:  # whose bounds are not known
        return True
    held = pairs["missing_holds"].astype(bool) | pairs["verdict"].isin(["no_data", "no_verdict"])
    return not held.all()


def _judged(pairs: Any, made: Signature) -> list[str]:
    """Of judged items, what the labels alone and the judge alone say, and whose labels."""
    if made.answer != "judged":
        return []
    gold, n = int(pairs["n_gold"].sum()), int(pairs["n"].sum())
    said = (
        f"The truth is {gold:,} labels ({made.labels_by}) among {n:,} items that a judge answered"
    )
    if len(pairs) > 1:
        return [f"{said}; labels alone and judge alone stand beside."]
    row = pairs.to_dict("records")[0]
    ends = f"{row['effective_gold_lower']:.0f} to {row['effective_gold_upper']:.0f}"
    said += f", worth about {row['effective_gold']:.0f} labels ({ends}; R2 {row['r2']:.2f})"
    first, alone = row["system"], numbers.probability(row["gold_prob_better"])
    said += f". P({first} better) by the labels alone {alone}"
    if "judge_prob_better" in row:
        said += (
            f", by the judge alone, not corrected, {numbers.probability(row['judge_prob_better'])}"
        )
    return [f"{said}."]


def of_pair(row: dict[str, Any], made: Signature) -> str:
    """One pair in one sentence; the row names the system that is ahead first."""
    first, second, verdict = row["system"], row["other"], row["verdict"]
    if verdict == "no_data":
        return _no_data(row, made)
    if verdict == "no_verdict":
        return f"No verdict on {first} and {second}{_reason(row)}."
    p = numbers.probability(row["prob_better"], row.get("mcse", 0.0))
    p += AT_RANDOM if at_random(pd.DataFrame([row]), made) else ""
    size, beside = _size(row, made), _beside(row, made)
    if verdict == "split":
        ahead = ["wins more often", "has the better mean"]
        ahead = ahead[::-1] if made.quantity == "mean" else ahead
        against = numbers.probability(1 - row[f"{made.beside_quantity}_prob_better"])
        return (
            f"Split between {first} and {second}: {first} {ahead[0]} with probability {p}{size}; "
            f"{second} {ahead[1]} with probability {against}. No winner is declared."
        )
    if verdict == "better":
        of = ("The mean of ", "that of ") if made.quantity == "mean" else ("", "")
        said = f"{of[0]}{first} is better than {of[1]}{second} with probability {p}"
        return f"{said}{size}{_beyond(row, made)}{beside}."
    if verdict == "equivalent":
        return f"{_within(row, made)}{size}{beside}."
    return f"{_open(row, p + size + beside)}; this is not evidence that they are equal."


def _reason(row: dict[str, Any]) -> str:
    """Why there is no verdict."""
    reason = row.get("reason", "")
    return f": {reason}" if reason else ""


def _within(row: dict[str, Any], made: Signature) -> str:
    return (
        f"{row['system']} and {row['other']} are practically equivalent: they differ by no more "
        f"than {made.rope:g} with probability {numbers.probability(row['within_rope'])}"
        f"{AT_RANDOM if at_random(pd.DataFrame([row]), made) else ''}"
    )


def _open(row: dict[str, Any], how: str) -> str:
    close = "; the threshold is within two Monte Carlo errors, more draws may decide"
    return (
        f"Undecided between {row['system']} and {row['other']}: {row['system']} is better with "
        f"probability {how}{close if row.get('too_close') else ''}"
    )


def _no_data(row: dict[str, Any], made: Signature) -> str:
    """They share nothing, or one unit, of which no spread can be seen."""
    first, second = row["system"], row["other"]
    if row.get("n", 0) and row.get("n_units", 2) == 1:
        one, new = ("items are in one cluster", "clusters")
        if made.unit != "cluster":
            one, new = ("runs are of one item", "items")
        return (
            f"Nothing is said about {first} and {second}: all their {one}, so nothing can be said "
            f"about new {new}."
        )
    return f"Nothing is said about {first} and {second}: they share no example."


def _size(row: dict[str, Any], made: Signature) -> str:
    """The difference, what it is of, and its interval."""
    if np.isnan(row.get("difference", np.nan)):
        return ""
    what = difference_of(row["system"], row["other"], made)
    if np.isnan(row["lower"]):
        return f" ({what}: {row['difference']:+.3g})"
    text = numbers.difference(row["difference"], row["lower"], row["upper"])
    mean, ends = text.split(" [")
    if made.ci_prob is None:
        return f" ({what}: {mean})"
    kind = (made.ci_kind or "eti").upper()
    held = ONE_SIDED if one_sided(row["verdict"], row["lower"], row["upper"]) else ""
    return f" ({what}: {mean}, {100 * made.ci_prob:g}% {kind} [{ends}{held})"


ONE_SIDED = "; one-sided: the interval includes 0"


def one_sided(verdict: Any, lower: Any, upper: Any) -> Any:
    """Where a verdict, which looks at one side, stands next to a two-sided interval that includes
    0.
    """
    better = np.isin(np.asarray(verdict).astype(str), ["better", "worse", "a_better", "b_better"])
    return better & (np.asarray(lower) <= 0) & (np.asarray(upper) >= 0)


def difference_of(first: str, second: str, made: Signature) -> str:
    """What the difference is, with the names of the systems."""
    said = made.difference_is or "difference"
    said = said.replace("P(A wins) - P(B wins)", f"P({first} wins) - P({second} wins)")
    return said + (", lower is better," if made.lower_mean else "")


def _beyond(row: dict[str, Any], made: Signature) -> str:
    """Whether it is better by more than the rope."""
    if not made.rope or "beyond_rope" not in row:
        return ""
    how = "and by more than" if row["beyond_rope"] else "but not surely by more than"
    return f", {how} {made.rope:g}"


def _beside(row: dict[str, Any], made: Signature) -> str:
    """What the other quantity says of the same pair."""
    other = made.beside_quantity
    if other is None or f"{other}_prob_better" not in row:
        return ""
    p = numbers.probability(row[f"{other}_prob_better"])
    what = "mean of {} better" if other == "mean" else "{} wins more often"
    return f" (P({what.format(row['system'])}) {p})"


def _best(systems: Any, made: Signature) -> list[str]:
    """Who is the best of all, where that was answered jointly."""
    if "prob_best" not in systems or systems["prob_best"].isna().all():
        return []
    top = systems.sort_values("prob_best", ascending=False, kind="stable")
    first = top.iloc[0]
    of_what = " by its mean" if made.joint_quantity == "mean" else ""
    said = f"{first['system']} is the best of all{of_what} with probability "
    said += numbers.probability(first["prob_best"], first.get("prob_best_mcse", 0.0))
    among = top[top["in_best_set"].astype(bool)]["system"].tolist() if "in_best_set" in top else []
    if len(among) > 1:
        prob = made.ci_prob or 0.95
        said += f"; with {100 * prob:g}% the best is among {_named(among)}"
    return [said + "."]


def _baseline(pairs: Any, systems: Any, made: Signature) -> list[str]:
    if made.baseline is None:
        return []
    ends: dict[str, list[str]] = {"better than": [], "worse than": [], "open against": []}
    for system in systems["system"]:
        if system == made.baseline:
            continue
        met = pairs[
            ((pairs["system"] == system) & (pairs["other"] == made.baseline))
            | ((pairs["other"] == system) & (pairs["system"] == made.baseline))
        ].iloc[0]
        how = "open against"
        if met["verdict"] == "better":
            how = "better than" if met["system"] == system else "worse than"
        ends[how].append(system)
    said = [f"{_named(who)} {how} {made.baseline}" for how, who in ends.items() if who]
    return ["Against the baseline: " + "; ".join(said) + "."]


def _tally(pairs: Any, made: Signature) -> str:
    """How the pairs ended."""
    number = pairs["verdict"].value_counts()
    said = {v: f"{number[v]:,} {what}" for v, what in _ENDED.items() if number.get(v)}
    if "better" in said and "among_verdict" in pairs:
        named = pairs[pairs["verdict"] == "better"]
        also = int((named["among_verdict"] == "better").sum())
        all_ = "all" if also == len(named) else f"{also:,}"
        said["better"] += f" ({all_} of them also among all systems)"
    by = {"wins": " by wins", "mean": " by the mean"}.get(made.quantity or "", "")
    by = by if made.beside_quantity else ""
    return f"Of {len(pairs):,} pairs{by}: {', '.join(said.values())}."


_ENDED = {
    "better": "decided",
    "equivalent": "practically equivalent",
    "undecided": "undecided, which is not evidence that they are equal",
    "split": "split (wins and mean favour different systems)",
    "no_data": "without a common example, or with one unit in all",
    "no_verdict": "without a verdict",
}


def _named(systems: list[str]) -> str:
    if len(systems) > _MANY:
        return f"{', '.join(systems[:_MANY])} and {len(systems) - _MANY} more"
    return " and ".join(filter(None, [", ".join(systems[:-1]), systems[-1]]))
