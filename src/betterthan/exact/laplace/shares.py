"""A share that differs between clusters, which are Beta-binomial, in many tables at once: the
density of the log odds of its mean given how alike clusters are.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan.exact.laplace.newton import Curved
from betterthan.exact.laplace.rising import Rising
from betterthan.exact.laplace.tables import Alike


@dataclass(frozen=True)
class Shares:
    """Clusters of one share, table by table."""

    won: Rising
    lost: Rising
    both: Rising
    wins: np.ndarray  # (table,), of all clusters and of the prior
    losses: np.ndarray
    alike: Alike

    @classmethod
    def of(
        cls, won: np.ndarray, lost: np.ndarray, prior: tuple[float, float], alike: Alike
    ) -> "Shares":
        """Of won and lost (cluster, table), with a Beta prior of the mean."""
        return cls(
            won=Rising.of(won),
            lost=Rising.of(lost),
            both=Rising.of(won + lost),
            wins=prior[0] + won.sum(0),
            losses=prior[1] + lost.sum(0),
            alike=alike,
        )

    @property
    def start(self) -> np.ndarray:
        """Log odds of all clusters together, (table, 1)."""
        return np.log(self.wins / self.losses)[:, None]

    def log(self, x: np.ndarray, kappa: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Log density of points, each of its table, up to a constant."""
        t = x[:, 0]
        found = self.wins[of] * special.log_expit(t) + self.losses[of] * special.log_expit(-t)
        up, down = kappa * special.expit(t), kappa * special.expit(-t)
        return found + self.won.log(up, of) + self.lost.log(down, of) - self.both.log(kappa, of)

    def curved(self, x: np.ndarray, kappa: np.ndarray, of: np.ndarray) -> Curved:
        """With its slope and less its second derivative."""
        p, q = special.expit(x[:, 0]), special.expit(-x[:, 0])
        (up, up_bend), (down, down_bend) = (
            rising.bent(kappa * share, of) for rising, share in ((self.won, p), (self.lost, q))
        )
        slope = self.wins[of] * q - self.losses[of] * p - q * up + p * down
        bend = -(self.wins[of] + self.losses[of]) * p * q
        bend += p * q * (up + down) + q**2 * up_bend + p**2 * down_bend
        return Curved(self.log(x, kappa, of), slope[:, None], -bend[:, None, None])
