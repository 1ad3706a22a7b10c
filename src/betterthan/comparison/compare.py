"""Compare all systems: validate options, load data, run engines, compute additions,
record provenance, return the Comparison.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.comparison import additions, averages, engines, missing_bounds
from betterthan.comparison.averages import Suite
from betterthan.comparison.engines import Answer
from betterthan.comparison.evaluation import Evaluation, load
from betterthan.comparison.joint_ranking import with_joint_posterior
from betterthan.comparison.options import Options
from betterthan.counts.shapes import Table
from betterthan.judged.dataset import is_judged
from betterthan.models.sampling import Sampling
from betterthan.progress import with_bar, working
from betterthan.reading.inputs import data_of, named_column
from betterthan.reading.read import ReadOptions
from betterthan.results.comparison import Comparison
from betterthan.signed import Signature
from betterthan.significance.roster import Tests


def compare(
    data: Any,
    other: Any = None,
    *,
    quantity: str | None = None,
    unit: str | None = None,
    weight: str = "item",
    over: str | None = None,
    weights: str | Mapping[str, float] | Sequence[float] | None = None,
    rope: float = names.ROPE,
    systems: Sequence[str] | Mapping[str, str] | None = None,
    baseline: str | None = None,
    method: str = "exact",
    ties: str = "third",
    missing: str = "pairwise",
    margin: float = 0.0,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    tests: Tests | str | Sequence[str] | None = None,
    sampling: Sampling | None = None,
    rng: Any = None,
    **reading: Unpack[ReadOptions],
) -> Comparison:
    """Compare two or more systems evaluated on the same items.

    For every pair of systems, estimate the probability that one is better, the size of the
    difference with a credible interval, and a verdict. Print the result for the answer in brief, or
    call ``.report()`` for the complete analysis.

    Parameters
    ----------
    data : path, DataFrame, Logs, xarray.DataArray or xarray.Dataset, or scores in memory
        Anything that `read` accepts: a path, a folder, a DataFrame, or the logs from `read_logs`.

        Anything that `read` returns: scores (item, system); TP/FP/FN counts (item, system, tally);
        counts (system_a, system_b, outcome) or (pair, outcome); judgments from `io.read_judgments`;
        judged counts from `judged.count`; successes of trials, of which the larger proportion wins
        an item.

        Scores in memory: a dict with a sequence (or a path, or a DataFrame) for each system, joined
        as `other` is; or a NumPy array with items as rows and systems as columns, named by
        `systems`.

        Scores that dask holds in blocks of items are read block by block, each at most twice; the
        audit, the bounds for missing scores, and the randomization test are then skipped.

        For TP/FP/FN counts, the posterior compares F1 item by item, and the randomization test
        compares F1 over all items.
    other : sequence of scores, optional
        Scores of a second system, if `data` holds those of one. Series and DataArrays are joined by
        label (the labels must be the same), and lists by position (of equal length). Two paths are
        two files.
    quantity : {"wins", "mean", "pass^k", "pass@k"}, optional
        Quantity to compare for graded scores: how often a system has the better score, or its mean
        score. By default the mean decides and wins are reported next to it; if wins favor the other
        system, the verdict is ``split``. If you pass a quantity, it decides without the other. If
        you pass a `margin`, a `prior` other than "skeptical", a policy for `ties`, or a `method`
        that uses PyMC, the default is wins. Scores of 0 and 1 have one quantity, accuracy. If they
        are repeated runs, you can also compare the probability that k runs of an item all succeed,
        such as "pass^3", or that one of them does, "pass@3"; see `runs.reliability`.
    unit : {"item"}, optional
        Unit of analysis. By default it is the cluster if items come in clusters, and the item with
        all its repeated runs otherwise; differences on such units are analyzed by Student's t.
        "item" treats every row as independent. This is not the ``unit`` of `read`, which states
        what counts are of; to set that one, call `read` first.
    weight : {"item", "unit"}, default "item"
        Weight of clusters in a mean: "item" weighs every item alike, "unit" every cluster alike.
        The two differ where scores depend on the size of a cluster. If sizes are unequal, the other
        result is reported next to the default. An item counts once, by the mean of its runs.
    over : str, optional
        Column of data sets, such as "dataset" or "benchmark": compare averages over these data
        sets, as over a fixed suite of tasks. The posteriors of data sets are independent, and their
        weighted average is exact: for wins and losses, or by Student's t for means and for
        clusters. A cluster must be in one data set. With three or more systems the joint posterior
        is of averages, too.
    weights : None, "size", mapping of str to float, or sequence of float, optional
        Weights of the data sets of `over`: None counts each once, "size" by its number of items.
        They are scaled to a sum of 1.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE): a difference of probabilities
        below 1 or, where means decide, in units of the score. With 0, no pair is ever "equivalent".
        The verdict "better" needs a difference above 0; ``beyond_rope`` reports whether it is above
        the ROPE.
    systems : sequence of str, or mapping of str to str, optional
        Systems to compare: a list selects and orders them, a mapping renames them. For a NumPy
        array, a list names the columns.
    baseline : str, optional
        System to compare all others with.
    method : {"exact", "mcmc", "both", "advised"}, default "exact"
        How to compute the posterior. "exact" uses closed forms, "mcmc" samples with PyMC, and
        "both" reports how far the two differ. "advised" fits the model that `advise` recommends,
        next to the closed form; several data sets then have equal weight. For clusters and repeated
        runs the PyMC model is `models.clustered`, which compares wins, not means.
    ties : {"third", "drop", "half", "to_a", "to_b", "all"}, default "third"
        How to treat ties; see `counts.apply_ties`. In ``to_a`` and ``to_b``, A is the first system.
        ``all`` decides by ``third`` and reports the verdict under every policy.
    missing, margin
        How to treat missing scores, and the difference up to which scores tie; see `count`.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, and tie, or a name in `names.PRIORS`. Default: all ones.
        "skeptical" expects similar systems: a difference has prior standard deviation 0.05, and
        ties have their proportion in all pairs. A difference of means then has a normal prior, with
        standard deviation 0.05 of the scale (1 for scores within 0 and 1, else their range). This
        prior has no joint model. With `over` the prior is of the average: each data set has its
        weight of the parameters.
    threshold : float in (0.5, 1), default 0.95
        Posterior probability needed for a verdict.
    ci_prob : float, default 0.95
        Level of the credible intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of credible interval: highest density or equal-tailed.
    tests : significance.Tests, str or sequence of str, optional
        Two-sided frequentist tests to add: "sign", "mid_p", "mcnemar", "trinomial",
        "randomization", "wilcoxon", "t". Default: the sign test, plus randomization for TP/FP/FN
        counts and for scores of more than two values. With `ties` "third" or "all", the sign test
        drops ties; the trinomial test keeps them. `significance.Tests` also sets the level, the
        correction for the number of pairs, and the number of permutations.
    sampling : models.Sampling, optional
        Settings of PyMC, such as the numbers of draws and chains.
    rng : int, numpy.random.Generator or None
        Seed of everything that is sampled.
    **reading
        Options of `read`, if `data` are read: ``metric``, ``task``, ``errors``, ``item``,
        ``higher_is_better``, and all others. ``systems`` and ``unit`` have the meaning above.

    Returns
    -------
    Comparison
        Print it for the answer. ``.pairs`` and ``.systems`` are pandas tables, ``.data`` is an
        `xarray.Dataset`, and ``.report()`` is the full report. Variables of ``.data`` that you need
        most, over (system_a, system_b) where no dims are listed:

        - ``prob_better``: posterior probability that system_a is better
        - ``verdict``: a_better, b_better, equivalent, undecided, split, no_data or no_verdict
        - ``difference_mean``, ``difference_lower``, ``difference_upper``: difference, A - B
        - ``mass`` (region): probability of B beyond, within, and A beyond the ROPE
        - ``counts`` (outcome), ``n``: wins, losses and ties; items
        - ``score``, ``score_lower``, ``score_upper`` (system): score with its interval
        - ``prob_best``, ``expected_rank``, ``in_best_set`` (system): from the joint model, which
          answers for three or more systems scored on the same items
        - ``pairwise_prob_better``, ``pairwise_verdict``: the same pair without the joint model
        - ``p_value``, ``p_adjusted`` (test): p-values of the frequentist tests
        - ``n_missing``, ``missing_holds``: missing scores, and whether the verdict is the same for
          every value of them

        The page "Reading the output" of the documentation has all variables and attributes.

    Raises
    ------
    ValueError
        If an argument is not valid, or an option of `read` is passed and nothing is read; if
        systems have different items or the same name. If a ROPE is passed and ties are unknown. If
        a data set of `over` lacks some systems or has a single item or cluster, or scores of an
        average are missing with the difficulty of the items. If the recommended model, or an
        average, does not support an argument.
    TypeError
        If `read` has no such option.

    Warns
    -----
    UserWarning
        If items come in clusters or were run repeatedly and are treated as independent; the warning
        gives the effective sample size. If scores are missing on harder or easier items than others
        (`counts.missing_by_difficulty`). If a recommended model has not converged.

    See Also
    --------
    read : Read scores or counts from files.
    audit : Check data for errors before a comparison.
    gate : Decide whether a candidate may replace a baseline.
    advise : Recommend a model for the data.

    References
    ----------
    T. S. Ferguson (1973), A Bayesian analysis of some nonparametric problems, Annals of Statistics
    1(2), 209-230, doi:10.1214/aos/1176342360: errors of right and wrong items, jointly.

    Examples
    --------
    >>> import betterthan as bt
    >>> comparison = bt.compare(bt.datasets.contingency_case("a"))
    >>> comparison.pairs[["system", "other", "verdict"]].values.tolist()
    [['A', 'B', 'better']]

    The average over data sets of unequal size, each counted once:

    >>> import xarray as xr
    >>> counts = xr.DataArray(
    ...     [[[14, 2, 14]], [[120, 140, 340]], [[30, 20, 40]], [[9, 4, 7]]],
    ...     dims=("dataset", "pair", "outcome"),
    ...     coords={"dataset": ["copa", "boolq", "rte", "cb"], "outcome": ["win", "loss", "tie"],
    ...             "system_a": ("pair", ["new"]), "system_b": ("pair", ["old"])},
    ... )
    >>> average = bt.compare(counts, over="dataset")
    >>> print(round(float(average.prob_better.loc["new", "old"]), 6))
    0.998827

    Scores in lists, and logs or a table with options of `read`:

    >>> lists = {"old": [1, 0, 0, 1, 0, 0], "new": [1, 1, 1, 1, 0, 1]}
    >>> print(round(float(bt.compare(lists).prob_better.loc["new", "old"]), 3))
    0.938
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"old": ["C", "I", "I"], "new": ["C", "C", "I"]})
    >>> bt.compare(frame, true="C", false="I")["score"].values.round(2).tolist()
    [0.33, 0.67]
    """
    options = Options.validate(
        rope=rope,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        threshold=threshold,
        method=method,
        quantity=quantity,
        unit=unit,
        weight=weight,
        over=over,
        weights=weights,
        ties=ties,
        missing=missing,
        margin=margin,
        prior=prior,
        systems=systems,
        baseline=baseline,
        tests=tests,
        sampling=sampling,
        rng=rng,
    )
    if over is not None and "dataset" not in reading and named_column(data, over):
        options, reading["dataset"] = replace(options, over=names.DATASET), over
    data = data_of(data, options.systems, reading, "compare", other)
    if is_judged(data):
        return _compare_judged(data, options)
    evaluation = load(data, options)
    suite = None if over is None else averages.suite_of(evaluation, options)
    if suite is not None:
        evaluation = averages.as_averaged(evaluation, suite, options)
        suite = suite if len(suite.labels) > 1 else None
    if options.skeptical:
        scale = evaluation.scale_of(evaluation.quantity.lead)
        options = options.with_prior(evaluation.counts, scale)
    for line in evaluation.warnings:
        warnings.warn(line, skip_file_prefixes=names.PACKAGE)
    with working("comparing pairs") if options.method == "exact" else nullcontext():
        if suite is None:
            answers = ENGINES[options.method](evaluation, options)
        else:
            answers = [averages.averaged_form(suite, options)]
    main, *alternatives = answers
    main, bounds, open_pairs = decided(main, evaluation, options, suite)
    steps = with_bar(ADDITIONS, len(ADDITIONS), f"comparing {len(evaluation.systems)} systems")
    tables = [addition(evaluation, options, main) for addition in steps]
    if bounds is not None:
        tables.append(missing_bounds.columns_of_bounds(evaluation, options, bounds))
        tables.append(missing_bounds.extreme_answers(evaluation, options))
    table = Table.merged([main.table, main.more, *tables])
    table = table.with_arrays({"sign_error": additions.wrong_side_probability(table)})
    fits, left_out = engines.fits_of(answers)
    signature = additions.provenance(evaluation, options, answers, table, bounds, left_out, suite)
    result = Table(table.arrays, signature.to_attrs() | table.attrs)
    return Comparison(result, _alternatives(alternatives, open_pairs), fits)


def decided(
    answer: Answer, evaluation: Evaluation, options: Options, suite: Suite | None = None
) -> tuple[Answer, xr.Dataset | None, np.ndarray | None]:
    """With one verdict a pair, by the joint model where there is one; the bounds of missing scores;
    and the pairs whose verdict these withhold.
    """
    answer = _with_other_quantity(answer, evaluation, options, suite)
    # they are of all items pooled
    bounds = None if suite else missing_bounds.missing_bounds(evaluation, options, answer.table)
    open_pairs = None if bounds is None else missing_bounds.withheld(evaluation, bounds)
    answer = replace(answer, table=missing_bounds.without_verdicts(answer.table, open_pairs))
    if bounds is not None and "reason" in answer.table:
        bounds = missing_bounds.as_answered(bounds, answer.table)
    return with_joint_posterior(answer, evaluation, options, suite), bounds, open_pairs


def _both(evaluation: Evaluation, options: Options) -> list[Answer]:
    exact, sampled = engines.closed_form(evaluation, options), engines.mcmc(evaluation, options)
    return [replace(exact, more=engines.engine_distance(evaluation, sampled)), sampled]


def _advised(evaluation: Evaluation, options: Options) -> list[Answer]:
    answer = engines.advised(evaluation, options)
    return [*([answer] if answer else []), engines.closed_form(evaluation, options)]


# by method, the answers of each engine, the one to be read first in front
ENGINES: dict[str, Callable[[Evaluation, Options], list[Answer]]] = {
    "exact": lambda evaluation, options: [engines.closed_form(evaluation, options)],
    "mcmc": lambda evaluation, options: [engines.mcmc(evaluation, options)],
    "both": _both,
    "advised": _advised,
}

# what an answer shows besides; an empty table where it does not apply
ADDITIONS: tuple[Callable[[Evaluation, Options, Answer], Table], ...] = (
    additions.outcome_counts,
    additions.scores_of_systems,
    additions.tie_policies,
    additions.significance_tests,
    additions.item_statistics,
    additions.units_once,
)


_ROUNDED = 1e-12  # how far from a half a probability of equal wins may be


def _with_other_quantity(
    answer: Answer, evaluation: Evaluation, options: Options, suite: Suite | None
) -> Answer:
    """With the other quantity of graded scores next to it, and verdicts that the two split."""
    other, table = evaluation.quantity.other, answer.table
    if other is None or answer.engine not in ("exact", "mcmc"):
        return answer
    without_rope = replace(options, question=replace(options.question, rope=0.0))
    if options.prior_sd:
        sd = names.SKEPTICAL_SD * evaluation.scale_of(other)
        without_rope = replace(without_rope, prior_sd=sd)
    if suite is None:
        second = engines.closed_table(other, evaluation, without_rope)
    else:
        second = averages.averaged_table(other, suite, without_rope)
    columns = second.renamed(additions.COMPARED, f"{other}_")
    if not evaluation.quantity.chosen:
        verdict, ahead, behind = (table[k] for k in ("verdict", "also_ahead", "prob_better"))
        probability = second["prob_better"]
        # an equivalent pair is split, too, where one side is ahead with the threshold
        split = ((verdict == "a_better") | (ahead & (behind > 0.5))) & (
            probability < 0.5 - _ROUNDED
        )
        split |= ((verdict == "b_better") | (ahead & (behind < 0.5))) & (
            probability > 0.5 + _ROUNDED
        )
        columns["verdict"] = names.SQUARE, np.where(split, "split", verdict)
        columns["also_ahead"] = names.SQUARE, ahead & ~split
        if "beyond_rope" in table:
            columns["beyond_rope"] = names.SQUARE, table["beyond_rope"] & ~split
    return replace(answer, table=table.with_arrays(columns))


def _compare_judged(data: Any, options: Options) -> Comparison:
    """The comparison of judged counts."""
    from betterthan.comparison.judged import judged_answers

    checks.rope(options.question.rope)
    table, alternatives, fits = judged_answers(data, options)
    table = missing_bounds.without_verdicts(table, None)
    table = table.with_arrays({"sign_error": additions.wrong_side_probability(table)})
    return Comparison(table, _alternatives(alternatives), fits)


def _alternatives(answers: list[Answer], open_pairs: np.ndarray | None = None) -> dict[str, Table]:
    """The answers of other engines, without verdicts where the first has none."""
    alternatives = {}
    for answer in answers:
        table = missing_bounds.without_verdicts(answer.table, open_pairs)
        arrays = table.arrays | {"sign_error": additions.wrong_side_probability(table)}
        alternatives[answer.engine] = Table(arrays, Signature(**answer.settings).to_attrs())
    return alternatives
