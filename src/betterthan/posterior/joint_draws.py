"""Joint draws of all systems, compared pair by pair; never draws x systems x systems at once."""

import warnings
from collections.abc import Callable

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.numeric import weights
from betterthan.posterior.gate import Diagnosis, diagnose
from betterthan.posterior.verdicts import decide
from betterthan.progress import with_bar

_LONG = 2e8  # differences above which a bar is shown, some seconds


def pairs_of_draws(
    scores: np.ndarray,
    oriented: np.ndarray,
    rope: float,
    ci_prob: float,
    ci_kind: str,
    effective: Callable[[np.ndarray], np.ndarray] | None = None,
    apart: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Answers over (system, system) from joint draws (draw, system), row by row.

    Parameters
    ----------
    scores : numpy.ndarray, (draw, system)
    oriented : numpy.ndarray, (draw, system)
        The same with the sign that makes higher better.
    rope, ci_prob : float
    ci_kind : {"hdi", "eti"}
    effective : function of (draw, pair), optional
        Effective number of draws of indicators. Default: draws are independent.
    apart : function of (draw, 1) and (draw, pair), optional
        How far the scores of two systems are apart, an odd function that rises with the first.
        Default: their difference.

    Returns
    -------
    dict of str to numpy.ndarray
        ``prob_better`` (equal draws count half), ``difference_mean``, ``difference_lower``,
        ``difference_upper``, ``mass`` (system, system, region), and the Monte Carlo errors
        ``*_mcse`` of the first two and the masses.
    """
    draws, systems = scores.shape
    shape = (systems, systems)
    between = apart or np.subtract
    better, within, above = np.full(shape, 0.5), np.ones(shape), np.zeros(shape)
    mean, low, high, spread = (np.zeros(shape) for _ in range(4))
    number = np.full(shape, float(draws))
    bar = with_bar(range(systems - 1), systems - 1, "pairs", long=float(draws) * systems**2 > _LONG)
    for k in bar:
        rest = slice(k + 1, None)
        ahead = between(oriented[:, k : k + 1], oriented[:, rest])
        better[k, rest] = (ahead > 0).mean(0) + (ahead == 0).mean(0) / 2
        better[rest, k] = 1 - better[k, rest]
        if effective is not None:
            number[k, rest] = number[rest, k] = effective((ahead > 0) + 0.5 * (ahead == 0))
        within[k, rest] = within[rest, k] = (np.abs(ahead) <= rope).mean(0)
        above[k, rest], above[rest, k] = (ahead > rope).mean(0), (ahead < -rope).mean(0)
        d = between(scores[:, k : k + 1], scores[:, rest])
        mean[k, rest] = d.mean(0)
        spread[k, rest] = spread[rest, k] = d.var(0)
        low[k, rest], high[k, rest] = weights.interval(d, ci_prob, ci_kind)
        mean[rest, k], low[rest, k], high[rest, k] = -mean[k, rest], -high[k, rest], -low[k, rest]
    mass = np.stack([above.T, within, above], axis=-1)
    others = ~np.eye(systems, dtype=bool)
    return {
        "prob_better": better,
        "prob_better_mcse": share_error(better, number) * others,
        "difference_mean": mean,
        "difference_mean_mcse": np.sqrt(spread / number),
        "difference_lower": low,
        "difference_upper": high,
        "mass": mass,
        "mass_mcse": share_error(mass, number[..., None]) * others[..., None],
    }


def share_error(share: np.ndarray, number: np.ndarray | float) -> np.ndarray:
    """Standard error of a share of draws; one of 0 or 1 is not exact, and gets that of one more
    draw on either side.
    """
    seen = (share * number + 1) / (number + 2)
    return np.sqrt(seen * (1 - seen) / number)


def effective(indicator: np.ndarray, samples: tuple[int, ...]) -> np.ndarray:
    """Effective draws of each column of indicators; those of a constant one are unknown, and taken
    as half.
    """
    import arviz as az

    array = xr.DataArray(indicator.reshape(*samples, -1), dims=("chain", "draw", "pair"))
    with np.errstate(invalid="ignore", divide="ignore"):
        ess = az.ess(array, method="mean").values
    total = float(np.prod(samples))
    return np.where(np.isfinite(ess), np.minimum(ess, total), total / 2)


def mean_error(draws: np.ndarray) -> np.ndarray:
    """Monte Carlo error of the mean of draws (chain, draw, system)."""
    import arviz as az

    return az.mcse(xr.DataArray(draws, dims=("chain", "draw", names.SYSTEM)), method="mean").values


def judged(
    tree: xr.DataTree, table: dict[str, np.ndarray], rope: float
) -> tuple[np.ndarray, Diagnosis]:
    """Verdicts (system, system) on sampled pairs, withheld with a warning where the fit has not
    converged.
    """
    verdict = decide(table["prob_better"], table["prob_better"].T, table["mass"][..., 1], rope)[0]
    diagnosis = diagnose(tree)
    if not diagnosis.passed:
        warnings.warn("no verdict: " + " ".join(diagnosis.failures), stacklevel=3)
        verdict = np.where(np.eye(len(verdict), dtype=bool), verdict, "no_verdict")
    return verdict, diagnosis
