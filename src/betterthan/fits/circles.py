"""Whether judgments go round in circles, which one ability a system cannot do."""

import numpy as np
import xarray as xr

from betterthan import __version__, names
from betterthan.exact.wins import davidson
from betterthan.models import tie_models
from betterthan.posterior.pairwise import check_model
from betterthan.signed import Signature

_REPLICATIONS = 1000


def transitivity(tree: xr.DataTree) -> xr.Dataset:
    """Test whether one ability per system is enough to explain the judgments.

    It is not enough if judgments form more cycles (A beats B, B beats C, C beats A) than the model
    expects.

    Parameters
    ----------
    tree : xarray.DataTree
        Result of ``betterthan.models.davidson.fit`` with its predictive groups.

    Returns
    -------
    xarray.Dataset
        Over check: ``observed``, ``expected``, and ``p_value``, the proportion of replications with
        as much or more. The checks are ``circular_triads`` (A mostly beats B, B beats C, C beats A)
        and ``misfit``: the squared distances of wins minus losses from the expectation of each
        draw, over their variances, summed over rows.

    Raises
    ------
    ValueError
        If the tree is of another model, or has no replications.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("davidson")  # as models.davidson.fit returns it
    >>> bool(bt.fits.transitivity(tree)["p_value"].min() > 0.01)
    True
    """
    check_model(tree, ("davidson",))
    posterior, constant = (tree[group].to_dataset() for group in ("posterior", "constant_data"))
    again, step = _replicated(tree)
    chances = np.exp(_chances(posterior, constant))[::step]
    both, systems = (constant["counts"].values[None], again), posterior.sizes[names.SYSTEM]
    rows = {
        "circular_triads": [_circles(counts, constant, systems) for counts in both],
        "misfit": [_misfit(counts, chances) for counts in both],
    }
    provenance = Signature(version=__version__, model="davidson", seed=posterior.attrs["seed"])
    return xr.Dataset(
        {
            "observed": ("check", [o.mean() for o, _ in rows.values()]),
            "expected": ("check", [r.mean() for _, r in rows.values()]),
            "p_value": ("check", [(r >= o - 1e-9).mean() for o, r in rows.values()]),
        },
        coords={"check": list(rows)},
        attrs=provenance.to_attrs() | {"replications": len(again)},
    )


def _replicated(tree: xr.DataTree) -> tuple[np.ndarray, int]:
    """Replicated counts of judgments, (draw, row, outcome), and of how many draws each one is."""
    if "posterior_predictive" not in tree.children:
        raise ValueError("the fit has no replications; fit with predictive=True")
    again = tree["posterior_predictive"].to_dataset()["y"]
    again = again.transpose("chain", "draw", "row", names.OUTCOME).values
    again = again.reshape(-1, *again.shape[2:])
    step = max(1, len(again) // _REPLICATIONS)
    return again[::step], step


def _circles(counts: np.ndarray, constant: xr.Dataset, systems: int) -> np.ndarray:
    """Number of circular triads of each table of judgments (draw, row, outcome)."""
    a, b = constant["a"].values, constant["b"].values
    return davidson.circular(davidson.net_wins(counts, a, b, systems))


def _chances(posterior: xr.Dataset, constant: xr.Dataset) -> np.ndarray:
    """Log probabilities of win, loss and tie of every row, (draw, row, outcome), in each draw."""
    flat = posterior.stack(_draw=("chain", "draw")).transpose("_draw", ...)
    ability = flat["ability"].transpose("_draw", names.SYSTEM).values
    d = ability[:, constant["a"].values] - ability[:, constant["b"].values]
    tie = np.broadcast_to(flat["tie"].values[:, None], d.shape)
    if "position" in flat:
        d = d + flat["position"].values[:, None]
    for name in ("judge_tie", "judge_position"):
        if f"{name}_effect" not in flat:
            continue
        effect = (
            flat[f"{name}_effect"]
            .transpose("_draw", "judge")
            .values[:, constant["judge_of"].values]
        )
        d, tie = (d, tie + effect) if name == "judge_tie" else (d + effect, tie)
    return tie_models.log_probabilities(d, tie, str(posterior.attrs["tie_model"]))


def _misfit(counts: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Sum over rows of the squared distance of wins less losses from its expectation, over its
    variance, (draw,).
    """
    n = counts.sum(-1)
    net = chances[..., 0] - chances[..., 1]
    spread = n * (chances[..., 0] + chances[..., 1] - net**2)
    return ((counts[..., 0] - counts[..., 1] - n * net) ** 2 / np.maximum(spread, 1e-12)).sum(-1)
