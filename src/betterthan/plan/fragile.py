"""Compute the fragility index: the fewest items whose change overturns a verdict."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.planning import fragile
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import other_side
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.given import Pairs, alike, check_rule, read_pairs, today

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
    >>> print(found.lines[0])
    A is better: 2 of 14 decisive items would have to turn for this verdict to go, or 5 be dropped.
    """
    pairs = read_pairs(counts, prior, rope)
    rule = check_rule(pairs.parameters.prior, threshold, rope)
    verdicts = today(pairs, rule)[1]
    counts_with_ties = np.zeros((len(pairs.counts), 3), np.int64)
    counts_with_ties[:, : pairs.counts.shape[1]] = pairs.counts
    minima = (
        _searched(counts_with_ties, rule) if rope else _closed(counts_with_ties, verdicts, rule)
    )
    variables = {
        "now": pairs.wrap(verdicts.astype("U16"), other_side(verdicts).astype("U16"), alike(rope))
    }
    for name, values in (
        ("decisive", counts_with_ties[:, :2].sum(1)),
        ("n", counts_with_ties.sum(1)),
    ):
        variables[name] = pairs.wrap(values, values, 0)
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
