"""Sequential analysis: stopping boundaries, interim looks, e-values, confidence sequences."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.exact.planning.design import (
    Stops,
    by_bayes_factor,
    by_threshold,
    calibrated,
    confidence_limits,
    log_e_value,
    walk,
    walk_with_ties,
)
from betterthan.exact.planning.edges import Rule
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.inputs import Pairs, check_design, read_pairs

_EQUAL = (0.5, 0.5)


def stopping_boundary(
    n_max: int, *, looks: Any = None, error: float = 0.05, prior: Any = None
) -> Plan:
    """Compute the wins needed at each interim look to keep the error rate.

    A single threshold for all looks is raised above 0.95 until the probability that two equal
    systems ever reach it, at any of these looks, is at most `error`. That probability is exact.

    Parameters
    ----------
    n_max : int
        Largest number of non-tied items (wins and losses; ties do not change the verdict).
    looks : int or sequence of int, optional
        Number of interim looks, evenly spaced, or the number of non-tied items at each. Default:
        after every item.
    error : float, default 0.05
        Probability of any verdict, for A or for B, if there is no difference.
    prior : sequence of float, optional
        Parameters of win and loss; see `prob_better`.

    Returns
    -------
    Plan
        Over ``look`` (the number of non-tied items there):

        - ``wins``, ``losses``: fewest wins for "A is better", and fewest losses for "B is better";
          -1 if not even all would do
        - ``error``: probability of a verdict by then if there is no difference

        ``attrs["threshold"]`` is the lowest threshold with this error; decide by the number of
        wins.

    Raises
    ------
    ValueError
        If n_max is not a whole number, a look is beyond it, or the error is not a probability.

    References
    ----------
    S. J. Pocock (1977), Group sequential methods in the design and analysis of clinical trials,
    Biometrika 64(2), 191-199, doi:10.1093/biomet/64.2.191: one threshold for all looks.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.stopping_boundary(100, looks=range(10, 101, 10))
    >>> round(plan.attrs["threshold"], 6), plan["wins"].values.tolist()[:4]
    (0.994272, [10, 16, 22, 29])
    """
    look_items = check_looks(n_max, looks)
    error = checks.probability(error, "error")
    numbers = checks.prior(prior, 2)
    stops, threshold = calibrated(look_items, error, numbers)
    crossings = walk(stops)
    losses = stops.looks + 1 - stops.b
    data = xr.Dataset(
        {
            "wins": ("look", np.where(stops.a <= look_items, stops.a, -1)),
            "losses": ("look", np.where(losses <= look_items, losses, -1)),
            "error": ("look", crossings.so_far.sum(1)),
        },
        coords={"look": look_items},
        attrs={
            "answer": "stopping boundary",
            "version": __version__,
            "prior": list(numbers),
            "threshold": threshold,
            "error": error,
        },
    )
    return Plan(data, words.boundary(data))


def peeking(
    n_max: int,
    *,
    looks: Any = None,
    threshold: float = names.VERDICT_PROB,
    bayes_factor: float | None = None,
    boundary: Plan | None = None,
    theta: Any = None,
    design: Any = None,
    rope: float = names.ROPE,
    prior: Any = None,
) -> Plan:
    """Compute how often interim looks lead to a verdict (optional stopping), exactly.

    Parameters
    ----------
    n_max : int
        Largest number of non-tied items; with a ROPE, of items.
    looks : int or sequence of int, optional
        Number of interim looks, evenly spaced, or the number of items at each. Default: after every
        item, which takes long with a ROPE.
    threshold : float, default 0.95
        Posterior probability needed for a verdict, and to stop.
    bayes_factor : float, optional
        Bayes factor of "one is better" over "neither is" at which to stop, in place of the
        threshold.
    boundary : Plan, optional
        Result of `stopping_boundary`, whose wins and looks replace the threshold.
    theta : sequence of float, optional
        True probabilities of win and loss of a non-tied item, or of win, loss, and tie. Default:
        two equal systems, (0.5, 0.5).
    design : sequence of float, optional
        Beta or Dirichlet parameters of a belief about these probabilities, in place of `theta`.
    rope : float in [0, 1), default 0
        Half-width of the region of practical equivalence (ROPE). It needs ties, so a `theta` or
        `design` of three numbers.
    prior : str or sequence of float, optional
        Prior of the analysis; see `prob_better`.

    Returns
    -------
    Plan
        Over ``look`` (the number of items there):

        - ``probability`` (verdict): cumulative, of a_better and b_better, and with a ROPE of
          equivalent
        - ``alone`` (verdict): if you looked only then

        ``attrs["items"]`` is the expected number of items until the verdict or the last look.

    Raises
    ------
    ValueError
        If a choice is not valid, two rules are passed, a look is beyond n_max, or a ROPE is passed
        without ties.

    References
    ----------
    P. Armitage, C. K. McPherson and B. C. Rowe (1969), Repeated significance tests on accumulating
    data, Journal of the Royal Statistical Society A 132(2), 235-244, doi:10.2307/2343787.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.peeking(1000)
    >>> float(plan["probability"].isel(look=-1).sum().round(6))
    0.728041
    >>> float(plan["alone"].isel(look=-1).sum().round(6))
    0.093687
    """
    if boundary is None:
        look_items = check_looks(n_max, looks)
    else:
        look_items, threshold = _boundary_looks(boundary, n_max, looks), boundary.attrs["threshold"]
    parts, is_fixed = _truth(theta, design, rope)
    numbers = checks.prior(prior, 3 if rope else 2)
    rule = Rule(numbers, checks.threshold(threshold), checks.rope(rope))
    _check_single_rule(bayes_factor, boundary, rope=bool(rope))
    if rope:
        crossings = walk_with_ties(look_items, parts, rule, fixed=is_fixed)
    else:
        stops = _stops(look_items, rule, bayes_factor, boundary)
        win, loss = parts[:2].tolist()  # of non-tied items
        if is_fixed:
            crossings = walk(stops, win=win / (win + loss) if win + loss else 0.5)
        else:
            crossings = walk(stops, design=(win, loss))
    labels = ["a_better", "b_better", "equivalent"][: crossings.so_far.shape[1]]
    data = xr.Dataset(
        {
            "probability": (("look", "verdict"), crossings.so_far),
            "alone": (("look", "verdict"), crossings.single_look),
        },
        coords={"look": look_items, "verdict": labels},
        attrs={"answer": "looking again", "version": __version__, "prior": list(rule.prior)},
    )
    least: Any = {"threshold": rule.threshold}
    least = least if bayes_factor is None else {"bayes_factor": bayes_factor}
    truth = {"theta" if is_fixed else "design": parts.tolist(), "rope": rule.rope}
    data = data.assign_attrs(truth | least | {"items": crossings.items})
    return Plan(data, words.peeking(data))


def check_looks(n_max: int, looks: Any) -> np.ndarray:
    """Return the checked numbers of items at the looks."""
    most = checks.whole(n_max, "n_max")
    if looks is None:
        return np.arange(1, most + 1)
    if isinstance(looks, list | tuple | range | np.ndarray):
        look_items = np.array([checks.whole(k, "looks") for k in looks], np.int64)
        if not len(look_items) or (np.diff(look_items) <= 0).any():
            raise ValueError("looks do not ascend; give numbers of items, each once, ascending")
        last = look_items[-1]
        if last > most:
            raise ValueError(f"looks hold {last}, beyond n_max, {most}; look at {most} at the last")
        return look_items
    number = checks.whole(looks, "looks")
    if number > most:
        raise ValueError(f"looks is {number}, but there are {most} items at most to look after")
    return np.rint(most * np.arange(1, number + 1) / number).astype(np.int64)


def _boundary_looks(boundary: Any, n_max: int, looks: Any) -> np.ndarray:
    if not isinstance(boundary, Plan) or "wins" not in boundary:
        text = checks.quoted(boundary)
        raise ValueError(f"boundary is {text}; give what stopping_boundary returns")
    if looks is not None:
        raise ValueError(
            "looks are given and boundary, too, which has its own; give one of the two"
        )
    look_items = boundary["look"].values
    if look_items[-1] != checks.whole(n_max, "n_max"):
        raise ValueError(f"n_max is {n_max}, but the boundary ends at {look_items[-1]}; give that")
    return look_items


def _truth(theta: Any, design: Any, rope: float) -> tuple[np.ndarray, bool]:
    """Return probabilities or a Dirichlet, and whether they are fixed."""
    if theta is None and design is None:
        theta = _EQUAL
    checked_design = check_design("uniform" if design is None else design, theta, rope)
    if checked_design.rows != 1:
        raise ValueError(f"design holds counts of {checked_design.rows} pairs; give those of one")
    return checked_design.items.parts[0], checked_design.items.fixed


def _check_single_rule(bayes_factor: Any, boundary: Any, *, rope: bool) -> None:
    if bayes_factor is not None and boundary is not None:
        raise ValueError("bayes_factor is given and boundary, too; give one of the two")
    if rope and (bayes_factor is not None or boundary is not None):
        raise ValueError("rope is for verdicts by threshold; leave out bayes_factor and boundary")


def _stops(look_items: np.ndarray, rule: Rule, bayes_factor: float | None, boundary: Any) -> Stops:
    """Return the stopping boundaries without a ROPE."""
    if boundary is not None:
        both = boundary["wins"], boundary["losses"]
        wins, losses = (np.where(k < 0, look_items + 1, k) for k in both)
        return Stops(look_items, wins, look_items + 1 - losses)
    if bayes_factor is None:
        return by_threshold(look_items, rule.threshold, rule.prior)
    least = checks.real(bayes_factor, "bayes_factor")
    if not least > 1 or not np.isfinite(least):
        raise ValueError(f"bayes_factor is {bayes_factor}; give a number above 1")
    return by_bayes_factor(look_items, least, rule.prior)


_PLAIN = ("a_better", "b_better")
_CLAIMS = ("a_beyond", "b_beyond", "a_not_worse", "b_not_worse", "equivalent")


def e_value(counts: Any, rope: float = names.ROPE) -> Plan:
    """Compute e-values, which allow an interim look after every item.

    If you stop as soon as the e-value of one claim reaches 1 / error, whenever that is, the claim
    is false with probability `error` at most. Choose it beforehand: if you watch several, multiply
    1 / error by their number. The order of the items must not depend on their outcomes; another
    run of the same item is not a new item.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or (wins, losses, ties)
        Counts so far. With a ROPE, ties must be known.
    rope : float in [0, 1), default 0
        Half-width of the region of practical equivalence (ROPE).

    Returns
    -------
    Plan
        Over the dims of the counts without ``outcome``, and ``claim``: ``e_value`` and
        ``log_e_value``.

        Without a ROPE the claims are ``a_better`` and ``b_better``, each against d <= 0 from its
        side, and ``bayes_factor_10`` is their mean. With a ROPE they are ``a_beyond``, d > rope;
        ``a_not_worse``, d > -rope; the same for B; and ``equivalent``, -rope < d < rope.

    Raises
    ------
    ValueError
        If the counts or the ROPE are not valid, or a ROPE is passed and ties are unknown.

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
    >>> plan = bt.plan.e_value((12, 2, 986))
    >>> float(plan["e_value"].sel(claim="a_better").round(9))
    23.917216117
    >>> float(plan["bayes_factor_10"].round(9))
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
    """Compute an interval of the difference that is valid at all interim looks together.

    With probability 1 - `error` the true difference is within all the intervals, after every item
    that you have run or will run. The intervals are wider in return.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or (wins, losses, ties)
        Counts so far, with ties.
    error : float, default 0.05
        Probability that some interval misses the true difference.

    Returns
    -------
    Plan
        Over the dims of the counts without ``outcome``: the bounds ``lower`` and ``upper`` of d =
        P(A wins) - P(B wins), and ``estimate``, the difference of the proportions.

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
    >>> plan = bt.plan.confidence_sequence((60, 30, 110))
    >>> float(plan["lower"].round(6)), float(plan["upper"].round(6))
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
    data = data.assign_attrs(_attrs(pairs, "confidence sequence") | {"error": error})
    return Plan(data, words.sequence(data))


def _attrs(pairs: Pairs, answer: str) -> dict[str, Any]:
    return {k: v for k, v in pairs.parameters.attrs.items() if k != "prior"} | {"answer": answer}
