"""Davidson's abilities by Newton's method: the penalised fits of many weighted tables at once.

win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie), d a difference of abilities and, where
asked, the advantage of the first place. Parameters are the abilities, tie, and that advantage.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

_STEPS = 200
_NEAR = 1e-5  # of a step in log odds: the next one would be about its square
_HALVINGS = 40
_ROUNDING = 1e-10  # of the height, relative


@dataclass(frozen=True)
class Meetings:
    """Which systems meet in a row: each ordered pair once."""

    a: np.ndarray  # (row,) places of the systems
    b: np.ndarray
    systems: int
    place: bool = False  # whether the first has an advantage

    @property
    def parameters(self) -> int:
        """How many there are."""
        return self.systems + 1 + self.place


@dataclass(frozen=True)
class Penalty:
    """Normal priors of the parameters: one for all tables, or one each."""

    centre: np.ndarray  # (table or 1, parameter)
    precision: np.ndarray


def fit(counts: np.ndarray, meet: Meetings, penalty: Penalty, start: np.ndarray) -> np.ndarray:
    """The parameters (table, parameter) where likelihood times prior are largest.

    Parameters
    ----------
    counts : numpy.ndarray, (table, outcome, row)
        Wins, losses and ties, of any weight.
    meet : Meetings
    penalty : Penalty
        Abilities need a precision above 0: the likelihood knows their differences alone.
    start : numpy.ndarray, (table or 1, parameter)

    Raises
    ------
    ValueError
        If a table has no largest value within 200 steps.
    """
    found = np.broadcast_to(start, (len(counts), meet.parameters)).copy()
    left = np.arange(len(counts))
    for _ in range(_STEPS):
        tables, own, x = counts[left], _of(penalty, left), found[left]
        down = curvature(x, tables, meet, own)
        step = np.linalg.solve(down, slope(x, tables, meet, own)[..., None])[..., 0]
        found[left] += _shortened(step, x, tables, meet, own)
        left = left[np.abs(step).max(1) > _NEAR]
        if not len(left):
            return found
    raise ValueError(f"{len(left)} fits of abilities did not settle; is a prior near to flat?")


def height(x: np.ndarray, counts: np.ndarray, meet: Meetings, penalty: Penalty) -> np.ndarray:
    """Log likelihood and log prior (table,), up to a constant."""
    d, tie, log_sum = _logits(x, meet)
    win, loss, tied = np.moveaxis(counts, 1, 0)
    likelihood = ((win - loss) * d / 2 + tied * tie - (win + loss + tied) * log_sum).sum(1)
    return likelihood - 0.5 * (penalty.precision * (x - penalty.centre) ** 2).sum(1)


def slope(x: np.ndarray, counts: np.ndarray, meet: Meetings, penalty: Penalty) -> np.ndarray:
    """Gradient of `height`, (table, parameter)."""
    apart, tied = _chances(x, meet)
    n = counts.sum(1)
    ahead = (counts[:, 0] - counts[:, 1] - n * apart) / 2
    each = [_netted(ahead, meet), (counts[:, 2] - n * tied).sum(1, keepdims=True)]
    each += [ahead.sum(1, keepdims=True)] if meet.place else []
    return np.concatenate(each, axis=1) - penalty.precision * (x - penalty.centre)


def curvature(x: np.ndarray, counts: np.ndarray, meet: Meetings, penalty: Penalty) -> np.ndarray:
    """Less the second derivatives of `height`, (table, parameter, parameter)."""
    apart, tied = _chances(x, meet)
    n = counts.sum(1)
    own = n * (1 - tied - apart**2) / 4
    found = _assembled(own, -n * tied * apart / 2, (n * tied * (1 - tied)).sum(1), meet)
    at = np.arange(meet.parameters)
    found[:, at, at] += penalty.precision
    return found


def spread(x: np.ndarray, counts: np.ndarray, meet: Meetings) -> np.ndarray:
    """Sum over the judgments of one table, (outcome, row), of the products of slopes: the variance
    of the slope where judgments are independent, (parameter, parameter).
    """
    of_d, of_tie = _slopes(x, meet)
    own, both, tied = (
        (counts * product).sum(0) for product in (of_d * of_d, of_d * of_tie, of_tie * of_tie)
    )
    return _assembled(own[None], both[None], tied.sum(keepdims=True), meet)[0]


def slopes(x: np.ndarray, meet: Meetings) -> sparse.csr_array:
    """What one judgment adds to the slope, (outcome and row, parameter), at x (parameter,)."""
    of_d, of_tie = (part.ravel() for part in _slopes(x, meet))
    at = np.arange(of_d.size)
    tie = np.full(at.shape, meet.systems)
    parts = [(of_d, np.tile(meet.a, 3)), (-of_d, np.tile(meet.b, 3)), (of_tie, tie)]
    parts += [(of_d, tie + 1)] if meet.place else []
    values, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sparse.csr_array(
        (values, (np.tile(at, len(parts)), columns)), shape=(at.size, meet.parameters)
    )


def _slopes(x: np.ndarray, meet: Meetings) -> tuple[np.ndarray, np.ndarray]:
    """Of each outcome and row the slope of its difference, and that of tie."""
    apart, tied = _chances(x[None], meet)
    won, tie = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]])[..., None]
    return (won - apart) / 2, tie - tied


def _logits(x: np.ndarray, meet: Meetings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Differences and tie, (table, row), and the log of what win, loss and tie sum to."""
    d = x[:, meet.a] - x[:, meet.b]
    if meet.place:
        d = d + x[:, meet.systems + 1 :]
    tie = x[:, meet.systems, None]
    size = np.abs(d) / 2
    top = np.maximum(size, tie)
    return d, tie, top + np.log(np.exp(size - top) + np.exp(-size - top) + np.exp(tie - top))


