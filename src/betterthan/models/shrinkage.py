"""Abilities of systems, drawn to their mean by as much as they are alike."""

from typing import Any

import numpy as np

from betterthan import names

# of the gamma prior of the spread of abilities: mean 0.75 log odds, rarely above 2
SHAPE, RATE = 3.0, 4.0
# of what an example says of an ability, for items and opponents are not known either
_DISCOUNT = 0.5


def abilities(won: np.ndarray, tried: np.ndarray) -> Any:
    """PyMC variables ``ability_sd`` and ``ability`` (system), which sum to zero.

    NUTS moves on each ability less its conditional posterior mean, over its conditional posterior
    width, both from a normal curve near to what the examples say: about standard normal whether
    systems differ much or not at all, and for a system that won everything.

    Parameters
    ----------
    won, tried : numpy.ndarray, (system,)
        What was won, a tie being half, of how many; they choose the coordinates and nothing else.
    """
    import pymc as pm
    import pytensor.tensor as pt

    sd: Any = pm.Gamma("ability_sd", SHAPE, RATE)
    share = (won + 0.5) / (tried + 1)
    information = _DISCOUNT * tried * share * (1 - share)
    odds = np.log(share / (1 - share))
    width: Any = pt.reciprocal(pt.sqrt(1 / sd**2 + information))
    mean = width**2 * information * (odds - odds.mean())
    raw: Any = pm.Normal("ability_raw", -mean / width, sd / width, dims=names.SYSTEM)
    each: Any = mean + width * raw
    return pm.Deterministic("ability", each - pt.mean(each), dims=names.SYSTEM)


def draw_abilities(systems: int, random: np.random.Generator) -> tuple[float, np.ndarray]:
    """A spread and abilities from the prior."""
    sd = random.gamma(SHAPE, 1 / RATE)
    ability = random.normal(size=systems) * sd
    return sd, ability - ability.mean()
