"""Before the first item: assurance, power, and the sample size they take."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.exact.joint.student import DF_MIN
from betterthan.exact.planning.design import (
    Power,
    critical_wins,
    crossing,
    power,
    rejections,
    spread_sizes,
)
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import VERDICTS, Items, after, curve, limit
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.inputs import Design, check_design, check_rule, whole_numbers
from betterthan.results import numbers

TARGETS = ("a_better", "b_better", "either", "equivalent", "any")
_SUMMED = {"either": [0, 1], "any": [0, 1, 2]}
MOST = 10_000  # items that are thought of


def assurance(
    n: Any,
    *,
    design: Any = "uniform",
    theta: Any = None,
    rope: float = names.ROPE,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
) -> Plan:
    """Compute the assurance: the probability of each verdict after n items, before you run any.

    Use it to choose a sample size. Assurance (expected power) averages the power over what you
    believe about the systems.

    Parameters
    ----------
    n : int or sequence of int
        Number of items; a sequence gives a curve over a dim ``n``.
    design : str, sequence of float or counts, default "uniform"
        Prior belief about win, loss, and tie: Dirichlet parameters, a name in `names.PRIORS`, or
        the counts of a pilot as an array (`counts.from_table`), which are added to the uniform
        prior. Two numbers are Beta parameters of win and loss; n then counts non-tied items.
    theta : sequence of float, optional
        Probabilities of win, loss, and tie, assumed known, in place of `design`. The result is too
        optimistic if they are a guess.
    rope : float in [0, 1), default 0
        Half-width of the region of practical equivalence (ROPE).
    prior : str or sequence of float, optional
        Prior of the planned analysis, which may differ from the design; see `prob_better`.
    threshold : float, default 0.95
        Posterior probability needed for a verdict.

    Returns
    -------
    Plan
        - ``probability`` (n, verdict): of a_better, b_better, equivalent, and undecided
        - ``ceiling`` (verdict): its limit as the number of items grows
        - ``decisive`` (n): expected number of non-tied items

    Raises
    ------
    ValueError
        If n is not made of whole numbers, the design or theta is not valid, a choice is not valid,
        or a ROPE is passed without ties.

    References
    ----------
    A. O'Hagan, J. W. Stevens and M. J. Campbell (2005), Assurance in clinical trial design,
    Pharmaceutical Statistics 4(3), 187-201, doi:10.1002/pst.175.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.assurance([50, 100, 200], design=(6, 3, 11))
    >>> plan["probability"].sel(verdict="a_better").values.round(9).tolist()
    [0.504675855, 0.618128256, 0.697932195]
    >>> float(plan["ceiling"].sel(verdict="a_better").round(6))
    0.855469
    """
    design_checked = _single_pair(check_design(design, theta, rope))
    rule = _rule(design_checked, prior, threshold, rope)
    n_items, several = whole_numbers(n, "n", 0)
    order = np.argsort(n_items, kind="stable")
    probabilities = np.empty((len(n_items), len(VERDICTS)))
    probabilities[order] = curve(design_checked.items, n_items[order], rule)
    data = xr.Dataset(
        {
            "probability": (("n", "verdict"), probabilities),
            "ceiling": ("verdict", _ceiling(design_checked.items, rule)),
            "decisive": ("n", n_items * design_checked.decisive_share),
        },
        coords={"n": n_items, "verdict": list(VERDICTS)},
        attrs=_attrs(design_checked, rule, "assurance"),
    )
    data = data if several else data.isel(n=0)
    return Plan(data, words.assurance(data))


def items_needed(
    design: Any = "uniform",
    *,
    target: float = 0.8,
    of: str = "a_better",
    keep: bool = False,
    theta: Any = None,
    rope: float = names.ROPE,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
    most: int = MOST,
) -> Plan:
    """Compute the number of items needed for a verdict with the probability you want.

    Parameters
    ----------
    design : str, sequence of float or counts, default "uniform"
        Prior belief about win, loss, and tie; see `assurance`. Counts must be those of one pair.
        Plain numbers are parameters: they are not added to a prior, as counts are.
    target : float, default 0.8
        Probability that you want.
    of : {"a_better", "b_better", "either", "equivalent", "any"}, default "a_better"
        Verdict that you want.
    keep : bool, default False
        For the counts of a pilot: whether its items stay in the test set, so that the result is the
        number of further items. False plans a new test set.
    theta, rope, prior, threshold
        See `assurance`.
    most : int, default 10,000
        Largest number of items to consider.

    Returns
    -------
    Plan
        - ``first``: smallest n that reaches the target; with `keep`, 0 if the pilot already has
          the verdict
        - ``always``: n from which on every n reaches it; the curve is a sawtooth, so one more item
          may lower the probability
        - ``ceiling``: its limit as the number of items grows; with a ROPE it may be higher before
        - ``decisive``: expected number of non-tied items among the first n
        - ``probability``: at the first n

        NaN if no n, or none up to `most`, reaches the target.

    Raises
    ------
    ValueError
        If the design is not valid or of several pairs, or a choice is not valid.

    Notes
    -----
    Every n is tried up to 4,096 items (with a ROPE 32, with `keep` 256); above, numbers a tenth
    apart, and every one near a crossing. If you pass a guess as `theta`, the result is too small,
    because `theta` is treated as known.

    Examples
    --------
    >>> import betterthan as bt
    >>> pilot = bt.counts.from_table({("A", "B"): (12, 6, 22)})
    >>> plan = bt.plan.items_needed(pilot)
    >>> int(plan["first"]), round(float(plan["ceiling"]), 3)
    (455, 0.916)
    >>> int(bt.plan.items_needed(theta=(0.3, 0.15, 0.55))["first"])
    121
    """
    pair_design = _single_pair(check_design(design, theta, rope))
    rule = _rule(pair_design, prior, threshold, rope)
    target, most = checks.probability(target, "target"), checks.whole(most, "most")
    verdict_indices = _SUMMED.get(checks.one_of(of, TARGETS, "of")) or [VERDICTS.index(of)]
    probability = _probability(pair_design, rule, verdict_indices, keep)
    first, always = crossing(probability, target, most, *_search_range(keep, rope))
    if keep and probability(np.zeros(1, np.int64))[0] == 1:  # the pilot has the verdict
        first, always = 0.0, 0.0 if always == 1 else always
    ceiling = float(_ceiling(pair_design.items, rule)[verdict_indices].sum())
    values = {
        "first": first,
        "always": always if ceiling >= target else np.nan,
        "ceiling": ceiling,
        "decisive": first * pair_design.decisive_share,
        "probability": probability(np.array([int(first)]))[0] if first == first else np.nan,
    }
    question = {"target": target, "of": of, "keep": int(keep), "most": most} | _who(design)
    data = xr.Dataset(values, attrs=_attrs(pair_design, rule, "items needed") | question)
    return Plan(data, words.needed(data, data.attrs))


def wanted_probability(attrs: dict[str, Any], n: np.ndarray) -> np.ndarray:
    """The probability of the wanted verdict at ascending numbers of items, from the attributes of
    what `items_needed` returned.
    """
    fixed = "theta" in attrs
    parts = np.array([attrs["theta" if fixed else "design"]], float)
    # a pilot's counts were added to the uniform prior
    pilot = np.rint(parts - 1).astype(np.int64) if attrs["keep"] else None
    design = Design(Items(parts, fixed=fixed), pilot)
    rule = check_rule(tuple(attrs["prior"]), attrs["threshold"], attrs["rope"])
    wanted = _SUMMED.get(attrs["of"]) or [VERDICTS.index(attrs["of"])]
    return _probability(design, rule, wanted, bool(attrs["keep"]))(n)


def _who(design: Any) -> dict[str, list[str]]:
    """The two systems, where the design is the counts of both."""
    labels = getattr(design, "coords", {})
    if names.SYSTEM_A not in labels or design.sizes.get(names.SYSTEM_A) != 2:
        return {}
    return {"systems": [str(label) for label in labels[names.SYSTEM_A].values]}


def _probability(
    design: Design, rule: Rule, verdict_indices: list[int], keep: bool
) -> Callable[[np.ndarray], np.ndarray]:
    """Return the probability of the wanted verdicts as a function of ascending numbers of items."""
    kept_counts = design.pilot_counts(keep)

    def probability(n: np.ndarray) -> np.ndarray:
        if not keep:
            return curve(design.items, n, rule)[:, verdict_indices].sum(1)
        rows = np.zeros(len(n), np.int64)
        return after(design.items.take(rows), kept_counts[rows], n, rule)[:, verdict_indices].sum(1)

    return probability


def _single_pair(design: Design) -> Design:
    """Return the design; refuse one with several pairs."""
    if design.rows != 1:
        raise ValueError(
            f"design holds counts of {design.rows} pairs; give those of one, or use foresee"
        )
    return design


def _search_range(keep: bool, rope: float) -> tuple[int, float]:
    """Return up to which number every number is examined, and how far around a crossing beyond
    it.
    """
    if rope:
        return 32, 0.02
    return (256, 0.05) if keep else (4096, 0.1)


def _rule(design: Design, prior: Any, threshold: float, rope: float) -> Rule:
    return check_rule(checks.prior(prior, design.items.parts.shape[1]), threshold, rope)


def _ceiling(items: Items, rule: Rule) -> np.ndarray:
    """Return the limiting probabilities of all four verdicts."""
    limits = limit(items, rule)[0]
    return np.array([*limits, max(0.0, 1 - limits.sum())])


def _attrs(design: Design, rule: Rule, answer: str) -> dict[str, Any]:
    attrs: dict[str, Any] = {"answer": answer, "version": __version__}
    attrs |= {"theta" if design.items.fixed else "design": design.items.parts[0].tolist()}
    return attrs | {"prior": list(rule.prior), "rope": rule.rope, "threshold": rule.threshold}


def cluster_power(
    difference: float,
    *,
    sd: float,
    icc: float,
    sizes: Sequence[float] | None = None,
    clusters: Any = None,
    size: float | None = None,
    cv: float = 0.0,
    threshold: float = names.VERDICT_PROB,
) -> Plan:
    """Compute the probability of each verdict for clustered items, before you run any.

    Parameters
    ----------
    difference : float
        Assumed difference of means A - B, in units of the score.
    sd : float above 0
        Standard deviation of an item's difference A - B. For scores of 0 and 1, it is the root of
        the proportion of items on which the systems differ, minus the squared difference.
    icc : float in [0, 1]
        Intraclass correlation of the differences within a cluster.
    sizes : sequence of float, optional
        Number of items of each cluster, if known.
    clusters : int or sequence of int, optional
        Number of clusters, in place of `sizes`; a sequence gives a curve over a dim ``clusters``.
    size : float, optional
        With `clusters`: mean number of items per cluster.
    cv : float, default 0
        With `clusters`: coefficient of variation of the sizes, which are taken to be gamma
        distributed.
    threshold : float, default 0.95
        Posterior probability needed for a verdict.

    Returns
    -------
    Plan
        - ``probability`` (verdict): of a_better, b_better, equivalent (0, as there is no ROPE), and
          undecided
        - ``error``: standard error of the mean difference
        - ``effective_items``: effective sample size, the independent items with the same error
        - ``design_effect``: items divided by ``effective_items``
        - ``df``, ``items``: degrees of freedom, and items

    Raises
    ------
    ValueError
        If an argument is not valid, both or neither of `sizes` and `clusters` are passed, or the
        sizes leave 2 degrees of freedom or fewer.

    Notes
    -----
    The difference, the standard deviation, and the correlation are treated as known; the result is
    too optimistic if they are guesses. More items of the same clusters help little once the
    correlation dominates; more clusters do.

    References
    ----------
    L. Kish (1965), Survey Sampling, Wiley, section 5.4: the design effect.

    Examples
    --------
    >>> plan = cluster_power(0.15, sd=0.6, icc=0.1, clusters=10, size=20)
    >>> float(plan["probability"].sel(verdict="a_better").round(6))
    0.607213
    >>> print(plan.lines[0])
    200 items in 10 clusters are worth 69 independent items and 9.0 degrees of freedom.
    """
    difference = checks.real(difference, "difference")
    sd, icc = checks.positive_real(sd, "sd"), checks.real(icc, "icc")
    if not 0 <= icc <= 1:
        raise ValueError(f"icc is {icc:g}; give a correlation from 0 to 1")
    threshold = checks.threshold(threshold)
    sizes_by_plan, several = _sizes(sizes, clusters, size, cv)
    powers = [power(plan, difference, sd, icc, threshold) for plan in sizes_by_plan]
    for cluster_sizes, plan_power in zip(sizes_by_plan, powers, strict=True):
        if plan_power.df <= DF_MIN:
            raise ValueError(
                f"{len(cluster_sizes)} clusters of these sizes leave {plan_power.df:.1f} degrees "
                "of freedom; a plan "
                "needs more than 2: take more clusters, or sizes that are more alike"
            )
    data = _labelled(powers, sizes_by_plan)
    data = data if several else data.isel(clusters=0)
    attrs = {"version": __version__, "answer": "cluster power", "threshold": threshold, "rope": 0.0}
    attrs |= {"difference": difference, "sd": sd, "icc": icc}
    return Plan(data.assign_attrs(attrs), _lines(data))


def _sizes(
    sizes: Any, clusters: Any, size: float | None, cv: float
) -> tuple[list[np.ndarray], bool]:
    """Sizes of the clusters, once or for several numbers of them."""
    if (sizes is None) == (clusters is None):
        raise ValueError("pass sizes= or clusters=, one of the two")
    if sizes is not None:
        sizes_array = checks.reals(sizes, "sizes", "two or more numbers of items above 0")
        if (
            sizes_array.ndim != 1
            or len(sizes_array) < 2
            or not (np.isfinite(sizes_array) & (sizes_array > 0)).all()
        ):
            raise ValueError("sizes must be two or more numbers of items above 0")
        return [sizes_array], False
    if size is None:
        raise ValueError("pass size=, the mean number of items of a cluster")
    mean, variation = checks.positive_real(size, "size"), checks.real(cv, "cv")
    if not 0 <= variation <= names.SCORE_MAX:
        raise ValueError(f"cv is {variation:g}; give a coefficient of variation, 0 or more")
    counts, several = whole_numbers(clusters, "clusters", 2, "clusters")
    return [spread_sizes(k, mean, variation) for k in counts.tolist()], several


def _labelled(powers: list[Power], sizes: list[np.ndarray]) -> xr.Dataset:
    items = np.array([cluster_sizes.sum() for cluster_sizes in sizes])
    effective = np.array([plan_power.effective_items for plan_power in powers])
    verdicts = [[k.better, k.worse, 0.0, 1 - k.better - k.worse] for k in powers]
    parts = {
        "items": items,
        "effective_items": effective,
        "design_effect": items / effective,
        "df": np.array([plan_power.df for plan_power in powers]),
        "error": np.array([plan_power.error for plan_power in powers]),
    }
    return xr.Dataset(
        {k: ("clusters", v) for k, v in parts.items()}
        | {"probability": (("clusters", "verdict"), np.array(verdicts))},
        coords={
            "clusters": [len(cluster_sizes) for cluster_sizes in sizes],
            "verdict": list(VERDICTS),
        },
    )


def _lines(data: xr.Dataset) -> tuple[str, ...]:
    """What the largest plan is worth."""
    last = data.isel(clusters=-1) if "clusters" in data.dims else data
    better = last["probability"].sel(verdict="a_better").item()
    return (
        f"{last['items'].item():,.0f} items in {last['clusters'].item():,} clusters are worth "
        f"{last['effective_items'].item():,.0f} independent items and {last['df'].item():.1f} "
        "degrees of freedom.",
        f"With probability {numbers.probability(better)} the verdict is A better.",
    )


def sign_power(
    n: Any = None,
    theta: float = 0.6,
    *,
    alternative: str = "two-sided",
    alpha: float = names.ALPHA,
    target: float = 0.8,
) -> Plan:
    """Compute the power and the actual level of the exact sign test.

    Parameters
    ----------
    n : int or sequence of int, optional
        Numbers of non-tied items. Default: all up to the n from which on the target is reached.
    theta : float, default 0.6
        Assumed probability that A wins a non-tied item.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the test; see `sign_test`.
    alpha : float, default 0.05
        Nominal significance level. The actual level of a test on counts is usually lower.
    target : float, default 0.8
        Power that you want.

    Returns
    -------
    Plan
        - ``power`` (n)
        - ``level`` (n): probability of a significant result between equal systems
        - ``wins`` (n): fewest wins (of B for ``less``) that are significant; -1 if none are
        - ``first``, ``always``: smallest of these n with the target power, and the n from which on
          all of them have it (the curve is a sawtooth); NaN if there is none

    Raises
    ------
    ValueError
        If n is not made of whole numbers, or a choice is not valid.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.sign_power(theta=0.7, alternative="greater")
    >>> int(plan["first"]), int(plan["always"])
    (37, 42)
    """
    p = checks.probability(theta, "theta")
    data = _power(n, (p, 1 - p), (0.5, 0.5), alternative, alpha, target)
    n_decisive = data["n"].values
    needed = critical_wins(n_decisive, alpha, alternative)
    data["wins"] = (data["n"].dims, np.where(needed <= n_decisive, needed, -1))
    data = data.assign_attrs(answer="power of the sign test", theta=p)
    return Plan(data, words.power(data, "non-tied items"))


def mcnemar_power(
    n: Any = None,
    theta: Any = (0.12, 0.08),
    *,
    alternative: str = "two-sided",
    alpha: float = names.ALPHA,
    target: float = 0.8,
) -> Plan:
    """Compute the power and the actual level of McNemar's exact test.

    Parameters
    ----------
    n : int or sequence of int, optional
        Numbers of items, including ties. Default: all up to the n from which on the target is
        reached.
    theta : sequence of two float, default (0.12, 0.08)
        Assumed probabilities that only A is correct, and that only B is.
    alternative, alpha, target
        Direction, significance level, and power; see `sign_power`.

    Returns
    -------
    Plan
        Results of `sign_power`, without ``wins``, which depend on the ties. The level is that of
        two equal systems that differ on as many items.

    Raises
    ------
    ValueError
        If n is not made of whole numbers, or theta or a choice is not valid.

    References
    ----------
    R. J. Connor (1987), Sample size for testing differences in proportions for the paired-sample
    design, Biometrics 43(1), 207-211, doi:10.2307/2531961: an approximation, which asks for fewer.

    Examples
    --------
    >>> import betterthan as bt
    >>> plan = bt.plan.mcnemar_power(50, theta=(0.32, 0.08), alternative="greater")
    >>> float(plan["power"].round(6)), float(plan["level"].round(6))
    (0.839357, 0.032579)
    """
    if isinstance(theta, str | Mapping) or np.shape(theta) != (2,):
        text = checks.quoted(theta)
        raise ValueError(f"theta is {text}; give two probabilities: only A right, only B right")
    win, loss = (checks.real(p, "theta") for p in theta)
    if not (win >= 0 and loss >= 0 and 0 < win + loss <= 1):
        text = f"({win:g}, {loss:g})"
        raise ValueError(f"theta is {text}; give two probabilities, 1 together at most")
    even = (win + loss) / 2
    tie = 1 - win - loss
    data = _power(n, (win, loss, tie), (even, even, tie), alternative, alpha, target)
    data = data.assign_attrs(answer="power of McNemar's test", theta=[win, loss])
    return Plan(data, words.power(data, "items"))


def _power(
    n: Any, parts: Any, equal: Any, alternative: str, alpha: float, target: float
) -> xr.Dataset:
    """Return power and level at each n, and from which n the target power is reached."""
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    checks.probability(alpha, "alpha")
    target = checks.probability(target, "target")
    n_items, several = _numbers(n, lambda k: rejections(k, parts, alpha, alternative), target)
    power = rejections(n_items, parts, alpha, alternative)
    below = n_items[power < target].max(initial=-1)
    met, later = n_items[power >= target], n_items[(power >= target) & (n_items > below)]
    attrs = {"version": __version__, "alternative": alternative, "alpha": alpha, "target": target}
    data = xr.Dataset(
        {
            "power": ("n", power),
            "level": ("n", rejections(n_items, equal, alpha, alternative)),
            "first": float(met.min()) if len(met) else np.nan,
            "always": float(later.min()) if len(later) else np.nan,
        },
        coords={"n": n_items},
        attrs=attrs,
    )
    return data if several else data.isel(n=0)


def _numbers(n: Any, power: Any, target: float) -> tuple[np.ndarray, bool]:
    """Ascending numbers of items, and whether there may be several."""
    if n is None:
        always = crossing(power, target, MOST, MOST, 0.0)[1]
        return np.arange(1, (int(2 * always) if always == always else MOST) + 1), True
    n_items, several = whole_numbers(n, "n")
    return np.unique(n_items), several
