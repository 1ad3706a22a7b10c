"""Component scores of dialogues: the features from which an outcome is predicted."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact.labels import confusion as formulas


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
        wrongly classified items. A class that a dialogue does not have scores 0.
        ``attrs["confusions"]`` names the confusions that were kept.

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
    clash = sorted(set(labels) & set(names.AVERAGES))
    if clash:
        raise ValueError(f"label {clash[0]!r} is also the name of an average; rename the label")
    each = formulas.by_label(matrix, actual, beta)
    averaged = [
        formulas.macro(each),
        formulas.weighted(each, actual),
        formulas.pooled(matrix, actual, beta),
    ]
    scores = np.concatenate([each, np.stack(averaged, axis=-2)], axis=-2)
    of_what = [*labels, *names.AVERAGES]
    named = [f"{measure}.{what}" for what in of_what for measure in names.MEASURES]
    kept = [
        (p, a)
        for p, a in np.ndindex(matrix.shape[-2:])
        if p != a and (matrix[..., p, a] >= least).all()
    ]
    confusions = [f"freq.predicted.{labels[p]}.actual.{labels[a]}" for p, a in kept]
    shares = formulas.frequencies(matrix)
    columns = [shares[..., p, a] for p, a in kept]
    flat = scores.reshape(*scores.shape[:-2], -1)
    values = np.concatenate([flat, np.stack(columns, axis=-1)], axis=-1) if columns else flat
    lead = [d for d in confusion.dims if d not in (names.PREDICTED, names.ACTUAL)]
    coords: dict[Any, Any] = {d: confusion[d] for d in lead if d in confusion.coords}
    return xr.DataArray(
        values,
        dims=(*lead, names.FEATURE),
        coords=coords | {names.FEATURE: named + confusions},
        attrs={"confusions": confusions, "least": least, "beta": float(beta)},
        name="features",
    )


def learning_gain(pre: Any, post: Any) -> Any:
    """How much of what could be gained was gained: (post - pre) / (1 - pre).

    Parameters
    ----------
    pre, post : array-like or xarray.DataArray
        Shares of right answers before and after, from 0 to 1; NaN where missing.

    Returns
    -------
    numpy.ndarray or xarray.DataArray
        As given; NaN where either is missing. Negative where the second test is worse.

    Raises
    ------
    ValueError
        If a share is outside 0 and 1, or a pre-test is 1: nothing was left to gain.

    References
    ----------
    Dzikovska, Bell, Isard & Moore (2012), EACL 2012, section 4.

    Examples
    --------
    >>> learning_gain([0.5, 0.6], [0.75, 0.6]).tolist()
    [0.5, 0.0]
    """
    first, second = [
        x if isinstance(x, xr.DataArray) else np.asarray(x, dtype=float) for x in (pre, post)
    ]
    for what, given in (("pre", first), ("post", second)):
        values = np.asarray(given)
        bad = (values < 0) | (values > 1)
        if bad.any():
            raise ValueError(
                f"{what} holds {values[bad].flat[0]:g}; give shares of right answers, from 0 to 1"
            )
    perfect = np.asarray(first) == 1
    if perfect.any():
        where = int(np.flatnonzero(perfect)[0])
        raise ValueError(
            f"pre is 1 at position {where}: nothing was left to gain; leave that dialogue out"
        )
    return (second - first) / (1 - first)
