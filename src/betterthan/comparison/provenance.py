"""How an answer was computed, as its attributes record it, with the audit of its scores."""

from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.comparison.averages import Suite, notes_of
from betterthan.comparison.engines import Answer
from betterthan.comparison.evaluation import Evaluation
from betterthan.comparison.missing_bounds import bounds_answer
from betterthan.comparison.options import Options
from betterthan.comparison.unit_notes import (
    notes_on_tests,
    notes_on_weights,
    unequal,
    unit_notes,
    worth,
)
from betterthan.comparison.units import UnitTotals
from betterthan.counts.shapes import Table
from betterthan.counts.units import CLUSTER, EPOCH, several
from betterthan.signed import Signature


def provenance(
    evaluation: Evaluation,
    options: Options,
    answers: list[Answer],
    table: Table,
    bounds: xr.Dataset | None,
    left_out: tuple[str, ...],
    suite: Suite | None = None,
) -> Signature:
    """How an answer was computed.

    Parameters
    ----------
    evaluation : Evaluation
    options : Options
    answers : list of Answer
        Of each engine, the one that is read first in front.
    table : Table
        All of the answer.
    bounds : xarray.Dataset, optional
        Of missing scores.
    left_out : tuple of str
        Notes on fits that are not stored.
    suite : Suite, optional
        The data sets of an average.
    """
    first, advice, counts = answers[0], evaluation.advice, evaluation.counts
    quantity = evaluation.quantity
    by_t = (
        "n_units" in first.table if suite is None else suite.by_means
    )  # Student's t has no prior of win, loss and tie
    own_prior = by_t or (advice is not None and advice.spec.own_prior)
    # with ties dropped, or given to one side, that of a pair is no longer a difference in accuracy
    pairwise = quantity.lead == "accuracy" and "pairwise_verdict" not in table
    moved = pairwise and options.ties in ("drop", "to_a", "to_b")
    # what is taken as independent items
    kinds = {CLUSTER: "clusters", EPOCH: "runs of an item"} if evaluation.kind == "scores" else {}
    ignored = [
        words
        for k, words in kinds.items()
        if k not in evaluation.takes and several(evaluation.observed, k)
    ]
    record: dict[str, Any] = {
        "answer": "comparison",
        "version": betterthan.__version__,
        "prior": None if own_prior else checks.prior(options.prior, counts.sizes[names.OUTCOME]),
        "ties": "unknown" if counts.attrs.get("ties") == "unknown" else options.ties,
        "method": options.method,
        "engine": first.engine,
        "quantity": quantity.name,
        "beside_quantity": quantity.other,
        "splits": None if quantity.other is None else not quantity.chosen,
        "difference_is": names.DIFFERENCES["wins"] if moved else quantity.difference_is,
        "baseline": options.baseline,
        "advice": None if advice is None else str(advice),
        "notes": (
            *evaluation.notes,
            *left_out,
            *notes_on_tests(evaluation, options),
            *notes_on_weights(table, evaluation, options),
        ),
        "ignored": " and the ".join(ignored) or None,
        "weight": None if options.weight == "item" else options.weight,
        "unit_notes": unit_notes(table, evaluation, options),
        "over": None if suite is None else f"{suite.over}, {suite.how}",
    }
    if by_t:
        record |= _units(evaluation)
        graded = (
            quantity.name == "mean" and evaluation.totals is not None and evaluation.totals.graded
        )
        record["difference_most"] = None if graded else 1.0  # the largest that there can be
        record["prior_sd"] = options.prior_sd or None
    if suite is not None:
        record["unit_notes"] = notes_of(suite, table)
    if unequal(table):
        record["n_effective"] = worth(table)[0]
    settings = {k: v for answer in reversed(answers) for k, v in answer.settings.items()}
    audit, robust = audit_lines(evaluation, options, bounds)
    return Signature(
        **evaluation.attrs | record | vars(options.question) | settings,
        audit=audit or None,
        bounds=robust or None,
    )


def _units(evaluation: Evaluation) -> dict[str, Any]:
    """What the units are, where they are not single items."""
    if evaluation.unit == CLUSTER:
        labels = {str(v) for v in evaluation.item_scores[CLUSTER].values.tolist()}
        return {"unit": CLUSTER, "n_units": len(labels)}
    totals = evaluation.totals
    if not isinstance(totals, UnitTotals) or not totals.runs:
        return {}
    return {"unit": "repeated item", "n_units": totals.units}


def audit_lines(
    evaluation: Evaluation, options: Options, bounds: xr.Dataset | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The audit of scores from logs, as lines under an answer; and whether verdicts hold for every
    value of the missing scores.

    Where bounds are not of what the answer is of, but of wins by item, the line says so.
    """
    scores = evaluation.observed
    if evaluation.kind != "scores" or options.missing != "pairwise":
        return (), ()
    if "status" not in scores.coords and not np.isnan(scores.values.astype(float)).any():
        return (), ()
    from betterthan.auditing.comparison_notes import bounds_lines, status_lines

    by = "" if bounds_answer(evaluation, options) else "by wins on items"
    robust = bounds_lines(scores, baseline=options.baseline, by=by, bounds=bounds)
    return tuple(status_lines(scores)), tuple(robust)
