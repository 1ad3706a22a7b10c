"""Plan before the first item: probability of a verdict after n items, and items needed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.exact.planning.crossing import crossing
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import VERDICTS, Items, after, curve, limit
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.designs import Design, check_design
from betterthan.plan.given import check_rule

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
    """Probability of each verdict after n items, before any is run.

    Parameters
    ----------
    n : int or sequence of int
        Numbers of items; a sequence gives a curve, over a dim ``n``.
    design : str, sequence of float or counts, default "uniform"
        What is believed of win, loss and tie before: Dirichlet parameters, a name of
        `names.PRIORS`, or the counts of a pilot, which are added to the uniform prior. Two numbers
        are Beta parameters of win and loss, and n counts decisive items.
    theta : sequence of float, optional
        In place of `design`: the probabilities of win, loss and tie, as if they were known. That
        is too hopeful where they are a guess.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence.
    prior : str or sequence of float, optional
        Of the analysis that will be made, which need not believe the design; see `prob_better`.
    threshold : float, default 0.95
        Probability from which a verdict is given.

    Returns
    -------
    Plan
        Its data: ``probability`` (n, verdict), of a_better, b_better, equivalent and undecided;
        ``ceiling`` (verdict), what it comes to with ever more items; ``decisive`` (n), how many
        items are expected to be won or lost.

    Raises
    ------
    ValueError
        If n holds no whole numbers, the design or theta is none, a choice is not valid, or there
        are no ties where a rope is asked.

    References
    ----------
    A. O'Hagan, J. W. Stevens and M. J. Campbell (2005), Assurance in clinical trial design,
    Pharmaceutical Statistics 4(3), 187-201, doi:10.1002/pst.175.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.assurance([50, 100, 200], design=(6, 3, 11))
    >>> found["probability"].sel(verdict="a_better").values.round(9).tolist()
    [0.504675855, 0.618128256, 0.697932195]
    >>> float(found["ceiling"].sel(verdict="a_better").round(6))
    0.855469
    """
    design_checked = check_design(design, theta, rope)
    rule = _rule(design_checked, prior, threshold, rope)
    several = isinstance(n, list | tuple | range | np.ndarray)
    n_items = np.array([checks.whole(k, "n", 0) for k in (n if several else [n])], np.int64)
    if not len(n_items):
        raise ValueError("n is empty; give at least one number of items")
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
    """How many items give a verdict with a wanted probability, and whether any number does.

    Parameters
    ----------
    design : str, sequence of float or counts, default "uniform"
        See `assurance`. Of counts, those of one pair.
    target : float, default 0.8
        The wanted probability.
    of : {"a_better", "b_better", "either", "equivalent", "any"}, default "a_better"
        Which verdict.
    keep : bool, default False
        Of a pilot's counts: whether its items stay, so that how many more is answered; or whether
        a new test set is planned.
    theta, rope, prior, threshold
        See `assurance`.
    most : int, default 10,000
        The largest number of items that is thought of.

    Returns
    -------
    Plan
        Its data: ``first``, the least n that reaches the target; ``always``, the n from which on
        it is reached (the curve has a sawtooth: one more item may lower it); ``ceiling``, what no
        n can pass; ``decisive``, how many of the first n are expected to be won or lost;
        ``probability``, what the first n gives. NaN where no n, or none up to `most`, will do.

    Raises
    ------
    ValueError
        If the design is none or of several pairs, or a choice is not valid.

    Notes
    -----
    Up to 4,096 items (with a rope 32, with `keep` 256) every n is looked at; beyond, numbers a
    tenth apart, and every one near a crossing. Planning for a difference taken as known, by
    `theta`, asks for too few: it forgets how unsure the guess is.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.plan.items_needed((12, 6, 22))
    >>> int(found["first"]), round(float(found["ceiling"]), 3)
    (326, 0.928)
    >>> int(bt.plan.items_needed(theta=(0.3, 0.15, 0.55))["first"])
    121
    """
    pair_design = _single_pair(check_design(design, theta, rope))
    rule = _rule(pair_design, prior, threshold, rope)
    target, most = checks.probability(target, "target"), checks.whole(most, "most")
    verdict_indices = _SUMMED.get(checks.one_of(of, TARGETS, "of")) or [VERDICTS.index(of)]
    probability = _probability(pair_design, rule, verdict_indices, keep)
    first, always = crossing(probability, target, most, *_search_range(keep, rope))
    values = {
        "first": first,
        "always": always,
        "ceiling": float(_ceiling(pair_design.items, rule)[verdict_indices].sum()),
        "decisive": first * pair_design.decisive_share,
        "probability": probability(np.array([int(first)]))[0] if first == first else np.nan,
    }
    question = {"target": target, "of": of, "keep": int(keep), "most": most} | _who(design)
    data = xr.Dataset(values, attrs=_attrs(pair_design, rule, "items needed") | question)
    return Plan(data, words.needed(data, data.attrs))


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
