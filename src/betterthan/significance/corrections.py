"""Many p-values: corrections, the strength of many results, and one test of all systems."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.tables import measure_table
from betterthan.counts.units import ids_of, in_rows, runs_together, unit_means
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.swaps import corrections, randomization
from betterthan.exact.swaps.rank_tests import friedman as friedman_of
from betterthan.signed import provenance_attrs

_ROUNDED = 1e-9


def adjust(p: xr.DataArray, *, correction: str = names.CORRECTION) -> xr.DataArray:
    """Adjust p-values for multiple testing.

    Parameters
    ----------
    p : xarray.DataArray, dims (system_a, system_b) or any one dim
        The p-values; NaN is no test. In a square the diagonal is no test, and a pair whose two
        cells agree (to 1e-9 relative, for rounding) is one hypothesis. If any two cells differ, the
        tests are one-sided and every cell is a hypothesis.
    correction : {"holm", "bh", "none"}, default "holm"
        Method. ``holm`` controls the probability of any false rejection. ``bh``
        (Benjamini-Hochberg) controls the false discovery rate, for independent or positively
        dependent tests; pairs that share a system need not be.

    Returns
    -------
    xarray.DataArray
        Adjusted p-values with the same dims, never below p. ``attrs`` hold the ``correction`` and
        the number of ``hypotheses``.

    Raises
    ------
    ValueError
        If the correction is unknown, p has other dims, or a value is not a probability.

    References
    ----------
    S. Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70. Y. Benjamini and Y. Hochberg
    (1995), JRSS B 57(1), 289-300, doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> import xarray as xr
    >>> adjust(xr.DataArray([0.01, 0.04, 0.03], dims="measure")).round(4).values.tolist()
    [0.03, 0.06, 0.06]
    """
    checks.one_of(correction, names.CORRECTIONS, "correction")
    result, hypotheses = adjusted(*_hypotheses(p), correction)
    return p.copy(data=result).assign_attrs(correction=correction, hypotheses=hypotheses)


def adjusted_square(p: np.ndarray, correction: str) -> xr.Variable:
    """`adjust` of a checked square of p-values."""
    result, hypotheses = adjusted(*_cells(p), correction)
    attrs = {"correction": correction, "hypotheses": hypotheses}
    return xr.Variable(names.SQUARE, result, attrs)


def adjusted(values: np.ndarray, cells: np.ndarray, correction: str) -> tuple[np.ndarray, int]:
    """Adjusted p-values, and the number of hypotheses: the cells that are one each."""
    family = values[cells]
    by = {"none": np.array, "holm": corrections.holm, "bh": corrections.benjamini_hochberg}[
        correction
    ]
    result = values.copy()
    result[cells] = by(family)
    if values.ndim == 2 and not cells[-1, 0]:  # only the upper triangle was adjusted
        result = np.where(np.tri(len(values), k=-1, dtype=bool), result.T, result)
    return result, int(np.count_nonzero(~np.isnan(family)))


def _hypotheses(p: xr.DataArray) -> tuple[np.ndarray, np.ndarray]:
    """p-values, and the cells that are a hypothesis each."""
    values = _numbers(p)
    if p.ndim == 1:
        return values, np.ones(values.shape, dtype=bool)
    if p.shape[0] != p.shape[1]:
        raise ValueError(
            f"p is {p.shape[0]} by {p.shape[1]} systems; give the same systems in both dims"
        )
    return _cells(values)


def _cells(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of a square."""
    same = (values == values.T).all()  # as a rule; asked first, for it is far quicker
    if same or np.allclose(values, values.T, rtol=_ROUNDED, atol=0, equal_nan=True):
        return np.maximum(values, values.T), ~np.tri(len(values), dtype=bool)
    return values, ~np.eye(len(values), dtype=bool)


def _numbers(p: Any) -> np.ndarray:
    """p-values in one dim or a square; NaN is no test."""
    right = "a DataArray, such as the variable p_value of a test"
    checks.instance(p, xr.DataArray, "p is", right)
    if p.ndim != 1 and set(p.dims) != set(names.SQUARE):
        dims = ", ".join(map(str, p.dims)) or "none"
        raise ValueError(
            f"p has dims {dims}; give (system_a, system_b) or one dim, and take one test at a time"
        )
    if p.dtype.kind != "f":
        return checks.p_values(p.values).copy()
    values = p.values.astype(float)
    checks.p_values(values[~np.isnan(values)])
    return values


