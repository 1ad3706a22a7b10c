"""The result of a plan: a Dataset that shows itself, and its page."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.exact.planning.verdicts import VERDICTS
from betterthan.results import numbers
from betterthan.results.document import Document, Part, Table
from betterthan.results.numbers import on_one_line
from betterthan.results.result import Summary
from betterthan.results.robustness import wins_counted_on
from betterthan.results.sentences import verdict_label

_ROWS = 20  # of a table that are shown
_PROBABILITIES = (
    *("a_better", "b_better", "equivalent", "undecided", "prob", "same", "ceiling"),
    *("replicates", "more_probability", "more_equivalent"),
)


_ANSWERS = {
    "repeated runs": "runs of each item, and items, for a budget",
    "labels beside a judge": "human labels and judge outputs",
    "looking again": "interim looks",
    "foresight": "predictive probabilities of verdicts",
    "outlook": "stability of verdicts, and items still needed",
    "fragility": "fragility index: the fewest items that overturn a verdict",
}
_FULL = {  # columns that only `.table` has
    "human labels and judge outputs": (
        *("r2", "n", "n_gold", "effective_gold", "effective_gold_lower", "effective_gold_upper"),
        *("ceiling", "best_ratio", "unlabelled"),
    ),
    "runs of each item, and items, for a budget": ("item_variance", "run_variance"),
}


def _with_verdicts(rows: pd.DataFrame) -> pd.DataFrame:
    """Verdicts with the name of the better system."""
    if "now" not in rows:
        return rows
    n = len(rows)
    first, second = (
        rows[name] if name in rows else [letter] * n
        for name, letter in zip(names.SQUARE, "AB", strict=True)
    )
    verdicts = [
        verdict_label(str(verdict), str(a), str(b))
        for verdict, a, b in zip(rows["now"], first, second, strict=True)
    ]
    return rows.assign(now=verdicts)


def _column_title(name: Any, data: xr.Dataset) -> str:
    """A column's name in words, which may break between them."""
    if "signal" in data.dims and name in data["signal"].values.astype(str):
        return f"Next labels: {name}"
    if data.attrs.get("pairwise") and name == "now":
        return "Pairwise verdict"
    if data.attrs.get("answer") == "e-value" and name in _OF_E_VALUES:
        return _OF_E_VALUES[name]
    if data.attrs.get("answer") == "repeated runs" and name in _OF_RUNS:
        return _OF_RUNS[name]
    if data.attrs.get("answer") == "outlook" and name in ("more_items", "n_units"):
        more = name == "more_items"
        return f"{'More' if more else 'Number of'} {data.attrs['of']}"
    of_means = "difference" in data or data.attrs.get("answer") == "cluster power"
    if of_means and name in _OF_MEANS:
        return _OF_MEANS[name]
    if name == "n" and "n_gold" in data:
        return "Judged items"
    if set(names.SQUARE) <= {*data.coords, *data.data_vars} and name in _OF_PAIRS:
        return _OF_PAIRS[name]
    heading = _HEADS.get(name) or str(name).replace("_", " ").capitalize()
    if data.attrs.get("answer") == "outlook":
        units = wins_counted_on(data.attrs)
        heading = heading.replace("Items", units.capitalize()).replace("items", units)
    return heading


_HEADS = dict(zip(names.SQUARE, ("System", "Other"), strict=True)) | {
    "now": "Verdict",
    "n": "Items",
    "n_gold": "Human labels",
    "n_more": "More items",
    "decisive": "Non-tied items",
    "drop": "Items to remove",
    "turn": "Items to flip",
    "drop_to_other": "Items to remove, other better",
    "turn_to_other": "Items to flip, other better",
    "replicates": "Replication probability",
    "same": "Replication probability",
    "more_probability": "P(verdict)",
    "more_equivalent": "P(equivalent)",
    "prob_better": "P(better)",
    "a_better": "P(A better)",
    "b_better": "P(B better)",
    "equivalent": "P(equivalent)",
    "undecided": "P(undecided)",
    "first": "Items needed",
    "always": "Sufficient from",
    "ceiling": "Limiting probability",
    "look": "Look after items",
    "error": "Cumulative error",
    "level": "Significance level",
    "labels": "Human labels",
    "width": "Width, random items",
    "width_chosen": "Width, best allocation",
}
for _outcome, _plural in zip(names.OUTCOMES, ("wins", "losses", "ties"), strict=True):
    _HEADS[f"dropped_{_outcome}"] = f"{_plural.capitalize()} to remove"
    _HEADS[f"turned_{_outcome}"] = f"Change in {_plural}"
for _verdict in VERDICTS:
    _HEADS[f"{_verdict}_ceiling"] = f"Limiting {_HEADS[_verdict]}"
    _HEADS[f"{_verdict}_alone"] = f"{_HEADS[_verdict]}, one look"
_OF_MEANS = {"n": "Units", "n_more": "More units", "error": "Standard error"}
_OF_RUNS = {
    "runs": "Runs of each item",
    "error": "Standard error",
    "best": "Best, not rounded",
    "best_lower": "Lower",
    "best_upper": "Upper",
    "best_error": "Standard error",
}
_OF_E_VALUES = {
    "a_better": "E-value, A better",
    "b_better": "E-value, B better",
    "a_better_log_e_value": "Log e-value, A better",
    "b_better_log_e_value": "Log e-value, B better",
    "equivalent": "E-value, equivalent",
}
_OF_PAIRS = {"a_better": "P(system better)", "b_better": "P(other better)"}


