"""Component scores of dialogues, and the beta of F-beta that predicts a response best."""

import warnings
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact import labels as formulas
from betterthan.exact import regression
from betterthan.features.tables import FeatureTable, feature_table

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
        warnings.warn(
            f"a single dialogue can steer least squares: {losses.size} of {gain.size} learning "
            f"gains are below -1, the lowest {gain[worst]:.3g} at position {worst}, where pre is "
            f"{pre[worst]:.3g} and little was left to gain; leave it out, or predict post - pre",
            skip_file_prefixes=names.PACKAGE,
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
        warnings.warn(
            f"beta is no weight of recall here: a better F goes with a lower {response!r} (slope "
            f"{slope:.3g}), as by chance in half of all data where neither predicts the other",
            skip_file_prefixes=names.PACKAGE,
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
