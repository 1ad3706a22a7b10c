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
        Two-sided tests beside the posterior: "sign", "mid_p", "trinomial", "randomization". Default
        the sign test, and randomization for tallies and for scores of more than two values (for
        scores of two values it is the sign test). With ``ties`` third or all, the sign test drops
        ties; the trinomial test keeps them. `significance.Tests` also says at which level, with
        which correction for the number of pairs, and how many shuffles.
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
