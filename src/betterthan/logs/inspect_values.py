"""Scores that Inspect writes, as numbers."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from betterthan.logs.json_values import number
from betterthan.logs.record import Run

_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_TRUTHS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_LIST = "its scores are lists, which are no number for an item; score each element by itself"


def add_scores(run: Run, samples: Sequence[dict[str, Any]], declared: list[str]) -> None:
    """Add the scores of all samples, each with every metric.

    Parameters
    ----------
    run : Run
        With its samples, in the same order.
    samples : sequence of dict
    declared : list of str
        Metrics of the scorers, for a run of which nothing was scored; the first for a log from
        before there were several scorers.
    """
    scores: list[Any] = [one.get("scores") for one in samples]
    if not all(type(one) is dict for one in scores):
        scores = [_scores_of(one, declared) for one in samples]
    columns = _columns(scores)
    if not columns and any(run.cells.failed):
        columns = {metric: [None] * len(samples) for metric in declared}
    for metric, values in columns.items():
        words = {one: _as_number(one) for one in {v for v in values if type(v) is str}}
        numbers = [words[v] if type(v) is str else number(v) for v in values]
        run.cells.scores(metric, numbers)
        if "N" in words or None in numbers:
            _tell(run, metric, _odd(values, numbers))


def _scores_of(sample: dict[str, Any], declared: list[str]) -> dict[str, Any]:
    scores = sample.get("scores")
    if isinstance(scores, dict):
        return scores
    one_name = declared[0] if declared else "score"
    return {one_name: sample["score"]} if isinstance(sample.get("score"), dict) else {}


def _columns(scores: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """The values of each metric; those of a score of several are ``scorer/key``."""
    found: dict[str, list[Any]] = {}
    for scorer in dict.fromkeys(chain.from_iterable(scores)):
        own = [of.get(scorer) for of in scores]
        values = [one.get("value") if type(one) is dict else one for one in own]
        keyed = [value for value in values if type(value) is dict]
        if len(keyed) < sum(scorer in of for of in scores):
            found[scorer] = [None if type(v) is dict else v for v in values] if keyed else values
        for key in dict.fromkeys(chain.from_iterable(keyed)):
            at = [value.get(key) if type(value) is dict else None for value in values]
            found[f"{scorer}/{key}"] = at
    return found


def _odd(values: list[Any], numbers: list[float | None]) -> Counter[str]:
    """How many values are no scores, or none that a person would take them for."""
    seen: Counter[str] = Counter()
    for value, raw in zip(values, numbers, strict=True):
        if raw is None and value is not None:
            seen["list" if isinstance(value, list) else f"odd {str(value)[:20]}"] += 1
        elif value == "N":
            seen["N"] += 1
    return seen


def _as_number(value: Any) -> float | None:
    if type(value) is str:
        found = _WORDS.get(value, _TRUTHS.get(value.lower()))
        return number(value) if found is None else found
    return number(value)


def _tell(run: Run, metric: str, seen: Counter[str]) -> None:
    if seen["list"]:
        run.refused[metric] = f"metric {metric}: {_LIST}"
    if seen["N"]:
        said = f"metric {metric}: {seen['N']} of value N (no answer), taken as 0 as Inspect does"
        run.said.append(("unanswered", said))
    odd = {key[4:]: n for key, n in seen.items() if key.startswith("odd ")}
    if odd:
        named = ", ".join(repr(key) for key in list(odd)[:3])
        said = f"metric {metric}: {sum(odd.values())} of values that are no scores ({named})"
        run.said.append(("unscored", f"{said}, left unscored; Inspect takes them as 0"))
