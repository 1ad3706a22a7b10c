"""How sure a classifier's precision, recall and F are: the Dirichlet posterior over the cells of
its confusions.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact.labels import confusion as formulas
from betterthan.exact.labels import f_scores
from betterthan.exact.numeric import weights
from betterthan.exact.numeric.seeds import one_seed
from betterthan.signed import Signature

_NUMBERS = 2**20  # shares of cells held at once


def posterior(
    confusion: xr.DataArray,
    *,
    beta: float = 1.0,
    prior: float | None = None,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.Dataset:
    """Posterior of precision, recall and F of each label and on average, from a confusion matrix.

    The items are independent draws, and the shares of all cells together are Dirichlet. Precision
    and recall of a label are Betas and are told exactly; F and the averages are drawn. To compare
    two systems on the same items, use `scores.bootstrap`.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Where some items were left unclassified, they are one more row.
    beta : float, default 1
        Recall counts beta times as much as precision in F.
    prior : float, optional
        Dirichlet parameter of every cell. Default 1 / number of labels: about one made-up item for
        each class.
    ci_prob : float, default 0.95
        Mass of the intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
    draws : int, default 4,000
    rng : int, numpy.random.Generator or None
        Seed; it is recorded.

    Returns
    -------
    xarray.Dataset
        ``by_label`` (label, measure, estimate) and ``averaged`` (average, measure, estimate);
        estimates are score (of the data), mean, lower, upper and mcse, the Monte Carlo error of the
        mean (0 where it is exact).

    Raises
    ------
    ValueError
        If it is not one confusion matrix, or an argument is not valid.

    References
    ----------
    C. Goutte and E. Gaussier (2005), A probabilistic interpretation of precision, recall and
    F-score, ECIR, doi:10.1007/978-3-540-31865-1_25.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = posterior(bt.datasets.beetle_confusion(), rng=1)
    >>> recall = found["by_label"].sel(label="irrelevant", measure="recall")
    >>> recall.sel(estimate=["score", "lower", "upper"]).round(2).values.tolist()
    [0.15, 0.09, 0.22]
    """
    matrix, actual, labels = _one_matrix(confusion)
    ci_prob = checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    draws, seed = checks.whole(draws, "draws"), one_seed(rng)
    beta = float(checks.positive(beta, "beta"))
    each = float(checks.positive(1 / len(labels) if prior is None else prior, "prior"))
    cells = _cells(matrix, actual) + each
    scores = formulas.by_label(matrix, actual, beta)
    told = np.concatenate([scores, formulas.averages(scores, matrix, actual, beta)])
    found = _summary(_drawn(cells, beta, draws, seed), told, ci_prob, ci_kind)
    for at, statistic in enumerate(("precision", "recall")):
        found[: len(labels), at] = _exact(cells, statistic, scores[:, at], ci_prob, ci_kind)
    signed = Signature(
        answer="label_posterior",
        model="Dirichlet over cells",
        prior=(each,),
        draws=draws,
        seed=seed,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
    )
    return _dataset(found, labels).assign_attrs(signed.to_attrs() | {"beta": beta})


def _one_matrix(confusion: xr.DataArray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    matrix, actual, labels = schemas.confusion(confusion)
    if matrix.ndim != 2:
        raise ValueError(
            f"confusion has dims {tuple(map(str, confusion.dims))}; give one matrix (predicted, "
            f"actual)"
        )
    return matrix, actual, labels


def _dataset(found: np.ndarray, labels: list[str]) -> xr.Dataset:
    """From estimates (label and average, measure, estimate)."""
    return xr.Dataset(
        {
            "by_label": ((names.LABEL, "measure", "estimate"), found[: len(labels)]),
            "averaged": (("average", "measure", "estimate"), found[len(labels) :]),
        },
        coords={
            names.LABEL: labels,
            "average": list(names.AVERAGES),
            "measure": list(names.MEASURES),
            "estimate": ["score", "mean", "lower", "upper", "mcse"],
        },
    )


def _cells(matrix: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """The counts, with one more row where some items were left unclassified."""
    lost = actual - matrix.sum(0)
    return np.vstack([matrix, lost]) if lost.any() else matrix


def _drawn(cells: np.ndarray, beta: float, draws: int, seed: int) -> np.ndarray:
    """Scores (draw, label and average, measure)."""
    source = np.random.default_rng(seed)
    labels = cells.shape[1]
    rows = max(1, _NUMBERS // cells.size)
    chunks = []
    for start in range(0, draws, rows):
        drawn = source.standard_gamma(cells, (min(rows, draws - start), *cells.shape))
        # the formulas divide by at least 1, which is meant for counts: make the shares sum to very
        # much
        drawn *= 1e12 / drawn.sum((1, 2), keepdims=True)
        matrix, actual = drawn[:, :labels], drawn.sum(1)
        each = formulas.by_label(matrix, actual, beta)
        averages = formulas.averages(each, matrix, actual, beta)
        chunks.append(np.concatenate([each, averages], axis=1))
    return np.concatenate(chunks)


def _summary(drawn: np.ndarray, scores: np.ndarray, ci_prob: float, ci_kind: str) -> np.ndarray:
    low, high = weights.interval(drawn, ci_prob, ci_kind)
    return np.stack([scores, drawn.mean(0), low, high, drawn.std(0) / np.sqrt(len(drawn))], axis=-1)


def _exact(
    cells: np.ndarray, statistic: str, scores: np.ndarray, ci_prob: float, ci_kind: str
) -> np.ndarray:
    """Precision of a label is the share of the diagonal in its row, recall in its column: Betas."""
    labels = cells.shape[1]
    right = np.diagonal(cells[:labels])
    whole = cells[:labels].sum(1) if statistic == "precision" else cells.sum(0)
    a, b = right, whole - right
    if labels == 1 and not b.all():  # one label, everything classified: 1 for certain
        return np.stack([scores, *[np.ones(1)] * 3, np.zeros(1)], axis=-1)
    low, high = f_scores.interval(a, b, statistic, ci_prob, ci_kind)
    return np.stack([scores, a / (a + b), low, high, np.zeros(labels)], axis=-1)
