"""Abilities of systems, drawn to their mean by as much as they are alike."""

from typing import Any

import numpy as np

from betterthan import names

SHAPE, RATE = 3.0, 4.0  # of the gamma prior of the spread of abilities: mean 0.75 log odds, rarely above 2


def abilities() -> Any:
    """PyMC variables ``ability_sd`` and ``ability`` (system), which sum to zero.

    NUTS moves on abilities over the square root of their spread. On the abilities themselves a system that won
    everything mixes badly, on abilities over their spread all systems do that have many examples.
    """
    import pymc as pm

    sd: Any = pm.Gamma("ability_sd", SHAPE, RATE)
    half: Any = pm.ZeroSumNormal("ability_raw", sd**0.5, dims=names.SYSTEM)
    return pm.Deterministic("ability", half * sd**0.5, dims=names.SYSTEM)


def draw_abilities(systems: int, random: np.random.Generator) -> tuple[float, np.ndarray]:
    """A spread and abilities from the prior."""
    sd = random.gamma(SHAPE, 1 / RATE)
    ability = random.normal(size=systems) * sd
    return sd, ability - ability.mean()
