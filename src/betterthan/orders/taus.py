"""Kendall's tau of every system on every document against one reference or each of several."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact import rankings
from betterthan.orders.ranked import DOCUMENT, REFERENCE, Ranked, padded, ranked_of
from betterthan.signed import provenance_attrs

_SHARE = 0.01  # of the items, from which on systems differ in what they cover
_DIMS = (DOCUMENT, names.SYSTEM, REFERENCE)


def kendall_tau(
    orders: Any,
    reference: Any,
    *,
    variant: str = "b",
    restrict: str | None = None,
    alternative: str = "two-sided",
) -> xr.Dataset:
    """Compute Kendall's tau of rankings against a reference ranking of the same items.

    Parameters
    ----------
    orders : xarray.DataArray or mapping
        Rankings from `orders.read`, `orders.from_lists`, or `orders.from_ranks`, or lists that
        `orders.from_lists` accepts.
    reference : str, sequence of str, or orders
        Name of the reference system; names of several; or separate rankings, such as those from
        `orders.consensus`.
    variant : {"a", "b", "c"}, default "b"
        Treatment of ties: not as agreement (a), as pairs that cannot agree (b), or for ranks of
        different fineness (c). Without ties all are the same.
    restrict : {None, "common"}, default None
        "common" compares the items that both rankings have. ``coverage`` is then the proportion of
        the reference's items, and a warning names systems with different coverage: a tau of fewer
        items can be higher than one of all. By default different items raise an error.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the test. "greater": closer to the reference than chance.

    Returns
    -------
    xarray.Dataset
        Over document (if the rankings have documents), system, and reference (if there are
        several):

        - ``tau``
        - ``p_value``: of the null that all rankings are equally likely; NaN with ties
        - ``p_error``: approximate error of p; 0 up to 200 items, where p is exact
        - ``inversions``, ``ties``: pairs in the wrong order, and pairs tied in either ranking
        - ``n_items``, ``coverage``
        - ``exact_match``: whether the rankings have the same items, no inversion, and no tie
        - ``spearman``

        A missing ranking has tau NaN and is counted in ``attrs["n_missing"]``. A ranking of one
        item also has tau NaN; it raises a warning and is counted in ``attrs["n_undefined"]``.

    Raises
    ------
    ValueError
        If the data or the reference are not rankings, items differ and `restrict` is not passed,
        there is nothing to compare, or an argument is not valid.

    References
    ----------
    M. G. Kendall (1938), A new measure of rank correlation, Biometrika 30, 81-93; Lapata (2006),
    Computational Linguistics 32(4), 471-484.

    Examples
    --------
    >>> orders = {"reference": "ABCDE", "A": "BACDE", "B": "EBCDA"}
    >>> result = kendall_tau({name: list(order) for name, order in orders.items()}, "reference")
    >>> result["tau"].round(1).values.tolist(), result["inversions"].values.tolist()
    ([0.8, -0.4], [1.0, 7.0])
    """
    taus = measured(
        *against(orders, reference), variant=variant, restrict=restrict, alternative=alternative
    )
    return taus.assign_attrs(provenance_attrs(answer="taus"))


def measured(
    ranked: Ranked,
    references: Ranked,
    *,
    variant: str = "b",
    restrict: str | None = None,
    alternative: str = "two-sided",
) -> xr.Dataset:
    """What `orders.kendall_tau` returns, of systems and references over the same items."""
    checks.one_of(variant, ("a", "b", "c"), "variant")
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    if restrict is not None:
        checks.one_of(restrict, ("common",), "restrict")
    table = _table(ranked, references, restrict is not None, variant, alternative)
    taus = over_all(table, ranked, references)
    taus.attrs = {"variant": variant, "alternative": alternative, "restrict": restrict or "none"}
    taus.attrs |= _count(taus, ranked.documents) | {"answer": "taus"}
    if restrict is not None:
        _warn_of_shares(taus["coverage"].where(taus["n_items"] > 0))
    return _trimmed(taus, ranked, references)


def _table(
    ranked: Ranked, references: Ranked, restricted: bool, variant: str, alternative: str
) -> dict[str, np.ndarray]:
    """Everything over (document, system, reference), from the items that both orders have."""
    x, y = ranked.ranks[:, :, None], references.ranks[:, None]
    x_common, y_common, common = _common_ranks(ranked, references, restricted)
    table = _measures(x_common, y_common, variant, alternative)
    n_reference = (~np.isnan(np.broadcast_to(y, common.shape))).sum(-1)
    with np.errstate(invalid="ignore"):
        coverage = common.sum(-1) / n_reference
    same_items = (coverage == 1) & ((~np.isnan(x)).sum(-1) == n_reference)
    table["exact_match"] = np.where(
        same_items, table["exact_match"], np.minimum(table["exact_match"], 0)
    )
    return {"tau": table.pop("tau"), "coverage": coverage} | table


def _common_ranks(
    ranked: Ranked, references: Ranked, restricted: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranks of systems and references (document, system, reference, item), NaN for items that only
    one of them has, and where both have one.
    """
    x, y = ranked.ranks[:, :, None], references.ranks[:, None]
    common = ~np.isnan(x) & ~np.isnan(y)
    if not restricted:
        _refuse_other_items(ranked, references, common)
    return np.where(common, x, np.nan), np.where(common, y, np.nan), common


