"""The pages on the labels of a classifier: from its confusions, and from their posterior alone."""

from dataclasses import replace

import numpy as np
import xarray as xr

import betterthan
from betterthan import names, schemas
from betterthan.labels.measures import frequencies, majority_baseline, precision_recall_f
from betterthan.labels.uncertainty import posterior
from betterthan.results.cells import interval_of
from betterthan.results.document import Document, Figure, Part, Table, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.label_sentences import (
    classifier_facts,
    classifier_sentences,
    items_by_label,
    label_facts,
    label_sentences,
    with_confusions,
)

_CONFUSIONS_OF = 5  # the most frequent confusions that are listed
_FEW = 3  # items of a label, from which on macro averages hold what they promise
_SENTENCES_OF = 3  # classifiers that have sentences of their own
_DRAWN = 4  # classifiers whose confusions are drawn
_QUESTION = "How good is each label, and how sure is that?"
_LIMITS = ["Items are taken as independent draws; items of one dialogue are not."]
_AVERAGES = (
    "weighted: mean over labels, weighted by their items; pooled: the micro-average, of TP, FP and "
    "FN summed over labels."
)


def page(confusions: xr.DataArray) -> Document:
    """The page on confusions (predicted, actual), of one classifier or over system.

    Intervals are drawn with the seed in ``attrs["seed"]``, else with seed 0: a report is the same
    every time.
    """
    schemas.confusion(confusions)
    seed = int(confusions.attrs.get("seed", 0))
    ordered = confusions.transpose(..., names.PREDICTED, names.ACTUAL)
    each = list(ordered) if names.SYSTEM in ordered.dims else [ordered]
    found = [posterior(matrix, rng=seed) for matrix in each]
    parts = [_part(*both) for both in zip(each, found, strict=True)]
    parts[_DRAWN:] = [replace(part, figures=()) for part in parts[_DRAWN:]]
    drawn = f"{names.BOOTSTRAP_DRAWS} draws, seed {seed}"
    signature = (
        f"betterthan {betterthan.__version__} | Betas of labels, Dirichlet over cells, {drawn}"
    )
    title = "A classifier by its confusions"
    return Document(title, _QUESTION, parts, _LIMITS, [signature], _sentences(each, found))


def _sentences(confusions: list[xr.DataArray], posteriors: list[xr.Dataset]) -> list[str]:
    """On several classifiers, then on the first ones by themselves."""
    pairs = zip(posteriors, confusions, strict=True)
    facts = [with_confusions(label_facts(one), matrix) for one, matrix in pairs]
    several = classifier_sentences(classifier_facts(facts)) if len(facts) > 1 else []
    return [*several, *(line for one in facts[:_SENTENCES_OF] for line in label_sentences(one))]


def posterior_page(found: xr.Dataset) -> Document:
    """The page on `labels.posterior`, which knows no numbers of items."""
    a = found.attrs
    rows = [(name, *cells) for name, cells in _scored(found)]
    table = Table(("Label", "Precision", "Recall", "F"), rows, _caption(found))
    signature = [
        f"betterthan {betterthan.__version__}",
        f"{a['model']}, {a['draws']} draws, seed {a['seed']}",
        f"prior={np.atleast_1d(a['prior'])[0]:g}",
        f"interval={interval_of(a)}",
    ]
    return Document(
        "A classifier by its labels",
        _QUESTION,
        [Part("Labels", tables=[table], notes=[_AVERAGES])],
        _LIMITS,
        [" | ".join(signature)],
        label_sentences(label_facts(found)),
    )


def _part(matrix: xr.DataArray, found: xr.Dataset) -> Part:
    """Scores of every label of one system, with intervals, and what its errors are."""
    name = on_one_line(str(matrix[names.SYSTEM].item())) if names.SYSTEM in matrix.coords else ""
    sizes = items_by_label(matrix)
    items = [*sizes, *[sizes.sum()] * found.sizes["average"]]
    rows = [
        (label, f"{int(n):,}", *cells)
        for n, (label, cells) in zip(items, _scored(found), strict=True)
    ]
    table = Table(("Label", "Items", "Precision", "Recall", "F"), rows, _caption(found))
    errors = _errors(matrix)
    return Part(
        f"Labels of {name}" if name else "Labels",
        tables=[table, *([errors] if errors.rows else [])],
        notes=[*_beside(matrix, sizes), _AVERAGES, *_few(matrix, sizes)],
        figures=[
            Figure(f"Confusions of {name}" if name else "Confusions", plotted("confusion", matrix))
        ],
    )


def _caption(found: xr.Dataset) -> str:
    return f"Score and {interval_of(found.attrs)} of each label"


def _scored(found: xr.Dataset) -> list[tuple[str, list[str]]]:
    """Every label, then every average: scores and intervals of precision, recall and F."""
    labels = [on_one_line(str(label)) for label in found[names.LABEL].values]
    averages = [f"({average})" for average in found["average"].values]
    values = [*found["by_label"].values, *found["averaged"].values]
    return list(zip([*labels, *averages], map(_cells, values), strict=True))


def _cells(measures: np.ndarray) -> list[str]:
    """Score and interval of precision, recall and F."""
    return [f"{score:.3f} [{low:.3f}, {high:.3f}]" for score, _, low, high, _ in measures]


def _errors(matrix: xr.DataArray) -> Table:
    share = frequencies(matrix)
    labels = [on_one_line(str(label)) for label in share[names.PREDICTED].values]
    order = np.argsort(-share.values, axis=None, kind="stable")[:_CONFUSIONS_OF]
    places = [np.unravel_index(at, share.shape) for at in order]
    rows = [
        (labels[p], labels[a], f"{int(matrix.values[p, a]):,}", f"{100 * share.values[p, a]:.1f} %")
        for p, a in places
        if matrix.values[p, a]
    ]
    heads = ("Predicted", "Actual", "Items", "Of all errors")
    return Table(heads, rows, "Most frequent confusions", left=2)


def _beside(matrix: xr.DataArray, sizes: np.ndarray) -> list[str]:
    """What was left out, and what no classifier at all would reach."""
    lost, total = int(sizes.sum() - matrix.values.sum()), int(sizes.sum())
    averaged = precision_recall_f(majority_baseline(matrix))["averaged"]
    base = averaged.sel(average="macro", measure="f").item()
    most = on_one_line(str(matrix[names.ACTUAL].values[int(sizes.argmax())]))
    return [
        f"{lost:,} of {total:,} items were left unclassified; they count in recall.",
        f"For comparison, always predicting {most} has macro F {base:.3f}.",
    ]


def _few(matrix: xr.DataArray, sizes: np.ndarray) -> list[str]:
    """Labels that macro averages can hardly rest on."""
    labels = matrix[names.ACTUAL].values[sizes < _FEW]
    if not labels.size:
        return []
    named = ", ".join(on_one_line(str(label)) for label in labels[:_CONFUSIONS_OF])
    more = f" and {labels.size - _CONFUSIONS_OF} more" if labels.size > _CONFUSIONS_OF else ""
    return [
        f"Fewer than {_FEW} items have the labels {named}{more}: intervals of macro averages may "
        "be too narrow."
    ]
