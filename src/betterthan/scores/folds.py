"""Real-valued scores: cross-validation folds, and means of data sets, with a region of practical
equivalence.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact.numeric.seeds import one_seed
from betterthan.exact.regression import folds
from betterthan.posterior.joint_draws import share_error
from betterthan.posterior.verdicts import decide
from betterthan.progress import with_bar

_CELLS = 4_000_000  # weights of pairs of data sets held at once


def compare_folds(
    scores: xr.DataArray,
    *,
    test_share: float,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
) -> xr.Dataset:
    """Compare systems by their scores on the folds of a cross-validation, which share training
    data.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        One item for each fold of each run, without gaps.
    test_share : float
        Share of the data in a test fold, 0.1 for ten folds: the correlation of two folds (Nadeau
        and Bengio).
    rope : float, default 0
        Half width of the region of practical equivalence, in units of the score.
    ci_prob : float, default 0.95
        Mass of the intervals.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b), exactly: ``mass`` (region), ``prob_better``, ``difference_mean``,
        ``difference_lower``, ``difference_upper``, and ``verdict``.

    Raises
    ------
    ValueError
        If the scores are no scores or have gaps, there are fewer than two folds, or an argument is
        not valid.

    References
    ----------
    G. Corani and A. Benavoli (2015), Machine Learning 100, 285-304, doi:10.1007/s10994-015-5486-z;
    Benavoli, Corani, Demsar & Zaffalon (2017), JMLR 18(77).

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[0.9, 0.8], [0.85, 0.82], [0.88, 0.8], [0.9, 0.85]], dims=("item", "system"), coords={"system": ["A", "B"]}
    ... )
    >>> found = compare_folds(scores, test_share=0.25, rope=0.01)
    >>> found["mass"].sel(system_a="A", system_b="B").round(3).values.tolist()
    [0.025, 0.026, 0.948]
    """
    values, systems, sign = _whole(scores)
    rope, ci_prob = checks.margin(rope, "rope"), checks.probability(ci_prob, "ci_prob")
    share = checks.probability(test_share, "test_share")
    n = len(systems)
    a, b = np.triu_indices(n, 1)
    centre, scale, df = folds.correlated(values[:, a] - values[:, b], share)
    mass = _equal_to_itself(n)
    mass[a, b] = folds.masses(sign * centre, scale, df, rope)
    mass[b, a] = mass[a, b][:, ::-1]
    better = np.full((n, n), 0.5)
    better[a, b] = folds.masses(sign * centre, scale, df, 0.0)[:, 2]
    better[b, a] = 1 - better[a, b]
    width = _t_width(ci_prob, df) * scale
    mean, low, high = (np.zeros((n, n)) for _ in range(3))
    for table, upper, lower in ((mean, centre, -centre), (low, centre - width, -centre - width)):
        table[a, b], table[b, a] = upper, lower
    high[a, b], high[b, a] = centre + width, -centre + width
    table = {
        "prob_better": better,
        "difference_mean": mean,
        "difference_lower": low,
        "difference_upper": high,
    }
    table["verdict"] = decide(better, better.T, mass[..., 1], rope)[0]
    return _dataset(table, mass, systems).assign_attrs(
        model="correlated t", test_share=share, rope=rope, ci_prob=ci_prob, n_folds=len(values)
    )


def signed_rank(
    scores: xr.DataArray,
    *,
    rope: float = names.ROPE,
    prior_strength: float = 0.5,
    draws: int = 20_000,
    rng: Any = None,
) -> xr.Dataset:
    """Compare systems over data sets by the Bayesian signed-rank test.

    Sums of two differences, under random weights of the data sets, fall below, within or above the
    region; the largest share of the three wins a draw.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        One item for each data set, such as a mean over folds, without gaps.
    rope : float, default 0
        Half width of the region of practical equivalence, in units of the score.
    prior_strength : float, default 0.5
        Weight of one more data set, without a difference.
    draws : int, default 20,000
    rng : int, numpy.random.Generator or None
        Seed; it is recorded.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b): ``mass`` (region) and its Monte Carlo error ``mass_mcse``.

    Raises
    ------
    ValueError
        As `scores.compare_folds`.

    References
    ----------
    Benavoli, Corani, Mangili, Zaffalon & Ruggeri (2014), A Bayesian Wilcoxon signed-rank test based
    on the Dirichlet process, ICML.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[0.9, 0.8], [0.85, 0.82], [0.88, 0.8], [0.9, 0.85]], dims=("item", "system"), coords={"system": ["A", "B"]}
    ... )
    >>> found = signed_rank(scores, rng=1)
    >>> bool(found["mass"].sel(system_a="A", system_b="B", region="a_better") > 0.95)
    True
    """
    values, systems, sign = _whole(scores)
    rope, draws, seed = checks.margin(rope, "rope"), checks.whole(draws, "draws"), one_seed(rng)
    strength = float(checks.positive(prior_strength, "prior_strength"))
    n = len(systems)
    mass = _equal_to_itself(n)
    pairs = list(zip(*np.triu_indices(n, 1), strict=True))
    for a, b in with_bar(
        pairs, len(pairs), "pairs", long=len(pairs) * draws * len(values) ** 2 > 2e10
    ):
        z = np.append(0.0, sign * (values[:, a] - values[:, b]))
        mass[a, b] = _winners(
            z, strength, rope, draws, np.random.default_rng([seed, int(a), int(b)])
        )
        mass[b, a] = mass[a, b][::-1]
    found = _dataset({}, mass, systems)
    error = share_error(mass, draws) * ~np.eye(n, dtype=bool)[..., None]
    found["mass_mcse"] = (found["mass"].dims, error)
    return found.assign_attrs(
        model="Bayesian signed-rank", rope=rope, prior=strength, draws=draws, seed=seed
    )


def sign(
    scores: xr.DataArray, *, rope: float = names.ROPE, prior_strength: float = 1.0
) -> xr.Dataset:
    """Compare systems over data sets by how many differences lie below, within and above the
    region.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        One item for each data set, such as a mean over folds, without gaps.
    rope : float, default 0
        Half width of the region of practical equivalence, in units of the score.
    prior_strength : float, default 1
        Data sets without a difference that are counted beforehand.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b): ``mass`` (region): how probable it is that each region holds most
        data sets, exactly; and ``count`` (region).

    Raises
    ------
    ValueError
        As `scores.compare_folds`.

    References
    ----------
    Benavoli, Corani, Demsar & Zaffalon (2017), JMLR 18(77), section 4.1.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[0.9, 0.8], [0.85, 0.82], [0.88, 0.8], [0.9, 0.85]], dims=("item", "system"), coords={"system": ["A", "B"]}
    ... )
    >>> sign(scores)["mass"].sel(system_a="A", system_b="B").round(4).values.tolist()
    [0.0, 0.0625, 0.9375]
    """
    values, systems, sign = _whole(scores)
    rope = checks.margin(rope, "rope")
    strength = float(checks.positive(prior_strength, "prior_strength"))
    n = len(systems)
    a, b = np.triu_indices(n, 1)
    d = sign * (values[:, a] - values[:, b])
    counted = np.stack([(d < -rope).sum(0), (np.abs(d) <= rope).sum(0), (d > rope).sum(0)], axis=-1)
    count = np.zeros((n, n, 3), dtype=int)
    count[..., 1] = len(values) * np.eye(n, dtype=int)
    count[a, b], count[b, a] = counted, counted[:, ::-1]
    mass = _equal_to_itself(n)
    mass[a, b] = folds.prob_largest(counted + np.array([0.0, strength, 0.0]))
    mass[b, a] = mass[a, b][:, ::-1]
    found = _dataset({}, mass, systems)
    found["count"] = (found["mass"].dims, count)
    return found.assign_attrs(model="Bayesian sign", rope=rope, prior=strength)


def _winners(
    z: np.ndarray, strength: float, rope: float, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Share of draws that each region wins; equal shares count for each alike."""
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


