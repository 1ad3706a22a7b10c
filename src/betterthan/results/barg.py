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
from betterthan.posterior.parameters import prior_of, settled
from betterthan.posterior.verdicts import of_parameters
from betterthan.results.columns import interval_of
from betterthan.results.context import ReportContext
from betterthan.results.document import Part, Table
from betterthan.results.escapes import on_one_line
from betterthan.results.methods import computed_by, model_of, rule_of
from betterthan.results.provenance import signature

HEADING = "Analysis report (BARG)"
_PAIRS_OF = 45  # pairs whose sensitivity is tried in all combinations
_BY_HAND = "TO FILL IN: "
_TIES = {"third": "kept", "drop": "dropped", "half": "half each"}
_CASES = {"as they are": "left out", "worst": "worst for the first", "best": "best for the first"}
_SMALL_ROPES = (0.0, 0.01, 0.05)


def barg_part(context: ReportContext) -> Part:
    """The appendix: a fact a step, and how far verdicts depend on what was chosen."""
    found = _sensitivity(context)
    facts = [*_goal(context), *_model(context), *_computed(context), *_decided(context)]
    facts += [("5 Sensitivity", _told(found, context))]
    facts += [("6 Reproducibility", on_one_line(signature(context.data)))]
    return Part(HEADING, facts=facts, tables=[_table(found)] if found else (), folded=True)


def _goal(context: ReportContext) -> list[tuple[str, str]]:
    what = context.provenance.difference_is or "which system wins more often"
    return [
        (
            "0 Goal",
            "How probable it is that one system is better than another, and by how much, given few "
            f"examples; the quantity is: {what}. A posterior answers that directly, and can also "
            "say that two systems are practically the same.",
        ),
        ("0 Question", f"{_BY_HAND}why these systems, this test set and this metric"),
    ]


def _model(context: ReportContext) -> list[tuple[str, str]]:
    """Likelihood, prior, and what the prior implies of the difference."""
    facts = [("1 Likelihood and prior", model_of(context))]
    prior = context.provenance.prior
    if prior is not None and len(prior) == 3:
        sd = float(dirichlet.sd_difference(*prior))
        mean = (prior[0] - prior[1]) / sum(prior)
        implied = f"before any data the difference has mean {mean:.3g} and standard deviation "
        facts.append(("1 Implied prior", f"{implied}{sd:.3g}"))
    return [*facts, ("1 Prior, justified", f"{_BY_HAND}why this prior")]


def _computed(context: ReportContext) -> list[tuple[str, str]]:
    made, first = context.provenance, context.engine_names[0]
    how = ""
    if made.rhat_max is not None:
        how = f"; worst R-hat {made.rhat_max:.3f}, effective sample size from {made.ess_min:.0f}"
    elif made.pareto_k is not None:
        how = f"; k-hat of the weights {made.pareto_k:.2f}, worth {made.ess_min:.0f} draws"
    elif first == "exact":
        how = "; probabilities within 1e-9, quantities of the difference within 1e-10"
    posterior = f"means with {interval_of(made.to_attrs())}, in the table of pairs"
    return [("2 Computation", computed_by(context, first, how)), ("3 Posterior", posterior)]


def _decided(context: ReportContext) -> list[tuple[str, str]]:
    """The rule, and how often it errs."""
    rope = (
        f"a difference of at most {context.rope:g} is practically none" if context.rope else "none"
    )
    return [
        ("4 Decision", f"a verdict {rule_of(context)}"),
        ("4 Region of practical equivalence", rope),
        ("4 Rule, justified", f"{_BY_HAND}why this threshold, and this region"),
    ]


def _sensitivity(context: ReportContext) -> dict[str, dict[str, np.ndarray]]:
    """Of each choice, and each value of it, whose verdicts are others than those asked for; and
    under ``all`` those of every combination.
    """
    made = context.provenance
    by_counts = made.prior is not None and len(made.prior) == 3 and "n_units" not in context.data
    if not by_counts or made.ties not in ("third", "all") or context.engine_names[0] != "exact":
        return {}
    grid = _grid(context)
    verdict = _verdicts(_counts(context), grid, float(made.threshold or names.VERDICT_PROB))
    base = next(iter(verdict.values()))
    found: dict[str, dict[str, np.ndarray]] = {}
    for (prior, ties, rope, case), new in verdict.items():
        for name, label in _labels(prior, ties, rope, case, grid):
            found.setdefault(name, {})[label] = new != base
    return found


