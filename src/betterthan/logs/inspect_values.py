"""Scores that Inspect writes, as numbers."""

from collections import Counter
from typing import Any

from betterthan.logs.json_values import number
from betterthan.logs.record import ERROR, UNSCORED, Cells, Run

_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_TRUTHS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_LIST = "its scores are lists, which are no number for an item; score each element by itself"


def values_of(sample: dict[str, Any], one_name: str) -> dict[str, Any]:
    """The values of a sample by metric; those of a score of several are ``scorer/key``.

    Parameters
    ----------
    sample : dict
    one_name : str
        The scorer of a log from before there were several.
    """
    scores = sample.get("scores")
    if not isinstance(scores, dict):
        scores = {one_name: sample["score"]} if isinstance(sample.get("score"), dict) else {}
    found: dict[str, Any] = {}
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            found |= {f"{name}/{key}": one for key, one in value.items()}
        else:
            found[name] = value
    return found


def add_scores(run: Run, samples: list[tuple[int, dict[str, Any]]], declared: list[str]) -> None:
    """Add the scores of all samples, each with every metric.

    Parameters
    ----------
    run : Run
    samples : list of (place in cells, values by metric)
    declared : list of str
        Metrics of the scorers, for a run of which nothing was scored.
    """
    metrics = list(dict.fromkeys(name for _, values in samples for name in values))
    if not metrics and any(run.cells.failed):
        metrics = declared
    odd: dict[str, Counter[str]] = {}
    for place, values in samples:
        for metric in metrics:
            _add(run.cells, place, metric, values, odd.setdefault(metric, Counter()))
    for metric, seen in odd.items():
        _tell(run, metric, seen)


def _add(cells: Cells, place: int, metric: str, values: dict[str, Any], seen: Counter[str]) -> None:
    value = values.get(metric)
    raw = _as_number(value)
    if value == "N":
        seen["N"] += 1
    elif isinstance(value, list):
        seen["list"] += 1
    elif raw is None and value is not None:
        seen[f"odd {str(value)[:20]}"] += 1
    if cells.failed[place]:
        cells.score(place, metric, raw, ERROR)
    elif raw is None:
        cells.score(place, metric, None, UNSCORED)
    else:
        cells.score(place, metric, raw)


def _as_number(value: Any) -> float | None:
    if isinstance(value, str):
        if value in _WORDS:
            return _WORDS[value]
        if value.lower() in _TRUTHS:
            return _TRUTHS[value.lower()]
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
