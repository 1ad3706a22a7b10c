"""The average over data sets: a fixed suite of tasks, each evaluated by itself.

Difference and scores are weighted averages of those of the data sets, whose posteriors are
independent: of wins and losses by Dirichlet distributions, of means and of units by Student's t. An
average of means has one Student's t, with the degrees of freedom of B. L. Welch (1947), Biometrika
34(1-2), 28-35, doi:10.1093/biomet/34.1-2.28.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from betterthan import checks, names
from betterthan.comparison.data import LoadedData, UnitTotals, oriented_scores
from betterthan.comparison.engines import Answer, closed_table, means_of
from betterthan.comparison.evaluation import Evaluation, evaluate
from betterthan.comparison.options import Options
from betterthan.counts.shapes import Arrays, Table, pair_indices
from betterthan.counts.units import CLUSTER, unlabelled
from betterthan.exact import averages
from betterthan.exact.averages import Average, AveragedPairs
from betterthan.exact.joint import abilities
from betterthan.exact.joint.abilities import Evidence
from betterthan.exact.joint.student import DF_TRUNCATED, Student
from betterthan.exact.joint.units import PairMeans
from betterthan.io.texts import text_array
from betterthan.posterior import closed, table
from betterthan.posterior.parameters import posterior_parameters
from betterthan.results import numbers
from betterthan.text import named

_FEWEST = 2  # items, or units, of a data set
_LEAST_PRIOR = 0.5  # of which and of more the average is exact


@dataclass(frozen=True)
class Suite:
    """The data sets of an average, each evaluated by itself, and their weights, which sum to 1."""

    over: str
    labels: list[str]
    parts: list[Evaluation]
    weights: np.ndarray
    by_size: np.ndarray  # weights by the number of items
    how: str  # of the weights, in words
    whole: Evaluation  # all items pooled
    known: dict[Any, tuple[Average | PairMeans, bool]] = field(default_factory=dict)  # averages

    @property
    def by_means(self) -> bool:
        """Whether Student's t answers, of means or of units."""
        return means_of(self.whole.quantity.lead, self.whole) is not None

    def average(
        self, quantity: str, options: Options, weights: np.ndarray
    ) -> tuple[Average | PairMeans, bool]:
        """The posteriors of all pairs, and whether more of the quantity is better."""
        key = quantity, weights.tobytes()
        if key in self.known:
            return self.known[key]
        if (whole := means_of(quantity, self.whole)) is None:
            each = [posterior_parameters(part.counts, options.prior) for part in self.parts]
            prior = np.array(each[0].prior)
            counts = np.stack([np.stack(of.pairs, axis=-1) - prior for of in each], axis=1)
            law = averages.Counts.from_suite(counts, prior, weights)
            answer = Average(law, weights), True
        else:
            means = [means_of(quantity, part)[0] for part in self.parts]  # type: ignore[index]
            answer = average_of_means(means, weights), whole[1]
        self.known[key] = answer
        return answer


def average_of_means(each: Sequence[PairMeans], weights: np.ndarray) -> PairMeans:
    """The average of means of pairs. Units that are all alike in every data set are won or lost as
    those of one; where data sets are for different systems, as of none.
    """
    weighed = weights > 0
    each = [part for part, counts in zip(each, weighed, strict=True) if counts]
    weights = weights[weighed]
    difference, error, df, units, won, lost = (
        np.stack([getattr(part, k) for part in each], axis=1)
        for k in ("difference", "error", "df", "units", "won", "lost")
    )
    mean, total, df = _welch(difference, error, df, units, weights)
    number, one_side = units.sum(1), (won > lost).any(1) != (lost > won).any(1)
    skewness = None
    if any(part.skewness is not None for part in each):
        none = np.zeros(len(mean))
        third = [
            none if part.skewness is None else part.skewness / np.sqrt(part.units) for part in each
        ]
        cubes = (np.stack(third, axis=1) * (_borrowed(error, units) * weights) ** 3).sum(1)
        skewness = np.divide(cubes, total**3, out=none, where=total > 0) * np.sqrt(number)
    widths = [part.most if np.isfinite(part.most) else part.width for part in each]
    return PairMeans(
        mean,
        total,
        number,
        np.where(one_side, won.sum(1), 0),
        np.where(one_side, lost.sum(1), 0),
        df,
        skewness,
        float(weights @ [part.most for part in each]),
        float(weights @ widths),
    )


