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
_NONE = (0.0, 0.0, 0.0)  # of a prior


def posterior(
    tallies: xr.DataArray,
    *,
    statistic: str = "f1",
    beta: float = 1.0,
    prior: Any = None,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
) -> xr.Dataset:
    """Compute the posterior of each system's precision, recall, or F1 without sampling.

    True positives, false positives, and false negatives are treated as independent. Those of one
    document are not, so the interval is then too narrow; use `scores.bootstrap` by document
    instead. Use it also to compare two systems on the same documents, because these posteriors are
    of one system each.

    Parameters
    ----------
    tallies : xarray.DataArray, dims (item, system, tally), with or without a dim label
        TP/FP/FN counts. Labels have a posterior each. Counts with a scale (partial credit) are
        converted to units of one.
    statistic : {"f1", "precision", "recall", "f_beta"}, default "f1"
        Score to estimate.
    beta : float, default 1
        For "f_beta": weight of recall relative to precision.
    prior : str or sequence of three float, optional
        Dirichlet parameters of tp, fp, and fn, or a name in `names.PRIORS`. Default: all ones for
        precision and recall, and (1, 0.5, 0.5) for F1. With all ones, two of three pseudo-items
        would be wrong, and intervals of a high F1 on few items miss it.
    ci_prob : float, default 0.95
        Level of the credible interval.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density or equal-tailed.

    Returns
    -------
    xarray.Dataset
        Over system (and label):

        - ``score``: of the data; 0 / 0 is 0
        - ``mean``, ``lower``, ``upper``: of the posterior
        - ``a``, ``b``, except for f_beta: parameters of the Beta of the score itself (precision,
          recall), or of t = tp / (tp + fp + fn), where F1 is 2t / (1 + t)

    Raises
    ------
    ValueError
        If the data are not TP/FP/FN counts, or an argument is not valid.

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
    >>> result = posterior(bt.io.tallies_from_table(frame))
    >>> result["mean"].round(3).values.tolist(), result["lower"].round(3).values.tolist()
    ([0.848, 0.785], [0.757, 0.507])
    """
    checks.one_of(statistic, _STATISTICS, "statistic")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    ci_prob = checks.probability(ci_prob, "ci_prob")
    beta = checks.positive_real(beta, "beta")
    chosen = f_scores.PRIOR[statistic] if prior is None else prior
    weights = checks.prior(chosen, labels=names.TALLIES)
    totals = tally_totals(tallies).transpose(..., names.TALLY)
    counted = totals.values / float(tallies.attrs.get("scale", 1))
    if beta != 1 and statistic != "f_beta":
        raise ValueError(f"beta={beta:g} is for statistic='f_beta', not {statistic!r}")
    alpha = counted + np.asarray(weights)
    mean, low, high = f_beta.summary(alpha, statistic, beta, ci_prob, ci_kind)
    parts = {"score": _score(counted, statistic, beta), "mean": mean, "lower": low, "upper": high}
    if statistic != "f_beta":
        parts["a"], parts["b"] = f_scores.beta_parameters(alpha, statistic, _NONE)
    like = without_attrs(totals.isel({names.TALLY: 0}, drop=True).astype(float))
    result = xr.Dataset({name: like.copy(data=values) for name, values in parts.items()})
    provenance = Signature(
        version=__version__, statistic=statistic, prior=weights, ci_prob=ci_prob, ci_kind=ci_kind
    )
    return result.assign_attrs(provenance.to_attrs() | {"beta": beta})


def _score(counted: np.ndarray, statistic: str, beta: float) -> np.ndarray:
    """The score of the data (..., tp fp fn); 0 / 0 is 0."""
    if statistic == "f_beta":
        tp, fp, fn = np.moveaxis(counted, -1, 0)
        bottom = (1 + beta**2) * tp + beta**2 * fn + fp
        return (1 + beta**2) * tp / np.where(bottom > 0, bottom, 1)
    hits, others = f_scores.beta_parameters(counted, statistic, _NONE)
    ratio = hits / np.where(hits + others > 0, hits + others, 1)
    return 2 * ratio / (1 + ratio) if statistic == "f1" else ratio
