"""Additions to the answer on pairs: counts, ties, tests, item statistics, notes and provenance."""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names, schemas
from betterthan.blocks.lazy import in_blocks
from betterthan.comparison.averages import Suite, notes_of
from betterthan.comparison.data import UnitTotals
from betterthan.comparison.engines import Answer, closed_table, means_of
from betterthan.comparison.evaluation import Evaluation
from betterthan.comparison.missing_bounds import bounds_answer
from betterthan.comparison.options import Options
from betterthan.counts.judgments import JUDGE, JUDGMENT, few_judges
from betterthan.counts.responses import tally_scores
from betterthan.counts.shapes import Arrays, Table, pair_indices
from betterthan.counts.ties import POLICIES, mirror_of, policy_applied
from betterthan.counts.units import (
    CLUSTER,
    EPOCH,
    alike_items,
    differing,
    pooled,
    several,
    unlike_gold,
)
from betterthan.posterior import closed
from betterthan.posterior.parameters import posterior_parameters
from betterthan.posterior.verdicts import decide
from betterthan.results import numbers
from betterthan.signed import Signature
from betterthan.significance.corrections import FEWEST, adjusted_square, ranks
from betterthan.significance.roster import TestContext
from betterthan.significance.signs import OnClusters, p_values, sign_tests

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
ITEMS = 10  # on which systems differ most
_TENTH = 10
COMPARED = ("prob_better", "difference_mean", "difference_lower", "difference_upper", "verdict")


def outcome_counts(evaluation: Evaluation, options: Options, answer: Answer) -> Table:
    """Counts of items, and the Bayes factor of what is independent: items, or clusters."""
    counts, clusters = evaluation.counts, evaluation.clusters
    values, outcomes = counts.values, counts[names.OUTCOME].values
    if clusters is not None and len(outcomes) < len(names.OUTCOMES):
        # which can tie where the ties of examples were settled
        values = np.concatenate([values, np.zeros_like(values[..., :1])], axis=-1)
        outcomes = np.array(names.OUTCOMES)
    squares = (*names.SQUARE, names.OUTCOME)
    columns: Arrays = {"counts": (squares, values), "n": (names.SQUARE, values.sum(-1))}
    columns[names.OUTCOME] = (names.OUTCOME,), outcomes
    if counts.sizes[names.OUTCOME] < evaluation.raw_counts.sizes[names.OUTCOME]:
        columns["ties_won"] = names.SQUARE, values[..., 0] - evaluation.raw_counts.values[..., 0]
    of = posterior_parameters(counts, options.prior)
    if clusters is not None:
        of = posterior_parameters(clusters.counts, None)
        columns["cluster_counts"] = squares, clusters.counts.values
    columns["bayes_factor_01"] = names.SQUARE, closed.bayes(of)
    return Table(columns)


def scores_of_systems(evaluation: Evaluation, options: Options, answer: Answer) -> Table:
    """The score of each system with its interval, and how many items of a pair were dropped; where
    scores are missing also ``score_shared``, of system_a on the items that both have.
    """
    totals = evaluation.totals
    columns = {k: v for k, v in evaluation.columns.items() if k not in answer.more}
    if totals is not None and totals.gaps and "score_shared" not in columns:
        columns["score_shared"] = names.SQUARE, totals.shared_scores()
    return Table(columns)


def _closed_verdicts(
    raw_counts: xr.DataArray, ties: str, options: Options, rope: float
) -> tuple[np.ndarray, np.ndarray]:
    """P(A better) and the verdict of every pair of counts, under a policy for ties."""
    of = posterior_parameters(policy_applied(raw_counts, ties), options.prior)
    better = closed.better(of)
    within = closed.masses(of, rope)[..., 1] if rope else np.zeros(())
    return better, decide(better, better.T, within, rope, options.question.threshold)[0]


