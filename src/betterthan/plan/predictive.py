"""Predictive probabilities of verdicts on more items, replication, fragility, and strata."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.counting import count_outcomes
from betterthan.counts.units import CLUSTER, runs_together, unit_of
from betterthan.exact.planning import edges as fragile
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import VERDICTS, other_side
from betterthan.exact.wins.beta import prob_above_half
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.inputs import (
    SWAPPED,
    CountLaw,
    MeanLaw,
    Pairs,
    as_counts,
    check_rule,
    choices_of,
    itself,
    predictive_law,
    read_pairs,
    today,
    whole_numbers,
)
from betterthan.results.robustness import fewest_changes, outlook_lines, outlook_table


def fragility(
    counts: Any,
    *,
    rope: float | None = None,
    prior: Any = None,
    threshold: float | None = None,
) -> Plan:
    """Compute the fragility index: the fewest items whose change would overturn a verdict.

    It extends the fragility index of clinical trials: it is exact and, with a ROPE, covers all
    mixes of wins, losses, and ties. A verdict survives any k suspect items if ``drop`` (the items
    should not be in the test set) or ``turn`` (their outcomes are wrong) is above k.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), (wins, losses, ties), or Comparison
        Counts, or a comparison that has them. Of a comparison with a joint answer these are
        verdicts of each pair alone; flipped items may change the joint ones earlier or later.
    rope, prior, threshold
        See `foresee`.

    Returns
    -------
    Plan
        Over the dims of the counts without ``outcome``:

        - ``now``: verdict today
        - ``drop``, ``turn``: fewest items to remove, or to flip, until this verdict no longer holds
        - ``drop_to_other``, ``turn_to_other``: fewest items until the other system is better
        - ``dropped``, ``turned`` (outcome): numbers of wins, losses, and ties to take away; with a
          ROPE, where they may be mixed
        - ``decisive``, ``n``: non-tied items (unless ties count as wins), and all items

        NaN if no number does, and if the pair is undecided.

    Raises
    ------
    ValueError
        If the counts or a choice are not valid, or a ROPE is passed and ties are unknown.

    References
    ----------
    M. Walsh et al. (2014), The statistical significance of randomized controlled trial results is
    frequently fragile: a case for a Fragility Index, Journal of Clinical Epidemiology 67(6),
    622-628, doi:10.1016/j.jclinepi.2013.10.019.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.fragility((12, 2, 986))
    >>> int(plan["drop"]), int(plan["turn"]), int(plan["turn_to_other"])
    (5, 2, 9)
    >>> print(plan.lines[0].partition(";")[0])
    A is better: flipping 2 of the 14 non-tied items would overturn this verdict
    """
    law = CountLaw(counts, *choices_of(counts, rope, prior, threshold))
    pairs, rule = law.pairs, law.rule
    counts_with_ties = np.zeros((len(pairs.counts), 3), np.int64)
    counts_with_ties[:, : pairs.counts.shape[1]] = pairs.counts
    if rule.rope:
        minima = _searched(counts_with_ties, rule)
    else:
        minima = fewest_changes(counts_with_ties, law.verdicts, rule)
    now, decisive = law.today(), counts_with_ties[:, :2].sum(1)
    variables = {"now": now["now"], "decisive": pairs.wrap(decisive, decisive, 0), "n": now["n"]}
    if pairs.parameters.counts.attrs.get("ties") in names.SPLIT_TIES:
        del variables["decisive"]
    data = xr.Dataset(variables | _labelled(minima, pairs))
    attrs = {"answer": "fragility", "rope": rule.rope, "threshold": rule.threshold}
    attrs |= {k: v for k, v in pairs.parameters.counts.attrs.items() if k == "pairwise"}
    data = data.assign_attrs(pairs.parameters.attrs | attrs)
    return Plan(data, words.fragility(data))


def _searched(counts: np.ndarray, rule: Rule) -> dict[str, np.ndarray]:
    """Search the minimal changes with a ROPE."""
    drop, turn = fragile.fewest_dropped(counts, rule), fragile.fewest_flips(counts, rule)
    minima = {"drop": drop.fewest, "turn": turn.fewest}
    minima["drop_to_other"] = fragile.fewest_dropped(counts, rule, other=True).fewest
    minima["turn_to_other"] = fragile.fewest_flips(counts, rule, other=True).fewest
    return minima | {"dropped": drop.mix, "turned": turn.mix}


def _labelled(minima: dict[str, np.ndarray], pairs: Pairs) -> dict[str, xr.DataArray]:
    outcomes = {names.OUTCOME: list(names.OUTCOMES)}
    variables = {}
    for name, values in minima.items():
        if values.ndim == 1:
            variables[name] = pairs.wrap(values, values, np.nan)
        else:
            variables[name] = pairs.wrap(values, values[:, [1, 0, 2]], np.nan, outcomes)
    return variables


MAX_PAIRS = 45  # pairs of which all is told


def outlook(
    comparison: Any, *, target: float = 0.8, pairs: Any = None, most: int = MAX_PAIRS
) -> Plan:
    """Report the sample size still needed by undecided pairs, and the stability of verdicts.

    Parameters
    ----------
    comparison : Comparison
        Result of `compare`, from counts of wins, losses, and ties, or from means on units. Next to
        a joint answer, everything is predicted for each pair alone, from its pairwise verdict.
    target : float, default 0.8
        Probability that more items will give a verdict.
    pairs : sequence of (str, str), optional
        Pairs of systems, in this order. Default: all.
    most : int, default 45
        Largest number of pairs to compute everything for; the first ones are taken.

    Returns
    -------
    Plan
        Over ``pair``, with the coordinates ``system_a`` (the system ahead) and ``system_b``:

        - ``now``: verdict today
        - ``n``, ``n_gold``, ``decisive``: items or units, human labels, and non-tied items

        For an undecided pair, predicted from the data so far:

        - ``more_items``: a round number of further items, or of clusters of clustered data
          (``attrs["of"]``), after which there is a verdict with probability
          ``more_probability``, at least `target`; NaN if more than 10,000, and the probabilities
          are then those after 10,000
        - ``more_equivalent``: with a ROPE, the part of that probability for "equivalent"
        - ``wins_and_means_differ``: whether these favor different systems, where a pair is so; more
          items may split it, and nothing of the above is predicted

        For a decided pair:

        - ``replicates``: replication probability, of the same verdict on a new test set of this
          size
        - ``turn``, ``drop``: items to flip or to remove; see `fragility` (for counts; with a ROPE
          only ``turn``, and only if at most three pairs are decided, as the search is long)

        Variables that do not apply are NaN. A pair with a model of its own has neither group.

    Raises
    ------
    ValueError
        If it is not a comparison of systems, a pair was not compared, or a choice is not valid.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.outlook(bt.compare(bt.datasets.contingency_case("a")))
    >>> plan["turn"].values.tolist(), plan["replicates"].values.round(3).tolist()
    ([2.0], [0.761])
    >>> print(plan.lines[0].partition(";")[0])
    A is better than B: flipping 2 of the 14 non-tied items would overturn this verdict
    """
    target, most = checks.probability(target, "target"), checks.whole(most, "most")
    data = getattr(comparison, "data", comparison)
    if not isinstance(data, xr.Dataset) or not {"prob_better", "verdict"} <= set(data.data_vars):
        text = checks.quoted(comparison)
        raise ValueError(f"comparison is {text}; give what betterthan.compare returns")
    table = outlook_table(data, target, pairs, most)
    return Plan(table, outlook_lines(table))


def foresee(
    counts: Any,
    *,
    more: Any = None,
    until: int | None = None,
    rope: float | None = None,
    prior: Any = None,
    threshold: float | None = None,
) -> Plan:
    """Predict the verdict after more items: the probability of each, given the counts so far.

    The next items are predicted from the posterior of the counts, so the uncertainty of a small
    pilot is included. The verdict is then computed from all items, old and new. You need not assume
    a difference, and nothing is sampled.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or (wins, losses, ties)
        Counts so far. Without ties, every item is a non-tied one. Or scores (item, system) that are
        graded, or whose items belong to clusters or were run repeatedly. The verdict is then of
        means, by Student's t on units: the clusters (a coordinate ``cluster``) or the items.
    more : int or sequence of int, optional
        Number of further items; a sequence adds a dim ``more``.
    until : int, optional
        Total number of items, in place of `more`.
    rope : float in [0, 1), optional
        Half-width of the region of practical equivalence (ROPE); for scores, in units of the score.
        Default: that of a comparison, else 0.
    prior : str or sequence of float, optional
        Prior; see `prob_better`. Not for scores. Default: that of a comparison, else uniform.
    threshold : float, optional
        Posterior probability needed for a verdict. Default: that of a comparison, else 0.95.

    Returns
    -------
    Plan
        Over the dims of the counts without ``outcome``:

        - ``probability`` (verdict): of a_better, b_better, equivalent, and undecided
        - ``now``, ``prob_better``: verdict and P(A better) today
        - ``n``, ``n_more``: items so far, and items to come

        For scores, ``difference`` and ``error`` of the means replace ``prob_better``. Where a pair
        is so, ``wins_and_means_differ``: `compare` then names no single winner.

    Raises
    ------
    ValueError
        If the counts or a choice are not valid, both or neither of `more` and `until` are passed,
        there are more than `until` items already, a ROPE is passed and ties are unknown, or scores
        are 0 and 1 on single items (count these first).

    Notes
    -----
    With no more items, the verdict of today has probability 1. The expected value of the future P(A
    better) is P(A better) today: the prediction is about how far it will move, not about the
    direction.

    References
    ----------
    D. J. Spiegelhalter, L. S. Freedman and P. R. Blackburn (1986), Monitoring clinical trials:
    conditional or predictive power? Controlled Clinical Trials 7(1), 8-17,
    doi:10.1016/0197-2456(86)90003-6.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.foresee((12, 6, 32), until=200)
    >>> plan["probability"].values.round(4).tolist()
    [0.737, 0.005, 0.0, 0.258]
    """
    law = predictive_law(counts, rope, prior, threshold)
    steps, several = _steps(law.items, more, until)
    probabilities = np.stack([law.after(step) for step in steps], axis=1)
    data = law.today()
    if several:
        data["probability"] = _probability(law, probabilities, {"more": np.asarray(more)})
    else:
        data["probability"] = _probability(law, probabilities[:, 0])
        data["n_more"] = law.wrap(steps[0], steps[0], 0)
    data = data.assign_attrs(law.attrs("foresight"))
    return Plan(data, words.foresight(data))


def replication(
    counts: Any,
    *,
    n: int | None = None,
    rope: float | None = None,
    prior: Any = None,
    threshold: float | None = None,
) -> Plan:
    """Compute the replication probability: the same verdict on new items without the old ones.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or (wins, losses, ties)
        Counts so far. Without ties, every item is a non-tied one. Or scores; see `foresee`.
    n : int, optional
        Number of new items. Default: as many as before.
    rope, prior, threshold
        See `foresee`.

    Returns
    -------
    Plan
        Over the dims of the counts without ``outcome``:

        - ``same``: probability of today's verdict on the new items without the old ones
        - ``probability`` (verdict): of every verdict
        - ``now``, ``prob_better``: verdict and P(A better) today
        - ``n``, ``n_more``: items so far, and new items

    Raises
    ------
    ValueError
        If the counts or a choice are not valid, or a ROPE is passed and ties are unknown.

    Notes
    -----
    A verdict at exactly 0.95 replicates half the time, because the new items vary as much as the
    first ones did. For a system that you chose because it came out best, the probability is still
    too optimistic.

    References
    ----------
    S. N. Goodman (1992), A comment on replication, p-values and evidence, Statistics in Medicine
    11(7), 875-879, doi:10.1002/sim.4780110705.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.replication((8, 2, 10))
    >>> str(plan["now"].values), float(plan["prob_better"].round(4))
    ('a_better', 0.9673)
    >>> float(plan["same"].round(9))
    0.500433318
    """
    law = predictive_law(counts, rope, prior, threshold)
    fresh = law.items if n is None else np.full(len(law.items), checks.whole(n, "n", 0))
    probabilities = law.after(fresh, kept=False)
    same = probabilities[np.arange(len(probabilities)), law.verdict_indices()]
    data = law.today()
    data["same"] = law.wrap(same, same, np.nan)
    data["probability"] = _probability(law, probabilities)
    data["n_more"] = law.wrap(fresh, fresh, 0)
    data = data.assign_attrs(law.attrs("replication"))
    return Plan(data, words.replication(data))


def _probability(
    law: CountLaw | MeanLaw, probabilities: np.ndarray, extra: dict[str, Any] | None = None
) -> xr.DataArray:
    """Probabilities (rows, ..., verdict) over both systems."""
    dims = (extra or {}) | {"verdict": list(VERDICTS)}
    return law.wrap(probabilities, probabilities[..., SWAPPED], itself(law.rope), dims)


def _steps(items: np.ndarray, more: Any, until: Any) -> tuple[list[np.ndarray], bool]:
    """Return how many more items each row gets, for one or several plans."""
    if (more is None) == (until is None):
        raise ValueError(
            "pass more= or until=, one of the two: how many more items, or how many in all"
        )
    if until is not None:
        remaining = checks.whole(until, "until", 0) - items
        if (remaining < 0).any():
            raise ValueError(
                f"until is {until}, but there are {items.max()} items already; give at least "
                "as many"
            )
        return [remaining], False
    numbers, several = whole_numbers(more, "more", 0)
    return [np.full(len(items), k) for k in numbers], several


_ULPS = 1e-12  # a difference of shares below this is none


def micro_macro(
    data: xr.DataArray,
    *,
    by: str | None = None,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
) -> Plan:
    """Compare micro- and macro-averages over strata, such as data sets or languages.

    The micro-average pools all items, the macro-average weighs every stratum alike. If all systems
    have the same items, both are weighted means of the same differences. They can still favor
    different systems, and the plan reports it.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system), with a coordinate `by` on the items; or counts of strata, with one
        dim before those of the systems, or before ``pair``.
    by : str, optional
        For scores: coordinate that names the strata, such as ``"dataset"``.
    prior, threshold
        Settings of the verdict in each stratum; see `foresee`.

    Returns
    -------
    Plan
        Over (system_a, system_b) or (pair,):

        - ``micro``, ``macro``: differences of the proportions of wins and losses
        - ``differ``: whether these favor different systems
        - ``difference``, ``n``, ``verdict``, ``prob_better`` (stratum): of each stratum

        For scores also ``dead`` (stratum): proportion of non-discriminating items, with the same
        outcome for all systems. They change d and the probability within the ROPE, but never P(A
        better).

    Raises
    ------
    ValueError
        If there are no strata, ties are unknown, or a choice is not valid.

    See Also
    --------
    models.hierarchical : Partial pooling over strata, with ``fits.compare(tree, weights=)``.

    Examples
    --------
    >>> import xarray as xr
    >>> counts = xr.DataArray(
    ...     [[[30, 20, 40]], [[0, 4, 6]]],
    ...     dims=("dataset", "pair", "outcome"),
    ...     coords={"outcome": ["win", "loss", "tie"], "dataset": ["large", "small"]},
    ... )
    >>> plan = micro_macro(counts)
    >>> plan["micro"].values.round(3).tolist(), plan["macro"].values.round(3).tolist()
    ([0.06], [-0.144])
    """
    counts, dead = _counted(data, by)
    pair_dims = {*names.SQUARE, names.PAIR, names.OUTCOME}
    stratum_dims = [str(d) for d in counts.dims if d not in pair_dims]
    if len(stratum_dims) != 1:
        raise ValueError(
            f"counts have dims {', '.join(map(str, counts.dims))}; give those of strata, with one "
            "dim for them, or scores and by="
        )
    stratum = stratum_dims[0]
    pairs = read_pairs(counts, prior, 1.0)  # as a rope does, d needs ties
    rule = check_rule(pairs.parameters.prior, threshold, 0.0)
    attrs = pairs.parameters.attrs | {"answer": "strata", "of": stratum, "threshold": threshold}
    summary = _summed(pairs, stratum, rule).assign(dead).assign_attrs(attrs)
    return Plan(summary, words.strata(summary))


def _counted(data: Any, by: Any) -> tuple[xr.DataArray, dict[str, xr.DataArray]]:
    """Counts of strata; of scores also the share of items that are alike for all."""
    if not isinstance(data, xr.DataArray):
        raise ValueError(f"data is {checks.quoted(data)}; give scores and by=, or counts of strata")
    by_item = names.ITEM in data.dims
    if data.attrs.get("clusters") or (by_item and unit_of(data) == CLUSTER):
        raise ValueError(
            "items come in clusters, and strata take them as independent; "
            f"betterthan.compare(data, over={by or names.DATASET!r}) averages on clusters, "
            "data.drop_vars('cluster') drops them"
        )
    if not by_item:
        return as_counts(data), {}
    if not isinstance(by, str):
        raise ValueError(f"by is {checks.quoted(by)}; give the coordinate that names the strata")
    data = runs_together(data)
    values = data.transpose(names.ITEM, names.SYSTEM)
    spread = values.max(names.SYSTEM, skipna=False) - values.min(names.SYSTEM, skipna=False)
    alike = (spread <= _ULPS).astype(float).where(spread.notnull())  # of items with every score
    return count_outcomes(data, by=by), {"dead": alike.groupby(by).mean()}


def _summed(pairs: Pairs, stratum: str, rule: Rule) -> xr.Dataset:
    """Compute each stratum, and both averages."""
    better, verdicts = today(pairs, rule)
    w, l = pairs.counts[:, 0], pairs.counts[:, 1]
    net, n = pairs.wrap(w - l, l - w, 0), pairs.wrap(pairs.items, pairs.items, 0)
    stratum_difference = net / n.where(n > 0)
    micro = net.sum(stratum) / n.sum(stratum).clip(1)
    macro = stratum_difference.mean(stratum).fillna(0.0)
    win, loss = pairs.posterior[:, 0], pairs.posterior[:, 1]
    back = other_side(verdicts).astype("U16")
    variables = {
        "micro": micro,
        "macro": macro,
        "differ": (np.abs(micro) > _ULPS) & (micro * macro < 0),
        "difference": stratum_difference,
        "n": n,
        "prob_better": pairs.wrap(better, prob_above_half(loss, win), 0.5),
        "verdict": pairs.wrap(verdicts.astype("U16"), back, "undecided"),
    }
    return xr.Dataset(variables)
