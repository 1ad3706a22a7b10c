"""Predictive probabilities of verdicts on more items, replication, and fragility."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.planning import fragility as fragile
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import VERDICTS
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.inputs import SWAPPED, CountLaw, MeanLaw, Pairs, itself, predictive_law
from betterthan.results.robustness import outlook_lines, outlook_table

FEWEST = ("drop", "turn", "drop_to_other", "turn_to_other")


def fragility(
    counts: Any,
    *,
    rope: float = names.ROPE,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
) -> Plan:
    """The fewest items that would have to be dropped, or to turn out otherwise, for a verdict to
    go.

    The counterpart of the fragility index of trials: exact, and with a rope of all mixes of wins,
    losses and ties. A verdict survives k suspected items, whichever they are, if ``drop`` (should
    they not have been there) or ``turn`` (should they be wrong) is above k.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), (wins, losses, ties), or Comparison
    rope, prior, threshold
        See `foresee`.

    Returns
    -------
    Plan
        Its data, over the dims of the counts without ``outcome``: ``now``, the verdict; ``drop``
        and ``turn``, the fewest items for it to go; ``drop_to_other`` and ``turn_to_other``, for
        the other system to be better. NaN where no number does, and where it is undecided.
        ``dropped`` and ``turned`` (outcome), by how much wins, losses and ties fall then, told
        with a rope, where they may be mixed. ``decisive`` and ``n``, how many items there are.

    Raises
    ------
    ValueError
        If the counts or a choice are not valid, or a rope is given and ties are unknown.

    References
    ----------
    M. Walsh et al. (2014), The statistical significance of randomized controlled trial results is
    frequently fragile: a case for a Fragility Index, Journal of Clinical Epidemiology 67(6),
    622-628, doi:10.1016/j.jclinepi.2013.10.019.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.fragility((12, 2, 986))
    >>> int(found["drop"]), int(found["turn"]), int(found["turn_to_other"])
    (5, 2, 9)
    >>> print(found.lines[0].partition(";")[0])
    A is better: flipping 2 of the 14 non-tied items would overturn this verdict
    """
    law = CountLaw(counts, rope, prior, threshold)
    pairs, rule = law.pairs, law.rule
    counts_with_ties = np.zeros((len(pairs.counts), 3), np.int64)
    counts_with_ties[:, : pairs.counts.shape[1]] = pairs.counts
    minima = (
        _searched(counts_with_ties, rule) if rope else _closed(counts_with_ties, law.verdicts, rule)
    )
    now, decisive = law.today(), counts_with_ties[:, :2].sum(1)
    variables = {"now": now["now"], "decisive": pairs.wrap(decisive, decisive, 0), "n": now["n"]}
    data = xr.Dataset(variables | _labelled(minima, pairs))
    attrs = {"answer": "fragility", "rope": rule.rope, "threshold": rule.threshold}
    data = data.assign_attrs(pairs.parameters.attrs | attrs)
    return Plan(data, words.fragility(data))


def _closed(counts: np.ndarray, now: np.ndarray, rule: Rule) -> dict[str, np.ndarray]:
    """Without a rope."""
    w, l = counts[:, 0], counts[:, 1]
    for_a = fragile.fewest_from_wins(w, l, rule)
    for_b = fragile.fewest_from_wins(l, w, rule.swapped())
    both = zip(FEWEST, for_a, for_b, strict=True)
    sides = [now == "a_better", now == "b_better"]
    return {name: np.select(sides, [a, b], np.nan) for name, a, b in both}


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
    """Of a comparison: how many more items an open pair needs, and how firm a decided one is.

    Parameters
    ----------
    comparison : Comparison
        From `compare`, answered by counts of wins, losses and ties, or by means on units.
    target : float, default 0.8
        The probability with which more items are to give a verdict.
    pairs : sequence of (str, str), optional
        Of which pairs of systems, in this order; of all when not given.
    most : int, default 45
        Of how many of them at most, the first ones, all is computed.

    Returns
    -------
    Plan
        Its data, over ``pair``, with the coordinates ``system_a``, the one that is ahead, and
        ``system_b``: ``now``, the verdict; ``n`` items, or units, of which ``decisive`` were won or
        lost.

        Of an undecided pair, as far as the data so far tell: ``more_items``, a round number of
        further items after which there is a verdict with probability ``more_probability``, at least
        `target`: for either system or, with a rope, that the two are equivalent, which has
        probability ``more_equivalent``. Where none up to 10,000 will do ``more_items`` is NaN, and
        the probabilities are those after 10,000.

        Of a decided one: ``replicates``, the probability that as many fresh items alone give the
        same verdict; ``turn`` and ``drop``, see `fragility` (of counts; with a rope ``turn`` alone,
        and where at most three pairs are decided: it is a long search).

        What does not apply is NaN; a pair that was answered by a model of its own has neither.

    Raises
    ------
    ValueError
        If it is no comparison of systems, a pair was not compared, or a choice is not valid.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.outlook(bt.compare(bt.datasets.contingency_case("a")))
    >>> found["turn"].values.tolist(), found["replicates"].values.round(3).tolist()
    ([2.0], [0.761])
    >>> print(found.lines[0].partition(";")[0])
    A is better than B: flipping 2 of the 14 non-tied items would overturn this verdict
    """
    target, most = checks.probability(target, "target"), checks.whole(most, "most")
    data = getattr(comparison, "data", comparison)
    if not isinstance(data, xr.Dataset) or not {"prob_better", "verdict"} <= set(data.data_vars):
        raise ValueError(
            f"comparison is {checks.quoted(comparison)}; give what betterthan.compare returns"
        )
    table = outlook_table(data, target, pairs, most)
    return Plan(table, outlook_lines(table))


def foresee(
    counts: Any,
    *,
    more: Any = None,
    until: int | None = None,
    rope: float = names.ROPE,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
) -> Plan:
    """Probability of each verdict after more items, given the counts so far.

    The next items are predicted by the posterior of the counts, which knows how little these say;
    the verdict is then given on all items, those had and those to come. No difference is assumed,
    and nothing is drawn.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or (wins, losses, ties)
        Without ties, an item is a decisive one. Or scores (item, system), which are graded, or
        whose items belong to clusters or were run several times: then the answer is of means, by
        Student's t on units, the clusters (a coordinate ``cluster``) or the items.
    more : int or sequence of int, optional
        How many more items; a sequence adds a dim ``more``.
    until : int, optional
        In place of `more`: how many items there are then in all.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence; of scores in units of the score.
    prior : str or sequence of float, optional
        See `prob_better`; not of scores.
    threshold : float, default 0.95
        Probability from which a verdict is given.

    Returns
    -------
    Plan
        Its data, over the dims of the counts without ``outcome``: ``probability`` (verdict), of
        a_better, b_better, equivalent and undecided; ``now``, the verdict of today, and
        ``prob_better``, P(A better) today; ``n`` items so far and ``n_more`` to come. Of scores
        ``difference`` and ``error`` of the means in place of ``prob_better``.

    Raises
    ------
    ValueError
        If the counts or a choice are not valid, both or neither of `more` and `until` are given,
        there are more items than `until` already, a rope is given and ties are unknown, or scores
        are 0 and 1 on single items, which are counted.

    Notes
    -----
    With no more items the verdict of today has probability 1. The mean of P(A better) to come is
    P(A better) of today: what is foreseen is how far it will move, not where to.

    References
    ----------
    D. J. Spiegelhalter, L. S. Freedman and P. R. Blackburn (1986), Monitoring clinical trials:
    conditional or predictive power? Controlled Clinical Trials 7(1), 8-17,
    doi:10.1016/0197-2456(86)90003-6.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.foresee((12, 6, 32), until=200)
    >>> found["probability"].values.round(4).tolist()
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
    return Plan(data, (words.means_foreseen if isinstance(law, MeanLaw) else words.foresight)(data))


