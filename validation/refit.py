"""A model that is compiled already, sampled on new data."""

from typing import Any

import xarray as xr

from betterthan import names
from betterthan.models import sampling

DRAWS = 500  # kept in each chain of a refit
THIN = 20  # draws this far apart are ranked: neighbours are not independent


def compiled(model: Any) -> Any:
    """A PyMC model, compiled as `fit` compiles it; its ``with_data`` takes new data."""
    import nutpie

    with sampling.steady_arithmetic():
        return nutpie.compile_pymc_model(model)


def sampled(compiled: Any, seed: int, target_accept: float = names.TARGET_ACCEPT) -> xr.DataTree:
    """Draws of one simulated data set from a model that is compiled already."""
    import nutpie

    return nutpie.sample(
        compiled,
        draws=DRAWS,
        tune=names.TUNE,
        chains=names.CHAINS,
        cores=sampling.cores(names.CHAINS),
        seed=seed,
        target_accept=target_accept,
        progress_bar=False,
        save_warmup=False,
    )
