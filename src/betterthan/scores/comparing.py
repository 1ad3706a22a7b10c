"""Compare scores of all items together, such as F1, and scores of cross-validation folds.

Scores of all items together are those of one system, or compared twice: by weighted items and by
swapped responses. Scores of folds, and means of data sets, are compared with a region of practical
equivalence.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.counts.responses import TALLY_STATISTICS, tally_scores, tally_totals
from betterthan.counts.shapes import fingerprint, pair_indices, square_from_pairs, without_attrs
from betterthan.counts.units import (
    CLUSTER,
    EPOCH,
    alike_items,
    in_rows,
    item_ids,
    pooled,
    several,
    unlike_gold,
)
from betterthan.exact import f_measure, folds
from betterthan.exact.joint.units import width_of
from betterthan.exact.numeric.monte_carlo import one_seed, probability_error
from betterthan.posterior import table
from betterthan.posterior.table import Question
from betterthan.progress import with_bar
from betterthan.results.comparison import Comparison
from betterthan.rounding import slack
from betterthan.scores.deciding import single_mentions
from betterthan.scores.resampling import bootstrap as bayesian_bootstrap
from betterthan.signed import Signature, provenance_attrs
from betterthan.significance.randomizing import randomization_test

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
    checks.one_of(statistic, TALLY_STATISTICS, "statistic")
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
    signed = provenance_attrs(statistic=statistic, prior=weights, ci_prob=ci_prob, ci_kind=ci_kind)
    return result.assign_attrs(signed | {"beta": beta})


def _score(counted: np.ndarray, statistic: str, beta: float) -> np.ndarray:
    """The score of the data (..., tp fp fn); 0 / 0 is 0."""
    if statistic == "f_beta":
        tp, fp, fn = np.moveaxis(counted, -1, 0)
        bottom = (1 + beta**2) * tp + beta**2 * fn + fp
        return (1 + beta**2) * tp / np.where(bottom > 0, bottom, 1)
    hits, others = f_measure.beta_parameters(counted, statistic, _NONE)
    ratio = hits / np.where(hits + others > 0, hits + others, 1)
    return 2 * ratio / (1 + ratio) if statistic == "f1" else ratio


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
    statistic : str, optional
        A name, as in `scores.bootstrap`; a function of your own has different arrays in each.
    beta, unit, rope, ci_prob, ci_kind, threshold, draws
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
    ...     {"system": s, "item": k, "tp": tp, "fp": (k + n) % 2, "fn": 8 - tp}
    ...     for n, s in enumerate("AB")
    ...     for k in range(40)
    ...     if (tp := 5 + (k + n) % 3)
    ... ]
    >>> comparison = bt.scores.compare(bt.io.tallies_from_table(pd.DataFrame(rows)), rng=1)
    >>> sorted(set(comparison.data.data_vars) & {"p_value", "prob_better", "prob_more_wins"})
    ['p_value', 'prob_better', 'prob_more_wins']
    """
    checks.one_of(correction, names.CORRECTIONS, "correction")
    if callable(statistic):
        raise ValueError(
            "statistic is a function, which the bootstrap and the test pass other arrays; give a "
            "name, or call scores.bootstrap and randomization_test with a function of each"
        )
    alpha, seed = checks.probability(alpha, "alpha"), one_seed(rng)
    observed, (data, unit) = data, in_rows(data, unit)
    of: Any = {"statistic": statistic, "beta": beta, "unit": unit, "rng": seed}
    limits: Any = {"rope": rope, "ci_prob": ci_prob, "ci_kind": ci_kind, "threshold": threshold}
    result = bayesian_bootstrap(data, draws=draws, **of, **limits)
    test = randomization_test(data, shuffles=shuffles, correction=correction, **of)
    if unequal := pooled(data):
        checks.warn(f"{unequal}; compare each on its own, too")
    if alike := alike_items(tally_scores(data) if names.TALLY in data.dims else data):
        checks.warn(alike)
    if unlike := unlike_gold(data) if names.TALLY in data.dims else "":
        checks.warn(unlike)
    adjusted = test["p_adjusted"] if correction != "none" else test["p_value"]
    parts = {"p_value": test["p_value"], "p_adjusted": adjusted}
    parts |= {"p_value_mcse": test["p_value_mcse"]} if test.attrs["sampled"] else {}
    result = result.assign(parts)
    chosen = statistic or ("f1" if names.TALLY in data.dims else "mean")
    summed = data.sum(names.LABEL, keep_attrs=True) if names.LABEL in data.dims else data
    if chosen in TALLY_STATISTICS and unit == names.ITEM and single_mentions(summed):
        closed_form = posterior(
            summed, statistic=chosen, beta=beta, ci_prob=ci_prob, ci_kind=ci_kind
        )
        result["alone_lower"], result["alone_upper"] = closed_form["lower"], closed_form["upper"]
    provenance, sampled = Signature.from_attrs(result.attrs), bool(test.attrs["sampled"])
    provenance = replace(
        provenance,
        answer="scores",
        data_hash=fingerprint(observed),
        reading=str(data.attrs.get("reading", "")),
        alpha=alpha,
        correction=correction,
        tests=("randomization",),
        randomization_method=test.attrs["method"],
        randomization_statistic=provenance.statistic,
        shuffles=shuffles if sampled else None,
        shuffle_seed=provenance.seed if sampled else None,
    )
    basis = ("n_weighed", "rare_labels", "no_joint")
    rests = {k: result.attrs[k] for k in basis if k in result.attrs}
    result.attrs = provenance.to_attrs() | rests | {"test_method": test.attrs["method"]}
    return Comparison(result)


