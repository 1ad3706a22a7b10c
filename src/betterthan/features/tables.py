"""Features and a response, row by row, checked; rows that belong together; and scores of dialogues.

Group rows whose index labels or features repeat. Where raters of one dialogue are rows, the scores
of the dialogue stand in each of them. Left out one by one, such a row is predicted by fits that
have seen its dialogue.

Component scores of dialogues come from confusion matrices; one of them is the F-beta whose beta
predicts a response best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact import labels as formulas
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
    dependency = regression.dependent(regression.standardise(table.x)[0])
    if dependency is not None:
        column, others, left = dependency
        name, because = table.features[column], [table.features[k] for k in others]
        how = "a copy of" if len(because) == 1 else "a weighted sum of"
        right = "leave one of them out"
        if left > _ROUNDED:
            how = f"nearly {how}"
            right += ", or subtract the means before you square or multiply"
        raise ValueError(
            f"feature {name!r} is {how} {', '.join(because)} (up to scale and shift); {right}"
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
    response = _single_column(response, "response")
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


def _single_column(values: Any, role: str) -> Any:
    """A table of one column as a Series, which has its index."""
    if not isinstance(values, pd.DataFrame):
        return values
    if values.shape[1] != 1:
        column_names = ", ".join(map(str, values.columns))
        raise ValueError(f"{role} is a table with the columns {column_names}; give one of them")
    return values.iloc[:, 0]


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
    groups = _single_column(groups, "groups")
    if isinstance(groups, str):
        column, name = _grouping(frame, groups), groups
    else:
        column, name = _row_values(groups, "groups"), "groups"
        if isinstance(groups, pd.Series) and set(groups.index) == set(frame.index):
            checks.same_items({"features": frame.index.to_series(), "groups": groups}, "rows")
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
    checks.no_times(column.dtype, f"column {name!r}")
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
    place, group_names = pd.factorize(labels.astype(object))
    if len(group_names) < 3:
        raise ValueError(f"there are {len(group_names)} groups; give rows of at least 3")
    return place, group_names.tolist()


def _tell_of_gaps(x: pd.DataFrame) -> None:
    """Warn where rows are lost, and which feature costs most of them."""
    gaps = x.isna()
    lost, most = int(gaps.any(axis=1).sum()), gaps.sum()
    if lost > _FEW_LOST * len(x):
        worst = most.idxmax()
        checks.warn(
            f"{lost} of {len(x)} rows are left out, because they lack a feature, {most[worst]} of "
            f"them {worst!r}; without that column more rows stay"
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
        if np.ptp(column) <= 1e-12 * float(np.abs(column).max()):  # in any unit
            role = "response" if column is table.y else "feature"
            raise ValueError(
                f"{role} {name!r} is {column[0]:g} in all {len(column)} dialogues; it can explain "
                f"nothing"
            )


_LEAST = 3
_ROUNDED = 1e-14  # of a square: what rounding leaves of a column that follows from others


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
    checks.warn(f"{finding}, and rows of one are left out together; {advice}")
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
        checks.warn(
            f"errors may be too small: {len(table.y)} rows are of {count} "
            f"{_PLURAL[kinds[0][1]]}, and the model takes them as independent; pass by= with what "
            f"belongs together (such as the dialogue), or by={names.ROW!r} if every row is "
            "independent"
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


_ROUNDING = 1e-9


def from_confusion(
    confusion: xr.DataArray, *, beta: float = 1.0, least: int = 0, unclassified: bool = False
) -> xr.DataArray:
    """Compute every score of a confusion matrix, as named features.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual) or (dialogue, predicted, actual)
        Confusion matrix from `labels.confusion_matrix`, with ``by`` for one matrix for each
        dialogue.
    beta : float, default 1
        Weight of recall relative to precision in F.
    least : int, default 0
        Fewest times that every dialogue must have a confusion for it to be kept. A function learns
        nothing from a rare one.
    unclassified : bool, default False
        Whether to add the feature ``unclassified``: the proportion of items without a label. A
        regression does not support it if it is the same in all dialogues, such as 0 if every item
        has a label.

    Returns
    -------
    xarray.DataArray, dims (feature,) or (dialogue, feature)
        - ``precision.L``, ``recall.L``, and ``f.L``: for every label L, and for the averages macro,
          weighted, and pooled
        - ``freq.predicted.P.actual.A``: proportion of each confusion among the classification
          errors

        The three scores of a class that a dialogue does not have are NaN, and macro is over the
        classes that the dialogue has. The coordinate ``n_absent`` counts the dialogues in which a
        score is NaN for that reason; a performance function leaves them out if it may choose that
        score. ``attrs["confusions"]`` lists the confusions that were kept.

    Raises
    ------
    ValueError
        If the data are not a confusion matrix, a label has the name of an average, or least is
        negative.

    References
    ----------
    Dzikovska, Bell, Isard & Moore (2012), EACL 2012, section 4.1; unclassified: its footnote 2.

    Examples
    --------
    >>> import betterthan as bt
    >>> features = from_confusion(bt.datasets.beetle_confusion())
    >>> wanted = ["f.weighted", "freq.predicted.pc_incomplete.actual.contradictory"]
    >>> features.sel(feature=wanted).round(4).values.tolist()
    [0.5136, 0.2331]
    >>> features = from_confusion(bt.datasets.beetle_confusion(), unclassified=True)
    >>> features.sel(feature="unclassified").round(4).item()  # 1,064 of 3,379
    0.3149
    """
    matrix, actual, labels = schemas.confusion(confusion)
    least, beta = checks.whole(least, "least", 0), checks.positive_real(beta, "beta")
    clash = sorted(set(labels) & set(names.AVERAGES))
    if clash:
        raise ValueError(f"label {clash[0]!r} is also the name of an average; rename the label")
    measures = _measures(matrix, actual, beta)
    often = (matrix >= least).reshape(-1, *matrix.shape[-2:]).all(0)
    confusions_kept = [(p, a) for p, a in np.ndindex(often.shape) if p != a and often[p, a]]
    shares = formulas.frequencies(matrix)
    columns = [measures, *(shares[..., [p], a] for p, a in confusions_kept)]
    confusions = [f"freq.predicted.{labels[p]}.actual.{labels[a]}" for p, a in confusions_kept]
    labels_and_averages = (*labels, *names.AVERAGES)
    feature_names = [f"{m}.{label}" for label in labels_and_averages for m in names.MEASURES]
    feature_names += confusions
    if checks.flag(unclassified, "unclassified"):
        total = actual.sum(-1, keepdims=True)
        classified = matrix.sum((-2, -1))[..., None]
        columns.append((total - classified) / np.maximum(total, 1))
        feature_names.append("unclassified")
    values = np.concatenate(columns, axis=-1)
    leading_dims = [d for d in confusion.dims if d not in (names.PREDICTED, names.ACTUAL)]
    coords: dict[Any, Any] = {d: confusion[d] for d in leading_dims if d in confusion.coords}
    coords[names.FEATURE] = feature_names
    coords["n_absent"] = (names.FEATURE, np.isnan(values).reshape(-1, values.shape[-1]).sum(0))
    attrs = {"confusions": confusions, "least": least, "beta": beta}
    return xr.DataArray(values, coords, (*leading_dims, names.FEATURE), "features", attrs)


def _measures(matrix: np.ndarray, actual: np.ndarray, beta: float) -> np.ndarray:
    """Compute precision, recall and F of every label and average, in one axis."""
    by_label = formulas.by_label(matrix, actual, beta)
    averages = (
        macro_of_present(by_label, actual),
        formulas.weighted(by_label, actual),
        formulas.pooled(matrix, actual, beta),
    )
    by_label = np.where(actual[..., None] > 0, by_label, np.nan)
    scores = np.concatenate([by_label, np.stack(averages, axis=-2)], axis=-2)
    return scores.reshape(*scores.shape[:-2], -1)


def macro_of_present(measures: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Average over the labels that a dialogue has, (..., 3) from (..., label, 3)."""
    present = (actual > 0)[..., None]
    return np.where(present, measures, 0).sum(-2) / np.maximum(present.sum(-2), 1)


