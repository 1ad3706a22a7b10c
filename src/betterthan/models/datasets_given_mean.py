"""Probabilities of each data set given their mean and how alike data sets are: Dirichlet."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.models import simplex
from betterthan.models.of_groups import Groups


def draw(
    posterior: xr.Dataset,
    data: Groups,
    concentration: float | None,
    centre: Sequence[float] | None,
    random: np.random.Generator,
) -> dict[str, Any]:
    """Theta of each data set, and of one not seen, for every draw of the posterior.

    Parameters
    ----------
    posterior : xarray.Dataset
        With ``mu`` and ``correlation``, unless they are held.
    data : Groups
    concentration, centre
        Kappa and parameters of mu where they are held.
    random : numpy.random.Generator
    """
    samples = ("chain", "draw")
    if centre is None:
        mu = posterior["mu"].transpose(*samples, names.PAIR, names.OUTCOME).values
    else:
        held = np.array(centre)
        sizes = (posterior.sizes["chain"], posterior.sizes["draw"], *data.values.shape[1:])
        mu = np.broadcast_to(held / held.sum(), sizes)
    if concentration is None:
        kappa = (1 / posterior["correlation"].transpose(*samples, names.PAIR).values - 1)[..., None]
    else:
        kappa = float(concentration)
    added = {"theta_new": ((*samples, *data.dims[1:]), simplex.draw(random, kappa * mu))}
    if "theta" not in posterior:
        theta = [simplex.draw(random, kappa * mu + table) for table in data.values]
        added["theta"] = ((*samples, *data.dims), np.stack(theta, axis=2))
    return added