def distances(orders: Any, reference: Any, *, restrict: str | None = None) -> xr.Dataset:
    """Compute three distances of rankings to a reference: Kendall, Cayley, and Ulam.

    Each counts the moves that turn a ranking into the reference ranking of the same items.

    Parameters
    ----------
    orders, reference, restrict
        See `orders.kendall_tau`.

    Returns
    -------
    xarray.Dataset
        Over document (if the rankings have documents), system, and reference (if there are
        several):

        - ``kendall``: fewest swaps of two neighbors (the inversions that tau is computed from), at
          most n (n - 1) / 2
        - ``cayley``: fewest swaps of any two items, at most n - 1
        - ``ulam``: fewest items to move elsewhere, at most n - 1
        - ``n_items``

        NaN for a missing ranking, and if either ranking has ties.

    Raises
    ------
    ValueError
        For the reasons of `orders.kendall_tau`.

    References
    ----------
    P. Diaconis (1988), Group Representations in Probability and Statistics, IMS, chapter 6;
    G. Lebanon and J. Lafferty (2002), ICML 2002; named by Lapata (2006), section 2.

    Examples
    --------
    >>> lists = {"reference": list("ABCDEFGHIJ"), "ends swapped": list("JBCDEFGHIA")}
    >>> result = distances(lists, "reference")
    >>> [result[name].item() for name in ("kendall", "cayley", "ulam")]
    [17.0, 1.0, 2.0]
    """
    if restrict is not None:
        checks.one_of(restrict, ("common",), "restrict")
    ranked, references = against(orders, reference)
    x, y, common = _common_ranks(ranked, references, restrict is not None)
    permutations, n_items = rankings.permutations(y, x), common.sum(-1)
    ties = rankings.tied_pairs(x) + rankings.tied_pairs(y)
    counts = {
        "kendall": rankings.inversions(permutations),
        "cayley": rankings.cayley(permutations),
        "ulam": rankings.ulam(permutations),
    }
    defined = (n_items > 0) & (ties == 0)
    table = {name: np.where(defined, count, np.nan) for name, count in counts.items()}
    data = over_all(table | {"n_items": n_items}, ranked, references)
    return _trimmed(data, ranked, references)


def over_all(table: dict[str, np.ndarray], ranked: Ranked, references: Ranked) -> xr.Dataset:
    """Over document, system and reference."""
    coords = dict(zip(_DIMS, (ranked.documents, ranked.systems, references.systems), strict=True))
    return xr.Dataset({name: (_DIMS, values) for name, values in table.items()}, coords=coords)


def _trimmed(data: xr.Dataset, ranked: Ranked, references: Ranked) -> xr.Dataset:
    """Without a reference that is the only one, and without a document that has no name."""
    if len(references.systems) == 1:
        data = data.isel({REFERENCE: 0}, drop=True).assign_attrs(reference=references.systems[0])
    return data if has_documents(ranked) else data.isel({DOCUMENT: 0}, drop=True)


