"""The data sets of an average, each by itself."""

import numpy as np

from betterthan import names
from betterthan.results import numbers
from betterthan.results.context import ReportContext
from betterthan.results.document import Part, Table
from betterthan.results.escapes import on_one_line

_SYSTEMS = 6  # systems whose scores on each data set are listed
_ROWS = 20  # data sets that are always visible


def suite_part(context: ReportContext) -> Part | None:
    """Items of each data set; of two systems wins, losses, ties and P(better), of more the scores
    of the first ones.
    """
    if not context.provenance.over:
        return None
    data = context.data
    labels = [on_one_line(str(label)) for label in data[names.DATASET].values]
    items, weight = data["dataset_items"].values, data["dataset_weight"].values
    columns = {"Items": [f"{n:,}" for n in items]}
    if np.ptp(weight) > 1e-9:
        columns["Weight"] = [f"{w:.3f}" for w in weight]
    columns |= _of_systems(context) if context.many else _of_pair(context)
    heads = (context.provenance.over.split(",")[0].capitalize().replace("Dataset", "Data set"),)
    rows = list(zip(labels, *columns.values(), strict=True))
    caption = "Each data set by itself"
    return Part("Data sets", tables=[Table((*heads, *columns), rows, caption, visible=_ROWS)])


def _of_pair(context: ReportContext) -> dict[str, list[str]]:
    """Of two systems, from the side of the one that is ahead."""
    data = context.data
    a, b = context.pairs[0]
    at = dict(zip(names.SQUARE, (a, b), strict=True))
    counts = data["counts_dataset"].isel(at).transpose(names.DATASET, names.OUTCOME).values
    heads = ("Wins", "Losses", "Ties")[: counts.shape[1]]
    columns = {head: [f"{n:,}" for n in counts[:, k]] for k, head in enumerate(heads)}
    better = data["prob_better_dataset"].isel(at).values.tolist()
    name = f"P({context.systems[a]} better)"
    return columns | {name: ["–" if p != p else numbers.probability(p) for p in better]}


def _of_systems(context: ReportContext) -> dict[str, list[str]]:
    """Scores of the first systems."""
    if "score_dataset" not in context.data:
        return {}
    scores = context.data["score_dataset"]
    held = [on_one_line(str(s)) for s in scores[names.SYSTEM].values]
    first = context.systems[:_SYSTEMS]
    return {s: [f"{v:.3f}" for v in scores.values[:, held.index(s)]] for s in first}
