"""Davidson's abilities by Newton's method: the penalised fits of many weighted tables at once.

win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie), d a difference of abilities and, where
asked, the advantage of the first place. Parameters are the abilities, tie, and that advantage.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

_STEPS = 200
_TOLERANCE = 1e-5  # of a step in log odds; the next step would be about its square
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
    parameters = np.broadcast_to(start, (len(counts), meet.parameters)).copy()
    left = np.arange(len(counts))
    for _ in range(_STEPS):
        tables, selected, x = counts[left], _select(penalty, left), parameters[left]
        down = curvature(x, tables, meet, selected)
        step = np.linalg.solve(down, slope(x, tables, meet, selected)[..., None])[..., 0]
        parameters[left] += _shortened(step, x, tables, meet, selected)
        left = left[np.abs(step).max(1) > _TOLERANCE]
        if not len(left):
            return parameters
    raise ValueError(f"{len(left)} fits of abilities did not settle; is a prior near to flat?")


def height(x: np.ndarray, counts: np.ndarray, meet: Meetings, penalty: Penalty) -> np.ndarray:
    """Log likelihood and log prior (table,), up to a constant."""
    d, tie, log_sum = _logits(x, meet)
    win, loss, tied = np.moveaxis(counts, 1, 0)
    likelihood = ((win - loss) * d / 2 + tied * tie - (win + loss + tied) * log_sum).sum(1)
    return likelihood - 0.5 * (penalty.precision * (x - penalty.centre) ** 2).sum(1)


def slope(x: np.ndarray, counts: np.ndarray, meet: Meetings, penalty: Penalty) -> np.ndarray:
    """Gradient of `height`, (table, parameter)."""
    net, tied = _chances(x, meet)
    n = counts.sum(1)
    ahead = (counts[:, 0] - counts[:, 1] - n * net) / 2
    parts = [_netted(ahead, meet), (counts[:, 2] - n * tied).sum(1, keepdims=True)]
    parts += [ahead.sum(1, keepdims=True)] if meet.place else []
    return np.concatenate(parts, axis=1) - penalty.precision * (x - penalty.centre)


def curvature(x: np.ndarray, counts: np.ndarray, meet: Meetings, penalty: Penalty) -> np.ndarray:
    """Less the second derivatives of `height`, (table, parameter, parameter)."""
    net, tied = _chances(x, meet)
    n = counts.sum(1)
    by_d = n * (1 - tied - net**2) / 4
    curved = _assembled(by_d, -n * tied * net / 2, (n * tied * (1 - tied)).sum(1), meet)
    index = np.arange(meet.parameters)
    curved[:, index, index] += penalty.precision
    return curved


def spread(x: np.ndarray, counts: np.ndarray, meet: Meetings) -> np.ndarray:
    """Sum over the judgments of one table, (outcome, row), of the products of slopes: the variance
    of the slope where judgments are independent, (parameter, parameter).
    """
    by_d, by_tie = _slopes(x, meet)
    squares, both, tied = (
        (counts * product).sum(0) for product in (by_d * by_d, by_d * by_tie, by_tie * by_tie)
    )
    return _assembled(squares[None], both[None], tied.sum(keepdims=True), meet)[0]


def slopes(x: np.ndarray, meet: Meetings) -> sparse.csr_array:
    """What one judgment adds to the slope, (outcome and row, parameter), at x (parameter,)."""
    by_d, by_tie = (part.ravel() for part in _slopes(x, meet))
    index = np.arange(by_d.size)
    tie = np.full(index.shape, meet.systems)
    parts = [(by_d, np.tile(meet.a, 3)), (-by_d, np.tile(meet.b, 3)), (by_tie, tie)]
    parts += [(by_d, tie + 1)] if meet.place else []
    values, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sparse.csr_array(
        (values, (np.tile(index, len(parts)), columns)), shape=(index.size, meet.parameters)
    )


def _slopes(x: np.ndarray, meet: Meetings) -> tuple[np.ndarray, np.ndarray]:
    """Slopes of each outcome and row, in the difference and in the tie parameter."""
    net, tied = _chances(x[None], meet)
    won, tie = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]])[..., None]
    return (won - net) / 2, tie - tied


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


def _netted(by_d: np.ndarray, meet: Meetings) -> np.ndarray:
    """Sums over rows for each system: of its rows as the first, less those as the second."""
    square = np.zeros((len(by_d), meet.systems, meet.systems))
    square[:, meet.a, meet.b] = by_d
    return square.sum(2) - square.sum(1)


def _assembled(by_d: np.ndarray, both: np.ndarray, tied: np.ndarray, meet: Meetings) -> np.ndarray:
    """Symmetric (table, parameter, parameter) of terms of each row: of its difference, of its
    difference and tie, and (table,) of tie.
    """
    n = meet.systems
    matrix = np.zeros((len(by_d), meet.parameters, meet.parameters))
    matrix[:, meet.a, meet.b] = -by_d
    matrix[:, :n, :n] += matrix[:, :n, :n].swapaxes(1, 2)
    index = np.arange(n)
    matrix[:, index, index] = -matrix[:, :n, :n].sum(2)
    borders = [(n, _netted(both, meet), tied)]
    if meet.place:
        total = by_d.sum(1)
        borders.append((n + 1, np.column_stack([_netted(by_d, meet), both.sum(1)]), total))
    for place, border, corner in borders:
        matrix[:, place, :place] = matrix[:, :place, place] = border
        matrix[:, place, place] = corner
    return matrix


def _select(penalty: Penalty, tables: np.ndarray) -> Penalty:
    """The penalty of some tables."""
    arrays = (penalty.centre, penalty.precision)
    return Penalty(*(part if len(part) == 1 else part[tables] for part in arrays))
