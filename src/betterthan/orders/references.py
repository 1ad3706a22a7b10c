"""Several references for one order, their consensus; and agreement where there is no reference.

Several references are combined by their mean, by weights, by the best one, or by their consensus.
A system or judge is outlying if it agrees with the others less than a random mixture of them, drawn
for each document, would.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.exact import rankings
from betterthan.exact.swaps.corrections import holm
from betterthan.orders.ranked import DOCUMENT, POSITION, REFERENCE, Ranked, padded, ranked_of
from betterthan.orders.taus import against, has_documents, measured, over_all
from betterthan.signed import provenance_attrs

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
    order = padded([row.pop("order") for row in rows])
    dataset = xr.Dataset(
        {"order": ((DOCUMENT, POSITION), order)}
        | {k: (DOCUMENT, [r[k] for r in rows]) for k in rows[0]},
        coords={DOCUMENT: ranked.documents},
        attrs={"answer": "consensus"},
    )
    return dataset if ranked.documents != [""] else dataset.isel({DOCUMENT: 0}, drop=True)


def consensus_of(references: Ranked) -> Ranked:
    """Return the consensus of the references as the only reference; warn where several orders are
    equally good, of which the names of the items choose one.
    """
    ranks = np.full((len(references.documents), 1, references.items.shape[1]), np.nan)
    several = 0
    for d, document in enumerate(references.documents):
        order, _, n_best = _order(references.ranks[d], document, "auto")
        ranks[d, 0, order] = np.arange(1, len(order) + 1)
        several += n_best > 1
    if several:
        checks.warn(
            f"references='consensus': on {several} of {len(ranks)} documents several orders are "
            "equally good, and the names of the items choose the one that tau is of; "
            "references='mean' does not depend on names"
        )
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
    dataset = over_all({"tau": tau}, ranked, references)
    dataset["mean"] = dataset["tau"].mean(REFERENCE)
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
    return np.sign(np.nan_to_num(ranks[..., None, :] - ranks[..., :, None])).astype(np.int8)


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


_GRID_CELLS = 20_000  # of the grid on which sums of taus stand


def outlying(tau: np.ndarray, ranks: np.ndarray) -> tuple[np.ndarray, dict[str, float | str]]:
    """One-sided p of each judge, Holm's over all of them; of what unit, and the smallest there can
    be.

    If judges are alike, each is as likely to have given any of a document's orders. What a judge's
    order has in common with all the others' then has a known distribution, that of a sum of draws,
    one a document: no shape is assumed, and no judge is held against a mean that holds its own
    order. Of one document the items are what is drawn, each with the ranks that judges gave it.

    Parameters
    ----------
    tau : numpy.ndarray, (document, judge, judge)
        NaN on the diagonal, and where a judge gave no order.
    ranks : numpy.ndarray, (document, judge, item)
        NaN where a document or an order has no such item.
    """
    unit = "document" if len(tau) > 1 else "item"
    scores = _mean(tau) if len(tau) > 1 else _by_item(ranks[0])
    there = ~np.isnan(scores)
    enough = there.sum(1) > 2
    scores, there = scores[enough], there[enough]
    if len(scores) < 2 or tau.shape[1] < 4:
        return np.full(tau.shape[1], np.nan), {"outlier_unit": unit, "least_p": np.nan}
    widths = [np.ptp(m[t]) for m, t in zip(scores, there, strict=True)]
    step = max(sum(widths) / _GRID_CELLS, 1e-9)
    place = np.rint(np.where(there, scores, 0.0) / step).astype(np.int64)
    units = there.sum(0)
    each = [_below(place, there, k) if n > 1 else np.nan for k, n in enumerate(units)]
    least = (units > 1).sum() / np.prod(there.sum(1), dtype=float)
    return holm(np.array(each)), {"outlier_unit": unit, "least_p": float(min(least, 1.0))}


def _by_item(ranks: np.ndarray) -> np.ndarray:
    """Less the mean distance of each judge's rank from the others', (item, judge); nothing where
    judges ranked different items, for then ranks are no measure.
    """
    ranks = ranks[:, ~np.isnan(ranks).all(0)]
    distance = np.abs(ranks[:, None] - ranks).sum(1) / max(len(ranks) - 1, 1)
    return -distance.T if not np.isnan(ranks).any() else np.full(distance.T.shape, np.nan)


def _below(place: np.ndarray, there: np.ndarray, judge: int) -> float:
    """The share of draws of one judge a unit whose sum is that of this judge or lower."""
    chance, low, own = np.ones(1), 0, 0
    for at, known in zip(place, there, strict=True):
        if not known[judge]:
            continue
        shift = at[known] - at[known].min()
        wider = np.zeros(len(chance) + shift.max())
        for s in shift:
            wider[s : s + len(chance)] += chance / len(shift)
        chance, low, own = wider, low + at[known].min(), own + at[judge]
    same = there[
        :, judge
    ].sum()  # sums that are equal lie no further apart, by rounding to the grid
    return float(min(chance[: own - low + 1 + same].sum(), 1.0))


def agreement(orders: Any, *, variant: str = "b", restrict: str | None = None) -> xr.Dataset:
    """Compute Kendall's tau between all systems, and test for outliers.

    Parameters
    ----------
    orders : xarray.DataArray or mapping
        Rankings from `orders.read`, `orders.from_lists`, or `orders.from_ranks`, or lists.
    variant, restrict
        See `orders.kendall_tau`.

    Returns
    -------
    xarray.Dataset
        - ``tau`` (system_a, system_b): mean over documents, 1 on the diagonal
        - ``mean_tau`` (system): mean tau with the others
        - ``outlier_p`` (system): p-value for an outlier, NaN below 4 systems; with Holm's
          correction over the systems

        ``outlier_p`` is the probability that a system would agree as little with the others if its
        ranking of each document were drawn at random from those of all systems (exact). For a
        single document, the rank of each item is drawn, and agreement is closeness of ranks
        (Spearman's footrule). This is not exact, because ranks of neighboring items depend on each
        other: one of 8 to 15 equal judges had p <= 0.05 in 0.02 to 0.12 of simulated sets.
        ``attrs["outlier_unit"]`` records which, and ``attrs["least_p"]`` is the smallest attainable
        p.

    Raises
    ------
    ValueError
        For the reasons of `orders.kendall_tau`, or if there are fewer than two systems.

    Examples
    --------
    >>> lists = {"1": list("abcd"), "2": list("abdc"), "3": list("bacd"), "4": list("dcba")}
    >>> result = agreement(lists)
    >>> result["mean_tau"].round(2).values.tolist()
    [0.11, 0.11, 0.11, -0.78]
    """
    ranked = ranked_of(orders)
    checks.at_least_two(ranked.systems)
    taus = measured(ranked, ranked, variant=variant, restrict=restrict)["tau"]
    by_document = taus.values.reshape(-1, len(ranked.systems), len(ranked.systems)).copy()
    by_document[:, *np.diag_indices(len(ranked.systems))] = np.nan
    tau = _mean(np.moveaxis(by_document, 0, -1))
    outlier_p, how = outlying(by_document, ranked.ranks)
    system_variables = {"mean_tau": _mean(tau), "outlier_p": outlier_p}
    np.fill_diagonal(tau, 1.0)
    attrs = {"variant": variant, "n_documents": len(ranked.documents)} | how
    return xr.Dataset(
        {"tau": (names.SQUARE, tau)} | {k: (names.SYSTEM, v) for k, v in system_variables.items()},
        coords=dict.fromkeys((*names.SQUARE, names.SYSTEM), ranked.systems),
        attrs=provenance_attrs(answer="agreement") | attrs,
    )


def reference_rank(scores: Any, orders: Any, reference: Any) -> xr.Dataset:
    """Compute how many rankings a system scores above the reference ranking.

    Parameters
    ----------
    scores : sequence of float
        Score that the system gives each ranking, higher is better.
    orders : sequence of sequences
        Rankings that were scored: all possible ones, or a sample.
    reference : sequence
        Reference ranking; it must be among `orders`.

    Returns
    -------
    xarray.Dataset
        - ``rank``: rankings scored above the reference (equal scores count half); 0 is best
        - ``n_orders``: number of rankings
        - ``share``: rank divided by the number of other rankings; NaN if there is none

    Raises
    ------
    ValueError
        If scores and rankings do not match, a ranking occurs twice, a score is not finite, or the
        reference is missing.

    References
    ----------
    Barzilay & Lee (2004), HLT-NAACL; discussed by Lapata (2006), section 5.

    Examples
    --------
    >>> result = reference_rank([0.5, 0.3, 0.2], ["ab", "ba", "bb"], "ba")
    >>> result["rank"].item(), result["share"].item()
    (1.0, 0.5)
    """
    keys = [tuple(map(str, _listed(order, "orders"))) for order in _listed(orders, "orders")]
    values = _scores(scores, len(keys))
    checks.unique(keys, "order")
    wanted = tuple(map(str, _listed(reference, "reference")))
    if wanted not in keys:
        raise ValueError("the reference order is not among the orders; its rank needs its score")
    reference_score = values[keys.index(wanted)]
    rank = float((values > reference_score).sum() + ((values == reference_score).sum() - 1) / 2)
    share = rank / (len(keys) - 1) if len(keys) > 1 else np.nan
    return xr.Dataset({"rank": rank, "n_orders": len(keys), "share": share})


def preference_accuracy(scores: Any, reference: Any) -> xr.DataArray:
    """Compute how often a system prefers the reference ranking to others of the same items.

    Parameters
    ----------
    scores : xarray.DataArray, pandas.DataFrame or mapping
        Score that a system gives each ranking, higher is better: dims (document, order), or
        (document, order, system); a table with documents as rows and rankings as columns; or such a
        table for each system. NaN if a document has fewer rankings.
    reference : str
        Name of the reference among the rankings, such as the original text.

    Returns
    -------
    xarray.DataArray, dims (item, system)
        For each document, the proportion of its other rankings that the system scores below the
        reference; equal scores count half. NaN without a score of the reference or of any other
        ranking. The mean over items is the accuracy; `compare` accepts the result.
        ``attrs["n_pairs"]`` counts pairs of the reference and another ranking, over all systems.

    Raises
    ------
    ValueError
        If the scores are none of these, `reference` is not among the rankings or the only one, or
        no document has a score of it and of another one.

    References
    ----------
    R. Barzilay and L. Lee (2004), HLT-NAACL 2004; R. Barzilay and M. Lapata (2005), ACL 2005;
    discussed by Lapata (2006), section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"gold": [0.9, 0.5], "p1": [0.2, 0.7], "p2": [0.1, 0.5]}, ["d1", "d2"])
    >>> result = preference_accuracy({"A": table, "B": 1 - table}, "gold")
    >>> result.sel(system="A").values.tolist(), result.mean("item").values.tolist()
    ([1.0, 0.25], [0.625, 0.375])
    """
    table = _scored(scores)
    present = [str(order) for order in table["order"].values]
    checks.unique(present, "order")
    if str(reference) not in present or len(present) < 2:
        raise ValueError(
            f"reference is {checks.quoted(reference)}; give the one of the orders that is the "
            f"reference, and other orders: scores have {', '.join(present[:8]) or 'none'}"
        )
    of_reference = table.isel(order=present.index(str(reference)))
    others = table.drop_isel(order=present.index(str(reference)))
    compared = others.notnull() & of_reference.notnull()
    preferred = ((of_reference > others) + 0.5 * (of_reference == others)).where(compared)
    if not compared.any():
        raise ValueError("scores: no document has a score of the reference and of another order")
    preferred = preferred.mean("order").rename({DOCUMENT: names.ITEM})
    attrs = {"reference": str(reference), "n_pairs": int(compared.sum())}
    return preferred.transpose(names.ITEM, names.SYSTEM).assign_attrs(attrs)


def _scored(scores: Any) -> xr.DataArray:
    """Scores (document, order, system)."""
    if isinstance(scores, Mapping) and scores:
        systems = list(map(str, scores))
        checks.unique(systems, "system")
        tables = [_scored(table).isel({names.SYSTEM: 0}, drop=True) for table in scores.values()]
        joined = xr.concat(tables, dim=names.SYSTEM, join="outer")
        return joined.assign_coords({names.SYSTEM: systems})
    if isinstance(scores, pd.DataFrame):
        rows, columns = list(map(str, scores.index)), list(map(str, scores.columns))
        scores = xr.DataArray(scores.to_numpy(), [(DOCUMENT, rows), ("order", columns)])
    dims = set(scores.dims) if isinstance(scores, xr.DataArray) else set()
    allowed = {DOCUMENT, "order"} <= dims <= {DOCUMENT, "order", names.SYSTEM}
    if not isinstance(scores, xr.DataArray) or not allowed or "order" not in scores.coords:
        raise ValueError(
            f"scores are {checks.quoted(scores)}; give a table, documents in rows and orders in "
            "columns, or dims (document, order, system) with names of the orders"
        )
    if DOCUMENT in scores.coords:
        checks.unique([str(document) for document in scores[DOCUMENT].values], "document")
    try:
        numbers = scores.astype(float)
    except (TypeError, ValueError):
        raise ValueError("scores are no numbers; give one for each order of a document") from None
    return numbers if names.SYSTEM in dims else numbers.expand_dims({names.SYSTEM: [names.SYSTEM]})


def _listed(order: Any, argument: str) -> Any:
    """An order of items, or orders: a string is one of single letters."""
    if not isinstance(order, Sequence | np.ndarray):
        raise ValueError(
            f"{argument} is {checks.quoted(order)}; give lists of items, the first item first"
        )
    return order


def _scores(scores: Any, number: int) -> np.ndarray:
    try:
        values = np.asarray(scores, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("scores are no numbers; give one for each of the orders") from None
    if values.shape != (number,):
        raise ValueError(
            f"there are {values.size} scores of {number} orders; give one score for each order"
        )
    if not np.isfinite(values).all():
        raise ValueError(f"score {values[~np.isfinite(values)][0]} is not a finite number")
    return values


def _mean(tau: np.ndarray) -> np.ndarray:
    """Average over the last axis, without undefined values; NaN if all are undefined."""
    defined = ~np.isnan(tau)
    with np.errstate(invalid="ignore"):
        return np.where(defined, tau, 0).sum(-1) / defined.sum(-1)