def against(orders: Any, reference: Any) -> tuple[Ranked, Ranked]:
    """Systems and references over the same items of the same documents."""
    ranked = ranked_of(orders)
    reference_names = [reference] if isinstance(reference, str) else reference
    if (
        isinstance(reference_names, Sequence)
        and reference_names
        and all(isinstance(r, str) for r in reference_names)
    ):
        return _parted(ranked, list(reference_names))
    if not isinstance(reference, xr.DataArray | dict):
        quoted = checks.quoted(reference)
        raise ValueError(
            f"reference is {quoted}; give the name of a system, several names, or orders"
        )
    if isinstance(reference, xr.DataArray) and names.SYSTEM not in reference.dims:
        reference = reference.expand_dims({names.SYSTEM: [REFERENCE]})
    return _aligned(ranked, ranked_of(reference))


def _parted(ranked: Ranked, references: list[str]) -> tuple[Ranked, Ranked]:
    """The systems that are no reference, and those that are."""
    for name in references:
        if name not in ranked.systems:
            present = ", ".join(ranked.systems)
            raise ValueError(
                f"there is no system {checks.quoted(name)} to be the reference; there are {present}"
            )
    checks.unique(references, "reference")
    others = [s for s in ranked.systems if s not in references]
    if not others:
        raise ValueError("every system is a reference; there is none to compare with them")
    return ranked.of(others), ranked.of(references)


def has_documents(ranked: Ranked) -> bool:
    """Whether there is more than the one nameless document of orders without documents."""
    return ranked.documents != [""]


def _aligned(ranked: Ranked, references: Ranked) -> tuple[Ranked, Ranked]:
    """The references with the documents of the orders, both over all items of a document."""
    lacking = [d for d in ranked.documents if d not in references.documents]
    if lacking and references.documents != [""]:
        raise ValueError(f"document {lacking[0]!r} has no reference")
    row = {d: k for k, d in enumerate(references.documents)}
    rows = [row.get(d, 0) for d in ranked.documents]
    item_pairs = zip(ranked.items, references.items[rows], strict=True)
    items_by_document = [[item for item in dict.fromkeys([*x, *y]) if item] for x, y in item_pairs]
    text = padded(items_by_document)
    return (
        replace(
            ranked,
            items=text,
            ranks=_spread(ranked, range(len(items_by_document)), items_by_document),
        ),
        Ranked(
            ranked.documents, references.systems, text, _spread(references, rows, items_by_document)
        ),
    )


def _spread(source: Ranked, rows: Sequence[int], items_by_document: list[list[str]]) -> np.ndarray:
    """Ranks of some documents over these items, NaN for an item that a document does not have."""
    ranks = np.full(
        (len(items_by_document), len(source.systems), max(map(len, items_by_document))), np.nan
    )
    for k, (row, items) in enumerate(zip(rows, items_by_document, strict=True)):
        place = {item: p for p, item in enumerate(items)}
        positions = np.flatnonzero(source.items[row] != "")
        to = [place[item] for item in source.items[row][positions]]
        ranks[k][:, to] = source.ranks[row][:, positions]
    return ranks


def _refuse_other_items(ranked: Ranked, references: Ranked, common: np.ndarray) -> None:
    """Both orders of a cell must have the same items, unless one of them is missing."""
    x, y = ~np.isnan(ranked.ranks[:, :, None]), ~np.isnan(references.ranks[:, None])
    wrong = x.any(-1) & y.any(-1) & ((x | y) & ~common).any(-1)
    if not wrong.any():
        return
    d, s, r = np.argwhere(wrong)[0]
    in_order, in_reference = x[d, s, 0], y[d, 0, r]
    sides = (("order", in_order & ~in_reference), ("reference", in_reference & ~in_order))
    differences = "; ".join(
        f"{', '.join(map(repr, ranked.items[d][more][:5].tolist()))} only in the {side}"
        for side, more in sides
        if more.any()
    )
    where = f"document {ranked.documents[d]!r}, " if ranked.documents[d] else ""
    who = f"{where}system {ranked.systems[s]!r} and reference {references.systems[r]!r}"
    how = "restrict='common' compares the items of both"
    raise ValueError(f"{who} have different items: {differences}; {how}")


@dataclass(frozen=True)
class _Pairs:
    """How many pairs of items each cell (document, system, reference) has, of each kind."""

    n: np.ndarray  # items
    x_tied: np.ndarray  # by the system
    y_tied: np.ndarray  # by the reference
    ties: np.ndarray  # by either
    wrong: np.ndarray
    any_tied: bool

    @property
    def right(self) -> np.ndarray:
        """In the order of the reference."""
        return self.n * (self.n - 1) // 2 - self.ties - self.wrong


