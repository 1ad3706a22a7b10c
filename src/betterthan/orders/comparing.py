"""Compare systems that rank items, over documents: by joint draws, tests, and against chance."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.counting import count_outcomes
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.orders.chance import tau_test
from betterthan.orders.ranked import DOCUMENT, REFERENCE
from betterthan.orders.references import tau_scores
from betterthan.orders.taus import kendall_tau
from betterthan.posterior.closed import prob_better
from betterthan.results.comparison import Comparison
from betterthan.scores import comparing
from betterthan.scores.deciding import few_units, no_width, within
from betterthan.signed import provenance_attrs
from betterthan.significance.signs import sign_test


def compare(
    orders: Any,
    reference: Any,
    *,
    references: str = "mean",
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    shuffles: int = names.SHUFFLES,
    correction: str = names.CORRECTION,
    rng: Any = None,
) -> Comparison:
    """Compare systems by Kendall's tau over the same documents.

    Parameters
    ----------
    orders, reference
        Rankings and reference; see `orders.kendall_tau`. The rankings need documents.
    references : {"mean", "weighted", "best", "consensus"}, default "mean"
        How to combine several references; see `orders.tau_scores`.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE), in units of mean tau.
    ci_prob, ci_kind, draws, shuffles, correction
        See `scores.compare`. The unit of analysis is the document, because pairs of items within a
        document are not independent.
    rng : int, numpy.random.Generator or None
        Seed of everything that is sampled, which the result records.

    Returns
    -------
    Comparison
        Results of `scores.compare` for the mean tau, from the documents on which every system has
        a tau (``attrs["n_items"]``; ``attrs["n_dropped"]`` counts the others).

        Over (system_a, system_b) also, from the documents on which both have one:

        - ``ahead``, ``behind``, ``equal``: documents on which tau is higher, lower, the same
        - ``prob_ahead``: P(ahead is more probable than behind), with a Dirichlet posterior
        - ``p_sign``: p-value of the sign test

        Over system: ``n_documents``, ``exact_matches``, and ``p_chance`` with ``p_chance_mcse`` of
        `orders.tau_test`.

    Raises
    ------
    ValueError
        For the reasons of `orders.tau_scores`; if there are fewer than two systems, or fewer than
        two documents that all of them ranked.

    Examples
    --------
    >>> often, rarely = (
    ...     {"ref": list("abcd"), "A": list("abdc"), "B": list(order)} for order in ("bcda", "abcd")
    ... )
    >>> documents = {f"d{k}": often if k % 3 else rarely for k in range(18)}
    >>> documents["d1"] = often | {"A": list("abcd")}
    >>> comparison = compare(documents, "ref", rng=1)
    >>> pair = comparison.data.sel(system_a="A", system_b="B")
    >>> pair["ahead"].item(), pair["behind"].item(), round(pair["prob_ahead"].item(), 3)
    (12, 6, 0.916)
    """
    seed = one_seed(rng)
    if checks.margin(rope, "rope", "tau") >= 2:
        raise ValueError(f"rope is {rope:g}, and no two values of tau are further apart; give less")
    scores = tau_scores(orders, reference, references=references)
    checks.at_least_two(scores[names.SYSTEM].values.tolist())
    complete = scores.notnull().all(names.SYSTEM)
    if int(complete.sum()) < 2:
        raise ValueError(
            f"{int(complete.sum())} documents have an order of every system; a comparison needs 2"
        )
    compared = comparing.compare(
        scores.sel({names.ITEM: complete.values}),
        rope=rope,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        draws=draws,
        shuffles=shuffles,
        correction=correction,
        rng=seed,
    )
    chance = tau_test(orders, reference, references=references, shuffles=shuffles, rng=seed)
    cut = within(compared.data, -1.0, 1.0)
    by_system = {"n_documents": chance["n_documents"], "p_chance": chance["p_value"]}
    by_system["p_chance_mcse"] = chance["p_value_mcse"]
    comparison_data = compared.data.assign(cut | _by_document(scores) | by_system)
    matched = kendall_tau(orders, reference)["exact_match"]
    matched = matched.max(REFERENCE) if REFERENCE in matched.dims else matched
    scored = scores.rename({names.ITEM: DOCUMENT}).notnull()  # as p_chance is of
    comparison_data["exact_matches"] = matched.where(scored, 0.0).sum(DOCUMENT).astype(int)
    signed = provenance_attrs(answer="orders", statistic="tau")
    signed |= {"references": references, "n_dropped": int((~complete).sum())}
    return Comparison(comparison_data.assign_attrs(signed))


def _by_document(scores: xr.DataArray) -> dict[str, xr.DataArray]:
    """Count the documents in which a system is ahead, with posterior and sign test."""
    counts = count_outcomes(scores).drop_vars("n_dropped")
    outcomes_by_name = (("ahead", "win"), ("behind", "loss"), ("equal", "tie"))
    variables = {
        name: counts.sel({names.OUTCOME: outcome}, drop=True) for name, outcome in outcomes_by_name
    }
    return variables | {"prob_ahead": prob_better(counts), "p_sign": sign_test(counts)["p_value"]}


def posterior(
    orders: Any,
    reference: Any,
    *,
    references: str = "mean",
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.Dataset:
    """Compute a credible interval of each system's mean tau over documents.

    Documents get random weights (Bayesian bootstrap), and the draws are spread further, for the
    number of documents, as in `scores.bootstrap`.

    Parameters
    ----------
    orders, reference
        Rankings and reference; see `orders.kendall_tau`. The rankings need documents.
    references : {"mean", "weighted", "best", "consensus"}, default "mean"
        How to combine several references; see `orders.tau_scores`.
    ci_prob : float, default 0.95
        Level of the credible intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density or equal-tailed.
    draws : int, default 4,000
        Number of posterior draws.
    rng : int, numpy.random.Generator or None
        Seed of the draws.

    Returns
    -------
    xarray.Dataset
        Over system:

        - ``tau``: mean on these documents
        - ``mean``, ``mean_mcse``: posterior mean, and its Monte Carlo error
        - ``lower``, ``upper``: bounds, cut at -1 and 1; NaN if tau is the same on every document
        - ``n_documents`` that the system ranked; below 5 there is a warning

    Raises
    ------
    ValueError
        For the reasons of `orders.tau_scores`, or if a system has a tau on fewer than two
        documents. For a single ranking use `models.mallows.closed_form`.

    Examples
    --------
    >>> near = {"ref": list("abcd"), "A": list("abdc")}
    >>> far = near | {"A": list("badc")}
    >>> documents = {f"d{k}": near if k % 3 else far for k in range(30)}
    >>> result = posterior(documents, "ref", rng=1)
    >>> result["tau"].round(2).values.tolist(), result["lower"].round(1).values.tolist()
    ([0.56], [0.5])
    """
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    ci_prob = checks.probability(ci_prob, "ci_prob")
    scores = tau_scores(orders, reference, references=references)
    sampled = {"draws": checks.whole(draws, "draws", least=2), "seed": one_seed(rng)}
    estimates = _of_documents(scores, ci_prob, ci_kind, **sampled)
    fewest, flat = int(estimates["n_documents"].min()), np.isnan(estimates["lower"].values)
    lines = [
        few_units(fewest, "documents"),
        no_width(scores[names.SYSTEM].values[flat].tolist(), "tau"),
    ]
    for line in filter(None, lines):
        checks.warn(line)
    signed = provenance_attrs(
        answer="tau_posterior", unit=DOCUMENT, ci_prob=ci_prob, ci_kind=ci_kind
    )
    return estimates.assign_attrs(signed | sampled | {"references": references})


def _of_documents(
    scores: xr.DataArray, ci_prob: float, ci_kind: str, draws: int, seed: int
) -> xr.Dataset:
    """Weighted means of each system over the documents it ordered; all systems have the same
    weights.
    """
    values = scores.transpose(names.ITEM, names.SYSTEM).values
    documents = (~np.isnan(values)).sum(0)
    _refuse_few(scores[names.SYSTEM].values, documents)
    drawn = _weighted_means(values, draws, seed)
    low, high = monte_carlo.interval(monte_carlo.widened(drawn, documents, seed), ci_prob, ci_kind)
    has_width = monte_carlo.has_width(low, high, 1.0)
    parts = {
        "tau": np.nanmean(values, axis=0),
        "mean": drawn.mean(0),
        "lower": np.where(has_width, low.clip(-1, 1), np.nan),
        "upper": np.where(has_width, high.clip(-1, 1), np.nan),
        "mean_mcse": drawn.std(0) / np.sqrt(draws),
        "n_documents": documents,
    }
    columns = {name: (names.SYSTEM, column) for name, column in parts.items()}
    return xr.Dataset(columns, coords={names.SYSTEM: scores[names.SYSTEM]})


def _refuse_few(systems: np.ndarray, documents: np.ndarray) -> None:
    few = np.flatnonzero(documents < 2)
    if len(few):
        system, number = str(systems[few[0]]), int(documents[few[0]])
        raise ValueError(
            f"system {system!r} has a tau on {number} document{'' if number == 1 else 's'}; the "
            "weights need 2; models.mallows.closed_form says how sure the tau of one order is"
        )


def _weighted_means(values: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Return weighted means (draw, system) of values (document, system) with missing ones."""
    observed = ~np.isnan(values)
    columns = np.concatenate([np.where(observed, values, 0.0), observed], axis=1)
    chunks = monte_carlo.weighted_sums(columns, draws, seed, max(1, 2**17 // len(values)))
    sums = np.concatenate([chunk.copy() for chunk in chunks])
    return sums[:, : values.shape[1]] / sums[:, values.shape[1] :]
