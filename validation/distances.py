"""How far draws are from what is known exactly, in Monte Carlo errors; and sums over grids."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan.exact.numeric.monte_carlo import probability_z

Weighed = tuple[np.ndarray, np.ndarray]  # values and their posterior weights
_SAMPLES = ("chain", "draw")


def weights(log: np.ndarray) -> np.ndarray:
    """Weights that sum to one, from their logarithms."""
    weight = np.asarray(np.exp(log - log.max()))
    return weight / weight.sum()


def share_above(exact: Weighed) -> float:
    """P(value > 0), 0 itself being half."""
    x, weight = exact
    return float(weight[x > 1e-12].sum() + weight[np.abs(x) <= 1e-12].sum() / 2)


def from_weights(draws: xr.DataArray, exact: Weighed) -> dict[str, float]:
    """Of one scalar: mean, standard deviation and share above 0."""
    import arviz as az

    x, weight = exact
    mean = float(weight @ x)
    sd = float(np.sqrt(weight @ (x - mean) ** 2))
    return {
        "abs_z_mean": abs(float(draws.mean()) - mean) / float(az.mcse(draws, method="mean")),
        "abs_z_sd": abs(float(draws.std()) - sd) / float(az.mcse(draws, method="sd")),
        "abs_z_positive": from_probability(draws, np.array(share_above(exact))),
    }


def from_probability(margin: xr.DataArray, exact: np.ndarray) -> float:
    """Largest distance of a share of draws above 0 from its exact value."""
    import arviz as az

    better = (margin > 0).astype(float)
    share = better.mean(_SAMPLES).values
    total = better.sizes["chain"] * better.sizes["draw"]
    with np.errstate(invalid="ignore", divide="ignore"):
        ess = np.asarray(az.ess(better, method="mean"))
    ess = np.where(np.isfinite(ess), np.minimum(ess, total), total / 4)  # of a constant: unknown
    return float(np.abs(probability_z(np.broadcast_to(exact, share.shape), share, ess)).max())


def from_moments(draws: xr.DataArray, exact: dict[str, Any]) -> dict[str, float]:
    """Of scalars whose ``mean``, ``sd`` and P(``positive``) are known: the largest of each."""
    import arviz as az

    above = (draws > 0).astype(float)
    total = above.sizes["chain"] * above.sizes["draw"]
    with np.errstate(invalid="ignore", divide="ignore"):
        ess = np.nan_to_num(np.asarray(az.ess(above, method="mean")), nan=total)
    positive = np.asarray(exact["positive"])
    error = np.sqrt(np.maximum(positive * (1 - positive), 1 / ess) / ess)
    mean, sd = (np.asarray(az.mcse(draws, method=m)) for m in ("mean", "sd"))
    z = {
        "mean": (draws.mean(_SAMPLES).values - exact["mean"]) / mean,
        "sd": (draws.std(_SAMPLES).values - exact["sd"]) / sd,
        "positive": (above.mean(_SAMPLES).values - positive) / error,
    }
    return {name: float(np.abs(v).max()) for name, v in z.items()}


def drawn(tree: xr.DataTree, name: str) -> xr.DataArray:
    """A variable of a posterior."""
    return tree["posterior"].to_dataset()[name]


def diverged(tree: xr.DataTree) -> int:
    """Transitions that diverged."""
    return int(tree["sample_stats"].to_dataset()["diverging"].sum())


def reproduced(exact: np.ndarray, cases: list[dict[str, Any]]) -> int:
    """How many printed probabilities are the exact ones, rounded."""
    printed = np.array([case["p_better"] for case in cases])
    half_unit = 0.5 * 10.0 ** -np.array([case["decimals"] for case in cases])
    return int((np.abs(exact - printed) <= half_unit * (1 + 1e-9)).sum())
