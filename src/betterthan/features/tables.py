"""Features and a response, dialogue by dialogue, checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.exact.regression import least_squares


@dataclass(frozen=True)
class FeatureTable:
    """What is left after rows with a gap were dropped; nothing else was changed."""

    x: np.ndarray  # (dialogue, feature)
    y: np.ndarray  # (dialogue,)
    features: list[str]
    rows: list[str]  # names of the dialogues
    response: str
    groups: np.ndarray  # number of the group of each row, from 0
    group_names: list[str]
    grouped_by: str  # empty where every row is its own group
    dropped_response: int  # rows without a response
    dropped_feature: int  # rows with a response that lack a feature
    confusions: tuple[str, ...]

    @property
    def dropped(self) -> int:
        """Rows given and not used."""
        return self.dropped_response + self.dropped_feature


def feature_table(
    features: Any, response: Any, *, columns: Sequence[str] | None = None, by: Any = None
) -> FeatureTable:
    """Join features and response, drop rows with gaps and count them, and refuse what explains
    nothing.

    `by` is a column, an index level, or one label for each row.
    """
    frame, confusions = _frame(features)
    y, name = _response(frame, response)
    labels, grouped_by = _group_labels(frame, by)
    x = _columns(frame, columns, {name if isinstance(response, str) else None, grouped_by or None})
    if not x.shape[1]:
        raise ValueError("there are no features; give at least one column beside the response")
    no_response, no_feature = np.isnan(y), np.isnan(x.to_numpy()).any(1)
    keep = ~no_response & ~no_feature
    if keep.sum() < 3:
        raise ValueError(
            f"{keep.sum()} of {len(keep)} dialogues have a response and every feature; at least 3 "
            f"are needed"
        )
    values, rows = x.to_numpy()[keep], np.array([str(r) for r in x.index])[keep]
    numbers, group_names = _numbered(
        labels[keep] if labels is not None else rows, labels is not None
    )
    table = FeatureTable(
        values,
        y[keep],
        [str(c) for c in x.columns],
        rows.tolist(),
        name,
        numbers,
        group_names,
        grouped_by,
        int(no_response.sum()),
        int((no_feature & ~no_response).sum()),
        confusions,
    )
    _refuse_constants(table)
    return table


def refuse_collinear(table: FeatureTable) -> None:
    """Refuse features that least squares cannot tell apart."""
    n, p = table.x.shape
    if n < p + 3:
        raise ValueError(
            f"{n} dialogues are too few for least squares on {p} features (at least {p + 3}); "
            f"choose fewer, or use "
            "betterthan.models.performance_function, which shrinks them"
        )
    scaled = least_squares.standardise(table.x)[0]
    found = least_squares.dependent(scaled)
    if found is not None:
        column, others = found
        name, because = table.features[column], [table.features[k] for k in others]
        how = "a copy of" if len(because) == 1 else "a weighted sum of"
        raise ValueError(
            f"feature {name!r} is {how} {', '.join(because)} (up to scale and shift); leave one "
            f"of them out"
        )


def _frame(features: Any) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if isinstance(features, xr.DataArray):
        if set(features.dims) != {names.DIALOGUE, names.FEATURE}:
            raise ValueError(
                f"features have dims {tuple(map(str, features.dims))}; give (dialogue, feature)"
            )
        given = features.transpose(names.DIALOGUE, names.FEATURE)
        rows = (
            given[names.DIALOGUE].values
            if names.DIALOGUE in given.coords
            else np.arange(len(given))
        )
        frame = pd.DataFrame(given.values, rows, [str(f) for f in given[names.FEATURE].values])
        confusions = tuple(map(str, features.attrs.get("confusions", ())))
    elif isinstance(features, pd.DataFrame):
        frame, confusions = features, ()
    else:
        raise ValueError(
            f"features are a {type(features).__name__}; give a pandas.DataFrame, one row for each "
            f"dialogue"
        )
    checks.unique([str(c) for c in frame.columns], "feature")
    return frame, confusions


def _response(frame: pd.DataFrame, response: Any) -> tuple[np.ndarray, str]:
    if isinstance(response, str):
        if response not in frame:
            raise ValueError(
                f"there is no column {response!r}; the columns are "
                f"{', '.join(map(str, frame.columns))}"
            )
        return _numbers(frame[response], response), response
    if isinstance(response, xr.DataArray):
        if response.dims != (names.DIALOGUE,):
            raise ValueError(
                f"response has dims {tuple(map(str, response.dims))}; give (dialogue,)"
            )
        index = (
            response[names.DIALOGUE].values if names.DIALOGUE in response.coords else frame.index
        )
        response = pd.Series(response.values, index=index, name=response.name)
    if isinstance(response, pd.Series):
        if set(response.index) != set(frame.index) or not (
            response.index.is_unique and frame.index.is_unique
        ):
            odd = [str(k) for k in response.index.symmetric_difference(frame.index)]
            where = f": {odd[0]!r} is in one alone" if odd else ", each of them once"
            raise ValueError(f"features and response must have the same dialogues{where}")
        response = response.reindex(frame.index)
        return _numbers(response, str(response.name or "response")), str(
            response.name or "response"
        )
    values = _numbers(pd.Series(np.asarray(response).reshape(-1)), "response")
    if len(values) != len(frame):
        raise ValueError(
            f"response has {len(values)} numbers and features {len(frame)} rows; give one for "
            f"each dialogue"
        )
    return values, "response"


def _group_labels(frame: pd.DataFrame, groups: Any) -> tuple[np.ndarray | None, str]:
    if groups is None:
        return None, ""
    if isinstance(groups, str):
        if groups in frame:
            column: Any = frame[groups]
            name = groups
        elif groups in frame.index.names:
            column, name = frame.index.to_frame()[groups], groups
        else:
            raise ValueError(
                f"there is no column {groups!r} to group by; the columns are "
                f"{', '.join(frame.columns)}"
            )
    else:
        column, name = pd.Series(np.asarray(groups).reshape(-1)), "groups"
        if len(column) != len(frame):
            raise ValueError(
                f"groups name {len(column)} rows and features have {len(frame)}; give one for "
                f"each row"
            )
    if column.isna().any():
        raise ValueError(
            f"{name!r} is missing in row {int(column.isna().to_numpy().argmax()) + 1}; every row "
            f"needs one"
        )
    return column.astype(str).to_numpy(), name


def _columns(
    frame: pd.DataFrame, columns: Sequence[str] | None, others: set[str | None]
) -> pd.DataFrame:
    if columns is None:
        chosen = [c for c in frame.columns if c not in others]
    else:
        wanted = [columns] if isinstance(columns, str) else list(columns)
        checks.unique(wanted, "feature")
        for column in wanted:
            if column not in frame:
                raise ValueError(
                    f"there is no feature {column!r}; given are "
                    f"{', '.join(map(str, frame.columns))}"
                )
            if column in others:
                raise ValueError(
                    f"{column!r} is the response or the group; it cannot be a feature as well"
                )
        chosen = wanted
    numbers = {str(c): _numbers(frame[c], str(c)) for c in chosen}
    return pd.DataFrame(numbers, index=frame.index)


def _numbers(column: Any, name: str) -> np.ndarray:
    found: Any = pd.to_numeric(column, errors="coerce")
    values = found.to_numpy(dtype=float, na_value=np.nan)
    bad = (
        np.isnan(values)
        & ~column.isna().to_numpy()
        & (column.astype(str).str.strip() != "").to_numpy()
    )
    if bad.any():
        k = int(bad.argmax())
        raise ValueError(
            f"column {name!r} holds {column.iloc[k]!r} in row {k + 1}, no number; mend it or "
            f"leave the column out"
        )
    if np.isinf(values).any():
        raise ValueError(
            f"column {name!r} is infinite in row {int(np.isinf(values).argmax()) + 1}; give a "
            f"finite number"
        )
    return values


def _numbered(labels: np.ndarray, given: bool) -> tuple[np.ndarray, list[str]]:
    """Groups numbered in order of appearance; every row its own group where none are given."""
    if not given:
        return np.arange(len(labels)), labels.tolist()
    named = list(dict.fromkeys(labels.tolist()))
    if len(named) < 3:
        raise ValueError(f"there are {len(named)} groups; give rows of at least 3")
    place = {name: k for k, name in enumerate(named)}
    return np.array([place[label] for label in labels]), named


def _refuse_constants(table: FeatureTable) -> None:
    for name, column in [*zip(table.features, table.x.T, strict=True), (table.response, table.y)]:
        if np.ptp(column) <= 1e-12 * max(1.0, float(np.abs(column).max())):
            what = "response" if column is table.y else "feature"
            raise ValueError(
                f"{what} {name!r} is {column[0]:g} in all {len(column)} dialogues; it can explain "
                f"nothing"
            )