_CELLS = 4_000_000  # weights of pairs of data sets held at once
_LONG = 2e10  # products of weights above which a bar is shown, some seconds


def compare_folds(
    scores: xr.DataArray,
    *,
    test_share: float,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    threshold: float = names.VERDICT_PROB,
) -> Comparison:
    """Compare systems by their scores on cross-validation folds.

    Folds share training data, so their scores are correlated; the posterior takes this into
    account.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores without missing values; an item is a fold of a run.
    test_share : float
        Proportion of the data in a test fold, 0.1 for ten folds. It is the assumed correlation of
        two folds (Nadeau and Bengio).
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE), in units of the score.
    ci_prob : float, default 0.95
        Level of the credible intervals.
    threshold : float, default 0.95
        Posterior probability needed for a verdict, above 0.5.

    Returns
    -------
    Comparison
        Over (system_a, system_b), computed exactly: ``mass`` (region), ``prob_better``,
        ``difference_mean``, ``difference_lower``, ``difference_upper``, and ``verdict``.

    Raises
    ------
    ValueError
        If the data are not scores or have missing values, there are fewer than two folds, or an
        argument is not valid.

    References
    ----------
    G. Corani and A. Benavoli (2015), Machine Learning 100, 285-304, doi:10.1007/s10994-015-5486-z;
    Benavoli, Corani, Demsar & Zaffalon (2017), JMLR 18(77).

    Examples
    --------
    >>> import xarray as xr
    >>> values = [[0.9, 0.8], [0.85, 0.82], [0.88, 0.8], [0.9, 0.85]]
    >>> named = {"dims": ("item", "system"), "coords": {"system": ["A", "B"]}}
    >>> scores = xr.DataArray(values, **named)
    >>> result = compare_folds(scores, test_share=0.25, rope=0.01)
    >>> result["mass"].sel(system_a="A", system_b="B").round(3).values.tolist()
    [0.025, 0.026, 0.948]
    """
    paired = _paired(scores)
    rope = paired.checked_rope(rope)
    question = Question.checked(rope, ci_prob, "eti", threshold, of_score=True)
    share = checks.probability(test_share, "test_share")
    law = folds.Folds.from_differences(paired.oriented, share, np.abs(paired.values).max())
    centre = paired.sign * law.centre
    reach = special.stdtrit(law.df, (1 + question.ci_prob) / 2) * law.scale
    reach = np.where(law.scale > 0, reach, np.nan)
    width = width_of(paired.values.min(), paired.values.max())
    parts = {
        "prob_better": law.masses(0.0)[:, 2],
        "difference_mean": centre,
        "difference_lower": centre - reach,
        "difference_upper": centre + reach,
        "mass": law.masses(question.rope, width),
    }
    result = table.with_verdicts(table.exact(paired.to_square(parts)), question)
    signed = provenance_attrs(
        answer="folds",
        model="correlated_t",
        unit="fold",
        n_items=len(paired.values),
        higher_is_better=paired.sign > 0,
        test_share=share,
        data_hash=paired.data_hash,
        **asdict(question),
    )
    return Comparison(result.assign_attrs(signed))


