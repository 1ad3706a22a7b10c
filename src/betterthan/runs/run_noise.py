"""How much of an error is due to the runs, and one system against itself."""

from typing import Any, Unpack

import numpy as np
import pandas as pd
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.counts.runs import SUCCESSES, TRIALS, repeated_runs, successes_of
from betterthan.counts.shapes import fingerprint, pair_indices, picked
from betterthan.counts.units import item_ids
from betterthan.exact.runs import best_runs, flips, shares_of, spread_of_runs
from betterthan.exact.wins import intervals
from betterthan.posterior.table import squares
from betterthan.reading.inputs import data_of
from betterthan.reading.read import ReadOptions
from betterthan.runs.answer import Runs
from betterthan.runs.words import noise_lines, same_lines
from betterthan.significance.randomizing import randomization_test
from betterthan.text import named


@checks.one_system()
def noise(
    data: Any,
    *,
    systems: Any = None,
    ci_prob: float = names.CI_PROB,
    **reading: Unpack[ReadOptions],
) -> Runs:
    """Estimate how much scores vary between items, and how much between runs of an item.

    A mean has two standard errors. For items like these, it includes how items vary; for these
    items only, it includes the noise of the runs alone, which understates what new items would
    show. Print the result for the answer in words.

    Parameters
    ----------
    data : path, DataFrame, Logs, xarray.DataArray or xarray.Dataset
        Scores of repeated runs, of 0 and 1 or graded, or anything that `read` accepts; or successes
        and trials of each item.
    systems : sequence of str, or mapping of str to str, optional
        Systems, as in `compare`.
    ci_prob : float, default 0.95
        Level of the interval of ``mixed``.
    **reading
        Options of `read`, if `data` are read.

    Returns
    -------
    Runs
        Print it for the answer. ``.systems`` and ``.pairs`` are pandas tables, and ``.data`` is a
        Dataset:

        - ``mean``, ``n``, ``runs`` (system): mean over items, items, and mean runs of an item
        - ``item_variance``, ``run_variance`` (system): variance between items, without the noise
          of the runs, and of one run around the mean of its item
        - ``icc`` (system): proportion of the item variance in the variance of one run
        - ``mixed``, ``mixed_lower``, ``mixed_upper`` (system): proportion of items whose runs
          differ, with its interval, among items with two runs or more
        - ``identical`` (system): whether the runs of every item agree while items differ
        - ``error``, ``error_of_runs`` (system): standard errors of the mean, for items like these
          and for these items only; with clusters, the first is that of clusters
        - ``difference_item_variance``, ``difference_error``, ``difference_error_of_runs``,
          ``best_runs`` (system_a, system_b): the same of differences, and the runs of an item that
          reduce their error most if a run costs as much as a new item (see `betterthan.plan.runs`)

    Raises
    ------
    ValueError
        If every item has one run, or the data are no scores.

    References
    ----------
    S. R. Searle, G. Casella and C. E. McCulloch (1992), Variance Components, Wiley,
    doi:10.1002/9780470316856: the analysis of variance with one random factor.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame(
    ...     {"system": "A", "item": list("uvwxyz"), "successes": [5, 5, 4, 1, 0, 5], "trials": 5}
    ... )
    >>> result = bt.runs.noise(bt.counts.trials_from_table(table))
    >>> result["error"].values.round(3).tolist(), result["error_of_runs"].values.round(3).tolist()
    ([0.184], [0.047])
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    data = picked(data_of(data, systems, reading, "runs.noise"), systems)
    sums = repeated_runs(data)
    of, error = sums.of_systems()
    several = (sums.trials > 1).sum(0)
    mixed = sums.mixed.sum(0)
    lower, upper = intervals.interval(mixed, several, ci_prob, "eti")
    with np.errstate(invalid="ignore", divide="ignore"):
        columns: dict[str, Any] = {
            "mean": np.nanmean(sums.means, axis=0),
            "n": of.items,
            "runs": sums.trials.sum(0) / of.items,
            "item_variance": of.item,
            "run_variance": of.run,
            "icc": of.item / (of.item + of.run),
            "mixed": mixed / several,
            "mixed_lower": lower,
            "mixed_upper": upper,
            "identical": sums.identical,
            "error": error,
            "error_of_runs": of.error_of_runs,
        }
    variables = {name: ((names.SYSTEM,), values) for name, values in columns.items()}
    if len(sums.systems) > 1:
        pairs, pair_error = sums.of_pairs()
        parts = {
            "difference_item_variance": pairs.item,
            "difference_error": pair_error,
            "difference_error_of_runs": pairs.error_of_runs,
            "best_runs": best_runs(pairs.item, pairs.run, 1.0, 1.0),
        }
        n = len(sums.systems)
        variables |= {
            name: (names.SQUARE, values)
            for name, values in squares(parts, n, *pair_indices(n)).items()
        }
    square = dict.fromkeys(names.SQUARE, sums.systems) if len(sums.systems) > 1 else {}
    attrs = {"answer": "noise", "version": betterthan.__version__, "ci_prob": ci_prob}
    attrs["data_hash"] = fingerprint(data if isinstance(data, xr.DataArray) else data["successes"])
    result = xr.Dataset(variables, coords={names.SYSTEM: sums.systems} | square, attrs=attrs)
    return Runs(result, tuple(noise_lines(result)))


@checks.one_system()
def same_system(
    first: Any,
    second: Any,
    *,
    success: float | None = None,
    ci_prob: float = names.CI_PROB,
    shuffles: int = names.SHUFFLES,
    rng: Any = None,
    **reading: Unpack[ReadOptions],
) -> Runs:
    """Compare two sets of runs of one system on the same items: an A/A comparison.

    It shows how much a system differs from itself, and therefore which differences between two
    systems are noise of the runs.

    Parameters
    ----------
    first, second : path, DataFrame, xarray.DataArray or xarray.Dataset
        Scores of the system, as in `noise`; both of one kind. Items are joined by id.
    success : float, optional
        The smallest score that is a success. Needed unless all scores are 0 and 1.
    ci_prob : float, default 0.95
        Level of the equal-tailed interval of ``flip_rate``.
    shuffles : int, default 10,000
        Number of random permutations, if the exact test is too large.
    rng : int, numpy.random.Generator or None
        Seed of these permutations.
    **reading
        Options of `read`, if the data are read.

    Returns
    -------
    Runs
        Print it for the answer. ``.data`` has, without dims:

        - ``flip_rate``, ``flip_rate_lower``, ``flip_rate_upper``: probability that two runs of an
          item, one of each set, have different outcomes
        - ``mean_first``, ``mean_second``, ``difference``: mean over items, and first - second
        - ``p_value``, ``p_value_mcse``: two-sided randomization test, which exchanges the two sets
          of runs of an item; how often two equal systems differ at least this much
        - ``error_of_runs``: standard error of the difference on these items, from the runs alone
        - ``n``, ``n_dropped``: items in both, and in one of the two

    Raises
    ------
    ValueError
        If a set has more than one system, or the two have no item in common.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> old = pd.DataFrame({"item": list("uvwxyz"), "agent": [1, 1, 0, 1, 0, 1]})
    >>> new = pd.DataFrame({"item": list("uvwxyz"), "agent": [1, 0, 0, 1, 1, 1]})
    >>> result = bt.runs.same_system(old, new)
    >>> round(result["flip_rate"].item(), 3), result["p_value"].item()
    (0.333, 1.0)
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    one, other = (
        _one_system(side, name, success) for name, side in _sides(first, second, reading).items()
    )
    shared = one.index.intersection(other.index, sort=False)
    if not len(shared):
        raise ValueError(
            f"no item is in both: first has {one.index[0]!r}, and second has {other.index[0]!r}; "
            "give runs on the same items"
        )
    a, b = one.loc[shared], other.loc[shared]
    means = np.column_stack([t[SUCCESSES] / t[TRIALS] for t in (a, b)])
    rate = flips(means[:, :1], means[:, 1:])
    law = shares_of(rate, np.ones_like(rate, dtype=bool))
    lower, upper = law.interval(ci_prob, "eti")
    scores = xr.DataArray(
        means, dims=(names.ITEM, names.SYSTEM), coords={names.SYSTEM: ["first", "second"]}
    )
    test = randomization_test(scores, shuffles=shuffles, rng=rng)
    place = {names.SYSTEM_A: "first", names.SYSTEM_B: "second"}
    p = {k: float(test[k].sel(place)) for k in ("p_value", "p_value_mcse") if k in test}
    # of the difference of two means on the same items: by the spread of all runs of an item
    hits, runs = a[SUCCESSES] + b[SUCCESSES], a[TRIALS] + b[TRIALS]
    spread = spread_of_runs(hits.to_numpy(), hits.to_numpy(), runs.to_numpy())
    variance = (spread * (1 / a[TRIALS] + 1 / b[TRIALS])).sum()
    values = {
        "flip_rate": float(rate.mean()),
        "flip_rate_lower": float(lower[0]),
        "flip_rate_upper": float(upper[0]),
        "mean_first": float(means[:, 0].mean()),
        "mean_second": float(means[:, 1].mean()),
        "difference": float((means[:, 0] - means[:, 1]).mean()),
        "error_of_runs": float(np.sqrt(variance) / len(rate)),
        "p_value_mcse": 0.0,
        **p,
        "n": len(shared),
        "n_dropped": len(one) + len(other) - 2 * len(shared),
    }
    attrs = {"answer": "same system", "version": betterthan.__version__, "ci_prob": ci_prob}
    attrs |= {"test": f"randomization, {test.attrs['method'].replace('_', ' ')}"}
    attrs["data_hash"] = fingerprint(scores)
    result = xr.Dataset(values, attrs=attrs)
    return Runs(result, tuple(same_lines(result)))


