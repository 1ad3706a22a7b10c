"""One row for each item, one column for each system: scores, or predictions beside a gold
column.
"""

from collections.abc import Sequence

import numpy as np

from betterthan.io import cells
from betterthan.io.coded_columns import Coded, narrow
from betterthan.io.items import at_least_two, items_of, scores_array, sole
from betterthan.io.other_columns import check_labels, refuse_other_numbers, refuse_total
from betterthan.io.problems import problem
from betterthan.io.system_names import chosen, refuse_alike_by_scores
from betterthan.io.table import Reading, Table

_NOT_SCORES = (
    "text, not scores; leave the column out, or name it 'item' if it holds the item ids, "
    "'cluster' if it says which "
    "items belong together"
)


def wide_scores(table: Table, systems: Sequence[str] | None = None) -> Reading:
    """Scores of a wide table, of all its columns or of the ones that are named."""
    items = items_of(table)
    candidate_columns = [column for column in table.columns if column not in items.used]
    named, systems = systems is not None, chosen(table, candidate_columns, systems)
    at_least_two(table, systems)
    values = np.empty((len(items.ids), len(systems)))
    for k, system in enumerate(systems):
        values[:, k] = cells.numbers(table, system, _NOT_SCORES)
    if items.summary.startswith("items are"):
        _refuse_row_numbers(table, systems, values)
    if not named:
        refuse_other_numbers(table, systems, values)
    refuse_total(table.source, items.ids, values)
    refuse_alike_by_scores(table.source, systems, items.ids, ~np.isnan(values))
    ignored = [*items.ignored, *(column for column in candidate_columns if column not in systems)]
    scores = scores_array(values, items.ids, systems, items.coords)
    return Reading(scores, items.summary, ignored)


def predicted_scores(table: Table, systems: Sequence[str] | None = None) -> Reading:
    """1 where a prediction equals gold, 0 where it does not, NaN where it is blank."""
    items = items_of(table)
    gold_column = str(sole(table, "gold"))
    candidate_columns = [
        column for column in table.columns if column not in items.used | {gold_column}
    ]
    named, systems = systems is not None, chosen(table, candidate_columns, systems)
    at_least_two(table, systems)
    gold = cells.read_once(table, gold_column, cells.gold)
    predicted = {system: cells.read_once(table, system, cells.predictions) for system in systems}
    summary = f"{items.summary}, 1 where a prediction equals column {gold_column!r}"
    summary += check_labels(table, (gold_column, gold), predicted, named)
    values = _right(gold, predicted)
    refuse_alike_by_scores(table.source, systems, items.ids, ~np.isnan(values))
    ignored = [*items.ignored, *(column for column in candidate_columns if column not in systems)]
    return Reading(scores_array(values, items.ids, systems, items.coords), summary, ignored)


def _right(gold: Coded, predicted: dict[str, Coded]) -> np.ndarray:
    """Score each prediction: 1 if it equals gold, else 0; NaN where it is blank."""
    values, labels = np.empty((len(gold), len(predicted))), gold.distinct
    place = {label: k for k, label in enumerate(labels)} | {"": -2}
    for k, predictions in enumerate(predicted.values()):
        code_by_distinct = narrow(
            np.array([place.get(text, -1) for text in predictions.distinct]), len(labels)
        )
        codes = code_by_distinct[predictions.codes]
        values[:, k] = codes == gold.codes
        values[codes == -2, k] = np.nan
    return values


def _refuse_row_numbers(table: Table, systems: list[str], values: np.ndarray) -> None:
    """Refuse a system whose scores count the rows: it is an id by an unknown name, and would always
    win.
    """
    if len(values) < 5:
        return
    for k in np.flatnonzero((np.diff(values[:5], axis=0) == 1).all(axis=0)):
        if (np.diff(values[:, k]) == 1).all():
            reason = (
                "counts the rows; name it 'item' if it holds the item ids, otherwise leave it out"
            )
            raise problem(table.source, reason, column=systems[k])