def replication(
    counts: Any,
    *,
    n: int | None = None,
    rope: float = names.ROPE,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
) -> Plan:
    """Probability that fresh items alone give the same verdict again.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or (wins, losses, ties)
        Without ties, an item is a decisive one.
        Or scores; see `foresee`.
    n : int, optional
        How many fresh items; as many as there were when not given.
    rope, prior, threshold
        See `foresee`.

    Returns
    -------
    Plan
        Its data, over the dims of the counts without ``outcome``: ``same``, the probability of
        today's verdict on the fresh items alone; ``probability`` (verdict), of every one; ``now``,
        the verdict of today, and ``prob_better``; ``n`` items so far and ``n_more`` fresh ones.

    Raises
    ------
    ValueError
        If the counts or a choice are not valid, or a rope is given and ties are unknown.

    Notes
    -----
    A verdict at just 0.95 replicates half the time: the fresh items scatter as much as the first
    did. Of a system that was chosen because it came out best, this is still too hopeful.

    References
    ----------
    S. N. Goodman (1992), A comment on replication, p-values and evidence, Statistics in Medicine
    11(7), 875-879, doi:10.1002/sim.4780110705.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.replication((8, 2, 10))
    >>> str(found["now"].values), float(found["prob_better"].round(4))
    ('a_better', 0.9673)
    >>> float(found["same"].round(9))
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
    lines = (words.replicated_means if isinstance(law, MeanLaw) else words.replication)(data)
    return Plan(data, lines)


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
    several = isinstance(more, list | tuple | range | np.ndarray)
    numbers = [checks.whole(k, "more", 0) for k in (more if several else [more])]
    if not numbers:
        raise ValueError("more is empty; give at least one number of items")
    return [np.full(len(items), k) for k in numbers], several
