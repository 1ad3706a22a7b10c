"""Predict verdicts after more items, given the counts so far."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import VERDICTS, Items, after, other_side
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.given import SWAPPED, Pairs, alike, check_rule, itself, read_pairs, today
from betterthan.plan.means import Means, is_scores


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
    if is_scores(counts):
        return _means_foreseen(_means(counts, rope, prior, threshold), more, until)
    pairs = read_pairs(counts, prior, rope)
    rule = check_rule(pairs.parameters.prior, threshold, rope)
    steps, several = _steps(pairs.items, more, until)
    items = Items(pairs.posterior)
    probabilities = np.stack([after(items, pairs.counts, step, rule) for step in steps], axis=1)
    data = _today(pairs, rule)
    extra: dict[str, Any] = {"more": np.asarray(more)} if several else {}
    verdicts = {"verdict": list(VERDICTS)}
    probabilities = probabilities if several else probabilities[:, 0]
    probability = pairs.wrap(
        probabilities, probabilities[..., SWAPPED], itself(rope), extra | verdicts
    )
    data = data.assign(probability=probability)
    if not several:
        data["n_more"] = pairs.wrap(steps[0], steps[0], 0)
    data = data.assign_attrs(_attrs(pairs, rule, "foresight"))
    return Plan(data, words.foresight(data))


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
    if is_scores(counts):
        return _replicate_means(_means(counts, rope, prior, threshold), n)
    pairs = read_pairs(counts, prior, rope)
    rule = check_rule(pairs.parameters.prior, threshold, rope)
    fresh = pairs.items if n is None else np.full(len(pairs.counts), checks.whole(n, "n", 0))
    probabilities = after(Items(pairs.posterior), np.zeros_like(pairs.counts), fresh, rule)
    data = _today(pairs, rule)
    verdicts = today(pairs, rule)[1]
    same = probabilities[np.arange(len(probabilities)), [VERDICTS.index(v) for v in verdicts]]
    data["same"] = pairs.wrap(same, same, np.nan)
    data["probability"] = pairs.wrap(
        probabilities, probabilities[..., SWAPPED], itself(rope), {"verdict": list(VERDICTS)}
    )
    data["n_more"] = pairs.wrap(fresh, fresh, 0)
    data = data.assign_attrs(_attrs(pairs, rule, "replication"))
    return Plan(data, words.replication(data))


def _means(scores: Any, rope: float, prior: Any, threshold: float) -> Means:
    if prior is not None:
        raise ValueError("prior is of wins, losses and ties, not of means; leave it out")
    return Means(scores, rope, threshold)


def _means_foreseen(means: Means, more: Any, until: Any) -> Plan:
    steps, several = _steps(means.items, more, until)
    probabilities = np.stack([means.after(step) for step in steps], axis=1)
    data = means.today()
    extra: dict[str, Any] = {"more": np.asarray(more)} if several else {}
    data["probability"] = means.probability(
        probabilities if several else probabilities[:, 0], extra
    )
    if not several:
        data["n_more"] = means.wrap(steps[0], steps[0], 0)
    return Plan(data.assign_attrs(means.attrs("foresight")), words.means_foreseen(data))


def _replicate_means(means: Means, n: int | None) -> Plan:
    fresh = means.items if n is None else np.full(len(means.items), checks.whole(n, "n", 0))
    probabilities = means.after(fresh, kept=False)
    data, same = means.today(), means.same(probabilities)
    data["same"] = means.wrap(same, same, np.nan)
    data["probability"] = means.probability(probabilities, {})
    data["n_more"] = means.wrap(fresh, fresh, 0)
    return Plan(data.assign_attrs(means.attrs("replication")), words.replicated_means(data))


def _today(pairs: Pairs, rule: Rule) -> xr.Dataset:
    better, now = today(pairs, rule)
    return xr.Dataset(
        {
            "now": pairs.wrap(now.astype("U16"), other_side(now).astype("U16"), alike(rule.rope)),
            "prob_better": pairs.wrap(better, 1 - better, 0.5),
            "n": pairs.wrap(pairs.items, pairs.items, 0),
        }
    )


def _steps(items: np.ndarray, more: Any, until: Any) -> tuple[list[np.ndarray], bool]:
    """Return how many more items each row gets, for one or several plans."""
    if (more is None) == (until is None):
        raise ValueError(
            "say more= or until=, one of the two: how many more items, or how many in all"
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


def _attrs(pairs: Pairs, rule: Rule, answer: str) -> dict[str, Any]:
    mine = {"answer": answer, "threshold": rule.threshold, "rope": rule.rope}
    return pairs.parameters.attrs | mine
