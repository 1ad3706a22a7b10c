"""Anytime-valid evidence and intervals from counts: e-values and confidence sequences."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.planning.betting import confidence_limits, log_e_value
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.given import Pairs, read_pairs

_PLAIN = ("a_better", "b_better")
_CLAIMS = ("a_beyond", "b_beyond", "a_not_worse", "b_not_worse", "equivalent")


def e_value(counts: Any, rope: float = names.ROPE) -> Plan:
    """Evidence that may be looked at after every item, as an e-value.

    Stopping as soon as an e-value reaches 1 / error, whenever that is, claims what is not so with
    probability `error` at most. It needs items in an order that was not chosen by their outcomes;
    running the same items again is no new item.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or (wins, losses, ties)
        With a rope, ties must be known.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence.

    Returns
    -------
    Plan
        Its data, over the dims of the counts without ``outcome`` and ``claim``: ``e_value`` and
        ``log_e_value``. Without a rope the claims are ``a_better`` and ``b_better``, each against
        d <= 0 seen from its side, and ``bayes_factor_10`` is their mean. With one they are
        ``a_beyond``, d > rope; ``a_not_worse``, d > -rope; the same of B; and ``equivalent``,
        -rope < d < rope.

    Raises
    ------
    ValueError
        If the counts or the rope are not valid, or a rope is given and ties are unknown.

    Notes
    -----
    Against d <= rho: E = (1 + rho) times the integral over x from 0 to 1 / (1 + rho) of
    (1 + x (1 - rho))^w (1 - x (1 + rho))^l (1 - x rho)^t, a martingale at d = rho. Without a rope
    it is twice the Bayes factor times P(A better).

    References
    ----------
    G. Shafer (2021), Testing by betting, Journal of the Royal Statistical Society A 184(2),
    407-431, doi:10.1111/rssa.12647. J. Ville (1939), Etude critique de la notion de collectif.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.e_value((12, 2, 986))
    >>> float(found["e_value"].sel(claim="a_better").round(9))
    23.917216117
    >>> float(found["bayes_factor_10"].round(9))
    12.002930403
    """
    pairs = read_pairs(counts, None, checks.rope(rope))
    logs, exchanged = _logs(*_counted(pairs), rope)
    log_values = np.stack(logs, axis=-1)
    claims = {"claim": list(_CLAIMS if rope else _PLAIN)}
    by_claim = pairs.wrap(log_values, log_values[:, exchanged], 0.0, claims)
    data = xr.Dataset({"e_value": np.exp(by_claim), "log_e_value": by_claim})
    if not rope:
        data["bayes_factor_10"] = data["e_value"].mean("claim")
    data = data.assign_attrs(_attrs(pairs, "e-value") | {"rope": rope})
    return Plan(data, words.staked(data))


def _counted(pairs: Pairs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wins, losses and ties, (rows,); 0 ties where they are unknown."""
    w, l, *t = pairs.counts.T
    return w, l, t[0] if t else 0 * w


def _logs(
    w: np.ndarray, l: np.ndarray, t: np.ndarray, rope: float
) -> tuple[list[np.ndarray], list[int]]:
    """Return the log e-value of each claim, and the index of the mirrored claim."""
    ahead, behind = log_e_value(w, l, t, rope), log_e_value(l, w, t, rope)
    if not rope:
        return [ahead, behind], [1, 0]
    above, below = log_e_value(w, l, t, -rope), log_e_value(l, w, t, -rope)
    return [ahead, behind, above, below, np.minimum(above, below)], [1, 0, 3, 2, 4]


def confidence_sequence(counts: Any, *, error: float = 0.05) -> Plan:
    """An interval of the difference that holds at every look at once.

    With probability 1 - `error` the true difference is within all the intervals, after every item
    that was or will be run. It pays for that by its width.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or (wins, losses, ties)
    error : float, default 0.05

    Returns
    -------
    Plan
        Its data, over the dims of the counts without ``outcome``: ``lower`` and ``upper`` end of
        d = P(A wins) - P(B wins), and ``estimate``, the difference of the shares.

    Raises
    ------
    ValueError
        If the counts or the error are not valid, or ties are unknown.

    References
    ----------
    I. Waudby-Smith and A. Ramdas (2024), Estimating means of bounded random variables by betting,
    Journal of the Royal Statistical Society B 86(1), 1-27, doi:10.1093/jrsssb/qkad009.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.confidence_sequence((60, 30, 110))
    >>> float(found["lower"].round(6)), float(found["upper"].round(6))
    (0.000161, 0.299601)
    """
    error = checks.probability(error, "error")
    pairs = read_pairs(counts, None, 1.0)  # as a rope does, d needs ties
    w, l, t = _counted(pairs)
    low, high = confidence_limits(w, l, t, error)
    middle = (w - l) / np.maximum(w + l + t, 1)
    data = xr.Dataset(
        {
            "estimate": pairs.wrap(middle, -middle, 0.0),
            "lower": pairs.wrap(low, -high, 0.0),
            "upper": pairs.wrap(high, -low, 0.0),
        }
    )
    attrs = {k: v for k, v in _attrs(pairs, "confidence sequence").items() if k != "prior"}
    data = data.assign_attrs(attrs | {"error": error})
    return Plan(data, words.sequence(data))


def _attrs(pairs: Pairs, answer: str) -> dict[str, Any]:
    return {k: v for k, v in pairs.parameters.attrs.items() if k != "prior"} | {"answer": answer}