_SUBSET = "subset"
_NOTES = {
    "greater": "the p-values are one-sided, as given",
    "two-sided": "the p-values were two-sided and are halved",
}
_CHOSEN = "unadjusted for choosing"


def strength(
    p_values: Mapping[str, Sequence[float] | Mapping[str, float]] | pd.DataFrame,
    *,
    measures: int | None = None,
    alternative: str | None = None,
    simulations: int = 100_000,
    rng: Any = None,
) -> xr.Dataset:
    """Compute how strongly many measures together favor one system.

    For each subset of the smallest p-values, the result is the probability that so many measures
    favor a system at such p-values by chance.

    Parameters
    ----------
    p_values : mapping of str to sequence of float, or pandas.DataFrame
        Two systems, each with the p-values of the measures in its favor, or with a mapping of these
        measures to p-values; one of the systems may have none. Or a table of measures with a column
        ``p_value``; see `counts.from_measures`. Its independent measures are counted; one without a
        p, or a tied one, favors neither system.
    measures : int, optional
        Number of all measures. Default: the number of p-values, or of measures in the table.
    alternative : {"greater", "two-sided"}, optional
        Alternative of the p-values: the system is better, or the two differ. Two-sided p-values are
        halved. Default: "greater"; for a table of measures "two-sided".
    simulations : int, default 100,000
        Number of simulations for the levels.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    xarray.Dataset
        Without dims:

        - ``level_overall``, ``level_overall_mcse``: probability of a tail at least as small for
          either system, if the measures are independent and the systems equal
        - ``strongest_overall``: that tail

        Over ``subset``, one for each distinct p-value of each system:

        - ``tail``: probability that at least m of all measures favor the system at p or less; its
          coordinates are ``favours`` (the system), ``m``, ``p_value``, and, if named, ``measure``

        Over ``system``:

        - ``strongest``, ``strongest_m``: smallest tail, a minimum over subsets and not a p-value
        - ``level``, ``level_mcse``: probability of a minimum at least as small for this system, if
          you chose the system before you saw the data. The smaller level of two systems is 0.05 or
          less about twice as often.

    Raises
    ------
    ValueError
        If there are not two systems, or no p-values, or more of them than measures.
        If a p-value is outside 0 and 1, or a one-sided one is above 1/2, or an argument is not one
        of its choices.

    Notes
    -----
    The measures are treated as independent. If they are correlated, the levels are too small: with
    five normal measures that correlate by 0.3, ``level_overall`` is 0.05 or less for 0.15 of equal
    systems, with 0.6 for 0.26.

    The formula is that of Table 5 and section 4.2 of the reference. The table prints 0.0861 for one
    p of 0.02 in ten measures; its formula gives 0.1829.

    References
    ----------
    B. Di Eugenio, M. Glass and M. J. Scott (2002), The binomial cumulative distribution function,
    or, is my system better than yours?, LREC.

    Examples
    --------
    >>> p_values = {"B": (0.06, 0.1, 0.2, 0.3, 0.33, 0.35, 0.4, 0.4), "A": (0.02, 0.17)}
    >>> result = strength(p_values, rng=1)
    >>> result["strongest"].round(4).values.tolist(), result["strongest_m"].values.tolist()
    ([0.0123, 0.1829], [8, 1])
    """
    if isinstance(p_values, pd.DataFrame):
        p_values, counted = _of_measures(p_values)
        measures = counted if measures is None else measures
        alternative = "two-sided" if alternative is None else alternative
    alternative = "greater" if alternative is None else alternative
    checks.one_of(alternative, tuple(_NOTES), "alternative")
    simulations = checks.whole(simulations, "simulations")
    one_sided = _one_sided(p_values, alternative)
    measures = _measures(one_sided, measures)
    seed = one_seed(rng)
    rows = {system: corrections.subsets(p, measures) for system, p in one_sided.items()}
    by_system = _strongest(rows)
    by_chance = _levels(by_system["strongest"].values, measures, simulations, seed)
    # what answers first: of either system, which was chosen after looking at both
    first = [name for name in by_chance if str(name).endswith(("_overall", "_overall_mcse"))]
    result = by_chance[first].merge(_rows(rows, p_values), join="exact")
    result = result.merge(by_system, join="exact").merge(by_chance, join="exact")
    return result.assign_attrs(
        provenance_attrs(answer="strength", unit=names.MEASURE, seed=seed),
        test="strength of results",
        measures=measures,
        alternative=alternative,
        note=_NOTES[alternative],
        simulations=simulations,
    )


