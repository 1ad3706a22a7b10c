"""Scores of all items together, such as F1: of one system, and compared twice, by weighted items
and by swapped responses.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.counts.responses import tally_totals
from betterthan.counts.shapes import fingerprint, without_attrs
from betterthan.counts.units import chosen_unit
from betterthan.exact import f_measure
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.results.comparison import Comparison
from betterthan.scores.deciding import single_mentions
from betterthan.scores.resampling import bootstrap as bayesian_bootstrap
from betterthan.signed import Signature
from betterthan.significance.randomizing import randomization_test

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
    chosen = f_measure.PRIOR[statistic] if prior is None else prior
    weights = checks.prior(chosen, labels=names.TALLIES)
    totals = tally_totals(tallies).transpose(..., names.TALLY)
    counted = totals.values / float(tallies.attrs.get("scale", 1))
    if beta != 1 and statistic != "f_beta":
        raise ValueError(f"beta={beta:g} is for statistic='f_beta', not {statistic!r}")
    alpha = counted + np.asarray(weights)
    mean, low, high = f_measure.summary(alpha, statistic, beta, ci_prob, ci_kind)
    parts = {"score": _score(counted, statistic, beta), "mean": mean, "lower": low, "upper": high}
    if statistic != "f_beta":
        parts["a"], parts["b"] = f_measure.beta_parameters(alpha, statistic, _NONE)
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
    hits, others = f_measure.beta_parameters(counted, statistic, _NONE)
    ratio = hits / np.where(hits + others > 0, hits + others, 1)
    return 2 * ratio / (1 + ratio) if statistic == "f1" else ratio


_CLOSED_FORM = ("precision", "recall", "f1", "f_beta")


def compare(
    data: xr.DataArray,
    *,
    statistic: str | None = None,
    beta: float = 1.0,
    unit: str | None = None,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    threshold: float = names.VERDICT_PROB,
    draws: int = names.BOOTSTRAP_DRAWS,
    shuffles: int = names.SHUFFLES,
    correction: str = names.CORRECTION,
    alpha: float = names.ALPHA,
    rng: Any = None,
) -> Comparison:
    """Compare systems by a score of all items together, with a posterior and a test.

    Use it for scores that are not a mean of item scores, such as F1 over a test set.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system) without missing values, or TP/FP/FN counts (item, system, tally), with
        or without a dim label.
    statistic, beta, unit, rope, ci_prob, ci_kind, threshold, draws
        See `scores.bootstrap`.
    shuffles : int, default 10,000
        Number of random permutations, if the randomization test has to sample.
    correction : {"none", "holm", "bh"}, default "holm"
        Correction of the p-values for the number of pairs.
    alpha : float, default 0.05
        Significance level of the test, which the result records.
    rng : int, numpy.random.Generator or None
        Seed of both, which the result records.

    Returns
    -------
    Comparison
        Results of `scores.bootstrap` and, over (system_a, system_b), ``p_value``, ``p_adjusted``,
        and, if sampled, ``p_value_mcse`` of the `randomization_test` of the same statistic on the
        same units.

        For F1, precision, and recall of items that are one mention each, also ``alone_lower`` and
        ``alone_upper`` (system): the interval of each system from `scores.posterior`, which treats
        mentions as independent.

    Raises
    ------
    ValueError
        For the reasons of `scores.bootstrap` and `randomization_test`.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> rows = [
    ...     {"system": s, "item": k, "tp": 5 + (k + (s == "A")) % 3, "fp": k % 2, "fn": (k + n) % 4}
    ...     for n, s in enumerate("AB")
    ...     for k in range(40)
    ... ]
    >>> comparison = bt.scores.compare(bt.io.tallies_from_table(pd.DataFrame(rows)), rng=1)
    >>> sorted(set(comparison.data.data_vars) & {"p_value", "prob_better", "prob_more_wins"})
    ['p_value', 'prob_better', 'prob_more_wins']
    """
    checks.one_of(correction, names.CORRECTIONS, "correction")
    alpha, seed = checks.probability(alpha, "alpha"), one_seed(rng)
    unit = chosen_unit(data, unit)
    result = bayesian_bootstrap(
        data,
        statistic=statistic,
        beta=beta,
        unit=unit,
        rope=rope,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        threshold=threshold,
        draws=draws,
        rng=seed,
    )
    test = randomization_test(
        data,
        statistic=statistic,
        beta=beta,
        unit=unit,
        shuffles=shuffles,
        correction=correction,
        rng=seed,
    )
    adjusted = test["p_adjusted"] if correction != "none" else test["p_value"]
    parts = {"p_value": test["p_value"], "p_adjusted": adjusted}
    parts |= {"p_value_mcse": test["p_value_mcse"]} if test.attrs["sampled"] else {}
    result = result.assign(parts)
    chosen = statistic or ("f1" if names.TALLY in data.dims else "mean")
    summed = data.sum(names.LABEL, keep_attrs=True) if names.LABEL in data.dims else data
    if chosen in _CLOSED_FORM and unit == names.ITEM and single_mentions(summed):
        closed_form = posterior(
            summed, statistic=chosen, beta=beta, ci_prob=ci_prob, ci_kind=ci_kind
        )
        result["alone_lower"], result["alone_upper"] = closed_form["lower"], closed_form["upper"]
    provenance, sampled = Signature.from_attrs(result.attrs), bool(test.attrs["sampled"])
    provenance = replace(
        provenance,
        answer="scores",
        data_hash=fingerprint(data),
        reading=str(data.attrs.get("reading", "")),
        alpha=alpha,
        correction=correction,
        tests=("randomization",),
        randomization_method=test.attrs["method"],
        randomization_statistic=provenance.statistic,
        shuffles=shuffles if sampled else None,
        shuffle_seed=provenance.seed if sampled else None,
    )
    rests = {k: result.attrs[k] for k in ("n_weighed", "rare_labels") if k in result.attrs}
    result.attrs = provenance.to_attrs() | rests | {"test_method": test.attrs["method"]}
    return Comparison(result)
