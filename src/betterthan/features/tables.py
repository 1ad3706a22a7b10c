"""Features and a response, row by row, checked; and rows that belong together.

Group rows whose index labels or features repeat.

Where raters of one dialogue are rows, the scores of the dialogue stand in each of them. Left out
one by one, such a row is predicted by fits that have seen its dialogue.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.exact import regression

_FEW_LOST = 0.1  # so many rows may lack a feature, and a count is all that is said of them


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
    groups_named: bool = True  # whether the caller said what belongs together

    @property
    def dropped(self) -> int:
        """Rows given and not used."""
        return self.dropped_response + self.dropped_feature


def feature_table(
    features: Any, response: Any, *, columns: Sequence[str] | None = None, by: Any = None
) -> FeatureTable:
    """Join features and response, without rows with gaps; refuse what explains nothing.

    `by` is a column, an index level, one label for each row, or "row": every row by itself.
    """
    frame, confusions = _frame(features)
    y, name = _response(frame, response)
    labels, grouped_by = _group_labels(frame, by)
    x = _columns(frame, columns, {name if isinstance(response, str) else None, grouped_by or None})
    no_response, no_feature = np.isnan(y), np.isnan(x.to_numpy()).any(1)
    keep = ~no_response & ~no_feature
    _refuse_few(keep, no_response, x)
    rows = np.array([str(r) for r in x.index])[keep]
    group_labels = rows if labels is None else labels[keep]
    numbers, group_names = _numbered(group_labels, labels is not None)
    table = FeatureTable(
        x=x.to_numpy()[keep],
        y=y[keep],
        features=[str(c) for c in x.columns],
        rows=rows.tolist(),
        response=name,
        groups=numbers,
        group_names=group_names,
        grouped_by=grouped_by,
        dropped_response=int(no_response.sum()),
        dropped_feature=int((no_feature & ~no_response).sum()),
        confusions=confusions,
        groups_named=by is not None,
    )
    _refuse_constants(table)
    return table


def refuse_collinear(table: FeatureTable) -> None:
    """Refuse features that least squares cannot tell apart."""
    n, p = table.x.shape
    if n < p + 3:
        raise ValueError(
            f"{n} dialogues are too few for least squares on {p} features (at least {p + 3}); "
            "choose fewer, or use betterthan.models.performance_function, which shrinks them"
        )
    scaled = regression.standardise(table.x)[0]
    dependency = regression.dependent(scaled)
    if dependency is not None:
        column, others = dependency
        name, because = table.features[column], [table.features[k] for k in others]
        how = "a copy of" if len(because) == 1 else "a weighted sum of"
        raise ValueError(
            f"feature {name!r} is {how} {', '.join(because)} (up to scale and shift); leave one "
            f"of them out"
        )


def _frame(features: Any) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the features as a table, and the confusions that are features."""
    frame, confusions = features, ()
    if isinstance(features, xr.DataArray):
        if set(features.dims) != {names.DIALOGUE, names.FEATURE}:
            dims = ", ".join(map(str, features.dims))
            raise ValueError(f"features have dims ({dims}); give (dialogue, feature)")
        ordered = features.transpose(names.DIALOGUE, names.FEATURE)
        named = names.DIALOGUE in ordered.coords
        rows = ordered[names.DIALOGUE].values if named else np.arange(len(ordered))
        frame = pd.DataFrame(ordered.values, rows, [str(f) for f in ordered[names.FEATURE].values])
        confusions = tuple(map(str, features.attrs.get("confusions", ())))
    wanted = "pandas.DataFrame, one row for each dialogue"
    checks.of_type(frame, pd.DataFrame, "features are", wanted)
    checks.unique([str(c) for c in frame.columns], "feature")
    checks.fit(map(str, frame.index), "row")
    return frame, confusions


def _response(frame: pd.DataFrame, response: Any) -> tuple[np.ndarray, str]:
    """Return one number for each row, and the name of the response."""
    if isinstance(response, str):
        if response not in frame:
            column_names = ", ".join(map(str, frame.columns))
            raise ValueError(
                f"there is no column {checks.quoted(response)} for response; the columns are "
                f"{column_names}"
            )
        return _numbers(frame[response], response), response
    if isinstance(response, xr.DataArray):
        if response.dims != (names.DIALOGUE,):
            dims = ", ".join(map(str, response.dims))
            raise ValueError(f"response has dims ({dims}); give (dialogue,)")
        named = names.DIALOGUE in response.coords
        index = response[names.DIALOGUE].values if named else frame.index
        response = pd.Series(response.values, index=index, name=response.name)
    if isinstance(response, pd.Series):
        name = str(response.name or "response")
        return _numbers(_by_dialogue(frame, response), name), name
    values = _numbers(_row_values(response, "response"), "response")
    if len(values) != len(frame):
        raise ValueError(
            f"response has {len(values)} numbers and features {len(frame)} rows; give one for "
            "each dialogue"
        )
    return values, "response"


