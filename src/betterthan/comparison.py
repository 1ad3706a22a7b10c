"""Everything about all pairs of systems, in one Dataset."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.bayes import closed, differences
from betterthan.bayes.draws import draws_difference, draws_masses, draws_prob_better
from betterthan.bayes.gate import diagnose
from betterthan.bayes.verdicts import decide
from betterthan.counterparts import chosen_tests, p_values_beside
from betterthan.crosscheck import cross_check
from betterthan.exact.seeds import one_seed
from betterthan.outcomes.scoring import apply_missing, count_outcomes
from betterthan.outcomes.shapes import apply_ties, to_square
from betterthan.outcomes.tallies import tally_scores
from betterthan.provenance import dependence_notes, fingerprint, pooled_note, signature_parts

_SQUARE = (names.SYSTEM_A, names.SYSTEM_B)


def compare(
    data: xr.DataArray,
    *,
    rope: float = names.ROPE,
    method: str = "exact",
    ties: str = "third",
    missing: str = "pairwise",
    margin: float = 0.0,
    prior: Any = None,
    prob: float = names.CI_PROB,
    kind: str = names.CI_KIND,
    tests: Sequence[str] | None = None,
    alpha: float = names.ALPHA,
    correction: str = "holm",
    shuffles: int = names.SHUFFLES,
    draws: int = names.DRAWS,
    chains: int = names.CHAINS,
    rng: Any = None,
) -> xr.Dataset:
    """Compare all systems with each other.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system), tallies (item, system, tally), or counts (system_a, system_b, outcome) or
        (pair, outcome). Of tallies, the posterior counts the items on which one F1 is above the other, and the
        randomization test compares F1 over all items.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence, as a difference of probabilities. At 0 no verdict
        is ever "equivalent".
    method : {"exact", "mcmc", "both"}, default "exact"
        Closed forms, PyMC, or both and how far they lie apart.
    ties : {"third", "drop", "half", "to_a", "to_b", "all"}, default "third"
        See `apply_ties`; in ``to_a`` and ``to_b``, A is the system named first. ``all`` answers by ``third`` and
        shows what every policy would have said.
    missing, margin
        For scores: see `count_outcomes`.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, tie, or a name of `names.PRIORS`. Default all ones.
    prob : float, default 0.95
        Mass of the intervals.
    kind : {"hdi", "eti"}, default "hdi"
        Narrowest or equal-tailed interval.
    tests : sequence of {"sign", "mid_p", "trinomial", "randomization"}, optional
        Two-sided tests beside the posterior. Default the sign test, and randomization for tallies and for scores of
        more than two values (for scores of two values it is the sign test). With ``ties`` third or all, the sign
        test drops ties; the trinomial test keeps them.
    alpha : float, default 0.05
        Level at which a test is called significant.
    correction : {"holm", "bh", "none"}, default "holm"
        Of the p-values, for the number of pairs.
    shuffles : int, default 10,000
        Of the randomization test, where it has to sample.
    draws, chains : int
        Of PyMC.
    rng : int, numpy.random.Generator or None
        Seed of PyMC and of the randomization test.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b), with a dim ``engine`` (exact, mcmc): ``prob_better``, ``difference_mean``,
        ``difference_lower``, ``difference_upper``, ``mass`` (region), ``verdict``, ``also_ahead``, each number that
        was sampled with its ``_mcse``. Also ``counts``, ``n``, ``bayes_factor_01``; from scores ``n_dropped`` and,
        over ``system``, ``score`` and ``n_scored``; with both methods ``z``. Over a dim ``test``: ``p_value`` and
        ``p_adjusted``; also ``smallest_p`` (of the sign test with so many decisive items) and, with randomization,
        ``swapped_difference`` (of its statistic, A - B). ``attrs`` hold the
        signature. Where ties are unknown, what needs them is absent. `Dataset.to_netcdf` and back loses nothing.

    Raises
    ------
    ValueError
        If an argument is not valid, or a rope is given and ties are unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> comparison = bt.compare(bt.datasets.contingency_case("a"))
    >>> str(comparison["verdict"].sel(system_a="A", system_b="B", engine="exact").item())
    'a_better'
    """
    rope, prob = checks.rope(rope), checks.probability(prob, "prob")
    for value, allowed, what in (
        (method, names.METHODS, "method"), (ties, names.TIES, "ties"), (kind, names.CI_KINDS, "kind"),
        (correction, names.CORRECTIONS, "correction"),
    ):  # fmt: skip
        checks.one_of(value, allowed, what)
    alpha, shuffles = checks.probability(alpha, "alpha"), checks.whole(shuffles, "shuffles")
    rng = one_seed(rng)  # one seed for all that samples
    raw, extra = _counts_of(data, missing, margin)
    chosen = chosen_tests(tests, data)
    counts = apply_ties(raw, "third" if ties == "all" else ties)
    if rope:
        checks.ties_known(counts, "a rope")
    choice = {"rope": rope, "prior": prior, "prob": prob, "kind": kind}
    tables = []
    if method in ("exact", "both"):
        tables.append(_exact(counts, **choice))
    if method in ("mcmc", "both"):
        tables.append(_mcmc(counts, **choice, draws=draws, chains=chains, rng=rng))
    labels = xr.DataArray([t.attrs["method"] for t in tables], dims=names.ENGINE, name=names.ENGINE)
    result = xr.concat(
        [t.drop_vars("z", errors="ignore") for t in tables], labels, join="exact", combine_attrs="drop", data_vars="all"
    )
    if method == "both":
        result["z"] = tables[1]["z"]
    result["counts"] = counts.drop_attrs()
    result["n"] = result["counts"].sum(names.OUTCOME)
    result["bayes_factor_01"] = closed.bayes_factor(counts, prior=prior).drop_attrs()
    result = result.merge(extra, join="exact", compat="override")
    if ties == "all":
        result = result.merge(_every_policy(raw, prior, rope), join="exact")
    beside = p_values_beside(
        data, raw, tests=chosen, ties=ties, missing=missing, alpha=alpha, correction=correction, shuffles=shuffles,
        rng=rng,
    )  # fmt: skip
    result = result.merge(beside, join="exact", compat="override")
    result.attrs = signature_parts(raw, counts, extra, method, ties, choice) | _merged_attrs([*tables, beside])
    return result


def _counts_of(data: xr.DataArray, missing: str, margin: float) -> tuple[xr.DataArray, xr.Dataset]:
    """A square of counts, and what is known of the systems beside it."""
    extra = xr.Dataset(attrs={"notes": ""})
    notes: list[str] = []
    if hasattr(data, "dims") and names.ITEM in data.dims:
        scored = data
        if names.TALLY in data.dims:
            scored = tally_scores(data)
            notes.append(
                "The posterior counts items on which one system's F1 is above the other's; a system can be ahead on "
                "most items and behind in F1 over all of them, which is what the randomization test compares."
            )
        counts = count_outcomes(scored, missing=missing, margin=margin)
        n_blank = int(scored.isnull().sum())
        scored = apply_missing(checks.scores(scored), missing)  # what the counts saw
        extra["n_dropped"] = (_SQUARE, counts["n_dropped"].values)
        extra["score"] = scored.astype(float).mean(names.ITEM).drop_attrs()
        extra["n_scored"] = scored.notnull().sum(names.ITEM).drop_attrs()
        notes += dependence_notes(data)
        extra.attrs["n_blank"] = n_blank
    else:
        checks.for_scores_only(missing=missing, margin=margin)
        counts = checks.counts(data)
        if names.DATASET in counts.dims:
            notes.append(pooled_note(counts.sizes[names.DATASET]))
            counts = counts.sum(names.DATASET, keep_attrs=True)
        if names.PAIR in counts.dims:
            counts = to_square(counts)
    counts = counts.drop_vars(["n_used", "n_dropped"], errors="ignore").transpose(*_SQUARE, names.OUTCOME)
    checks.at_least_two(counts[names.SYSTEM_A].values.tolist())
    if counts.sizes[names.OUTCOME] == 2 and counts.attrs.get("ties", "unknown") == "unknown":
        notes.append("Ties are unknown: who is better is answered, by how much is not.")
    kept = {k: data.attrs[k] for k in ("source", "reading", "citation", "layout") if k in data.attrs}
    kept["higher_is_better"] = int(data.attrs.get("higher_is_better", True))
    extra.attrs |= kept | {"notes": "\n".join(notes), "data_hash": fingerprint(data)}
    return counts, extra


def _exact(counts: xr.DataArray, *, rope: float, prior: Any, prob: float, kind: str) -> xr.Dataset:
    better = closed.prob_better(counts, prior=prior)
    table = xr.Dataset({"prob_better": better, "prob_better_mcse": xr.zeros_like(better)})
    within: Any = 0.0
    if _ties_known(counts):
        size = differences.difference(counts, prob=prob, kind=kind, prior=prior)
        for key, value in {"mean": size["mean"], "lower": size["lower"], "upper": size["upper"]}.items():
            table[f"difference_{key}"] = value
            table[f"difference_{key}_mcse"] = xr.zeros_like(value)
        table["mass"] = differences.prob_equivalent(counts, rope, prior=prior)
        table["mass_mcse"] = xr.zeros_like(table["mass"])
        within = table["mass"].sel({names.REGION: "rope"}, drop=True)
    behind = better.transpose(names.SYSTEM_B, names.SYSTEM_A).values
    return _with_verdicts(table, counts, behind, within, rope, {"method": "exact"})


def _mcmc(
    counts: xr.DataArray, *, rope: float, prior: Any, prob: float, kind: str, draws: int, chains: int, rng: Any
) -> xr.Dataset:
    from betterthan.models import beta_binomial, dirichlet_multinomial

    three = counts.sizes[names.OUTCOME] == 3
    model = dirichlet_multinomial if three else beta_binomial
    tree = model.fit(counts, prior=prior, draws=draws, chains=chains, rng=rng, predictive=False)
    diagnosis = diagnose(tree)
    better = draws_prob_better(tree)
    table = xr.Dataset(
        {"prob_better": better.drop_vars(["mcse", "ess"]), "prob_better_mcse": (better.dims, better["mcse"].values)}
    )
    within: Any = 0.0
    if three:
        size = draws_difference(tree, prob=prob, kind=kind)
        for key in ("mean", "lower", "upper"):
            table[f"difference_{key}"], table[f"difference_{key}_mcse"] = size[key], size[f"mcse_{key}"]
        mass = draws_masses(tree, rope)
        table["mass"], table["mass_mcse"] = mass.drop_vars("mcse"), (mass.dims, mass["mcse"].values)
        within = table["mass"].sel({names.REGION: "rope"}, drop=True)
    elif _ties_known(counts):  # a two-way model has no draws of the difference
        nothing = xr.full_like(better.drop_vars(["mcse", "ess"]), np.nan)
        for key in ("mean", "lower", "upper"):
            table[f"difference_{key}"], table[f"difference_{key}_mcse"] = nothing, nothing
        table["mass"] = nothing.expand_dims({names.REGION: list(names.REGIONS)}, axis=-1)
        table["mass_mcse"] = table["mass"]
    record = tree["posterior"].attrs
    attrs = {"method": "mcmc"} | {k: record[k] for k in ("seed", "draws", "chains", "inference_library", "model")}
    attrs |= {
        "rhat_max": diagnosis.rhat_max, "ess_min": diagnosis.ess_min, "divergences": diagnosis.divergences,
        "mcmc_failures": "\n".join(diagnosis.failures),
    }  # fmt: skip
    table["z"] = cross_check(counts, tree)["z"]
    return _with_verdicts(table, counts, 1 - better.values, within, rope, attrs)


def _with_verdicts(
    table: xr.Dataset, counts: xr.DataArray, behind: np.ndarray, within: Any, rope: float, attrs: dict[str, Any]
) -> xr.Dataset:
    verdict, also_ahead = decide(table["prob_better"].values, behind, np.asarray(within), rope)
    empty = (counts.sum(names.OUTCOME).values == 0) & _three_or_policy(counts)
    verdict = np.where(empty & ~np.eye(len(verdict), dtype=bool), "no_data", verdict)
    if attrs.get("mcmc_failures"):
        verdict = np.full(verdict.shape, "no_verdict")
        also_ahead = np.zeros_like(also_ahead)
    table["verdict"] = (_SQUARE, verdict)
    table["also_ahead"] = (_SQUARE, also_ahead)
    table = table.drop_attrs()
    table.attrs = attrs
    return table


def _every_policy(raw: xr.DataArray, prior: Any, rope: float) -> xr.Dataset:
    """P(A better) and the verdict under every tie policy, and where they do not agree."""
    checks.ties_known(raw, "ties='all'")
    policies = names.TIES[:-1]
    better, verdicts = [], []
    for policy in policies:
        counts = apply_ties(raw, policy)
        p = closed.prob_better(counts, prior=prior)
        within: Any = 0.0
        if rope:
            within = differences.prob_equivalent(counts, rope, prior=prior).sel({names.REGION: "rope"}).values
        better.append(p.values)
        verdicts.append(decide(p.values, p.values.T, within, rope)[0])
    # in every cell, to_a is for the system_a of that cell, also below the diagonal
    below = np.tril(np.ones(better[0].shape, dtype=bool), -1)
    for answers in (better, verdicts):
        to_a, to_b = answers[-2], answers[-1]
        answers[-2], answers[-1] = np.where(below, to_b, to_a), np.where(below, to_a, to_b)
    dims = ("ties_policy", *_SQUARE)
    coords = {"ties_policy": list(policies)} | {k: raw[k].values for k in _SQUARE}
    flips = (np.array(verdicts) != verdicts[0]).any(0)
    return xr.Dataset(
        {
            "prob_better_by_ties": (dims, np.array(better)),
            "verdict_by_ties": (dims, np.array(verdicts)),
            "ties_flip": (_SQUARE, flips),
        },
        coords=coords,
    )


def _merged_attrs(tables: list[xr.Dataset]) -> dict[str, Any]:
    return {k: v for t in tables for k, v in t.attrs.items() if k != "method"}


def _ties_known(counts: xr.DataArray) -> bool:
    return counts.sizes[names.OUTCOME] == 3 or counts.attrs.get("ties", "unknown") != "unknown"


def _three_or_policy(counts: xr.DataArray) -> bool:
    """Whether an empty row means that there are no examples, rather than none that was decisive."""
    return counts.sizes[names.OUTCOME] == 3
