"""How sure one system's precision, recall or F is."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.counts.shapes import without_attrs
from betterthan.counts.tallies import tally_totals
from betterthan.exact.labels import f_beta, f_scores
from betterthan.signed import Signature

_STATISTICS = ("precision", "recall", "f1", "f_beta")


def posterior(
    tallies: xr.DataArray,
    *,
    statistic: str = "f1",
    beta: float = 1.0,
    prior: Any = None,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
) -> xr.Dataset:
    """Posterior of precision, recall or F of each system by itself, without draws.

    True positives, false positives and false negatives are taken as independent draws. Those of one
    document are not: then the interval is too narrow, and `scores.bootstrap` by document is the
    better answer. It is also the one for comparing two systems on the same documents; these
    posteriors are of one system each.

    Parameters
    ----------
    tallies : xarray.DataArray, dims (item, system, tally), with or without a dim label
        With labels, each label by itself. Tallies with a scale (partial credit) are counted in
        units of one.
    statistic : {"f1", "precision", "recall", "f_beta"}, default "f1"
    beta : float, default 1
        For "f_beta": how much more recall counts than precision.
    prior : str or sequence of three float, optional
        Dirichlet parameters of tp, fp, fn, or a name of `names.PRIORS`. Default all ones for
        precision and recall, and (1, .5, .5) for F: with all ones two of three made-up items would
        be wrong, and intervals of a high F on few items miss it.
    ci_prob : float, default 0.95
        Mass of the interval.
    ci_kind : {"hdi", "eti"}, default "hdi"

    Returns
    -------
    xarray.Dataset
        Over system (and label): ``score`` of the data (0 / 0 is 0), posterior ``mean``, ``lower``,
        ``upper``. But for f_beta, which needs a quadrature, also the parameters ``a``, ``b`` of the
        Beta behind it: of the score itself for precision and recall; of t = tp / (tp + fp + fn) for
        F1, which is 2t / (1 + t).

    Raises
    ------
    ValueError
        If the tallies are not tallies, or an argument is not valid.

    References
    ----------
    C. Goutte and E. Gaussier (2005), A probabilistic interpretation of precision, recall and
    F-score, ECIR, doi:10.1007/978-3-540-31865-1_25.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> tallies = {"tp": [30, 3], "fp": [5, 1], "fn": [5, 0]}
    >>> frame = pd.DataFrame({"system": ["A", "B"], "item": 1} | tallies)
    >>> found = posterior(bt.io.tallies_from_table(frame))
    >>> found["mean"].round(3).values.tolist(), found["lower"].round(3).values.tolist()
    ([0.848, 0.785], [0.757, 0.507])
    """
    checks.one_of(statistic, _STATISTICS, "statistic")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    ci_prob = checks.probability(ci_prob, "ci_prob")
    beta = float(checks.positive(beta, "beta"))
    chosen = f_scores.PRIOR[statistic] if prior is None else prior
    weights = checks.prior(chosen, labels=names.TALLIES)
    totals = tally_totals(tallies).transpose(..., names.TALLY)
    counted = totals.values / float(tallies.attrs.get("scale", 1))
    if statistic == "f_beta":
        parts = _f_beta(counted, beta, weights, ci_prob, ci_kind)
    else:
        if beta != 1:
            raise ValueError(f"beta={beta:g} is for statistic='f_beta', not {statistic!r}")
        parts = _closed(counted, statistic, weights, ci_prob, ci_kind)
    like = without_attrs(totals.isel({names.TALLY: 0}, drop=True).astype(float))
    result = xr.Dataset({name: like.copy(data=values) for name, values in parts.items()})
    provenance = Signature(
        version=__version__, statistic=statistic, prior=weights, ci_prob=ci_prob, ci_kind=ci_kind
    )
    return result.assign_attrs(provenance.to_attrs() | {"beta": beta})


def _closed(
    counted: np.ndarray, statistic: str, weights: tuple[float, ...], ci_prob: float, ci_kind: str
) -> dict[str, np.ndarray]:
    a, b = f_scores.beta_parameters(counted, statistic, weights)
    hits, others = f_scores.beta_parameters(counted, statistic, (0.0, 0.0, 0.0))
    ratio = hits / np.where(hits + others > 0, hits + others, 1)
    low, high = f_scores.interval(a, b, statistic, ci_prob, ci_kind)
    return {
        "score": 2 * ratio / (1 + ratio) if statistic == "f1" else ratio,
        "mean": f_scores.mean(a, b, statistic),
        "lower": low,
        "upper": high,
        "a": a,
        "b": b,
    }


def _f_beta(
    counted: np.ndarray, beta: float, weights: tuple[float, ...], ci_prob: float, ci_kind: str
) -> dict[str, np.ndarray]:
    tp, fp, fn = np.moveaxis(counted, -1, 0)
    bottom = (1 + beta**2) * tp + beta**2 * fn + fp
    parts = {name: np.empty(tp.shape) for name in ("mean", "lower", "upper")}
    for index in np.ndindex(tp.shape):
        alpha = counted[index] + np.asarray(weights)
        parts["mean"][index] = f_beta.mean(alpha, beta)
        parts["lower"][index], parts["upper"][index] = f_beta.interval(
            alpha, beta, ci_prob, ci_kind
        )
    return {"score": (1 + beta**2) * tp / np.where(bottom > 0, bottom, 1)} | parts
