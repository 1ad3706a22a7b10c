"""From counts to the Dirichlet parameters of their posterior, and answers back into the shape of
the counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names, schemas
from betterthan.counts.shapes import pair_indices, square_from_pairs, without_attrs
from betterthan.counts.ties import apply_ties


@dataclass(frozen=True)
class Parameters:
    """Posterior Dirichlet parameters of counts, and how to label an answer computed from them.

    A square is answered as a whole. In its upper triangle the prior's "win" is of the row, below it
    of the column, so that both triangles speak of the same posterior.
    """

    counts: xr.DataArray
    prior: tuple[float, ...]
    attrs: dict[str, Any]

    @property
    def square(self) -> bool:
        """Whether the counts are a square over system_a and system_b."""
        return names.SYSTEM_A in self.counts.dims and names.SYSTEM_B in self.counts.dims

    @property
    def values(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Posterior parameters (win, loss, tie); tie is 0 where there is no third outcome."""
        counts = self.counts.values
        win, loss = self.prior[0], self.prior[1]
        a, b = counts[..., 0] + win, counts[..., 1] + loss
        if win != loss and self.square:
            a = self.by_triangle(a, counts[..., 0] + loss)
            b = self.by_triangle(b, counts[..., 1] + win)
        t = counts[..., 2] + self.prior[2] if len(self.prior) == 3 else np.zeros(a.shape)
        return a, b, t

    def by_triangle(self, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
        """`upper` on and above the diagonal, `lower` below it."""
        above = np.triu(np.ones(upper.shape[-2:], dtype=bool))
        return np.where(above, upper, lower)

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same of each unordered pair once, for answers that cost."""
        if not self.square:
            return self.values
        first, second = pair_indices(self.counts.sizes[names.SYSTEM_A])
        a, b, t = self.values
        return a[..., first, second], b[..., first, second], t[..., first, second]

    def square_of(self, upper: np.ndarray, lower: np.ndarray, diagonal: float) -> np.ndarray:
        """Answers of `pairs` in the shape of the counts: `lower` below the diagonal, so that
        nothing is lost in the tails.
        """
        if not self.square:
            return np.asarray(upper)
        return square_from_pairs(np.asarray(upper, dtype=float), lower, diagonal, axis=-1)

    def with_diagonal(self, answer: np.ndarray, diagonal: float) -> np.ndarray:
        """The answer with `diagonal` where a square has a system against itself."""
        if not self.square:
            return answer
        answer, index = np.array(answer), np.arange(np.shape(answer)[-1])
        answer[..., index, index] = diagonal
        return answer

    def wrap(self, answer: Any, name: str = "") -> xr.DataArray:
        """The answer with the dims, labels and attrs of the counts."""
        dims = [dim for dim in self.counts.dims if dim != names.OUTCOME]
        wrapped = xr.DataArray(np.asarray(answer), _labels(self.counts), dims, name or None)
        wrapped.attrs = dict(self.attrs)
        return wrapped


def _labels(counts: xr.DataArray) -> xr.Coordinates:
    """Coordinates of counts but the outcome, without attrs, from the indexes they have: to build
    these anew takes longer than the answer.
    """
    kept = {
        key: xr.Variable(v.dims, v.values.copy()) if key not in v.dims else v.copy(deep=False)
        for key, v in counts.coords.variables.items()
        if names.OUTCOME not in v.dims and key != names.OUTCOME
    }
    for variable in kept.values():
        variable.attrs = {}
    indexes = {key: index for key, index in counts.xindexes.items() if key in kept}
    return xr.Coordinates(kept, indexes)


def parameters(
    counts: xr.DataArray, prior: Any, ties: str, question: str | None = None
) -> Parameters:
    """Check counts, tie policy and prior; refuse where `question` needs ties that are unknown."""
    counts = apply_ties(counts, ties)
    if question:
        schemas.ties_known(counts, question)
    return posterior_parameters(counts, prior, ties)


def posterior_parameters(counts: xr.DataArray, prior: Any, ties: str = "third") -> Parameters:
    """Parameters of counts that were checked and that a tie policy was applied to."""
    if names.SYSTEM_A in counts.dims and names.SYSTEM_B in counts.dims:
        counts = counts.transpose(..., names.SYSTEM_A, names.SYSTEM_B, names.OUTCOME)
    numbers = prior_of(prior, counts)
    policy = counts.attrs.get("ties", ties) if counts.sizes[names.OUTCOME] == 2 else ties
    known = ("missing", "margin", "n_items", "unit", "source")
    kept = {k: counts.attrs[k] for k in known if k in counts.attrs}
    signed = {"version": __version__, "prior": list(numbers), "ties": policy}
    return Parameters(counts, numbers, signed | kept)


_SHARES = 0.0025, 0.995  # the least and the largest share of ties of a skeptical prior


def prior_of(prior: Any, counts: xr.DataArray) -> tuple[float, ...]:
    """Dirichlet parameters of a prior; of "skeptical" (a, a, t) by the ties of all pairs.

    The prior difference of win and loss has a standard deviation of 0.05: of (a, a, t) that adds up
    to s its variance is 2a / (s (s + 1)). The share of ties t / s is that of the counts, from
    0.0025 to 0.995.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (20, 10, 70)})
    >>> [round(x, 3) for x in prior_of("skeptical", counts)]
    [17.85, 17.85, 83.3]
    """
    length = counts.sizes[names.OUTCOME]
    if not (isinstance(prior, str) and prior == names.SKEPTICAL):
        return checks.prior(prior, length)
    values, ties = counts.values, 0.0
    if length == 3:
        ties = float(np.clip(_share(values), *_SHARES))
    total = (1 - ties) / names.SKEPTICAL_SD**2 - 1
    even = total * (1 - ties) / 2
    return (even, even, total * ties)[:length]


def _share(values: np.ndarray) -> float:
    """The share of ties in all counts but those of systems with themselves."""
    if values.ndim > 2 and values.shape[-2] == values.shape[-3]:
        first, second = np.triu_indices(values.shape[-2], 1)
        values = values[..., first, second, :]
    number = values.sum()
    return float(values[..., 2].sum() / number) if number else 0.0


def across(
    parameters: Parameters, x: Any, dim: str, answer: Callable[..., np.ndarray], name: str
) -> xr.DataArray:
    """An answer at one number or at many, which then are a last dim."""
    at = real_numbers(x, dim)
    if at.ndim == 0:
        return parameters.wrap(answer(*parameters.values, at), name)
    a, b, t = (v[..., None] for v in parameters.values)
    labels = parameters.counts.isel({names.OUTCOME: 0}, drop=True).expand_dims({dim: at}, axis=-1)
    return without_attrs(labels.copy(data=answer(a, b, t, at)).rename(name)).assign_attrs(
        parameters.attrs
    )


def real_numbers(values: Any, what: str) -> np.ndarray:
    """One number or many, as an array of at most one dim."""
    array = checks.reals(values, what, "a number or a list of numbers")
    if array.ndim > 1:
        raise ValueError(f"{what} has {array.ndim} dims; give one number or a list of numbers")
    return array
