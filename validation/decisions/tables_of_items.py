"""Simulated scores (item, system) of many systems, and the true mean of each system."""

from dataclasses import dataclass

import numpy as np
from scipy import special

DIFFICULTY = 1.5  # standard deviation over items, in log odds
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(81)


@dataclass(frozen=True, kw_only=True)
class Scores:
    """One simulated set: scores; which unit an item is of; true means."""

    values: np.ndarray  # (item, system)
    unit: np.ndarray  # (item,), numbered from 0
    truth: np.ndarray  # (system,)


@dataclass(frozen=True, kw_only=True)
class Rasch:
    """Systems of normal abilities on items of normal difficulty, right or wrong; and what makes
    them less simple.
    """

    systems: int
    items: int
    sd: float = 0.0  # of abilities, in log odds
    apart: float = 0.0  # how far the first system stands above the rest
    groups: int = 1  # of as many systems as can be
    gap: float = 0.0  # from group to group
    heavy: bool = False  # abilities of Student's t of 2 degrees of freedom, times sd
    families: int = 0  # of near copies: a share `copied` of answers is that of the family
    copied: float = 0.0
    opposite: float = (
        0.0  # sd of a skill that helps on one half of the items and harms on the other
    )
    twins: float = 0.0  # sd of what an item is to a family of systems, of two families
    clusters: int = 0  # of items, of equal size
    sizes: tuple[int, ...] = ()  # of clusters, where these are unequal
    together: float = 0.0  # sd of what a cluster is to a system

    def draw(self, random: np.random.Generator) -> Scores:
        """One set."""
        shape = (self.items, self.systems)
        drawn = random.standard_t(2, self.systems) if self.heavy else None
        drawn = random.standard_normal(self.systems) if drawn is None else drawn
        ability = self.sd * drawn + self.gap * (np.arange(self.systems) % self.groups)
        ability[0] += self.apart
        if self.families:
            ability = ability[np.arange(self.systems) % self.families]
        skill = self.opposite * random.standard_normal(self.systems)
        unit = np.arange(self.items) // (self.items // (self.clusters or self.items))
        unit = np.repeat(np.arange(len(self.sizes)), self.sizes) if self.sizes else unit
        logits = ability + skill * self._sign[:, None] + self._of_items(unit, random)
        right = special.expit(logits)
        values = (random.random(shape) < right).astype(float)
        if self.families:
            family = np.arange(self.systems) % self.families
            shared = random.random((self.items, self.families))[:, family] < right
            values = np.where(random.random(shape) < self.copied, shared, values)
        around = np.sqrt(DIFFICULTY**2 + self.twins**2 + self.together**2)
        both = [_mean_right(ability + sign * skill, around) for sign in (1, -1)]
        return Scores(values=values, unit=unit, truth=(both[0] + both[1]) / 2)

    @property
    def _sign(self) -> np.ndarray:
        """Of each item, whether the skill helps or harms."""
        return 1 - 2 * (np.arange(self.items) % 2)

    def _of_items(self, unit: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """How easy each item is, to a family, and its cluster to a system, (item, system)."""
        family = np.arange(self.systems) % 2
        return (
            -DIFFICULTY * random.standard_normal((self.items, 1))
            + self.twins * random.standard_normal((self.items, 2))[:, family]
            + self.together * random.standard_normal((unit[-1] + 1, self.systems))[unit]
        )


@dataclass(frozen=True, kw_only=True)
class Graded:
    """Systems of normal means; noise on each score, normal or lognormal."""

    systems: int
    items: int
    sd: float
    noise: float
    skewed: bool = False

    def draw(self, random: np.random.Generator) -> Scores:
        """One set."""
        truth = self.sd * random.standard_normal(self.systems)
        level = random.standard_normal((self.items, 1))  # an item is hard for all
        noise = random.standard_normal((self.items, self.systems))
        if self.skewed:  # of mean 0 and standard deviation 1, too
            noise = (np.exp(noise) - np.exp(0.5)) / np.sqrt(np.exp(2) - np.exp(1))
        values = truth + level + self.noise * noise
        return Scores(values=values, unit=np.arange(self.items), truth=truth)


def _mean_right(ability: np.ndarray, around: float) -> np.ndarray:
    """Of each system the share right, over items whose log odds lie normally around its ability."""
    mean = special.expit(ability[:, None] + around * _NODES) @ _WEIGHTS / _WEIGHTS.sum()
    return np.round(mean, 12)  # equal systems are equal