def _cell(value: Any) -> str:
    return on_one_line(str(value)) if str(value) else ""


_WINS = ("wins", "losses")  # that a verdict takes; -1 where no number does
_COLUMNS = ("verdict", "claim", names.OUTCOME, "signal")  # dims whose labels are columns


def _unordered_pairs(data: xr.Dataset) -> xr.Dataset:
    """Keep each unordered pair once."""
    if names.SYSTEM_A not in data.dims:
        return data
    labels = data[names.SYSTEM_A].values.astype(str)
    places = dict(zip(names.SQUARE, np.triu_indices(len(labels), 1), strict=True))
    index = {k: xr.DataArray(v, dims=names.PAIR) for k, v in places.items()}
    by_pair = data.isel(index).drop_vars(names.SQUARE, errors="ignore")
    return by_pair.assign_coords({k: (names.PAIR, labels[v]) for k, v in places.items()})


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
    selected: Any = rows.iloc[index].copy()
    certain = () if attrs.get("answer") == "e-value" else _PROBABILITIES
    blank = [c for c in selected if selected[c].isna().all() or (selected[c] == "").all()]
    selected = selected.drop(columns=blank)
    for name in selected:
        column = selected[name]
        if column.dtype.kind in "iuf":
            write = numbers.probability if str(name).startswith(certain) else _number
            column = column.where(column >= 0) if name in _WINS else column
            selected[name] = [write(float(x)) for x in column]
    return selected


def _number(x: float) -> str:
    if np.isnan(x):
        return "–"
    if np.isinf(x):
        return "∞"
    return (f"{x:,.0f}" if x == round(x) else f"{x:.4g}").replace("-", "−")


_SIGNED = {
    **{k: f"{k}=" for k in ("design", "theta", "prior", "target", "keep", "rope", "error")},
    **{k: f"{k}=" for k in ("alpha", "ties", "budget")},
    "answer": "",
    "of": "of ",
    "threshold": "verdict at ",
    "bayes_factor": "verdict at a Bayes factor of ",
    "alternative": "",
    "cost_item": "cost of an item=",
    "cost_run": "cost of a run=",
}


def _written(value: Any) -> str:
    if isinstance(value, str | bool):
        return str(value)
    if np.ndim(value):
        return f"({', '.join(f'{x:g}' for x in value)})"
    return f"{value:g}"


@dataclass(frozen=True, repr=False)
class Plan(Summary):
    """A sample size, power, or another plan; the result of functions in ``bt.plan``.

    Print it for the answer in words and in numbers.

    Attributes
    ----------
    data : xarray.Dataset
        All results. ``attrs`` record every choice; ``plan["x"]`` is short for ``plan.data["x"]``.
    lines : tuple of str
        Answer in plain sentences.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.foresee((12, 6, 32), until=200)
    >>> print(plan.lines[0])
    Undecided: P(A better) = 0.916 after 50 items.
    """

    @property
    def table(self) -> pd.DataFrame:
        """Return the plan as a table, one row per pair, number of items, or look."""
        data = _unordered_pairs(self.data)
        row_dims = {d for v in data.data_vars.values() for d in v.dims} - set(_COLUMNS)
        others = [k for k, v in data.data_vars.items() if row_dims and not row_dims & {*v.dims}]
        data = data.drop_vars(others)
        for dim in _COLUMNS:
            if dim in data.dims:
                data = _columns(data, dim)
        if not data.dims:
            values = {**data.coords, **data.data_vars}
            return pd.DataFrame({str(k): [v.values[()]] for k, v in values.items()})
        rows: Any = data.to_dataframe().reset_index().drop(columns=names.PAIR, errors="ignore")
        first = [c for c in rows if c in data.coords]
        return rows[[*first, *[c for c in rows if c not in first]]]

    def signature(self) -> str:
        """Return the provenance line: every choice in one line."""
        parts = [f"betterthan {self.attrs.get('version', '')}".strip()]
        for name, value in self.attrs.items():
            if name in _SIGNED:
                parts.append(f"{_SIGNED[name]}{_written(bool(value) if name == 'keep' else value)}")
        return " | ".join(parts)

    def document(self) -> Document:
        """Build the words, the table and the provenance line."""
        full_table = self.table
        rows = _some(_with_verdicts(full_table), self.attrs)
        kind = str(self.attrs.get("answer", ""))
        answer = _ANSWERS.get(kind, kind)
        rows = rows.drop(columns=[name for name in _FULL.get(answer, ()) if name in rows])
        n_omitted = len(full_table) - len(rows)
        more = f"{n_omitted} more rows: .table has all" if n_omitted else ""
        named = list(takewhile(lambda name: full_table[name].dtype.kind not in "biuf", rows))
        numbers_table = Table(
            tuple(_column_title(name, self.data) for name in rows),
            [tuple(map(_cell, row)) for row in rows.itertuples(index=False)],
            "; ".join(filter(None, [answer[:1].upper() + answer[1:], more])),
            left=len(named),
        )
        return Document(
            "",
            parts=[Part("Numbers", tables=[numbers_table])],
            signatures=[on_one_line(self.signature())],
            answer=[on_one_line(line) for line in self.lines],
        )
