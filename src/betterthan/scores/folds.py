"""Real-valued scores: cross-validation folds, and means of data sets, with a region of practical
equivalence.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from betterthan import __version__, checks, names, schemas
from betterthan.counts.shapes import pair_indices, square_from_pairs
from betterthan.exact import folds
from betterthan.exact.numeric.monte_carlo import one_seed, probability_error
from betterthan.posterior import table
from betterthan.posterior.table import Question
from betterthan.progress import with_bar
from betterthan.results.comparison import Comparison
from betterthan.signed import Signature

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
    question = Question.checked(rope, ci_prob, "eti", threshold, of_score=True)
    share = checks.probability(test_share, "test_share")
    centre, scale, df = folds.correlated(paired.differences, share)
    width = float(stats.t.ppf((1 + question.ci_prob) / 2, df)) * scale
    parts = {
        "prob_better": folds.masses(paired.sign * centre, scale, df, 0.0)[:, 2],
        "difference_mean": centre,
        "difference_lower": centre - width,
        "difference_upper": centre + width,
        "mass": folds.masses(paired.sign * centre, scale, df, question.rope),
    }
    result = table.with_verdicts(table.exact(paired.to_square(parts)), question)
    provenance = Signature(
        answer="folds",
        version=__version__,
        model="correlated_t",
        unit="fold",
        n_items=len(paired.values),
        higher_is_better=paired.sign > 0,
        **asdict(question),
    )
    return Comparison(result.assign_attrs(provenance.to_attrs() | {"test_share": share}))


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
        For the reasons of `scores.compare_folds`.

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
    paired, rope = _paired(scores), checks.margin(rope, "rope")
    draws, seed = checks.whole(draws, "draws"), one_seed(rng)
    strength = checks.positive_real(prior_strength, "prior_strength")
    pairs = list(zip(*paired.pairs, strict=True))
    long = len(pairs) * draws * len(paired.values) ** 2 > _LONG
    mass = np.array(
        [
            _winners(d, strength, rope, draws, np.random.default_rng([seed, int(a), int(b)]))
            for (a, b), d in zip(
                with_bar(pairs, len(pairs), "pairs", long=long), paired.oriented.T, strict=True
            )
        ]
    )
    result = paired.to_square({"mass": mass, "mass_mcse": probability_error(mass, draws)})
    provenance = Signature(version=__version__, model="signed_rank", seed=seed, draws=draws)
    return _with_provenance(result, provenance, paired, rope, strength)


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
        For the reasons of `scores.compare_folds`.

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
    paired, rope = _paired(scores), checks.margin(rope, "rope")
    strength = checks.positive_real(prior_strength, "prior_strength")
    d = paired.oriented
    regions = (d < -rope, np.abs(d) <= rope, d > rope)
    counted = np.stack([region.sum(0) for region in regions], axis=-1)
    mass = folds.prob_largest(counted + np.array([0.0, strength, 0.0]))
    result = paired.to_square({"mass": mass})
    count = square_from_pairs(counted, counted[:, ::-1], (0, len(d), 0))
    result["count"] = (result["mass"].dims, count)
    provenance = Signature(version=__version__, model="sign")
    return _with_provenance(result, provenance, paired, rope, strength)


@dataclass(frozen=True)
class Paired:
    """Scores (item, system) without gaps, and the sign that makes higher better."""

    values: np.ndarray
    systems: list[str]
    sign: int

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

    def to_square(self, parts: dict[str, np.ndarray]) -> xr.Dataset:
        """Answers (pair, ...) over (system_a, system_b)."""
        return table.square_of(parts, self.systems, *self.pairs)


def _winners(
    differences: np.ndarray, strength: float, rope: float, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Share of draws that each region wins; equal shares count for each alike."""
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
    return Paired(values, [str(s) for s in data[names.SYSTEM].values], sign)


def _with_provenance(
    result: xr.Dataset, signature: Signature, paired: Paired, rope: float, strength: float
) -> xr.Dataset:
    """The answer over data sets with its provenance."""
    provenance = replace(
        signature,
        answer="regions",
        prior=(strength,),
        unit=names.DATASET,
        n_items=len(paired.values),
        higher_is_better=paired.sign > 0,
        rope=rope,
    )
    return result.assign_attrs(provenance.to_attrs())
