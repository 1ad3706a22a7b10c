"""Scores that cannot be what they seem: codes for missing scores, and systems on other scales."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import combinations, takewhile
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.io.problems import counted, in_python, listed, problem, quoted, warn
from betterthan.io.system_names import PLAIN_NUMBER, far_columns, row_blocks

_HIGH = (99, 999, 9999)  # codes above all scores
_LOW = (-1, -9, -99, -999, -9999)  # codes below 0, where no score is
_TOPS = (5, 10, 100)  # of ratings and percentages
_NEAR = 0.9  # of the top of a scale: what some score reaches
_ROWS = 8  # of fewer scores the range says nothing
_FEW = 0.02  # of all scores: missing ones among items that are numbered in two ways
_LOSSES = 0.1  # how many of a number of other scores are -1 where that is a score of losses
_APART = 9  # how many times as large as any score a code above them is


def refuse_doubtful(scores: xr.DataArray) -> None:
    """Refuse codes for missing scores and systems on two scales, until the systems are named."""
    _refuse(scores, doubtful(scores))
    if reason := marks_next_to_ratings(scores):
        warn(scores.attrs["source"], f"{reason}; write all on one scale")


def warn_unlike_scales(scores: xr.DataArray) -> None:
    """Warn of systems that were named though their scores are not on one scale."""
    if scores.ndim != 2:
        return
    if reason := other_scales(scores) or marks_next_to_ratings(scores):
        warn(scores.attrs["source"], f"{reason}; write all on one scale")


def refuse_doubtful_logs(scores: xr.DataArray, absent: xr.DataArray) -> None:
    """Refuse logs on two scales or with two numberings of items, until the systems are named;
    `absent` are scores of which a log has no sample.
    """
    if reason := other_scales_of_logs(scores):
        _refuse(scores, f"{reason}; give logs of one scale")
    if reason := marks_next_to_ratings(finite_scores(scores)):
        warn(scores.attrs["source"], f"{reason}; give logs of one scale")
    if reason := other_numbers(scores.fillna(0.0).where(~absent)):
        _refuse(scores, f"{reason}; number all alike")


def other_scales_of_logs(scores: xr.DataArray) -> str:
    """The same as `other_scales`, of scores that may be infinite."""
    return other_scales(finite_scores(scores))


def finite_scores(scores: xr.DataArray) -> xr.DataArray:
    """The scores, NaN where they are infinite."""
    return scores.where(np.isfinite(scores))


def warn_of_data_sets_on_other_scales(scores: xr.DataArray, scale: float) -> None:
    """Warn of data sets of which one has shares and another percentages or ratings: the mean over
    their items is that of the larger numbers. `scale` turns the scores into what was written.
    """
    if names.DATASET not in getattr(scores, "coords", ()):
        return
    labels, start = scores[names.DATASET].values, 0
    ranges: dict[str, np.ndarray] = {}  # lowest, highest, how many, and how many are fractions
    for rows in row_blocks(scores.values):
        own = labels[start : start + len(rows)]
        start += len(rows)
        for label in np.unique(own):
            part = rows[own == label]
            low, high = np.fmin.reduce(part, axis=None), np.fmax.reduce(part, axis=None)
            n, fractions = np.count_nonzero(~np.isnan(part)), np.count_nonzero(part % 1 > 0)
            before = ranges.get(str(label), np.array([np.nan, np.nan, 0, 0]))
            low, high = np.fmin(low, before[0]), np.fmax(high, before[1])
            ranges[str(label)] = np.array([low, high, n + before[2], fractions + before[3]])
    low, high, n, fractions = np.stack(list(ranges.values()), axis=1)
    low, high = scale * low, scale * high
    shares, tops = _shares_and_tops(low, high)
    marks = np.fmax.reduce(high) > _TOPS[1] and not _counts_errors(scores)
    shares &= (n >= _ROWS) & ((fractions > 0) | marks)
    tops &= n >= _ROWS
    if shares.any() and tops.any():
        pair = [int(tops.argmax()), int(shares.argmax())]
        first, second = (
            f"{quoted(list(ranges)[k])} run from {low[k]:g} to {high[k]:g}" for k in pair
        )
        right = "write all on one scale, or pass quantity='wins', which counts items alike"
        reason = f"scores of {first} and those of {second}, not on one scale; {right}"
        warn(scores.attrs["source"], reason)


def warn_appended_percentages(scores: xr.DataArray, scale: float) -> None:
    """Warn of items, first or last, whose scores are shares, where those of the others are
    percentages; `scale` turns the scores into what was written.
    """
    if not scale * np.fmax.reduce(scores.values, axis=None, initial=0) > _TOPS[1]:
        return
    if names.DATASET in getattr(scores, "coords", ()):
        return  # of which the warning is by data set
    blocks = list(row_blocks(scores.values))
    high = scale * np.concatenate([np.fmax.reduce(rows, axis=1) for rows in blocks])
    large = np.flatnonzero(high > 1)
    first, last = int(large[0]), int(large[-1]) + 1
    if (first > 0) == (last < len(high)):
        return
    shares = slice(0, first) if first else slice(last, None)
    parts = [scale * scores.values[part] for part in (shares, slice(first, last))]
    border = high[first : first + _ROWS] if first else high[:last][-_ROWS:]
    sorted_scores = np.nanmedian(border) <= _TOPS[1]  # the next ones are larger by a little
    if min(map(len, parts)) < _ROWS or len(large) < len(parts[1]) / 2:
        return
    low, high = (np.array([f.reduce(x, axis=None) for x in parts]) for f in (np.fmin, np.fmax))
    is_share, is_top = _shares_and_tops(low, high)
    if is_share[0] and is_top[1] and high[1] > _TOPS[1] and not sorted_scores:
        places = ("first", "last") if first else ("last", "first")
        one, other = (
            f"{end} {len(part)} items run from {a:g} to {b:g}"
            for end, part, a, b in zip(places, parts, low, high, strict=True)
        )
        reason = f"scores of the {one} and those of the {other}, not on one scale"
        warn(scores.attrs["source"], f"{reason}; write all on one scale")


def warn_of_numbers_in_two_spellings(scores: xr.DataArray) -> None:
    """Warn of items of one number, such as q1 and q01, of which each system has one."""
    gaps = [np.isnan(rows).any(1) for rows in row_blocks(scores.values)]
    lacking = np.flatnonzero(np.concatenate(gaps))
    if not len(lacking):  # the labels of a large table are not looked at in vain
        return
    items, spelt = scores[names.ITEM].values, dict[str | Decimal, dict[str, np.ndarray]]()
    prefix = len(_prefix_of_numbers([str(items[k]) for k in lacking]))
    labels = (str(items[k])[prefix:] for k in lacking)
    keys = ((hash(_in_one_spelling(x, float)), hash(x)) for x in labels)
    numbers, marks = np.fromiter(keys, np.dtype((np.int64, 2)), len(lacking)).T
    order = np.lexsort((marks, numbers))
    alike = np.diff(numbers[order]) == 0
    twice = set(numbers[order][1:][alike & (np.diff(marks[order]) != 0)].tolist())
    for k in lacking if twice else ():
        item = str(items[k])
        number = item[prefix:]
        if hash(_in_one_spelling(number, float)) in twice:
            ids = spelt.setdefault(_in_one_spelling(number, Decimal), {})
            observed = ~np.isnan(scores.values[k])
            ids[item] = ids[item] | observed if item in ids else observed
    pairs = [
        [quoted(one), quoted(other)]
        for ids in spelt.values()
        for (one, a), (other, b) in combinations(ids.items(), 2)
        if not (a & b).any()
    ]
    if pairs:
        more = f" (and {counted(len(pairs) - 1, 'more such pair')})" if len(pairs) > 1 else ""
        reason = f"items {' and '.join(pairs[0])}{more} are one number in two spellings, and no"
        right = "system has a score on both; if they are one item, give it one spelling"
        warn(scores.attrs["source"], f"{reason} {right}")


_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")  # that a number begins with


def _in_one_spelling(label: str, number: Callable[[str], Any]) -> Any:
    """A label that is a number as one; any other without zeros before the numbers in it."""
    is_number = PLAIN_NUMBER.fullmatch(label) and np.isfinite(float(label))  # a hash: 7e9999999
    return number(label) if is_number else _ZEROS.sub("", label)


def _prefix_of_numbers(items: Sequence[str]) -> str:
    """What all items begin with before a number, such as "HumanEval/"."""
    letters = takewhile(lambda pair: pair[0] == pair[1], zip(min(items), max(items), strict=False))
    return "".join(letter for letter, _ in letters).rstrip(".0123456789")


def _shares_and_tops(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which ranges reach 1 and stay within, and which reach the top of another scale."""
    scales = np.array([1, *_TOPS])[:, None]
    reached = (low >= 0) & (high <= scales) & (high >= _NEAR * scales)
    return reached[0], reached[1:].any(0)


