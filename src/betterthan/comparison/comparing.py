"""Everything about all pairs of systems, composed: what was given, asked, computed, and set
beside.
"""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.comparison.among_all import among_all
from betterthan.comparison.asked import Asked
from betterthan.comparison.audited import audited
from betterthan.comparison.engines import (
    Engine,
    answers_of,
    exact_answers,
    fits_of,
    sampled_answers,
)
from betterthan.comparison.given import Found, Given, count_given, of_systems, recognise, scale_of
from betterthan.comparison.missing_bounds import (
    as_answered,
    bounds_of,
    holding,
    withheld,
    without_verdicts,
)
from betterthan.comparison.of_scores import of_scores
from betterthan.comparison.on_clusters import clusters_of
from betterthan.comparison.sign_errors import sign_error
from betterthan.comparison.signing import signed_of
from betterthan.comparison.tests_beside import tests_beside
from betterthan.comparison.ties_beside import every_policy
from betterthan.comparison.unit_notes import unequal, unit_notes, worth
from betterthan.counts.arrays import with_arrays, without_attrs
from betterthan.counts.units import CLUSTER, EPOCH
from betterthan.judged.dataset import is_judged
from betterthan.models.sampling import Sampling
from betterthan.posterior import closed
from betterthan.posterior.parameters import settled
from betterthan.posterior.table import Question
from betterthan.progress import with_bar, working
from betterthan.reading.inputs import data_of
from betterthan.reading.options import ReadOptions
from betterthan.results.comparison import Comparison
from betterthan.signed import Signature
from betterthan.significance.on_clusters import OnClusters
from betterthan.significance.roster import Tests

if TYPE_CHECKING:
    from betterthan.comparison.advice import Advice

# what most comparisons do not ask for is loaded by those that do


