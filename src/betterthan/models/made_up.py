"""What simulated data have in common: labels; and judgments at random, which systems meet, before
which judge, and how it goes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names


def labels(dims: Sequence[str], shape: Sequence[int]) -> dict[str, list[str]]:
    """Labels along each dim: its first letter and a number.

    Examples
    --------
    >>> labels(("item",), (3,))
    {'item': ['i0', 'i1', 'i2']}
    """
    return {d: [f"{d[0]}{k}" for k in range(size)] for d, size in zip(dims, shape, strict=True)}


def random_pairs(random: np.random.Generator, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A round in which every system meets one that is connected already, then pairs at random;
    either comes first.
    """
    order = random.permutation(k)
    a = [int(order[i]) for i in range(1, k)]
    b = [int(order[random.integers(i)]) for i in range(1, k)]
    more = n - (k - 1)
    first = random.integers(k, size=more)
    second = (first + random.integers(1, k, size=more)) % k
    a, b = np.append(a, first).astype(int), np.append(b, second).astype(int)
    swapped = random.random(n) < 0.5
    return np.where(swapped, b, a), np.where(swapped, a, b)


def draw_judges(spread: np.ndarray, judges: int, random: np.random.Generator) -> np.ndarray:
    """Effects of each judge on each parameter, one per spread; none without judges."""
    effects = random.normal(size=(len(spread), max(judges, 1))) * spread[:, None]
    return effects - effects.mean(1, keepdims=True) if judges > 1 else effects


def draw_outcomes(log_chances: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """1, 0 or -1 for the first system of each row."""
    below = np.exp(log_chances).cumsum(-1)[:, :2]
    win_loss_tie = (random.random(len(below))[:, None] > below).sum(-1)
    return 1 - np.array([0, 2, 1])[win_loss_tie]


def as_judgments(
    systems: np.ndarray, a: np.ndarray, b: np.ndarray, outcome: np.ndarray, judge: Any
) -> xr.Dataset:
    """As `betterthan.io.read_judgments` returns them; `judge` is None where there is none."""
    columns = {"system_a": systems[a], "system_b": systems[b], "outcome": outcome}
    coords: dict[str, Any] = {names.SYSTEM: systems}
    if judge is not None:
        coords["judge"] = ("judgment", judge)
    data = {k: ("judgment", v) for k, v in columns.items()}
    return xr.Dataset(data, coords=coords, attrs={"unit": "judgment"})