def _row_values(values: Any, what: str) -> Any:
    """One value for each row, as a Series; not from a table or a mapping."""
    if isinstance(values, xr.Dataset | Mapping) or not np.ndim(values):
        raise ValueError(f"{what} is {checks.quoted(values)}; give one value for each row")
    return pd.Series(np.asarray(values).reshape(-1))


def _by_dialogue(frame: pd.DataFrame, response: pd.Series) -> pd.Series:
    """In the order of the features."""
    unique = response.index.is_unique and frame.index.is_unique
    if set(response.index) != set(frame.index) or not unique:
        odd = [str(k) for k in response.index.symmetric_difference(frame.index)]
        where = f": {odd[0]!r} is in one alone" if odd else ", each of them once"
        raise ValueError(f"features and response must have the same dialogues{where}")
    return response.reindex(frame.index)


def _group_labels(frame: pd.DataFrame, groups: Any) -> tuple[np.ndarray | None, str]:
    if groups is None or _alone(frame, groups):
        return None, ""
    if isinstance(groups, str):
        column, name = _grouping(frame, groups), groups
    else:
        column, name = _row_values(groups, "groups"), "groups"
        if len(column) != len(frame):
            raise ValueError(
                f"groups name {len(column)} rows and features have {len(frame)}; give one for "
                "each row"
            )
    if column.isna().any():
        row = int(column.isna().to_numpy().argmax()) + 1
        raise ValueError(f"{name!r} is missing in row {row}; every row needs one")
    checks.fit(column.tolist(), name)
    return column.astype(str).to_numpy(), name


def _alone(frame: pd.DataFrame, groups: Any) -> bool:
    """Return whether the caller declared every row independent, and no column has that name."""
    is_column = groups in frame or groups in frame.index.names if isinstance(groups, str) else True
    return not is_column and groups == names.ROW


def _grouping(frame: pd.DataFrame, name: str) -> Any:
    """Return a column or an index level."""
    if name in frame:
        return frame[name]
    if name in frame.index.names:
        return frame.index.to_frame()[name]
    column_names = ", ".join(map(str, frame.columns))
    raise ValueError(
        f"there is no column {checks.quoted(name)} to group by; the columns are {column_names}"
    )


def _columns(
    frame: pd.DataFrame, columns: Sequence[str] | None, others: set[str | None]
) -> pd.DataFrame:
    if columns is None:
        chosen = [c for c in frame.columns if c not in others]
    else:
        chosen = list(checks.labels(columns, "columns"))
        checks.unique(chosen, "feature")
    for column in chosen:
        if column not in frame:
            column_names = ", ".join(map(str, frame.columns))
            raise ValueError(
                f"there is no feature {checks.quoted(column)} for columns; given are {column_names}"
            )
        if column in others:
            raise ValueError(
                f"{column!r} is the response or the group; it cannot be a feature as well"
            )
    if not chosen:
        raise ValueError(
            "there are no features; give at least one column in addition to the response"
        )
    numbers = {str(c): _numbers(frame[c], str(c)) for c in chosen}
    return pd.DataFrame(numbers, index=frame.index)


def _is_beyond(value: Any) -> bool:
    """Whether an int is too large for a float."""
    return isinstance(value, int) and value.bit_length() > 1000


def _numbers(column: Any, name: str) -> np.ndarray:
    parsed: Any = column
    if not pd.api.types.is_numeric_dtype(column):
        parsed = pd.to_numeric(column.where(~column.map(_is_beyond)), errors="coerce")
    values = parsed.to_numpy(dtype=float, na_value=np.nan)
    bad = np.isnan(values) & ~column.isna().to_numpy()
    if bad.any():
        bad &= (column.astype(str).str.strip() != "").to_numpy()
    if bad.any():
        k = int(bad.argmax())
        raise ValueError(
            f"column {name!r} holds {checks.quoted(column.iloc[k])} in row {k + 1}, no number; "
            "mend it or leave the column out"
        )
    if np.isinf(values).any():
        row = int(np.isinf(values).argmax()) + 1
        raise ValueError(f"column {name!r} is infinite in row {row}; give a finite number")
    return values


def _numbered(labels: np.ndarray, has_labels: bool) -> tuple[np.ndarray, list[str]]:
    """Number the groups in order of appearance; without labels every row is its own group."""
    if not has_labels:
        return np.arange(len(labels)), labels.tolist()
    group_names = list(dict.fromkeys(labels.tolist()))
    if len(group_names) < 3:
        raise ValueError(f"there are {len(group_names)} groups; give rows of at least 3")
    place = {name: k for k, name in enumerate(group_names)}
    return np.array([place[label] for label in labels]), group_names


