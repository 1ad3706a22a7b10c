"""How often two systems tie, and how that falls with the difference of their abilities.

Davidson: win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie). Rao-Kupper: a judge sees a
difference only above the threshold exp(tie).
"""

from typing import Any

import numpy as np

TIE_MODELS = ("davidson", "rao_kupper")
# mean and standard deviation of the normal prior of the tie parameter
PRIOR = {"davidson": (-0.7, 1.5), "rao_kupper": (-0.7, 1.0)}


def log_chances(d: Any, tie: Any, tie_model: str) -> Any:
    """Log P(win, loss, tie), stacked last, of a difference of abilities, as a tensor."""
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    if tie_model == "davidson":
        logits: Any = pt.stack([d / 2, -d / 2, tie], axis=-1)
        return logits - pm.math.logsumexp(logits, axis=-1, keepdims=True)
    threshold: Any = pt.exp(tie)
    # P(tie) = s(d + t) - s(d - t) = s(d + t) s(t - d) (1 - exp(-2 t)), s the logistic function
    beyond: list[Any] = [pt.softplus(threshold - d), pt.softplus(threshold + d)]
    within: list[Any] = [pt.softplus(-threshold - d), pt.softplus(d - threshold)]
    width: Any = -2 * threshold
    nearly: Any = pt.expm1(width)
    log: Any = pt.log(-nearly)
    tied: Any = log - within[0] - within[1]
    return pt.stack([-beyond[0], -beyond[1], tied], axis=-1)


def log_probabilities(d: np.ndarray, tie: np.ndarray, tie_model: str) -> np.ndarray:
    """Log probabilities of win, loss and tie, of numbers."""
    from scipy import special

    if tie_model == "davidson":
        logits = np.stack([d / 2, -d / 2, tie + 0 * d], axis=-1)
        return logits - np.asarray(special.logsumexp(logits, axis=-1, keepdims=True))
    win, loss = (special.log_expit(x - np.exp(tie)) for x in (d, -d))
    return np.stack([win, loss, np.log1p(-np.exp(win) - np.exp(loss))], axis=-1)


def probabilities(d: np.ndarray, tie: np.ndarray, tie_model: str) -> tuple[np.ndarray, np.ndarray]:
    """P(win) and P(loss), of numbers."""
    free = np.exp(tie)
    if tie_model == "rao_kupper":
        from scipy import special

        return special.expit(d - free), special.expit(-d - free)
    won = np.exp(d / 2)
    total = won + 1 / won + free
    return won / total, 1 / (won * total)


def ahead(x: np.ndarray, y: np.ndarray, tie: np.ndarray, tie_model: str) -> np.ndarray:
    """P(win) - P(loss) of a judgment without advantage of place, of two abilities."""
    free = np.exp(tie)
    if tie_model == "rao_kupper":
        from scipy import special

        return special.expit(x - y - free) - special.expit(y - x - free)
    return 2 * np.sinh((x - y) / 2) / (2 * np.cosh((x - y) / 2) + free)


def propensity(tie: Any, tie_model: str) -> Any:
    """The probability that equal systems tie."""
    return np.tanh(np.exp(tie) / 2) if tie_model == "rao_kupper" else 1 / (1 + 2 * np.exp(-tie))
