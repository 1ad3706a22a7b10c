"""What a comparison is to expect of more items, and what its verdicts hang on."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.answers import rows
from betterthan.exact.planning.soonest import soonest
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.given import VERDICTS, other_side
from betterthan.plan.seen import CountsSeen, UnitsSeen
from betterthan.signed import Signature

SHOWN = 45  # pairs of which all is told
_BY_COUNTS = (None, "dirichlet_multinomial", "beta_binomial")  # models that answer what counts do
_NEEDED = (
    *("prob_better", "verdict", "counts", "n", "n_units"),
    *("difference_mean", "difference_lower", "difference_upper"),
    *("difference_error", "difference_df", "difference_skewness"),
)
_TOLD = ("more_items", "more_probability", "more_equivalent", "replicates", "drop", "turn")
_VERDICT = slice(3)  # of `VERDICTS`, all but undecided


def outlook(comparison: Any, *, target: float = 0.8, pairs: Any = None, most: int = SHOWN) -> Plan:
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
    data = _checked(comparison)
    made = Signature.from_attrs(data.attrs)
    each = _wanted(rows.each_pair(_leading(needed(data))), pairs).isel({names.PAIR: slice(most)})
    verdict = each["verdict"].values.astype("U16")
    seen = _seen(each, made)
    told = {name: np.full(len(verdict), np.nan) for name in _TOLD}
    if seen is not None:
        told |= _of_open(seen, verdict, target) | _of_decided(seen, verdict)
    found = _labelled(each, verdict, told)
    kept = {k: v for k, v in data.attrs.items() if k in ("version", "prior", "rope", "threshold")}
    of = "clusters" if isinstance(seen, UnitsSeen) and made.unit == "cluster" else "items"
    found = found.assign_attrs(kept | {"answer": "outlook", "target": target, "of": of})
    return Plan(found, words.outlook(found))


def _checked(comparison: Any) -> xr.Dataset:
    data = getattr(comparison, "data", comparison)
    if not isinstance(data, xr.Dataset) or not {"prob_better", "verdict"} <= set(data.data_vars):
        raise ValueError(
            f"comparison is {checks.shown(comparison)}; give what betterthan.compare returns"
        )
    return data


def needed(data: xr.Dataset) -> xr.Dataset:
    """Of a comparison what an outlook is made of: the rest would be carried along for nothing."""
    return data[[name for name in _NEEDED if name in data]]


def _wanted(each: xr.Dataset, pairs: Any) -> xr.Dataset:
    """The pairs that are asked for, in whichever direction."""
    if pairs is None:
        return each
    both = zip(*(each[k].values.astype(str).tolist() for k in names.SQUARE), strict=True)
    place = {frozenset(pair): k for k, pair in enumerate(both)}
    wanted = [frozenset(map(str, pair)) for pair in pairs]
    for pair in wanted:
        if pair not in place:
            raise ValueError(
                f"pairs hold {' and '.join(sorted(pair))}, which were not compared; give two "
                "systems that were"
            )
    return each.isel({names.PAIR: [place[pair] for pair in wanted]})


def _leading(data: xr.Dataset) -> xr.Dataset:
    """By the engine that is read first, and of several answers the first."""
    return rows.leading(data.isel({names.ENGINE: 0}) if names.ENGINE in data.dims else data)


def _seen(pairs: xr.Dataset, made: Signature) -> CountsSeen | UnitsSeen | None:
    """What the answers were computed from, where it is counts, or means on units."""
    if made.failures or made.threshold is None or made.prior_sd:
        return None
    if "n_units" in pairs:
        return UnitsSeen.of(pairs, made)
    if made.model not in _BY_COUNTS or "counts" not in pairs or made.prior is None:
        return None
    return CountsSeen.of(pairs, made)


def _of_open(
    seen: CountsSeen | UnitsSeen, verdict: np.ndarray, target: float
) -> dict[str, np.ndarray]:
    """What the undecided pairs need."""
    at = np.flatnonzero(verdict == "undecided")
    part = seen.take(at)
    each = np.full((len(at), len(VERDICTS)), np.nan)

    def sure(rows: np.ndarray, n: np.ndarray) -> np.ndarray:
        each[rows] = part.after(rows, n)
        return each[rows, _VERDICT].sum(1)

    def glance(rows: np.ndarray, n: np.ndarray) -> np.ndarray:
        return part.glance(rows, n)[:, _VERDICT].sum(1)

    known = np.flatnonzero(part.predicts())
    items = np.full(len(at), np.nan)
    items[known] = soonest(glance, sure, known, target)
    found = {"more_items": items, "more_probability": each[:, _VERDICT].sum(1)}
    found["more_equivalent"] = each[:, VERDICTS.index("equivalent")]
    return {name: _placed(values, at, len(verdict)) for name, values in found.items()}


def _of_decided(seen: CountsSeen | UnitsSeen, verdict: np.ndarray) -> dict[str, np.ndarray]:
    """How firm the decided ones are."""
    at = np.flatnonzero(np.isin(verdict, VERDICTS[:3]))
    part, which = seen.take(at), [VERDICTS.index(v) for v in verdict[at]]
    again = part.again()[np.arange(len(at)), which]
    found = {"replicates": again} | part.firm(verdict[at])
    return {name: _placed(values, at, len(verdict)) for name, values in found.items()}


def _placed(values: np.ndarray, at: np.ndarray, number: int) -> np.ndarray:
    full = np.full(number, np.nan)
    full[at] = values
    return full


def _labelled(pairs: xr.Dataset, verdict: np.ndarray, told: dict[str, np.ndarray]) -> xr.Dataset:
    """The system that is ahead first."""
    turn = rows.turned(pairs)
    a, b = (pairs[k].values.astype(str) for k in names.SQUARE)
    table: dict[str, Any] = {"now": np.where(turn, other_side(verdict), verdict)}
    for name in ("n", "n_units"):
        if name in pairs:
            table[name] = pairs[name].values
    if "counts" in pairs:
        won_or_lost = pairs["counts"].isel({names.OUTCOME: slice(2)})
        table["decisive"] = won_or_lost.sum(names.OUTCOME).values
    table |= told
    first, second = np.where(turn, b, a), np.where(turn, a, b)
    coords = {names.SYSTEM_A: (names.PAIR, first), names.SYSTEM_B: (names.PAIR, second)}
    return xr.Dataset({k: (names.PAIR, v) for k, v in table.items()}, coords=coords)
