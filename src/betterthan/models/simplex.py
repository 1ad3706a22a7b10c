"""Three probabilities on coordinates that are independent in prior and posterior, how alike groups
of them are, and draws of them.
"""

from typing import Any

import numpy as np

from betterthan.exact.wins.clusters import KAPPA, STRETCH


def decisive_first() -> Any:
    """A PyMC transform: log odds of win against loss, and of either against tie.

    On PyMC's own simplex coordinates a pair with many examples but hardly a tie (100000, 99500, 1)
    mixes so badly that the gate refuses it; here it has the effective draws of any other pair.
    """
    import pytensor.tensor as pt
    from pymc.distributions.transforms import Transform

    class DecisiveFirst(Transform):
        name = "decisivefirst"  # PyMC cuts the name of the variable at an underscore

        def forward(self, value: Any, *inputs: Any) -> Any:
            win, loss, tie = (value[..., k] for k in range(3))
            odds: list[Any] = [pt.log(win / loss), pt.log((win + loss) / tie)]
            return pt.stack(odds, axis=-1)

        def backward(self, value: Any, *inputs: Any) -> Any:
            share, decisive = value[..., 0], value[..., 1]
            some: Any = pt.sigmoid(decisive)
            parts: list[Any] = [
                some * pt.sigmoid(share),
                some * pt.sigmoid(-share),
                pt.sigmoid(-decisive),
            ]
            return pt.stack(parts, axis=-1)

        def log_jac_det(self, value: Any, *inputs: Any) -> Any:
            share, decisive = value[..., 0], value[..., 1]
            # p (1 - p) s^2 (1 - s), where log sigmoid(x) = -softplus(-x)
            parts: list[Any] = [
                pt.softplus(part) for part in (share, -share, decisive, -decisive, -decisive)
            ]
            return -sum(parts)

    return DecisiveFirst()


def concentration(correlation: Any) -> Any:
    """Kappa = 1 / correlation - 1, kept between 1e-9 and 1e6.

    Beyond that groups are alike, or all of one kind, to all digits asked for; and the difference of
    log gamma functions would be rounding alone, in which a chain can get caught.
    """
    import pytensor.tensor as pt

    kappa: Any = 1 / correlation - 1
    return pt.clip(kappa, *KAPPA)


def alike(name: str, a: float, b: float, dims: str) -> Any:
    """Kappa of a correlation ~ Beta(a, b), which is `name`; its logit is 6 sinh ``name_raw``.

    A prior with mass near 0 and 1 has a logit with long tails, in which NUTS makes many steps; and
    the gradient is none by way of a correlation that is 1 to all digits.
    """
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    raw: Any = pm.CustomDist(
        f"{name}_raw", a, b, logp=_raw_log_density, random=_draw_raw, dims=dims
    )
    logit = _logit(raw)
    pm.Deterministic(name, pm.math.sigmoid(logit), dims=dims)
    # clipped first: of a number that overflowed there is no gradient
    return pt.exp(pt.clip(-logit, *np.log(KAPPA)))


def _logit(raw: Any) -> Any:
    import pytensor.tensor as pt

    stretched: Any = pt.sinh(raw)
    return STRETCH * stretched


def _raw_log_density(raw: Any, a: Any, b: Any) -> Any:
    """Log density of the raw coordinate, up to a constant."""
    import pytensor.tensor as pt

    logit = _logit(raw)
    both: list[Any] = [pt.softplus(-logit), pt.softplus(logit), pt.log(pt.cosh(raw))]
    return both[2] - a * both[0] - b * both[1]


def _draw_raw(a: Any, b: Any, rng: Any = None, size: Any = None) -> np.ndarray:
    return np.arcsinh(draw_log_odds(a, b, rng, size) / STRETCH)


def draw_log_odds(a: Any, b: Any, rng: Any, size: Any) -> np.ndarray:
    """Log odds of Beta variables."""
    # Gamma(a) = Gamma(a + 1) U^(1/a), in logarithms
    log = [np.log(rng.standard_gamma(k + 1, size)) + np.log(rng.random(size)) / k for k in (a, b)]
    return log[0] - log[1]


def draw(random: np.random.Generator, shape: np.ndarray, size: tuple[int, ...] = ()) -> np.ndarray:
    """Dirichlet draws, a whole table of them at once; in logarithms, for parameters near 0."""
    alpha = np.broadcast_to(shape, (*size, *shape.shape))
    # Gamma(a) = Gamma(a + 1) U^(1/a)
    with np.errstate(divide="ignore", over="ignore"):  # a parameter that is 0 draws nothing
        log = np.log(random.standard_gamma(alpha + 1)) + np.log(random.random(alpha.shape)) / alpha
    top = np.exp(log - log.max(-1, keepdims=True))
    return top / top.sum(-1, keepdims=True)
