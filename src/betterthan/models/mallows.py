"""How concentrated the rankings of each system are around the references: the Mallows model with
Kendall distance.

Question
--------
How close are the rankings of each system to the reference rankings, and which system's are closer?

Model
-----
On document d, system s inverts k pairs of n items. Every ranking has the probability

    P(ranking) = exp(-theta_ds x inversions) / sum over all rankings of the same
    theta_ds = theta_s + document_d + cell_ds

theta is 0 for random rankings, positive for better ones and negative for worse ones. The sum is a
product of n geometric series. A is better when its theta is larger.

Priors
------
`theta_s ~ Normal(0, 1)`; `document_d ~ Normal(0, document_sd)`, shared by all systems; `cell_ds ~
Normal(0, cell_sd)`; both standard deviations ~ HalfNormal(0.5). With `pooling="complete"` each
system has one theta, and there is nothing else.

When it misleads
----------------
- The reference is taken as known. Against a consensus of the same rankings theta is too high,
  because the consensus has seen them.
- All pairs of items count alike, at the top of a ranking as at its end.
- Documents with different numbers of items share theta, not tau. A long document with the same
  theta has a higher tau.
- Ties are not in the model. `tied="half"` counts a tied pair as half an inversion.
- With one document nothing varies over documents (`pooling="complete"`), and the posterior is too
  narrow.

References
----------
Fligner & Verducci 1986, Journal of the Royal Statistical Society B 48(3), 359-369.
"""

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact import mallows
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.models import inversion_counts, likelihood_data, shrinkage
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented, fit_model
from betterthan.models.inversion_counts import CELL, DOCUMENT, Cells, to_cells

if TYPE_CHECKING:
    import pymc as pm

POOLING = ("partial", "complete")
_SD = 1.0  # of the prior of theta
_SPREAD = 0.5  # of the half-normal priors of the spread over documents
_APPROXIMATION_SD = 1.5  # keeps the normal approximation of a perfect order finite


def simulate(
    documents: int,
    *,
    systems: int = 2,
    items: int = 8,
    pooling: str = "partial",
    prior_sd: float = _SD,
    rng: Any = None,
) -> xr.Dataset:
    """Simulate true values from the prior, and numbers of inversions from these.

    Parameters
    ----------
    documents : int
        Number of documents.
    systems : int, default 2
        Number of systems.
    items : int, default 8
        Number of items in each document.
    pooling : {"partial", "complete"}, default "partial"
        Whether theta varies over documents ("partial").
    prior_sd : float, default 1
        Standard deviation of the normal prior of theta.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``inversions`` and ``n_items`` (document, system), and the true values: ``theta`` (system),
        and if it varies ``document_sd``, ``cell_sd``, ``theta_document`` (document, system).

    Raises
    ------
    ValueError
        If a number is not whole or too small, or pooling is not valid.

    Examples
    --------
    >>> simulate(4, systems=3, rng=1)["inversions"].sizes
    Frozen({'document': 4, 'system': 3})
    """
    checks.one_of(pooling, POOLING, "pooling")
    shape = checks.whole(documents, "documents"), checks.whole(systems, "systems")
    n = np.full(shape, checks.whole(items, "items", 2))
    random = np.random.default_rng(one_seed(rng))
    theta = random.normal(scale=checks.positive_real(prior_sd, "prior_sd"), size=shape[1])
    truth: dict[str, Any] = {"theta": (names.SYSTEM, theta)}
    cells = np.broadcast_to(theta, shape)
    if pooling == "partial":
        more, cells = _draw_cells(cells, random)
        truth |= more
    data = {"inversions": (CELL, mallows.draw_inversions(cells, n, random)), "n_items": (CELL, n)}
    return xr.Dataset(data | truth, coords=likelihood_data.simulated_labels(CELL, shape))


describe = describer(__name__)


