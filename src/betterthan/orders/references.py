"""Several references for one order: their mean, weights by agreement, the best, their consensus."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.orders.median import consensus_of
from betterthan.orders.ranked import DOCUMENT, REFERENCE, Ranked
from betterthan.orders.taus import against, has_documents, measured

CHOICES = ("mean", "weighted", "best", "consensus")
_CELLS = 20_000_000  # signs of pairs held at once


def weighted_tau(orders: Any, reference: Any) -> xr.Dataset:
    """Compute tau with each pair of items weighed by how far the references agree on it.

    Against reference r a pair weighs what share of the references order it as r does, so that going
    against a pair on which all agree costs most: tau_r = 1 - 2 x (weight of pairs in the other
    order) / (weight of all pairs).

    Parameters
    ----------
    orders, reference
        See `orders.kendall_tau`; the items must be the same. A tied pair of the system counts half,
        one of r does not count.

    Returns
    -------
    xarray.Dataset
        ``tau`` over (document, system, reference), from -1 to 1, equal to Kendall's tau where there
        is one reference; ``mean`` over references.

    Raises
    ------
    ValueError
        As `orders.kendall_tau`.

    References
    ----------
    Proposed, not worked out, by Lapata (2006), Computational Linguistics 32(4), section 5.

    Examples
    --------
    >>> lists = {"r1": list("abcd"), "r2": list("abdc"), "A": list("abdc"), "B": list("bacd")}
    >>> weighted_tau(lists, ["r1", "r2"])["mean"].round(2).values.tolist()
    [0.91, 0.55]
    """
    ranked, references = against(orders, reference)
    measured(ranked, references)  # the same checks of items
    tau = np.empty((len(ranked.documents), len(ranked.systems), len(references.systems)))
    for rows in blocks(ranked, references):
        pull, total = coefficients(references.ranks[rows], weighted=True)
        tau[rows] = _pulled(signs(ranked.ranks[rows]), pull, total)
        tau[rows][np.isnan(ranked.ranks[rows]).all(-1)] = np.nan
    dims = (DOCUMENT, names.SYSTEM, REFERENCE)
    coords = dict(zip(dims, (ranked.documents, ranked.systems, references.systems), strict=True))
    tau_by_reference = xr.DataArray(tau, dims=dims, coords=coords)
    dataset = xr.Dataset({"tau": tau_by_reference, "mean": tau_by_reference.mean(REFERENCE)})
    return dataset if has_documents(ranked) else dataset.isel({DOCUMENT: 0}, drop=True)


def tau_scores(
    orders: Any,
    reference: Any,
    *,
    references: str = "mean",
    variant: str = "b",
    restrict: str | None = None,
) -> xr.DataArray:
    """Score every system on every document by tau, ready for `compare` and `scores.compare`.

    Parameters
    ----------
    orders, reference, variant, restrict
        See `orders.kendall_tau`.
    references : {"mean", "weighted", "best", "consensus"}, default "mean"
        What becomes of several references: the mean of tau over them, of `orders.weighted_tau`, the
        highest tau, or tau against their `orders.consensus`.

    Returns
    -------
    xarray.DataArray, dims (item, system)
        One item for each document; NaN where a system has no order, or tau is not defined. With
        `restrict` a coordinate ``coverage`` (item, system) has the share of the references' items
        that the tau is of.

    Raises
    ------
    ValueError
        As `orders.kendall_tau`, or if the orders have no documents.

    Examples
    --------
    >>> lists = {"ref": list("abc"), "A": list("abc"), "B": list("bca")}
    >>> documents = {f"d{k}": lists for k in range(3)}
    >>> tau_scores(documents, "ref").values.round(2).tolist()
    [[1.0, -0.33], [1.0, -0.33], [1.0, -0.33]]
    """
    checks.one_of(references, CHOICES, "references")
    if references == "weighted" and (variant != "b" or restrict is not None):
        raise ValueError("references='weighted' takes neither variant nor restrict")
    ranked, several = against(orders, reference)
    if not has_documents(ranked):
        raise ValueError("the orders have no documents; kendall_tau gives the tau of a single one")
    if references == "weighted":
        # sums of weights: equal orders are equal
        scores = weighted_tau(orders, reference)["mean"].round(12)
    else:
        several = consensus_of(several) if references == "consensus" else several
        table = measured(ranked, several, variant=variant, restrict=restrict)
        scores = table["tau"]
        if REFERENCE in scores.dims:
            scores = scores.mean(REFERENCE) if references == "mean" else scores.max(REFERENCE)
        if restrict is not None:
            scores = scores.assign_coords(coverage=_covered(table["coverage"]))
    return scores.rename({DOCUMENT: names.ITEM}).rename("tau").assign_attrs(references=references)


def _covered(coverage: xr.DataArray) -> xr.DataArray:
    """The mean over several references."""
    return coverage.mean(REFERENCE) if REFERENCE in coverage.dims else coverage


def coefficients(ranks: np.ndarray, *, weighted: bool) -> tuple[np.ndarray, np.ndarray]:
    """What each pair of items in order adds to tau, (document, reference, item, item), and all.

    From ranks (document, reference, item). All: what a perfect order would get, every pair seen
    from both sides.
    """
    pair_signs = signs(ranks)
    pull = pair_signs.astype(float)
    if weighted:
        n_ranked = (~np.isnan(ranks)).any(-1).sum(1)[:, None, None, None]
        before, after = (pair_signs > 0).sum(1)[:, None], (pair_signs < 0).sum(1)[:, None]
        agreeing = np.select([pair_signs > 0, pair_signs < 0], [before, -after], 0)
        pull = agreeing / np.maximum(n_ranked, 1)
    return pull, np.abs(pull).sum((-1, -2))


def signs(ranks: np.ndarray) -> np.ndarray:
    """1 where item i stands before j, -1 after, 0 where they are tied or one has no rank."""
    differences = ranks[..., None, :] - ranks[..., :, None]
    return np.sign(np.nan_to_num(differences)).astype(np.int8)


def blocks(ranked: Ranked, references: Ranked) -> list[slice]:
    """Documents a few at a time, so that their pairs of items fit into memory."""
    pairs = ranked.items.shape[1] ** 2 * (len(ranked.systems) + len(references.systems))
    step = max(1, _CELLS // max(pairs, 1))
    return [slice(k, k + step) for k in range(0, len(ranked.documents), step)]


def _pulled(pair_signs: np.ndarray, pull: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Weighted tau (document, system, reference), NaN where a reference has no untied pair."""
    sums = np.einsum("dsij,drij->dsr", pair_signs.astype(float), pull, optimize=True)
    total = np.broadcast_to(total[:, None], sums.shape)
    return np.divide(sums, total, out=np.full(sums.shape, np.nan), where=total > 0)