def _grid(context: ReportContext) -> tuple[list[Any], list[str], list[float]]:
    """Priors, policies for ties and ropes, those asked for first."""
    asked = tuple(context.provenance.prior or ())
    others = (*names.PRIORS.values(), prior_of(names.SKEPTICAL, context.data["counts"]))
    priors = [asked, *(p for p in others if tuple(p) != asked)]
    ropes = (0.0, context.rope / 2, 2 * context.rope) if context.rope else _SMALL_ROPES[1:]
    return priors, list(_TIES), [context.rope, *ropes]


def _labels(prior: Any, ties: str, rope: float, case: str, grid: Any) -> Iterator[tuple[str, str]]:
    """Of a combination that changes one choice, that choice; and any under ``all``."""
    told = {
        "prior": (prior != grid[0][0], f"Dirichlet({', '.join(f'{p:g}' for p in prior)})"),
        "ties": (ties != grid[1][0], _TIES[ties]),
        "rope": (rope != grid[2][0], f"{rope:g}"),
        "missing": (case != "as they are", _CASES[case]),
    }
    changed = [(name, label) for name, (other, label) in told.items() if other]
    if len(changed) == 1:
        yield changed[0]
    if changed:
        yield "all", ", ".join(label for _, label in told.values())


def _counts(context: ReportContext) -> dict[str, xr.DataArray]:
    """Of the first pairs, as they are and in the worst and best case of missing scores."""
    first, second = zip(*context.pairs[:_PAIRS_OF], strict=True)
    at = {
        k: xr.DataArray(list(v), dims=names.PAIR)
        for k, v in zip(names.SQUARE, (first, second), strict=True)
    }
    found = {"as they are": context.data["counts"].isel(at)}
    if "counts_worst" in context.data:
        turned = {names.SYSTEM_A: at[names.SYSTEM_B], names.SYSTEM_B: at[names.SYSTEM_A]}
        other = context.data["counts_worst"].isel(turned).isel({names.OUTCOME: [1, 0, 2]})
        found["worst"] = context.data["counts_worst"].isel(at)
        found["best"] = other.assign_coords({names.OUTCOME: [*names.OUTCOMES]})
    return {k: v.drop_vars(names.SQUARE, errors="ignore").astype(int) for k, v in found.items()}


def _verdicts(counts: dict[str, xr.DataArray], grid: Any, threshold: float) -> dict[Any, Any]:
    """Of each prior, policy for ties, rope and case the verdict of every pair: what was asked for
    first.
    """
    priors, policies, ropes = grid
    square = {k: of.transpose(names.PAIR, names.OUTCOME) for k, of in counts.items()}
    of = {(ties, case): policy_applied(square[case], ties) for ties in policies for case in counts}
    made = list(product(priors, of))
    a, b, t = np.stack([settled(of[at], tuple(prior)).values for prior, at in made], axis=1)
    found = {}
    for rope in ropes:
        verdict = of_parameters(a, b, t, rope, threshold)
        found |= {(p, at[0], rope, at[1]): v for (p, at), v in zip(made, verdict, strict=True)}
    return {key: found[key] for key in product(priors, policies, ropes, counts)}


def _told(found: dict[str, dict[str, np.ndarray]], context: ReportContext) -> str:
    if not found:
        return f"not of counts of wins, losses and ties. {_BY_HAND}what other choices would say"
    each = list(found["all"].values())
    pairs = len(each[0])
    some = int(np.any(each, axis=0).sum())
    every = len(context.systems) * (len(context.systems) - 1) // 2
    which = "pairs" if pairs == every else "pairs shown"
    told = f"{some:,} of {pairs:,} {which} {'gets' if some == 1 else 'get'} another verdict"
    if pairs == 1:
        told = "the pair gets another verdict" if some else "the pair keeps its verdict"
    ending = " in at least one" if some or pairs > 1 else ""
    return (
        f"under {len(each):,} other combinations of prior, ties, missing scores and region, "
        f"{told}{ending}"
    )


def _table(found: dict[str, dict[str, np.ndarray]]) -> Table:
    rows = [
        (name.capitalize(), label, f"{int(changed.sum()):,} of {len(changed):,}")
        for name, values in found.items()
        if name != "all"
        for label, changed in values.items()
    ]
    caption = "One choice changed at a time: how many verdicts, each pair by itself, are others"
    return Table(("Choice", "Instead", "Other verdicts"), rows, caption, left=2, name="sensitivity")