def _tell_of_gaps(x: pd.DataFrame) -> None:
    """Warn where rows are lost, and which feature costs most of them."""
    gaps = x.isna()
    lost, most = int(gaps.any(axis=1).sum()), gaps.sum()
    if lost > _FEW_LOST * len(x):
        worst = most.idxmax()
        warnings.warn(
            f"{lost} of {len(x)} rows are left out, because they lack a feature, {most[worst]} of "
            f"them {worst!r}; without that column more rows stay",
            skip_file_prefixes=names.PACKAGE,
        )


def _refuse_few(keep: np.ndarray, no_response: np.ndarray, x: pd.DataFrame) -> None:
    _tell_of_gaps(x.loc[~no_response])
    if keep.sum() < 3:
        raise ValueError(
            f"{keep.sum()} of {len(keep)} dialogues have a response and every feature; at least 3 "
            "are needed"
        )


def _refuse_constants(table: FeatureTable) -> None:
    for name, column in [*zip(table.features, table.x.T, strict=True), (table.response, table.y)]:
        if np.ptp(column) <= 1e-12 * max(1.0, float(np.abs(column).max())):
            role = "response" if column is table.y else "feature"
            raise ValueError(
                f"{role} {name!r} is {column[0]:g} in all {len(column)} dialogues; it can explain "
                f"nothing"
            )


_LEAST = 3


def grouped(table: FeatureTable) -> FeatureTable:
    """Group repeated rows, with a warning; groups named by the caller stay."""
    kinds = _repeating(table)
    if table.groups_named or not kinds:
        return table
    groups = _joined([numbers for numbers, _ in kinds])
    count, by = int(groups.max()) + 1, kinds[0][1]
    finding = f"{len(groups)} rows are of {count} {_PLURAL[by]}"
    advice = (
        "say by leave_out what belongs together (a column, an index level, a label for each row), "
        f"or leave_out={names.ROW!r} if every row is independent"
    )
    if count < _LEAST:
        raise ValueError(f"{finding}, and at least {_LEAST} are needed; {advice}")
    warnings.warn(
        f"{finding}, and rows of one are left out together; {advice}",
        skip_file_prefixes=names.PACKAGE,
    )
    first = [int((groups == k).argmax()) for k in range(count)]
    names_of_groups = [table.rows[k] for k in first]
    return replace(table, groups=groups, group_names=names_of_groups, grouped_by=by)


_PLURAL = {
    names.SAME_INDEX: "different index labels",
    names.SAME_FEATURES: "different rows of features",
}


def warn_of_model(table: FeatureTable) -> None:
    """Warn that a model without `by` takes repeated rows as independent."""
    kinds = _repeating(table)
    if kinds and not table.groups_named:
        count = int(_joined([numbers for numbers, _ in kinds]).max()) + 1
        warnings.warn(
            f"errors may be too small: {len(table.y)} rows are of {count} "
            f"{_PLURAL[kinds[0][1]]}, and the model takes them as independent; pass by= with what "
            f"belongs together (such as the dialogue), or by={names.ROW!r} if every row is "
            "independent",
            skip_file_prefixes=names.PACKAGE,
        )


def number_shared(table: FeatureTable) -> int:
    """Rows with the features of a row in another fold."""
    same = _row_groups(table.x)
    pairs = np.unique(np.column_stack([same, table.groups]), axis=0)
    folds = np.bincount(pairs[:, 0])  # in how many folds each row of features stands
    return int((folds[same] > 1).sum())


def _repeating(table: FeatureTable) -> list[tuple[np.ndarray, str]]:
    """By index label and by features: numbers of rows, where some repeat."""
    labels = np.unique(np.array(table.rows), return_inverse=True)[1].reshape(-1)
    kinds = [(labels, names.SAME_INDEX), (_row_groups(table.x), names.SAME_FEATURES)]
    return [(numbers, by) for numbers, by in kinds if numbers.max() + 1 < len(numbers)]


def _row_groups(x: np.ndarray) -> np.ndarray:
    """Equal rows have equal numbers."""
    return np.unique(x + 0.0, axis=0, return_inverse=True)[1].reshape(-1)


def _joined(kinds: list[np.ndarray]) -> np.ndarray:
    """Numbers of groups, in order of appearance, such that rows alike in any way are in one."""
    groups, before = np.arange(len(kinds[0])), np.array([])
    while not np.array_equal(groups, before):
        before = groups
        for numbers in kinds:
            least = np.full(numbers.max() + 1, len(numbers))
            np.minimum.at(least, numbers, groups)
            groups = least[numbers]
    return np.unique(groups, return_inverse=True)[1].reshape(-1)
