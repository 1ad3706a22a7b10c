"""Power of the exact sign test and of McNemar's exact test."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.exact.planning.crossing import crossing
from betterthan.exact.planning.powers import critical_wins, rejections
from betterthan.plan import words
from betterthan.plan.answer import Plan

_MOST = 10_000  # items that are thought of


def sign_power(
    n: Any = None,
    theta: float = 0.6,
    *,
    alternative: str = "two-sided",
    alpha: float = names.ALPHA,
    target: float = 0.8,
) -> Plan:
    """Power of the exact sign test at so many decisive items, and the level that it truly has.

    Parameters
    ----------
    n : int or sequence of int, optional
        Numbers of decisive items. When not given, all up to where the target is reached for good.
    theta : float, default 0.6
        The assumed probability that a decisive item is won by A.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        See `sign_test`.
    alpha : float, default 0.05
        The level that is asked for; counts reach it seldom.
    target : float, default 0.8
        The wanted power.

    Returns
    -------
    Plan
        Its data, over ``n``: ``power``; ``level``, the probability of a significant result between
        equal systems; ``wins``, from how many on it is significant, -1 where never. ``first`` and
        ``always``: the least of these n with the wanted power, and the least from which on all of
        them have it (the curve has a sawtooth); NaN where there is none.

    Raises
    ------
    ValueError
        If n holds no whole numbers, or a choice is not valid.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.sign_power(theta=0.7, alternative="greater")
    >>> int(found["first"]), int(found["always"])
    (37, 42)
    """
    p = checks.probability(theta, "theta")
    parts = (p, 1 - p)
    data = _power(n, parts, (0.5, 0.5), alternative, alpha, target)
    n_decisive = data["n"].values
    needed = critical_wins(n_decisive, alpha, alternative)
    data["wins"] = (data["n"].dims, np.where(needed <= n_decisive, needed, -1))
    data = data.assign_attrs(answer="power of the sign test", theta=p)
    return Plan(data, words.power(data, "decisive items"))


def mcnemar_power(
    n: Any = None,
    theta: Any = (0.12, 0.08),
    *,
    alternative: str = "two-sided",
    alpha: float = names.ALPHA,
    target: float = 0.8,
) -> Plan:
    """Power of McNemar's exact test at so many items, and the level that it truly has.

    Parameters
    ----------
    n : int or sequence of int, optional
        Numbers of items, ties too. When not given, all up to where the target is reached for good.
    theta : sequence of two float, default (0.12, 0.08)
        The assumed probabilities that only A is right, and that only B is.
    alternative, alpha, target
        See `sign_power`.

    Returns
    -------
    Plan
        As of `sign_power`, without ``wins``, which depend on the ties. The level is that of two
        systems that are as often apart.

    Raises
    ------
    ValueError
        If n holds no whole numbers, theta is none, or a choice is not valid.

    References
    ----------
    R. J. Connor (1987), Sample size for testing differences in proportions for the paired-sample
    design, Biometrics 43(1), 207-211, doi:10.2307/2531961: an approximation, which asks for fewer.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.mcnemar_power(50, theta=(0.32, 0.08), alternative="greater")
    >>> float(found["power"].round(6)), float(found["level"].round(6))
    (0.839357, 0.032579)
    """
    if isinstance(theta, str) or np.shape(theta) != (2,):
        raise ValueError(
            f"theta is {checks.shown(theta)}; give two probabilities: only A right, only B right"
        )
    win, loss = (checks.real(p, "theta") for p in theta)
    if not (win >= 0 and loss >= 0 and 0 < win + loss <= 1):
        raise ValueError(
            f"theta is ({win:g}, {loss:g}); give two probabilities, 1 together at most"
        )
    even = (win + loss) / 2
    tie = 1 - win - loss
    data = _power(n, (win, loss, tie), (even, even, tie), alternative, alpha, target)
    data = data.assign_attrs(answer="power of McNemar's test", theta=[win, loss])
    return Plan(data, words.power(data, "items"))


def _power(
    n: Any, parts: Any, equal: Any, alternative: str, alpha: float, target: float
) -> xr.Dataset:
    """Return power and level at each n, and from which n the target power is reached."""
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    checks.probability(alpha, "alpha")
    target = checks.probability(target, "target")
    n_items, several = _numbers(n, lambda k: rejections(k, parts, alpha, alternative), target)
    power = rejections(n_items, parts, alpha, alternative)
    below = n_items[power < target].max(initial=-1)
    met, later = n_items[power >= target], n_items[(power >= target) & (n_items > below)]
    data = xr.Dataset(
        {
            "power": ("n", power),
            "level": ("n", rejections(n_items, equal, alpha, alternative)),
            "first": float(met.min()) if len(met) else np.nan,
            "always": float(later.min()) if len(later) else np.nan,
        },
        coords={"n": n_items},
        attrs={
            "version": __version__,
            "alternative": alternative,
            "alpha": alpha,
            "target": target,
        },
    )
    return data if several else data.isel(n=0)


def _numbers(n: Any, power: Any, target: float) -> tuple[np.ndarray, bool]:
    """Ascending numbers of items, and whether there may be several."""
    if n is None:
        always = crossing(power, target, _MOST, _MOST, 0.0)[1]
        return np.arange(1, (int(2 * always) if always == always else _MOST) + 1), True
    several = isinstance(n, list | tuple | range | np.ndarray)
    n_items = np.array([checks.whole(k, "n") for k in (n if several else [n])], np.int64)
    if not len(n_items):
        raise ValueError("n is empty; give at least one number of items")
    return np.unique(n_items), several