def compare(
    data: Any,
    other: Any = None,
    *,
    quantity: str | None = None,
    unit: str | None = None,
    weight: str = "item",
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
    **options: Unpack[ReadOptions],
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
    rope : float, default 0
        Half width of the region of practical equivalence: a difference of probabilities below 1,
        or, where means decide, in units of the score. At 0 no verdict is ever "equivalent".
        "Better" says that the difference is above 0; ``beyond_rope`` that it is above the rope.
    systems : sequence of str, or mapping of str to str, optional
        A list picks systems and orders them; a mapping renames them. Of a NumPy array a list names
        the columns.
    baseline : str, optional
        The system that the others are told against.
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
    **options
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
        Of three or more systems scored on the same items the joint answer of all, whose differences
        are drawn together, the more strongly the more similar the systems are:
        ``among_prob_better``, ``among_difference_mean``, ``_lower``, ``_upper``, with a rope
        ``among_mass``, ``among_verdict``, and over ``system`` ``prob_best``, ``expected_rank``,
        ``rank_lower``, ``rank_upper`` and ``in_best_set`` (else ``attrs["no_joint"]`` says why
        not); ``attrs["joint_notes"]`` says where it needs care. Also
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
        and ``prob_better_new``, on a data set not seen. A second way of computing stands in
        ``.beside``.

    Raises
    ------
    ValueError
        If an argument is not valid, an option of `read` is given and nothing is read, systems have
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

    Scores in lists, and logs or a table with options of `read`:

    >>> lists = {"old": [1, 0, 0, 1, 0, 0], "new": [1, 1, 1, 1, 0, 1]}
    >>> print(round(float(bt.compare(lists).prob_better.loc["new", "old"]), 3))
    0.938
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"old": ["C", "I", "I"], "new": ["C", "C", "I"]})
    >>> bt.compare(frame, true="C", false="I")["score"].values.round(2).tolist()
    [0.33, 0.67]
    """
    asked = Asked.checked(
        question=Question.checked(rope, ci_prob, ci_kind, threshold, of_score=quantity != "wins"),
        method=method,
        quantity=quantity,
        unit=unit,
        weight=weight,
        ties=ties,
        missing=missing,
        margin=margin,
        prior=prior,
        systems=systems,
        baseline=baseline,
        tests=tests,
        sampling=sampling or Sampling(),
        rng=rng,
    )
    data = data_of(data, asked.systems, options, "compare", other)
    if is_judged(data):
        checks.rope(rope)
        return _judged(data, asked)
    found = of_systems(recognise(data), asked)
    advice = _advice(found) if asked.method == "advised" else None
    taken = _taken(asked, advice)
    given = _counted_once(found, asked, taken, advice)
    asked = asked.with_prior(given.counts, scale_of(given))
    for line in given.warned:
        warnings.warn(line, skip_file_prefixes=names.PACKAGE)
    with working("comparing pairs") if asked.method == "exact" else nullcontext():
        engines = _answered(given, asked, advice)
    main, *others = engines
    result = main.answers
    if main.beside.variables:
        result = xr.merge([result, main.beside.drop_vars("z", errors="ignore")], join="exact")
    clusters = clusters_of(given, asked)
    result = _with_other(result, given, asked, main)
    bounds = bounds_of(given, asked, result)
    none = withheld(given, bounds)
    result = without_verdicts(result, none)
    bounds = as_answered(bounds, result)
    tables = (
        lambda: _counted(given, asked, clusters),
        lambda: given.facts,
        lambda: holding(given, asked, bounds),
        lambda: among_all(given, asked, main, taken),
        lambda: every_policy(given, asked),
        lambda: tests_beside(given, asked, clusters),
        lambda: of_scores(given),
    )
    what = f"comparing {len(result[names.SYSTEM_A])} systems"
    beside = [table() for table in with_bar(tables, len(tables), what)]
    beside.append(_each_once(result, given, asked, main))
    far = [engine.beside[["z"]] for engine in others if "z" in engine.beside]
    told = [result, *map(without_attrs, beside), *far]
    result = xr.merge(told, join="exact", compat="override", combine_attrs="override")
    result.attrs |= {k: v for table in beside for k, v in table.attrs.items()}
    result = with_arrays(result, {"sign_error": sign_error(result).variable})
    made = signed_of(given, asked, advice, engines) | audited(given, asked, bounds)
    fits, left_out = fits_of(engines)
    made |= {"notes": (*(made["notes"] or ()), *left_out)} if left_out else {}
    made |= {"unit_notes": unit_notes(result, given, asked, clusters)}
    if unequal(result):
        made["n_effective"] = worth(result)[0]
    signed = Signature(**made).to_attrs()
    result.attrs = signed | result.attrs
    return Comparison(result, _beside(others, none), fits)


def _advice(found: Found) -> "Advice":
    from betterthan.comparison.advice import advise_on

    return advise_on(found)


def _counted_once(
    found: Found, asked: Asked, taken: tuple[str, ...], advice: "Advice | None"
) -> Given:
    """What was found, counted: in memory, or block by block."""
    if found.kind == "blocks":
        from betterthan.comparison.of_blocks import count_given_blocks

        return count_given_blocks(found, asked)
    return count_given(found, asked, taken, advice and advice.options.get("quantity"))


def _judged(data: xr.Dataset, asked: Asked) -> Comparison:
    """The comparison of judged counts."""
    from betterthan.comparison.of_judged import judged_answers

    result, others, fits = judged_answers(data, asked)
    result = without_verdicts(result, None)
    result["sign_error"] = sign_error(result)
    return Comparison(result, _beside(others), fits)


def _taken(asked: Asked, advice: "Advice | None") -> tuple[str, ...]:
    """Of dataset, cluster and epoch, what is taken into account."""
    if advice is not None and advice.spec.fitted:
        return advice.spec.takes
    if asked.unit == names.ITEM:
        return ()
    return (CLUSTER, EPOCH)


def _with_other(result: xr.Dataset, given: Given, asked: Asked, main: Engine) -> xr.Dataset:
    """With the other quantity of graded scores beside, and verdicts that the two split."""
    other = given.quantity.other
    if other is None or main.name not in ("exact", "mcmc"):
        return result
    question = replace(asked.question, rope=0.0)
    told = answers_of(other, given, replace(asked, question=question))[list(_OTHER)]
    told = without_attrs(told.rename({name: f"{other}_{name}" for name in _OTHER}))
    result = result.merge(told, join="exact")
    if given.quantity.chosen:
        return result
    verdict, behind = result["verdict"].values, result[f"{other}_prob_better"].values
    also, dims = result["also_ahead"].values, result["verdict"].dims
    up, down = result["prob_better"].values > 0.5, result["prob_better"].values < 0.5
    # an equivalent pair is split, too, where one side is ahead with the threshold
    split = ((verdict == "a_better") | (also & up)) & (behind < 0.5)
    split |= ((verdict == "b_better") | (also & down)) & (behind > 0.5)
    told = {"verdict": np.where(split, "split", verdict), "also_ahead": also & ~split}
    if "beyond_rope" in result:
        told["beyond_rope"] = result["beyond_rope"].values & ~split
    return result.assign({name: (dims, values) for name, values in told.items()})


def _each_once(result: xr.Dataset, given: Given, asked: Asked, main: Engine) -> xr.Dataset:
    """The answer of units that each count once, where their sizes are unequal."""
    if main.name != "exact" or asked.weight == "unit" or not unequal(result):
        return xr.Dataset()
    scores = given.scores and replace(given.scores, weight="unit")
    once = replace(given, scores=scores), replace(asked, weight="unit")
    found = answers_of(given.quantity.lead, *once)[list(_OTHER)]
    return without_attrs(found.rename({name: f"unit_{name}" for name in _OTHER}))


_OTHER = ("prob_better", "difference_mean", "difference_lower", "difference_upper", "verdict")


def _answered(given: Given, asked: Asked, advice: "Advice | None") -> list[Engine]:
    """The engines that were asked for, the one to be read first."""
    if advice is not None:
        from betterthan.comparison.advised import advised_answers

        fitted = advised_answers(given, asked, advice)
        return [*([fitted] if fitted else []), exact_answers(given, asked)]
    if asked.method == "exact":
        return [exact_answers(given, asked)]
    sampled = _clustered_answers if _in_units(given) else sampled_answers
    answers = [exact_answers] if asked.method == "both" else []
    return [answer(given, asked) for answer in (*answers, sampled)]


def _in_units(given: Given) -> bool:
    """Whether examples are correlated: items of a cluster, or runs of an item."""
    return given.unit == CLUSTER or (given.scores is not None and given.scores.runs)


def _clustered_answers(given: Given, asked: Asked) -> Engine:
    """PyMC's model of wins on clusters, or on items with their runs."""
    from betterthan.comparison.advised import fitted_answers
    from betterthan.model_registry import CLUSTERED, spec_of

    return fitted_answers(spec_of(CLUSTERED), given, asked)