def build(
    data: xr.Dataset, *, pooling: str = "partial", tied: str = "error", prior_sd: float = _SD
) -> "pm.Model":
    """Build the PyMC model of all systems at once.

    Parameters
    ----------
    data : xarray.Dataset
        ``inversions`` and ``n_items`` over (document, system), as from
        `betterthan.orders.kendall_tau` with one reference. A cell without a ranking has NaN or
        fewer than two items and is left out.
    pooling : {"partial", "complete"}, default "partial"
        "partial": theta varies over documents, shrunk to its mean; systems share the difficulty of
        a document. "complete": one theta for all documents, as for a single document.
    tied : {"error", "half"}, default "error"
        How to treat tied items, which are not part of the model: "half" counts a tied pair as half
        an inversion.
    prior_sd : float, default 1
        Standard deviation of the normal prior of theta.

    Returns
    -------
    pymc.Model
        ``theta`` (system), and with partial pooling ``document_sd``, ``cell_sd``, ``theta_cell``
        (cell).

    Raises
    ------
    ValueError
        If the data are not inversions, have ties or several references, or an argument is not
        valid.
    """
    from betterthan.libraries import pm

    checks.one_of(pooling, POOLING, "pooling")
    cells = to_cells(data, tied)
    if pooling == "partial" and len(cells.documents) < 2:
        raise ValueError(
            "there is 1 document, so nothing varies over documents; use pooling='complete'"
        )
    coords = {
        names.SYSTEM: cells.systems,
        DOCUMENT: cells.documents,
        "cell": np.arange(len(cells.k)),
    }
    with pm.Model(coords=coords) as model:
        k = pm.Data("inversions", cells.k, dims="cell")
        theta = pm.Normal(
            "theta", 0.0, checks.positive_real(prior_sd, "prior_sd"), dims=names.SYSTEM
        )
        theta_cell: Any = theta[cells.system]  # type: ignore
        if pooling == "partial":
            theta_cell = theta_cell + _variation(cells, theta)
            theta_cell = pm.Deterministic("theta_cell", theta_cell, dims="cell")
        pm.CustomDist(
            "y",
            theta_cell,
            cells.n,
            logp=inversion_counts.log_probability,
            random=inversion_counts.random_inversions,
            observed=k,
            dims="cell",
        )
    return model


@documented()
def fit(
    data: xr.Dataset,
    *,
    pooling: str = "partial",
    tied: str = "error",
    prior_sd: float = _SD,
    **options: Unpack[FitOptions],
) -> xr.DataTree:
    """Sample the posterior of all systems with PyMC.

    Parameters
    ----------
    data, pooling, tied, prior_sd
        See `build`.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        ``theta`` (chain, draw, system) and ``expected_tau`` (chain, draw, system), the expected
        mean tau of the system on these documents, in group posterior. Pass it to
        `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid.

    See Also
    --------
    closed_form : The same result without sampling, for complete pooling.
    """
    run = Run.from_options(options)
    model, cells = build(data, pooling=pooling, tied=tied, prior_sd=prior_sd), to_cells(data, tied)
    attrs = {
        "model": "mallows",
        "prior": [float(prior_sd)],
        "pooling": pooling,
        "tied": tied,
        "n_cells": len(cells.k),
        "n_dropped": cells.dropped,
        "n_documents": len(cells.documents),
    } | _sizes(cells)
    tree = fit_model(model, attrs, run)
    posterior = tree["posterior"].to_dataset()
    tree["posterior"] = posterior.assign(expected_tau=_expected_tau(posterior, cells))
    return tree


def closed_form(data: xr.Dataset, *, tied: str = "error", prior_sd: float = _SD) -> xr.Dataset:
    """Compute the posterior of each system's theta by quadrature, with complete pooling.

    Parameters
    ----------
    data, tied, prior_sd
        See `build`.

    Returns
    -------
    xarray.Dataset
        ``mean`` and ``sd`` of theta, and ``expected_tau`` (system); ``prob_better`` (system_a,
        system_b), P(theta of A > theta of B).

    Raises
    ------
    ValueError
        For the reasons of `build`.

    Examples
    --------
    >>> import xarray as xr
    >>> data = simulate(6, systems=2, pooling="complete", rng=1)
    >>> result = closed_form(data)
    >>> result["prob_better"].sum().round(12).item()  # P(A better) + P(B better) + 2 x one half
    2.0
    """
    cells, sd = to_cells(data, tied), checks.positive_real(prior_sd, "prior_sd")
    masks = [cells.system == s for s in range(len(cells.systems))]
    densities = [mallows.log_posterior(cells.k[mask], cells.n[mask], sd) for mask in masks]
    summaries = [_summary(f, cells.n[mask], sd) for f, mask in zip(densities, masks, strict=True)]
    summary = dict(zip(("mean", "sd", "expected_tau"), np.array(summaries).T, strict=True))
    better = (names.SQUARE, _prob_greater(densities, sd))
    return xr.Dataset(
        {k: (names.SYSTEM, v) for k, v in summary.items()} | {"prob_better": better},
        coords=dict.fromkeys((names.SYSTEM, *names.SQUARE), cells.systems),
        attrs={"model": "mallows", "prior": [sd], "pooling": "complete"},
    )


