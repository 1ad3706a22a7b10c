"""Labels next to gold: columns that hold something else, and labels that look the same."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from betterthan.io.cells import holds_numbers, is_word, means_missing, texts
from betterthan.io.layouts import find
from betterthan.io.problems import in_python, listed, problem, quoted, warn
from betterthan.io.system_names import PLAIN_NUMBER, how_to_choose, tell_alike
from betterthan.io.table import Table
from betterthan.io.texts import Coded
from betterthan.text import spelling

Counted = list[tuple[str, int]]  # distinct cells, and how many rows hold each
_NEARLY_NONE = 0.01  # of its cells are known labels: below, a column holds something else
_MOST = 0.5  # of its cells are labels of gold: from here on, its other values are labels too
_MAX_EXAMPLES = 3  # values and labels in a message
_NO_ANSWER = frozenset({"-", "--", "–", "—", "?", "#n/a", "n.a.", "<na>"})  # next to NA, none, ...
_SEPARATORS = re.compile(r"[|;,]")
_LONG = 300  # digits of what is no id
_NUMERIC_HINT = (
    "; a prediction is right only where it equals gold: to compare numbers by how near they are, "
    "give the size of each error as a score, with higher_is_better=False, or --lower-is-better"
)


def check_labels(
    table: Table,
    gold: tuple[str, Coded],
    predicted: Mapping[str, Coded],
    named: bool,
    *,
    one: bool = False,
) -> str:
    """Refuse columns that are no predictions; return what the reading says of the labels.

    Parameters
    ----------
    table : Table
    gold : tuple of str and Coded
        The column of gold labels, and what it holds.
    predicted : mapping of str to Coded
        The cells of each system; those that are missing are empty.
    named : bool
        Whether these systems were asked for: then whatever they hold are predictions.
    one : bool, default False
        Whether the table is of one system.
    """
    column, labels, others = gold[0], set(gold[1].distinct), ""
    every = distinct_labels(table.source, *(c.distinct for c in (gold[1], *predicted.values())))
    if not named:
        _refuse_confidences(table, predicted, column, labels, one)
        _refuse_words_of_missing(table, predicted, column, labels, one)
    counted = {name: cells_coded.counted for name, cells_coded in predicted.items()}
    if not named:
        others = _check_others(table, column, labels, counted, one)
    else:
        _warn_unlike_gold(table, column, labels, counted)
    tell_alike(table.source, every, "labels")
    _warn_other_gold(table, *gold)
    return others


def _warn_other_gold(table: Table, column: str, gold: Coded) -> None:
    """Warn of an item that has one gold label in one run and another in another."""
    item = find(table, "item")
    if item is None or find(table, "epoch") is None:
        return
    keys = [texts(table, k) for k in (item, find(table, "dataset")) if k is not None]
    first: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*keys, strict=True)):
        other = first.setdefault(key, row)
        if gold.codes[row] != gold.codes[other]:
            there = f"the label {quoted(gold[other])} in row {table.rows[other]}"
            reason = f"item {quoted(key[0])} has {there}, and each run is compared with its own"
            where = {"row": table.rows[row], "column": column, "value": gold[row]}
            return warn(table.source, reason, **where)


def distinct_labels(
    source: str, *columns: Sequence[str], right: str = "write it in one"
) -> list[str]:
    """All labels of the columns; refuse two that are one number, and warn of two that are the same
    parts in another order.
    """
    labels = [label for label in dict.fromkeys(chain(*columns)) if label]
    numbers: dict[float, str] = {}
    parts: dict[tuple[str, ...], str] = {}
    for label in labels:
        split = _SEPARATORS.split(label)
        if len(split) > 1 and any(map(str.isalpha, label)):
            first = parts.setdefault(tuple(sorted(map(str.strip, split))), label)
            if first != label:
                reason = f"labels {quoted(first)} and {quoted(label)} hold the same parts"
                warn(source, f"{reason}, and count as different; write parts in one order")
                break
    for label in labels:
        if PLAIN_NUMBER.fullmatch(label.strip()):
            first = numbers.setdefault(_number(label.strip()), label)
            if first.strip() != label.strip():
                both = f"labels {quoted(first)} and {quoted(label)}"
                reason = f"{both} are one number, written in two ways; {right}"
                raise problem(source, reason)
    return labels


def _number(label: str) -> float:
    """An integer exactly, such as an id of many digits."""
    is_id = label.isdecimal() and len(label) < _LONG
    return int(label) if is_id else float(label)


def _refuse_words_of_missing(
    table: Table, predicted: Mapping[str, Coded], gold: str, labels: set[str], one: bool
) -> None:
    """Refuse a word such as NA that is no label of gold: the answer may be missing, or wrong."""
    meant = "write another word" if one else f"pass systems={in_python([*predicted])}"
    right = f"leave the cell blank if the answer is missing, or {meant} if it is wrong"
    for system, cells in predicted.items():
        for text in cells.distinct:
            no_answer = means_missing(text) or text.strip().casefold() in _NO_ANSWER
            if text and no_answer and text not in labels:
                reason = f"holds {quoted(text)}, which is no label of column {quoted(gold)}"
                raise problem(table.source, f"{reason}; {right}", column=system)


def _refuse_confidences(
    table: Table, predicted: Mapping[str, Coded], gold: str, labels: set[str], one: bool
) -> None:
    """Refuse numbers as predictions if gold is text: as predictions they would all be wrong."""
    if any(map(_is_number, labels)):
        return
    systems = list(predicted)
    numbers = [
        system
        for system, cells in predicted.items()
        if holds_numbers(table, system) and not any(map(is_word, cells.distinct))
    ]
    if numbers:
        reason = f"numbers{_also(numbers)}, while the labels in column {gold!r} are text"
        right = how_to_choose(systems, numbers, one=one)
        if len(systems) == 1:
            right = f"pass score={quoted(numbers[0])} if it holds the scores"
        raise problem(table.source, f"{reason}; {right}", column=numbers[0])


def _check_others(
    table: Table, gold: str, labels: set[str], predicted: Mapping[str, Counted], one: bool
) -> str:
    """Refuse columns that share no or nearly no label with gold; return what the reading says of
    those that share fewer than half.

    The labels of the other systems count too: one that always predicts a class that gold happens
    to lack is none of these.
    """
    shared = {name: _share(cells, labels) for name, cells in predicted.items()}
    sure = [predicted[name] for name, share in shared.items() if share >= _MOST]
    known_labels = labels.union(*({text for text, _ in cells} for cells in sure))
    few = [name for name, share in shared.items() if share < _NEARLY_NONE]
    odd = [name for name in few if _share(predicted[name], known_labels - {""}) < _NEARLY_NONE]
    if odd:
        cells = predicted[odd[0]]
        what = f"{_values(cells, labels, gold)}{_also(odd)}"
        if _share([(spelling(text), n) for text, n in cells], {*map(spelling, labels)}) >= _MOST:
            what += "; they differ only by blanks, case or unicode form: write them as gold does"
        elif len(odd) == len(predicted) and holds_numbers(table, gold):
            what += _NUMERIC_HINT
        else:
            right = how_to_choose(list(predicted), odd, one=one)
            what += f"; write labels as gold does, {right}"
        raise problem(table.source, what, column=odd[0])
    if len(labels) > len(table.rows) * _MOST:  # gold answers of one item each, no classes
        return ""
    return "".join(
        f", {1 - share:.0%} of column {name!r} no label of gold ({_few(predicted[name], labels)})"
        for name, share in shared.items()
        if share < _MOST
    )


def _warn_unlike_gold(
    table: Table, gold: str, labels: set[str], predicted: Mapping[str, Counted]
) -> None:
    """Warn of systems that were asked for, and can hardly be right."""
    for system, cells in predicted.items():
        if any(text for text, _ in cells) and _share(cells, labels) < _NEARLY_NONE:
            reason = f"{_values(cells, labels, gold)}, so nearly all are wrong"
            warn(table.source, f"{reason}; write labels as gold does", column=system)


def _share(cells: Counted, labels: set[str]) -> float:
    """Return the share of nonblank cells that hold one of these labels."""
    n, total = _numbers(cells, labels)
    return n / total if total else 0.0


def _numbers(cells: Counted, labels: set[str]) -> tuple[int, int]:
    """How many cells hold one of these labels, and how many are not blank."""
    return sum(n for text, n in cells if text in labels), sum(n for text, n in cells if text)


def _values(cells: Counted, labels: set[str], gold: str) -> str:
    """Describe what a column holds instead of labels."""
    n, total = _numbers(cells, labels)
    if not total:
        return "holds nothing"
    share_text = f"{n} of {total} values are labels" if n else "no value is a label"
    gold_labels = listed(sorted(labels), _MAX_EXAMPLES)
    return f"holds {_few(cells, labels)}; {share_text} of column {quoted(gold)} ({gold_labels})"


def _few(cells: Counted, labels: set[str]) -> str:
    """The first values that are no labels."""
    return listed([text for text, _ in cells if text and text not in labels], _MAX_EXAMPLES)


def _also(odd: Sequence[str]) -> str:
    return f", as in {listed(odd[1:])}" if len(odd) > 1 else ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
