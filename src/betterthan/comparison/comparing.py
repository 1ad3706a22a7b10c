"""Everything about all pairs of systems, in one Dataset."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.comparison.advice import advise
from betterthan.comparison.advised import BY_DATASET, advised_table
from betterthan.comparison.best_of_all import JOINT, joint_answer, sign_error, take_joint
from betterthan.comparison.dependence import TAKEN, dependence_notes
from betterthan.comparison.engines import exact_answers, sampled_answers
from betterthan.comparison.given import mean_of_runs, plain_data
from betterthan.comparison.signature import signature_parts
from betterthan.comparison.tests_beside import p_values_beside
from betterthan.counts.fingerprint import fingerprint
from betterthan.counts.scoring import apply_missing, count_outcomes
from betterthan.counts.shapes import to_square
from betterthan.counts.tallies import tally_scores
from betterthan.counts.ties import apply_ties
from betterthan.counts.units import EPOCH, several
from betterthan.exact.numeric.seeds import one_seed
from betterthan.posterior import closed, differences
from betterthan.posterior.verdicts import decide
from betterthan.significance.roster import Beside, Tests


def compare(
    data: xr.DataArray | xr.Dataset,
    *,
    rope: float = names.ROPE,
    method: str = "exact",
    ties: str = "third",
    missing: str = "pairwise",
    margin: float = 0.0,
    prior: Any = None,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    tests: Sequence[str] | None = None,
    alpha: float = names.ALPHA,
    correction: str = names.CORRECTION,
    shuffles: int = names.SHUFFLES,
    draws: int = names.DRAWS,
    chains: int = names.CHAINS,
    rng: Any = None,
) -> xr.Dataset:
    """Compare all systems with each other.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system), tallies (item, system, tally), counts (system_a, system_b, outcome)
        or (pair, outcome), judgments from `io.read_judgments`, or successes of trials, of which the
        larger share wins an item. Of tallies, the posterior counts the items on which one F1 is
        above the other, and the randomization test compares F1 over all items.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence, as a difference of probabilities. At 0 no
        verdict is ever "equivalent".
    method : {"exact", "mcmc", "both", "advised"}, default "exact"
        Closed forms; PyMC; both and how far they lie apart; or the model that `advise` names for
        the data, with the closed form beside it. Of several data sets each then weighs the same.
    ties : {"third", "drop", "half", "to_a", "to_b", "all"}, default "third"
        See `counts.apply_ties`; in ``to_a`` and ``to_b``, A is the system named first. ``all``
        answers by ``third`` and shows what every policy would have said.
    missing, margin
        For scores: see `count`.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, tie, or a name of `names.PRIORS`. Default all ones.
    ci_prob : float, default 0.95
        Mass of the intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Narrowest or equal-tailed interval.
    tests : sequence of {"sign", "mid_p", "trinomial", "randomization"}, optional
        Two-sided tests beside the posterior. Default the sign test, and randomization for tallies
        and for scores of more than two values (for scores of two values it is the sign test). With
        ``ties`` third or all, the sign test drops ties; the trinomial test keeps them.
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
        Over (system_a, system_b), with a dim ``engine`` (exact, mcmc, or the advised model):
        ``prob_better``, ``difference_mean``, ``difference_lower``, ``difference_upper``, ``mass``
        (region), ``verdict``, ``also_ahead``, ``sign_error`` (how probable it is that a verdict
        names the wrong system), each number that was sampled with its ``_mcse``; of more than two
        systems, over ``system``, the joint answer ``prob_best``, ``expected_rank`` and
        ``in_best_set``, by the Bayesian bootstrap of scores without gaps or by the advised model
        (where neither will do, ``attrs["no_joint"]`` says why). Also ``counts``, ``n``,
        ``bayes_factor_01``; from scores ``n_dropped`` and, over ``system``, ``score`` and
        ``n_scored``; with both methods ``z``. Over a dim ``test``: ``p_value`` and ``p_adjusted``;
        also ``smallest_p`` (of the sign test with so many decisive items) and, with randomization,
        ``swapped_difference`` (of its statistic, A - B). ``attrs`` hold the signature. Where ties
        are unknown, what needs them is absent. An advised model of several data sets adds
        ``prob_better_dataset`` (dataset, ...) and ``prob_better_new``, on a data set not seen.
        `Dataset.to_netcdf` and back loses nothing.

    Raises
    ------
    ValueError
        If an argument is not valid, a rope is given and ties are unknown, or an advised model does
        not know what is asked.

    Warns
    -----
    UserWarning
        If items come in clusters or were run repeatedly and are taken as independent, with the
        number of independent examples that say as much; or if an advised model has not converged.

    Examples
    --------
    >>> import betterthan as bt
    >>> comparison = bt.compare(bt.datasets.contingency_case("a"))
    >>> str(comparison["verdict"].sel(system_a="A", system_b="B", engine="exact").item())
    'a_better'
    """
    rope, ci_prob = checks.rope(rope), checks.probability(ci_prob, "ci_prob")
    for value, allowed, what in (
        (method, names.METHODS, "method"),
        (ties, names.TIES, "ties"),
        (ci_kind, names.CI_KINDS, "ci_kind"),
    ):
        checks.one_of(value, allowed, what)
    which = Tests.asked(tests).which
    asked = Tests(which, alpha=alpha, correction=correction, shuffles=shuffles)
    rng = one_seed(rng)  # one seed for all that samples
    plain = plain_data(data)
    if method == "advised" and ties != "third":
        raise ValueError(
            f"method='advised' keeps ties as an outcome; ties={ties!r} is for the other methods"
        )
    advice = advise(data) if method == "advised" else None
    taken = TAKEN.get(advice.model, ()) if advice else ()
    runs = (
        EPOCH in taken
        and names.ITEM in plain.dims
        and names.TALLY not in plain.dims
        and several(plain, EPOCH)
    )
    given, plain = (
        plain,
        mean_of_runs(apply_missing(checks.scores(plain), missing)) if runs else plain,
    )
    raw, extra = _counts_of(plain, "pairwise" if runs else missing, margin, taken)
    if runs:
        raw = raw.assign_attrs(missing=missing)
        notes = "\n".join(filter(None, [extra.attrs["notes"], _RUNS]))
        extra.attrs |= {
            "n_blank": int(given.isnull().sum()),
            "data_hash": fingerprint(given),
            "notes": notes,
        }
    specs = asked.on(plain)
    counts = apply_ties(raw, "third" if ties == "all" else ties)
    if rope:
        checks.ties_known(counts, "a rope")
    choice = {"rope": rope, "prior": prior, "ci_prob": ci_prob, "ci_kind": ci_kind}
    tables = []
    if method in ("exact", "both"):
        tables.append(exact_answers(counts, **choice))
    if method in ("mcmc", "both"):
        tables.append(sampled_answers(counts, **choice, draws=draws, chains=chains, rng=rng))
    if advice is not None:
        fitted = advised_table(
            data,
            advice,
            missing=missing,
            margin=margin,
            **choice,
            draws=draws,
            chains=chains,
            rng=rng,
        )
        extra.attrs |= {"advice": str(advice)}
        tables = [*([] if fitted is None else [fitted]), exact_answers(counts, **choice)]
    if len(counts[names.SYSTEM_A]) > 2:
        joint = take_joint(tables[0]) if advice is not None else xr.Dataset()
        if not joint.data_vars and not joint.attrs:
            equal = (
                names.DATASET in taken
                and names.ITEM in plain.dims
                and several(plain, names.DATASET)
            )
            joint = joint_answer(plain, missing=missing, equal=equal, ci_prob=ci_prob, seed=rng)
        extra = extra.merge(joint, join="exact", combine_attrs="no_conflicts")
    labels = xr.DataArray([t.attrs["method"] for t in tables], dims=names.ENGINE, name=names.ENGINE)
    result = xr.concat(
        [t.drop_vars(["z", *JOINT, *BY_DATASET], errors="ignore") for t in tables],
        labels,
        join="exact",
        combine_attrs="drop",
        data_vars="all",
    )
    if method == "both":
        result["z"] = tables[1]["z"]
    result = result.assign({key: tables[0][key] for key in BY_DATASET if key in tables[0]})
    result["sign_error"] = sign_error(result)
    result["counts"] = counts.drop_attrs()
    result["n"] = result["counts"].sum(names.OUTCOME)
    result["bayes_factor_01"] = closed.bayes_factor(counts, prior=prior).drop_attrs()
    result = result.merge(extra, join="exact", compat="override")
    if ties == "all":
        result = result.merge(_every_policy(raw, prior, rope), join="exact")
    choices = Beside(asked, ties=ties, missing=missing, rng=rng)
    if names.ITEM in plain.dims:
        plain = checks.tallies(plain) if names.TALLY in plain.dims else checks.scores(plain)
    beside = p_values_beside(plain, raw, specs, choices)
    result = result.merge(beside, join="exact", compat="override")
    result.attrs = signature_parts(raw, counts, extra, method, ties, choice) | _merged_attrs(
        [*tables, beside]
    )
    return result


_RUNS = "Beside the model, wins, losses and tests compare the mean of an item's runs, for runs have no common order."


def _counts_of(
    data: xr.DataArray, missing: str, margin: float, taken: Collection[str]
) -> tuple[xr.DataArray, xr.Dataset]:
    """A square of counts, and what is known of the systems beside it; `taken` is what a model takes
    into account.
    """
    extra = xr.Dataset(attrs={"notes": ""})
    notes: list[str] = []
    if hasattr(data, "dims") and names.ITEM in data.dims:
        scored = data
        if names.TALLY in data.dims:
            scored = tally_scores(data)
            notes.append(
                "The posterior counts items on which one system's F1 is above the other's; a "
                "system can be ahead on "
                "most items and behind in F1 over all of them, which is what the randomization "
                "test compares."
            )
        counts = count_outcomes(scored, missing=missing, margin=margin)
        n_blank = int(scored.isnull().sum())
        scored = apply_missing(checks.scores(scored), missing)  # what the counts saw
        scored = scored.assign_coords({names.SYSTEM: scored[names.SYSTEM].values.astype(str)})
        extra["n_dropped"] = (names.SQUARE, counts["n_dropped"].values)
        extra["score"] = scored.astype(float).mean(names.ITEM).drop_attrs()
        extra["n_scored"] = scored.notnull().sum(names.ITEM).drop_attrs()
        notes += dependence_notes(data, taken)
        extra.attrs["n_blank"] = n_blank
        if several(scored, names.DATASET):
            labels, number = np.unique(scored[names.DATASET].values.astype(str), return_counts=True)
            sizes = zip(labels.tolist(), number.tolist(), strict=True)
            extra.attrs["datasets"] = ", ".join(f"{label} {size:,}" for label, size in sizes)
    else:
        checks.for_scores_only(missing=missing, margin=margin)
        counts = checks.counts(data)
        notes += dependence_notes(counts, taken)
        pooled = [d for d in counts.dims if d not in (*names.SQUARE, names.PAIR, names.OUTCOME)]
        counts = counts.sum(pooled, keep_attrs=True)
        if names.PAIR in counts.dims:
            counts = to_square(counts)
    counts = counts.drop_vars(["n_used", "n_dropped"], errors="ignore").transpose(
        *names.SQUARE, names.OUTCOME
    )
    checks.at_least_two(counts[names.SYSTEM_A].values.tolist())
    if counts.sizes[names.OUTCOME] == 2 and counts.attrs.get("ties", "unknown") == "unknown":
        notes.append("Ties are unknown: who is better is answered, by how much is not.")
    kept = {
        k: data.attrs[k] for k in ("source", "reading", "citation", "layout") if k in data.attrs
    }
    kept["higher_is_better"] = int(data.attrs.get("higher_is_better", True))
    extra.attrs |= kept | {"notes": "\n".join(notes), "data_hash": fingerprint(data)}
    return counts, extra


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
            within = (
                differences.prob_equivalent(counts, rope, prior=prior)
                .sel({names.REGION: "rope"})
                .values
            )
        better.append(p.values)
        verdicts.append(decide(p.values, p.values.T, within, rope)[0])
    # in every cell, to_a is for the system_a of that cell, also below the diagonal
    below = np.tril(np.ones(better[0].shape, dtype=bool), -1)
    for answers in (better, verdicts):
        to_a, to_b = answers[-2], answers[-1]
        answers[-2], answers[-1] = np.where(below, to_b, to_a), np.where(below, to_a, to_b)
    dims = ("ties_policy", *names.SQUARE)
    coords = {"ties_policy": list(policies)} | {k: raw[k].values for k in names.SQUARE}
    flips = (np.array(verdicts) != verdicts[0]).any(0)
    return xr.Dataset(
        {
            "prob_better_by_ties": (dims, np.array(better)),
            "verdict_by_ties": (dims, np.array(verdicts)),
            "ties_flip": (names.SQUARE, flips),
        },
        coords=coords,
    )


def _merged_attrs(tables: list[xr.Dataset]) -> dict[str, Any]:
    return {k: v for t in tables for k, v in t.attrs.items() if k != "method"}