def _refuse(scores: xr.DataArray, reason: str) -> None:
    if reason:
        every = in_python(scores[names.SYSTEM].values.tolist())
        raise problem(scores.attrs["source"], f"{reason}, or pass systems={every} if it is right")


def doubtful(scores: xr.DataArray) -> str:
    """Why scores cannot be what they seem, and what would be right; else nothing."""
    if reason := missing_codes(scores):
        return f"{reason}; leave the cell blank"
    if reason := other_scales(scores):
        return f"{reason}; write all on one scale"
    if reason := other_numbers(scores):
        return f"{reason}; number all alike"
    return ""


def missing_codes(scores: xr.DataArray) -> str:
    """Name a number that may say that a score is missing: -1 next to 0 and 1, 99 next to ratings.

    Where each system often has -1 next to 0 and 1, it is a score, as of losses; where some have
    none, it lowers the others.
    """
    values = scores.values
    low, high = (float(f.reduce(values, axis=None, initial=np.nan)) for f in (np.fmin, np.fmax))
    for code in (low if low in _LOW else None, high if high in _HIGH else None):
        if code is None:
            continue
        coded = values == code
        others = values[~coded & ~np.isnan(values)]
        if not others.size or (others < 0).any() or _APART * others.max() > code > 0:
            continue
        systems = scores[names.SYSTEM].values[coded.any(axis=0)].tolist()
        losses = code == -1 and others.max() <= 1 and coded.sum() >= _LOSSES * others.size
        if not losses or len(systems) < values.shape[1]:
            what = f"{counted(int(coded.sum()), 'score')} of {listed(systems)}"
            rest = f"{others.min():g} to {others.max():g}"
            return f"{code:g} may mean missing: {what} next to {rest}"
    return ""


