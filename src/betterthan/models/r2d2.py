"""Coefficients shrunk together by a prior on R2, the share of variance that they explain.

Zhang and others (2022), doi:10.1080/01621459.2020.1825449.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan import checks, names


def r2_prior(values: Sequence[float]) -> tuple[float, float]:
    """The two parameters of a Beta."""
    numbers = tuple(checks.positive(values, "prior_r2").reshape(-1).tolist())
    if len(numbers) != 2:
        raise ValueError(
            f"prior_r2 has {checks.numbered(len(numbers), 'number')}; give the two parameters of a "
            "Beta"
        )
    return numbers[0], numbers[1]


def coefficients(r2: Any, sigma: Any, features: int, rows: Any) -> Any:
    """Standardised coefficients whose prior variance is what R2 leaves them, split by the
    shares.
    """
    import pymc as pm

    share: Any = np.ones(1)
    if features > 1:
        share = pm.Dirichlet("share", np.ones(features), dims=names.FEATURE)
    raw = effects("raw", pm.math.sqrt(r2 / (1 - r2) * share), rows, names.FEATURE)
    return pm.Deterministic("standardised", sigma * raw, dims=names.FEATURE)


def draw(
    prior: Sequence[float], features: int, random: np.random.Generator
) -> tuple[float, np.ndarray]:
    """R2, and the prior standard deviations of the coefficients over that of the noise."""
    r2, share = random.beta(*prior), random.dirichlet(np.ones(features))  # type: ignore
    return r2, np.sqrt(r2 / (1 - r2) * share)


def effects(name: str, width: Any, rows: Any, dim: str) -> Any:
    """Normal effects of this width (in units of the noise), each seen in so many rows.

    NUTS moves on the effect over its conditional posterior width: well behaved when the rows tell
    much (where an effect over its prior width is not) and when they tell little (where the effect
    itself is not).
    """
    import pymc as pm

    growth = pm.math.sqrt(1 + rows * width**2)
    return pm.Normal(name, 0.0, growth, dims=dim) * width / growth