def _summary(density: Any, n: np.ndarray, sd: float) -> list[float]:
    """Mean and standard deviation of theta, and the tau expected of orders of n items."""
    theta, weight = mallows.quadrature(density, sd)
    mean = weight @ theta
    spread = np.sqrt(weight @ (theta - mean) ** 2)
    return [float(mean), float(spread), float(weight @ mallows.mean_tau(theta, n))]


def _prob_greater(densities: list[Any], sd: float) -> np.ndarray:
    """P(theta of the row > theta of the column)."""
    systems = len(densities)
    better = np.full((systems, systems), 0.5)
    for a, b in zip(*np.triu_indices(systems, 1), strict=True):
        better[a, b] = mallows.prob_greater(densities[a], densities[b], sd)
        better[b, a] = mallows.prob_greater(densities[b], densities[a], sd)
    return better


def _variation(cells: Cells, theta: Any) -> Any:
    """What a document adds to every system's theta, and what to one system's alone; the coordinates
    take the normal curve nearest to the likelihood.
    """
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    document_sd, cell_sd = pm.HalfNormal("document_sd", _SPREAD), pm.HalfNormal("cell_sd", _SPREAD)
    normal = mallows.approximation(cells.k, cells.n, _APPROXIMATION_SD)
    centre, information = (
        pm.Data(k, v, dims="cell") for k, v in zip(("centre", "information"), normal, strict=True)
    )
    deviation = centre - theta[cells.system]
    # how much a cell says of its document
    precision: Any = pt.reciprocal(cell_sd**2 + pt.reciprocal(information))
    sums: Any = pt.zeros((2, len(cells.documents)))
    sums = pt.inc_subtensor(sums[:, cells.document], pt.stack([precision, precision * deviation]))
    shared = shrinkage.effects(DOCUMENT, document_sd, sums[0], sums[1], DOCUMENT)[cells.document]
    pull = information * (deviation - shared)
    return shared + shrinkage.effects("cell", cell_sd, information, pull, "cell")


def _draw_cells(
    theta: np.ndarray, random: np.random.Generator
) -> tuple[dict[str, Any], np.ndarray]:
    """Theta of each document and system, and what it varies by."""
    document_sd, cell_sd = np.abs(random.normal(scale=_SPREAD, size=2))
    shared = random.normal(size=(len(theta), 1)) * document_sd
    cells = theta + shared + random.normal(size=theta.shape) * cell_sd
    truth = {"document_sd": document_sd, "cell_sd": cell_sd, "theta_document": (CELL, cells)}
    return truth, cells


def _sizes(cells: Cells) -> dict[str, list[int]]:
    """How many items orders have, and how many orders have so many."""
    items, counts = np.unique(cells.n, return_counts=True)
    return {"items": items.tolist(), "items_counts": counts.tolist()}


def _expected_tau(posterior: xr.Dataset, cells: Cells) -> xr.DataArray:
    """Mean over a system's documents of the tau expected at their theta, (chain, draw, system)."""
    theta = posterior["theta"].transpose("chain", "draw", names.SYSTEM)
    theta_cell = theta.values[..., cells.system]
    if "theta_cell" in posterior:
        theta_cell = posterior["theta_cell"].transpose("chain", "draw", "cell").values
    taus = np.empty(theta_cell.shape)
    for n in np.unique(cells.n):
        mask = cells.n == n
        taus[..., mask] = mallows.expected_tau(theta_cell[..., mask], int(n))
    membership = cells.system[:, None] == np.arange(theta.sizes[names.SYSTEM])
    with np.errstate(invalid="ignore"):  # a system without an order has no tau
        return theta.copy(data=taus @ membership / membership.sum(0))
