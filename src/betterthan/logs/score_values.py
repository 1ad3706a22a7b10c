"""Convert a value in a log to a number, or refuse it with its location."""

import math
from typing import Any

from betterthan.io.problems import problem
from betterthan.logs.json_values import number

_BLANK = ("", "nan", "none", "null", "na", "n/a", "<na>")  # as tables write what is not there
_TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "pass": 1.0, "fail": 0.0}


def parse_score(value: Any, source: str, row: int | None, metric: str) -> float:
    """The score that a tool wrote, NaN where it wrote none.

    A bool, a number, the digits of one, or yes, no, true, false, pass, fail.

    Raises
    ------
    ValueError
        If it is anything else, or infinite; the message names file, row and metric.
    """
    if is_blank(value):
        return math.nan
    score = as_score(value)
    if score is None:
        reason = "is no score; a score is a number, true or false, yes or no"
        raise problem(source, reason, row=row, column=metric, value=value)
    if math.isinf(score):
        reason = "is no finite number; a score is finite, or null where there is none"
        raise problem(source, reason, row=row, column=metric, value=value)
    return score


def as_score(value: Any) -> float | None:
    """The number that a value is, or its word stands for; None where it is neither."""
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in _TRUTH:
            return _TRUTH[word]
        return number(word) if word.isascii() and "_" not in word else None
    return number(value)


def is_blank(value: Any) -> bool:
    """Whether there is nothing in a cell."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().casefold() in _BLANK
