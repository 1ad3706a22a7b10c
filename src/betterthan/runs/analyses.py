"""Repeated runs: pass^k and pass@k, the noise of runs, and one system against itself.

How probable it is that a system succeeds k times out of k, and which system does more often; how
much of an error is due to the runs; and whether two sets of runs are of the same system.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import pandas as pd
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.comparison.additions import skewed
from betterthan.comparison.compare import decided
from betterthan.comparison.data import LoadedData, unit_totals
from betterthan.comparison.engines import closed_form
from betterthan.comparison.evaluation import evaluate, score_intervals
from betterthan.comparison.missing_bounds import missing_bounds
from betterthan.comparison.options import Options
from betterthan.counts.runs import (
    ONE_RUN,
    PLANNED,
    SUCCESSES,
    TRIALS,
    Reliability,
    repeated_runs,
    successes_of,
)
from betterthan.counts.shapes import Table, fingerprint, pair_indices, picked
from betterthan.counts.units import CLUSTER, LEAST, item_ids, pooled, unit_of
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.runs import (
    Variances,
    best_runs,
    best_runs_range,
    bounds,
    dealt_p,
    differences_of,
    flips,
    shares_of,
    spread_of_runs,
)
from betterthan.exact.wins import intervals
from betterthan.posterior.table import squares
from betterthan.progress import working
from betterthan.reading.inputs import data_of
from betterthan.reading.read import ReadOptions
from betterthan.runs.answer import Runs, noise_lines, reliability_lines, same_lines
from betterthan.text import named

_DIRICHLET_SYSTEMS = 20  # up to which it is computed unless it is asked for
_LISTED = 20  # items that are listed by name
_OWN = ("score", "score_lower", "score_upper", "n_scored")
# of each pair, and of each system from the joint model
_ANSWERS = (
    *("prob_better", "difference_mean", "difference_lower", "difference_upper", "verdict"),
    *("pairwise_prob_better", "pairwise_verdict", "n_units"),
    *("prob_best", "expected_rank", "in_best_set"),
)


@checks.one_system()
def reliability(
    data: Any,
    *,
    k: int | Sequence[int] = (1, 3, 5),
    kind: str = "all",
    success: float | None = None,
    each_k: bool = False,
    systems: Any = None,
    missing: str = "pairwise",
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = "eti",
    dirichlet: bool | None = None,
    rng: Any = None,
    **reading: Unpack[ReadOptions],
) -> Runs:
    """Estimate the probability that k runs of an item all succeed.

    pass^k is the probability that k runs of an item succeed, averaged over items; pass@k is the
    probability that at least one does. Both are estimated without bias from at least k runs of each
    item, whatever the success probabilities are. Systems are compared by them. Print the result for
    the answer in words.

    Parameters
    ----------
    data : path, DataFrame, Logs, xarray.DataArray or xarray.Dataset
        Scores of repeated runs, or anything that `read` accepts; or successes and trials of each
        item, such as from `counts.trials_from_table`.
    k : int or sequence of int, default (1, 3, 5)
        Numbers of runs that must succeed.
    kind : {"all", "any"}, default "all"
        "all" gives pass^k, and "any" pass@k.
    success : float, optional
        The smallest score that is a success (the largest, if lower is better). Needed unless all
        scores are 0 and 1.
    each_k : bool, default False
        Whether each k counts all items with at least k runs; then pass^k may rise with k. By
        default all k count the same items, those with as many runs as the largest k that has an
        estimate: one that at least half of the items reach.
    systems : sequence of str, or mapping of str to str, optional
        Systems to compare, as in `compare`.
    missing : {"pairwise", "complete"}, default "pairwise"
        Items with too few runs: left out of the pairs concerned, or of all pairs. A joint model of
        three or more systems needs the same items for all.
    rope, threshold, ci_prob
        As in `compare`; the ROPE is a difference of probabilities.
    ci_kind : {"eti", "hdi"}, default "eti"
        Kind of interval: equal-tailed, which for single systems holds the truth more often than the
        narrowest one, or highest density.
    dirichlet : bool, optional
        Whether to add ``dirichlet_prob_better``, a second computation for independent items.
        Default: for up to 20 systems, without clusters.
    rng : int, numpy.random.Generator or None
        Seed of the draws for ranks.
    **reading
        Options of `read`, if `data` are read.

    Returns
    -------
    Runs
        Print it for the answer. ``.systems`` and ``.pairs`` are pandas tables, and ``.data`` is a
        Dataset over k:

        - ``pass_k``, ``pass_k_lower``, ``pass_k_upper`` (k, system): estimate with its interval
        - ``bound_lower``, ``bound_upper`` (k, system): bounds for k that fewer than half of the
          items reach, for any success probabilities; there is no estimate, and ``pass_k_lower`` and
          ``pass_k_upper`` are bounds with the uncertainty of the estimate for all runs
        - ``n`` (k, system): items that count; NaN without an estimate
        - ``difference_mean``, ``difference_lower``, ``difference_upper``, ``prob_better``,
          ``verdict`` (k, system_a, system_b): as in `compare`
        - ``holds`` (k, system_a, system_b): if runs have no score, whether the verdict is the same
          for all their outcomes
        - ``prob_best``, ``expected_rank`` (k, system): from the joint model of three or more
        - ``dirichlet_prob_better`` (k, system_a, system_b): by the Dirichlet model

    Raises
    ------
    ValueError
        If every item has one run, scores are not 0 and 1 and `success` is not passed, `dirichlet`
        is passed with clusters, or an argument is not valid.

    See Also
    --------
    noise : How much of an error is due to the runs.
    betterthan.plan.runs : How many runs of how many items.

    Notes
    -----
    Verdicts come from Student's t on items (or clusters), which keeps its error rates also for 20
    items. In the Dirichlet model the shares of items with each number of successes have a Dirichlet
    posterior, and pass^k is linear in them. Intervals of single systems come from it: half an item
    at 0 and half at 1 are its prior. For pairs, three items at 1, 0 and -1 are the prior, so that
    with one run it equals the posterior of wins, losses and ties. It is conservative for few items.

    References
    ----------
    S. Yao et al. (2024), tau-bench: a benchmark for tool-agent-user interaction in real-world
    domains, arXiv:2406.12045. M. Chen et al. (2021), Evaluating large language models trained on
    code, arXiv:2107.03374.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame(
    ...     {"system": ["A"] * 6 + ["B"] * 6, "item": list("uvwxyz") * 2, "trials": 5,
    ...      "successes": [5, 5, 4, 3, 0, 5, 3, 5, 2, 1, 0, 4]}
    ... )
    >>> result = bt.runs.reliability(bt.counts.trials_from_table(table), k=(1, 5))
    >>> result["pass_k"].values.round(3).tolist()
    [[0.733, 0.5], [0.5, 0.167]]
    >>> print(round(float(result["prob_better"].sel(k=5, system_a="A", system_b="B")), 3))
    0.912
    """
    ks = _numbers(k)
    checks.one_of(kind, ("all", "any"), "kind")
    checks.flag(each_k, "each_k")
    checks.one_of(missing, ("pairwise", "complete"), "missing")
    data = data_of(data, systems, reading, "runs.reliability")
    data = picked(data, systems)
    successes = successes_of(data, success)
    most = _runs(successes)
    known = [number for number in ks if number <= most]
    least = 1 if each_k else max(known, default=1)
    options = Options.validate(
        rope=rope, threshold=threshold, ci_prob=ci_prob, ci_kind=ci_kind, missing=missing, rng=rng,
        quantity=Reliability(known[0] if known else most, kind).name,
        **_FIXED,
    )  # fmt: skip
    few = successes.sizes[names.SYSTEM] <= _DIRICHLET_SYSTEMS
    clusters = unit_of(successes) == CLUSTER
    second = few and not clusters if dirichlet is None else checks.flag(dirichlet, "dirichlet")
    if second and clusters:
        raise ValueError(
            "dirichlet=True takes items as independent, and these have clusters; leave it out"
        )
    of_all = {number: Reliability(number, kind) for number in {*known, most}}
    with working("comparing runs"):
        tables = {
            number: _of_k(successes, of, max(least, number), options, dirichlet=second)
            for number, of in of_all.items()
            if number in known or len(known) < len(ks)
        }
    result = _assembled(successes, ks, tables, most, kind)
    few = (successes[TRIALS].transpose(names.ITEM, names.SYSTEM).values < least).any(1)
    result.attrs = _attrs(options, kind, each_k, most, item_ids(successes)[few].tolist()) | {
        **({} if success is None else {"success": float(success)}),
        "data_hash": fingerprint(data if isinstance(data, xr.DataArray) else data[SUCCESSES]),
    }
    notes = [note for number in known[::-1] for note in tables[number].attrs["notes"]]
    if unequal := pooled(successes):
        quantity = Reliability(max(known, default=most), kind).name
        once = f'compare(..., quantity="{quantity}", over="dataset") counts each once'
        notes.append(f"{unequal.replace('the', 'The', 1)}; {once}.")
    return Runs(result, (*reliability_lines(result), *dict.fromkeys(filter(None, notes))))


_FIXED: dict[str, Any] = {
    "method": "exact",
    "unit": None,
    "weight": "item",
    "over": None,
    "weights": None,
    "ties": "third",
    "margin": 0.0,
    "prior": None,
    "systems": None,
    "baseline": None,
    "tests": None,
    "sampling": None,
}


def _numbers(k: Any) -> list[int]:
    """The numbers of runs, in ascending order."""
    values: list[Any] = list(k) if isinstance(k, Sequence | np.ndarray) else [k]
    if not values or isinstance(k, str):
        raise ValueError(
            f"k is {checks.quoted(k)}; give one number of runs or more, such as (1, 3)"
        )
    return sorted({checks.whole(value, "k") for value in values})


def _runs(data: xr.Dataset) -> int:
    """Runs that at least half of the items have in every system.

    Raises
    ------
    ValueError
        If every item has one run.
    """
    trials = data[TRIALS].transpose(names.ITEM, names.SYSTEM).values
    if trials.max(initial=0) < 2:
        raise ValueError(ONE_RUN)
    tried = trials[(trials > 0).any(1)]
    return max(int(np.quantile(tried, 0.5, axis=0, method="higher").min()), 1)


def _of_k(
    data: xr.Dataset, of: Reliability, least: int, options: Options, *, dirichlet: bool
) -> Table:
    """All numbers for one k, from the items with at least so many runs."""
    options = replace(options, reliability=of)
    chances = of.scores(data, least)
    loaded = LoadedData("scores", chances, chances, chances).with_policy(options.missing, 0.0)
    left_out = ""
    if PLANNED in data.coords:
        number = checks.numbered(int((data[PLANNED] - data[TRIALS]).clip(0).sum()), "run")
        left_out = f"! {number} without a score are left out"
    if loaded.scores.sizes[names.SYSTEM] == 1:
        if left_out:
            if_failed = float(chances[LEAST].mean())
            left_out += f". If all had failed, {of.name} would be {if_failed:.2f}."
        return _one_system(loaded, options, {"notes": [left_out]})
    evaluation = evaluate(loaded, options)
    answer, *_ = decided(closed_form(evaluation, options), evaluation, options)
    columns = {key: evaluation.columns[key] for key in _OWN}
    columns |= {key: answer.table.arrays[key] for key in _ANSWERS if key in answer.table}
    notes = [skewed(answer.table, evaluation, f" in {of.name}")]
    bounds = missing_bounds(evaluation, options, answer.table)
    if left_out:
        holds = np.eye(loaded.scores.sizes[names.SYSTEM], dtype=bool)
        if bounds is not None:
            holds |= bounds["holds"].transpose(*names.SQUARE).values
        columns["holds"] = names.SQUARE, holds
        change = f"; with other outcomes of these, verdicts on {of.name} may change."
        notes.append(left_out + ("." if holds.all() else change))
    if dirichlet:
        columns["dirichlet_prob_better"] = names.SQUARE, _dirichlet(loaded.scores.values)
    return Table(columns, {"notes": notes})


def _one_system(loaded: LoadedData, options: Options, attrs: dict[str, Any]) -> Table:
    """The numbers of a system that is compared with no other."""
    totals = unit_totals(loaded, unit_of(loaded.data), together=True)
    counted = loaded.scores.notnull().values.sum(0)
    columns = {"score": loaded.scores.mean(names.ITEM).values, "n_scored": counted}
    arrays = {name: ((names.SYSTEM,), values) for name, values in columns.items()}
    return Table(arrays | score_intervals(totals, {}, options), attrs)


def _dirichlet(values: np.ndarray) -> np.ndarray:
    """P(A better) of each pair by the Dirichlet model, (system, system)."""
    first, second = pair_indices(values.shape[1])
    a, b = values[:, first], values[:, second]
    law = differences_of(np.nan_to_num(a), np.nan_to_num(b), ~(np.isnan(a) | np.isnan(b)))
    parts = {"prob_better": law.prob_above(), "prob_worse": law.prob_below()}
    return squares(parts, values.shape[1], first, second)["prob_better"]


_RENAMED: dict[str, str] = dict(
    zip(_OWN, ("pass_k", "pass_k_lower", "pass_k_upper", "n"), strict=True)
)


def _assembled(
    data: xr.Dataset, ks: list[int], tables: dict[int, Table], most: int, kind: str
) -> xr.Dataset:
    """The numbers of every k, with bounds where there are fewer runs."""
    systems = [str(s) for s in data[names.SYSTEM].values]
    # a joint answer has more than that of pairs, and may be there for some k only
    columns, variables = {}, {}
    for table in reversed(tables.values()):
        columns |= table.arrays
    for name, (dims, values) in columns.items():
        if values.dtype.kind in "fiub":
            none, kind_of = np.nan, float
        else:
            none, kind_of = "no_data", object
        empty = np.full(values.shape, none, dtype=kind_of)
        held = {k: table.arrays[name][1] for k, table in tables.items() if name in table}
        rows = [held.get(k, empty) if k <= most else empty for k in ks]
        stacked = np.stack([np.asarray(row, dtype=kind_of) for row in rows])
        stacked = stacked.astype(str) if kind_of is object else stacked
        variables[_RENAMED.get(name, name)] = ("k", *dims), stacked
    if any(k > most for k in ks):
        of_most = tables[most].arrays
        ends = [of_most[name][1] for name in ("score", "score_lower", "score_upper")]
        dims, beyond = ("k", names.SYSTEM), np.array(ks) > most
        limits = np.full((2, 2, len(ks), len(systems)), np.nan)  # of estimates, of intervals
        for row in np.flatnonzero(beyond):
            limits[0, :, row] = bounds(ends[0], most, ks[row], kind)
            limits[1, 0, row] = bounds(ends[1], most, ks[row], kind)[0]
            limits[1, 1, row] = bounds(ends[2], most, ks[row], kind)[1]
        variables["bound_lower"], variables["bound_upper"] = ((dims, x) for x in limits[0])
        for end, outer in zip(("lower", "upper"), limits[1], strict=True):
            within = variables[f"pass_k_{end}"][1]
            variables[f"pass_k_{end}"] = dims, np.where(beyond[:, None], outer, within)
    square = dict.fromkeys(names.SQUARE, systems) if len(systems) > 1 else {}
    return xr.Dataset(variables, coords={"k": ks, names.SYSTEM: systems} | square)


def _attrs(
    options: Options, kind: str, each_k: bool, most: int, left_out: list[str]
) -> dict[str, Any]:
    more = ", ..." if len(left_out) > _LISTED else ""
    return {
        "answer": "reliability",
        "version": betterthan.__version__,
        "kind": kind,
        "each_k": int(each_k),
        "runs": most,
        "missing": options.missing,
        "n_left_out": len(left_out),
        "left_out": ", ".join(left_out[:_LISTED]) + more,
        **vars(options.question),
        "seed": options.rank_seed,
    }


@checks.one_system()
def noise(
    data: Any,
    *,
    systems: Any = None,
    ci_prob: float = names.CI_PROB,
    **reading: Unpack[ReadOptions],
) -> Runs:
    """Estimate how much scores vary between items, and how much between runs of an item.

    A mean has two standard errors. For items like these, it includes how items vary; for these
    items only, it includes the noise of the runs alone, which understates what new items would
    show. Print the result for the answer in words.

    Parameters
    ----------
    data : path, DataFrame, Logs, xarray.DataArray or xarray.Dataset
        Scores of repeated runs, of 0 and 1 or graded, or anything that `read` accepts; or successes
        and trials of each item.
    systems : sequence of str, or mapping of str to str, optional
        Systems, as in `compare`.
    ci_prob : float, default 0.95
        Level of intervals.
    **reading
        Options of `read`, if `data` are read.

    Returns
    -------
    Runs
        Print it for the answer. ``.systems`` and ``.pairs`` are pandas tables, and ``.data`` is a
        Dataset:

        - ``mean``, ``n``, ``runs`` (system): mean over items, items, and mean runs of an item
        - ``item_variance``, ``run_variance`` (system): variance between items, without the noise
          of the runs, and of one run around the mean of its item
        - ``icc``, ``icc_lower``, ``icc_upper`` (system): proportion of the item variance in the
          variance of one run, with its interval by the jackknife over items
        - ``mixed``, ``mixed_lower``, ``mixed_upper`` (system): proportion of items whose runs
          differ, with its interval, among items with two runs or more
        - ``identical`` (system): whether the runs of every item agree while items differ
        - ``error``, ``error_of_runs`` (system): standard errors of the mean, for items like these
          and for these items only; with clusters, the first is that of clusters
        - ``difference_item_variance``, ``difference_error``, ``difference_error_of_runs``,
          ``best_runs`` (system_a, system_b): the same of differences, and the runs of an item that
          reduce their error most if a run costs as much as a new item (see `betterthan.plan.runs`)
        - ``difference_run_share``, ``best_runs`` with ``_lower`` and ``_upper``: proportion of the
          runs in the variance of the difference, and intervals of both; with clusters, whose means
          vary with more than items and runs, the proportion has none

    Raises
    ------
    ValueError
        If every item has one run, or the data are no scores.

    References
    ----------
    S. R. Searle, G. Casella and C. E. McCulloch (1992), Variance Components, Wiley,
    doi:10.1002/9780470316856: the analysis of variance with one random factor.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame(
    ...     {"system": "A", "item": list("uvwxyz"), "successes": [5, 5, 4, 1, 0, 5], "trials": 5}
    ... )
    >>> result = bt.runs.noise(bt.counts.trials_from_table(table))
    >>> result["error"].values.round(3).tolist(), result["error_of_runs"].values.round(3).tolist()
    ([0.184], [0.047])
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    data = picked(data_of(data, systems, reading, "runs.noise"), systems)
    sums = repeated_runs(data)
    of, error = sums.of_systems()
    several = (sums.trials > 1).sum(0)
    mixed = sums.mixed.sum(0)
    lower, upper = intervals.interval(mixed, several, ci_prob, "eti")
    with np.errstate(invalid="ignore", divide="ignore"):
        columns: dict[str, Any] = {
            "mean": np.nanmean(sums.means, axis=0),
            "n": of.items,
            "runs": sums.trials.sum(0) / of.items,
            "item_variance": of.item,
            "run_variance": of.run,
            "icc": of.item / (of.item + of.run),
            **_icc_limits(of, sums.shares_of_runs(ci_prob, pairs=False)),
            "mixed": mixed / several,
            "mixed_lower": lower,
            "mixed_upper": upper,
            "identical": sums.identical,
            "error": error,
            "error_of_runs": of.error_of_runs,
        }
    variables = {name: ((names.SYSTEM,), values) for name, values in columns.items()}
    if len(sums.systems) > 1:
        pairs, pair_error = sums.of_pairs()
        shares = sums.shares_of_runs(ci_prob, pairs=True)
        best = dict(zip(_LIMITS, best_runs_range(pairs, shares, 1.0), strict=True))
        unknown = np.nan if sums.unit is not None else 0.0
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.minimum((pairs.error_of_runs / pair_error) ** 2, 1.0)
        parts = {
            "difference_item_variance": pairs.item,
            "difference_error": pair_error,
            "difference_error_of_runs": pairs.error_of_runs,
            "difference_run_share": share,
            "best_runs": best_runs(pairs.item, pairs.run, 1.0, 1.0),
        }
        for k, end in enumerate(_LIMITS):
            parts |= {
                f"difference_run_share{end}": shares[k] + unknown,
                f"best_runs{end}": best[end],
            }
        n = len(sums.systems)
        variables |= {
            name: (names.SQUARE, values)
            for name, values in squares(parts, n, *pair_indices(n)).items()
        }
    square = dict.fromkeys(names.SQUARE, sums.systems) if len(sums.systems) > 1 else {}
    attrs = {"answer": "noise", "version": betterthan.__version__, "ci_prob": ci_prob}
    attrs["data_hash"] = fingerprint(data if isinstance(data, xr.DataArray) else data["successes"])
    result = xr.Dataset(variables, coords={names.SYSTEM: sums.systems} | square, attrs=attrs)
    return Runs(result, tuple(noise_lines(result)))


