"""The comparison of systems whose outcomes a judge gave: corrected by labels of people, with the
labels alone and the judge alone beside it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import chdtrc

import betterthan
from betterthan import checks, names
from betterthan.comparison.engines import Answer, fits_of, mcmc_judged
from betterthan.comparison.options import Options
from betterthan.counts.shapes import Arrays, Table, picked, systems_of
from betterthan.exact.judged import JudgedPairs
from betterthan.exact.wins import dirichlet, intervals
from betterthan.judged.dataset import (
    GOLD,
    JUDGED,
    SIGNAL,
    fingerprint_of,
    judge_alone,
    judged_counts,
)
from betterthan.posterior import closed, of_judged, table
from betterthan.signed import Signature
from betterthan.significance.roster import Tests

_BARE = 0.1  # share of items whose signal has no label, from which it is noted
_FEW = 50  # labels of a pair from which intervals keep their promise in simulations
NO_JOINT = (
    "each pair is corrected with its own human labels, and there is no joint model of all pairs"
)


def judged_answers(
    data: xr.Dataset, options: Options
) -> tuple[Table, list[Answer], Mapping[str, xr.DataTree]]:
    """The answer over (system_a, system_b) with the labels alone and the judge alone next to it,
    the answers of further engines, and the fits.
    """
    _refuse(options)
    answers = judged_counts(picked(data, options.systems).drop_vars(names.SYSTEM, errors="ignore"))
    if options.baseline is not None:
        checks.one_of(options.baseline, systems_of(answers), "baseline")
    has_labels = answers[GOLD].values.sum((1, 2)) > 0
    labelled, bare = answers.isel({names.PAIR: has_labels}), int((~has_labels).sum())
    if options.baseline is not None and options.baseline not in systems_of(labelled):
        raise ValueError(
            f"baseline={options.baseline!r} has no human label in any pair; label items of "
            f"{options.baseline}, or pass one of {', '.join(systems_of(labelled))}"
        )
    pairs = of_judged.judged_posterior(labelled, options.prior)
    worth = of_judged.label_worth(labelled, pairs)
    counted = {k: worth[k].astype(np.int64) for k in ("n", "n_gold")}
    labels_worth = _square(worth | counted, labelled)
    main, *others = _answers(labelled, pairs, labels_worth["n"], options)
    columns: Arrays = {name: (names.SQUARE, values) for name, values in labels_worth.items()}
    parts = [main.table, Table(columns), _alone(labelled, options), _labels(labelled)]
    whole = Table.merged([*parts, *(answer.more for answer in others)])
    fits, left_out = fits_of([main, *others])
    notes = _notes(labelled, worth)
    if bare:
        were = "pair was" if bare == 1 else "pairs were"
        notes.append(
            f"! Human labels: {bare} more {were} judged and left out, without any human label."
        )
    if uneven := int(_uneven(labelled).sum()):
        which = (
            "" if len(worth["n"]) == 1 else f" of {uneven:,} {'pair' if uneven == 1 else 'pairs'}"
        )
        notes.append(
            f"The human labels{which} are not spread over the judge's outputs as the items are, so "
            "there is no answer from human labels only; the corrected one allows for it."
        )
    notes += [*_missing(answers), *left_out]
    attrs = _signed(labelled, options, notes, worth, [main, *others])
    ordered = [replace(answer, table=_ordered(answer.table, options)) for answer in others]
    return replace(_ordered(whole, options), attrs=attrs), ordered, fits


def _answers(data: xr.Dataset, pairs: JudgedPairs, n: np.ndarray, options: Options) -> list[Answer]:
    """The closed form and PyMC, as was asked for, the one to be read first."""
    answers = []
    if options.method in ("exact", "both"):
        squares = _square(_corrected(pairs, options), data)
        exact = table.exact_table(squares, systems_of(data), options.question, n=n)
        answers.append(Answer("exact", exact))
    if options.method in ("mcmc", "both"):
        answers.append(mcmc_judged(data, n, options))
    return answers


def _ordered(answers: Table, options: Options) -> Table:
    """The systems in the order that was asked for."""
    if options.systems is None or isinstance(options.systems, Mapping):
        return answers
    known = answers[names.SYSTEM_A].tolist()
    order = [str(s) for s in options.systems if str(s) in known]
    return Table.of(answers.to_dataset().sel(dict.fromkeys(names.SQUARE, order)))


def _refuse(options: Options) -> None:
    """Choices that are not for judged counts."""
    wrong = {
        "quantity": options.quantity is not None,
        "unit": options.unit is not None,
        "weight": options.weight != "item",
        "over": options.over is not None,
        "ties": options.ties != "third",
        "missing": options.missing != "pairwise",
        "margin": options.margin != 0,
        "tests": options.tests.which is not None and options.tests != Tests(),
        "method": options.method == "advised",
        "prior": options.skeptical,
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        raise ValueError(
            f"{name}={getattr(options, name)!r} does not apply to judged counts, which are "
            "answered in closed form or by PyMC, with ties an outcome and items the unit; leave it "
            "out"
        )


def _corrected(pairs: JudgedPairs, options: Options) -> dict[str, np.ndarray]:
    """Of the labels and the judge together."""
    question = options.question
    size = of_judged.interval_summary(pairs, question.ci_prob, question.ci_kind)
    parts = {f"difference_{k}": size[k] for k in ("mean", "lower", "upper")}
    above, below = pairs.tails(0.0)
    parts |= {"prob_better": above, "prob_worse": below}
    zero = np.stack([below, np.zeros(len(below)), above], axis=-1)
    parts["mass"] = of_judged.region_masses(pairs, question.rope) if question.rope else zero
    return parts


def _alone(data: xr.Dataset, options: Options) -> Table:
    """The same of the labels alone as ``gold_...``, where they are a random part of all items, and
    of the judge alone as ``judge_...``.
    """
    columns: Arrays = {}
    for name, counts in (("gold", data[GOLD].values.sum(2)), ("judge", judge_alone(data))):
        if counts is not None:
            closed_form, sizes = _closed(counts, options), counts.sum(1)
            if name == "gold" and (uneven := _uneven(data)).any():
                sizes = np.where(uneven, 0, sizes)
                closed_form = {
                    k: np.where(uneven.reshape(-1, *[1] * (v.ndim - 1)), np.nan, v)
                    for k, v in closed_form.items()
                }
            squares = _square(closed_form | {"n": sizes}, data)
            n = squares.pop("n")
            answers = table.exact_table(squares, systems_of(data), options.question, n=n)
            columns |= answers.renamed(_BESIDE, f"{name}_")
    return Table(columns)


_CHANCE = 0.001  # p of labels that are spread over the judge's outputs as all items are


def _uneven(data: xr.Dataset) -> np.ndarray:
    """Whether the labels of a pair are spread over the judge's outputs otherwise than its items, by
    the chi-squared test of a random part.
    """
    judged, labels = data[JUDGED].values, data[GOLD].values.sum(1)
    share = labels.sum(1, keepdims=True) / judged.sum(1, keepdims=True)
    expected = judged * share
    enough = (expected >= 1) & (share < 1)
    squares = np.zeros(judged.shape)
    np.divide((labels - expected) ** 2, expected * (1 - share), out=squares, where=enough)
    return chdtrc(enough.sum(1), squares.sum(1)) < _CHANCE


_BESIDE = ("prob_better", "difference_mean", "difference_lower", "difference_upper", "verdict")


def _closed(counts: np.ndarray, options: Options) -> dict[str, np.ndarray]:
    """Of counts (pair, outcome) that are taken for the truth."""
    question = options.question
    a, b, t = (counts + np.array(checks.prior(options.prior))).T
    interval = intervals.eti if question.ci_kind == "eti" else intervals.hdi
    ends = interval(a, b, t, question.ci_prob)
    masses = closed.by_region(a, b, t, question.rope)
    answers = {"prob_better": dirichlet.prob_above(a, b, t, 0.0)}
    answers |= {"prob_worse": dirichlet.prob_below(a, b, t, 0.0), "mass": np.stack(masses, -1)}
    answers |= {"difference_mean": dirichlet.mean_difference(a, b, t)}
    return answers | {"difference_lower": ends[0], "difference_upper": ends[1]}


def _square(parts: Mapping[str, np.ndarray], data: xr.Dataset) -> dict[str, np.ndarray]:
    """Answers on pairs over (system_a, system_b)."""
    place = {system: k for k, system in enumerate(systems_of(data))}
    sides = (data[JUDGED][side].values.astype(str).tolist() for side in names.SQUARE)
    first, second = (np.array([place[system] for system in side], int) for side in sides)
    return table.squares(parts, len(place), first, second)


def _labels(data: xr.Dataset) -> Table:
    """``counts``: wins, losses and ties by the labels of people."""
    win, loss, tie = (column.astype(float) for column in data[GOLD].values.sum(2).T)
    sides = _square({"prob_better": win, "prob_worse": loss, "tie": tie}, data)
    wins = sides["prob_better"]
    np.fill_diagonal(wins, 0)
    counts = np.stack([wins, wins.T, sides["tie"]], -1).astype(np.int64)
    outcomes = (names.OUTCOME,), np.array(names.OUTCOMES)
    return Table({"counts": ((*names.SQUARE, names.OUTCOME), counts), names.OUTCOME: outcomes})


def _signed(
    data: xr.Dataset,
    options: Options,
    notes: list[str],
    worth: Mapping[str, np.ndarray],
    answers: list[Answer],
) -> dict[str, Any]:
    """How the answer was made."""
    n = {int(x) for x in worth["n"]}
    signals = data.sizes[SIGNAL]
    sampled = {k: v for answer in reversed(answers) for k, v in answer.settings.items()}
    return Signature(
        answer="judged",
        version=betterthan.__version__,
        data_hash=fingerprint_of(data),
        source=data.attrs.get("source"),
        reading=data.attrs.get("reading"),
        unit=names.ITEM,
        n_items=n.pop() if len(n) == 1 else -1,
        method=options.method,
        modelled=f"truth under each of {signals} signals of the judge",
        difference_is=names.DIFFERENCES["wins"],
        ties="third",
        prior=checks.prior(options.prior),
        labels_by=str(data.attrs.get("labels_by", "people")),
        judged_by=data.attrs.get("judge"),
        baseline=options.baseline,
        no_joint=NO_JOINT,
        notes=tuple(notes),
        **vars(options.question) | sampled,
    ).to_attrs()


def _missing(data: xr.Dataset) -> list[str]:
    """How many items the judge did not answer; a warning if many."""
    missing, n = (int(data.attrs.get(name, 0)) for name in ("n_missing", "n"))
    if not missing or n != int(data[JUDGED].sum()):  # of some pairs it is not known
        return []
    total = missing + data.attrs.get("n_dropped", 0) + n
    mark = "! Missing data: " * (missing > names.MANY_MISSING * total)
    return [f"{mark}{missing:,} of {total:,} items have no judge output and are left out."]


def _notes(data: xr.Dataset, worth: Mapping[str, np.ndarray]) -> list[str]:
    """What the reader must know of these data."""
    who = data.attrs.get("labels_by", "people")
    notes = [
        f"Human labels ({who}) are the reference; where annotators disagree, it is uncertain.",
        "The labeled items must be a random sample of the items with the same judge output. A "
        "judge that saw these labels can have a lower error rate on them than on other items.",
    ]
    if dropped := data.attrs.get("n_dropped", 0):
        are = "is" if dropped == 1 else "are"
        notes.append(f"! Human labels: {dropped:,} without a judge output {are} left out.")
    if copies := data.attrs.get("dependent"):
        notes.append(f"! {copies}.")
    bare, few = worth["unlabelled"], worth["n_gold"]
    if (bare > _BARE).any():
        pair = data[names.PAIR].values[int(bare.argmax())]
        notes.append(
            f"{100 * bare.max():.0f}% of the items of {pair} have a judge output without any human "
            "label, so their outcome rests on the prior; label some items with that judge output."
        )
    if (few < _FEW).any():
        notes.append(
            f"! Few human labels: with fewer than {_FEW} per pair, intervals are slightly too "
            "narrow if the judge's errors favor one system, or if the difference is large."
        )
    return notes
