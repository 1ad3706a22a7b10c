"""What a fit of the Mallows model says of the systems: who is nearer to the references, and how
near.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.orders import mallows
from betterthan.posterior import table
from betterthan.posterior.fitted import Fit
from betterthan.posterior.table import Question


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
