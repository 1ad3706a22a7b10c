"""Normal priors of parameters whose spread has a prior of its own, in coordinates in which that is
standard normal.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

Spread = Callable[[np.ndarray], np.ndarray]
_EDGE = 1e-9


def gamma(shape: float, rate: float) -> Spread:
    """A gamma variable as a function of a standard normal one."""
    return lambda v: (
        np.where(
            v < 0,
            special.gammaincinv(shape, special.ndtr(np.minimum(v, 0.0))),
            special.gammainccinv(shape, special.ndtr(-np.maximum(v, 0.0))),
        )
        / rate
    )


def log_normal(centre: float, sd: float) -> Spread:
    """A log-normal variable of a standard normal one."""
    return lambda v: np.exp(centre + sd * v)


def beta(a: float, b: float) -> Spread:
    """A beta variable of a standard normal one, not nearer to 0 or 1 than 1e-9."""

    def spread(v: np.ndarray) -> np.ndarray:
        low = special.betaincinv(a, b, special.ndtr(np.minimum(v, 0.0)))
        high = special.betainccinv(a, b, special.ndtr(-np.maximum(v, 0.0)))
        return np.clip(np.where(v < 0, low, high), _EDGE, 1 - _EDGE)

    return spread


def half_normal(sd: float) -> Spread:
    """A half-normal variable of a standard normal one."""
    return lambda v: -sd * special.ndtri(special.ndtr(-v) / 2)


def _normal(moments: np.ndarray, number: int, random: np.random.Generator) -> np.ndarray:
    """Draws of means and standard deviations (parameter, 2)."""
    return moments[:, 0] + moments[:, 1] * random.standard_normal((number, len(moments)))


@dataclass(frozen=True)
class Around:
    """Abilities of a spread around a mean that has its own prior, and more parameters.

    The parameters are mean + ability of each system, where abilities sum to zero, and the rest.
    """

    systems: int
    spread: Spread
    mean_sd: float
    others: np.ndarray  # (parameter, 2): mean and standard deviation

    @property
    def spreads(self) -> int:
        """One."""
        return 1

    @property
    def centre(self) -> np.ndarray:
        """(parameter,)."""
        return np.append(np.zeros(self.systems), self.others[:, 0])

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Of both, (draw, spread) and (draw, parameter)."""
        v = random.standard_normal((number, 1))
        ability = self.spread(v) * random.standard_normal((number, self.systems))
        mean = self.mean_sd * random.standard_normal((number, 1))
        abilities = mean + ability - ability.mean(1, keepdims=True)
        return v, np.hstack([abilities, _normal(self.others, number, random)])

    def log(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(point,), up to a constant."""
        sd, (abilities, others) = self.spread(v[:, 0]), np.split(x, [self.systems], axis=1)
        mean = abilities.mean(1)
        squared = ((abilities - mean[:, None]) ** 2).sum(1) / sd**2
        squared_others = (((others - self.others[:, 0]) / self.others[:, 1]) ** 2).sum(1)
        squares = v[:, 0] ** 2 + squared + (mean / self.mean_sd) ** 2 + squared_others
        return -squares / 2 - (self.systems - 1) * np.log(sd)

    def precision(self, v: np.ndarray) -> np.ndarray:
        """(point, parameter, parameter)."""
        n = self.systems
        precision = np.zeros((len(v), n + len(self.others), n + len(self.others)))
        sd = self.spread(v[:, 0])[:, None, None]
        precision[:, :n, :n] = (np.eye(n) - 1 / n) / sd**2 + 1 / (n * self.mean_sd) ** 2
        index = np.arange(n, n + len(self.others))
        precision[:, index, index] = self.others[:, 1] ** -2.0
        return precision


@dataclass(frozen=True)
class Effects:
    """Effects of several kinds around 0, each kind with a spread of its own, and more parameters.

    The parameters are the effects, kind by kind, and the rest.
    """

    kinds: tuple[tuple[int, Spread], ...]  # how many effects there are, and their spread
    others: np.ndarray  # (parameter, 2): mean and standard deviation

    @property
    def spreads(self) -> int:
        """How many."""
        return len(self.kinds)

    @property
    def centre(self) -> np.ndarray:
        """(parameter,)."""
        return np.append(np.zeros(sum(n for n, _ in self.kinds)), self.others[:, 0])

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Of both, (draw, spread) and (draw, parameter)."""
        v = random.standard_normal((number, self.spreads))
        effects = [
            spread(column)[:, None] * random.standard_normal((number, n))
            for column, (n, spread) in zip(v.T, self.kinds, strict=True)
        ]
        return v, np.hstack([*effects, _normal(self.others, number, random)])

    def log(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(point,), up to a constant."""
        *groups, others = np.split(x, np.cumsum([n for n, _ in self.kinds]), axis=1)
        squares = (((others - self.others[:, 0]) / self.others[:, 1]) ** 2).sum(1) + (v**2).sum(1)
        log = -squares / 2
        for effects, column, (n, spread) in zip(groups, v.T, self.kinds, strict=True):
            sd = spread(column)
            log -= n * np.log(sd) + (effects**2).sum(1) / (2 * sd**2)
        return log

    def precision(self, v: np.ndarray) -> np.ndarray:
        """(point, parameter, parameter)."""
        blocks = [
            np.repeat(spread(column)[:, None] ** -2.0, n, axis=1)
            for column, (n, spread) in zip(v.T, self.kinds, strict=True)
        ]
        others = np.broadcast_to(self.others[:, 1] ** -2.0, (len(v), len(self.others)))
        diagonal = np.concatenate([*blocks, others], axis=1)
        return diagonal[:, :, None] * np.eye(diagonal.shape[1])
