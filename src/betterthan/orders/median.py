"""Consensus of several rankings: the one with the least disagreement, or that of mean ranks."""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks
from betterthan.exact.orders import kemeny
from betterthan.io.text_arrays import text_array
from betterthan.orders.ranked import DOCUMENT, POSITION, REFERENCE, Ranked, ranked_of

METHODS = ("auto", "kemeny", "borda")


def consensus(orders: Any, *, method: str = "auto") -> xr.Dataset:
    """Find the order that a set of orders agree on most.

    Parameters
    ----------
    orders : xarray.DataArray or mapping
        From `orders.read`, `orders.from_lists` or `orders.from_ranks`, or lists; all systems (or
        judges) count alike.
    method : {"auto", "kemeny", "borda"}, default "auto"
        "kemeny": the fewest pairs in disagreement, searched exactly unless a majority cycle has
        more than 16 items. "borda": by mean rank. "auto": Kemeny where it can be
        searched, else Borda.

    Returns
    -------
    xarray.Dataset
        Over document, where the orders have documents: ``order`` (position), ``distance`` (pairs of
        the given orders that disagree with it, tied ones half), ``least_distance`` (no order can
        have less: with "borda" it says how much there may be to gain), ``n_best`` (orders as good
        as this, 0 where it is not known), ``method``.

    Raises
    ------
    ValueError
        If the orders are no orders, `method` is not valid, or "kemeny" has too many items in a
        majority cycle.

    References
    ----------
    J. G. Kemeny (1959), Mathematics without numbers, Daedalus 88, 577-591; M. Truchon (1998) for
    the parts.

    Examples
    --------
    >>> found = consensus({"1": list("abc"), "2": list("bac"), "3": list("abc")})
    >>> "".join(found["order"].values), found["distance"].item(), found["n_best"].item()
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


def consensus_of(references: Ranked, method: str = "auto") -> Ranked:
    """Return the consensus of the references as the only reference."""
    ranks = np.full((len(references.documents), 1, references.items.shape[1]), np.nan)
    for d in range(len(references.documents)):
        order = _order(references.ranks[d], references.documents[d], method)[0]
        ranks[d, 0, order] = np.arange(1, len(order) + 1)
    return replace(references, systems=[REFERENCE], ranks=ranks)


def _one(ranked: Ranked, d: int, method: str) -> dict[str, Any]:
    order, used, n_best = _order(ranked.ranks[d], ranked.documents[d], method)
    before = kemeny.preferences(ranked.ranks[d])
    return {
        "order": ranked.items[d][order],
        "distance": kemeny.distance(before, order),
        "least_distance": kemeny.least_distance(before),
        "n_best": n_best,
        "method": used,
    }


def _order(ranks: np.ndarray, document: str, method: str) -> tuple[list[int], str, int]:
    """Return the items in consensus order, the method used, and the number of optimal orders."""
    complete = np.flatnonzero(~np.isnan(ranks).all(0))
    if not len(complete):
        return [], method, 0
    ranks = ranks[:, complete]
    before = kemeny.preferences(ranks)
    part = kemeny.largest_part(before)
    if method == "kemeny" and part > kemeny.PART_MAX:
        where = f"document {document!r}: " if document else ""
        raise ValueError(
            f"{where}a majority cycle has {part} items, more than the {kemeny.PART_MAX} "
            "that can be searched; use method='borda'"
        )
    if method == "borda" or part > kemeny.PART_MAX:
        return complete[kemeny.borda(ranks)].tolist(), "borda", 0
    best = kemeny.kemeny(before)
    return complete[best.order].tolist(), "kemeny", min(best.n_best, np.iinfo(np.int64).max)
