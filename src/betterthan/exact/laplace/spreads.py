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

    def found(v: np.ndarray) -> np.ndarray:
        low = special.betaincinv(a, b, special.ndtr(np.minimum(v, 0.0)))
        high = special.betainccinv(a, b, special.ndtr(-np.maximum(v, 0.0)))
        return np.clip(np.where(v < 0, low, high), _EDGE, 1 - _EDGE)

    return found


def half_normal(sd: float) -> Spread:
    """A half-normal variable of a standard normal one."""
    return lambda v: -sd * special.ndtri(special.ndtr(-v) / 2)


def _normal(of: np.ndarray, number: int, random: np.random.Generator) -> np.ndarray:
    """Draws of means and standard deviations (parameter, 2)."""
    return of[:, 0] + of[:, 1] * random.standard_normal((number, len(of)))


@dataclass(frozen=True)
class Around:
    """Abilities of a spread around a mean that has its own prior, and more parameters.

    The parameters are mean + ability of each system, where abilities sum to zero, and the rest.
    """

    systems: int
    spread: Spread
    mean_sd: float
    rest: np.ndarray  # (parameter, 2): mean and standard deviation

    @property
    def spreads(self) -> int:
        """One."""
        return 1

    @property
    def centre(self) -> np.ndarray:
        """(parameter,)."""
        return np.append(np.zeros(self.systems), self.rest[:, 0])

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Of both, (draw, spread) and (draw, parameter)."""
        v = random.standard_normal((number, 1))
        ability = self.spread(v) * random.standard_normal((number, self.systems))
        mean = self.mean_sd * random.standard_normal((number, 1))
        each = mean + ability - ability.mean(1, keepdims=True)
        return v, np.hstack([each, _normal(self.rest, number, random)])

    def log(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(point,), up to a constant."""
        sd, (each, rest) = self.spread(v[:, 0]), np.split(x, [self.systems], axis=1)
        mean = each.mean(1)
        apart = ((each - mean[:, None]) ** 2).sum(1) / sd**2
        of_rest = (((rest - self.rest[:, 0]) / self.rest[:, 1]) ** 2).sum(1)
        squares = v[:, 0] ** 2 + apart + (mean / self.mean_sd) ** 2 + of_rest
        return -squares / 2 - (self.systems - 1) * np.log(sd)

    def precision(self, v: np.ndarray) -> np.ndarray:
        """(point, parameter, parameter)."""
        n = self.systems
        found = np.zeros((len(v), n + len(self.rest), n + len(self.rest)))
        sd = self.spread(v[:, 0])[:, None, None]
        found[:, :n, :n] = (np.eye(n) - 1 / n) / sd**2 + 1 / (n * self.mean_sd) ** 2
        at = np.arange(n, n + len(self.rest))
        found[:, at, at] = self.rest[:, 1] ** -2.0
        return found


@dataclass(frozen=True)
class Effects:
    """Effects of several kinds around 0, each kind with a spread of its own, and more parameters.

    The parameters are the effects, kind by kind, and the rest.
    """

    kinds: tuple[tuple[int, Spread], ...]  # how many effects there are, and their spread
    rest: np.ndarray  # (parameter, 2): mean and standard deviation

    @property
    def spreads(self) -> int:
        """How many."""
        return len(self.kinds)

    @property
    def centre(self) -> np.ndarray:
        """(parameter,)."""
        return np.append(np.zeros(sum(n for n, _ in self.kinds)), self.rest[:, 0])

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Of both, (draw, spread) and (draw, parameter)."""
        v = random.standard_normal((number, self.spreads))
        each = [
            spread(own)[:, None] * random.standard_normal((number, n))
            for own, (n, spread) in zip(v.T, self.kinds, strict=True)
        ]
        return v, np.hstack([*each, _normal(self.rest, number, random)])

    def log(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(point,), up to a constant."""
        *each, rest = np.split(x, np.cumsum([n for n, _ in self.kinds]), axis=1)
        squares = (((rest - self.rest[:, 0]) / self.rest[:, 1]) ** 2).sum(1) + (v**2).sum(1)
        found = -squares / 2
        for effects, own, (n, spread) in zip(each, v.T, self.kinds, strict=True):
            sd = spread(own)
            found -= n * np.log(sd) + (effects**2).sum(1) / (2 * sd**2)
        return found

    def precision(self, v: np.ndarray) -> np.ndarray:
        """(point, parameter, parameter)."""
        of_each = [
            np.repeat(spread(own)[:, None] ** -2.0, n, axis=1)
            for own, (n, spread) in zip(v.T, self.kinds, strict=True)
        ]
        rest = np.broadcast_to(self.rest[:, 1] ** -2.0, (len(v), len(self.rest)))
        diagonal = np.concatenate([*of_each, rest], axis=1)
        return diagonal[:, :, None] * np.eye(diagonal.shape[1])
