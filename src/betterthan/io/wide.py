"""One row for each item, one column for each system: scores, or predictions beside a gold
column.
"""

from collections.abc import Sequence

import numpy as np

from betterthan.io import cells
from betterthan.io.alike import alike_labels, refuse_apart_by_scores
from betterthan.io.choosing import chosen
from betterthan.io.items import at_least_two, items_of, scores_array, sole
from betterthan.io.no_systems import refuse_other_numbers, refuse_total
from betterthan.io.problems import listed, problem
from betterthan.io.table import Reading, Table

_NOT_SCORES = (
    "text, not scores; leave the column out, or name it 'item' if it holds the item ids, "
    "'cluster' if it says which "
    "items belong together"
)


def wide_scores(table: Table, systems: Sequence[str] | None = None) -> Reading:
    """Scores of a wide table, of all its columns or of the ones that are named."""
    items = items_of(table)
    rest = [column for column in table.columns if column not in items.used]
    named, systems = systems is not None, chosen(table, rest, systems)
    at_least_two(table, systems)
    values = np.empty((len(items.ids), len(systems)))
    for k, system in enumerate(systems):
        values[:, k] = cells.numbers(table, system, _NOT_SCORES)
    if items.said.startswith("items are"):
        _refuse_row_numbers(table, systems, values)
    if not named:
        refuse_other_numbers(table, systems, values)
    refuse_total(table.source, items.ids, values)
    refuse_apart_by_scores(table.source, systems, items.ids, ~np.isnan(values))
    ignored = [*items.ignored, *(column for column in rest if column not in systems)]
    scores = scores_array(values, items.ids, systems, items.coords)
    return Reading(scores, items.said, ignored)


def predicted_scores(table: Table, systems: Sequence[str] | None = None) -> Reading:
    """1 where a prediction equals gold, 0 where it does not, NaN where it is blank."""
    items = items_of(table)
    gold_column = str(sole(table, "gold"))
    rest = [column for column in table.columns if column not in items.used | {gold_column}]
    systems = chosen(table, rest, systems)
    at_least_two(table, systems)
    gold = np.array(cells.labels(table, gold_column, "each item its right answer"), dtype=object)
    if not any(map(_is_number, set(gold.tolist()))):
        _refuse_confidences(table, systems, gold_column)
    values, labels = _compared(table, systems, gold)
    said = f"{items.said}, 1 where a prediction equals column {gold_column!r}"
    said += alike_labels(table.source, labels)
    refuse_apart_by_scores(table.source, systems, items.ids, ~np.isnan(values))
    ignored = [*items.ignored, *(column for column in rest if column not in systems)]
    return Reading(scores_array(values, items.ids, systems, items.coords), said, ignored)


def _compared(table: Table, systems: list[str], gold: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Whether each prediction equals gold, NaN where it is blank; and all labels."""
    values = np.empty((len(gold), len(systems)))
    labels = dict.fromkeys(gold.tolist())
    for k, system in enumerate(systems):
        predicted = np.array(cells.predictions(table, system), dtype=object)
        values[:, k] = np.where(predicted == "", np.nan, predicted == gold)
        labels |= dict.fromkeys(predicted.tolist())
    return values, [label for label in labels if label]


def _refuse_row_numbers(table: Table, systems: list[str], values: np.ndarray) -> None:
    """Refuse a system whose scores count the rows: it is an id by an unknown name, and would always
    win.
    """
    if len(values) < 5:
        return
    for k in np.flatnonzero((np.diff(values[:5], axis=0) == 1).all(axis=0)):
        if (np.diff(values[:, k]) == 1).all():
            what = (
                "counts the rows; name it 'item' if it holds the item ids, otherwise leave it out"
            )
            raise problem(table.source, what, column=systems[k])


def _refuse_confidences(table: Table, systems: list[str], gold: str) -> None:
    """Refuse numbers beside gold that is text: as predictions they would all be wrong."""
    numbers = [system for system in systems if cells.holds_numbers(table, system)]
    if numbers:
        beside = f", as in {listed(numbers[1:])}" if len(numbers) > 1 else ""
        what = (
            f"numbers{beside}, while the labels in column {gold!r} are text; leave out whichever "
            "does not belong, with ignore="
        )
        raise problem(table.source, what, column=numbers[0])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