def signed_rank(
    scores: xr.DataArray,
    *,
    rope: float = names.ROPE,
    prior_strength: float = 0.5,
    draws: int = 20_000,
    rng: Any = None,
) -> xr.Dataset:
    """Compare systems over data sets with the Bayesian signed-rank test.

    Sums of two differences, under random weights of the data sets, are below, within, or above the
    ROPE; the region with the largest proportion wins the draw.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores without missing values; an item is a data set, and its score, for example, a mean
        over folds.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE), in units of the score.
    prior_strength : float, default 0.5
        Weight of one pseudo-data set without a difference.
    draws : int, default 20,000
        Number of posterior draws.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b): ``mass`` (region) and its Monte Carlo error ``mass_mcse``.

    Raises
    ------
    ValueError
        For the reasons of `scores.compare_folds`, or if several rows are of one data set: runs of
        an item, or items of a cluster or data set.

    References
    ----------
    Benavoli, Corani, Mangili, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon signed-rank test based
    on the Dirichlet process, ICML.

    Examples
    --------
    >>> import xarray as xr
    >>> values = [[0.9, 0.8], [0.85, 0.82], [0.88, 0.8], [0.9, 0.85]]
    >>> named = {"dims": ("item", "system"), "coords": {"system": ["A", "B"]}}
    >>> scores = xr.DataArray(values, **named)
    >>> result = signed_rank(scores, rng=1)
    >>> bool(result["mass"].sel(system_a="A", system_b="B", region="a_beyond") > 0.95)
    True
    """
    paired = _of_data_sets(scores)
    rope = paired.checked_rope(rope)
    draws, seed = checks.whole(draws, "draws", least=2), one_seed(rng)
    strength = checks.positive_real(prior_strength, "prior_strength")
    pairs = list(zip(*paired.pairs, strict=True))
    long = len(pairs) * draws * len(paired.values) ** 2 > _LONG
    within = slack(paired.values, rope)
    mass = np.array(
        [
            _winners(d, strength, within, draws, np.random.default_rng([seed, int(a), int(b)]))
            for (a, b), d in zip(
                with_bar(pairs, len(pairs), "pairs", long=long), paired.oriented.T, strict=True
            )
        ]
    )
    result = paired.to_square({"mass": mass, "mass_mcse": probability_error(mass, draws)})
    sampled = {"seed": seed, "draws": draws}
    return _with_provenance(result, "signed_rank", paired, rope, strength, **sampled)


def sign(
    scores: xr.DataArray, *, rope: float = names.ROPE, prior_strength: float = 1.0
) -> xr.Dataset:
    """Compare systems over data sets with the Bayesian sign test.

    It counts how many differences are below, within, and above the ROPE.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores without missing values; an item is a data set, and its score, for example, a mean
        over folds.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE), in units of the score.
    prior_strength : float, default 1
        Number of pseudo-data sets without a difference.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b): ``mass`` (region), the exact probability that each region holds
        most data sets, and ``count`` (region).

    Raises
    ------
    ValueError
        For the reasons of `scores.compare_folds`, or if several rows are of one data set: runs of
        an item, or items of a cluster or data set.

    References
    ----------
    Benavoli, Corani, Demsar & Zaffalon (2017), JMLR 18(77), section 4.1.

    Examples
    --------
    >>> import xarray as xr
    >>> values = [[0.9, 0.8], [0.85, 0.82], [0.88, 0.8], [0.9, 0.85]]
    >>> named = {"dims": ("item", "system"), "coords": {"system": ["A", "B"]}}
    >>> scores = xr.DataArray(values, **named)
    >>> sign(scores)["mass"].sel(system_a="A", system_b="B").round(4).values.tolist()
    [0.0, 0.0625, 0.9375]
    """
    paired = _of_data_sets(scores)
    rope = paired.checked_rope(rope)
    strength = checks.positive_real(prior_strength, "prior_strength")
    d, within = paired.oriented, slack(paired.values, rope)
    regions = (d < -within, np.abs(d) <= within, d > within)
    counted = np.stack([region.sum(0) for region in regions], axis=-1)
    mass = folds.prob_largest(counted + np.array([0.0, strength, 0.0]))
    result = paired.to_square({"mass": mass})
    count = square_from_pairs(counted, counted[:, ::-1], (0, len(d), 0))
    result["count"] = (result["mass"].dims, count)
    return _with_provenance(result, "sign", paired, rope, strength)


