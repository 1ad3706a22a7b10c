"""What a fit of the Mallows model says of the systems: who is nearer to the references, and how near."""

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.bayes.pairwise import effective, judged, mean_error, pairs_of_draws
from betterthan.exact import mallows, weights

_SQUARE = (names.SYSTEM_A, names.SYSTEM_B)


def compare_dispersions(
    tree: xr.DataTree,
    *,
    rope: float = 0.0,
    items: int | None = None,
    prob: float = names.CI_PROB,
    kind: str = names.CI_KIND,
) -> xr.Dataset:
    """Compare systems by theta, the concentration of their orders around the references.

    Parameters
    ----------
    tree : xarray.DataTree
        From ``betterthan.models.mallows.fit``.
    rope : float, default 0
        Half width of the region of practical equivalence, in units of theta.
    items : int, optional
        Items of the new document whose tau is predicted. Default: the median of the documents seen.
    prob : float, default 0.95
        Mass of the intervals.
    kind : {"hdi", "eti"}, default "hdi"

    Returns
    -------
    xarray.Dataset
        Over system: ``theta`` (posterior mean) and ``theta_mcse``, ``lower``, ``upper``; ``expected_tau`` on the
        documents seen with ``expected_tau_lower`` and ``expected_tau_upper``; ``new_tau_lower`` and ``new_tau_upper``,
        between which tau on a new document lies (equal-tailed); ``prob_best``. Over (system_a, system_b):
        ``prob_better`` (the larger theta) and ``prob_better_mcse``, ``difference_mean``, ``difference_lower``,
        ``difference_upper``, ``mass`` (region), ``verdict``, which is ``no_verdict`` where the fit has not converged.

    Raises
    ------
    ValueError
        If the tree is of another model, or an argument is not valid.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("mallows")  # as bt.models.mallows.fit(data, pooling="complete") returns it
    >>> found = bt.compare_dispersions(tree)
    >>> data = bt.models.mallows.simulate(1, systems=2, pooling="complete", rng=3)
    >>> exact = bt.models.mallows.closed_form(data)["prob_better"].values[0, 1]
    >>> abs(found["prob_better"].values[0, 1] - exact) < 4 * found["prob_better_mcse"].values[0, 1]
    np.True_
    """
    if tree["posterior"].attrs.get("model") != "mallows":
        raise ValueError("expected a fit of betterthan.models.mallows")
    checks.one_of(kind, names.CI_KINDS, "kind")
    prob, rope = checks.probability(prob, "prob"), checks.margin(rope, "rope")
    posterior = tree["posterior"].to_dataset()
    attrs = tree["posterior"].attrs
    items = int(np.median(np.atleast_1d(attrs["items"]))) if items is None else checks.whole(items, "items", 2)
    theta = posterior["theta"].transpose("chain", "draw", names.SYSTEM)
    systems, draws = [str(s) for s in theta[names.SYSTEM].values], theta.values
    flat = draws.reshape(-1, len(systems))
    table = pairs_of_draws(flat, flat, rope, prob, kind, lambda d: effective(d, draws.shape[:2]))
    table["verdict"], diagnosis = judged(tree, table, rope)
    tau = posterior["expected_tau"].transpose("chain", "draw", names.SYSTEM).values.reshape(flat.shape)
    low, high = weights.interval(flat, prob, kind)
    tau_low, tau_high = weights.interval(tau, prob, kind)
    new_low, new_high = _new_tau(posterior, flat, items, prob, int(attrs["seed"]))
    of_system = {
        "theta": flat.mean(0), "theta_mcse": mean_error(draws), "lower": low, "upper": high,
        "expected_tau": tau.mean(0), "expected_tau_lower": tau_low, "expected_tau_upper": tau_high,
        "new_tau_lower": new_low, "new_tau_upper": new_high, "prob_best": weights.ranks(flat)[:, 0],
    }  # fmt: skip
    result = xr.Dataset(
        {name: ((*_SQUARE, names.REGION) if v.ndim == 3 else _SQUARE, v) for name, v in table.items()}
        | {name: (names.SYSTEM, v) for name, v in of_system.items()},
        coords=dict.fromkeys((*_SQUARE, names.SYSTEM), systems) | {names.REGION: list(names.REGIONS)},
    )
    result.attrs = {
        "version": betterthan.__version__, "pooling": attrs["pooling"], "n_documents": attrs["n_documents"],
        "seed": attrs["seed"], "draws": len(flat), "rope": rope, "ci_prob": prob, "ci_kind": kind, "items": items,
        "failures": list(diagnosis.failures),
    }  # fmt: skip
    return result


def _new_tau(
    posterior: xr.Dataset, theta: np.ndarray, items: int, prob: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the predictive interval of tau on a document not yet seen."""
    random = np.random.default_rng([seed, items])
    if "document_sd" in posterior:
        spread = posterior[["document_sd", "cell_sd"]].transpose("chain", "draw")
        document, cell = (spread[k].values.reshape(-1, 1) for k in ("document_sd", "cell_sd"))
        theta = theta + document * random.normal(size=(len(theta), 1)) + cell * random.normal(size=theta.shape)
    tau = 1 - 4 * mallows.draw_inversions(theta, np.array(items), random) / (items * (items - 1))
    return tuple(np.quantile(tau, [(1 - prob) / 2, (1 + prob) / 2], axis=0))  # type: ignore
