"""A classifier's precision, recall and F, of each label and on average: on the data, and their
posterior.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact import f_measure
from betterthan.exact import labels as formulas
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.signed import Signature


def precision_recall_f(confusion: xr.DataArray, *, beta: float = 1.0) -> xr.Dataset:
    """Compute precision, recall, and F1 of each label, and their averages.

    The literature calls two different averages "micro". ``pooled`` is the micro-average of
    scikit-learn: it sums the counts of all labels before dividing. ``weighted`` is the mean of the
    labels' scores, weighted by the number of their items. Both have the same recall, but not the
    same precision and F1.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Confusion matrix from `labels.confusion_matrix` or `labels.from_table`. Unclassified items
        count in recall. Other dims, such as dialogue, are kept.
    beta : float, default 1
        Weight of recall relative to precision in F.

    Returns
    -------
    xarray.Dataset
        ``by_label`` (label, measure), ``averaged`` (average, measure), and ``n_actual`` (label).
        Measures are precision, recall, and f; averages are macro (mean over labels), weighted, and
        pooled. 0 / 0 is 0: a label that any system predicts, but that no item has, enters macro of
        every system with 0. In scikit-learn it does so for the systems that predict it.

    Raises
    ------
    ValueError
        If the data are not a confusion matrix, or beta is not positive.

    References
    ----------
    C. J. van Rijsbergen (1979), Information Retrieval, ch. 7.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = precision_recall_f(bt.datasets.beetle_confusion())
    >>> scores["averaged"].sel(average="weighted").round(4).values.tolist()
    [0.6988, 0.4312, 0.5136]
    """
    matrix, actual, labels = schemas.confusion(confusion)
    beta = checks.positive_real(beta, "beta")
    by_label = formulas.by_label(matrix, actual, beta)
    right = np.diagonal(matrix, axis1=-2, axis2=-1)
    averages = formulas.from_margins(right, matrix.sum(-1), actual, beta)
    coords: dict[Any, Any] = {names.LABEL: labels, "measure": list(names.MEASURES)}
    coords["average"] = list(names.AVERAGES)
    leading_dims = [d for d in confusion.dims if d not in (names.PREDICTED, names.ACTUAL)]
    coords |= {d: confusion[d] for d in leading_dims if d in confusion.coords}
    return xr.Dataset(
        {
            "by_label": ((*leading_dims, names.LABEL, "measure"), by_label),
            "averaged": ((*leading_dims, "average", "measure"), averages),
            "n_actual": ((*leading_dims, names.LABEL), actual),
        },
        coords=coords,
        attrs={"beta": beta},
    )


def frequencies(confusion: xr.DataArray) -> xr.DataArray:
    """Compute the proportion of the classification errors that each confusion makes up.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Confusion matrix; unclassified items are left out.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual)
        Proportions: 0 on the diagonal, with a sum of 1 unless there is no error.

    Raises
    ------
    ValueError
        If it is not a confusion matrix.

    Examples
    --------
    >>> import betterthan as bt
    >>> share = frequencies(bt.datasets.beetle_confusion())
    >>> round(share.sel(predicted="pc_incomplete", actual="contradictory").item(), 4)
    0.2331
    """
    matrix, _, _ = schemas.confusion(confusion)
    ordered = confusion.transpose(..., names.PREDICTED, names.ACTUAL)
    return ordered.copy(data=formulas.frequencies(matrix)).rename("frequency")


def majority_baseline(confusion: xr.DataArray) -> xr.DataArray:
    """Return the confusion matrix of a classifier that always predicts the most frequent class.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Confusion matrix of a system, for the numbers of items of each class.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual)
        Confusion matrix on the same items, with one row that is not zero. Of equally frequent
        classes the first is predicted.

    Raises
    ------
    ValueError
        If it is not a confusion matrix.

    Examples
    --------
    >>> import betterthan as bt
    >>> baseline = majority_baseline(bt.datasets.beetle_confusion())
    >>> precision_recall_f(baseline)["averaged"].sel(average="macro").round(2).values.tolist()
    [0.09, 0.2, 0.12]
    """
    matrix, actual, _ = schemas.confusion(confusion)
    ordered = confusion.transpose(..., names.PREDICTED, names.ACTUAL)
    most = actual.reshape(-1, actual.shape[-1]).sum(0).argmax()
    predicted = np.zeros_like(matrix)
    predicted[..., int(most), :] = actual
    return ordered.copy(data=predicted)


_NUMBERS = 2**20  # shares of cells held at once


@dataclass(frozen=True)
class _Settings:
    """Settings shared by all labels and averages."""

    beta: float
    prior: float
    ci_prob: float
    ci_kind: str


def posterior(
    confusion: xr.DataArray,
    *,
    beta: float = 1.0,
    prior: float = 1.0,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.Dataset:
    """Compute the posterior of precision, recall, and F1 from a confusion matrix.

    The items are treated as independent. Precision, recall, and F1 of a label come from its own
    counts, in closed form or by one integral; averages are sampled from a Dirichlet posterior of
    all cells. To compare two systems on the same items, use `scores.bootstrap`.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Confusion matrix. If some items were left unclassified, they are one more row.
    beta : float, default 1
        Weight of recall relative to precision in F.
    prior : float, default 1
        Number of correct pseudo-items, and of wrong ones. For a label's precision and recall, the
        posterior is Beta(correct + prior, wrong + prior); for averages, the pseudo-items of all
        labels are spread over the cells. 1 is uniform; 0.5 is Jeffreys' prior.
    ci_prob : float, default 0.95
        Level of the credible intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density or equal-tailed.
    draws : int, default 4,000
        Number of posterior draws for averages.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    xarray.Dataset
        ``by_label`` (label, measure, estimate) and ``averaged`` (average, measure, estimate).
        Estimates are score (of the data), mean, lower, upper, and mcse, the Monte Carlo error of
        the mean (0 for labels, which need no draws). An interval always contains its score.

    Raises
    ------
    ValueError
        If the data are not one confusion matrix, or an argument is not valid.

    Notes
    -----
    Random weights of items underestimate the variance of an average of labels with few items each,
    and double the bias of a ratio. The jackknife measures both: draws are spread about their mean
    until they have its variance, shifted by its bias, and kept within 0 and 1.

    References
    ----------
    C. Goutte and E. Gaussier (2005), A probabilistic interpretation of precision, recall and
    F-score, ECIR, doi:10.1007/978-3-540-31865-1_25.

    Examples
    --------
    >>> import betterthan as bt
    >>> result = posterior(bt.datasets.beetle_confusion(), rng=1)
    >>> recall = result["by_label"].sel(label="irrelevant", measure="recall")
    >>> recall.sel(estimate=["score", "lower", "upper"]).round(2).values.tolist()
    [0.15, 0.09, 0.23]
    """
    matrix, actual, labels = schemas.confusion(confusion)
    if matrix.ndim != 2:
        raise ValueError(
            f"confusion has dims {tuple(map(str, confusion.dims))}; give one matrix (predicted, "
            f"actual)"
        )
    ci_prob = checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    draws, seed = checks.whole(draws, "draws", least=2), one_seed(rng)
    beta = checks.positive_real(beta, "beta")
    prior = checks.positive_real(prior, "prior")
    settings = _Settings(beta, prior, ci_prob, ci_kind)
    estimates = [
        _by_label(matrix, actual, settings),
        _averaged(matrix, actual, settings, draws, seed),
    ]
    signed = Signature(
        answer="label_posterior",
        model="Betas of labels, Dirichlet over cells",
        prior=(prior,),
        draws=draws,
        seed=seed,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
    )
    return _dataset(np.concatenate(estimates), labels).assign_attrs(
        signed.to_attrs() | {"beta": beta}
    )


def _dataset(estimates: np.ndarray, labels: list[str]) -> xr.Dataset:
    """Build the Dataset from estimates (label and average, measure, estimate)."""
    return xr.Dataset(
        {
            "by_label": ((names.LABEL, "measure", "estimate"), estimates[: len(labels)]),
            "averaged": (("average", "measure", "estimate"), estimates[len(labels) :]),
        },
        coords={
            names.LABEL: labels,
            "average": list(names.AVERAGES),
            "measure": list(names.MEASURES),
            "estimate": ["score", "mean", "lower", "upper", "mcse"],
        },
    )


def _by_label(matrix: np.ndarray, actual: np.ndarray, settings: _Settings) -> np.ndarray:
    """Estimates (label, measure, estimate), each from the counts of its own label."""
    correct = np.diagonal(matrix)
    counts = np.stack([correct, matrix.sum(1) - correct, actual - correct], axis=-1)
    score = formulas.by_label(matrix, actual, settings.beta)
    certain = len(correct) == 1 and not counts[:, 1:].any()  # no label to take it for
    by_measure = [_exact(counts, measure, settings, certain) for measure in names.MEASURES]
    mean, low, high = np.stack(by_measure, axis=-1)
    return _estimates(score, mean, low, high, np.zeros(score.shape))


def _exact(
    counts: np.ndarray, measure: str, settings: _Settings, certain: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and ends, of each label: a wrong item is a false alarm or a miss, so that F has half a
    made-up one of either.
    """
    if certain:
        return np.ones(1), np.ones(1), np.ones(1)
    half = settings.prior / 2 if measure == "f" else settings.prior
    alpha = counts + np.array([settings.prior, half, half])
    statistic = measure
    if measure == "f":
        statistic = "f1" if settings.beta == 1 else "f_beta"
    return f_measure.summary(alpha, statistic, settings.beta, settings.ci_prob, settings.ci_kind)


