"""What the prior of a model expects to see."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from betterthan import names
from validation.calibration import Form

Look = Callable[[xr.Dataset], dict[str, float]]


def expected(form: Form, look: Look, seed: int) -> dict[str, list[float]]:
    """5, 50 and 95 % quantiles of what is looked at, over simulated data sets."""
    seen: dict[str, list[float]] = {}
    for data in form.simulate(500, seed):
        for key, value in look(data).items():
            seen.setdefault(key, []).append(value)
    return {
        k: [round(float(q), 4) for q in np.quantile(v, [0.05, 0.5, 0.95])] for k, v in seen.items()
    }


def of_counts(data: xr.Dataset) -> dict[str, float]:
    """Wins less losses, and ties, as shares."""
    counts = data["counts"]
    win, loss, tie = counts.sum([d for d in counts.dims if d != names.OUTCOME]).values
    n = win + loss + tie
    return {"wins_less_losses": float((win - loss) / n), "ties": float(tie / n)}


def of_judgments(data: xr.Dataset) -> dict[str, float]:
    """Wins of the system shown first, and ties, as shares."""
    outcome = data["outcome"]
    return {"first_wins": float((outcome == 1).mean()), "ties": float((outcome == 0).mean())}


def of_successes(data: xr.Dataset) -> dict[str, float]:
    """Share solved, and how far apart the systems are."""
    share = data["successes"].sum(names.ITEM) / data["trials"].sum(names.ITEM)
    return {"solved": float(share.mean()), "best_less_worst": float(share.max() - share.min())}


def of_differences(data: xr.Dataset) -> dict[str, float]:
    """Mean in standard deviations, and the share above 0."""
    y = data["difference"].values
    return {"mean_over_sd": float(y.mean() / y.std()), "positive": float((y > 0).mean())}