def learning_gain(pre: Any, post: Any) -> Any:
    """Compute the normalized learning gain, (post - pre) / (1 - pre).

    Parameters
    ----------
    pre, post : array-like or xarray.DataArray
        Proportions of correct answers before and after, from 0 to 1; NaN if missing.

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        Gains, in the type of the input; NaN if either is missing. The gain is negative if the
        second test is worse, without a bound if the first was nearly perfect. Below -1 there is a
        warning, because such a dialogue can determine a regression. Normalized change, which
        divides losses by the possible loss (pre), stays within -1 and 1.

    Raises
    ------
    ValueError
        If a proportion is outside 0 and 1, or a pre-test is 1, with nothing left to gain.

    References
    ----------
    Dzikovska, Bell, Isard & Moore (2012), EACL 2012, section 4.

    J. D. Marx and K. Cummings (2007), Normalized change, American Journal of Physics 75(1), 87-91,
    doi:10.1119/1.2372468.

    Examples
    --------
    >>> learning_gain([0.5, 0.6], [0.75, 0.6]).tolist()
    [0.5, 0.0]
    """
    first, second = _shares(pre, "pre"), _shares(post, "post")
    checks.same_items({"pre": pre, "post": post}, "dialogues")
    perfect = np.asarray(first) == 1
    if perfect.any():
        where = int(np.flatnonzero(perfect)[0])
        raise ValueError(
            f"pre is 1 at position {where}: nothing was left to gain; leave that dialogue out"
        )
    gain = (second - first) / (1 - first)
    _warn_of_losses(np.asarray(gain).reshape(-1), np.broadcast_to(first, gain.shape).reshape(-1))
    return gain


