"""User studies: slopes and analysis of variance of repeated measures, and two independent groups.

Two groups are compared by the test of Mann and Whitney, and its Bayesian counterpart.
"""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from betterthan import checks, names
from betterthan.exact.swaps.corrections import holm
from betterthan.exact.swaps.rank_tests import auc_below, exact_rank_sum_p, normal_rank_sum_p
from betterthan.exact.wins.superiority import superiority
from betterthan.io.problems import require_columns
from betterthan.people.shared_texts import TEXT, named, shared_texts, text_attrs
from betterthan.posterior.verdicts import decide
from betterthan.rounding import without_rounding
from betterthan.signed import Signature, provenance_attrs

KEYS = ("slope", "standard_error", "t", "df", "p_value", "lower", "upper")
ROUNDING = 1e-13  # spreads below this share of the values are theirs


def line(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float, int]:
    """Slope, intercept and correlation of y on x, NaN where there is none, and how many rows."""
    off_x, off_y = x - x.mean(), y - y.mean()
    spread = (off_x**2).sum()
    slope = (off_x * off_y).sum() / spread if len(x) > 2 and spread > 0 else np.nan
    down = np.sqrt(spread * (off_y**2).sum())
    r = slope * spread / down if down > 0 else np.nan
    return slope, y.mean() - slope * x.mean(), r, len(x)


def mean_slope(slopes: np.ndarray, ci_prob: float) -> dict[str, float]:
    """Student's t test that the mean is 0; NaN where all are the same, but for rounding."""
    mean, spread = slopes.mean(), slopes.std(ddof=1)
    error = spread / np.sqrt(len(slopes))
    alike = spread <= 1e3 * ROUNDING * np.abs(slopes).max()
    return _slope_test(mean, np.nan if alike else error, len(slopes) - 1, ci_prob)


def slope_by_text(
    data: pd.DataFrame, response: str, predictor: str, text: str, ci_prob: float
) -> dict[str, float]:
    """The slope with texts as the sample: through their means, or, where the predictor varies
    within most of them, the mean of a slope for each text.
    """
    groups: Any = data.groupby(text, sort=False)
    extremes = groups[predictor].agg(["min", "max"])
    if ((extremes["max"] - extremes["min"]) > 1e-9 * extremes.abs().max(axis=1)).mean() > 0.5:
        slopes = [line(p[predictor].to_numpy(), p[response].to_numpy())[0] for _, p in groups]
        defined = np.array(slopes)[~np.isnan(slopes)]
        return mean_slope(defined, ci_prob) if len(defined) > 1 else dict.fromkeys(KEYS, np.nan)
    means = groups[[response, predictor]].mean()
    return _through(means[predictor].to_numpy(), means[response].to_numpy(), ci_prob)


def _through(x: np.ndarray, y: np.ndarray, ci_prob: float) -> dict[str, float]:
    """Least squares, and Student's t test of the slope."""
    slope, intercept, _, n = line(x, y)
    if np.isnan(slope):
        return dict.fromkeys(KEYS, np.nan)
    off = y - intercept - slope * x
    spread = np.sqrt((off**2).sum() / (n - 2))
    exact = spread <= 1e3 * ROUNDING * np.abs(y).max()
    error = spread / np.sqrt(((x - x.mean()) ** 2).sum())
    return _slope_test(slope, np.nan if exact else error, n - 2, ci_prob)


def _slope_test(slope: float, error: float, df: int, ci_prob: float) -> dict[str, float]:
    """Return the test of a slope; nan without a standard error."""
    half = stats.t.ppf((1 + ci_prob) / 2, df) * error
    p = 2 * stats.t.sf(abs(slope / error), df)
    values = slope, error, slope / error, df, p, slope - half, slope + half
    return dict(zip(KEYS, map(float, values), strict=True))


PAIRED, TUKEY = "paired t, Holm", "Tukey & Kramer"


def level_differences(values: np.ndarray) -> np.ndarray:
    """Differences of the means of levels."""
    mean = np.nanmean(values, axis=0)
    return mean[:, None] - mean


def paired(values: np.ndarray) -> np.ndarray:
    """Of levels within units, (unit, level): each pair by its own differences, whose spread may be
    another than that of other pairs; corrected over pairs. NaN where a difference never varies.
    """
    n, levels = values.shape
    first, second = np.triu_indices(levels, 1)
    differences = values[:, first] - values[:, second]
    mean, error = differences.mean(0), differences.std(0, ddof=1) / np.sqrt(n)
    rounding = ROUNDING * np.abs(values).max()
    error[error <= rounding] = np.nan
    p = 2 * stats.t.sf(np.abs(mean / error), n - 1)
    p[np.isnan(error) & (np.abs(mean) <= rounding)] = 1.0
    p_values = np.ones((levels, levels))
    p_values[first, second] = p_values[second, first] = holm(p)
    return p_values


