"""Beliefs about the items before they are run: a Dirichlet, a pilot, or fixed probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.planning.verdicts import Items
from betterthan.plan.given import read_pairs


@dataclass(frozen=True)
class Design:
    """The next items, and the counts they come from."""

    items: Items
    pilot: np.ndarray | None = None  # (rows, 3) or (rows, 2)

    @property
    def rows(self) -> int:
        """Pairs."""
        return len(self.items.parts)

    @property
    def decisive_share(self) -> float:
        """How many of the items are expected to be won or lost."""
        parts = self.items.parts[0]
        return float(parts[:2].sum() / parts.sum())

    def pilot_counts(self, keep: bool) -> np.ndarray:
        """Return the pilot counts if the verdict includes them, else zeros."""
        if not keep:
            return np.zeros(self.items.parts.shape, np.int64)
        if self.pilot is None:
            raise ValueError("keep=True needs a pilot's items; give its counts as design")
        return self.pilot


def check_design(design: Any, theta: Any, rope: float) -> Design:
    """What is believed, checked; a rope needs ties."""
    if theta is not None:
        if not (isinstance(design, str) and design == "uniform"):
            raise ValueError("theta is given and design, too; give one of the two")
        checked_design = Design(Items(_theta(theta), fixed=True))
    elif isinstance(design, xr.DataArray):
        pairs = read_pairs(design, None, rope)
        checked_design = Design(Items(pairs.posterior), pairs.counts)
    else:
        checked_design = Design(Items(np.array([_numbers(design)])))
    if checks.rope(rope) and checked_design.items.parts.shape[1] == 2:
        raise ValueError("a rope needs the ties; give win, loss and tie")
    return checked_design


def _numbers(design: Any) -> tuple[float, ...]:
    """Dirichlet or Beta parameters."""
    length = 2 if not isinstance(design, str) and np.shape(design) == (2,) else 3
    if design is None or not (isinstance(design, str) or np.shape(design) in ((2,), (3,))):
        raise ValueError(
            f"design is {checks.shown(design)}; give counts of a pilot, a name "
            f"({', '.join(names.PRIORS)}), or one number for win, loss and tie"
        )
    try:
        return checks.prior(design, length)
    except ValueError as wrong:
        raise ValueError(str(wrong).replace("prior", "design")) from None


def _theta(theta: Any) -> np.ndarray:
    """Probabilities of win, loss and tie, or of win and loss."""
    if isinstance(theta, str) or np.shape(theta) not in ((2,), (3,)):
        raise ValueError(
            f"theta is {checks.shown(theta)}; give the probabilities of win, loss and tie"
        )
    probabilities = np.array([checks.real(p, "theta") for p in theta])
    if (
        not (np.isfinite(probabilities) & (probabilities >= 0)).all()
        or abs(probabilities.sum() - 1) > 1e-9
    ):
        text = ", ".join(f"{p:g}" for p in probabilities)
        raise ValueError(f"theta is ({text}); give probabilities that add up to 1")
    return probabilities[None]