def _of_measures(frame: pd.DataFrame) -> tuple[dict[str, dict[str, float]], int]:
    """The p-values in favour of each system by the name of the measure, and how many measures are
    independent.
    """
    table = measure_table(frame)
    if "single_p" not in table:
        raise ValueError(
            "p_values have no column 'p_value'; give that of a test on each measure, or leave it "
            "blank"
        )
    table = table.isel({names.MEASURE: table["independent"].values})
    best, p = table["best"].values, table["single_p"].values
    ahead = (best.sum(1) == 1) & ~np.isnan(p)
    labels = table[names.MEASURE].values
    favoured = {
        str(system): dict(zip(labels[rows].tolist(), p[rows].tolist(), strict=True))
        for k, system in enumerate(table[names.SYSTEM].values)
        for rows in [ahead & best[:, k]]
    }
    return favoured, len(labels)


def _one_sided(p_values: Any, alternative: str) -> dict[str, np.ndarray]:
    """The p-values of each of two systems, one-sided."""
    checks.instance(p_values, Mapping, "p_values is", "a mapping of two systems to theirs")
    if len(p_values) != 2:
        named = ", ".join(repr(str(s)) for s in p_values) or "none"
        raise ValueError(
            f"p_values name {len(p_values)} systems ({named}); give two, the second may have no "
            "p-values"
        )
    checks.unique([str(s) for s in p_values], "system")
    result = {}
    for system, values in p_values.items():
        values = list(values.values()) if isinstance(values, Mapping) else values
        p = np.atleast_1d(checks.p_values(values, f"p-value in favour of {str(system)!r}"))
        if alternative == "two-sided":
            p = p / 2
        if (p > 0.5).any():
            raise ValueError(
                f"one-sided p-value {p[p > 0.5][0]:g} in favour of {str(system)!r} is above 1/2, "
                "so the other system is ahead; list it there as 1 - p, or say "
                "alternative='two-sided'"
            )
        result[str(system)] = p.ravel()
    return result


def _measures(one_sided: dict[str, np.ndarray], measures: int | None) -> int:
    listed = sum(p.size for p in one_sided.values())
    if not listed:
        raise ValueError(
            "p_values hold no p-value; give those of the measures in favour of either system"
        )
    if measures is None:
        return listed
    if checks.whole(measures, "measures") < listed:
        raise ValueError(
            f"there are {listed} p-values but measures={measures}; give the number of all measures"
        )
    return int(measures)


def _rows(rows: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]], p_values: Any) -> xr.Dataset:
    p, m, tail = (np.concatenate(columns) for columns in zip(*rows.values(), strict=True))
    favours = np.repeat(list(rows), [len(columns[0]) for columns in rows.values()])
    coords: dict[str, Any] = {
        "favours": (_SUBSET, favours),
        "m": (_SUBSET, m),
        "p_value": (_SUBSET, p),
    }
    named = [_labels(values) for values in p_values.values() if isinstance(values, Mapping)]
    if len(named) == len(rows):
        coords[names.MEASURE] = (_SUBSET, [label for labels in named for label in labels])
    return xr.Dataset({"tail": (_SUBSET, tail)}, coords=coords)


def _labels(values: Mapping[str, float]) -> list[str]:
    """The measures at each distinct p-value, ascending."""
    return [
        ", ".join(str(name) for name, value in values.items() if value == p)
        for p in np.unique(list(values.values()))
    ]


