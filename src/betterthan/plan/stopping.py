"""Interim looks: their effect on verdicts, and the threshold that keeps the error rate."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.walks import (
    Met,
    Stops,
    by_bayes_factor,
    by_threshold,
    calibrated,
    walk,
)
from betterthan.exact.planning.walks_with_ties import walk_with_ties
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.designs import check_design

_EQUAL = (0.5, 0.5)


def stopping_boundary(
    n_max: int, *, looks: Any = None, error: float = 0.05, prior: Any = None
) -> Plan:
    """Wins needed at each look so that equal systems get a verdict at any look rarely enough.

    One threshold for all looks is raised above 0.95 until the probability that two equal systems
    ever reach it, at any of these looks, is at most `error`; that probability is exact.

    Parameters
    ----------
    n_max : int
        The number of decisive items (wins and losses; ties do not move the verdict) at which one
        stops at the latest.
    looks : int or sequence of int, optional
        How many looks there are, evenly spread; or after how many decisive items each is. After
        every item when not given.
    error : float, default 0.05
        Probability of any verdict, for A or for B, if there is no difference.
    prior : sequence of float, optional
        Parameters of win and loss; see `prob_better`.

    Returns
    -------
    Plan
        Its data, over ``look`` (the number of decisive items there): ``wins``, from how many A is
        better, and ``losses``, from how many B is, -1 where not even all would do; ``error``,
        the probability of a verdict by then if there is no difference. ``attrs["threshold"]`` is
        the lowest threshold of that error; what counts is the number of wins.

    Raises
    ------
    ValueError
        If n_max is no whole number, a look is beyond it, or the error is no probability.

    References
    ----------
    S. J. Pocock (1977), Group sequential methods in the design and analysis of clinical trials,
    Biometrika 64(2), 191-199, doi:10.1093/biomet/64.2.191: one threshold for all looks.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.stopping_boundary(100, looks=range(10, 101, 10))
    >>> round(found.attrs["threshold"], 6), found["wins"].values.tolist()[:4]
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
    """What looking again and again does: how often some look gives a verdict, exactly.

    Parameters
    ----------
    n_max : int
        At how many decisive items one stops at the latest; with a rope, at how many items.
    looks : int or sequence of int, optional
        How many looks there are, evenly spread; or after how many items each is. After every item
        when not given, which with a rope takes long.
    threshold : float, default 0.95
        Probability from which a verdict is given, and one stops.
    bayes_factor : float, optional
        In place of the threshold: stop where "one is better" predicts wins and losses so many
        times better than "neither is".
    boundary : Plan, optional
        In place of the threshold: the wins of `stopping_boundary`, and its looks.
    theta : sequence of float, optional
        The truth: probabilities of win and loss of a decisive item, or of win, loss and tie. Two
        equal systems, (0.5, 0.5), when not given.
    design : sequence of float, optional
        In place of `theta`: what is believed of it; Beta or Dirichlet parameters.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence; it needs ties, so a `theta` or `design`
        of three numbers.
    prior : str or sequence of float, optional
        Of the analysis; see `prob_better`.

    Returns
    -------
    Plan
        Its data, over ``look`` (the number of items there): ``probability`` (verdict), of a_better
        and b_better, and with a rope of equivalent, at some look so far; ``alone`` (verdict), at
        that look alone. ``attrs["items"]`` is how many items it takes on average until the verdict
        or the last look.

    Raises
    ------
    ValueError
        If a choice is not valid, two rules are given, a look is beyond n_max, or a rope is given
        without ties.

    References
    ----------
    P. Armitage, C. K. McPherson and B. C. Rowe (1969), Repeated significance tests on accumulating
    data, Journal of the Royal Statistical Society A 132(2), 235-244, doi:10.2307/2343787.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.peeking(1000)
    >>> float(found["probability"].isel(look=-1).sum().round(6))
    0.728041
    >>> float(found["alone"].isel(look=-1).sum().round(6))
    0.093687
    """
    look_items = (
        check_looks(n_max, looks) if boundary is None else _boundary_looks(boundary, n_max, looks)
    )
    parts, is_fixed = _truth(theta, design, rope)
    numbers = checks.prior(prior, 3 if rope else 2)
    if boundary is not None:
        threshold = boundary.attrs["threshold"]
    rule = Rule(numbers, checks.threshold(threshold), checks.rope(rope))
    if rope:
        _check_single_rule(bayes_factor, boundary, rope=True)
        crossings = walk_with_ties(look_items, parts, rule, fixed=is_fixed)
    else:
        _check_single_rule(bayes_factor, boundary, rope=False)
        stops = _stops(look_items, rule, bayes_factor, boundary)
        crossings = _walked(stops, parts, is_fixed)
    return _result(
        look_items,
        crossings,
        rule,
        {"theta" if is_fixed else "design": parts.tolist()},
        bayes_factor,
    )


def _walked(stops: Stops, parts: np.ndarray, is_fixed: bool) -> Met:
    """Walk over the decisive items."""
    win, loss = parts[:2].tolist()
    if is_fixed:
        return walk(stops, win=win / (win + loss) if win + loss else 0.5)
    return walk(stops, design=(win, loss))


def _result(
    look_items: np.ndarray,
    crossings: Met,
    rule: Rule,
    truth: dict[str, Any],
    bayes_factor: float | None,
) -> Plan:
    labels = ["a_better", "b_better", "equivalent"][: crossings.so_far.shape[1]]
    data = xr.Dataset(
        {
            "probability": (("look", "verdict"), crossings.so_far),
            "alone": (("look", "verdict"), crossings.single_look),
        },
        coords={"look": look_items, "verdict": labels},
        attrs={"answer": "looking again", "version": __version__, "prior": list(rule.prior)},
    )
    how: dict[str, Any] = {"rope": rule.rope, "threshold": rule.threshold}
    if bayes_factor is not None:
        how = {"rope": rule.rope, "bayes_factor": bayes_factor}
    data = data.assign_attrs(truth | how | {"items": crossings.items})
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
        if look_items[-1] > most:
            raise ValueError(
                f"looks hold {look_items[-1]}, beyond n_max, {most}; look at {most} at the last"
            )
        return look_items
    number = checks.whole(looks, "looks")
    if number > most:
        raise ValueError(f"looks is {number}, but there are {most} items at most to look after")
    return np.rint(most * np.arange(1, number + 1) / number).astype(np.int64)


def _boundary_looks(boundary: Any, n_max: int, looks: Any) -> np.ndarray:
    if not isinstance(boundary, Plan) or "wins" not in boundary:
        raise ValueError(
            f"boundary is {checks.shown(boundary)}; give what stopping_boundary returns"
        )
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
        wins, losses = (
            np.where(boundary[k] < 0, look_items + 1, boundary[k]) for k in ("wins", "losses")
        )
        return Stops(look_items, wins, look_items + 1 - losses)
    if bayes_factor is None:
        return by_threshold(look_items, rule.threshold, rule.prior)
    least = checks.real(bayes_factor, "bayes_factor")
    if not least > 1 or not np.isfinite(least):
        raise ValueError(f"bayes_factor is {bayes_factor}; give a number above 1")
    return by_bayes_factor(look_items, least, rule.prior)
