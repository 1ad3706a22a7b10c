"""Component scores of dialogues: the features from which an outcome is predicted."""

import warnings
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact.labels import confusion as formulas

_ROUNDING = 1e-9


def from_confusion(confusion: xr.DataArray, *, beta: float = 1.0, least: int = 0) -> xr.DataArray:
    """Every score that a confusion matrix has, as features with names.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual) or (dialogue, predicted, actual)
        From `labels.confusion_matrix`, with ``by`` for one matrix for each dialogue.
    beta : float, default 1
        Recall counts beta times as much as precision in F.
    least : int, default 0
        A confusion is kept if every dialogue has it at least so often. A rare one teaches a
        function nothing.

    Returns
    -------
    xarray.DataArray, dims (feature,) or (dialogue, feature)
        ``precision.L``, ``recall.L`` and ``f.L`` for every label L and for the averages macro,
        weighted and pooled; ``freq.predicted.P.actual.A`` for every confusion: its share of the
        wrongly classified items. A class that a dialogue does not have shows no skill, not a skill
        of 0: its three scores are NaN, and macro is over the classes that the dialogue has. The
        coord ``n_absent`` counts the dialogues in which a score is NaN for that; a performance
        function leaves them out if it may choose that score. ``attrs["confusions"]`` names the
        confusions that were kept.

    Raises
    ------
    ValueError
        If it is not a confusion matrix, a label is named like an average, or least is negative.

    References
    ----------
    Dzikovska, Bell, Isard & Moore (2012), EACL 2012, section 4.1.

    Examples
    --------
    >>> import betterthan as bt
    >>> features = from_confusion(bt.datasets.beetle_confusion())
    >>> asked = ["f.weighted", "freq.predicted.pc_incomplete.actual.contradictory"]
    >>> features.sel(feature=asked).round(4).values.tolist()
    [0.5136, 0.2331]
    """
    matrix, actual, labels = schemas.confusion(confusion)
    least = checks.whole(least, "least", 0)
    _refuse_averages(labels)
    measures = _measures(matrix, actual, beta)
    confusions_kept = _kept(matrix, least)
    shares = formulas.frequencies(matrix)
    columns = [measures, *(shares[..., [p], a] for p, a in confusions_kept)]
    confusions = [f"freq.predicted.{labels[p]}.actual.{labels[a]}" for p, a in confusions_kept]
    values = np.concatenate(columns, axis=-1)
    leading_dims = [d for d in confusion.dims if d not in (names.PREDICTED, names.ACTUAL)]
    coords: dict[Any, Any] = {d: confusion[d] for d in leading_dims if d in confusion.coords}
    coords[names.FEATURE] = _names_of_measures(labels) + confusions
    coords["n_absent"] = (names.FEATURE, _missing(values))
    attrs = {"confusions": confusions, "least": least, "beta": float(beta)}
    return xr.DataArray(values, coords, (*leading_dims, names.FEATURE), "features", attrs)


def _names_of_measures(labels: list[str]) -> list[str]:
    return [f"{m}.{label}" for label in (*labels, *names.AVERAGES) for m in names.MEASURES]


def _refuse_averages(labels: list[str]) -> None:
    clash = sorted(set(labels) & set(names.AVERAGES))
    if clash:
        raise ValueError(f"label {clash[0]!r} is also the name of an average; rename the label")


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


def _missing(values: np.ndarray) -> np.ndarray:
    """How many dialogues have no score, (feature,)."""
    return np.isnan(values).reshape(-1, values.shape[-1]).sum(0)


def _kept(matrix: np.ndarray, least: int) -> list[tuple[int, int]]:
    """Return the confusions (predicted, actual) that every dialogue has often enough."""
    often = (matrix >= least).reshape(-1, *matrix.shape[-2:]).all(0)
    return [(p, a) for p, a in np.ndindex(often.shape) if p != a and often[p, a]]


def learning_gain(pre: Any, post: Any) -> Any:
    """How much of what could be gained was gained: (post - pre) / (1 - pre).

    Parameters
    ----------
    pre, post : array-like or xarray.DataArray
        Shares of right answers before and after, from 0 to 1; NaN where missing.

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        As given; NaN where either is missing. Negative where the second test is worse, without a
        limit where the first was nearly perfect: below -1 there is a warning, for such a dialogue
        alone can steer a regression. Normalised change, which divides losses by what could be lost
        (pre), stays within -1 and 1.

    Raises
    ------
    ValueError
        If a share is outside 0 and 1, or a pre-test is 1: nothing was left to gain.

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
            f"{losses.size} of {gain.size} learning gains are below -1, the lowest "
            f"{gain[worst]:.3g} "
            f"at position {worst}, where pre is {pre[worst]:.3g} and little was left to gain; such "
            "a dialogue alone can steer least squares: leave it out, or predict post - pre",
            skip_file_prefixes=names.PACKAGE,
        )


def _shares(data: Any, argument: str) -> Any:
    try:
        shares = data if isinstance(data, xr.DataArray) else np.asarray(data, dtype=float)
        values = np.asarray(shares, dtype=float)
    except (TypeError, ValueError):
        quoted = checks.shown(data)
        raise ValueError(
            f"{argument} is {quoted}; give shares of right answers, from 0 to 1"
        ) from None
    if not values.size:
        raise ValueError(f"{argument} is empty; give shares of right answers, from 0 to 1")
    bad = (values < 0) | (values > 1)
    if bad.any():
        raise ValueError(
            f"{argument} holds {values[bad].flat[0]:g}; give shares of right answers, from 0 to 1"
        )
    return shares
