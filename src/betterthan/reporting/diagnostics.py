"""The section on what was sampled, and whether it converged."""

import numpy as np

from betterthan import names
from betterthan.reporting.page import Part
from betterthan.reporting.shown import Shown


def diagnostics_part(shown: Shown) -> Part:
    """Sampler, convergence, and the distance from the closed form where both were computed."""
    made = shown.made
    if made.rhat_max is not None:
        return Part("Diagnostics", facts=[*_of_chains(shown), *_against_closed_form(shown)])
    if made.pareto_k is not None:
        return Part("Diagnostics", facts=_of_weights(shown))
    if made.draws is None:
        nothing = "nothing was sampled, so there is nothing to diagnose"
        return Part("Diagnostics", facts=[("Closed form", nothing)])
    return Part("Diagnostics", facts=[("Draws", f"{made.draws:,}, independent, seed {made.seed}")])


def _of_weights(shown: Shown) -> list[tuple[str, str]]:
    made = shown.made
    number = (made.chains or 1) * (made.draws or 0)
    failed = f"FAILED, so no verdict is given: {' '.join(made.failures or ())}"
    return [
        ("Draws", f"{made.inference_library}, {number:,} draws, seed {made.seed}"),
        ("k-hat of the weights", f"{made.pareto_k:.2f} (limit {names.PARETO_K_MAX:g})"),
        ("Worth of the weighted draws", f"{made.ess_min:.0f} (limit {names.ESS_MIN})"),
        ("Checks of the weights", failed if made.failures else "passed"),
    ]


def _of_chains(shown: Shown) -> list[tuple[str, str]]:
    made = shown.made
    chains = f"{made.chains} chains of {made.draws} draws, seed {made.seed}"
    failed = f"FAILED, so no verdict is given: {' '.join(made.failures or ())}"
    return [
        ("Sampler", f"{made.inference_library}, {chains}"),
        ("Worst R-hat", f"{made.rhat_max:.3f} (limit {names.RHAT_MAX:g})"),
        ("Smallest effective sample size", f"{made.ess_min:.0f} (limit {names.ESS_MIN})"),
        ("Divergences", f"{made.divergences}"),
        ("Convergence checks", failed if made.failures else "passed"),
    ]


def _against_closed_form(shown: Shown) -> list[tuple[str, str]]:
    if "z" not in shown.engines:
        return []
    worst = float(np.nanmax(np.abs(shown.engines["z"].values)))
    told = f"largest distance {worst:.1f} Monte Carlo standard errors"
    return [("Against the closed form", told)]