def other_numbers(scores: xr.DataArray) -> str:
    """Name two systems whose items are numbered from 0 and from 1: a join would compare each item
    with the next one.
    """
    values, last = scores.values, scores.sizes[names.ITEM] - 1
    missing = sum(np.count_nonzero(np.isnan(rows)) for rows in row_blocks(values))
    if not values.shape[1] <= missing <= values.shape[1] + _FEW * values.size:
        return ""
    items = scores[names.ITEM].values.tolist()
    if not all(isinstance(item, str) for item in items):
        return ""  # places, not ids that were joined
    prefix = len(_prefix_of_numbers(items))
    texts = [item[prefix:] for item in items]
    if not all(text.isdecimal() for text in texts):
        return ""
    numbers = np.array([float(text) for text in texts])
    if not np.array_equal(np.sort(numbers), np.arange(last + 1)):
        return ""
    lacks_0, lacks_last = np.isnan(values[[numbers.argmin(), numbers.argmax()]])
    if (lacks_0 == lacks_last).any() or lacks_0.all() or lacks_last.all():
        return ""
    systems = scores[names.SYSTEM].values
    first, second = (quoted(str(systems[k.argmax()])) for k in (lacks_last, lacks_0))
    return f"items of {first} are numbered from 0, those of {second} from 1 to {last}"


def other_scales(scores: xr.DataArray, marks: bool = False) -> str:
    """Name two systems whose scores are plainly not on one scale: shares next to percentages, or
    shares up to 1 next to ratings up to 5 or 10.
    """
    values = scores.values
    if values.shape[1] < 2:
        return ""
    others, one = far_columns(values)
    if not len(others) or len(values) < _ROWS:
        others, one = _with_other_tops(values, marks)
    if not len(others):
        return ""
    pair = [one, int(others[0])]
    low, high = (f(values[:, pair], 0) for f in (np.nanmin, np.nanmax))
    first, second = map(quoted, scores[names.SYSTEM].values[pair].tolist())
    ranges = [f"{a:g} to {b:g}" for a, b in zip(low, high, strict=True)]
    both = f"scores of {second} run from {ranges[1]} and those of {first} from {ranges[0]}"
    return f"{both}, not on one scale"


def _counts_errors(scores: xr.DataArray) -> bool:
    """Whether less is better, as of errors: 1 at most in one place, and 5 in another."""
    return scores.attrs.get("higher_is_better", True) in (False, 0)


def marks_next_to_ratings(scores: xr.DataArray) -> str:
    """Name a system whose scores are all 0 and 1 next to one with ratings up to 5 or 10."""
    if not np.fmax.reduce(scores.values, axis=None, initial=0) > 1 or _counts_errors(scores):
        return ""
    return other_scales(scores, marks=True)


def _with_other_tops(values: np.ndarray, marks: bool) -> tuple[np.ndarray, int]:
    """Systems that reach the top of another scale than one whose shares, or `marks` of 0 and 1,
    reach 1; that one too.
    """
    low, high = np.full((2, values.shape[1]), np.nan)
    for rows in row_blocks(values):
        low, high = np.fmin(low, np.fmin.reduce(rows)), np.fmax(high, np.fmax.reduce(rows))
    shares, tops = _shares_and_tops(low, high)
    if shares.any() and tops.any():
        n, fractions = np.zeros((2, values.shape[1]), dtype=int)
        for rows in row_blocks(values):
            n += (~np.isnan(rows)).sum(0)
            fractions += (rows % 1 > 0).sum(0)
        shares &= (n >= _ROWS) & ((fractions > 0) | (marks & (low == 0)))
        tops &= (n >= _ROWS) & shares.any()
    return np.flatnonzero(tops & shares.any()), int(shares.argmax())


def refuse_shares(scores: xr.DataArray) -> None:
    """Refuse a system of which no score is above 1 per cent where others have more: its scores may
    be shares, a hundred times as large.
    """
    high = np.nan_to_num(scores.max(names.ITEM).values)
    small = np.flatnonzero((high > 0) & (high <= 0.01))
    if len(small) and high.max() > 0.01:
        system = scores[names.SYSTEM].values[small[0]]
        reason = f"no score of {str(system)!r} is above {100 * high[small[0]]:g}, while others"
        right = f"reach {100 * high.max():g}; write all scores as percentages"
        raise ValueError(f"percent=True, but {reason} {right}")
    if 0 < high.max(initial=0.0) <= 0.01:
        right = "these are proportions, so leave percent=True out"
        raise ValueError(f"percent=True, but no score is above {100 * high.max():g}; {right}")
