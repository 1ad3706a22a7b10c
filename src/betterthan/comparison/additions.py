"""Results of a comparison other than its probabilities: counts, ties, tests and single items."""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.comparison.engines import Answer, closed_table
from betterthan.comparison.evaluation import Evaluation
from betterthan.comparison.missing_by_difficulty import closed_verdicts
from betterthan.comparison.options import Options
from betterthan.comparison.unit_notes import unequal
from betterthan.counts.shapes import Arrays, Table
from betterthan.counts.ties import POLICIES, mirror_of
from betterthan.counts.units import differing
from betterthan.posterior import closed
from betterthan.posterior.parameters import posterior_parameters
from betterthan.signed import Signature
from betterthan.significance.corrections import FEWEST, adjusted_square, ranks
from betterthan.significance.roster import TestContext
from betterthan.significance.signs import p_values, sign_tests

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
    if totals is None or not totals.gaps:
        return Table(evaluation.columns)
    shared = totals.shared_scores()
    return Table(evaluation.columns | {"score_shared": (names.SQUARE, shared)})


def tie_policies(evaluation: Evaluation, options: Options, answer: Answer) -> Table:
    """P(A better) and the verdict under every policy for ties, and where these do not agree; where
    all policies were asked for.
    """
    if options.ties != "all":
        return Table()
    raw_counts, rope = evaluation.raw_counts, options.question.rope
    schemas.ties_known(raw_counts, "ties='all'")
    answers = {
        policy.name: closed_verdicts(raw_counts, policy.name, options, rope) for policy in POLICIES
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
    values = scores.values.astype(float)
    better = 1 if scores.attrs.get("higher_is_better", True) else -1
    ascending = better * np.sort(better * values, axis=0)  # the worst first, nan last
    n = (~np.isnan(values)).sum(0)
    mean = np.nansum(values, axis=0) / np.maximum(n, 1)
    squares = np.where(n > 1, np.nansum((values - mean) ** 2, axis=0), np.nan)
    worst = np.arange(len(values))[:, None] < np.maximum(np.ceil(n / _TENTH), 1)
    # without missing scores all columns at once
    quantile = np.quantile if (n == len(values)).all() else np.nanquantile
    return {
        "score_sd": ((names.SYSTEM,), np.sqrt(squares / np.maximum(n - 1, 1))),
        "score_quantile": ((names.SYSTEM, "quantile"), quantile(values, QUANTILES, axis=0).T),
        "score_worst_tenth": (
            (names.SYSTEM,),
            np.nanmean(np.where(worst, ascending, np.nan), 0),
        ),
        "quantile": (("quantile",), np.array(QUANTILES)),
    }


def units_once(evaluation: Evaluation, options: Options, answer: Answer) -> Table:
    """The answer of units that each count once, where their sizes are unequal."""
    if answer.engine != "exact" or options.weight == "unit" or not unequal(answer.table):
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
