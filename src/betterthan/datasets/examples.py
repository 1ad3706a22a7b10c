"""Small fits that ship with the package: sampling takes a while, reading takes none."""

from functools import cache
from pathlib import Path

import xarray as xr

from betterthan import checks

_FOLDER = Path(__file__).parent / "fits"
FITS = (
    *("clustered", "davidson", "graded", "hierarchical"),
    *("mallows", "performance_function", "rao_kupper"),
)


def example_fit(name: str) -> xr.DataTree:
    """Load a small fit that ships with the package, to try the functions for fits.

    Parameters
    ----------
    name : {"clustered", "davidson", "graded", "hierarchical", "mallows", "performance_function",
    "rao_kupper"}
        Model in `betterthan.models`; ``rao_kupper`` is the other form of ``davidson``, fitted to
        the same judgments.

    Returns
    -------
    xarray.DataTree
        Result of the model's ``fit``, with fewer draws and fewer groups: posterior, sample_stats,
        the data, and for the two models of judgments posterior_predictive and log_likelihood. The
        data are simulated: ``attrs["data"]`` is the call that draws them, ``attrs["fit"]`` the one
        that was fitted.

    Raises
    ------
    ValueError
        If there is no such fit.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("davidson")
    >>> tree["posterior"]["ability"].sizes
    Frozen({'chain': 4, 'draw': 400, 'system': 3})
    >>> tree.attrs["data"]
    'bt.models.davidson.simulate(3, judgments=200, rng=2)'
    """
    return _loaded(checks.one_of(name, FITS, "name")).copy(deep=True)


@cache
def _loaded(name: str) -> xr.DataTree:
    return xr.load_datatree(_FOLDER / f"{name}.nc", engine="h5netcdf")
