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
    def from_counts(
        cls, won: np.ndarray, lost: np.ndarray, prior: tuple[float, float], alike: Alike
    ) -> "Shares":
        """From won and lost (cluster, table), with a Beta prior of the mean."""
        return cls(
            won=Rising.from_counts(won),
            lost=Rising.from_counts(lost),
            both=Rising.from_counts(won + lost),
            wins=prior[0] + won.sum(0),
            losses=prior[1] + lost.sum(0),
            alike=alike,
        )

    @property
    def start(self) -> np.ndarray:
        """Log odds of all clusters together, (table, 1)."""
        return np.log(self.wins / self.losses)[:, None]

    def log(self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Log density of points, each of its table, up to a constant."""
        t = x[:, 0]
        log = self.wins[table] * special.log_expit(t) + self.losses[table] * special.log_expit(-t)
        up, down = kappa * special.expit(t), kappa * special.expit(-t)
        return (
            log + self.won.log(up, table) + self.lost.log(down, table) - self.both.log(kappa, table)
        )

    def curved(self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray) -> Curved:
        """With its slope and less its second derivative."""
        p, q = special.expit(x[:, 0]), special.expit(-x[:, 0])
        (up, up_bend), (down, down_bend) = (
            rising.bent(kappa * share, table) for rising, share in ((self.won, p), (self.lost, q))
        )
        slope = self.wins[table] * q - self.losses[table] * p - q * up + p * down
        bend = -(self.wins[table] + self.losses[table]) * p * q
        bend += p * q * (up + down) + q**2 * up_bend + p**2 * down_bend
        return Curved(self.log(x, kappa, table), slope[:, None], -bend[:, None, None])
