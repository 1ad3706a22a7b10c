"""The section on the labels of one classifier."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.labels.measures import frequencies, majority_baseline, precision_recall_f
from betterthan.labels.uncertainty import posterior
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.page import Part
from betterthan.reporting.tables import Table

_CONFUSIONS_OF = 5  # the most frequent confusions that are listed


def labels_part(matrix: xr.DataArray, rng: Any) -> Part:
    """Scores of every label of one system, with intervals, and what its errors are."""
    found = posterior(matrix, rng=rng)
    name = on_one_line(str(matrix[names.SYSTEM].item())) if names.SYSTEM in matrix.coords else ""
    interval = f"{100 * found.attrs['ci_prob']:g}% {found.attrs['ci_kind'].upper()}"
    sizes = (
        matrix["n_actual"].values
        if "n_actual" in matrix.coords
        else matrix.sum(names.PREDICTED).values
    )
    rows = []
    for k, label in enumerate(found[names.LABEL].values):
        rows.append((on_one_line(str(label)), f"{int(sizes[k]):,}", *_cells(found["by_label"][k])))
    for k, average in enumerate(found["average"].values):
        rows.append((f"({average})", f"{int(sizes.sum()):,}", *_cells(found["averaged"][k])))
    table = Table(
        ("Label", "Items", "Precision", "Recall", "F"), rows, f"Score and {interval} of each label"
    )
    share = frequencies(matrix)
    order = np.argsort(-share.values, axis=None, kind="stable")[:_CONFUSIONS_OF]
    labels = [on_one_line(str(x)) for x in share[names.PREDICTED].values]
    places = [np.unravel_index(at, share.shape) for at in order]
    worst = [
        (labels[p], labels[a], f"{int(matrix.values[p, a]):,}", f"{100 * share.values[p, a]:.1f} %")
        for p, a in places
    ]
    errors = Table(
        ("Predicted", "Actual", "Items", "Of all errors"),
        [w for w in worst if w[2] != "0"],
        "Most frequent confusions",
        left=2,
    )
    lost = int(sizes.sum() - matrix.values.sum())
    base = (
        precision_recall_f(majority_baseline(matrix))["averaged"]
        .sel(average="macro", measure="f")
        .item()
    )
    notes = [
        f"{lost:,} of {int(sizes.sum()):,} items were left unclassified; they count in recall.",
        f"For comparison, always predicting {labels[int(sizes.argmax())]} has macro F {base:.3f}.",
        "weighted: labels weigh by their items, often called micro; pooled: all labels in one "
        "pot, also called micro.",
    ]
    return Part(
        f"Labels of {name}" if name else "Labels",
        tables=[table, *([errors] if errors.rows else [])],
        notes=notes,
    )


def _cells(values: xr.DataArray) -> list[str]:
    """Score and interval of precision, recall and F."""
    cells = []
    for row in values.values:
        score, _, low, high, _ = row
        cells.append(f"{score:.3f} [{low:.3f}, {high:.3f}]")
    return cells
