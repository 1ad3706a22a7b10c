"""A comparison as one row per pair, for spreadsheets and other programs."""

import json
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.comparison.signature import signature
from betterthan.reporting.tests_beside import tests_of


def pair_table(comparison: xr.Dataset) -> Any:
    """Every unordered pair of a comparison as a row.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `compare`.

    Returns
    -------
    pandas.DataFrame
        ``system_a``, ``system_b``, ``wins``, ``losses``, ``ties`` (where known), ``n``,
        ``n_dropped`` (from scores), ``bayes_factor_01``, for each test ``p_<test>`` and
        ``p_<test>_adjusted``, and for each engine ``engine``, ``prob_better``, difference, masses,
        ``verdict``; one row for each pair and engine.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.pair_table(bt.compare(bt.datasets.contingency_case("a")))["wins"].tolist()
    [12]
    """
    import pandas as pd

    schemas.comparison(comparison)
    systems = np.array([str(s) for s in comparison[names.SYSTEM_A].values])
    i, j = np.triu_indices(systems.size, 1)
    shared: dict[str, Any] = {names.SYSTEM_A: systems[i], names.SYSTEM_B: systems[j]}
    for k, outcome in enumerate(comparison[names.OUTCOME].values):
        shared[{"win": "wins", "loss": "losses", "tie": "ties"}[str(outcome)]] = comparison[
            "counts"
        ].values[i, j, k]
    square = [
        v
        for v in ("n", "n_dropped", "bayes_factor_01", "z", "ties_flip", "p_flips")
        if v in comparison
    ]
    shared |= {v: comparison[v].values[i, j] for v in square}
    for k, test in enumerate(tests_of(comparison)):
        shared[f"p_{test}"] = comparison["p_value"].values[k][i, j]
        shared[f"p_{test}_adjusted"] = comparison["p_adjusted"].values[k][i, j]
    tables = []
    for engine in comparison[names.ENGINE].values:
        part = comparison.sel({names.ENGINE: engine})
        table = pd.DataFrame(shared | {"engine": str(engine)})
        for name in part.data_vars:
            if names.ENGINE in comparison[name].dims and names.REGION not in part[name].dims:
                table[str(name)] = part[name].values[i, j]
        if "mass" in part:
            for k, region in enumerate(part[names.REGION].values):
                table[f"mass_{region}"] = part["mass"].values[i, j, k]
        if engine == "exact":
            table = table.drop(columns=[c for c in table if str(c).endswith("_mcse")])
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def as_json(comparison: xr.Dataset) -> str:
    """A comparison as JSON: signature, settings, systems, pairs."""
    table = pair_table(comparison)
    rows = [{k: _plain(v) for k, v in row.items()} for row in table.to_dict("records")]
    document = {
        "signature": signature(comparison),
        "settings": {k: _plain(v) for k, v in comparison.attrs.items()},
        "systems": _systems(comparison),
        "pairs": rows,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _systems(comparison: xr.Dataset) -> list[dict[str, Any]]:
    systems = [{"system": str(s)} for s in comparison[names.SYSTEM_A].values]
    if "score" in comparison:
        for k, entry in enumerate(systems):
            entry |= {
                "score": _plain(comparison["score"].values[k]),
                "n_scored": int(comparison["n_scored"].values[k]),
            }
    for name in ("prob_best", "expected_rank", "in_best_set"):
        for k, entry in enumerate(systems if name in comparison else []):
            entry[name] = _plain(comparison[name].values[k])
    return systems


def _plain(value: Any) -> Any:
    """A value that JSON knows; nan becomes null."""
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
