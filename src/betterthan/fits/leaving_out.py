"""Which of several models of the same data foresees it best."""

import warnings
from collections.abc import Mapping
from typing import Any

import xarray as xr


def loo(trees: Mapping[str, xr.DataTree], *, weighting: str = "stacking") -> Any:
    """Compare models of one data set by how well they foresee what is left out (PSIS-LOO).

    Parameters
    ----------
    trees : mapping of name to xarray.DataTree
        Two fits or more, of the same data and with their predictive groups. What is left out is a
        row of the likelihood: a data set of a pair, a cluster, a row of judgments, an item.
    weighting : {"stacking", "BB-pseudo-BMA"}, default "stacking"
        How the weights are found.

    Returns
    -------
    pandas.DataFrame
        From ``arviz.compare``, unrounded, the best first: ``rank``, ``elpd``, ``elpd_diff`` (at
        most 0) with its error ``dse``, ``weight`` and what ArviZ says of each estimate in
        ``diag_elpd`` and ``diag_diff``. ``attrs["warnings"]`` lists its warnings, which are raised,
        too.

    Raises
    ------
    ValueError
        If there are fewer than two fits, one has no log likelihood, or they are of different data.

    References
    ----------
    Vehtari, Gelman & Gabry 2017, Statistics and Computing 27, 1413-1432,
    doi:10.1007/s11222-016-9696-4.

    Examples
    --------
    >>> import warnings, betterthan as bt
    >>> fits = {ties: bt.datasets.example_fit(ties) for ties in ("davidson", "rao_kupper")}  # of the same judgments
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # three pairs are few to leave out
    ...     table = bt.fits.loo(fits)
    >>> sorted(table.index)
    ['davidson', 'rao_kupper']
    """
    import arviz as az

    if not isinstance(trees, Mapping) or len(trees) < 2:
        raise ValueError("give two fits or more, as a mapping from a name to a fit")
    shapes = {}
    for name, tree in trees.items():
        if "log_likelihood" not in getattr(tree, "children", {}):
            raise ValueError(f"{name!r} has no log likelihood; fit with predictive=True")
        likelihood = tree["log_likelihood"].to_dataset()["y"]
        shapes[name] = {
            d: likelihood.sizes[d] for d in likelihood.dims if d not in ("chain", "draw")
        }
        seen = tree["observed_data"].to_dataset()["y"]
        first = next(iter(trees.values()))["observed_data"].to_dataset()["y"]
        if shapes[name] != next(iter(shapes.values())) or not (
            seen.values.shape == first.values.shape
        ):
            raise ValueError(
                f"{name!r} leaves out {shapes[name]}, {next(iter(shapes))!r} "
                f"{next(iter(shapes.values()))}; "
                "compare models of the same data, seen in the same rows"
            )
        if (seen.values != first.values).any():
            raise ValueError(f"{name!r} and {next(iter(trees))!r} are fits of different data")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = az.compare(dict(trees), method=weighting, round_to="none")
    told = list(dict.fromkeys(str(w.message) for w in caught))
    for line in told:
        warnings.warn(line, stacklevel=2)
    table.attrs["warnings"] = told
    return table