def tukey(values: np.ndarray, error: float, df: float) -> np.ndarray:
    """Of levels between units, NaN where there is none: by the studentized range."""
    n = (~np.isnan(values)).sum(0)
    below = np.sqrt(error * (1 / n[:, None] + 1 / n) / 2)
    p = stats.studentized_range.sf(np.abs(level_differences(values)) / below, len(n), df)
    return np.where(np.eye(len(n), dtype=bool), 1.0, p)


def slopes(
    table: pd.DataFrame,
    response: str,
    predictor: str,
    *,
    subject: str = "subject",
    text: str | None = TEXT,
    ci_prob: float = names.CI_PROB,
) -> xr.Dataset:
    """Regress a response on a predictor within each subject, and test the mean slope.

    If subjects share texts, the slope is also tested with the texts as the sample.

    Parameters
    ----------
    table : pandas.DataFrame
        Table with one row for each text that a subject saw.
    response, predictor : str
        Names of columns of numbers, such as the reading time and tau. Rows without one are left out
        and counted.
    subject : str, default "subject"
        Column that names the subject.
    text : str or None, default "text"
        Column that names the text. None: the rows are not texts that several subjects read.
    ci_prob : float, default 0.95
        Level of the confidence intervals.

    Returns
    -------
    xarray.Dataset
        - ``slope``, ``intercept``, ``r``, ``n`` (subject)
        - ``mean_slope`` with ``standard_error``, ``t``, ``df``, ``p_value`` (two-sided), ``lower``,
          ``upper``: they generalize to other subjects who read these texts
        - ``by_text_slope`` and the same numbers, if subjects share texts: they generalize to other
          texts (least squares through the means of texts or, if the predictor varies within most of
          them, a slope for each)

        A slope that generalizes to people and texts has both p small; a warning is raised if only
        the first is. Subjects with fewer than 3 rows or a constant predictor have no slope;
        ``attrs`` count them and the rows left out, and record whether texts are shared. If all
        slopes are the same, there is no error and no test (NaN).

    Raises
    ------
    ValueError
        If a column is missing or not numeric, a row lacks its subject or text, or fewer than 2
        subjects have a slope.

    References
    ----------
    R. F. Lorch and J. L. Myers (1990), Regression analyses of repeated measures data in cognitive
    research, Journal of Experimental Psychology: Learning, Memory, and Cognition 16(1), 149-157
    (their method 3). H. H. Clark (1973), The language-as-fixed-effect fallacy, Journal of Verbal
    Learning and Verbal Behavior 12(4), 335-359, doi:10.1016/S0022-5371(73)80014-3.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"subject": list("aaabbbccc"), "text": list("xyz") * 3,
    ...                       "tau": [0, 0.5, 1] * 3, "time": [9, 8, 6, 7, 7, 5.5, 9, 7, 8]})
    >>> result = slopes(table, "time", "tau")
    >>> result["slope"].values.tolist(), round(result["p_value"].item(), 3)
    ([-3.0, -1.5, -1.0], 0.093)
    >>> round(result["by_text_p_value"].item(), 3)
    0.033
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    data = numbers_and_labels(table, [response, predictor], [subject, *named(table, text)])
    whole: Any = data.dropna()
    shared = shared_texts(whole, predictor, subject, text)
    parts = [
        (str(name), *line(part[predictor].to_numpy(), part[response].to_numpy()))
        for name, part in whole.groupby(subject, sort=False)
    ]
    lines = pd.DataFrame(parts, columns=["subject", "slope", "intercept", "r", "n"])
    known = lines["slope"].dropna().to_numpy()
    if len(known) < 2:
        raise ValueError(f"{len(known)} subjects have a slope; the test needs 2, with 3 rows each")
    each = {k: ("subject", lines[k].to_numpy()) for k in ("slope", "intercept", "r", "n")}
    return xr.Dataset(
        each | _tests(whole, known, (response, predictor, shared), ci_prob),
        coords={"subject": lines["subject"].to_list()},
        attrs=Signature(ci_prob=ci_prob).to_attrs()
        | {
            "n_subjects": len(known),
            "n_undefined": len(lines) - len(known),
            "n_dropped": len(data) - len(whole),
        }
        | text_attrs(whole, text, shared),
    )


def _tests(
    whole: pd.DataFrame,
    known: np.ndarray,
    columns: tuple[str, str, str | None],
    ci_prob: float,
) -> dict[str, float]:
    """Of the mean slope over subjects, and over texts where subjects share them."""
    by_subject = mean_slope(known, ci_prob)
    if np.isnan(by_subject["t"]):
        checks.warn(f"no test of the mean slope: all {len(known)} slopes are the same")
    statistics = {"mean_slope": by_subject.pop("slope")} | by_subject
    response, predictor, text = columns
    if text is None:
        return statistics
    by_text = slope_by_text(whole, response, predictor, text, ci_prob)
    one, other = statistics["p_value"], by_text["p_value"]
    if one <= 1 - ci_prob and not other <= 1 - ci_prob:
        checks.warn(
            f"with other texts there may be no slope: p is {one:.2g} by subjects, and {other:.2g} "
            f"by texts (F1 without F2)"
        )
    return statistics | {f"by_text_{k}": v for k, v in by_text.items()}


def anova(table: pd.DataFrame, response: str, factor: str, *, unit: str = "subject") -> xr.Dataset:
    """Analyze the variance over the levels of one factor, by subjects or by items.

    Levels are also compared pair by pair.

    Parameters
    ----------
    table : pandas.DataFrame
        Table with one row for each observation.
    response, factor : str
        Names of the columns of the response, a number, and of the level that it was observed under.
    unit : str, default "subject"
        Column of the units that vary at random: subjects give F1, items F2. Observations of a unit
        at a level are averaged first. If every unit has all levels, they are compared within units;
        if each has one, between.

    Returns
    -------
    xarray.Dataset
        - ``f``, ``df1``, ``df2``, ``p_value``
        - ``p_corrected``: within units, with the correction of Greenhouse & Geisser and its
          ``epsilon``
        - ``mean``, ``sd``, ``n`` (level)
        - ``difference``, ``p_pairwise`` (level_a, level_b)

        ``attrs["design"]`` is within or between. ``attrs["pairwise"]`` is the test of pairs: within
        units, paired t tests with Holm's correction, as differences need not vary alike; between
        them, Tukey & Kramer.

    Raises
    ------
    ValueError
        If a column is missing, there are fewer than 2 levels, a unit has only some of the levels,
        or nothing varies.

    References
    ----------
    S. W. Greenhouse and S. Geisser (1959), On methods in the analysis of profile data,
    Psychometrika 24, 95-112.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"subject": list("abcd") * 2, "bin": ["high"] * 4 + ["low"] * 4,
    ...                       "rating": [6, 5, 7, 6, 4, 4, 5, 3]})
    >>> result = anova(table, "rating", "bin")
    >>> round(result["f"].item(), 2), result["df2"].item(), round(result["p_value"].item(), 4)
    (24.0, 3, 0.0163)
    """
    data: Any = numbers_and_labels(table, [response], [factor, unit]).dropna()
    cells = level_means(data, response, factor, unit)
    levels, values = [str(level) for level in cells.columns], cells.to_numpy(dtype=float)
    design = _design(cells, response)
    statistics = _within(values) if design == "within" else _between(values)
    pairs, error, within = ("level_a", "level_b"), statistics.pop("error"), design == "within"
    columns = {
        "mean": ("level", np.nanmean(values, axis=0)),
        "sd": ("level", np.nanstd(values, axis=0, ddof=1)),
        "n": ("level", (~np.isnan(values)).sum(0)),
        "difference": (pairs, level_differences(values)),
        "p_pairwise": (
            pairs,
            paired(values) if within else tukey(values, error, statistics["df2"]),
        ),
    }
    return xr.Dataset(
        statistics | columns,
        coords=dict.fromkeys(("level", *pairs), levels),
        attrs=Signature(unit=unit).to_attrs()
        | {"design": design, "pairwise": PAIRED if within else TUKEY}
        | {"n_units": len(values), "n_dropped": len(table) - len(data)},
    )


def level_means(data: Any, response: str, factor: str, unit: str) -> pd.DataFrame:
    """Mean of each unit at each level, in order of appearance."""
    levels = list(dict.fromkeys(data[factor]))
    if len(levels) < 2:
        statistics = f"one level ({levels[0]})" if levels else "no level"
        raise ValueError(f"column {factor!r} has {statistics}; there is nothing to compare")
    means: Any = data.groupby([unit, factor], sort=False)[response].mean().unstack(factor)[levels]
    equal = without_rounding(means.to_numpy().reshape(1, -1))  # means of the same sum
    return pd.DataFrame(equal.reshape(means.shape), means.index, means.columns)


def _design(cells: pd.DataFrame, response: str) -> str:
    """Whether levels are compared within units or between them, from cells (unit, level)."""
    present = cells.notna().to_numpy()
    if present.all() and len(present) > 1:
        return "within"
    if (present.sum(1) == 1).all() and (present.sum(0) > 1).all():
        return "between"
    k, unit = int((~present.all(1)).argmax()), cells.index.name
    if present.all():
        raise ValueError(f"there is one {unit}, {str(cells.index[k])!r}; a comparison needs two")
    lacking = ", ".join(repr(str(c)) for c in cells.columns[~present[k]])
    raise ValueError(
        f"{unit} {str(cells.index[k])!r} has no {response!r} at {lacking}; every {unit} needs all "
        f"levels, or each one level, two or more a level"
    )


def _within(values: np.ndarray) -> dict[str, float]:
    """Every unit at every level: levels x units as the error."""
    n, k = values.shape
    centred = values - values.mean(1, keepdims=True) - values.mean(0) + values.mean()
    df1, df2 = k - 1, (k - 1) * (n - 1)
    error = _error((centred**2).sum() / df2, values)
    covariance = np.atleast_2d(np.cov(values, rowvar=False))
    double = covariance - covariance.mean(0) - covariance.mean(1, keepdims=True) + covariance.mean()
    epsilon = float(np.trace(double) ** 2 / ((k - 1) * (double**2).sum()))
    return _f_test(
        n * ((values.mean(0) - values.mean()) ** 2).sum() / df1, error, df1, df2, min(epsilon, 1.0)
    )


def _between(values: np.ndarray) -> dict[str, float]:
    """Each unit at one level: units within levels as the error."""
    mean, n = np.nanmean(values, axis=0), (~np.isnan(values)).sum(0)
    grand = np.nansum(values) / n.sum()
    df1, df2 = values.shape[1] - 1, int(n.sum()) - values.shape[1]
    error = _error(np.nansum((values - mean) ** 2) / df2, values)
    return _f_test((n * (mean - grand) ** 2).sum() / df1, error, df1, df2, 1.0)


def _error(square: float, values: np.ndarray) -> float:
    """The mean square of the error, where it is more than rounding."""
    if np.sqrt(square) <= ROUNDING * np.nanmax(np.abs(values)):
        raise ValueError("nothing varies within the levels; there is no error to compare with")
    return float(square)


def _f_test(between: float, error: float, df1: int, df2: int, epsilon: float) -> dict[str, float]:
    f = between / error
    return {
        "f": f,
        "df1": df1,
        "df2": df2,
        "p_value": float(stats.f.sf(f, df1, df2)),
        "epsilon": epsilon,
        "p_corrected": float(stats.f.sf(f, df1 * epsilon, df2 * epsilon)),
        "error": float(error),
    }


def numbers_and_labels(table: pd.DataFrame, numbers: list[str], labels: list[str]) -> pd.DataFrame:
    """The columns in question, the first ones as numbers; labels must not be missing."""
    checks.of_type(table, pd.DataFrame, "table is", "pandas.DataFrame")
    require_columns(table, (*numbers, *labels))
    data: Any = table[[*numbers, *labels]].copy()
    for name in numbers:
        try:
            data[name] = data[name].astype(float)
        except (TypeError, ValueError):
            raise ValueError(f"column {name!r} holds something that is no number") from None
        if (bad := np.isinf(data[name])).any():
            row = data.index[bad][0]
            raise ValueError(f"row {row}, column {name!r}: infinite; give a finite number")
    for name in labels:
        if data[name].isna().any():
            row = data.index[data[name].isna()][0]
            raise ValueError(f"row {row}, column {name!r}: missing; every row needs its {name}")
        checks.fit(data[name].tolist(), name)
    return data


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
    numbers = {"superiority": above} | _posterior(first, second, sign, choices)
    numbers["p_value"] = normal_rank_sum_p(first, second) if p is None else p
    signed = provenance_attrs(
        answer="mann_whitney",
        unit=unit or names.ROW,
        higher_is_better=higher_is_better,
        **choices,
    )
    return xr.Dataset(
        {k: ((), v) for k, v in numbers.items()} | {k: ("level", v) for k, v in by_level.items()},
        coords={"level": list(groups)},
        attrs=signed
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


def _posterior(
    first: np.ndarray, second: np.ndarray, sign: int, choices: dict[str, Any]
) -> dict[str, Any]:
    """Interval, probabilities and verdict."""
    posterior = superiority(first, second)
    rope, threshold = choices["rope"], choices["threshold"]
    (lower,), (upper,) = posterior.interval(choices["ci_prob"], choices["ci_kind"])
    if not posterior.error[0]:
        checks.warn(
            f"no interval: all {len(first) + len(second)} people have the same value "
            f"({sign * first[0] + 0.0:g})"
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
