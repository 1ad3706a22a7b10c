"""The result of a plan: a Dataset that shows itself, and its page."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.document import Document, Part, Table
from betterthan.results.escapes import on_one_line
from betterthan.results.markup import as_part
from betterthan.results.text import printed

_ROWS = 20  # of a table that are shown
_PROBABILITIES = ("a_better", "b_better", "equivalent", "undecided", "prob", "same", "ceiling")


def document(plan: Any) -> Document:
    """Show the words, the table and the provenance line."""
    full_table = table(plan.data)
    rows = _some(full_table, plan.attrs)
    n_omitted = len(full_table) - len(rows)
    more = f"{n_omitted} more rows: .table has all" if n_omitted else ""
    named = list(takewhile(lambda name: full_table[name].dtype.kind not in "biuf", rows))
    numbers_table = Table(
        tuple(map(_column_title, rows)),
        [tuple(map(_cell, row)) for row in rows.itertuples(index=False)],
        "; ".join(filter(None, [str(plan.attrs.get("answer", "")).capitalize(), more])),
        left=len(named),
    )
    return Document(
        "",
        parts=[Part("Numbers", tables=[numbers_table])],
        signatures=[on_one_line(plan.signature())],
        answer=[on_one_line(line) for line in plan.lines],
    )


def _column_title(name: Any) -> str:
    """A column's name in words, which may break between them."""
    return _HEADS.get(name) or str(name).replace("_", " ").capitalize()


_HEADS = dict(zip(names.SQUARE, ("System", "Other"), strict=True))


def _cell(value: Any) -> str:
    return on_one_line(str(value)) if str(value) else ""


def table(data: xr.Dataset) -> pd.DataFrame:
    """Tabulate: a row for each pair, number of items or look; a column for each verdict."""
    data = _unordered_pairs(data)
    row_dims = {d for v in data.data_vars.values() for d in v.dims} - set(_COLUMNS)
    data = data.drop_vars(
        [k for k, v in data.data_vars.items() if row_dims and not row_dims & {*v.dims}]
    )
    for dim in _COLUMNS:
        if dim in data.dims:
            data = _columns(data, dim)
    if not data.dims:
        values = {**data.coords, **data.data_vars}
        return pd.DataFrame({str(k): [v.values[()]] for k, v in values.items()})
    rows: Any = data.to_dataframe().reset_index()
    rows = rows.drop(columns=[c for c in (names.PAIR,) if c in rows])
    first = [c for c in rows if c in data.coords]
    return rows[[*first, *[c for c in rows if c not in first]]]


_COLUMNS = ("verdict", "claim", names.OUTCOME, "signal")  # dims whose labels are columns


def _unordered_pairs(data: xr.Dataset) -> xr.Dataset:
    """Keep each unordered pair once."""
    if names.SYSTEM_A not in data.dims:
        return data
    labels = data[names.SYSTEM_A].values.astype(str)
    pair_rows = np.triu_indices(len(labels), 1)
    index = {
        k: xr.DataArray(v, dims=names.PAIR) for k, v in zip(names.SQUARE, pair_rows, strict=True)
    }
    by_pair = data.isel(index).drop_vars(names.SQUARE, errors="ignore")
    sides = zip(names.SQUARE, pair_rows, strict=True)
    return by_pair.assign_coords({k: (names.PAIR, labels[v]) for k, v in sides})


def _columns(data: xr.Dataset, dim: str) -> xr.Dataset:
    """Split variables with dim `dim` into one variable for each label."""
    by = [str(k) for k, v in data.data_vars.items() if dim in v.dims]
    labels = [str(x) for x in data[dim].values]
    variables = {
        _headed(dim, label, name, k): data[name].sel({dim: label}, drop=True)
        for k, name in enumerate(by)
        for label in labels
    }
    return data.drop_vars([*by, dim]).assign(variables)


def _headed(dim: str, label: str, name: str, place: int) -> str:
    if dim == names.OUTCOME:
        return f"{name}_{label}"
    return label if place == 0 else f"{label}_{name}"


def _some(rows: pd.DataFrame, attrs: dict[str, Any]) -> pd.DataFrame:
    """Select evenly spaced rows and format them."""
    index = np.unique(np.linspace(0, len(rows) - 1, min(_ROWS, len(rows))).round().astype(int))
    selected = rows.iloc[index].copy()
    certain = () if attrs.get("answer") == "e-value" else _PROBABILITIES
    selected = selected[
        [c for c in selected if not (selected[c].isna().all() or (selected[c] == "").all())]
    ]
    for name in selected:
        column: Any = selected[name]
        if column.dtype.kind == "f":
            write = numbers.probability if str(name).startswith(certain) else _number
            selected[name] = [write(float(x)) for x in column]
    return selected


def _number(x: float) -> str:
    return "–" if np.isnan(x) else f"{x:.4g}" if abs(x) < 1e4 or x != round(x) else f"{x:.0f}"


def signature(attrs: dict[str, Any]) -> str:
    """Return the provenance line of a plan."""
    parts = [f"betterthan {attrs.get('version', '')}".strip()]
    for name, value in attrs.items():
        if name in _SIGNED:
            parts.append(f"{_SIGNED[name]}{_written(value)}")
    return " | ".join(parts)


_SIGNED = {
    "answer": "",
    "design": "design=",
    "theta": "theta=",
    "prior": "prior=",
    "target": "target=",
    "of": "of ",
    "rope": "rope=",
    "threshold": "verdict at ",
    "bayes_factor": "verdict at a Bayes factor of ",
    "error": "error=",
    "alpha": "alpha=",
    "alternative": "",
    "ties": "ties=",
}


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    if np.ndim(value):
        return f"({', '.join(f'{x:g}' for x in value)})"
    return f"{value:g}"


@dataclass(frozen=True, repr=False)
class Plan:
    """A plan: print it for the answer in words and in numbers.

    Attributes
    ----------
    data : xarray.Dataset
        Every number, labelled. ``attrs`` say how it was made; ``plan["x"]`` is ``plan.data["x"]``.
    lines : tuple of str
        The answer in plain sentences.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.foresee((12, 6, 32), until=200)
    >>> print(found.lines[0])
    Undecided today (P(A better) 0.916, 50 items).
    """

    data: xr.Dataset
    lines: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> xr.DataArray:
        return self.data[name]

    def __contains__(self, name: str) -> bool:
        return name in self.data

    @property
    def attrs(self) -> dict[str, Any]:
        """How it was made."""
        return self.data.attrs

    @property
    def table(self) -> pd.DataFrame:
        """One row for each pair, and for each number of items or look."""
        return table(self.data)

    def signature(self) -> str:
        """One line that says how it was made."""
        return signature(self.data.attrs)

    def __str__(self) -> str:
        return printed(document(self))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_part(document(self))