def _chances(x: np.ndarray, meet: Meetings) -> tuple[np.ndarray, np.ndarray]:
    """P(win) - P(loss), and P(tie), (table, row)."""
    d, tie, log_sum = _logits(x, meet)
    return np.exp(d / 2 - log_sum) - np.exp(-d / 2 - log_sum), np.exp(tie - log_sum)


def _shortened(
    step: np.ndarray, x: np.ndarray, counts: np.ndarray, meet: Meetings, penalty: Penalty
) -> np.ndarray:
    """The steps, halved until none leads down."""
    before = height(x, counts, meet, penalty)
    slack = _ROUNDING * np.maximum(np.abs(before), 1.0)
    for _ in range(_HALVINGS):
        down = height(x + step, counts, meet, penalty) < before - slack
        if not down.any():
            break
        step = np.where(down[:, None], step / 2, step)
    return step


def _netted(of_d: np.ndarray, meet: Meetings) -> np.ndarray:
    """Sums over rows for each system: of its rows as the first, less those as the second."""
    whole = np.zeros((len(of_d), meet.systems, meet.systems))
    whole[:, meet.a, meet.b] = of_d
    return whole.sum(2) - whole.sum(1)


def _assembled(own: np.ndarray, both: np.ndarray, tied: np.ndarray, meet: Meetings) -> np.ndarray:
    """Symmetric (table, parameter, parameter) of terms of each row: of its difference, of its
    difference and tie, and (table,) of tie.
    """
    n = meet.systems
    found = np.zeros((len(own), meet.parameters, meet.parameters))
    found[:, meet.a, meet.b] = -own
    found[:, :n, :n] += found[:, :n, :n].swapaxes(1, 2)
    at = np.arange(n)
    found[:, at, at] = -found[:, :n, :n].sum(2)
    beside = [(n, _netted(both, meet), tied)]
    if meet.place:
        total = own.sum(1)
        beside.append((n + 1, np.column_stack([_netted(own, meet), both.sum(1)]), total))
    for place, border, corner in beside:
        found[:, place, :place] = found[:, :place, place] = border
        found[:, place, place] = corner
    return found


def _of(penalty: Penalty, tables: np.ndarray) -> Penalty:
    """That of some tables."""
    each = (penalty.centre, penalty.precision)
    return Penalty(*(part if len(part) == 1 else part[tables] for part in each))
