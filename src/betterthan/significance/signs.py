"""The sign test and McNemar's test of every pair, and tests on clusters."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.counting import apply_missing, count_outcomes, oriented
from betterthan.counts.shapes import labelled, square_array, square_from_pairs, to_square
from betterthan.counts.tables import contingency_cells, counted_measures, from_measures
from betterthan.counts.ties import POLICIES, Policy, need_ties, policy_of
from betterthan.counts.units import CLUSTER, ids_of, in_rows
from betterthan.exact.joint.units import PairMeans, differences, joined, pair_sums
from betterthan.exact.swaps import flips, randomization
from betterthan.exact.wins import sign
from betterthan.signed import provenance_attrs

_HELD = 2**18  # numbers (cluster, pair) that are tested at once
Sums = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray
]  # totals and sizes (cluster, pair) of both systems


def _together(parts: Iterable[Sums]) -> Iterator[Sums]:
    """The same sums, with more pairs at a time."""
    held: list[Sums] = []
    for sums in parts:
        held.append(sums)
        if sum(part[0].size for part in held) >= _HELD:
            yield _joined(held)
            held = []
    if held:
        yield _joined(held)


def _joined(held: list[Sums]) -> Sums:
    total_a, size_a, total_b, size_b = (np.concatenate(x, axis=1) for x in zip(*held, strict=True))
    return total_a, size_a, total_b, size_b


@dataclass(frozen=True)
class OnClusters:
    """Clusters of a comparison, by pairs in the order of the upper triangle."""

    systems: list[str]
    pairs: PairMeans
    sums: Callable[[], Iterable[Sums]]

    @classmethod
    def from_sums(
        cls, systems: list[str], sums: Callable[[], Iterable[Sums]], pairs: PairMeans | None = None
    ) -> "OnClusters":
        """From a function that gives the sums of some pairs at a time; `pairs` are their
        differences, where these are known.
        """
        return cls(systems, pairs or joined([differences(*arrays) for arrays in sums()]), sums)

    @cached_property
    def counts(self) -> xr.DataArray:
        """Clusters won, lost and tied, (system_a, system_b, outcome)."""
        means = self.pairs
        outcomes = np.stack(
            [means.won, means.lost, means.units - means.won - means.lost], axis=-1
        ).astype(np.int64)
        square = square_from_pairs(outcomes, outcomes[:, [1, 0, 2]], 0)
        array = square_array(square, self.systems, {})
        return array.assign_attrs(unit="cluster", ties="third")

    @property
    def most_decisive(self) -> int:
        """The most clusters in which two systems differ."""
        return int((self.pairs.won + self.pairs.lost).max(initial=0))

    def swapped(self, draws: int, seed: int) -> tuple[dict[str, np.ndarray], str]:
        """Two-sided ``p_value`` of swapping whole clusters, ``difference`` of the means, and where
        it was sampled ``exceedances`` and ``p_value_mcse``; and how it was computed.
        """
        parts, clusters = [], 0
        for arrays in _together(self.sums()):
            parts.append(flips.swaps(*arrays, draws, seed))
            clusters = len(arrays[0])
        p, extreme = (np.concatenate(part) for part in zip(*parts, strict=True))
        d = self.pairs.difference
        squares = {
            "p_value": square_from_pairs(p, p, 1.0),
            "difference": square_from_pairs(d, -d, 0.0),
        }
        sampled = extreme >= 0
        if sampled.any():
            error = np.where(
                sampled, randomization.monte_carlo_error(extreme, np.array(draws)), 0.0
            )
            squares["exceedances"] = square_from_pairs(extreme, extreme, -1)
            squares["p_value_mcse"] = square_from_pairs(error, error, 0.0)
        how = "monte_carlo" if sampled.any() else "flips"
        large = clusters > flips.NORMAL
        return squares, "normal" if large and self.most_decisive > flips.EXACT else how


@dataclass(frozen=True)
class _Cells:
    """Wins, losses and ties of the system of the row against that of the column."""

    wins: np.ndarray
    losses: np.ndarray
    ties: np.ndarray
    has_ties: bool


def sign_test(
    data: Any,
    *,
    ties: str = "drop",
    alternative: str = "two-sided",
    alpha: float = names.ALPHA,
    unit: str | None = None,
    missing: str = "pairwise",
    margin: float = 0.0,
) -> xr.Dataset:
    """Test every pair of systems with the sign test.

    The test asks whether one system wins more of the items than chance (a fair coin) would give.

    Parameters
    ----------
    data : xarray.DataArray or pandas.DataFrame
        Scores (item, system), counts (system_a, system_b, outcome) or (pair, outcome), or a table
        of measures with one row each (see `counts.from_measures`). A dim ``dataset`` of counts is
        summed.
    ties : {"drop", "half", "to_a", "to_b", "third", "all"}, default "drop"
        How to treat ties. ``drop`` leaves them out; ``half`` gives half of them to each side and
        leaves out an odd one; ``to_a`` and ``to_b`` give all to one side, A being the first system;
        ``third`` is the trinomial test. ``all`` reports every policy along a dim ``ties_policy``,
        where A is the ``system_a`` of each cell.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the test. ``greater``: the system of the row, ``system_a``, is better; its p is
        half the two-sided one. Choose a direction only if you had no other question before you saw
        the data.
    alpha : float, default 0.05
        Significance level for ``decisive_needed`` and ``flips``.
    unit : {"item", "cluster"}, optional
        Unit of analysis that wins or loses. Default: the cluster, by its mean score, if items come
        in clusters (a coordinate ``cluster``); else the item, by the mean of its runs (``epoch``).
        "item" treats every row as an independent item.
    missing, margin
        For scores: how to treat missing ones, and the difference up to which they tie; see `count`.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b):

        - ``p_value``, and ``mid_p`` (NaN for ``third``)
        - ``wins`` and ``losses`` after the policy
        - ``favours``: 1 if the test favors the system of the row, -1 that of the column, 0 neither
        - ``n``: number of units that the test counted
        - ``ties``, ``dropped_ties``: tied items, and those the policy left out; -1 if unknown
        - ``smallest_p``: attainable with this number of non-tied items
        - ``decisive_needed``: fewest non-tied items for p <= alpha, with the ties as they are
        - ``flips``, with ``ties="all"``: whether policies disagree on p <= alpha or on the system

        A system against itself has p = 1. A table of measures adds ``value``, ``rank``, and
        ``best`` (measure, system), and ``higher_is_better``, ``independent``, and ``single_p``
        (measure; its column ``p_value``) for `report`; n then counts measures, not items or people.

    Raises
    ------
    ValueError
        If the data are none of these, or an argument is not one of its choices. If ties are unknown
        and the policy needs them, or a pair has more than 1e6 items for the trinomial test.

    See Also
    --------
    significance.mcnemar : The same test for one pair, from four numbers.
    randomization_test : Test differences of means or F1.

    References
    ----------
    B. Di Eugenio, M. Glass and M. J. Scott (2002), The binomial cumulative distribution function,
    or, is my system better than yours?, LREC. For ``third``: G. Bian, M. McAleer and W.-K. Wong
    (2011), Mathematics and Computers in Simulation 81(6), 1153-1160,
    doi:10.1016/j.matcom.2010.11.002.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (8, 1, 11)})
    >>> pair = {"system_a": "A", "system_b": "B"}
    >>> sign_test(counts, alternative="greater")["p_value"].sel(pair).item()
    0.01953125
    >>> every = sign_test(counts, ties="all", alternative="greater")["p_value"].sel(pair)
    >>> every.values.round(4).tolist()
    [0.0145, 0.0195, 0.0835, 0.0, 0.8684]
    """
    checks.one_of(ties, names.TIES, "ties")
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    alpha = checks.probability(alpha, "alpha")
    if unit is not None:
        checks.one_of(unit, (names.ITEM, CLUSTER), "unit")
    if isinstance(data, xr.DataArray) and names.ITEM in data.dims:
        data = apply_missing(schemas.scores(data), checks.one_of(missing, names.MISSING, "missing"))
    data, unit = in_rows(data, unit)
    if isinstance(data, xr.DataArray) and unit == CLUSTER:
        counts = _cluster_counts(data, missing, margin)
    else:
        counts = _square_counts(data, missing, margin)
    result = sign_tests(counts, ties, alternative, alpha)
    return result.merge(counted_measures(counts), join="exact", combine_attrs="override")


def _cluster_counts(data: xr.DataArray, missing: str, margin: float) -> xr.DataArray:
    """Clusters won, lost and tied, of scores by item."""
    if names.ITEM not in data.dims:
        raise ValueError(
            f"counts have dims {', '.join(map(str, data.dims))}; sum them over the clusters, which "
            "takes items as independent, or give scores"
        )
    if checks.margin(margin):
        raise ValueError(f"margin={margin:g} is of single items; also pass unit='item'")
    scores = apply_missing(schemas.scores(data), missing)
    values = oriented(scores).astype(float)
    present = np.isfinite(values)
    unit = pd.factorize(ids_of(scores, CLUSTER))[0]
    systems = [str(s) for s in scores[names.SYSTEM].values]
    checks.at_least_two(systems)
    sums = np.where(present, values, 0.0), present.astype(float), np.asarray(unit)
    return OnClusters.from_sums(systems, lambda: pair_sums(*sums)).counts


def sign_tests(
    counts: xr.DataArray, ties: str, alternative: str = "two-sided", alpha: float = names.ALPHA
) -> xr.Dataset:
    """The sign test of a checked square of counts."""
    cells = _cells(counts, _has_ties(counts, ties))
    if ties == "all":
        result = _every_policy(cells, alternative, alpha)
    else:
        table = _policy_table(cells, policy_of(ties), alternative, alpha)
        result = xr.Dataset({name: (names.SQUARE, values) for name, values in table.items()})
    result = result.assign_coords({k: counts[k].values.astype(str) for k in names.SQUARE})
    unknown = np.full_like(cells.ties, -1)
    result["ties"] = (names.SQUARE, cells.ties if cells.has_ties else unknown)
    return result.assign_attrs(_record(counts, ties, alternative, alpha))


def p_values(counts: xr.DataArray, ties: str) -> dict[str, np.ndarray]:
    """Two-sided ``p_value``, ``favours`` and ``smallest_p`` under one policy for ties, each
    (system_a, system_b): for a comparison.
    """
    cells = _cells(counts, _has_ties(counts, ties))
    return _policy_table(cells, policy_of(ties), "two-sided")


def mcnemar(
    both_right: int, only_a: int, only_b: int, both_wrong: int, *, alternative: str = "two-sided"
) -> xr.Dataset:
    """Test two systems with McNemar's exact test.

    It is the sign test on discordant pairs, the items that only one of the two systems got right.

    Parameters
    ----------
    both_right, only_a, only_b, both_wrong : int
        Numbers of items that both, only the first, only the second, or neither system got right.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the test. ``greater``: the first system is better.

    Returns
    -------
    xarray.Dataset
        Numbers without dims: ``p_value``, ``mid_p``, ``only_a``, ``only_b``, ``n`` (their sum), and
        ``smallest_p``, attainable with n such items. With n = 0, p is 1.

    Raises
    ------
    ValueError
        If a number is not whole or is negative, or the alternative is unknown.

    References
    ----------
    Q. McNemar (1947), Psychometrika 12(2), 153-157, doi:10.1007/BF02295996. For the mid-p: M. W.
    Fagerland, S. Lydersen and P. Laake (2013), BMC Medical Research Methodology 13, 91,
    doi:10.1186/1471-2288-13-91.

    Examples
    --------
    >>> round(mcnemar(698, 12, 2, 288)["p_value"].item(), 6)
    0.012939
    """
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    right, a, b, wrong = contingency_cells(both_right, only_a, only_b, both_wrong)
    numbers = {
        "p_value": sign.sign_p(a, b, alternative),
        "mid_p": sign.sign_mid_p(a, b, alternative),
        "only_a": a,
        "only_b": b,
        "n": a + b,
        "smallest_p": sign.smallest_p(a + b, 0, "drop", alternative),
    }
    n = right + a + b + wrong
    attrs = {"test": "McNemar, exact", "alternative": alternative}
    attrs |= provenance_attrs(unit=names.ITEM, n_items=n)
    return xr.Dataset({k: ((), v) for k, v in numbers.items()}, attrs=attrs)


def _square_counts(data: Any, missing: str, margin: float) -> xr.DataArray:
    """A square of counts."""
    if not isinstance(data, pd.DataFrame):
        labelled(data, "data", "scores, counts, or a pandas.DataFrame of measures")
    if not isinstance(data, pd.DataFrame) and names.ITEM in data.dims:
        counts = count_outcomes(data, missing=missing, margin=margin)
    else:
        checks.for_scores_only(missing=missing, margin=margin)
        if isinstance(data, pd.DataFrame):
            data = from_measures(data)
        counts = _as_square(schemas.counts(data))
    extra = [str(d) for d in counts.dims if d not in (*names.SQUARE, names.OUTCOME)]
    if extra or not set(names.SQUARE) <= set(counts.dims):
        raise ValueError(
            f"counts have dims {', '.join(map(str, counts.dims))}; give (system_a, system_b, "
            "outcome)"
        )
    checks.at_least_two(counts[names.SYSTEM_A].values.tolist())
    return counts.transpose(*names.SQUARE, names.OUTCOME)


def _as_square(counts: xr.DataArray) -> xr.DataArray:
    """Counts of several data sets summed, and those by pair as a square."""
    if names.DATASET in counts.dims:
        pooled = counts.attrs | {"datasets_pooled": counts.sizes[names.DATASET]}
        counts = counts.sum(names.DATASET, keep_attrs=True).assign_attrs(pooled)
    return to_square(counts) if names.PAIR in counts.dims else counts


def _has_ties(counts: xr.DataArray, ties: str) -> bool:
    three = counts.sizes[names.OUTCOME] == len(names.OUTCOMES)
    if ties == "all" or policy_of(ties).needs_ties:
        need_ties(counts, ties)
    return three


def _cells(counts: xr.DataArray, has_ties: bool) -> _Cells:
    """Cells of the counts; 0 for a system against itself, and no ties where they are unknown."""
    itself = np.eye(counts.sizes[names.SYSTEM_A], dtype=bool)
    values = np.where(itself[..., None], 0, counts.values)
    wins, losses = values[..., 0], values[..., 1]
    return _Cells(wins, losses, values[..., 2] if has_ties else np.zeros_like(wins), has_ties)


def _every_policy(cells: _Cells, alternative: str, alpha: float) -> xr.Dataset:
    """Every policy, in every cell from its own system_a, and whether they disagree."""
    tables = [_table(cells, policy, alternative, alpha) for policy in POLICIES]
    dims = (names.TIES_POLICY, *names.SQUARE)
    variables = {name: (dims, np.stack([table[name] for table in tables])) for name in tables[0]}
    coords = {names.TIES_POLICY: [policy.name for policy in POLICIES]}
    result = xr.Dataset(variables, coords=coords)
    reached = result["p_value"] <= alpha
    flips = reached.any(names.TIES_POLICY) & ~reached.all(names.TIES_POLICY)
    for_a, for_b = (reached & (result["favours"] == side) for side in (1, -1))
    flips |= for_a.any(names.TIES_POLICY) & for_b.any(names.TIES_POLICY)
    return result.assign(flips=flips)


def _policy_table(
    cells: _Cells, policy: Policy, alternative: str, alpha: float | None = None
) -> dict[str, np.ndarray]:
    """One policy, in which A is the system named first: below the diagonal, the system of the
    column.
    """
    above = below = _table(cells, policy, alternative, alpha)
    if policy.mirror != policy.name:
        below = _table(cells, policy_of(policy.mirror), alternative, alpha)
    lower = np.tri(len(cells.wins), k=-1, dtype=bool)
    return {name: np.where(lower, below[name], above[name]) for name in above}


def _table(
    cells: _Cells, policy: Policy, alternative: str, alpha: float | None
) -> dict[str, np.ndarray]:
    """Everything under one policy, in which A is the system of the row; without a level neither
    how many decisive items it needs, nor mid-p.
    """
    wins, losses = policy.settle(cells.wins, cells.losses, cells.ties)
    n = wins + losses
    if policy.keeps_ties:  # the trinomial test
        p, n = sign.trinomial_p(wins, losses, cells.ties, alternative), n + cells.ties
    else:
        p = sign.sign_p(wins, losses, alternative)
    left_out = policy.left_out(cells.ties)
    least = sign.smallest_p(cells.wins + cells.losses, cells.ties, policy.name, alternative)
    itself = np.eye(len(wins), dtype=bool)
    mid, needed = {}, {}
    if alpha is not None:
        keeps = policy.keeps_ties  # then there is no mid-p
        mid_p = np.full(p.shape, np.nan) if keeps else sign.sign_mid_p(wins, losses, alternative)
        mid["mid_p"] = np.where(itself & ~np.isnan(mid_p), 1.0, mid_p)
        decisive = sign.decisive_needed(cells.ties, policy.name, alternative, alpha)
        needed["decisive_needed"] = decisive
    return {
        "p_value": np.where(itself, 1.0, p),
        **mid,
        "wins": wins,
        "losses": losses,
        "favours": np.sign(wins - losses),
        "n": n,
        "dropped_ties": left_out if cells.has_ties else np.full_like(left_out, -1),
        "smallest_p": np.where(itself, 1.0, least),
        **needed,
    }


def _record(counts: xr.DataArray, ties: str, alternative: str, alpha: float) -> dict[str, Any]:
    attrs = counts.attrs
    signed = provenance_attrs(
        ties=ties,
        alpha=alpha,
        unit=str(attrs.get("unit", "unknown")),
        n_items=int(attrs.get("n_items", -1)),
        missing=str(attrs.get("missing", "none")),
        margin=float(attrs.get("margin", 0.0)),
        source=attrs.get("source"),
        citation=attrs.get("citation"),
        layout=attrs.get("layout"),
    )
    pooled = {k: attrs[k] for k in ("datasets_pooled",) if k in attrs}
    return signed | {"test": "sign test", "alternative": alternative} | pooled
