"""Strength of results: what many measures say together when none of them alone is significant."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.exact.numeric.seeds import one_seed
from betterthan.exact.swaps import levels, strongest
from betterthan.signed import Signature

_SUBSET = "subset"
_NOTES = {
    "greater": "the p-values are one-sided, as given",
    "two-sided": "the p-values were two-sided and are halved",
}
_CHOSEN = "unadjusted for choosing"


def strength(
    p_values: Mapping[str, Sequence[float]],
    *,
    measures: int | None = None,
    alternative: str = "greater",
    simulations: int = 100_000,
    rng: Any = None,
) -> xr.Dataset:
    """How surprising it is that so many measures favour a system at such p-values, for each subset
    of the smallest.

    Parameters
    ----------
    p_values : mapping of str to sequence of float
        Two systems, each with the p-values of the measures in its favour; one of them may have
        none.
    measures : int, optional
        Number of all measures. Default: as many as there are p-values.
    alternative : {"greater", "two-sided"}, default "greater"
        What the p-values test: that the system is better, or that the two differ; two-sided ones
        are halved.
    simulations : int, default 100,000
        For the levels.
    rng : int, numpy.random.Generator or None
        Seed; it is recorded.

    Returns
    -------
    xarray.Dataset
        Without dims, and first: ``level_overall``, the probability that the smallest tail of either
        system is so small if the measures are independent and the systems equal, with
        ``level_overall_mcse``, and ``strongest_overall``, that tail. Over ``subset``, one for each
        distinct p-value of each system: ``tail``, the probability that at least m of all measures
        favour the system at p or less, with coordinates ``favours`` (the system), ``m`` and
        ``p_value``. Over ``system``: ``strongest``, the smallest tail, which is a minimum over
        subsets and not a p-value, ``strongest_m``, and ``level``, the probability that this
        system's minimum is so small, with ``level_mcse``. It is of a system named before looking:
        of two systems the smaller level is .05 or less about twice as often.

    Raises
    ------
    ValueError
        If there are not two systems, or no p-values, or more of them than measures.
        If a p-value is outside 0 and 1, or a one-sided one is above 1/2, or an argument is not one
        of its choices.

    Notes
    -----
    The measures are taken as independent. Where they are correlated the levels are too small: with
    five measures that correlate by .3, ``level_overall`` is .05 or less for .18 of equal systems,
    by .6 for .29.

    Table 5 and section 4.2 of the reference; where it prints 0.0861 for one p of 0.02 in ten
    measures, its formula gives 0.1829.

    References
    ----------
    B. Di Eugenio, M. Glass and M. J. Scott (2002), The binomial cumulative distribution function,
    or, is my system better than yours?, LREC.

    Examples
    --------
    >>> p_values = {"B": (0.06, 0.1, 0.2, 0.3, 0.33, 0.35, 0.4, 0.4), "A": (0.02, 0.17)}
    >>> found = strength(p_values, rng=1)
    >>> found["strongest"].round(4).values.tolist(), found["strongest_m"].values.tolist()
    ([0.0123, 0.1829], [8, 1])
    """
    checks.one_of(alternative, tuple(_NOTES), "alternative")
    simulations = checks.whole(simulations, "simulations")
    one_sided = _one_sided(p_values, alternative)
    measures = _measures(one_sided, measures)
    seed = one_seed(rng)
    rows = {system: strongest.subsets(p, measures) for system, p in one_sided.items()}
    by_system = _strongest(rows)
    by_chance = _levels(by_system["strongest"].values, measures, simulations, seed)
    # what answers first: of either system, which was chosen after looking at both
    first = [name for name in by_chance if str(name).endswith(("_overall", "_overall_mcse"))]
    result = by_chance[first].merge(_rows(rows), join="exact")
    result = result.merge(by_system, join="exact").merge(by_chance, join="exact")
    provenance = Signature(version=betterthan.__version__, unit="measure", seed=seed).to_attrs()
    return result.assign_attrs(
        provenance,
        test="strength of results",
        measures=measures,
        alternative=alternative,
        note=_NOTES[alternative],
        simulations=simulations,
    )


def _one_sided(p_values: Mapping[str, Sequence[float]], alternative: str) -> dict[str, np.ndarray]:
    """The p-values of each of two systems, one-sided."""
    if not isinstance(p_values, Mapping):
        raise ValueError(
            f"p_values is {type(p_values).__name__}; give a mapping of two systems to theirs"
        )
    if len(p_values) != 2:
        named = ", ".join(repr(str(s)) for s in p_values) or "none"
        raise ValueError(
            f"p_values name {len(p_values)} systems ({named}); give two, the second may have no "
            "p-values"
        )
    checks.unique([str(s) for s in p_values], "system")
    result = {}
    for system, values in p_values.items():
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


def _rows(rows: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> xr.Dataset:
    p, m, tail = (np.concatenate(columns) for columns in zip(*rows.values(), strict=True))
    favours = np.repeat(list(rows), [len(columns[0]) for columns in rows.values()])
    coords = {"favours": (_SUBSET, favours), "m": (_SUBSET, m), "p_value": (_SUBSET, p)}
    return xr.Dataset({"tail": (_SUBSET, tail)}, coords=coords)


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
    exceeded, either = strongest.exceedances(least, measures, simulations, seed)
    n, variables = np.asarray(simulations), {}
    for name, dims, b in (
        ("level", names.SYSTEM, exceeded),
        ("level_overall", (), np.asarray(either)),
    ):
        variables[name] = (dims, levels.monte_carlo_p(b, n))
        variables[f"{name}_mcse"] = (dims, levels.monte_carlo_error(b, n))
    return xr.Dataset(variables | {"strongest_overall": ((), least.min(), {"label": _CHOSEN})})
