"""A comparison as plain tables, the better system first: one row a pair, one row a system."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names, schemas
from betterthan.results import rows
from betterthan.results.comparison import Comparison

_ENDED = {
    "better_than": ("a_better",),
    "worse_than": ("b_better",),
    "equivalent_to": ("equivalent",),
    "undecided": ("undecided", "split", "no_verdict"),
    "never_compared": ("no_data",),
}
_OF_SYSTEM = (
    *("score", "score_lower", "score_upper", "n_right", "n_scored"),
    *("prob_best", "expected_rank", "rank_lower", "rank_upper", "in_best_set"),
)


def pair_rows(comparison: Comparison | xr.Dataset) -> pd.DataFrame:
    """Every pair as a row, told from the side of the system that is ahead.

    Parameters
    ----------
    comparison : Comparison
        From `compare`, or its data by engine.

    Returns
    -------
    pandas.DataFrame
        ``system``, ``other``, ``prob_better``, its Monte Carlo error ``mcse`` (where sampled),
        ``difference``, ``lower``, ``upper``, ``within_rope`` (with a rope), ``verdict`` ("better":
        the first is), ``wins``, ``losses``, ``ties`` (where known), ``n``, ``bayes_factor_01``, for
        each test ``p_value_<test>`` and ``p_adjusted_<test>``. With several engines, as many rows
        and a column ``engine``. Rows stand as in the report, the best systems first.

    Examples
    --------
    >>> import betterthan as bt
    >>> row = pair_rows(bt.compare(bt.datasets.contingency_case("a"))).iloc[0]
    >>> row["system"], row["verdict"], row["wins"].item()
    ('A', 'better', 12)
    """
    ordered = best_first(_by_engine(comparison))
    engines = [str(engine) for engine in ordered[names.ENGINE].values]
    each = [rows.each_pair(ordered.isel({names.ENGINE: k})) for k in range(len(engines))]
    turn = rows.turned(each[0])
    tables = [rows.told(pairs, turn) for pairs in each]
    if len(engines) == 1:
        return tables[0]
    for table, engine in zip(tables, engines, strict=True):
        table.insert(2, "engine", engine)
    return pd.concat(tables, ignore_index=True)


def system_rows(comparison: Comparison | xr.Dataset) -> pd.DataFrame:
    """Every system as a row, the best first.

    Parameters
    ----------
    comparison : Comparison
        From `compare`, or its data by engine.

    Returns
    -------
    pandas.DataFrame
        ``system``; how many others it is ``better_than``, ``worse_than``, ``equivalent_to``,
        ``undecided`` with and ``never_compared`` with; where known ``score`` with
        ``score_lower`` and ``score_upper``, ``n_right``, ``n_scored``, ``prob_best``,
        ``expected_rank``, ``in_best_set``.

    Examples
    --------
    >>> import betterthan as bt
    >>> system_rows(bt.compare(bt.datasets.contingency_case("a")))["better_than"].tolist()
    [1, 0]
    """
    data = _by_engine(comparison)
    return systems_of(best_first(data).isel({names.ENGINE: 0}))


def _by_engine(comparison: Comparison | xr.Dataset) -> xr.Dataset:
    data = comparison.by_engine() if isinstance(comparison, Comparison) else comparison
    schemas.comparison(data)
    return data


def systems_of(main: xr.Dataset) -> pd.DataFrame:
    """The rows of `system_rows`, of one engine, in the order given."""
    verdict = np.where(in_one_unit(main), "no_verdict", main["verdict"].values.astype(str))
    others = ~np.eye(len(verdict), dtype=bool)
    table: dict[str, Any] = {"system": main[names.SYSTEM_A].values.astype(str)}
    for name, verdicts in _ENDED.items():
        table[name] = (np.isin(verdict, verdicts) & others).sum(1)
    return pd.DataFrame(table | {v: main[v].values for v in _OF_SYSTEM if v in main})


def in_one_unit(main: xr.Dataset) -> np.ndarray:
    """The pairs whose examples are all in one cluster, or all of one item: they were compared, and
    that says nothing about new clusters or items.
    """
    dims = [dim for dim in names.SQUARE if dim in main.dims]
    if "n_units" not in main or "n" not in main:
        return np.zeros(main["verdict"].shape, dtype=bool)
    one = (main["verdict"] == "no_data") & (main["n"] > 0) & (main["n_units"] == 1)
    return one.transpose(..., *dims).values


def best_first(comparison: xr.Dataset) -> xr.Dataset:
    """Its systems by their scores or expected ranks (`rows.order_by`); where there are none, from
    the one that is most probably better than the others to the least.
    """
    known = [k for k in ("prob_better", "verdict", "expected_rank", "score") if k in comparison]
    main = comparison[known].isel({names.ENGINE: 0})
    better = main["prob_better"].where(main["verdict"] != "no_data")
    order = np.argsort(-better.mean(names.SYSTEM_B).values, kind="stable")
    by = rows.order_by(main)
    if by is not None:
        order = np.argsort(by, kind="stable")
    dims = [dim for dim in (*names.SQUARE, names.SYSTEM) if dim in comparison.dims]
    return comparison.isel(dict.fromkeys(dims, order))


def ahead_first(table: xr.Dataset) -> list[tuple[int, int]]:
    """Places of every pair, that of the system ahead first; of any table over both systems."""
    p = table["prob_better"].transpose(*names.SQUARE).values
    pairs = zip(*np.triu_indices(len(p), 1), strict=True)
    return [(int(j), int(i)) if p[i, j] < 0.5 else (int(i), int(j)) for i, j in pairs]
