"""Systems that order things, compared over documents: by joint draws, tests, and against chance."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.bayes.bootstrap import bayesian_bootstrap
from betterthan.bayes.closed import prob_better
from betterthan.exact import intervals
from betterthan.exact.seeds import one_seed
from betterthan.frequentist.signs import sign_test
from betterthan.measure_comparison import compare_measures
from betterthan.ordering.chance import tau_test
from betterthan.ordering.references import tau_scores
from betterthan.ordering.taus import kendall_tau
from betterthan.outcomes.orders import DOCUMENT, REFERENCE
from betterthan.outcomes.scoring import count_outcomes

UNITS = ("document", "pair")


def compare_orders(
    orders: Any,
    reference: Any,
    *,
    references: str = "mean",
    rope: float = names.ROPE,
    prob: float = names.CI_PROB,
    kind: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    shuffles: int = names.SHUFFLES,
    correction: str = "holm",
    rng: Any = None,
) -> xr.Dataset:
    """Compare systems by Kendall's tau over the same documents.

    Parameters
    ----------
    orders, reference
        See `kendall_tau`; the orders need documents.
    references : {"mean", "weighted", "best", "consensus"}, default "mean"
        What becomes of several references; see `tau_scores`.
    rope : float, default 0
        Half width of the region of practical equivalence, in units of mean tau.
    prob, kind, draws, shuffles, correction
        See `compare_measures`. The document is the unit: pairs of items within one are not independent.
    rng : int, numpy.random.Generator or None
        Seed of all; it is recorded.

    Returns
    -------
    xarray.Dataset
        What `compare_measures` returns of the mean tau, from documents that all systems ordered (``attrs["n_items"]``; those
        left out are counted in ``attrs["n_dropped"]``). Over (system_a, system_b) also, from documents that both
        ordered, ``ahead``, ``behind`` and ``equal`` (in how many tau is higher, lower, the same), ``prob_ahead``
        (P(ahead is more probable than behind), Dirichlet) and ``p_sign``. Over system: ``n_documents``,
        ``exact_matches``, ``p_chance`` and ``p_chance_mcse`` of `tau_test`.

    Raises
    ------
    ValueError
        As `tau_scores`; if there are fewer than two systems, or fewer than two documents that all of them ordered.

    Examples
    --------
    >>> documents = {f"d{k}": {"ref": list("abcde"), "A": list("abcde"), "B": list("bacde" if k % 2 else "edabc")}
    ...              for k in range(12)}
    >>> found = compare_orders(documents, "ref", rng=1)
    >>> found["ahead"].sel(system_a="A", system_b="B").item(), found["n_documents"].values.tolist()
    (12, [12, 12])
    """
    seed = one_seed(rng)
    scores = tau_scores(orders, reference, references=references)
    checks.at_least_two(scores[names.SYSTEM].values.tolist())
    whole = scores.notnull().all(names.SYSTEM)
    if int(whole.sum()) < 2:
        raise ValueError(f"{int(whole.sum())} documents have an order of every system; a comparison needs 2")
    found = compare_measures(
        scores.sel({names.ITEM: whole.values}), rope=rope, prob=prob, kind=kind, draws=draws, shuffles=shuffles,
        correction=correction, rng=seed,
    )  # fmt: skip
    counts = count_outcomes(scores)
    for name, outcome in (("ahead", "win"), ("behind", "loss"), ("equal", "tie")):
        found[name] = counts.sel({names.OUTCOME: outcome}, drop=True)
    found["prob_ahead"], found["p_sign"] = prob_better(counts), sign_test(counts)["p"]
    chance = tau_test(orders, reference, references=references, resamples=shuffles, rng=seed)
    found["n_documents"], found["p_chance"] = chance["n_documents"], chance["p"]
    found["p_chance_mcse"] = chance["p_mcse"]
    found["exact_matches"] = _exact_matches(orders, reference)
    found.attrs |= {"references": references, "n_dropped": int((~whole).sum()), "statistic": "tau"}
    return found


def tau_posterior(
    orders: Any,
    reference: Any,
    *,
    unit: str = "document",
    references: str = "mean",
    prior: Any = None,
    prob: float = names.CI_PROB,
    kind: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.Dataset:
    """Say how sure each system's tau is.

    Parameters
    ----------
    orders, reference
        See `kendall_tau`.
    unit : {"document", "pair"}, default "document"
        "document": documents get random weights (Bayesian bootstrap), the answer for more documents like these. "pair": tau
        is P(concordant) - P(discordant), and concordant and discordant pairs are counted as independent wins and
        losses, which gives each document a Beta posterior. Pairs of items are not independent, as a before b and b
        before c say a before c: read it as what the document would say if they were.
    references : {"mean", "weighted", "best", "consensus"}, default "mean"
        For "document", what becomes of several references; see `tau_scores`. "pair" takes one reference.
    prior : str or sequence of two float, optional
        For "pair": Beta parameters of concordant and discordant, default (1, 1).
    prob : float, default 0.95
        Mass of the intervals.
    kind : {"hdi", "eti"}, default "hdi"
    draws : int, default 4,000
        For "document".
    rng : int, numpy.random.Generator or None

    Returns
    -------
    xarray.Dataset
        ``tau`` (of the data), ``mean``, ``lower``, ``upper`` over system ("document") or document and system ("pair");
        for "document" the Monte Carlo error ``mean_mcse`` beside.

    Raises
    ------
    ValueError
        As `tau_scores`; "pair": if there are several references; "document": if there are fewer than two documents.

    Examples
    --------
    >>> lists = {"ref": list("ABCDEFGHIJ"), "A": list("BADECFGIHJ")}
    >>> found = tau_posterior(lists, "ref", unit="pair")
    >>> found["tau"].round(2).item(), found["lower"].round(2).item()
    (0.82, 0.6)
    """
    checks.one_of(unit, UNITS, "unit")
    checks.one_of(kind, names.CI_KINDS, "kind")
    prob = checks.probability(prob, "prob")
    if unit == "pair":
        return _of_pairs(kendall_tau(orders, reference), checks.prior(prior, 2), prob, kind)
    scores = tau_scores(orders, reference, references=references)
    whole = scores.notnull().all(names.SYSTEM)
    if int(whole.sum()) < 2:
        raise ValueError(f"{int(whole.sum())} documents have a tau of every system; the weights need 2")
    kept = scores.sel({names.ITEM: whole.values})
    if kept.sizes[names.SYSTEM] == 1:  # the bootstrap compares; a system beside itself says the same
        kept = xr.concat(
            [kept, kept.assign_coords({names.SYSTEM: [f"{kept[names.SYSTEM].item()} again"]})], names.SYSTEM
        )
    drawn = bayesian_bootstrap(kept, prob=prob, kind=kind, draws=draws, rng=rng)
    drawn = drawn.sel({names.SYSTEM: scores[names.SYSTEM].values})
    parts = {"tau": "score", "mean": "score_mean", "lower": "score_lower", "upper": "score_upper"}
    found = xr.Dataset({k: drawn[v] for k, v in (parts | {"mean_mcse": "score_mean_mcse"}).items()})
    found.attrs = {
        "unit": unit, "prior": 0.0, "ci_prob": prob, "ci_kind": kind, "draws": draws, "seed": drawn.attrs["seed"],
        "n_documents": int(whole.sum()), "n_dropped": int((~whole).sum()),
    }  # fmt: skip
    return found


def _of_pairs(taus: xr.Dataset, prior: tuple[float, ...], prob: float, kind: str) -> xr.Dataset:
    if REFERENCE in taus.dims:
        raise ValueError("unit='pair' takes one reference; give one, such as their consensus_order")
    wrong, n = taus["inversions"], taus["n_items"]
    right = n * (n - 1) / 2 - taus["ties"] - wrong
    a, b = (v.values + p for v, p in zip((right, wrong), prior, strict=True))
    known = np.isfinite(a)
    low, high = (np.full(a.shape, np.nan) for _ in range(2))
    if known.any():
        # tau = 2 p - 1 is the difference of win and loss where there are no ties
        ends = (intervals.hdi if kind == "hdi" else intervals.eti)(a[known], b[known], np.zeros(int(known.sum())), prob)
        low[known], high[known] = ends[0], ends[1]
    values = {"tau": taus["tau"].values, "mean": (a - b) / (a + b), "lower": low, "upper": high}
    found = xr.Dataset({k: wrong.copy(data=v) for k, v in values.items()})
    found.attrs = {"unit": "pair", "prior": list(prior), "ci_prob": prob, "ci_kind": kind}
    return found


def _exact_matches(orders: Any, reference: Any) -> xr.DataArray:
    """Documents that a system ordered exactly as a reference, any of several."""
    matched = kendall_tau(orders, reference)["exact_match"].fillna(0.0)
    matched = matched.max(REFERENCE) if REFERENCE in matched.dims else matched
    return matched.sum(DOCUMENT).astype(int)
