"""Evidence for the hierarchical model: both ends of partial pooling, quadrature of the mean, and
published tables dealt out to data sets.
"""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy import special

from betterthan import names
from betterthan.counts.counting import count_outcomes
from betterthan.models import hierarchical
from betterthan.models.sampling import Sampling
from validation import dealing, distances, refit
from validation.calibration import Form, Scalars, numbered, one_by_one
from validation.designs import Design, scores_of

DATASETS, EXAMPLES = 5, 30
CROSSED, CROSSED_EXAMPLES = (3, 4), 25
_MANY = Sampling(draws=2000)
_AS_REFITS = Sampling(draws=refit.DRAWS)
_by_nuts = partial(hierarchical.fit, sampler="nuts", predictive=False)


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """All data sets alike, each by itself, and between."""
    cases = reference["case"]
    counts = dealing.dealt(cases, names.DATASET, seed)
    fit = partial(_by_nuts, rng=seed, sampling=_MANY)
    alike = distances.drawn(fit(counts, concentration=dealing.NEAR_ONE), "mu")
    apart = distances.drawn(fit(counts, concentration=3.0, centre=(1, 1, 1)), "theta")
    none = hierarchical.closed_form(counts, pooling="none").values
    quadrature = [_row(seed + k, *shape) for k, shape in enumerate(((2, 20), (6, 60)))]
    return {
        "published": dealing.published(cases, names.DATASET, seed, _margin(alike)),
        "each_by_itself": {
            "max_abs_z_probability": distances.from_probability(_margin(apart), none)
        },
        "quadrature": quadrature,
    }


def fit_design(design: Design, seed: int) -> xr.DataTree:
    """One of the twenty designs at the default settings."""
    counts = count_outcomes(scores_of(design, seed), by=names.DATASET)
    return _by_nuts(counts, rng=seed)


def common_mean(y: np.ndarray) -> distances.Weighed:
    """Values of mu_win - mu_loss and their posterior weights, from a grid of mu and of the
    correlation.
    """
    node, weight = np.polynomial.legendre.leggauss(90)
    t = (node + 1) / 2
    u, du = t**2 * (3 - 2 * t), 3 * t * (1 - t) * weight
    kappa = 1 / special.betaincinv(*hierarchical.CORRELATION, u) - 1  # the prior by its quantiles
    p, s = np.meshgrid(u, u, indexing="ij")
    mu = np.stack([s * p, s * (1 - p), 1 - s], axis=-1)
    likelihood: Any = sum(
        share * np.exp(_log_likelihood(y, k, mu)) for k, share in zip(kappa, du, strict=True)
    )
    # the uniform prior on the simplex has density 2 s in (p, s)
    weights = likelihood * 2 * s * du[:, None] * du
    return (s * (2 * p - 1)).ravel(), (weights / weights.sum()).ravel()


def _log_likelihood(y: np.ndarray, kappa: float, mu: np.ndarray) -> np.ndarray:
    """Of Dirichlet-multinomial rows, up to the number of orders."""
    found: Any = sum(
        special.gammaln(kappa)
        - special.gammaln(kappa + row.sum())
        + (special.gammaln(kappa * mu + row) - special.gammaln(kappa * mu)).sum(-1)
        for row in y
    )
    return found


def _row(seed: int, datasets: int, n: int) -> dict[str, Any]:
    data = hierarchical.simulate(datasets, n=n, rng=seed)["counts"]
    tree = _by_nuts(data, rng=seed, sampling=_MANY)
    mu = distances.drawn(tree, "mu").isel(pair=0)
    z = distances.from_weights(_margin(mu), common_mean(data.values[:, 0]))
    return {"datasets": datasets, "n": n} | z


def _margin(shares: xr.DataArray) -> xr.DataArray:
    return shares[..., 0] - shares[..., 1]


def _scalars(data: xr.Dataset, kept: tuple[str, ...]) -> Scalars:
    found = numbered(data, kept, most=2)
    return found | {"mu_win_less_loss": found["mu_1"] - found["mu_2"]}


def _weighted(truth: xr.Dataset, seed: int) -> xr.DataTree:
    return hierarchical.fit(
        truth["counts"], sampler="laplace", sampling=_AS_REFITS, rng=seed, predictive=False
    )


def _form(name: str, datasets: Any, n: int, kept: tuple[str, ...]) -> Form:
    return Form(
        name=name,
        model=hierarchical,
        simulate=one_by_one(partial(hierarchical.simulate, datasets, n=n)),
        build=lambda truth: hierarchical.build(truth["counts"]),
        data=lambda truth: {"counts": truth["counts"].values},
        scalars=partial(_scalars, kept=kept),
        weighted=None if isinstance(datasets, tuple) else _weighted,
    )


FORMS = (
    _form("hierarchical", DATASETS, EXAMPLES, ("mu", "correlation")),
    _form("crossed", CROSSED, CROSSED_EXAMPLES, ("mu", "sigma", "theta")),
)
LARGER = _form("larger", 20, 100, ("mu", "correlation"))