def _welch(
    mean: np.ndarray, error: np.ndarray, df: np.ndarray, units: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, error and degrees of freedom of an average of means, from those of each data set, (row,
    dataset); the error is 0 where no data set has one.
    """
    squares = (_borrowed(error, units) * weights) ** 2
    total = squares.sum(1)
    of_df = (squares**2 / np.maximum(np.nan_to_num(df, nan=1.0), 1.0)).sum(1)
    joint = np.divide(total**2, of_df, out=np.ones_like(total), where=of_df > 0)
    return mean @ weights, np.sqrt(total), joint


def _borrowed(error: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Errors (row, dataset): units that are all alike do not show how they vary, and are taken to
    vary as in the data set in which they vary most.
    """
    none = ~(error > 0)
    spread = np.where(none, 0.0, error * np.sqrt(units)).max(1, keepdims=True)
    return np.where(none, spread / np.sqrt(units), error)


def suite_of(whole: Evaluation, options: Options) -> Suite:
    """Each data set evaluated by itself.

    Raises
    ------
    ValueError
        If there is no such column, a data set is of some systems only or has one item or unit, a
        cluster is in two data sets, or the weights do not fit.
    """
    over = str(options.over)
    loaded = LoadedData(whole.kind, whole.data, whole.observed, whole.scores, whole.margin)
    _refuse(loaded, over, options)
    by_item = loaded.by_item
    arrays = {k: getattr(loaded, k) for k in ("data", "observed", "scores")}
    # by array, for missing="complete" leaves items out of some
    places = {k: text_array(array[over].values) for k, array in arrays.items()}
    labels = list(dict.fromkeys(places["observed"].tolist()))
    each = replace(options, over=None, weights=None, systems=None, baseline=None)
    parts = []
    for label in labels:
        held = {
            k: array.isel({names.ITEM if by_item else over: np.flatnonzero(places[k] == label)})
            for k, array in arrays.items()
        }
        for array in held.values():
            array.attrs = {k: v for k, v in array.attrs.items() if k != "n_items"}
        part = replace(loaded, **held)
        _refuse_absent(part, label, over)
        parts.append(evaluate(part, each, whole=whole))
        _refuse_few(parts[-1], label, over)
    if whole.unit == CLUSTER and by_item:
        _refuse_shared(loaded, places["data"], over)
    if len(labels) > 1:
        _refuse_missing(whole, over)
    sizes = np.array([_items(part) for part in parts], dtype=float)
    weights, how = _weights(options.weights, labels, sizes, over)
    return Suite(over, labels, parts, weights, sizes / sizes.sum(), how, whole)


def _refuse_missing(whole: Evaluation, over: str) -> None:
    """Refuse scores that are missing with the difficulty of the items: an average has no bounds for
    them, and could name the wrong system.
    """
    if "missing_differs" not in whole.columns:
        return
    differs = whole.columns["missing_differs"][1]
    systems = [s for s, differ in zip(whole.systems, differs, strict=True) if differ]
    raise ValueError(
        f"scores of {named(systems)} are missing with the difficulty of the items, and "
        f"over={over!r} has no bounds for them; pass missing='wrong' or other systems=, or leave "
        "out over="
    )


def _items(part: Evaluation) -> int:
    """Items of a data set; of counts those of the pair that has the most."""
    if part.by_item:
        return part.item_scores.sizes[names.ITEM]
    return int(part.raw_counts.values.sum(-1).max())


def _refuse(loaded: LoadedData, over: str, options: Options) -> None:
    """Refuse data without the column, and choices that have no meaning for an average."""
    observed = loaded.observed
    if loaded.kind not in ("scores", "trials", "counts"):
        raise ValueError(
            f"over={over!r} is for scores and counts, and these are {loaded.kind}; leave it out"
        )
    if loaded.by_item:
        held = [str(c) for c in observed.coords if observed[c].dims == (names.ITEM,)]
        held = [c for c in held if c != names.ITEM]
    else:
        pair_dims = (*names.SQUARE, names.PAIR, names.OUTCOME, CLUSTER)
        held = [str(d) for d in observed.dims if d not in pair_dims and d in observed.coords]
    if over not in held:
        right = f"choose one of {', '.join(held)}"
        if loaded.by_item and names.DATASET not in held:
            right = "give items such a coordinate, or a table such a column"
        raise ValueError(f"over={checks.quoted(over)} is not a column of the items; {right}")
    if not loaded.by_item and observed.sizes[names.OUTCOME] < len(names.OUTCOMES):
        raise ValueError(
            f"over={over!r} averages differences, which need the number of ties; give counts with "
            "ties, or leave out over="
        )
    if blank := unlabelled(observed, over):
        raise ValueError(
            f"{len(blank)} items have no {over}, the first at place {blank[0] + 1}; give each one"
        )
    if options.prior_sd or options.skeptical:
        raise ValueError("prior='skeptical' is of one data set; leave it out, or leave out over=")
    if options.prior is not None and min(checks.prior(options.prior)) < _LEAST_PRIOR:
        raise ValueError(
            f"prior={options.prior!r} is below {_LEAST_PRIOR:g}, for which the average over data "
            "sets is not exact; choose 'jeffreys' or 'uniform'"
        )


def _refuse_absent(part: LoadedData, label: str, over: str) -> None:
    if not part.by_item:
        return
    dims = [d for d in part.scores.dims if d != names.SYSTEM]
    if part.observed.size and not part.scores.size:  # all are left out by missing="complete"
        raise ValueError(
            f"{over} {label!r} has no item with a score of every system; leave that {over} out, "
            "or pass missing='pairwise'"
        )
    missing = (~part.scores.notnull().any(dims)).values
    if missing.any():
        systems = [str(s) for s in part.scores[names.SYSTEM].values[missing]]
        raise ValueError(
            f"{over} {label!r} has no scores of {named(systems)}; leave it out for all systems, "
            "or pass systems= with those that ran it"
        )


def _refuse_few(part: Evaluation, label: str, over: str) -> None:
    means = means_of(part.quantity.lead, part)
    first, second = pair_indices(len(part.systems))
    n = part.raw_counts.values.sum(-1)[first, second]
    if means is not None and (part.unit == CLUSTER or part.in_units):
        n = means[0].units
    if n.min() >= _FEWEST:
        return
    k = int(np.argmin(n))
    pair = f" that {part.systems[first[k]]} and {part.systems[second[k]]} share"
    what = "cluster" if part.unit == CLUSTER else "item"
    count = f"{'one' if n[k] else 'no'} {what}"
    raise ValueError(
        f"{over} {label!r} has {count}{pair if _items(part) > n[k] else ''}, which does not show "
        f"how much {what}s vary; leave that {over} out, or give it at least {_FEWEST} {what}s"
    )


def _refuse_shared(loaded: LoadedData, place: np.ndarray, over: str) -> None:
    cluster = text_array(loaded.data[CLUSTER].values)
    first: dict[str, str] = {}
    for label, unit in zip(place.tolist(), cluster.tolist(), strict=True):
        if first.setdefault(unit, label) != label:
            raise ValueError(
                f"cluster {unit!r} is in {over} {first[unit]!r} and {label!r}, so these are not "
                "independent; leave out over=, and clusters count once, as for translations of one "
                f"item; if they are other clusters, give those of each {over} names of their own"
            )


def _weights(
    wanted: Any, labels: list[str], sizes: np.ndarray, over: str
) -> tuple[np.ndarray, str]:
    """Weights that sum to 1, and how they are in words."""
    if wanted is None:
        return np.full(len(labels), 1 / len(labels)), "each counted once"
    if isinstance(wanted, str):
        checks.one_of(wanted, ("size",), "weights")
        return sizes / sizes.sum(), _BY_SIZE
    if isinstance(wanted, Mapping):
        held = {str(k): v for k, v in wanted.items()}
        if unknown := [k for k in held if k not in labels]:
            raise ValueError(
                f"weights name {unknown[0]!r}, which is no {over}; choose from {named(labels)}"
            )
        if absent := [k for k in labels if k not in held]:
            raise ValueError(f"weights lack {over} {absent[0]!r}; give a weight of each")
        wanted = [held[k] for k in labels]
    try:
        weights = np.array([float(w) for w in wanted])
    except (TypeError, ValueError):
        raise ValueError(
            f"weights is {checks.quoted(wanted)}; pass None, 'size', or one number for each {over}"
        ) from None
    if len(weights) != len(labels):
        raise ValueError(
            f"weights hold {len(weights)} numbers for {len(labels)} values of {over}; give one "
            "for each"
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or weights.max() <= 0:
        raise ValueError(
            f"weights are {', '.join(f'{k} {w:g}' for k, w in zip(labels, weights, strict=True))}; "
            "give numbers of at least 0 that sum to more than 0"
        )
    weights = weights / weights.max()  # their sum may be too large for a number
    weights = weights / weights.sum()
    shares = ", ".join(f"{k} {w:.3g}" for k, w in zip(labels, weights, strict=True))
    return weights, f"with the weights {shares}"


def averaged_form(suite: Suite, options: Options) -> Answer:
    """Probabilities, differences, masses and verdicts of the average."""
    answers = averaged_table(suite.whole.quantity.lead, suite, options)
    return Answer("exact", answers, _each_dataset(suite, options))


def averaged_table(quantity: str, suite: Suite, options: Options) -> Table:
    """The averaged answer of a quantity, over (system_a, system_b)."""
    law, higher_is_better = suite.average(quantity, options, suite.weights)
    parts = table.of_average(law, options.question, higher_is_better=higher_is_better)
    systems = suite.whole.systems
    squares = table.squares(parts, len(systems), *pair_indices(len(systems)))
    return table.exact_table(squares, systems, options.question)


def _each_dataset(suite: Suite, options: Options) -> Table:
    """Of each data set ``counts_dataset`` and ``prob_better_dataset``, with its weight; and
    P(better) of the average by size, and of all items pooled.
    """
    systems, lead = suite.whole.systems, suite.whole.quantity.lead
    places = pair_indices(len(systems))

    def better(weights: np.ndarray) -> np.ndarray:
        law, _ = suite.average(lead, options, weights)
        parts = {"prob_better": law.prob_above(), "prob_worse": law.prob_below()}
        return table.squares(parts, len(systems), *places)["prob_better"]

    single = replace(options, over=None, weights=None)
    pooled = closed_table(lead, suite.whole, single)["prob_better"]
    each = [
        closed_table(lead, part, single)["prob_better"]
        if suite.by_means
        else closed.better(posterior_parameters(part.counts, options.prior))
        for part in suite.parts
    ]
    of_dataset = (names.DATASET, *names.SQUARE)
    counts = np.stack([part.counts.values for part in suite.parts])
    columns: Arrays = {
        names.DATASET: ((names.DATASET,), np.array(suite.labels)),
        "dataset_weight": ((names.DATASET,), suite.weights),
        "dataset_items": ((names.DATASET,), np.array([_items(part) for part in suite.parts])),
        "counts_dataset": ((*of_dataset, names.OUTCOME), counts),
        "prob_better_dataset": (of_dataset, np.stack(each)),
        "prob_better_by_size": (names.SQUARE, better(suite.by_size)),
        "prob_better_pooled": (names.SQUARE, pooled),
    }
    return Table(columns)


def averaged_scores(suite: Suite, options: Options) -> Arrays:
    """``score`` of each system, averaged, with its interval."""
    question, weights, parts = options.question, suite.weights, suite.parts
    if "score" not in suite.whole.columns:
        return {}
    mean = np.stack([part.columns["score"][1] for part in parts], axis=1)
    scored = np.stack([part.columns["n_scored"][1] for part in parts], axis=1)
    columns: Arrays = {
        "score": ((names.SYSTEM,), mean @ weights),
        "score_dataset": ((names.DATASET, names.SYSTEM), mean.T),
        "n_scored": ((names.SYSTEM,), scored.sum(1)),
    }
    totals = [part.totals for part in parts if isinstance(part.totals, UnitTotals)]
    if len(totals) < len(parts):
        return columns
    if suite.whole.single and not totals[0].graded | any(t.graded for t in totals):
        right = np.round(mean * scored)
        counts = np.stack([right, scored - right, np.zeros_like(right)], axis=-1)
        law = averages.Counts.from_suite(counts, np.array([1.0, 1.0, 0.0]), weights)
        ends = Average(law, weights).interval(question.ci_prob, question.ci_kind)
        for side, end in zip(("lower", "upper"), ends, strict=True):
            columns[f"score_{side}"] = (names.SYSTEM,), (1 + end) / 2
        return columns
    weighed = np.flatnonzero(weights > 0)
    means = [totals[k].means for k in weighed]
    laws, units = [m.law for m in means], np.stack([m.scored for m in means], axis=1)
    mean, error, df = (
        np.stack([getattr(law, k) for law in laws], axis=1) for k in ("mean", "error", "df")
    )
    low, high = (float(weights[weighed] @ [getattr(x, k) for x in laws]) for k in ("low", "high"))
    law = Student(*_welch(mean, error, df, units, weights[weighed]), low, high)
    ends = law.interval(question.ci_prob, question.ci_kind)
    return columns | oriented_scores(law.mean, *ends, totals[0].higher_is_better)


def averaged_evidence(suite: Suite, options: Options) -> Evidence | str:
    """What the joint posterior of all systems is from; or why there is none."""
    law, _ = suite.average(suite.whole.quantity.lead, options, suite.weights)
    if isinstance(law, PairMeans) and not (law.error > 0).all():
        return "two systems differ by the same on every unit, so their error is unknown"
    w, totals = suite.weights, [part.totals for part in suite.parts]
    if isinstance(law, Average):
        both, items = zip(*(t.both_right() for t in totals if t), strict=True)
        share, worth, wider = averages.shares(np.array(items), w)
        each = [
            abilities.evidence_from_right(count * x, n * x, checks.prior(options.prior), of_prior)
            for count, n, x, of_prior in zip(both, items, worth, share, strict=True)
        ]
        score = np.stack([e.score for e in each], axis=1) @ w
        covariance = np.tensordot(w**2 * wider, np.stack([e.covariance for e in each]), 1)
        return Evidence(score, covariance, None, law.sd, AveragedPairs(law), abilities.SCALE)
    means = [t.means for t in totals if isinstance(t, UnitTotals)]
    score = np.stack([m.mean for m in means], axis=1) @ w
    covariances = [weight**2 * m.covariance for weight, m in zip(w, means, strict=True)]
    traces = np.array([np.trace(c) for c in covariances])
    df = traces.sum() ** 2 / sum(t**2 / m.df for t, m in zip(traces, means, strict=True))
    if df <= DF_TRUNCATED:
        return (
            f"the data sets are worth {df + 1:.1f} units of equal size: too few to estimate how "
            "the systems vary together"
        )
    whole = suite.whole.totals
    assert whole is not None
    covariance: Any = sum(covariances)
    return abilities.evidence_from_means(score, covariance, float(df), law, whole.sd())


def as_averaged(evaluation: Evaluation, suite: Suite, options: Options) -> Evaluation:
    """The evaluation with the averaged scores of systems, and without what is of pooled items; of
    one data set as it is.
    """
    if len(suite.labels) == 1:
        only = f"over={suite.over!r} has one value, {suite.labels[0]}: nothing is averaged."
        return replace(evaluation, notes=(*evaluation.notes, only))
    columns = {k: v for k, v in evaluation.columns.items() if k not in _OF_POOLED}
    columns |= averaged_scores(suite, options)
    if evaluation.totals is not None and evaluation.totals.gaps:
        shared = [part.totals.shared_scores() for part in suite.parts if part.totals is not None]
        columns["score_shared"] = names.SQUARE, np.tensordot(suite.weights, shared, 1)
    return replace(evaluation, columns=columns, notes=(*evaluation.notes, *limits_of(suite)))


_OF_POOLED = (
    *("n_right", "score", "score_lower", "score_upper"),
    *("prob_better_if_wrong", "verdict_if_wrong"),
)


_BY_SIZE = "weighed by their number of items"


def notes_of(suite: Suite, answers: Table) -> tuple[str, ...]:
    """The sentences on what was averaged, the first ones under the answer."""
    number = f"{len(suite.labels):,}"
    what = "data sets" if suite.over == names.DATASET else f"values of {suite.over}"
    units = f"{suite.whole.unit}s" if suite.whole.unit == CLUSTER else "items"
    lines = [f"The answer is the average over {number} {what}, {suite.how}."]
    if len(suite.whole.systems) == 2:
        a, b = suite.whole.systems
        ahead = answers["prob_better"][0, 1] >= 0.5
        side, name = ((0, 1), a) if ahead else ((1, 0), b)
        pooled, by_size = (
            numbers.probability(answers[k][side])
            for k in ("prob_better_pooled", "prob_better_by_size")
        )
        also = f", and {by_size} for the average weighed by size" if suite.how != _BY_SIZE else ""
        lines.append(f"P({name} better) is {pooled} with all items pooled{also}.")
    tested = "significance tests" if units == "items" else "significance tests on clusters"
    lines.append(f"Wins, losses, ties and {tested} are of all items pooled.")
    blank = suite.whole.attrs.get("n_blank")
    if blank and suite.whole.attrs["missing"] == "pairwise":
        scores = "1 score is" if blank == 1 else f"{blank:,} scores are"
        lines.append(
            f"! Missing data: {scores} missing. What their values could change is not computed for "
            "an average."
        )
    return tuple(lines)


def limits_of(suite: Suite) -> tuple[str, ...]:
    """Notes on what is not of the average."""
    lines = [
        "Bayes factors are of all items pooled, not of the average.",
        "The answer is for these data sets. For a data set not seen, use models.hierarchical.",
    ]
    if suite.whole.attrs.get("n_blank"):
        lines.append("Each data set is compared on the items that both systems have.")
    if suite.by_means:
        each = [means_of(suite.whole.quantity.lead, part) for part in suite.parts]
        alike = np.array([~(means[0].error > 0) for means in each if means]).any(0)
        if alike.any():
            lines.append(
                f"On some data set, {int(alike.sum()):,} of {len(alike):,} pairs differ by the "
                "same on every unit. Its error is taken from the data set that varies most."
            )
    return tuple(lines)