@dataclass(frozen=True)
class Paired:
    """Scores (item, system) without gaps, and the sign that makes higher better."""

    values: np.ndarray
    systems: list[str]
    sign: int
    data_hash: str

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of the two systems of each pair."""
        return pair_indices(len(self.systems))

    @property
    def differences(self) -> np.ndarray:
        """Differences (item, pair)."""
        a, b = self.pairs
        return self.values[:, a] - self.values[:, b]

    @property
    def oriented(self) -> np.ndarray:
        """`differences`, above 0 where the first system is better."""
        return self.sign * self.differences

    def checked_rope(self, rope: float) -> float:
        """Return a ROPE in units of the score; shares differ by at most 1."""
        shares = self.values.min() >= 0 and self.values.max() <= 1
        return checks.rope(rope) if shares else checks.margin(rope, "rope")

    def to_square(self, parts: dict[str, np.ndarray]) -> xr.Dataset:
        """Answers (pair, ...) over (system_a, system_b)."""
        return table.square_of(parts, self.systems, *self.pairs)


def _winners(
    differences: np.ndarray, strength: float, rope: float, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Share of draws that each region wins, of a ROPE plus rounding; equal shares count for each
    alike.
    """
    z = np.append(0.0, differences)  # one more data set, without a difference
    sums = z[:, None] + z
    below, above = (sums < -2 * rope).astype(float), (sums > 2 * rope).astype(float)
    won = np.zeros(3)
    step = max(1, _CELLS // len(z))
    shape = np.append(strength, np.ones(len(z) - 1))
    for start in range(0, draws, step):
        w = random.dirichlet(shape, min(step, draws - start))
        low, high = ((w @ m * w).sum(1) for m in (below, above))
        shares = np.stack([low, 1 - low - high, high], axis=1)
        first = shares >= shares.max(1, keepdims=True) - 1e-12
        won += (first / first.sum(1, keepdims=True)).sum(0)
    return won / draws


def _paired(scores: Any) -> Paired:
    data = schemas.scores(scores)
    values = data.transpose(names.ITEM, names.SYSTEM).values.astype(float)
    if np.isnan(values).any():
        item, system = np.argwhere(np.isnan(values))[0]
        name = str(data[names.SYSTEM].values[system])
        raise ValueError(f"system {name!r} has no score at place {item + 1}; give all scores")
    if len(values) < 2:
        raise ValueError(f"there is {len(values)} score of each system; a spread needs two")
    sign = 1 if data.attrs.get("higher_is_better", True) else -1
    return Paired(values, [str(s) for s in data[names.SYSTEM].values], sign, fingerprint(data))


_ROWS_OF = (  # one data set; the test of wins and losses takes runs and clusters together
    (EPOCH, names.ITEM, "runs of an item", ", or use bt.sign_test, which does so"),
    (CLUSTER, CLUSTER, "items of a cluster", ", or use bt.sign_test, which does so"),
    (names.DATASET, names.DATASET, "items of a data set", ""),
)


def _of_data_sets(scores: Any) -> Paired:
    """Scores of which each row is a data set."""
    paired = _paired(scores)
    for coordinate, by, rows, otherwise in _ROWS_OF:
        if not several(scores, coordinate):
            continue
        units = item_ids(scores) if by == names.ITEM else scores[by].values
        if len(set(units.tolist())) < len(units):
            renamed = "" if by == names.ITEM else f".rename({by}='item')"
            raise ValueError(
                f"scores have several {rows}, and each item counts as a data set; average them "
                f"first: scores.groupby({by!r}).mean(keep_attrs=True){renamed}{otherwise}"
            )
    return paired


def _with_provenance(
    result: xr.Dataset, model: str, paired: Paired, rope: float, strength: float, **sampled: int
) -> xr.Dataset:
    """The answer over data sets with its provenance."""
    signed = provenance_attrs(
        answer="regions",
        model=model,
        prior=(strength,),
        unit=names.DATASET,
        n_items=len(paired.values),
        higher_is_better=paired.sign > 0,
        rope=rope,
        data_hash=paired.data_hash,
        **sampled,
    )
    return result.assign_attrs(signed)