def _counted(given: Given, asked: Asked, clusters: OnClusters | None) -> xr.Dataset:
    """Counts of items, and the Bayes factor of what is independent: items, or clusters."""
    counts = without_attrs(given.counts)
    short = counts.sizes[names.OUTCOME] < len(names.OUTCOMES)
    if clusters is not None and short:  # which can tie where the ties of examples were settled
        whole: Any = counts
        counts = whole.reindex({names.OUTCOME: list(names.OUTCOMES)}, fill_value=0)
    n = counts.dims[:-1], counts.values.sum(-1)
    found: dict[str, Any] = {"counts": counts.variable, "n": n}
    tested, prior = given.counts, asked.prior
    if clusters is not None:
        tested, prior = clusters.counts, None
        found["cluster_counts"] = tested.dims, tested.values
    bayes = closed.bayes(settled(tested, prior))
    return xr.Dataset(found | {"bayes_factor_01": (bayes.dims, bayes.values)}, counts.coords)


def _beside(others: list[Engine], none: np.ndarray | None = None) -> dict[str, xr.Dataset]:
    """The answers of other engines, without verdicts where the first has none."""
    answers = {one.name: without_verdicts(one.answers, none) for one in others}
    signed = {one.name: Signature(**one.signed).to_attrs() for one in others}
    return {
        name: of.assign(sign_error=sign_error(of)).assign_attrs(signed[name])
        for name, of in answers.items()
    }
