"""Effects drawn to their mean by as much as they are alike, on coordinates that sample well."""

from typing import Any

import numpy as np

from betterthan import names
from betterthan.models import importance
from betterthan.models.importance import Values

# of the gamma prior of the spread of abilities: mean 0.75 log odds, rarely above 2
SHAPE, RATE = 3.0, 4.0
# of what an example says of an ability, for items and opponents are not known either
_DISCOUNT = 0.5


def effects(name: str, sd: Any, information: Any, pull: Any, dims: Any) -> Any:
    """PyMC variable ``name_raw``, and the effects ~ Normal(0, sd) that it stands for.

    NUTS moves on each effect less its conditional posterior mean, over its conditional posterior
    width, both from a normal curve near to what the data say: about standard normal, whether they
    say much of an effect or little.

    Parameters
    ----------
    name : str
    sd : tensor
    information, pull : tensor
        Precision of what the data say of each effect, and precision times estimate; they choose the
        coordinates and nothing else.
    dims : str or tuple of str
    """
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    width: Any = pt.reciprocal(pt.sqrt(1 / sd**2 + information))
    mean = width**2 * pull
    return mean + width * pm.Normal(f"{name}_raw", -mean / width, sd / width, dims=dims)


def log_odds(
    name: str, sd: Any, won: np.ndarray, tried: np.ndarray, dims: str, discount: float = 1.0
) -> Any:
    """Effects on log odds, which sum to zero.

    Parameters
    ----------
    name, sd, dims
        See `effects`.
    won, tried : numpy.ndarray
        What was won, a tie being half, of how many: 0 and all of them are fine.
    discount : float, default 1
        Of what one of them says.
    """
    import pytensor.tensor as pt

    raw = effects(name, sd, *_normal_approximation(won, tried, discount), dims)
    return raw - pt.mean(raw)


def free(
    effects: np.ndarray, sd: np.ndarray, won: np.ndarray, tried: np.ndarray, discount: float = 1.0
) -> np.ndarray:
    """What ``name_raw`` of `log_odds` is at effects (draw, effect) that need not sum to zero, of
    spread sd (draw,).
    """
    information, pull = _normal_approximation(won, tried, discount)
    width = 1 / np.sqrt(1 / sd[:, None] ** 2 + information)
    return effects / width - width * pull


def free_abilities(
    ability: np.ndarray, sd: np.ndarray, won: np.ndarray, tried: np.ndarray
) -> np.ndarray:
    """What ``ability_raw`` of `abilities` is at abilities (draw, system) that need not sum to
    zero.
    """
    return free(ability, sd, won, tried, _DISCOUNT)


def log_prior(
    raw: np.ndarray, sd: np.ndarray, won: np.ndarray, tried: np.ndarray, discount: float = 1.0
) -> np.ndarray:
    """Log density of ``name_raw`` (draw, effect) of `log_odds`, given spreads sd (draw,)."""
    information, pull = _normal_approximation(won, tried, discount)
    width = 1 / np.sqrt(1 / sd[:, None] ** 2 + information)
    return importance.normal(raw, -width * pull, sd[:, None] / width)


def abilities_log_prior(
    values: Values, won: np.ndarray, tried: np.ndarray
) -> dict[str, np.ndarray]:
    """Log prior densities of the variables of `abilities`."""
    raw, sd = values["ability_raw"], values["ability_sd"]
    return {
        "ability_raw": log_prior(raw, sd, won, tried, _DISCOUNT),
        "ability_sd": importance.gamma(sd, SHAPE, RATE),
    }


def _normal_approximation(
    won: np.ndarray, tried: np.ndarray, discount: float
) -> tuple[np.ndarray, np.ndarray]:
    """Information on each effect, and information times estimate, of a normal curve near to the
    likelihood.
    """
    share = (won + 0.5) / (tried + 1)
    information = discount * tried * share * (1 - share)
    odds = np.log(share / (1 - share))
    return information, information * (odds - odds.mean())


def abilities(won: np.ndarray, tried: np.ndarray) -> Any:
    """PyMC variables ``ability_sd`` and ``ability`` (system), which sum to zero.

    Parameters
    ----------
    won, tried : numpy.ndarray, (system,)
        What was won, a tie being half, of how many.
    """
    from betterthan.libraries import pm

    sd: Any = pm.Gamma("ability_sd", SHAPE, RATE)
    ability = log_odds("ability", sd, won, tried, names.SYSTEM, _DISCOUNT)
    return pm.Deterministic("ability", ability, dims=names.SYSTEM)


def draw_abilities(systems: int, random: np.random.Generator) -> tuple[float, np.ndarray]:
    """A spread and abilities from the prior."""
    sd = random.gamma(SHAPE, 1 / RATE)
    ability = random.normal(size=systems) * sd
    return sd, ability - ability.mean()