def _warn_of_losses(gain: np.ndarray, pre: np.ndarray) -> None:
    """Warn of gains below -1, which come from a large pre-test."""
    losses = np.flatnonzero(gain < -1 - _ROUNDING)
    if losses.size:
        worst = int(losses[gain[losses].argmin()])
        checks.warn(
            f"a single dialogue can steer least squares: {losses.size} of {gain.size} learning "
            f"gains are below -1, the lowest {gain[worst]:.3g} at position {worst}, where pre is "
            f"{pre[worst]:.3g} and little was left to gain; leave it out, or predict post - pre"
        )


def _shares(data: Any, argument: str) -> Any:
    values = checks.reals(data, argument, "shares of right answers, from 0 to 1")
    shares = data if isinstance(data, xr.DataArray) else values
    if not values.size:
        raise ValueError(f"{argument} is empty; give shares of right answers, from 0 to 1")
    bad = (values < 0) | (values > 1)
    if bad.any():
        raise ValueError(
            f"{argument} holds {values[bad].flat[0]:g}; give shares of right answers, from 0 to 1"
        )
    return shares


_BETAS = np.exp2(np.linspace(-5, 5, 201))
_CHI2_95 = 3.841458820694124  # chi-square with 1 degree of freedom


def fit_beta(confusion: xr.DataArray, response: Any, *, average: str = "weighted") -> xr.Dataset:
    """Fit beta, the weight of recall at which F-beta best predicts a response.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (dialogue, predicted, actual)
        Confusion matrix of each dialogue, from `labels.confusion_matrix` with ``by``.
    response : xarray.DataArray, pandas.Series or array-like
        Response of each dialogue; dialogues without one are left out and counted.
    average : {"weighted", "macro", "pooled"}, default "weighted"
        Average over labels; see `labels.precision_recall_f`, but macro is over the labels that a
        dialogue has.

    Returns
    -------
    xarray.Dataset
        - ``best``: beta, with its ``lower`` and ``upper`` (95% by profile likelihood); a bound at
          the limit of the grid, 1/32 or 32, means that the data do not bound it
        - ``intercept``, ``slope``: of the response on F
        - ``r2``, and ``r2_held_out`` with beta fitted again without each dialogue
        - ``profile`` (beta): R2

        A negative slope, where a better F goes with a lower response, raises a warning; beta then
        has no meaning.

    Raises
    ------
    ValueError
        If it is not a confusion matrix for each dialogue, dialogues do not match, or F or the
        response is constant.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(1)
    >>> gold, by = random.choice(["a", "b"], 600), np.repeat(np.arange(30), 20)
    >>> right = random.random(600) < np.repeat(random.uniform(0.5, 0.95, 30), 20)
    >>> from betterthan.labels.matrices import confusion_matrix
    >>> confusion = confusion_matrix(gold, np.where(right, gold, None), by=by)
    >>> gain = [m.sum() / 20 for m in confusion.values]  # the share of right answers: recall alone
    >>> result = fit_beta(confusion, np.array(gain) + 0.01 * random.normal(size=30))
    >>> bool(result["best"] > 4)
    True
    """
    matrix, actual, _ = schemas.confusion(confusion)
    checks.one_of(average, names.AVERAGES, "average")
    if confusion.ndim != 3 or confusion.dims[0] != names.DIALOGUE:
        dims = ", ".join(map(str, confusion.dims))
        raise ValueError(f"confusion has dims ({dims}); give (dialogue, predicted, actual)")
    # (dialogue, beta)
    scores = np.stack([_f(matrix, actual, beta, average) for beta in _BETAS], axis=-1)
    dialogues = confusion[names.DIALOGUE].values
    checks.unique([str(dialogue) for dialogue in dialogues], "dialogue")
    coords = {names.DIALOGUE: dialogues, names.FEATURE: ["F"]}
    middle = scores[:, len(_BETAS) // 2, None]  # a middling beta is the only feature
    table = feature_table(xr.DataArray(middle, coords, dims=tuple(coords)), response)
    place = {str(dialogue): k for k, dialogue in enumerate(dialogues)}
    scores = scores[[place[row] for row in table.rows]]
    profile = _profile(scores, table)
    _warn_of_slope(float(profile["slope"]), table.response)
    attrs = {"average": average, "n": len(table.y), "n_dropped": table.dropped}
    return profile.assign_attrs(attrs | {"response": table.response})


def _warn_of_slope(slope: float, response: str) -> None:
    if slope < 0:
        checks.warn(
            f"beta is no weight of recall here: a better F goes with a lower {response!r} (slope "
            f"{slope:.3g}), as by chance in half of all data where neither predicts the other"
        )


def _profile(scores: np.ndarray, table: FeatureTable) -> xr.Dataset:
    """How well each beta predicts, and the best of them, from scores (dialogue, beta)."""
    y = table.y - table.y.mean()
    columns = [scores[:, [k]] for k in range(len(_BETAS))]
    rss = np.array([(regression.residuals(column, y)[0] ** 2).sum() for column in columns])
    best = int(rss.argmin())
    inside = np.flatnonzero(len(y) * np.log(rss / rss[best]) <= _CHI2_95)
    slope, intercept = np.polyfit(scores[:, best], table.y, 1)
    fits = [regression.left_out(column, y, table.groups) for column in columns]
    errors, remaining = np.stack([f[0] for f in fits]), np.stack([f[1] for f in fits])
    errors = errors[remaining.argmin(0), np.arange(len(y))]
    total = float(y @ y)
    estimates = {"best": _BETAS[best], "lower": _BETAS[inside[0]], "upper": _BETAS[inside[-1]]}
    estimates |= {"intercept": intercept, "slope": slope, "r2": 1 - rss[best] / total}
    estimates |= {"r2_held_out": 1 - float(errors @ errors) / total}
    return xr.Dataset(estimates | {"profile": ("beta", 1 - rss / total)}, coords={"beta": _BETAS})


def _f(matrix: np.ndarray, actual: np.ndarray, beta: float, average: str) -> np.ndarray:
    """F-beta of every dialogue."""
    if average == "pooled":
        return formulas.pooled(matrix, actual, beta)[:, 2]
    by_label = formulas.by_label(matrix, actual, beta)
    if average == "macro":
        return macro_of_present(by_label, actual)[:, 2]
    return formulas.weighted(by_label, actual)[:, 2]