def _equal_to_itself(systems: int) -> np.ndarray:
    """Masses (system, system, region) before any pair is compared: a system lies within the region
    of itself.
    """
    mass = np.zeros((systems, systems, 3))
    mass[..., 1] = np.eye(systems)
    return mass


def _whole(scores: xr.DataArray) -> tuple[np.ndarray, list[str], int]:
    """Scores (item, system), names of the systems, and the sign that makes higher better."""
    data = schemas.scores(scores)
    values = data.transpose(names.ITEM, names.SYSTEM).values.astype(float)
    if np.isnan(values).any():
        item, system = np.argwhere(np.isnan(values))[0]
        name = str(data[names.SYSTEM].values[system])
        raise ValueError(f"system {name!r} has no score at place {item + 1}; give all scores")
    if len(values) < 2:
        raise ValueError(f"there is {len(values)} score of each system; a spread needs two")
    sign = 1 if data.attrs.get("higher_is_better", True) else -1
    return values, [str(s) for s in data[names.SYSTEM].values], sign


def _dataset(table: dict[str, np.ndarray], mass: np.ndarray, systems: list[str]) -> xr.Dataset:
    return xr.Dataset(
        {name: (names.SQUARE, v) for name, v in table.items()}
        | {"mass": ((*names.SQUARE, names.REGION), mass)},
        coords=dict.fromkeys(names.SQUARE, systems) | {names.REGION: list(names.REGIONS)},
    )


def _t_width(ci_prob: float, df: int) -> float:
    from scipy import stats

    return float(stats.t.ppf((1 + ci_prob) / 2, df))