def tie_policies(evaluation: Evaluation, options: Options, answer: Answer) -> Table:
    """P(A better) and the verdict under every policy for ties, and where these do not agree; where
    all policies were asked for.
    """
    if options.ties != "all":
        return Table()
    raw_counts, rope = evaluation.raw_counts, options.question.rope
    schemas.ties_known(raw_counts, "ties='all'")
    answers = {
        policy.name: _closed_verdicts(raw_counts, policy.name, options, rope) for policy in POLICIES
    }
    # in every cell, to_a is for the system_a of that cell, also below the diagonal
    below = np.tril(np.ones(raw_counts.shape[:2], dtype=bool), -1)
    better, verdicts = (
        np.array(
            [np.where(below, answers[mirror_of(name)][k], answers[name][k]) for name in answers]
        )
        for k in (0, 1)
    )
    dims = (names.TIES_POLICY, *names.SQUARE)
    columns: Arrays = {
        "prob_better_by_ties": (dims, better),
        "verdict_by_ties": (dims, verdicts),
        "ties_flip": (names.SQUARE, (verdicts != verdicts[0]).any(0)),
        names.TIES_POLICY: ((names.TIES_POLICY,), np.array(list(answers))),
    }
    return Table(columns)


def significance_tests(evaluation: Evaluation, options: Options, answer: Answer) -> Table:
    """Two-sided p-values over (test, system_a, system_b), corrected for the number of pairs, and
    what each test says besides.

    Where clusters are the unit of the answer, tests look at whole clusters.
    """
    data, clusters, tests = evaluation.item_scores, evaluation.clusters, options.tests
    specs = tests.on(data, clustered=clusters is not None)
    raw_counts = evaluation.raw_counts if clusters is None else clusters.counts
    ties = options.ties if clusters is None else "third"  # a policy for items has been followed
    choices = TestContext(tests, ties=ties, missing="pairwise", rng=options.seed, clusters=clusters)
    signs = p_values(raw_counts, choices.sign_ties)
    choices = replace(choices, signs=signs)
    results = [spec.run(data, raw_counts, choices) for spec in specs]
    # of pairs that share nothing there is no hypothesis; unknown ties may be all there is
    n = raw_counts.values.sum(-1)
    known = raw_counts.sizes[names.OUTCOME] == len(names.OUTCOMES)
    comparable = (n > 0) | np.eye(len(n), dtype=bool) | (not known)
    p = [np.where(comparable, result["p_value"], np.nan) for result in results]
    parts = {
        "p_value": p,
        "p_adjusted": [adjusted_square(values, tests.correction).values for values in p],
        "favours": [result["favours"] for result in results],
    }
    columns: Arrays = {
        name: ((names.TEST, *names.SQUARE), np.stack(values)) for name, values in parts.items()
    }
    columns[names.TEST] = (names.TEST,), np.array([spec.name for spec in specs])
    for result in results:
        columns |= {k: v for k, v in result.arrays.items() if k not in columns}
    columns["smallest_p"] = names.SQUARE, signs["smallest_p"]
    if options.ties == "all":
        every = Table.of(sign_tests(evaluation.raw_counts, "all", alpha=tests.alpha))
        columns["p_value_by_ties"] = every.arrays["p_value"]
        columns["p_flips"] = every.arrays["flips"]
        columns["favours_by_ties"] = every.arrays["favours"]
    signature = Signature(
        tests=tuple(spec.name for spec in specs),
        alpha=tests.alpha,
        correction=tests.correction,
        sign_ties=choices.sign_ties,
    )
    attrs = {k: v for result in results for k, v in result.attrs.items()}
    on = {} if clusters is None else {"tests_on": "clusters"}
    return Table(columns, signature.to_attrs() | attrs | on)


def item_statistics(evaluation: Evaluation, options: Options, answer: Answer) -> Table:
    """Of scores by item ``item_spread``, ``item_with_rest``, ``item_score`` and ``n_differing``;
    of three systems or more Friedman's test; of graded ones quantiles.
    """
    totals, scores = evaluation.totals, evaluation.item_scores
    if evaluation.kind not in ("scores", "trials") or totals is None:
        return Table()
    items = differing(scores, ITEMS)
    columns = {f"item_{k}": items.arrays[k] for k in ("spread", "with_rest", "score")}
    columns[names.ITEM] = items.arrays[names.ITEM]
    columns["n_differing"] = (), np.array(items.attrs["n_differing"])
    if scores.sizes[names.SYSTEM] >= FEWEST:
        result, _, units = ranks(scores, evaluation.unit)
        test = {"statistic": result["statistic"], "p": result["p_value"], "n": units["n"]}
        if units["n"] >= 2:
            columns |= {f"friedman_{k}": ((), np.asarray(value)) for k, value in test.items()}
    return Table(columns | (_spread(scores) if totals.graded else {}))


