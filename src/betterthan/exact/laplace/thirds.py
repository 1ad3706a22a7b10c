"""Wins, losses and ties that differ between groups, which are Dirichlet-multinomial, in many tables
at once: the density of their mean given how alike groups are.

The mean stands as log odds of a win among decisive examples, and of a decisive one among all.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan.exact.laplace.newton import Curved
from betterthan.exact.laplace.rising import Rising
from betterthan.exact.laplace.tables import Alike


@dataclass(frozen=True)
class Thirds:
    """Groups of three outcomes, table by table."""

    by_outcome: tuple[Rising, Rising, Rising]  # wins, losses and ties
    all: Rising
    sums: np.ndarray  # (outcome, table), of all groups and of the prior
    alike: Alike

    @classmethod
    def from_counts(cls, values: np.ndarray, prior: tuple[float, ...], alike: Alike) -> "Thirds":
        """From values (group, table, outcome), with a Dirichlet prior of the mean."""
        win, loss, tie = (Rising.from_counts(part) for part in np.moveaxis(values, -1, 0))
        return cls(
            by_outcome=(win, loss, tie),
            all=Rising.from_counts(values.sum(-1)),
            sums=np.array(prior)[:, None] + values.sum(0).T,
            alike=alike,
        )

    @property
    def start(self) -> np.ndarray:
        """Log odds of all groups together, (table, 2)."""
        win, loss, tie = self.sums
        return np.stack([np.log(win / loss), np.log((win + loss) / tie)], axis=-1)

    def log(self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Log density of points, each of its table, up to a constant."""
        win, loss, tie = self.sums[:, table]
        up, down = special.log_expit(x).T, special.log_expit(-x).T
        log = win * up[0] + loss * down[0] + (win + loss) * up[1] + tie * down[1]
        for rising, share in zip(self.by_outcome, mean_probabilities(x).T, strict=True):
            log += rising.log(kappa * share, table)
        return log - self.all.log(kappa, table)

    def curved(self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray) -> Curved:
        """With its slope and less its second derivatives."""
        (p, s), (q, u) = special.expit(x).T, special.expit(-x).T
        (win, loss, tie), (win_bend, loss_bend, tie_bend) = self._by_log_mean(x, kappa, table)
        slope = np.stack([win * q - loss * p, (win + loss) * u - tie * s], axis=-1)
        down = np.empty((len(x), 2, 2))
        down[:, 0, 0] = (win + loss) * p * q - q**2 * win_bend - p**2 * loss_bend
        down[:, 1, 1] = (win + loss + tie) * s * u - u**2 * (win_bend + loss_bend) - s**2 * tie_bend
        down[:, 0, 1] = down[:, 1, 0] = u * (p * loss_bend - q * win_bend)
        return Curved(self.log(x, kappa, table), slope, down)

    def _by_log_mean(
        self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Slopes by log mu of win, loss and tie, and second derivatives, (outcome, point)."""
        steps = zip(self.by_outcome, mean_probabilities(x).T, strict=True)
        bent = [rising.bent(kappa * mu, table) for rising, mu in steps]
        first, second = (np.stack(part) for part in zip(*bent, strict=True))
        return self.sums[:, table] - first, second


def mean_probabilities(x: np.ndarray) -> np.ndarray:
    """Probabilities of win, loss and tie, (..., outcome), at their log odds (..., 2)."""
    (p, s), (q, tie) = (np.moveaxis(special.expit(sign * x), -1, 0) for sign in (1, -1))
    return np.stack([s * p, s * q, tie], axis=-1)
