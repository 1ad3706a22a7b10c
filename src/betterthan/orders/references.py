"""Several references for one order: their mean, weights, the best, and their consensus."""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact import rankings
from betterthan.io.texts import text_array
from betterthan.orders.ranked import DOCUMENT, POSITION, REFERENCE, Ranked, ranked_of
from betterthan.orders.taus import against, has_documents, measured

METHODS = ("auto", "kemeny", "borda")


def consensus(orders: Any, *, method: str = "auto") -> xr.Dataset:
    """Compute the consensus ranking of a set of rankings (Kemeny or Borda).

    Parameters
    ----------
    orders : xarray.DataArray or mapping
        Rankings from `orders.read`, `orders.from_lists`, or `orders.from_ranks`, or lists; all
        systems (or judges) have equal weight.
    method : {"auto", "kemeny", "borda"}, default "auto"
        Method. "kemeny": the fewest pairs in disagreement, searched exactly unless a majority cycle
        has more than 16 items. "borda": by mean rank. "auto": Kemeny if it can be searched, else
        Borda.

    Returns
    -------
    xarray.Dataset
        Over document, if the rankings have documents:

        - ``order`` (position): consensus ranking
        - ``distance``: pairs of the rankings that disagree with it; tied ones count half
        - ``least_distance``: lower bound of this distance over all rankings; with "borda" it shows
          how much there may be to gain
        - ``n_best``: number of rankings that are as good, 0 if unknown
        - ``method``

    Raises
    ------
    ValueError
        If the data are not rankings, `method` is not valid, or a majority cycle has too many items
        for "kemeny".

    References
    ----------
    J. G. Kemeny (1959), Mathematics without numbers, Daedalus 88, 577-591; M. Truchon (1998) for
    the parts.

    Examples
    --------
    >>> result = consensus({"1": list("abc"), "2": list("bac"), "3": list("abc")})
    >>> "".join(result["order"].values), result["distance"].item(), result["n_best"].item()
    ('abc', 1.0, 1)
    """
    checks.one_of(method, METHODS, "method")
    ranked = ranked_of(orders)
    rows = [_one(ranked, d, method) for d in range(len(ranked.documents))]
    width = max(len(row["order"]) for row in rows)
    order = np.full((len(rows), width), "", dtype=object)
    for k, row in enumerate(rows):
        items = row.pop("order")
        order[k, : len(items)] = items
    dataset = xr.Dataset(
        {"order": ((DOCUMENT, POSITION), text_array(order))}
        | {k: (DOCUMENT, [r[k] for r in rows]) for k in rows[0]},
        coords={DOCUMENT: ranked.documents},
        attrs={"answer": "consensus"},
    )
    return dataset if ranked.documents != [""] else dataset.isel({DOCUMENT: 0}, drop=True)


def consensus_of(references: Ranked) -> Ranked:
    """Return the consensus of the references as the only reference."""
    ranks = np.full((len(references.documents), 1, references.items.shape[1]), np.nan)
    for d in range(len(references.documents)):
        order = _order(references.ranks[d], references.documents[d], "auto")[0]
        ranks[d, 0, order] = np.arange(1, len(order) + 1)
    return replace(references, systems=[REFERENCE], ranks=ranks)


def _one(ranked: Ranked, d: int, method: str) -> dict[str, Any]:
    order, used, n_best = _order(ranked.ranks[d], ranked.documents[d], method)
    before = rankings.preferences(ranked.ranks[d])
    return {
        "order": ranked.items[d][order],
        "distance": rankings.distance(before, order),
        "least_distance": rankings.least_distance(before),
        "n_best": n_best,
        "method": used,
    }


def _order(ranks: np.ndarray, document: str, method: str) -> tuple[list[int], str, int]:
    """Return the items in consensus order, the method used, and the number of optimal orders."""
    complete = np.flatnonzero(~np.isnan(ranks).all(0))
    if not len(complete):
        return [], method, 0
    ranks = ranks[:, complete]
    before = rankings.preferences(ranks)
    part = rankings.largest_part(before)
    if method == "kemeny" and part > rankings.PART_MAX:
        where = f"document {document!r}: " if document else ""
        raise ValueError(
            f"{where}a majority cycle has {part} items, more than the {rankings.PART_MAX} "
            "that can be searched; use method='borda'"
        )
    if method == "borda" or part > rankings.PART_MAX:
        return complete[rankings.borda(ranks)].tolist(), "borda", 0
    best = rankings.kemeny(before)
    return complete[best.order].tolist(), "kemeny", min(best.n_best, np.iinfo(np.int64).max)


CHOICES = ("mean", "weighted", "best", "consensus")
_CELLS = 20_000_000  # signs of pairs held at once


def weighted_tau(orders: Any, reference: Any) -> xr.Dataset:
    """Compute tau with item pairs weighted by the agreement of the references.

    The weight of a pair, against reference r, is the proportion of the references that rank it as r
    does, so an error on a pair that all agree on costs most: tau_r = 1 - 2 x (weight of pairs in
    the other order) / (weight of all pairs).

    Parameters
    ----------
    orders, reference
        Rankings and references; see `orders.kendall_tau`. The items must be the same. A tied pair
        of the system counts half, one of r does not count.

    Returns
    -------
    xarray.Dataset
        - ``tau`` (document, system, reference): from -1 to 1; Kendall's tau if there is one
          reference
        - ``mean``: over references

    Raises
    ------
    ValueError
        For the reasons of `orders.kendall_tau`.

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
    """Score every system on every document by tau, for `compare` and `scores.compare`.

    Parameters
    ----------
    orders, reference, variant, restrict
        See `orders.kendall_tau`.
    references : {"mean", "weighted", "best", "consensus"}, default "mean"
        How to combine several references: the mean of tau over them, or of `orders.weighted_tau`,
        the highest tau, or tau against their `orders.consensus`.

    Returns
    -------
    xarray.DataArray, dims (item, system)
        Scores with one item for each document; NaN if a system has no ranking, or tau is not
        defined. With `restrict`, the coordinate ``coverage`` (item, system) is the proportion of
        the references' items that tau is based on.

    Raises
    ------
    ValueError
        For the reasons of `orders.kendall_tau`, or if the rankings have no documents.

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
            coverage = table["coverage"]
            coverage = coverage.mean(REFERENCE) if REFERENCE in coverage.dims else coverage
            scores = scores.assign_coords(coverage=coverage)
    return scores.rename({DOCUMENT: names.ITEM}).rename("tau").assign_attrs(references=references)


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
