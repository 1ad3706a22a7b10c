"""Independent draws from the exact posterior, shaped like an MCMC fit so that one path serves
both.
"""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit, stdtr, stdtrit

from betterthan import __version__, checks, names
from betterthan.counts.shapes import as_pairs, pair_coords, pair_indices, without_attrs
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.judged.dataset import is_judged
from betterthan.posterior.from_draws import SAMPLES
from betterthan.signed import Signature


def draws(
    counts: Any,
    *,
    prior: Any = None,
    draws: int = names.DRAWS,
    chains: int = names.CHAINS,
    rng: Any = None,
) -> xr.DataTree:
    """Draw independent samples from the exact posterior, in the format of an MCMC fit.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts with ties give draws of theta = (win, loss, tie) and of ``difference`` = theta_win -
        theta_loss. Counts without ties give draws of ``p``, the probability that A wins a non-tied
        item. Judged counts give draws of theta of the truth.

        A comparison in closed form is drawn with its data, prior, and quantity. For means, and for
        wins on clusters, these are draws of ``difference`` by Student's t, above 0 if A is better,
        without the correction for skewed items.
    prior : str or sequence of float, optional
        Dirichlet parameters of win, loss, and tie, or a name in `betterthan.names.PRIORS`.
    draws, chains : int
        Number of draws in each chain, and of chains. The tree holds chains x draws x pairs x
        outcomes numbers.
    rng : int, numpy.random.Generator or None
        Seed, which ``posterior.attrs["seed"]`` records.

    Returns
    -------
    xarray.DataTree
        Tree with the groups posterior and observed_data.

    Raises
    ------
    ValueError
        If the counts or the prior are not valid, or draws or chains are not positive.

    References
    ----------
    Gamma draws of shape below 1 as G(a) = G(a + 1) U^(1/a), in logarithms so that a tiny prior does
    not underflow: Marsaglia & Tsang 2000, doi:10.1145/358407.358414.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (18, 9, 13)})
    >>> difference = draws(counts, rng=1)["posterior"]["difference"]
    >>> float((difference > 0).mean().round(2))  # exact: 0.956
    0.96
    """
    comparison = getattr(counts, "data", None)  # of a Comparison, whose module imports this one
    if isinstance(comparison, xr.Dataset):
        return comparison_draws(comparison, draws, chains, rng)
    if is_judged(counts):
        from betterthan.posterior import of_judged

        return of_judged.judged_draws(counts, prior, draws, chains, rng)
    pairs, square = as_pairs(counts)
    numbers = checks.prior(prior, pairs.sizes[names.OUTCOME])
    shape = (checks.whole(chains, "chains"), checks.whole(draws, "draws"))
    seed = one_seed(rng)
    logs = _log_gammas(pairs.values + np.array(numbers), shape, np.random.default_rng(seed))
    ties = len(numbers) == 3
    tree = _tree(pairs, _three_way(logs) if ties else {"p": _first_share(logs)}, ties)
    provenance = Signature(
        model="dirichlet_multinomial" if ties else "beta_binomial",
        prior=numbers,
        seed=seed,
        inference_library="betterthan",
    )
    tree["posterior"].attrs = provenance.to_attrs() | {
        "square": int(square),
        "inference_library_version": __version__,
        "versions": f"betterthan {__version__}, numpy {np.__version__}",
    }
    return tree


def comparison_draws(data: xr.Dataset, number: int, chains: int, rng: Any) -> xr.DataTree:
    """Draws of the posterior that a comparison has in closed form."""
    provenance = Signature.from_attrs(data.attrs)
    if provenance.answer != "comparison" or provenance.method not in ("exact", "both"):
        raise ValueError(
            "no exact draws are known of this answer; give a comparison by method='exact', or the "
            "counts"
        )
    if "difference_df" not in data:
        counts = data["counts"].assign_attrs(ties=provenance.ties or "third")
        return draws(counts, prior=provenance.prior, draws=number, chains=chains, rng=rng)
    if provenance.prior_sd:
        raise ValueError("no exact draws are known under a normal prior; leave the prior out")
    shape = checks.whole(chains, "chains"), checks.whole(number, "draws")
    seed = one_seed(rng)
    systems = data[names.SYSTEM_A].values.tolist()
    first, second = pair_indices(len(systems))
    alone = "pairwise_" if "pairwise_difference_mean" in data else ""
    t_names = (f"{alone}difference_mean", "difference_error", "difference_df")
    mean, error, df = (
        data[name].transpose(*names.SQUARE).values[first, second] for name in t_names
    )
    if not (error > 0).all():
        index = int(np.argmin(error))
        raise ValueError(
            f"{systems[first[index]]} and {systems[second[index]]} differ by the same on all "
            f"{provenance.unit}s: their difference has no posterior of which to draw"
        )
    most = provenance.difference_most or np.inf
    mean = -mean if provenance.lower_mean else mean
    low, high = (stdtr(df, (end - mean) / error) for end in (-most, most))
    level = low + (high - low) * np.random.default_rng(seed).random((*shape, mean.size))
    coords = pair_coords(systems, first, second) | dict(
        zip(SAMPLES, map(range, shape), strict=True)
    )
    d = xr.DataArray(
        mean + error * stdtrit(df, level), coords, (*SAMPLES, names.PAIR), "difference"
    )
    drawn = Signature(model=names.STUDENT_T, seed=seed, inference_library="betterthan")
    tree = xr.DataTree.from_dict({"posterior": d.to_dataset()})
    tree["posterior"].attrs = drawn.to_attrs() | {
        "square": 1,
        "draws": shape[1],
        "chains": shape[0],
        "versions": f"betterthan {__version__}, numpy {np.__version__}",
    }
    return tree


def _tree(pairs: xr.DataArray, posterior: dict[str, np.ndarray], ties: bool) -> xr.DataTree:
    """Draws and what was seen, in the groups of an MCMC fit."""
    from betterthan.libraries import az

    by_outcome, by_pair = [names.PAIR, names.OUTCOME], [names.PAIR]
    observed = pairs.values if ties else pairs.values[:, 0]
    tree = az.from_dict(
        {"posterior": posterior, "observed_data": {"y": observed}},
        coords={k: pairs[k].values for k in by_outcome},
        dims={"theta": by_outcome, "y": by_outcome if ties else by_pair}
        | dict.fromkeys(("difference", "p"), by_pair),
    )
    systems = {k: (names.PAIR, pairs[k].values) for k in names.SQUARE}
    for group in ("posterior", "observed_data"):
        tree[group] = without_attrs(tree[group].to_dataset().assign_coords(systems))
    return tree


def _log_gammas(shape: np.ndarray, size: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Logarithms of standard gamma draws, safe for shapes near 0."""
    size = (*size, *shape.shape)
    logs = np.log(rng.standard_gamma(shape + 1, size=size))
    logs -= rng.standard_exponential(size) / shape  # log of U^(1/shape)
    return logs


def _three_way(logs: np.ndarray) -> dict[str, np.ndarray]:
    theta = np.exp(logs - logs.max(-1, keepdims=True))
    theta /= theta.sum(-1, keepdims=True)
    d = theta[..., 0] - theta[..., 1]
    # where both underflow the difference still has a sign, and who is better depends on it
    flat = d == 0
    d[flat] = np.sign(logs[..., 0] - logs[..., 1])[flat] * np.finfo(float).tiny
    return {"theta": theta, "difference": d}


def _first_share(logs: np.ndarray) -> np.ndarray:
    return expit(logs[..., 0] - logs[..., 1])