def _pairs(x: np.ndarray, y: np.ndarray) -> _Pairs:
    """Of ranks (..., item) that are NaN together."""
    x_tied, y_tied = rankings.tied_pairs(x), rankings.tied_pairs(y)
    tied = bool(x_tied.any() or y_tied.any())
    both = rankings.tied_in_both(x, y) if tied else np.zeros_like(x_tied)
    wrong = rankings.inversions(rankings.permutations(y, x, tied=tied))
    return _Pairs((~np.isnan(x)).sum(-1), x_tied, y_tied, x_tied + y_tied - both, wrong, tied)


def _measures(
    x: np.ndarray, y: np.ndarray, variant: str, alternative: str
) -> dict[str, np.ndarray]:
    """Everything but the coverage, from ranks (document, system, reference, item)."""
    pairs = _pairs(x, y)
    n, ties, wrong, tied = pairs.n, pairs.ties, pairs.wrong, pairs.any_tied
    fewest = np.minimum(rankings.distinct(x), rankings.distinct(y)) if tied else n
    tau = rankings.tau(pairs.right, wrong, pairs.x_tied, pairs.y_tied, n, variant, fewest)
    p, error = rankings.p_value(wrong, n, alternative)
    defined = n > 0
    return {
        "tau": np.where(n > 1, tau, np.nan),
        "p_value": np.where(ties == 0, p, np.nan),
        "p_error": np.where((ties == 0) & (n > 1), error, np.nan),
        "inversions": np.where(defined, wrong, np.nan),
        "ties": np.where(defined, ties, 0),
        "n_items": n,
        "exact_match": np.where(defined, (wrong == 0) & (ties == 0), np.nan),
        "spearman": _spearman(x, y, n, tied),
    }


def _spearman(x: np.ndarray, y: np.ndarray, n: np.ndarray, tied: bool) -> np.ndarray:
    """Correlation of the ranks, ties sharing their middle; NaN where one is constant."""
    observed, middle = ~np.isnan(x), (n[..., None] + 1) / 2
    ranks = [_middle_ranks(v, n, tied) for v in (x, y)]
    a, b = (np.where(observed, r - middle, 0.0) for r in ranks)
    below = np.sqrt((a**2).sum(-1) * (b**2).sum(-1))
    return np.divide((a * b).sum(-1), below, out=np.full(below.shape, np.nan), where=below > 0)


def _middle_ranks(values: np.ndarray, n: np.ndarray, tied: bool) -> np.ndarray:
    if not tied and np.array_equal(np.nansum(values, axis=-1), n * (n + 1) / 2):
        return values  # 1 to n already
    from scipy import stats

    return stats.rankdata(values, axis=-1, nan_policy="omit")


def _warn_of_shares(coverage: xr.DataArray) -> None:
    """Taus of different shares of the items are not alike: two of eight right make a tau of 1."""
    coverage_by_system = coverage.mean([DOCUMENT, REFERENCE])
    least, most = coverage_by_system.argmin(names.SYSTEM), coverage_by_system.argmax(names.SYSTEM)
    low, high = coverage_by_system[least], coverage_by_system[most]
    if high - low > _SHARE:
        sides = [f"{str(s[names.SYSTEM].item())!r} {s.item():.0%}" for s in (low, high)]
        checks.warn(
            "do not rank systems by this tau: they cover different proportions of the reference's "
            f"items ({', '.join(sides)}), and a tau of fewer items can be higher; see coverage"
        )


def _count(taus: xr.Dataset, documents: list[str]) -> dict[str, int]:
    """How many cells have no tau, and why; a warning where an order is too short or all tied."""
    n, tau = taus["n_items"].values, taus["tau"].values
    missing, undefined = int((n == 0).sum()), (n > 0) & np.isnan(tau)
    if missing == n.size:
        raise ValueError("no order shares an item with its reference; there is nothing to compare")
    if undefined.any():
        d = int(np.argwhere(undefined)[0][0])
        where = f", first on document {documents[d]!r}" if documents[d] else ""
        number = f"{int(undefined.sum())} of {n.size} orders{where}"
        message = f"tau is not defined for {number}: one item, or all items tied"
        if undefined.sum() + missing == n.size:
            raise ValueError(message)
        checks.warn(message)
    return {"n_missing": missing, "n_undefined": int(undefined.sum())}
