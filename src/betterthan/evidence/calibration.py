"""Simulation-based calibration: truths from the prior, data from the truths, ranks of truths in the
fits.
"""

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.models import of_pairs, refit, sampling

EXAMPLES = (10, 40, 200)  # examples of a simulated pair, in turn
BINS = 20
PROBS = (0.5, 0.8, 0.95)


@dataclass(frozen=True)
class Calibration:
    """What the simulations showed, by parameter."""

    ranks: dict[str, np.ndarray]
    rank_values: int  # ranks run from 0 up to, not including, this
    # kind, parameter, mass -> share of truths inside
    coverage: dict[str, dict[str, dict[str, float]]]
    divergences: int


def calibrate(model: ModuleType, simulations: int, seed: int) -> Calibration:
    """Fit `simulations` data sets drawn from the model itself, and rank each truth among its draws.

    References
    ----------
    Talts, Betancourt, Simpson, Vehtari & Gelman 2018, arXiv:1804.06788.
    """
    n = np.resize(EXAMPLES, simulations)
    truth = model.simulate(n, pairs=simulations, rng=seed)
    draws, divergences = _refit(model, truth, seed)
    return ranked(
        draws, _scalars(truth[[v for v in truth.data_vars if v in _PARAMETERS]]), divergences
    )


def ranked(
    draws: dict[str, np.ndarray], truth: dict[str, np.ndarray], divergences: int
) -> Calibration:
    """Rank each truth (simulation,) among its draws (simulation, chain, draw), parameter by
    parameter.
    """
    thinned = {k: v[..., :: refit.THIN].reshape(len(v), -1)[:, :-1] for k, v in draws.items()}
    return Calibration(
        ranks={k: (thinned[k] < truth[k][:, None]).sum(1) for k in draws},
        rank_values=next(iter(thinned.values())).shape[1] + 1,
        coverage=_coverage(draws, truth),
        divergences=divergences,
    )


def summary(calibrated: Calibration, simulations: int) -> dict[str, Any]:
    """What goes into the evidence: divergences, bars of the ranks, and whether they are level."""
    from scipy import stats

    bars = {k: histogram(r, calibrated.rank_values) for k, r in calibrated.ranks.items()}
    return {
        "simulations": simulations,
        "rank_values": calibrated.rank_values,
        "divergences": calibrated.divergences,
        "uniformity_p": {k: float(stats.chisquare(bar).pvalue) for k, bar in bars.items()},
        "histogram": {k: bar.tolist() for k, bar in bars.items()},
    }


def histogram(ranks: np.ndarray, rank_values: int) -> np.ndarray:
    """Counts of the ranks in bins of equal width."""
    return np.bincount(ranks * BINS // rank_values, minlength=BINS)


_PARAMETERS = ("theta", "p", "p_win", "p_loss", "difference")


def _refit(model: ModuleType, truth: xr.Dataset, seed: int) -> tuple[dict[str, np.ndarray], int]:
    """Draws (simulation, chain, draw) of each scalar parameter: one compilation, then new data each
    time.
    """
    import nutpie

    one = xr.DataArray([[1, 1, 1]], dims=(names.PAIR, names.OUTCOME), coords=_one_pair())
    with sampling.steady_arithmetic():
        compiled: Any = nutpie.compile_pymc_model(model.build(one))
    data = _observed(truth)
    parts: list[dict[str, np.ndarray]] = []
    divergences = 0
    for k in range(truth.sizes[names.PAIR]):
        tree = refit.sampled(
            compiled.with_data(**{name: values[k : k + 1] for name, values in data.items()}),
            seed + k,
            names.TARGET_ACCEPT,
        )
        divergences += int(tree["sample_stats"].to_dataset()["diverging"].sum())
        posterior = tree["posterior"].to_dataset().isel({names.PAIR: 0})
        parts.append(_scalars(posterior[[v for v in posterior.data_vars if v in _PARAMETERS]]))
    return {name: np.stack([part[name] for part in parts]) for name in parts[0]}, divergences


def _one_pair() -> dict[str, Any]:
    return of_pairs.simulated(1) | {names.OUTCOME: list(names.OUTCOMES)}


def _observed(truth: xr.Dataset) -> dict[str, np.ndarray]:
    """The simulated data under the names the models give their data."""
    if "decisive" in truth:
        return {"decisive": truth["decisive"].values, "n": truth["n"].values}
    counts = truth["counts"].values
    if counts.shape[1] == 2:
        return {"wins": counts[:, 0], "n": counts.sum(1)}
    return {"counts": counts}


def _scalars(values: xr.Dataset) -> dict[str, np.ndarray]:
    """Each scalar parameter on its own: theta as theta_win, theta_loss, theta_tie."""
    found = {}
    for name, array in values.data_vars.items():
        if names.OUTCOME in array.dims:
            for label in array[names.OUTCOME].values:
                found[f"{name}_{label}"] = array.sel({names.OUTCOME: label}).values
        else:
            found[str(name)] = array.values
    return found


def _coverage(draws: dict[str, np.ndarray], truth: dict[str, np.ndarray]) -> dict[str, Any]:
    import arviz as az

    table: dict[str, Any] = {"eti": {}, "hdi": {}}
    for name, values in draws.items():
        array = xr.DataArray(values, dims=("simulation", "chain", "draw"))
        for kind, interval in (("eti", az.eti), ("hdi", az.hdi)):
            inside = {}
            for prob in PROBS:
                ends = interval(array, prob=prob, dim=["chain", "draw"])
                low, high = (ends.sel(ci_bound=b).values for b in ("lower", "upper"))
                inside[str(prob)] = float(((low <= truth[name]) & (truth[name] <= high)).mean())
            table[kind][name] = inside
    return table
