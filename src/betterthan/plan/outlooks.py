"""Sample-size outlook and fragility of a comparison."""

from typing import Any

import xarray as xr

from betterthan import checks
from betterthan.plan.answer import Plan
from betterthan.results.robustness import outlook_lines, outlook_table

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
    A better than B: 2 of 14 decisive items would have to turn for this verdict to go
    """
    target, most = checks.probability(target, "target"), checks.whole(most, "most")
    data = getattr(comparison, "data", comparison)
    if not isinstance(data, xr.Dataset) or not {"prob_better", "verdict"} <= set(data.data_vars):
        raise ValueError(
            f"comparison is {checks.shown(comparison)}; give what betterthan.compare returns"
        )
    table = outlook_table(data, target, pairs, most)
    return Plan(table, outlook_lines(table))
