"""Counts that a plan starts from: each pair once; results in the shape of the counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.arrays import without_attrs
from betterthan.counts.shapes import pair_indices, to_pairs
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import VERDICTS
from betterthan.exact.wins import dirichlet
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior.parameters import Parameters, parameters
from betterthan.posterior.verdicts import decide

SWAPPED = [1, 0, 2, 3]  # of these, seen from the other system
_HINT = "give counts with a dim 'outcome', or (wins, losses, ties)"


@dataclass(frozen=True)
class Pairs:
    """Each pair of systems once, a row each."""

    parameters: Parameters
    counts: np.ndarray  # (rows, 3), or (rows, 2) where only decisive items were counted

    @property
    def posterior(self) -> np.ndarray:
        """Dirichlet parameters, (rows, 3) or (rows, 2)."""
        return self.counts + np.asarray(self.parameters.prior)

    @property
    def items(self) -> np.ndarray:
        """How many there are, (rows,)."""
        return self.counts.sum(1)

    def wrap(
        self,
        values: np.ndarray,
        swapped: np.ndarray,
        itself: Any,
        extra: Mapping[str, Any] | None = None,
    ) -> xr.DataArray:
        """Answers (rows, ...) over the dims of the counts and `extra`; `swapped` is what they are
        seen from the other system, `itself` of a system and itself.
        """
        labels = self.parameters.counts.isel({names.OUTCOME: 0}, drop=True)
        extra = extra or {}
        if self.parameters.square:
            full = squared(values, swapped, itself, labels.shape)
        else:
            full = values.reshape((*labels.shape, *values.shape[1:]))
        coords = {**without_attrs(labels).coords, **extra}
        return xr.DataArray(full, dims=(*labels.dims, *extra), coords=coords)


def squared(
    values: np.ndarray, swapped: np.ndarray, itself: Any, shape: tuple[int, ...]
) -> np.ndarray:
    """Values of each pair once, (rows, ...), in a square of this shape."""
    after = values.shape[1:]
    first, second = pair_indices(shape[-1])
    full = np.empty((*shape, *after), values.dtype)
    full[:] = itself
    leading = (slice(None),) * (len(shape) - 2)
    rows = (*shape[:-2], len(first), *after)
    full[*leading, first, second], full[*leading, second, first] = (
        values.reshape(rows),
        swapped.reshape(rows),
    )
    return full


def read_pairs(counts: Any, prior: Any, rope: float, ties: str = "third") -> Pairs:
    """Return checked counts, a row for each pair; a ROPE needs ties."""
    checked_counts = as_counts(counts)
    question = "a rope" if rope else None
    posterior = parameters(checked_counts, prior, ties, question=question)
    pair_counts = to_pairs(posterior.counts) if posterior.square else posterior.counts
    values = pair_counts.transpose(..., names.OUTCOME).values
    return Pairs(posterior, values.reshape(-1, values.shape[-1]).astype(np.int64))


def as_counts(counts: Any) -> xr.DataArray:
    """Counts of an array, or of one pair by its numbers."""
    counts = _comparison_counts(counts)
    if isinstance(counts, xr.DataArray):
        return counts
    if not isinstance(counts, tuple | list) or len(counts) not in (2, 3):
        raise ValueError(f"counts are {checks.shown(counts)}; {_HINT}")
    values = checks.nonnegative_integers(list(counts), "counts")
    coords = {names.OUTCOME: list(names.OUTCOMES[: len(values)])}
    unknown = {"ties": "unknown"} if len(values) == 2 else {}
    return xr.DataArray(values, dims=(names.OUTCOME,), coords=coords, attrs=unknown)


def _comparison_counts(source: Any) -> Any:
    """Return the counts of a comparison; other input unchanged."""
    data = getattr(source, "data", None)
    if isinstance(data, xr.Dataset) and "counts" in data:
        return data["counts"]
    return source


def check_rule(prior: tuple[float, ...], threshold: float, rope: float) -> Rule:
    """Return the checked rule for verdicts."""
    return Rule(prior, checks.threshold(threshold), checks.rope(rope))


def today(pairs: Pairs, rule: Rule) -> tuple[np.ndarray, np.ndarray]:
    """P(A better) and the verdict of each row."""
    parameters_by_outcome = pairs.posterior.T
    a, b = parameters_by_outcome[:2]
    tie = parameters_by_outcome[2] if len(parameters_by_outcome) == 3 else np.zeros_like(a)
    better = prob_above_half(a, b)
    within = dirichlet.prob_within(a, b, tie, rule.rope) if rule.rope else np.zeros_like(a)
    return better, decide(better, prob_above_half(b, a), within, rule.rope, rule.threshold)[0]


def alike(rope: float) -> str:
    """The verdict on a system and itself."""
    return "equivalent" if rope else "undecided"


def itself(rope: float) -> np.ndarray:
    """The probabilities of `VERDICTS` for a system and itself."""
    return np.array([float(v == alike(rope)) for v in VERDICTS])
