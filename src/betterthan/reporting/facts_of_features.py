"""What is known of what predicts a response: of a function, its posterior, and sets of features."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.posterior.gate import diagnose
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.facts import Facts, plain


def function_facts(fit: xr.Dataset) -> Facts:
    """Of a performance function that was fitted.

    response, n_features, chosen, n_chosen; r2 and r2_se in rows not seen, with the choice repeated
    where there was one; predicts: r2 is above 0 by more than two standard errors; r2_fit;
    strongest with weight, its standardised coefficient.
    """
    held = "r2_held_out" if fit.attrs["direction"] == "none" else "r2_held_out_chosen"
    chosen = fit["chosen"].values.astype(bool)
    features = np.array([on_one_line(str(f)) for f in fit[names.FEATURE].values])
    r2, error = fit[held].item(), fit[f"{held}_se"].item()
    told: Facts = {
        "response": on_one_line(str(fit.attrs["response"])),
        "n_features": len(features),
        "n_chosen": int(chosen.sum()),
        "r2": r2,
        "r2_se": error,
        "r2_fit": fit["r2"].item(),
        "predicts": bool(r2 - 2 * error > 0),
    }
    weight = np.where(chosen, fit["standardised"].values, 0.0)
    order = np.argsort(-np.abs(weight), kind="stable")[: int(chosen.sum())]
    told["chosen"] = features[order].tolist()
    if len(order):
        told |= {"strongest": str(features[order[0]]), "weight": float(weight[order[0]])}
    return plain(told)


def coefficient_facts(tree: xr.DataTree) -> Facts:
    """Of ``models.performance_function.fit``.

    response, n_features, threshold; raise and lower: features whose coefficient is surely above, or
    below, 0, by more than two Monte Carlo errors; n_sure; failures.
    """
    diagnosis, posterior = diagnose(tree), tree["posterior"].to_dataset()
    features = np.array([on_one_line(str(f)) for f in posterior[names.FEATURE].values])
    told: Facts = {
        "response": on_one_line(str(posterior.attrs["response"])),
        "n_features": len(features),
        "threshold": names.VERDICT_PROB,
    }
    if not diagnosis.passed:
        return told | {"failures": " ".join(diagnosis.failures)}
    above: Any = (posterior["coefficient"] > 0).mean(("chain", "draw"))
    p = above.transpose(names.FEATURE).values
    least = names.VERDICT_PROB + 2 * np.sqrt(p * (1 - p) / diagnosis.ess_min)
    up, down = features[p >= least].tolist(), features[1 - p >= least].tolist()
    told |= {"raise": up, "n_raise": len(up), "lower": down, "n_lower": len(down)}
    return told | {"n_sure": len(up) + len(down)}


def set_facts(sets: xr.Dataset) -> Facts:
    """Of `features.compare`.

    response, n_sets; best, the set with the highest r2 (r2_se) in rows not seen; of several r2_best
    (r2_best_se), with the set chosen anew, picked and picked_share.
    """
    r2 = sets["r2_held_out_chosen"].values
    labels = [on_one_line(str(s)) for s in sets[names.FEATURE_SET].values]
    at = int(np.argmax(r2))
    told: Facts = {
        "response": on_one_line(str(sets.attrs["response"])),
        "n_sets": len(labels),
        "best": labels[at],
        "r2": float(r2[at]),
        "r2_se": float(sets["r2_held_out_chosen_se"].values[at]),
    }
    if len(labels) > 1:
        shares = sets["picked"].values
        told |= {"picked": labels[int(shares.argmax())], "picked_share": float(shares.max())}
        told |= {"r2_best": sets["r2_held_out_best"].item()}
        told |= {"r2_best_se": sets["r2_held_out_best_se"].item()}
    return plain(told)
