"""Answers from fits of abilities and of rankings: pairs, ranks, and ties with the top."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.orders import mallows
from betterthan.models import tie_models
from betterthan.posterior import table
from betterthan.posterior.pairwise import Fit
from betterthan.posterior.table import Question


def read_abilities(fit: Fit, question: Question) -> xr.Dataset:
    """All systems jointly, from a fit of judgments or of items; see `fits.compare`."""
    by_item = "expected_score" in fit.posterior
    _warn_separated(fit, by_item)
    ability = fit.system_draws("ability")
    draws = fit.system_draws("expected_score") if by_item else ability
    difference = None if by_item else _judgment_difference(fit)
    result = table.of_joint_draws(draws, fit.systems, question, differences_of=difference)
    result = table.with_verdicts(result, question, converged=fit.diagnosis.passed)
    ranks = table.of_systems(ability, fit.systems, ci_prob=question.ci_prob)
    result = result.merge(ranks, join="exact").assign(table.by_system("ability", ability, question))
    top = int(result["ability"].values.argmax())
    reached = result["prob_better"].values[top] >= question.threshold
    result["tied_with_top"] = (names.SYSTEM, ~reached)
    result = result.assign(
        _scores(fit, draws, question) if by_item else _next_judgment(fit, ability)
    )
    attrs = fit.posterior.attrs
    return result.assign_attrs({k: int(attrs[k]) for k in ("position", "judges") if k in attrs})


def _scores(fit: Fit, draws: np.ndarray, question: Question) -> dict[str, tuple[str, np.ndarray]]:
    """Share of items solved, and its expectation over all such items."""
    solved, missed = _solved(fit)
    expected = table.by_system("expected_score", draws, question, prefix="expected_score_")
    return {"score": (names.SYSTEM, solved / (solved + missed))} | expected


def _judgment_difference(fit: Fit) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """P(win) - P(loss) of a judgment without advantage of place, of two abilities (chain, draw,
    ...).
    """
    tie, model = _tie(fit), str(fit.posterior.attrs["tie_model"])
    return lambda x, y: tie_models.ahead(x, y, tie, model)


def _next_judgment(fit: Fit, ability: np.ndarray) -> dict[str, tuple[tuple[str, ...], object]]:
    """Posterior mean of the probabilities of win, loss and tie, (system, system, outcome)."""
    tie, model = _tie(fit), str(fit.posterior.attrs["tie_model"])
    rows = [
        np.exp(tie_models.log_probabilities(ability[..., k : k + 1] - ability, tie, model)).mean(
            (0, 1)
        )
        for k in range(ability.shape[-1])
    ]
    dims = (*names.SQUARE, names.OUTCOME)
    return {
        "expected": (dims, np.array(rows)),
        names.OUTCOME: ((names.OUTCOME,), list(names.OUTCOMES)),
    }


def _tie(fit: Fit) -> np.ndarray:
    return fit.posterior["tie"].transpose("chain", "draw").values[..., None]


def _warn_separated(fit: Fit, by_item: bool) -> None:
    """Warn of systems that won or lost everything: only the prior bounds their abilities."""
    won, lost = _solved(fit) if by_item else _judged(fit)
    did = ("solved everything", "solved nothing")
    did = did if by_item else ("won every judgment", "lost every judgment")
    for which, outcome in ((lost == 0, did[0]), (won == 0, did[1])):
        named = [s for s, hit in zip(fit.systems, which, strict=True) if hit]
        if named:
            more = f" and {len(named) - 3} more" if len(named) > 3 else ""
            warnings.warn(
                f"only the prior bounds the differences from {', '.join(map(repr, named[:3]))}"
                f"{more}: {outcome}",
                skip_file_prefixes=names.PACKAGE,
            )


def _solved(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Trials that each system solved and did not solve."""
    solved, tried = (fit.constant[k].sum(names.ITEM).values for k in ("successes", "trials"))
    return solved, tried - solved


def _judged(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Judgments that each system did not lose and did not win, both with ties."""
    won, lost = np.zeros((2, len(fit.systems)))
    win, loss, tie = fit.constant["counts"].values.T
    for side, wins, others in (("a", win, loss), ("b", loss, win)):
        np.add.at(won, fit.constant[side].values, wins + tie)
        np.add.at(lost, fit.constant[side].values, others + tie)
    return won, lost


def of_dispersions(fit: Fit, question: Question, *, items: int | None = None) -> xr.Dataset:
    """Systems by the concentration of their orders around the references; see `fits.compare`."""
    attrs = fit.posterior.attrs
    items = _median(attrs) if items is None else checks.whole(items, "items", 2)
    theta = fit.system_draws("theta")
    comparison = table.of_joint_draws(theta, fit.systems, question)
    comparison = table.with_verdicts(comparison, question, converged=fit.diagnosis.passed)
    ranks = table.of_systems(theta, fit.systems, ci_prob=question.ci_prob)
    comparison = comparison.merge(ranks, join="exact").assign(
        table.by_system("theta", theta, question)
    )
    tau = fit.system_draws("expected_tau")
    comparison = comparison.assign(
        table.by_system("expected_tau", tau, question, prefix="expected_tau_")
    )
    low, high = _new_tau(fit, theta.reshape(-1, theta.shape[-1]), items, question.ci_prob)
    comparison["new_tau_lower"], comparison["new_tau_upper"] = (
        (names.SYSTEM, low),
        (names.SYSTEM, high),
    )
    fit_attrs = {key: attrs[key] for key in ("pooling", "n_documents")}
    return comparison.assign_attrs(fit_attrs | {"items": items})


def _median(attrs: dict[Any, Any]) -> int:
    """Items of the middle one of all orders; a fit of an older version has each size once."""
    sizes = np.atleast_1d(attrs["items"])
    return int(np.median(np.repeat(sizes, attrs.get("items_counts", 1))))


def _new_tau(
    fit: Fit, theta: np.ndarray, items: int, ci_prob: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the predictive interval of tau on a document not yet seen."""
    posterior = fit.posterior
    random = np.random.default_rng([int(posterior.attrs["seed"]), items])
    if "document_sd" in posterior:
        spread = posterior[["document_sd", "cell_sd"]].transpose("chain", "draw")
        document, cell = (spread[k].values.reshape(-1, 1) for k in ("document_sd", "cell_sd"))
        theta = (
            theta
            + document * random.normal(size=(len(theta), 1))
            + cell * random.normal(size=theta.shape)
        )
    tau = 1 - 4 * mallows.draw_inversions(theta, np.array(items), random) / (items * (items - 1))
    return tuple(np.quantile(tau, [(1 - ci_prob) / 2, (1 + ci_prob) / 2], axis=0))  # type: ignore