def _strongest(rows: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> xr.Dataset:
    tails = [tail.min(initial=1.0) for _, _, tail in rows.values()]
    counts = [int(m[tail.argmin()]) if m.size else 0 for _, m, tail in rows.values()]
    variables = {
        "strongest": (names.SYSTEM, np.array(tails), {"label": _CHOSEN}),
        "strongest_m": (names.SYSTEM, np.array(counts)),
    }
    return xr.Dataset(variables, coords={names.SYSTEM: list(rows)})


def _levels(least: np.ndarray, measures: int, simulations: int, seed: int) -> xr.Dataset:
    """How often equal systems have as small a minimum: each system, and either."""
    exceeded, either = corrections.exceedances(least, measures, simulations, seed)
    n, variables = np.asarray(simulations), {}
    for name, dims, b in (
        ("level", names.SYSTEM, exceeded),
        ("level_overall", (), np.asarray(either)),
    ):
        variables[name] = (dims, randomization.monte_carlo_p(b, n))
        variables[f"{name}_mcse"] = (dims, randomization.monte_carlo_error(b, n))
    return xr.Dataset(variables | {"strongest_overall": ((), least.min(), {"label": _CHOSEN})})


FEWEST = 3  # systems


def friedman(scores: xr.DataArray, *, unit: str | None = None) -> xr.Dataset:
    """Test whether any of three or more systems differ, with Friedman's test.

    The test compares the ranks of the systems on the items. For scores of 0 and 1 it is Cochran's
    Q. It does not show which systems differ, and a verdict on a pair does not need it.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores, with NaN for a missing one. Items without a score of every system are left out and
        counted.
    unit : str, optional
        Unit of analysis: "item", or an item coordinate such as "cluster", by the mean of its items.
        Default: the cluster if items come in clusters, else the item with all its runs.

    Returns
    -------
    xarray.Dataset
        - ``statistic``, ``p_value``, ``df``: chi-square test
        - ``concordance``: Kendall's W, from 0 to 1
        - ``mean_rank`` (system): 1 is the best

        If no two systems differ on any item, the statistic is NaN and p is 1. ``attrs``: ``n``, the
        units ranked, and ``n_dropped``, those without a score of every system.

    Raises
    ------
    ValueError
        If the data are not scores, there are fewer than three systems, the unit is unknown, or no
        two units have scores of all systems.

    References
    ----------
    M. Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the
    analysis of variance, JASA 32(200), 675-701. W. G. Cochran (1950), The comparison of percentages
    in matched samples, Biometrika 37(3/4), 256-266.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[3, 2, 1], [3, 1, 2], [2, 1, 1], [3, 2, 1]],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B", "C"]},
    ... )
    >>> result = friedman(scores)
    >>> round(result["statistic"].item(), 3), round(result["p_value"].item(), 3)
    (6.533, 0.038)
    """
    scores = schemas.scores(scores)
    if scores.sizes[names.SYSTEM] < FEWEST:
        raise ValueError("Friedman's test is of three systems or more; of two use sign_test")
    scores, by = in_rows(scores, unit)
    result, rank, units = ranks(scores, by)
    if units["n"] < 2:
        raise ValueError(
            f"{units['n']} of {units['n'] + units['n_dropped']} have scores of all systems "
            f"(unit={by!r}); Friedman's test needs two: leave out the systems that lack most"
        )
    return xr.Dataset(
        {k: ((), v) for k, v in result.items()} | {"mean_rank": (names.SYSTEM, rank)},
        coords={names.SYSTEM: scores[names.SYSTEM].values.astype(str)},
        attrs=units | provenance_attrs(answer="friedman", unit=by),
    )


def ranks(scores: xr.DataArray, by: str) -> tuple[dict[str, float], np.ndarray, dict[str, int]]:
    """The numbers of the same of scores that are checked, the mean rank of each system, and how
    many units are complete, and how many are not.
    """
    scores = scores if by == names.ITEM else runs_together(scores)
    better = 1 if scores.attrs.get("higher_is_better", True) else -1
    values = better * unit_means(scores, ids_of(scores, by))
    complete = ~np.isnan(values).any(1)
    n, systems = int(complete.sum()), values.shape[1]
    rank, statistic, p = friedman_of(values[complete]) if n else (np.nan * values[0], np.nan, 1.0)
    result = {"statistic": statistic, "df": systems - 1, "p_value": p}
    result |= {"concordance": statistic / (n * (systems - 1)) if n else np.nan}
    return result, rank, {"n": n, "n_dropped": len(values) - n}
