"""Convert the scores that Inspect writes to numbers."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from betterthan.logs.json_values import number
from betterthan.logs.record import Run

_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_TRUTHS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_NONE = object()  # in the place of the score of a sample that has none
_LIST = "its scores are lists, which are no number for an item; score each element by itself"


class Scores:
    """The values that scorers gave samples, a column for each scorer."""

    def __init__(self) -> None:
        self._size = 0
        self._columns: dict[str | None, list[Any]] = {}  # None: the only one, which has no name

    def add(self, samples: Sequence[dict[str, Any]]) -> None:
        """Add those of some samples."""
        for sample in samples:
            scores = sample.get("scores")
            if not isinstance(scores, dict):
                scores = {None: sample["score"]} if isinstance(sample.get("score"), dict) else {}
            for scorer, score in scores.items():
                column = self._columns.setdefault(scorer, [])
                column += [_NONE] * (self._size - len(column))
                column.append(score.get("value") if isinstance(score, dict) else score)
            self._size += 1

    def select(self, samples: Sequence[int], sole: str) -> dict[str, list[Any]]:
        """The values of some samples by scorer, `sole` for the only one; `_NONE` where there is no
        score.
        """
        columns: dict[str, list[Any]] = {}
        for scorer, column in self._columns.items():
            column += [_NONE] * (self._size - len(column))
            values = column if len(samples) == self._size else [column[k] for k in samples]
            name = sole if scorer is None else scorer
            other = columns.get(name, values)
            columns[name] = [b if a is _NONE else a for a, b in zip(other, values, strict=True)]
        return {
            name: values for name, values in columns.items() if any(v is not _NONE for v in values)
        }


def add_scores(run: Run, scores: Scores, samples: Sequence[int], declared: list[str]) -> None:
    """Add the scores of samples, each with every metric.

    Parameters
    ----------
    run : Run
        With its samples, in the same order.
    scores : Scores
    samples : sequence of int
        The places of these samples among all that have scores.
    declared : list of str
        Metrics of the scorers, for a run of which nothing was scored; the first for a log from
        before there were several scorers.
    """
    columns = _by_metric(scores.select(samples, declared[0] if declared else "score"))
    if not columns and any(run.cells.failed):
        columns = {metric: [None] * len(samples) for metric in declared}
    for metric, values in columns.items():
        words = {word: _as_number(word) for word in {v for v in values if type(v) is str}}
        numbers = [words[v] if type(v) is str else number(v) for v in values]
        run.cells.scores(metric, numbers)
        if "N" in words or None in numbers:
            _tell(run, metric, _odd(values, numbers))


def _by_metric(scores: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the values of each metric; a score with several values gives ``scorer/key``."""
    values_by_metric: dict[str, list[Any]] = {}
    for scorer, values in scores.items():
        keyed = [value for value in values if type(value) is dict]
        if len(keyed) < len(values) - values.count(_NONE):
            values_by_metric[scorer] = [
                None if v is _NONE or type(v) is dict else v for v in values
            ]
        for key in dict.fromkeys(chain.from_iterable(keyed)):
            column = [value.get(key) if type(value) is dict else None for value in values]
            values_by_metric[f"{scorer}/{key}"] = column
    return values_by_metric


def _odd(values: list[Any], numbers: list[float | None]) -> Counter[str]:
    """Count values that are not scores, or that Inspect counts differently than a reader
    expects.
    """
    counts: Counter[str] = Counter()
    for value, raw in zip(values, numbers, strict=True):
        if raw is None and value is not None:
            counts["list" if isinstance(value, list) else f"odd {str(value)[:20]}"] += 1
        elif value == "N":
            counts["N"] += 1
    return counts


def _as_number(value: Any) -> float | None:
    if type(value) is str:
        score = _WORDS.get(value, _TRUTHS.get(value.lower()))
        return number(value) if score is None else score
    return number(value)


def _tell(run: Run, metric: str, counts: Counter[str]) -> None:
    if counts["list"]:
        run.refused[metric] = f"metric {metric}: {_LIST}"
    if counts["N"]:
        message = (
            f"metric {metric}: {counts['N']} of value N (no answer), taken as 0 as Inspect does"
        )
        run.notes.append(("unanswered", message))
    odd = {key[4:]: n for key, n in counts.items() if key.startswith("odd ")}
    if odd:
        named = ", ".join(repr(key) for key in list(odd)[:3])
        message = f"metric {metric}: {sum(odd.values())} of values that are no scores ({named})"
        run.notes.append(("unscored", f"{message}, left unscored; Inspect takes them as 0"))