_LIMITS = "_lower", "_upper"


def _icc_limits(of: Variances, share: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Limits of the ICC from those of the share of the runs in the variance of a mean."""
    runs = of.run / of.of_runs  # of each item
    limits = ((1 - s) / (1 - s + s * runs) for s in share[::-1])
    return {f"icc{end}": limit for end, limit in zip(_LIMITS, limits, strict=True)}


@checks.one_system()
def same_system(
    first: Any,
    second: Any,
    *,
    success: float | None = None,
    ci_prob: float = names.CI_PROB,
    shuffles: int = names.SHUFFLES,
    rng: Any = None,
    **reading: Unpack[ReadOptions],
) -> Runs:
    """Compare two sets of runs of one system on the same items: an A/A comparison.

    It shows how much a system differs from itself, and therefore which differences between two
    systems are noise of the runs.

    Parameters
    ----------
    first, second : path, DataFrame, xarray.DataArray or xarray.Dataset
        Scores of the system, as in `noise`; both of one kind. Items are joined by id.
    success : float, optional
        The smallest score that is a success. Needed unless all scores are 0 and 1.
    ci_prob : float, default 0.95
        Level of the equal-tailed interval of ``flip_rate``.
    shuffles : int, default 10,000
        Number of random deals, if items have different numbers of runs; else the test is exact.
    rng : int, numpy.random.Generator or None
        Seed of these permutations.
    **reading
        Options of `read`, if the data are read.

    Returns
    -------
    Runs
        Print it for the answer. ``.data`` has, without dims:

        - ``flip_rate``, ``flip_rate_lower``, ``flip_rate_upper``: probability that two runs of an
          item, one of each set, have different outcomes
        - ``mean_first``, ``mean_second``, ``difference``: mean over items, and first - second
        - ``p_value``, ``p_value_mcse``: two-sided randomization test, which deals the runs of each
          item to the two sets; how often two sets of one system differ at least this much
        - ``error_of_runs``: standard error of the difference on these items, from the runs alone
        - ``n``, ``n_dropped``: items in both, and in one of the two

    Raises
    ------
    ValueError
        If a set has more than one system, or the two have no item in common.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> old = pd.DataFrame({"item": list("uvwxyz"), "agent": [1, 1, 0, 1, 0, 1]})
    >>> new = pd.DataFrame({"item": list("uvwxyz"), "agent": [1, 0, 0, 1, 1, 1]})
    >>> result = bt.runs.same_system(old, new)
    >>> round(result["flip_rate"].item(), 3), result["p_value"].item()
    (0.333, 1.0)
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    one, other = (
        _runs_of_one_system(side, name, success)
        for name, side in _sides(first, second, reading).items()
    )
    shared = one.index.intersection(other.index, sort=False)
    if not len(shared):
        raise ValueError(
            f"no item is in both: first has {one.index[0]!r}, and second has {other.index[0]!r}; "
            "give runs on the same items"
        )
    a, b = one.loc[shared], other.loc[shared]
    means = np.column_stack([t[SUCCESSES] / t[TRIALS] for t in (a, b)])
    rate = flips(means[:, :1], means[:, 1:])
    law = shares_of(rate, np.ones_like(rate, dtype=bool))
    lower, upper = law.interval(ci_prob, "eti")
    scores = xr.DataArray(
        means, dims=(names.ITEM, names.SYSTEM), coords={names.SYSTEM: ["first", "second"]}
    )
    hits, trials = (a[SUCCESSES] + b[SUCCESSES]).to_numpy(), [t[TRIALS].to_numpy() for t in (a, b)]
    gap, shuffles = float((means[:, 0] - means[:, 1]).sum()), checks.whole(shuffles, "shuffles")
    p, error, how = dealt_p(hits, trials[0], trials[1], gap, shuffles, one_seed(rng))
    # of the difference of two means on the same items: by the spread of all runs of an item
    spread = spread_of_runs(hits, hits, trials[0] + trials[1])
    variance = (spread * (1 / trials[0] + 1 / trials[1])).sum()
    values = {
        "flip_rate": float(rate.mean()),
        "flip_rate_lower": float(lower[0]),
        "flip_rate_upper": float(upper[0]),
        "mean_first": float(means[:, 0].mean()),
        "mean_second": float(means[:, 1].mean()),
        "difference": gap / len(means),
        "error_of_runs": float(np.sqrt(variance) / len(rate)),
        "p_value": p,
        "p_value_mcse": error,
        "n": len(shared),
        "n_dropped": len(one) + len(other) - 2 * len(shared),
    }
    attrs = {"answer": "same system", "version": betterthan.__version__, "ci_prob": ci_prob}
    attrs |= {"test": f"the runs of each item dealt at random, {how}"}
    attrs["data_hash"] = fingerprint(scores)
    result = xr.Dataset(values, attrs=attrs)
    return Runs(result, tuple(same_lines(result)))


def _sides(first: Any, second: Any, reading: Any) -> dict[str, Any]:
    """The runs of both sets, each as scores of one system."""
    sides = {"first": first, "second": second}
    arrays = [isinstance(side, xr.DataArray | xr.Dataset) for side in sides.values()]
    if all(arrays):
        return sides
    if any(arrays):
        raise ValueError("first and second are of two kinds; give two files, frames or arrays")
    scores = data_of(sides, None, reading, "runs.same_system")
    systems = [str(s) for s in scores[names.SYSTEM].values]
    if set(systems) != set(sides):
        raise ValueError(f"first and second have {named(systems)}; give the runs of one system")
    return {name: scores.sel({names.SYSTEM: [name]}) for name in sides}


def _runs_of_one_system(data: Any, name: str, success: float | None) -> pd.DataFrame:
    """Successes and trials of each item that was run."""
    data = successes_of(data, success)
    if data.sizes[names.SYSTEM] != 1:
        systems = [str(s) for s in data[names.SYSTEM].values]
        raise ValueError(f"{name} has {named(systems)}; give the runs of one system")
    columns = {key: data[key].isel({names.SYSTEM: 0}).values for key in (SUCCESSES, TRIALS)}
    table: Any = pd.DataFrame(columns, index=item_ids(data))
    return table[table[TRIALS] > 0]
