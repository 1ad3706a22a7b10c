"""Abilities of systems, drawn to their mean by as much as they are alike."""

from typing import Any

import numpy as np

from betterthan import names

SHAPE, RATE = 3.0, 4.0  # of the gamma prior of the spread of abilities: mean 0.75 log odds, rarely above 2
_DISCOUNT = 0.5  # of what an example says of an ability, for items and opponents are not known either


def abilities(won: np.ndarray, tried: np.ndarray) -> Any:
    """PyMC variables ``ability_sd`` and ``ability`` (system), which sum to zero.

    NUTS moves on each ability over a power of their spread: 0 for a system whose examples say much of it, towards 1 for
    one that won or lost nearly everything. On powers that are all 0 the latter mix badly, on powers of 1 the former.

    Parameters
    ----------
    won, tried : numpy.ndarray, (system,)
        What was won, a tie being half, of how many; they choose the powers and nothing else.
    """
    import pymc as pm
    import pytensor.tensor as pt

    sd: Any = pm.Gamma("ability_sd", SHAPE, RATE)
    share = (won + 0.5) / (tried + 1)
    power = 1 / (1 + _DISCOUNT * (SHAPE / RATE) ** 2 * tried * share * (1 - share))
    raw: Any = pm.Normal("ability_raw", 0.0, sd ** (1 - power), dims=names.SYSTEM)
    each: Any = raw * sd**power
    return pm.Deterministic("ability", each - pt.mean(each), dims=names.SYSTEM)


def draw_abilities(systems: int, random: np.random.Generator) -> tuple[float, np.ndarray]:
    """A spread and abilities from the prior."""
    sd = random.gamma(SHAPE, 1 / RATE)
    ability = random.normal(size=systems) * sd
    return sd, ability - ability.mean()
