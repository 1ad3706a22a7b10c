"""Evidence for pairs that pool: the concentration of their common prior is estimated, too. Six
pairs a simulation, and quadrature over the concentration.
"""

from typing import Any

import numpy as np
import xarray as xr
from scipy import special

from betterthan.exact.wins.beta import prob_above_half
from betterthan.models import dirichlet_multinomial
from betterthan.models.sampling import Sampling
from validation import distances
from validation.calibration import EXAMPLES, Form, Scalars, numbered, one_by_one

NAME = "pooled_pairs"
PAIRS = 6
GAMMA = (2.0, 0.1)  # shape and rate of the prior of the concentration
_MANY = Sampling(draws=2000)
_VARIABLES = ("concentration", "difference")
_SEED = 20261125
_NODES = 400


def prior() -> Any:
    """Of theta of each pair: Dirichlet, with one concentration for all pairs."""
    import pymc as pm

    concentration = pm.Gamma.dist(*GAMMA, name="concentration")
    return pm.Dirichlet.dist(a=concentration * np.ones(3))


def simulate(*, rng: int) -> xr.Dataset:
    """A concentration from its prior, and six pairs of few, some and many examples under it."""
    random = np.random.default_rng(rng)
    drawn = random.gamma(GAMMA[0], 1 / GAMMA[1])
    n = np.resize(EXAMPLES, PAIRS).tolist()
    found = dirichlet_multinomial.simulate(n, pairs=PAIRS, prior=(drawn,) * 3, rng=random)
    return found.assign(concentration=drawn)


def exact(counts: np.ndarray) -> tuple[distances.Weighed, np.ndarray]:
    """Values of the concentration and their posterior weights, and P(A better) of each pair."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    kappa = special.gammaincinv(GAMMA[0], (node + 1) / 2) / GAMMA[1]  # the prior by its quantiles
    a = kappa[:, None, None] + counts
    log = special.gammaln(a).sum(-1) - special.gammaln(a.sum(-1))
    log -= (3 * special.gammaln(kappa) - special.gammaln(3 * kappa))[:, None]
    share = distances.weights(log.sum(1) + np.log(weight))
    return (kappa, share), share @ prob_above_half(a[..., 0], a[..., 1])


def agreement() -> dict[str, Any]:
    """A fit beside the quadrature."""
    counts = simulate(rng=_SEED)["counts"]
    tree = dirichlet_multinomial.fit(
        counts, prior=prior(), sampling=_MANY, rng=_SEED, predictive=False
    )
    concentration, better = exact(counts.values)
    of = distances.from_weights(distances.drawn(tree, "concentration"), concentration)
    share = distances.from_probability(distances.drawn(tree, "difference"), better)
    found = {"abs_z_mean": of["abs_z_mean"], "abs_z_sd": of["abs_z_sd"]}
    return {
        "quadrature_of_pooled_pairs": {
            "concentration": found,
            "max_abs_z_probability": share,
            "divergences": distances.diverged(tree),
        }
    }


def _scalars(data: xr.Dataset) -> Scalars:
    """The concentration, and the difference of a pair of each size."""
    return numbered(data, _VARIABLES, most=len(EXAMPLES))


FORM = Form(
    name=NAME,
    model=dirichlet_multinomial,
    simulate=one_by_one(simulate),
    build=lambda data: dirichlet_multinomial.build(data["counts"], prior=prior()),
    data=lambda data: {"counts": data["counts"].values},
    scalars=_scalars,
    design={"pairs": PAIRS, "examples_per_pair": list(EXAMPLES), "gamma": list(GAMMA)},
    part=2,
)
