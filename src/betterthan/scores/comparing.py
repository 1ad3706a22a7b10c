"""Scores of all items together, such as F1, compared twice: by weighted items and by swapped
responses.
"""

from dataclasses import replace
from typing import Any

import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import fingerprint
from betterthan.counts.units import chosen_unit
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.results.comparison import Comparison
from betterthan.scores.deciding import single_mentions
from betterthan.scores.f_scores import posterior
from betterthan.scores.resampling import bootstrap as bayesian_bootstrap
from betterthan.signed import Signature
from betterthan.significance.randomizing import randomization_test

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