def _spread(scores: xr.DataArray) -> Arrays:
    """Standard deviation, quantiles, and the mean of the worst tenth, of each system's scores."""
    ascending = np.sort(scores.values.T.astype(float))  # (system, item), nan last
    n = (~np.isnan(ascending)).sum(1)
    unknown = np.where(n > 0, 0.0, np.nan)  # of a system without a score
    place, last = np.arange(ascending.shape[1]), np.maximum(n - 1, 0)[:, None]
    observed = place < n[:, None]
    ascending[~observed] = 0.0
    mean = ascending.sum(1) / np.maximum(n, 1)
    squares = np.where(observed, (ascending - mean[:, None]) ** 2, 0.0).sum(1)
    squares[n < 2] = np.nan
    number = np.maximum(np.ceil(n / _TENTH), 1)
    better = scores.attrs.get("higher_is_better", True)
    worst = (place if better else last - place) < number[:, None]
    tenth = np.where(worst & observed, ascending, 0.0).sum(1) / number
    at = last * QUANTILES
    below = at.astype(int)
    low, high = (np.take_along_axis(ascending, np.minimum(k, last), 1) for k in (below, below + 1))
    levels = low + (high - low) * (at - below) + unknown[:, None]
    return {
        "score_sd": ((names.SYSTEM,), np.sqrt(squares / np.maximum(n - 1, 1))),
        "score_quantile": ((names.SYSTEM, "quantile"), levels),
        "score_worst_tenth": ((names.SYSTEM,), tenth + unknown),
        "quantile": (("quantile",), np.array(QUANTILES)),
    }


def units_once(evaluation: Evaluation, options: Options, answer: Answer) -> Table:
    """The answer of clusters that each count once, where their sizes are unequal."""
    in_items = answer.engine == "exact" and options.weight == "item"
    if not in_items or evaluation.clusters is None or not unequal(answer.table):
        return Table()
    once = evaluation.with_units_once()
    table = closed_table(evaluation.quantity.lead, once, replace(options, weight="unit"))
    return Table(table.renamed(COMPARED, "unit_"))


def wrong_side_probability(answers: Table) -> Any:
    """Probability that a verdict names the wrong system of the two; nan where none is named."""
    better, verdict = answers["prob_better"], answers["verdict"]
    # the other tail, not 1 less this one
    sides, wrong = [verdict == "a_better", verdict == "b_better"], [better.T, better]
    return names.SQUARE, np.select(sides, wrong, np.nan)


HALF = 0.5  # a unit with so much of the items dominates the answer
UNEQUAL = 1.25  # sizes are unequal where there are so many times more units than they are worth
_DISAGREE = 0.1  # two-sided p-values above this do not support a verdict at 0.95
_NAMED = 3  # pairs that are listed
_ENOUGH = 10  # clusters below which intervals are rough


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
    quantity, totals = evaluation.quantity, evaluation.totals
    # Student's t has no prior of win, loss and tie
    by_t = "n_units" in first.table if suite is None else suite.by_means
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
    noted = {"pairwise_verdict", "unit_verdict"}  # of pairs alone, next to a joint answer
    record: dict[str, Any] = {
        "answer": "comparison",
        "version": betterthan.__version__,
        "prior": None if own_prior else checks.prior(options.prior, counts.sizes[names.OUTCOME]),
        "prior_text": _prior_of_wins(options.prior, counts) if by_t else None,
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
            *([_each_once(table, options)] if noted <= table.arrays.keys() else []),
        ),
        "ignored": " and the ".join(ignored) or None,
        "weight": None if options.weight == "item" else options.weight,
        "unit_notes": unit_notes(table, evaluation, options),
        "over": None if suite is None else f"{suite.over}, {suite.how}",
    }
    if by_t:
        record |= _units_record(evaluation)
        graded = quantity.name == "mean" and totals is not None and totals.graded
        record["difference_most"] = None if graded else 1.0  # the largest that there can be
        record["prior_sd"] = options.prior_sd or None
    if suite is not None:
        record["unit_notes"] = notes_of(suite, table)
    notes = *_shared_items(evaluation), *_few_judges(evaluation), *_without_winner(evaluation)
    record["unit_notes"] = *notes, *record["unit_notes"]
    if unequal(table):
        record["n_effective"] = worth(table)[0]
    settings = {k: v for answer in reversed(answers) for k, v in answer.settings.items()}
    audit, robust = audit_lines(evaluation, options, bounds)
    return Signature(
        **evaluation.attrs | record | vars(options.question) | settings,
        audit=audit or None,
        bounds=robust or None,
    )


