"""Two independent groups of people: the test of Mann and Whitney, and its Bayesian counterpart."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.exact.swaps.rank_tests import auc_below, exact_rank_sum_p, normal_rank_sum_p
from betterthan.exact.wins.superiority import superiority
from betterthan.people.repeated import level_means, numbers_and_labels
from betterthan.posterior.verdicts import decide
from betterthan.signed import Signature

_STEPS = 300_000_000  # additions spent on the exact null, about two seconds
_ROPE_MAX = 0.5  # from a probability of one half to 0 or 1


def mann_whitney(
    table: pd.DataFrame,
    response: str,
    factor: str,
    *,
    unit: str | None = "subject",
    higher_is_better: bool = True,
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
) -> xr.Dataset:
    """Compare two groups of different people with the Mann-Whitney test and its posterior.

    The posterior is of the probability that a person of the first group has the better value.

    Parameters
    ----------
    table : pandas.DataFrame
        Table with one row for each observation.
    response, factor : str
        Names of the columns of the response, a number such as a rating or a time, and of the group.
        There are two groups; the first is that of the first row.
    unit : str or None, default "subject"
        Column that names the person; several rows of a person are averaged first. None: every row
        is another person.
    higher_is_better : bool, default True
        False for times and errors.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE) around a probability of 1/2.
    threshold : float, default 0.95
        Posterior probability needed for a verdict.
    ci_prob, ci_kind
        Level and kind of the credible interval, "hdi" or "eti".

    Returns
    -------
    xarray.Dataset
        - ``superiority``: proportion of pairs of people in which the person of the first group has
          the better value; equal ones count half
        - ``lower``, ``upper``: credible interval of this probability for other people like these
        - ``prob_better``: posterior probability that it is above 1/2
        - ``prob_equivalent``: that it is within the ROPE
        - ``verdict``: A is the first group; "no_verdict" with fewer than 5 people in a group
        - ``p_value``: two-sided
        - ``u``, ``n``, ``mean``, ``median`` (level): u counts the pairs in which this group's
          person has the better value

        ``attrs["p_method"]`` records how p was computed: exactly, over all divisions of these
        people into groups of these sizes, with the ties as they are; or, for large groups, by the
        normal approximation (corrected for ties and continuity). ``attrs["n_dropped"]`` counts rows
        without a response.

    Raises
    ------
    ValueError
        If a column is missing or has no numbers, there are not two groups, a group has one person,
        or a person is in both. People in both are paired; use `anova` or `compare`.

    Warns
    -----
    UserWarning
        If all people have the same value, so no interval can be computed.

    Notes
    -----
    The posterior is Student's t of the mean placement (the proportion of the other group that a
    value is above) with the variance of Brunner and Munzel, which allows unequal spreads, and
    Satterthwaite's degrees of freedom, between 0 and 1. In each group one more person who ties with
    all others is the prior; it keeps the interval from collapsing where groups do not overlap.
    Error rates and coverage are in "Calibration", next to those of the Bayesian bootstrap.

    References
    ----------
    H. B. Mann and D. R. Whitney (1947), Annals of Mathematical Statistics 18(1), 50-60,
    doi:10.1214/aoms/1177730491. E. Brunner and U. Munzel (2000), The nonparametric Behrens-Fisher
    problem, Biometrical Journal 42(1), 17-25.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"system": ["new"] * 6 + ["old"] * 6,
    ...                       "rating": [5, 4, 4, 5, 3, 5, 2, 3, 4, 2, 3, 1]})
    >>> result = mann_whitney(table, "rating", "system", unit=None)
    >>> result["u"].values.tolist(), round(result["p_value"].item(), 4)
    ([33.0, 3.0], 0.0216)
    >>> round(result["superiority"].item(), 3), round(result["prob_better"].item(), 3)
    (0.917, 0.997)
    """
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    choices: dict[str, Any] = {
        "rope": checks.rope(rope),
        "threshold": checks.threshold(threshold),
        "ci_prob": checks.probability(ci_prob, "ci_prob"),
        "ci_kind": ci_kind,
    }
    if rope >= _ROPE_MAX:
        raise ValueError(f"rope is {rope}; probabilities are at most 0.5 from 1/2: give less")
    checks.flag(higher_is_better, "higher_is_better")
    labels = [factor] if unit is None else [factor, unit]
    data: Any = numbers_and_labels(table, [response], labels).dropna()
    if unit is None:
        data = data.assign(**{names.ROW: range(len(data))})
    groups = _groups(level_means(data, response, factor, unit or names.ROW))
    by_level = {
        "n": [len(values) for values in groups.values()],
        "mean": [values.mean() for values in groups.values()],
        "median": [np.median(values) for values in groups.values()],
    }
    sign = 1 if higher_is_better else -1
    first, second = (sign * values for values in groups.values())
    above = auc_below(second, first)
    pairs = len(first) * len(second)
    u = np.rint(2 * above * pairs) / 2
    by_level = {"u": [u, pairs - u]} | by_level
    p = exact_rank_sum_p(first, second, _STEPS)
    numbers = {"superiority": above} | _posterior(first, second, choices)
    numbers["p_value"] = normal_rank_sum_p(first, second) if p is None else p
    provenance = Signature(
        answer="mann_whitney",
        version=betterthan.__version__,
        unit=unit or names.ROW,
        higher_is_better=higher_is_better,
        **choices,
    )
    return xr.Dataset(
        {k: ((), v) for k, v in numbers.items()} | {k: ("level", v) for k, v in by_level.items()},
        coords={"level": list(groups)},
        attrs=provenance.to_attrs()
        | {"response": response, "factor": factor, "p_method": "normal" if p is None else "exact"}
        | {"n_dropped": len(table) - len(data)},
    )


def _groups(cells: pd.DataFrame) -> dict[str, np.ndarray]:
    """The value of each person, by group, from cells (person, group)."""
    factor, person = cells.columns.name, cells.index.name
    names_of_groups = [str(group) for group in cells.columns]
    checks.unique(names_of_groups, str(factor))
    if len(names_of_groups) != 2:
        listed = ", ".join(map(repr, names_of_groups))
        raise ValueError(
            f"column {factor!r} has {len(names_of_groups)} groups ({listed}); give the rows of "
            "two, or use people.anova"
        )
    present = cells.notna().to_numpy()
    if present.all(1).any():
        k = int(present.all(1).argmax())
        raise ValueError(
            f"{person} {str(cells.index[k])!r} is in both groups; mann_whitney compares different "
            "people. Use people.anova for the same people, or compare, with people as items"
        )
    for group, n in zip(names_of_groups, present.sum(0), strict=True):
        if n < 2:
            raise ValueError(f"group {group!r} has one person; each group needs two or more")
    values = cells.to_numpy(dtype=float)
    return {group: values[present[:, k], k] for k, group in enumerate(names_of_groups)}


def _posterior(first: np.ndarray, second: np.ndarray, choices: dict[str, Any]) -> dict[str, Any]:
    """Interval, probabilities and verdict."""
    posterior = superiority(first, second)
    rope, threshold = choices["rope"], choices["threshold"]
    (lower,), (upper,) = posterior.interval(choices["ci_prob"], choices["ci_kind"])
    if not posterior.error[0]:
        warnings.warn(
            f"no interval: all {len(first) + len(second)} people have the same value "
            f"({abs(first[0]):g})",
            skip_file_prefixes=names.PACKAGE,
        )
        better, behind, within = np.array(0.5), np.array(0.5), np.array(np.nan)
    else:
        better, behind = posterior.prob_above(0.5)[0], posterior.prob_below(0.5)[0]
        within = 1 - posterior.prob_above(0.5 + rope)[0] - posterior.prob_below(0.5 - rope)[0]
    verdict = str(decide(better, behind, within, rope, threshold)[0])
    if min(len(first), len(second)) < names.UNITS_MIN:
        verdict = "no_verdict"
    masses = {"prob_better": better, "prob_equivalent": within if rope else 0.0}
    return {"lower": lower, "upper": upper} | masses | {"verdict": verdict}