def _sides(first: Any, second: Any, reading: Any) -> dict[str, Any]:
    """The runs of both sets, each as scores of one system."""
    sides = {"first": first, "second": second}
    arrays = [isinstance(side, xr.DataArray | xr.Dataset) for side in sides.values()]
    if all(arrays):
        return sides
    if any(arrays):
        raise ValueError("first and second are of two kinds; give two files, frames or arrays")
    scores = data_of(sides, None, reading, "runs.same_system")
    systems = [str(s) for s in scores[names.SYSTEM].values]
    if set(systems) != set(sides):
        raise ValueError(f"first and second have {named(systems)}; give the runs of one system")
    return {name: scores.sel({names.SYSTEM: [name]}) for name in sides}


def _one_system(data: Any, name: str, success: float | None) -> pd.DataFrame:
    """Successes and trials of each item that was run."""
    data = successes_of(data, success)
    if data.sizes[names.SYSTEM] != 1:
        systems = [str(s) for s in data[names.SYSTEM].values]
        raise ValueError(f"{name} has {named(systems)}; give the runs of one system")
    columns = {key: data[key].isel({names.SYSTEM: 0}).values for key in (SUCCESSES, TRIALS)}
    table: Any = pd.DataFrame(columns, index=item_ids(data))
    return table[table[TRIALS] > 0]
