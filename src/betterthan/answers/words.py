"""The verdicts of an answer in a few plain sentences, made from its tables."""

from typing import Any

import numpy as np

from betterthan.answers import numbers
from betterthan.signed import Signature

_MANY = 4  # names in a sentence; more are counted


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
        return [of_pair(pairs.to_dict("records")[0], made)]
    return [*_best(systems, made), *_baseline(pairs, systems, made), _tally(pairs)]


def of_pair(row: dict[str, Any], made: Signature) -> str:
    """One pair in one sentence; the row names the system that is ahead first."""
    first, second, verdict = row["system"], row["other"], row["verdict"]
    if verdict == "no_data":
        return f"Nothing is said about {first} and {second}: they share no example."
    if verdict == "no_verdict":
        return f"No verdict on {first} and {second}."
    p = numbers.probability(row["prob_better"], row.get("mcse", 0.0))
    size = _size(row, made)
    if verdict == "better":
        return f"{first} is better than {second} with probability {p}{size}."
    if verdict == "equivalent":
        within = numbers.probability(row["within_rope"])
        return (
            f"{first} and {second} are practically equivalent: they differ by no more than "
            f"{made.rope:g} with probability {within}{size}."
        )
    return (
        f"Undecided between {first} and {second}: {first} is better with probability {p}{size}; "
        "this is not evidence that they are equal."
    )


def _size(row: dict[str, Any], made: Signature) -> str:
    if np.isnan(row.get("difference", np.nan)):
        return ""
    text = numbers.difference(row["difference"], row["lower"], row["upper"])
    mean, ends = text.split(" [")
    if made.ci_prob is None:
        return f" (difference {mean})"
    return f" (difference {mean}, {100 * made.ci_prob:g}% {made.ci_kind or 'eti'} [{ends})".replace(
        "hdi", "HDI"
    ).replace("eti", "ETI")


def _best(systems: Any, made: Signature) -> list[str]:
    """Who is the best of all, where that was answered jointly."""
    if "prob_best" not in systems:
        return []
    top = systems.sort_values("prob_best", ascending=False, kind="stable")
    first = top.iloc[0]
    said = f"{first['system']} is the best of all with probability "
    said += numbers.probability(first["prob_best"])
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


def _tally(pairs: Any) -> str:
    """How the pairs ended."""
    number = pairs["verdict"].value_counts()
    said = [f"{number[v]:,} {what}" for v, what in _ENDED.items() if number.get(v)]
    return f"Of {len(pairs):,} pairs: {', '.join(said)}."


_ENDED = {
    "better": "decided",
    "equivalent": "practically equivalent",
    "undecided": "undecided, which is not evidence that they are equal",
    "split": "split",
    "no_data": "without a common example",
    "no_verdict": "without a verdict",
}


def _named(systems: list[str]) -> str:
    if len(systems) > _MANY:
        return f"{', '.join(systems[:_MANY])} and {len(systems) - _MANY} more"
    return " and ".join(filter(None, [", ".join(systems[:-1]), systems[-1]]))