def _averaged(
    matrix: np.ndarray, actual: np.ndarray, settings: _Settings, draws: int, seed: int
) -> np.ndarray:
    """Estimates (average, measure, estimate)."""
    score = formulas.from_margins(np.diagonal(matrix), matrix.sum(1), actual, settings.beta)
    drawn = _drawn(matrix, actual, settings, draws, seed)
    bias, times = formulas.jackknife(matrix, actual, settings.beta)
    mean = drawn.mean(0)
    drawn = np.clip(mean - bias + (drawn - mean) * np.sqrt(times), 0.0, 1.0)
    low, high = monte_carlo.interval(drawn, settings.ci_prob, settings.ci_kind)
    return _estimates(score, drawn.mean(0), low, high, drawn.std(0) / np.sqrt(draws))


def _drawn(
    matrix: np.ndarray, actual: np.ndarray, settings: _Settings, draws: int, seed: int
) -> np.ndarray:
    """Draw averages (draw, average, measure) from the posterior of all cells."""
    lost = actual - matrix.sum(0)
    cells = np.vstack([matrix, lost]) if lost.any() else matrix
    alpha = cells + formulas.spread(cells, 2 * settings.prior)
    sources = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    rows = max(1, _NUMBERS // cells.size)
    chunks = [min(rows, draws - start) for start in range(0, draws, rows)]
    return np.concatenate([formulas.drawn(alpha, settings.beta, k, sources) for k in chunks])


def _estimates(
    score: np.ndarray, mean: np.ndarray, low: np.ndarray, high: np.ndarray, mcse: np.ndarray
) -> np.ndarray:
    """One after the other on the last axis. Where nothing or all is right, an interval reaches to 0
    or to 1 (Brown, Cai & DasGupta 2001): it holds its score.
    """
    return np.stack([score, mean, np.minimum(low, score), np.maximum(high, score), mcse], axis=-1)
