"""The section on what was sampled, and whether it converged."""

import numpy as np

from betterthan import names
from betterthan.results.context import Shown
from betterthan.results.document import Part
from betterthan.results.engines import ENGINES


def diagnostics_part(shown: Shown) -> Part:
    """Sampler, convergence, and the distance from the closed form where both were computed."""
    made, beside = shown.made, sampled_beside(shown)
    if made.rhat_max is not None:
        return Part("Diagnostics", [*_of_chains(shown), *_against_closed_form(shown), *beside])
    if made.pareto_k is not None:
        return Part("Diagnostics", facts=[*_of_weights(shown), *beside])
    if made.draws is not None:
        drawn = ("Draws", f"{made.draws:,}, independent, seed {made.seed}")
        return Part("Diagnostics", facts=[drawn, *beside])
    nothing = "nothing was sampled, so there is nothing to diagnose"
    if beside:
        nothing = (
            "pairs were not sampled; what was are independent draws, ± their Monte Carlo error"
        )
    return Part("Diagnostics", facts=[("Closed form", nothing), *beside])


def sampled_beside(shown: Shown) -> list[tuple[str, str]]:
    """What was sampled beside the answers on pairs, and in how many draws."""
    made, whole, found = shown.made, shown.whole, []
    if made.joint_model == names.AMONG_ALL and "prob_best" in whole:
        draws = f"{made.joint_draws:,} draws of the joint posterior, seed {made.joint_seed}"
        found.append(("P(best) and ranks", draws))
    if made.randomization_method == "monte_carlo":
        shuffled = f"{made.shuffles:,} random permutations, seed {made.shuffle_seed}"
        found.append(("Randomization p", shuffled))
    return found


def computed_by(shown: Shown, engine: str, how_well: str = "") -> str:
    """How an engine computes, and how well; what beside a closed form was sampled all the same."""
    how = ENGINES[engine].how if engine in ENGINES else engine
    if engine != "exact":
        return f"{how}{how_well}"
    beside = [f"; {what} from {draws}" for what, draws in sampled_beside(shown)]
    return "".join([how, " on pairs" if beside else "", how_well, *beside])


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
