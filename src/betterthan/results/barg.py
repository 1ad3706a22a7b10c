"""The Bayesian analysis reporting guidelines, filled from what an answer knows.

J. K. Kruschke (2021), Bayesian Analysis Reporting Guidelines, Nature Human Behaviour 5, 1282-1291,
doi:10.1038/s41562-021-01177-7.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.ties import policy_applied
from betterthan.exact.wins import dirichlet
from betterthan.posterior.parameters import posterior_parameters, prior_of
from betterthan.posterior.verdicts import of_parameters
from betterthan.results.columns import interval_label
from betterthan.results.context import ReportContext
from betterthan.results.document import Part, Table
from betterthan.results.methods import computed_by, model_text, rule_text
from betterthan.results.numbers import on_one_line
from betterthan.results.provenance import signature

HEADING = "Analysis report (BARG)"
_PAIRS_VARIED = 45  # pairs whose sensitivity is tried in all combinations
_BY_HAND = "TO FILL IN: "
_TIES = {"third": "kept", "drop": "dropped", "half": "half each"}
_CASES = {"as they are": "left out", "worst": "worst for the first", "best": "best for the first"}
_SMALL_ROPES = (0.0, 0.01, 0.05)


def barg_part(context: ReportContext) -> Part:
    """The appendix: a fact a step, and how far verdicts depend on what was chosen."""
    sensitivity = _sensitivity(context)
    facts = [*_goal(context), *_model(context), *_computed(context), *_decided(context)]
    facts += [("5 Sensitivity", _sensitivity_text(sensitivity, context))]
    facts += [("6 Reproducibility", on_one_line(signature(context.data)))]
    return Part(
        HEADING, facts=facts, tables=[_table(sensitivity)] if sensitivity else (), folded=True
    )


def _goal(context: ReportContext) -> list[tuple[str, str]]:
    quantity = context.provenance.difference_is or "which system wins more often"
    return [
        (
            "0 Goal",
            "How probable it is that one system is better than another, and by how much, given few "
            f"items; the quantity is: {quantity}. A posterior answers that directly, and can "
            "also say that two systems are practically the same.",
        ),
        ("0 Question", f"{_BY_HAND}why these systems, this test set and this metric"),
    ]


def _model(context: ReportContext) -> list[tuple[str, str]]:
    """Likelihood, prior, and what the prior implies of the difference."""
    facts = [("1 Likelihood and prior", model_text(context))]
    prior = context.provenance.prior
    if prior is not None and len(prior) == 3 and not context.provenance.over:
        sd = float(dirichlet.sd_difference(*prior))
        mean = (prior[0] - prior[1]) / sum(prior)
        implied = f"before any data the difference has mean {mean:.3g} and standard deviation "
        facts.append(("1 Implied prior", f"{implied}{sd:.3g}"))
    return [*facts, ("1 Prior, justified", f"{_BY_HAND}why this prior")]


def _computed(context: ReportContext) -> list[tuple[str, str]]:
    provenance, first = context.provenance, context.engine_names[0]
    how = ""
    if provenance.rhat_max is not None:
        ess = f"effective sample size from {provenance.ess_min:.0f}"
        how = f"; worst R-hat {provenance.rhat_max:.3f}, {ess}"
    elif provenance.pareto_k is not None:
        worth = f"worth {provenance.ess_min:.0f} draws"
        how = f"; k-hat of the weights {provenance.pareto_k:.2f}, {worth}"
    elif first == "exact":
        how = "; probabilities within 1e-9, quantities of the difference within 1e-10"
    posterior = f"means with {interval_label(provenance.to_attrs())}, in the table of pairs"
    return [("2 Computation", computed_by(context, first, how)), ("3 Posterior", posterior)]


def _decided(context: ReportContext) -> list[tuple[str, str]]:
    """The rule, and how often it errs."""
    rope = (
        f"a difference of at most {context.rope:g} is practically none" if context.rope else "none"
    )
    return [
        ("4 Decision", f"a verdict {rule_text(context)}"),
        ("4 Region of practical equivalence", rope),
        ("4 Rule, justified", f"{_BY_HAND}why this threshold, and this region"),
    ]


def _sensitivity(context: ReportContext) -> dict[str, dict[str, np.ndarray]]:
    """Of each choice, and each value of it, whose verdicts are others than those asked for; and
    under ``all`` those of every combination.
    """
    provenance = context.provenance
    by_counts = (
        provenance.prior is not None
        and provenance.over is None
        and len(provenance.prior) == 3
        and "n_units" not in context.data
    )
    if (
        not by_counts
        or provenance.ties not in ("third", "all")
        or context.engine_names[0] != "exact"
    ):
        return {}
    grid = _grid(context)
    verdict = _verdicts(_counts(context), grid, float(provenance.threshold or names.VERDICT_PROB))
    base = next(iter(verdict.values()))
    changes: dict[str, dict[str, np.ndarray]] = {}
    for (prior, ties, rope, case), new in verdict.items():
        for name, label in _labels(prior, ties, rope, case, grid):
            changes.setdefault(name, {})[label] = new != base
    return changes


def _grid(context: ReportContext) -> tuple[list[Any], list[str], list[float]]:
    """Priors, policies for ties and ropes, those asked for first."""
    prior = tuple(context.provenance.prior or ())
    others = (*names.PRIORS.values(), prior_of(names.SKEPTICAL, context.data["counts"]))
    priors = [prior, *(p for p in others if tuple(p) != prior)]
    ropes = (0.0, context.rope / 2, 2 * context.rope) if context.rope else _SMALL_ROPES[1:]
    return priors, list(_TIES), [context.rope, *ropes]


def _labels(prior: Any, ties: str, rope: float, case: str, grid: Any) -> Iterator[tuple[str, str]]:
    """Of a combination that changes one choice, that choice; and any under ``all``."""
    labels = {
        "prior": (prior != grid[0][0], f"Dirichlet({', '.join(f'{p:g}' for p in prior)})"),
        "ties": (ties != grid[1][0], _TIES[ties]),
        "rope": (rope != grid[2][0], f"{rope:g}"),
        "missing": (case != "as they are", _CASES[case]),
    }
    changed = [(name, label) for name, (other, label) in labels.items() if other]
    if len(changed) == 1:
        yield changed[0]
    if changed:
        yield "all", ", ".join(label for _, label in labels.values())


def _counts(context: ReportContext) -> dict[str, xr.DataArray]:
    """Of the first pairs, as they are and in the worst and best case of missing scores."""
    first, second = (
        xr.DataArray(list(places), dims=names.PAIR)
        for places in zip(*context.pairs[:_PAIRS_VARIED], strict=True)
    )
    places = {names.SYSTEM_A: first, names.SYSTEM_B: second}
    counts = {"as they are": context.data["counts"].isel(places)}
    if "counts_worst" in context.data:
        worst = context.data["counts_worst"]
        reverse = {names.SYSTEM_A: second, names.SYSTEM_B: first}
        other = worst.isel(reverse).isel({names.OUTCOME: [1, 0, 2]})
        counts["worst"] = worst.isel(places)
        counts["best"] = other.assign_coords({names.OUTCOME: [*names.OUTCOMES]})
    return {k: v.drop_vars(names.SQUARE, errors="ignore").astype(int) for k, v in counts.items()}


def _verdicts(counts: dict[str, xr.DataArray], grid: Any, threshold: float) -> dict[Any, Any]:
    """Of each prior, policy for ties, rope and case the verdict of every pair: what was asked for
    first.
    """
    priors, policies, ropes = grid
    by_pair = {case: n.transpose(names.PAIR, names.OUTCOME) for case, n in counts.items()}
    data = {(t, case): policy_applied(by_pair[case], t) for t in policies for case in counts}
    choices = list(product(priors, data))
    posteriors = [posterior_parameters(data[key], tuple(prior)).values for prior, key in choices]
    a, b, t = np.stack(posteriors, axis=1)
    verdicts = {}
    for rope in ropes:
        by_choice = of_parameters(a, b, t, rope, threshold)
        for (prior, (ties, case)), verdict in zip(choices, by_choice, strict=True):
            verdicts[prior, ties, rope, case] = verdict
    return {key: verdicts[key] for key in product(priors, policies, ropes, counts)}


def _sensitivity_text(sensitivity: dict[str, dict[str, np.ndarray]], context: ReportContext) -> str:
    if context.provenance.over:
        return f"not computed for an average. {_BY_HAND}what other choices would say"
    if not sensitivity:
        return f"not of counts of wins, losses and ties. {_BY_HAND}what other choices would say"
    changes = list(sensitivity["all"].values())
    pairs = len(changes[0])
    some = int(np.any(changes, axis=0).sum())
    every = len(context.systems) * (len(context.systems) - 1) // 2
    which = "pairs" if pairs == every else "pairs shown"
    text = f"{some:,} of {pairs:,} {which} {'gets' if some == 1 else 'get'} another verdict"
    if pairs == 1:
        text = "the pair gets another verdict" if some else "the pair keeps its verdict"
    ending = " in at least one" if some or pairs > 1 else ""
    return (
        f"under {len(changes):,} other combinations of prior, ties, missing scores and region, "
        f"{text}{ending}"
    )


def _table(sensitivity: dict[str, dict[str, np.ndarray]]) -> Table:
    rows = [
        (name.capitalize(), label, f"{int(changed.sum()):,} of {len(changed):,}")
        for name, values in sensitivity.items()
        if name != "all"
        for label, changed in values.items()
    ]
    caption = "One choice changed at a time: how many verdicts, each pair by itself, are others"
    return Table(("Choice", "Instead", "Other verdicts"), rows, caption, left=2, name="sensitivity")