def _prior_of_wins(prior: Any, counts: xr.DataArray) -> str | None:
    """The prior of wins, which are reported next to means, where it is not the default."""
    numbers = checks.prior(prior, counts.sizes[names.OUTCOME])
    if tuple(numbers) == names.PRIOR[: len(numbers)]:
        return None
    law = "Dirichlet" if len(numbers) == 3 else "Beta"
    return f"{law}({', '.join(f'{p:g}' for p in numbers)}) of wins"


def _units_record(evaluation: Evaluation) -> dict[str, Any]:
    """What the units are, where they are not single items."""
    if evaluation.unit == CLUSTER:
        scores = evaluation.item_scores
        clusters = scores[CLUSTER].values
        if evaluation.kind == "scores":  # those in which some system has a score
            clusters = clusters[scores.notnull().any(names.SYSTEM).values]
        within = {"counted": JUDGMENT} if evaluation.attrs["unit"] == JUDGMENT else {}
        return {"unit": CLUSTER, "n_units": len({*map(str, clusters.tolist())}), **within}
    totals = evaluation.totals
    if not isinstance(totals, UnitTotals) or not totals.runs:
        return {}
    return {"unit": "repeated item", "n_units": totals.units}


def audit_lines(
    evaluation: Evaluation, options: Options, bounds: xr.Dataset | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The audit of scores from logs, as lines under an answer; and whether verdicts hold for every
    value of the missing scores, where that is known.
    """
    scores = evaluation.observed
    if evaluation.kind != "scores" or options.missing != "pairwise":
        return (), ()
    if "status" not in scores.coords and not np.isnan(scores.values.astype(float)).any():
        return (), ()
    from betterthan.auditing.answer_checks import bounds_lines, status_lines

    known = options.over is None and bounds_answer(evaluation, options)  # an average has none
    robust = bounds_lines(scores, baseline=options.baseline, bounds=bounds) if known else ()
    return tuple(status_lines(scores)), tuple(robust)


def worth(answers: Table) -> tuple[float, int]:
    """The effective number of units, df + 1, and how many units there are, of the pair whose
    units are worth the least for their number.
    """
    at = pair_indices(len(answers[names.SYSTEM_A]))
    df, units = (answers[k][at] for k in ("difference_df", "n_units"))
    some = units > 1
    if not some.any():
        return float("nan"), int(units.max(initial=0))
    least = int(np.where(some, (df + 1) / np.maximum(units, 1), np.inf).argmin())
    return float(df[least] + 1), int(units[least])


def unequal(answers: Table) -> bool:
    """Whether the units are worth clearly less than as many of equal size."""
    if "difference_df" not in answers:
        return False
    effective, units = worth(answers)
    return bool(UNEQUAL * effective < units)


def unit_notes(answers: Table, evaluation: Evaluation, options: Options) -> tuple[str, ...]:
    """The sentences that stand under the answer; none where units are single items of a count.

    Those that change what a reader should do begin with an exclamation mark.
    """
    if evaluation.raw_counts.attrs.get("unit") == names.MEASURE:
        return (_MEASURES,)
    if dependent := evaluation.raw_counts.attrs.get("dependent"):
        return (f"! {dependent}.",)
    pooled = _on_data_sets(evaluation)
    if "difference_df" not in answers:
        return pooled
    lines = [skewed(answers, evaluation)]
    if evaluation.clusters is not None:
        if unequal(answers):
            lines.append(_unequal_sizes(answers, evaluation.clusters, options))
            if "pairwise_verdict" not in answers:
                lines.append(_each_once(answers, options))
        lines += [_few_clusters(answers, evaluation), _unsupported_by_swaps(answers)]
    return (*filter(None, lines), *pooled)


def _without_winner(evaluation: Evaluation) -> tuple[str, ...]:
    """How many judgments had none, which no win, loss or tie counts; a warning if many."""
    attrs = evaluation.data.attrs
    missing = int(attrs.get("n_missing", 0))
    if not missing or attrs.get("unit") != JUDGMENT:
        return ()
    if attrs.get("n") != evaluation.data.sizes.get(JUDGMENT, attrs.get("n")):
        return ()  # a part of what was read
    total = missing + int(attrs.get("n", 0))
    note = f"{missing:,} of {total:,} {names.NO_WINNER}; they are left out, not as ties."
    return (f"{'! Missing data: ' * (missing > names.MANY_MISSING * total)}{note}",)


def _few_judges(evaluation: Evaluation) -> tuple[str, ...]:
    """A warning where judges gave several judgments, and these, or clusters of these, count as
    independent; or where the uncertainty is that of few judges.
    """
    advice, by_vote = evaluation.advice, evaluation.kind == "judgments"
    by_cluster = evaluation.data.attrs.get("judges", 0), 0.0
    judges, worth = few_judges(evaluation.data) if by_vote else by_cluster
    if not judges:
        return ()
    if advice is not None and advice.options.get("by") == JUDGE:
        if worth >= names.UNITS_MIN:
            return ()
        few = f", worth {worth:.0f} of as many judgments each" * (worth < 0.9 * judges)
        few = f"{judges:,} judges{few}"
        return (f"! The uncertainty is that of {few}, and little more than a guess.",)
    if not by_vote or advice is not None:
        return (
            f"! All judgments are by {judges:,} judges. If judges differ in what they prefer, the "
            "answer is too certain about other judges; take judges as the clusters.",
        )
    return (
        f"! {evaluation.data.sizes[JUDGMENT]:,} judgments by {judges:,} judges count as "
        "independent. If judges differ in what they prefer, the answer is too certain about other "
        "judges; pass method='advised'.",
    )


def _shared_items(evaluation: Evaluation) -> tuple[str, ...]:
    """A warning where the items of one id are alike in several data sets, or systems have other
    gold.
    """
    scores = evaluation.observed
    if evaluation.kind not in ("scores", "tallies") or in_blocks(scores):
        return ()
    alike = alike_items(tally_scores(scores) if names.TALLY in scores.dims else scores)
    unlike = unlike_gold(scores) if names.TALLY in scores.dims else ""
    return tuple(f"! {warning}." for warning in (alike, unlike) if warning)


def _on_data_sets(evaluation: Evaluation) -> tuple[str, ...]:
    """That a model averages data sets, or that large ones weigh more, where the items of several
    unequal ones are pooled.
    """
    observed = evaluation.observed
    if not several(observed, names.DATASET):
        return ()
    if names.DATASET in evaluation.takes:
        number = len(set(observed[names.DATASET].values.tolist()))
        return (
            f"The answer is the average over {number:,} data sets, each counted once. Scores, "
            "wins, losses and ties are of all items pooled.",
        )
    line = pooled(observed).replace("the", "The", 1)
    return (f'{line}; over="dataset" counts each once.',) if line else ()


_MEASURES = (
    "n counts measures, not items or people: the answer is on how many measures a system is ahead, "
    "not how far or how certainly."
)


def _few_clusters(answers: Table, evaluation: Evaluation) -> str:
    """A warning of few clusters, or of clusters that are worth few."""
    effective, number = worth(answers)
    if number < 2 or effective >= _ENOUGH - 1e-9:
        return ""
    items = ""
    if evaluation.kind == "scores" and len(answers[names.SYSTEM_A]) == 2:
        items = f" ({int(answers['n'][0, 1]):,} items)"
    elif evaluation.kind == "scores":
        items = f" ({evaluation.item_scores.sizes[names.ITEM]:,} items)"
    rough = f"With fewer than {_ENOUGH} the intervals are only rough."
    if unequal(answers):
        equal = f"count as {effective:.1f} clusters of equal size"
        return f"! Few clusters: {number:,} of unequal size{items} {equal}. {rough}"
    return f"! Few clusters: {number:,}{items}. {rough}"


def notes_on_tests(evaluation: Evaluation, options: Options) -> tuple[str, ...]:
    """Where no test on clusters can reach its level."""
    if evaluation.clusters is None:
        return ()
    number = evaluation.clusters.most_decisive
    least = min(1.0, 2.0 * 0.5**number)
    if least <= options.tests.alpha or least == 1:
        return ()
    line = f"{number} clusters differ, so no test on clusters can have a p-value below {least:.3g}."
    return (line,)


def _unequal_sizes(answers: Table, clusters: OnClusters, options: Options) -> str:
    """How much of the data the largest clusters hold, and what they are worth."""
    effective, number = worth(answers)
    digits = 1 if effective < 100 else 0
    worth_of = f"the {number:,} clusters count as {effective:,.{digits}f} of equal size"
    if options.weight == "unit":
        return ""
    total = np.sum([(size_a + size_b).sum(1) for _, size_a, _, size_b in clusters.sums()], 0)
    share = np.sort(total / total.sum())[::-1]
    largest = int(np.searchsorted(share.cumsum(), HALF - 1e-12)) + 1
    held = f"{100 * share[:largest].sum():.0f}% of the items"
    if largest == 1:
        return f"One cluster holds {held}, so {worth_of}."
    return f"The {largest:,} largest clusters hold {held}, so {worth_of}."


def _each_once(answers: Table, options: Options) -> str:
    """The answer of clusters that each count once."""
    if "unit_verdict" not in answers:
        return ""
    if len(answers[names.SYSTEM_A]) == 2:
        return _once_of_two(answers, options)
    at = pair_indices(len(answers[names.SYSTEM_A]))
    pairwise = answers.get("pairwise_verdict", answers["verdict"])
    now, then = (verdicts[at].astype(str) for verdicts in (pairwise, answers["unit_verdict"]))
    changed = np.flatnonzero(now != then)
    if not len(changed):
        return "If each cluster counts once, every pairwise verdict is the same."
    which = _named_pairs(answers, changed)
    return (
        f"If each cluster counts once, {len(changed):,} of {len(now):,} pairwise verdicts change: "
        f"{which}."
    )


def _once_of_two(answers: Table, options: Options) -> str:
    """The same of two systems, the one ahead first."""
    better = answers["unit_prob_better"]
    a, b = (0, 1) if better[0, 1] >= 0.5 else (1, 0)
    first, second = (str(answers[names.SYSTEM_A][k]) for k in (a, b))
    sizes = (answers[f"unit_difference_{k}"][a, b] for k in ("mean", "lower", "upper"))
    mean, _, ends = numbers.difference(*map(float, sizes)).partition(" [")
    interval = f"{100 * options.question.ci_prob:g}% {options.question.ci_kind.upper()}"
    return (
        f"If each cluster counts once, {first} is better than {second} with probability "
        f"{numbers.probability(better[a, b])} (difference {mean}, {interval} [{ends})."
    )


def _unsupported_by_swaps(answers: Table) -> str:
    """Where swaps of whole clusters do not support a verdict."""
    tests = answers[names.TEST].tolist() if "p_value" in answers else []
    if "randomization" not in tests:
        return ""
    at = pair_indices(len(answers[names.SYSTEM_A]))
    p = answers["p_value"][tests.index("randomization")][at]
    sided = np.isin(answers["verdict"][at].astype(str), ("a_better", "b_better"))
    reachable = answers["smallest_p"][at] <= _DISAGREE
    against = np.flatnonzero(sided & reachable & (p > _DISAGREE))
    if not len(against):
        return ""
    p_of = ", ".join(f"{p[k]:.2g}" for k in against[:_NAMED])
    return (
        f"! Swapping whole clusters at random does as well (p = {p_of}): "
        f"{_named_pairs(answers, against)}."
    )


def skewed(answers: Table, evaluation: Evaluation, of: str = "") -> str:
    """The note on pairs whose differences, of a quantity, are too skewed for so few items."""
    means = means_of(evaluation.quantity.lead, evaluation)
    if "difference_skewness" not in answers or means is None:
        return ""
    affected = means[0].too_skewed()
    places = np.flatnonzero(affected)
    if not len(places):
        return ""
    pairs = f"in {len(places):,} of {len(affected):,} pairs" if len(affected) > 1 else "here"
    which = f" ({_named_pairs(answers, places)})" if len(affected) > 1 else ""
    return (
        f"! Differences{of} of so few items are too skewed for Student's t {pairs}{which}: "
        "verdicts and intervals are wrong more often than stated."
    )


def _named_pairs(answers: Table, at: np.ndarray) -> str:
    """Names of pairs, the first few."""
    systems = [str(s) for s in answers[names.SYSTEM_A]]
    first, second = pair_indices(len(systems))
    listed = [f"{systems[first[k]]} and {systems[second[k]]}" for k in at[:_NAMED].tolist()]
    more = f" and {len(at) - _NAMED:,} more" if len(at) > _NAMED else ""
    return "; ".join(listed) + more
