"""Compare all systems: validate options, load data, run engines, compute additions,
record provenance, return the Comparison.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from betterthan import checks, names
from betterthan.comparison.additions import (
    COMPARED,
    item_statistics,
    outcome_counts,
    scores_of_systems,
    significance_tests,
    tie_policies,
    units_once,
    wrong_side_probability,
)
from betterthan.comparison.averages import (
    Suite,
    as_averaged,
    averaged_form,
    averaged_table,
    suite_of,
)
from betterthan.comparison.engines import (
    Answer,
    advised,
    closed_form,
    closed_table,
    engine_distance,
    fits_of,
    mcmc,
)
from betterthan.comparison.evaluation import Evaluation, load
from betterthan.comparison.joint_ranking import with_joint_posterior
from betterthan.comparison.missing_bounds import (
    as_answered,
    columns_of_bounds,
    extreme_answers,
    missing_bounds,
    withheld,
    without_verdicts,
)
from betterthan.comparison.options import Options
from betterthan.comparison.provenance import provenance
from betterthan.counts.shapes import Table
from betterthan.judged.dataset import is_judged
from betterthan.models.sampling import Sampling
from betterthan.progress import with_bar, working
from betterthan.reading.inputs import data_of
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
    """Compare all systems with each other.

    Parameters
    ----------
    data : path, DataFrame, Logs, xarray.DataArray or xarray.Dataset, or scores in memory
        What `read` reads: a path, a folder, a DataFrame, or what `read_logs` returns. Or what it
        returns: scores (item, system), tallies (item, system, tally), counts (system_a, system_b,
        outcome) or (pair, outcome); judgments from `io.read_judgments`; judged counts from
        `judged.count`; or successes of trials, of which the larger share wins an item. Or scores in
        memory: a dict with a sequence for each system, joined as `other` is; or a NumPy array whose
        rows are items and whose columns are systems, named by `systems`. A dict can also hold a
        path or a DataFrame for each system.
        Scores that dask holds in blocks of items are read block by block, each at most twice: the
        same answer without audit, bounds of missing scores and randomization.
        Of tallies, the posterior counts the items on which one F1 is above the other, and the
        randomization test compares F1 over all items.
    other : sequence of scores, optional
        A second system's, where `data` are one system's: Series and DataArrays are joined by label,
        which must be the same; lists by position, of equal length; two paths are two files.
    quantity : {"wins", "mean"}, optional
        What is compared: how often a system wins an item, or its mean score. Scores of 0 and 1 have
        one quantity, accuracy. Of graded scores the mean decides by default, and wins are reported
        next to it; where wins favor the other system the verdict is ``split``. The quantity that is
        given decides alone. With a `margin`, a `prior`, a policy for `ties` or PyMC's `method`, all
        of which speak of wins, the default is wins.
    unit : {"item"}, optional
        By default the unit of evidence is the cluster where items come in clusters, and the item
        with all its runs; then differences of means, or of wins, on units are answered by Student's
        t. "item" takes each row as independent. It is not passed to `read`, whose ``unit`` states
        what counts are of; to set that, call `read` first.
    weight : {"item", "unit"}, default "item"
        Whether a mean weighs items alike, or clusters and repeatedly run items: with "unit" each
        counts once, by its mean. That is another question where scores depend on how large a
        cluster is. Where sizes are unequal, the other answer is given next to the default.
    over : str, optional
        A column of the items, such as "dataset": the answer is the average over these data sets, a
        fixed suite of tasks. Their posteriors are independent, and their weighted average is exact:
        of wins and losses, or, of means and of clusters, by Student's t. A cluster must be in one
        data set. Of three systems or more the joint posterior is of averages, too.
    weights : None, "size", mapping of str to float, or sequence of float, optional
        Of the data sets of `over`: None counts each once, "size" by its number of items. They are
        scaled to a sum of 1.
    rope : float, default 0
        Half width of the region of practical equivalence: a difference of probabilities below 1,
        or, where means decide, in units of the score. At 0 no verdict is ever "equivalent".
        "Better" says that the difference is above 0; ``beyond_rope`` that it is above the rope.
    systems : sequence of str, or mapping of str to str, optional
        A list picks systems and orders them; a mapping renames them. Of a NumPy array a list names
        the columns.
    baseline : str, optional
        The system that the others are compared with.
    method : {"exact", "mcmc", "both", "advised"}, default "exact"
        Closed forms; PyMC; both and how far they lie apart; or the model that `advise` names for
        the data, with the closed form beside it. Of several data sets each then weighs the same.
        Of clusters and repeated runs PyMC's model is `models.clustered`, of wins, not of means.
    ties : {"third", "drop", "half", "to_a", "to_b", "all"}, default "third"
        See `counts.apply_ties`; in ``to_a`` and ``to_b``, A is the system named first. ``all``
        answers by ``third`` and shows what every policy would have said.
    missing, margin
        For scores: see `count`.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, tie, or a name of `names.PRIORS`. Default all ones.
        "skeptical" expects systems to be alike: a difference has a prior standard deviation of
        0.05, and ties the share that they have in all pairs; a difference of means a normal prior,
        of 0.05 of the scale (1 of scores within 0 and 1, else their range). It has no joint answer.
    threshold : float in (0.5, 1), default 0.95
        Probability from which a verdict is given.
    ci_prob : float, default 0.95
        Mass of the intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Narrowest or equal-tailed interval.
    tests : significance.Tests, str or sequence of str, optional
        Two-sided tests in addition to the posterior: "sign", "mid_p", "mcnemar", "trinomial",
        "randomization", "wilcoxon", "t". Default the sign test, and randomization for tallies and
        for scores of more than two values (for scores of two values it is the sign test). With
        ``ties`` third or all, the sign test drops ties; the trinomial test keeps them.
        `significance.Tests` also sets the level, the correction for the number of pairs, and the
        number of shuffles.
    sampling : models.Sampling, optional
        Draws, chains and more of PyMC.
    rng : int, numpy.random.Generator or None
        Seed of everything that samples.
    **reading
        Options of `read`, for data that are read: ``metric``, ``task``, ``errors``, ``item``,
        ``higher_is_better`` and all others. ``systems`` and ``unit`` have the meaning above.

    Returns
    -------
    Comparison
        Print it for the answer; ``.pairs`` and ``.systems`` are tables, ``.report()`` a page. In
        ``.data``, over (system_a, system_b): ``prob_better``, ``difference_mean``,
        ``difference_lower``, ``difference_upper``, ``mass`` (region), ``verdict``, ``also_ahead``,
        with a rope ``beyond_rope``; ``sign_error`` (how probable it is that a verdict names the
        wrong system); each number that was sampled with its ``_mcse``, and ``too_close``. Of graded
        scores ``mean_prob_better`` and more of the mean (or ``wins_...``, where the mean decides).
        Of three or more systems scored on the same items these are of the joint posterior of all
        systems, whose differences are drawn together, the more strongly the more similar the
        systems are; ``pairwise_prob_better``, ``pairwise_difference_mean``, ``pairwise_verdict``
        and more are of each pair alone. The joint posterior adds, over ``system``, ``prob_best``,
        ``expected_rank``, ``rank_lower``, ``rank_upper`` and ``in_best_set``;
        ``attrs["joint_notes"]`` says where it needs care. Where there is none,
        ``attrs["no_joint"]`` says why, and pairs are answered alone. Also
        ``counts``, ``n``, ``bayes_factor_01``; where Student's t answers ``n_units``,
        ``difference_error``, ``difference_df`` (the effective number of units is one more) and of
        items ``difference_skewness``; of clusters ``cluster_counts``, on which sign tests and the
        Bayes factor are, and where their sizes are unequal ``unit_prob_better`` and more, of
        clusters that each count once; from scores
        ``n_dropped`` and, over ``system``, ``score`` with its interval, ``score_lower`` and
        ``score_upper`` (of right and wrong with a uniform prior, else by Student's t), ``n_right``
        and ``n_scored``, and where scores are missing on hard
        or easy items ``prob_better_if_wrong`` and ``verdict_if_wrong``, with each missing
        score counted as wrong; where any is missing ``n_missing``, ``missing_holds`` (the
        verdict is the same for every value) and ``counts_worst`` (all for system_b); with both
        methods ``z``. Over a dim ``test``: ``p_value``, ``p_adjusted`` and ``favours`` (1: the test
        speaks for system_a, -1: for system_b); also ``smallest_p`` (of the sign test with so many
        discordant items) and, with randomization, ``swapped_difference`` (of its statistic, A - B).
        Of scores by item, over the ten items on which systems differ most, ``item_spread``,
        ``item_with_rest`` and ``item_score`` (`counts.disagreements`), with ``n_differing``; of
        three systems or more `significance.friedman` as ``friedman_statistic``, ``friedman_p`` and
        ``friedman_n``; of graded ones ``score_sd``, ``score_quantile`` (system, quantile) and
        ``score_worst_tenth``, the mean of the worst tenth.
        Where ties are unknown, what needs them is
        absent. Of judged counts ``gold_...`` (the labels alone) and ``judge_...`` (the judge alone,
        not corrected) stand beside ``prob_better``, ``difference_...`` and ``verdict``, with
        ``n_gold``, ``r2`` (how much of the truth the judge's signals tell), ``effective_gold`` (as
        many labels alone as say the same) and ``unlabelled`` (the share of items whose signal has
        no label). An advised model of several data sets adds ``prob_better_dataset`` (dataset, ...)
        and ``prob_better_new``, on a data set not seen. With `over`: ``counts_dataset`` and
        ``prob_better_dataset`` (dataset, ...) of each data set by itself, ``dataset_weight``,
        ``dataset_items``, ``prob_better_by_size`` (of the average by size) and
        ``prob_better_pooled`` (of all items). A second way of computing stands in
        ``.alternatives``.

    Raises
    ------
    ValueError
        If an argument is not valid, a data set of `over` is of some systems only or has a single
        item or cluster, scores of an average are missing with the difficulty of the items, an
        option of `read` is given and nothing is read, systems have
        different items or the same name, a rope is given and ties are unknown or the scores are
        graded and there is no quantity, or an advised model does not know what is asked.
    TypeError
        If `read` has no such option.

    Warns
    -----
    UserWarning
        If items come in clusters or were run repeatedly and are taken as independent, with the
        number of independent examples that say as much; if scores are missing on harder or easier
        items than others (`counts.missing_by_difficulty`); or if an advised model has not
        converged.

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
    0.998752

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
    data = data_of(data, options.systems, reading, "compare", other)
    if is_judged(data):
        return _compare_judged(data, options)
    evaluation = load(data, options)
    suite = None if over is None else suite_of(evaluation, options)
    if suite is not None:
        evaluation = as_averaged(evaluation, suite, options)
        suite = suite if len(suite.labels) > 1 else None
    options = options.with_prior(evaluation.counts, evaluation.scale)
    for line in evaluation.warnings:
        warnings.warn(line, skip_file_prefixes=names.PACKAGE)
    with working("comparing pairs") if options.method == "exact" else nullcontext():
        if suite is None:
            answers = ENGINES[options.method](evaluation, options)
        else:
            answers = [averaged_form(suite, options)]
    main, *alternatives = answers
    main = _with_other_quantity(main, evaluation, options, suite)
    # they are of all items pooled
    bounds = None if suite else missing_bounds(evaluation, options, main.table)
    open_pairs = withheld(evaluation, bounds)
    main = replace(main, table=without_verdicts(main.table, open_pairs))
    bounds = as_answered(bounds, main.table)
    main = with_joint_posterior(main, evaluation, options, suite)
    additions = with_bar(ADDITIONS, len(ADDITIONS), f"comparing {len(evaluation.systems)} systems")
    tables = [addition(evaluation, options, main) for addition in additions]
    tables.append(columns_of_bounds(evaluation, options, bounds))
    tables.append(extreme_answers(evaluation, options, bounds))
    table = Table.merged([main.table, main.more, *tables])
    table = table.with_arrays({"sign_error": wrong_side_probability(table)})
    fits, left_out = fits_of(answers)
    signature = provenance(evaluation, options, answers, table, bounds, left_out, suite)
    result = Table(table.arrays, signature.to_attrs() | table.attrs)
    return Comparison(result, _alternatives(alternatives, open_pairs), fits)


def _exact(evaluation: Evaluation, options: Options) -> list[Answer]:
    return [closed_form(evaluation, options)]


def _mcmc(evaluation: Evaluation, options: Options) -> list[Answer]:
    return [mcmc(evaluation, options)]


def _both(evaluation: Evaluation, options: Options) -> list[Answer]:
    exact, sampled = closed_form(evaluation, options), mcmc(evaluation, options)
    return [replace(exact, more=engine_distance(evaluation, sampled)), sampled]


def _advised(evaluation: Evaluation, options: Options) -> list[Answer]:
    answer = advised(evaluation, options)
    return [*([answer] if answer else []), closed_form(evaluation, options)]


# by method, the answers of each engine, the one to be read first in front
ENGINES: dict[str, Callable[[Evaluation, Options], list[Answer]]] = {
    "exact": _exact,
    "mcmc": _mcmc,
    "both": _both,
    "advised": _advised,
}

# what an answer shows besides; an empty table where it does not apply
ADDITIONS: tuple[Callable[[Evaluation, Options, Answer], Table], ...] = (
    outcome_counts,
    scores_of_systems,
    tie_policies,
    significance_tests,
    item_statistics,
    units_once,
)


def _with_other_quantity(
    answer: Answer, evaluation: Evaluation, options: Options, suite: Suite | None
) -> Answer:
    """With the other quantity of graded scores next to it, and verdicts that the two split."""
    other, table = evaluation.quantity.other, answer.table
    if other is None or answer.engine not in ("exact", "mcmc"):
        return answer
    question = replace(options.question, rope=0.0)
    without_rope = replace(options, question=question)
    if suite is None:
        second = closed_table(other, evaluation, without_rope)
    else:
        second = averaged_table(other, suite, without_rope)
    columns = second.renamed(COMPARED, f"{other}_")
    if not evaluation.quantity.chosen:
        verdict, ahead, behind = (table[k] for k in ("verdict", "also_ahead", "prob_better"))
        probability = second["prob_better"]
        # an equivalent pair is split, too, where one side is ahead with the threshold
        split = ((verdict == "a_better") | (ahead & (behind > 0.5))) & (probability < 0.5)
        split |= ((verdict == "b_better") | (ahead & (behind < 0.5))) & (probability > 0.5)
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
    table = without_verdicts(table, None)
    table = table.with_arrays({"sign_error": wrong_side_probability(table)})
    return Comparison(table, _alternatives(alternatives), fits)


def _alternatives(answers: list[Answer], open_pairs: np.ndarray | None = None) -> dict[str, Table]:
    """The answers of other engines, without verdicts where the first has none."""
    alternatives = {}
    for answer in answers:
        table = without_verdicts(answer.table, open_pairs)
        arrays = table.arrays | {"sign_error": wrong_side_probability(table)}
        alternatives[answer.engine] = Table(arrays, Signature(**answer.settings).to_attrs())
    return alternatives
