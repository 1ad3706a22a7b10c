"""What a fit of the Mallows model says of the systems: who is nearer to the references, and how
near.
"""

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.exact.numeric import weights
from betterthan.exact.orders import mallows
from betterthan.posterior.joint_draws import effective, judged, mean_error, pairs_of_draws


def compare_dispersions(
    tree: xr.DataTree,
    *,
    rope: float = 0.0,
    items: int | None = None,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
) -> xr.Dataset:
    """Systems by the concentration of their orders around the references; see `fits.compare`."""
    if tree["posterior"].attrs.get("model") != "mallows":
        raise ValueError("expected a fit of betterthan.models.mallows")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    ci_prob, rope = checks.probability(ci_prob, "ci_prob"), checks.margin(rope, "rope")
    posterior = tree["posterior"].to_dataset()
    attrs = tree["posterior"].attrs
    items = (
        int(np.median(np.atleast_1d(attrs["items"])))
        if items is None
        else checks.whole(items, "items", 2)
    )
    theta = posterior["theta"].transpose("chain", "draw", names.SYSTEM)
    systems, draws = [str(s) for s in theta[names.SYSTEM].values], theta.values
    flat = draws.reshape(-1, len(systems))
    table = pairs_of_draws(
        flat, flat, rope, ci_prob, ci_kind, lambda d: effective(d, draws.shape[:2])
    )
    table["verdict"], diagnosis = judged(tree, table, rope)
    tau = (
        posterior["expected_tau"]
        .transpose("chain", "draw", names.SYSTEM)
        .values.reshape(flat.shape)
    )
    low, high = weights.interval(flat, ci_prob, ci_kind)
    tau_low, tau_high = weights.interval(tau, ci_prob, ci_kind)
    new_low, new_high = _new_tau(posterior, flat, items, ci_prob, int(attrs["seed"]))
    of_system = {
        "theta": flat.mean(0),
        "theta_mcse": mean_error(draws),
        "lower": low,
        "upper": high,
        "expected_tau": tau.mean(0),
        "expected_tau_lower": tau_low,
        "expected_tau_upper": tau_high,
        "new_tau_lower": new_low,
        "new_tau_upper": new_high,
        "prob_best": weights.ranks(flat)[:, 0],
    }
    result = xr.Dataset(
        {
            name: ((*names.SQUARE, names.REGION) if v.ndim == 3 else names.SQUARE, v)
            for name, v in table.items()
        }
        | {name: (names.SYSTEM, v) for name, v in of_system.items()},
        coords=dict.fromkeys((*names.SQUARE, names.SYSTEM), systems)
        | {names.REGION: list(names.REGIONS)},
    )
    result.attrs = {
        "answer": "dispersions",
        "version": betterthan.__version__,
        "pooling": attrs["pooling"],
        "n_documents": attrs["n_documents"],
        "seed": attrs["seed"],
        "draws": len(flat),
        "rope": rope,
        "ci_prob": ci_prob,
        "ci_kind": ci_kind,
        "items": items,
        "failures": list(diagnosis.failures),
    }
    return result


def _new_tau(
    posterior: xr.Dataset, theta: np.ndarray, items: int, ci_prob: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the predictive interval of tau on a document not yet seen."""
    random = np.random.default_rng([seed, items])
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
