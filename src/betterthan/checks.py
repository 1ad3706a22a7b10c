"""One function per argument or schema; nearly every error of the package is raised here.

Every message is one line: what is wrong, where, and what would be right.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from betterthan import names


def one_of(value: Any, allowed: Sequence[str], what: str) -> str:
    """Return `value` when it is one of `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{what} is {value!r}; choose one of {', '.join(allowed)}")
    return value


def real(value: Any, what: str, wanted: str = "a number") -> float:
    """Return `value` as a float."""
    if isinstance(value, bool | str) or not isinstance(value, int | float | np.number):
        raise ValueError(f"{what} is {value!r}; give {wanted}")
    return float(value)


def probability(value: float, what: str) -> float:
    """Return `value` as a float strictly between 0 and 1."""
    number = real(value, what)
    if not 0 < number < 1:
        raise ValueError(f"{what} is {value}; give a number between 0 and 1, both excluded")
    return number


def threshold(value: float) -> float:
    """Return the probability at which a verdict is given, which only one of two systems reaches."""
    number = probability(value, "threshold")
    if number <= 0.5:
        raise ValueError(f"threshold is {value}; give a number above 0.5 and below 1")
    return number


def p_values(values: Any, what: str = "p-value") -> np.ndarray:
    """Return `values` as floats within 0 and 1."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what}s are {values!r}; give numbers between 0 and 1") from None
    bad = ~((array >= 0) & (array <= 1))
    if bad.any():
        raise ValueError(
            f"{what} {array[bad].flat[0]} is outside 0 and 1; a p-value is a probability"
        )
    return array


def rope(value: float) -> float:
    """Return the half width of the region of practical equivalence, in [0, 1)."""
    number = real(value, "rope")
    if not 0 <= number < 1:
        raise ValueError(f"rope is {value}; give a number from 0 up to, not including, 1")
    return number


def margin(value: float, what: str = "margin") -> float:
    """Return a score difference of at least 0, such as that up to which two scores tie."""
    number = real(value, what)
    if not (number >= 0 and math.isfinite(number)):
        raise ValueError(f"{what} is {value}; give a number of at least 0, in units of the score")
    return number


def whole(value: int, what: str, least: int = 1) -> int:
    """Return `value` as an int of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{what} is {value!r}; give a whole number of at least {least}")
    return int(value)


def prior(value: Any, length: int = 3, labels: Sequence[str] = names.OUTCOMES) -> tuple[float, ...]:
    """Return Dirichlet parameters: a name of `names.PRIORS` or `length` positive numbers."""
    if value is None:
        value = names.PRIOR
    if isinstance(value, str):
        value = names.PRIORS[one_of(value, tuple(names.PRIORS), "prior")]
    try:
        numbers = tuple(float(v) for v in value)
    except (TypeError, ValueError):
        raise ValueError(
            f"prior is {value!r}; give a name ({', '.join(names.PRIORS)}) or one number per outcome"
        ) from None
    if len(numbers) == 3 and length == 2:
        numbers = numbers[:2]
    if len(numbers) != length:
        raise ValueError(
            f"prior has {len(numbers)} numbers; give {length}, for {', '.join(labels[:length])}"
        )
    for label, number in zip(labels, numbers, strict=False):
        if not (number > 0 and math.isfinite(number)):
            raise ValueError(f"prior for {label} is {number}; every prior number must be positive")
    return numbers


def positive(values: Any, what: str) -> np.ndarray:
    """Return `values` as a float array whose entries are all positive and finite."""
    array = np.asarray(values, dtype=float)
    bad = ~(np.isfinite(array) & (array > 0))
    if bad.any():
        raise ValueError(
            f"{what} holds {array[bad].flat[0]}; every value must be positive and finite"
        )
    return array


def unique(labels: Iterable[Hashable], what: str) -> None:
    """Refuse labels that occur twice."""
    seen: set[Hashable] = set()
    for label in labels:
        if label in seen:
            raise ValueError(
                f"{what} {label!r} occurs more than once; every {what} needs its own name"
            )
        seen.add(label)


def at_least_two(systems: Sequence[Hashable]) -> None:
    """Refuse data with fewer than two systems."""
    if len(systems) < 2:
        found = f"only {systems[0]!r}" if len(systems) else "no system"
        raise ValueError(f"a comparison needs at least two systems; found {found}")


def scores(data: Any) -> Any:
    """Return `data` when it is a DataArray of scores, (item, system) in any order."""
    if not _is_array(data, (names.ITEM, names.SYSTEM)):
        raise ValueError(
            f"expected scores with dims (item, system), got {_describe(data)}; see betterthan.read"
        )
    systems = [str(s) for s in data[names.SYSTEM].values] if names.SYSTEM in data.coords else []
    if not systems:
        raise ValueError("scores need a coordinate 'system' with the names of the systems")
    unique(systems, "system")
    at_least_two(systems)
    if set(data.dims) != {names.ITEM, names.SYSTEM}:
        raise ValueError(
            f"scores have dims {tuple(map(str, data.dims))}; give (item, system) alone"
        )
    if data.dtype.kind not in "fiub":
        raise ValueError(
            f"scores are {data.dtype}; give numbers, with NaN where a score is missing"
        )
    _direction(data)
    _unique_items(data)
    if data.sizes[names.ITEM] == 0:
        raise ValueError("scores hold no items")
    infinite = np.isinf(data.values)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ValueError(
            f"score at position ({row}, {column}) is infinite; give a finite number or leave blank"
        )
    return data.transpose(names.ITEM, names.SYSTEM)


def tallies(data: Any) -> Any:
    """Return `data` when it is a DataArray of tallies: (item, system, tally), with or without a dim
    label.
    """
    if not _is_array(data, (names.ITEM, names.SYSTEM, names.TALLY)):
        raise ValueError(
            f"expected tallies with dims (item, system, tally), got {_describe(data)}; "
            "see betterthan.io.tallies_from_table"
        )
    extra = set(data.dims) - {names.ITEM, names.SYSTEM, names.TALLY, names.LABEL}
    if extra:
        raise ValueError(
            f"tallies have a dim {sorted(map(str, extra))[0]!r}; give (item, system, tally) and "
            f"label"
        )
    coords = data.coords.variables
    found = tuple(map(str, coords[names.TALLY].values)) if names.TALLY in coords else ()
    if found != names.TALLIES:
        raise ValueError(
            f"tallies are {', '.join(found) or 'not named'}; give a coordinate 'tally' with tp, "
            f"fp, fn"
        )
    if names.SYSTEM not in coords:
        raise ValueError("tallies need a coordinate 'system' with the names of the systems")
    systems = list(map(str, coords[names.SYSTEM].values))
    unique(systems, "system")
    at_least_two(systems)
    if data.sizes[names.ITEM] == 0:
        raise ValueError("tallies hold no items")
    _unique_items(data)
    _whole_tallies(data)
    lead = [d for d in (names.LABEL,) if d in data.dims]
    order = (names.ITEM, names.SYSTEM, *lead, names.TALLY)
    data = data if data.dims == order else data.transpose(*order)
    return data if data.dtype == np.int64 else data.astype(np.int64)


def counts(data: Any) -> Any:
    """Return `data` when it is a DataArray of counts whose last dim is the outcome.

    The outcomes are win, loss, tie, or win, loss alone where ties are unknown.
    """
    if not _is_array(data, (names.OUTCOME,)) or names.OUTCOME not in data.coords:
        raise ValueError(
            f"expected counts with a dim 'outcome' (win, loss, tie), got {_describe(data)}; "
            "see betterthan.count and betterthan.counts.from_table"
        )
    labels = tuple(str(v) for v in data[names.OUTCOME].values)
    if labels not in (names.OUTCOMES, names.DECISIVE):
        raise ValueError(
            f"outcomes are {', '.join(labels)}; give win, loss, tie, or win, loss where ties are "
            f"unknown"
        )
    data = data.transpose(..., names.OUTCOME)
    nonnegative_integers(data.values, "counts")
    if names.SYSTEM_A in data.dims and names.SYSTEM_B in data.dims:
        triangles(data)
    return data


def nonnegative_integers(values: Any, what: str) -> np.ndarray:
    """Return `values` as int64; refuse negative, fractional and missing numbers."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{what} are {array.dtype}; give whole numbers")
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array) | (array != np.floor(array))
        if bad.any():
            raise ValueError(f"{what} hold {array[bad].flat[0]}; give whole numbers")
    if (array < 0).any():
        raise ValueError(f"{what} hold {array[array < 0].flat[0]}; a count is at least 0")
    return array.astype(np.int64)


def triangles(data: Any) -> None:
    """Refuse a square of counts whose two triangles contradict each other."""
    data = data.transpose(..., names.SYSTEM_A, names.SYSTEM_B, names.OUTCOME)
    systems = data[names.SYSTEM_A].values
    if list(systems) != list(data[names.SYSTEM_B].values):
        raise ValueError("system_a and system_b must name the same systems in the same order")
    unique([str(s) for s in systems], "system")
    values = data.values
    mirrored = np.swapaxes(values, -3, -2)
    order = [1, 0, 2][: values.shape[-1]]
    wrong = (values != mirrored[..., order]).any(axis=-1)
    diagonal = np.arange(len(systems))
    wrong[..., diagonal, diagonal] |= (values[..., diagonal, diagonal, :2] > 0).any(axis=-1)
    if wrong.any():
        index = np.argwhere(wrong)[0]
        i, j = index[-2], index[-1]
        a, b = str(systems[i]), str(systems[j])
        if i == j:
            raise ValueError(
                f"{a!r} against itself has {values[(*index,)].tolist()}; wins and losses there "
                f"must be 0"
            )
        raise ValueError(
            f"{a!r} against {b!r} is {values[(*index,)].tolist()} (win, loss, tie) but {b!r} "
            f"against {a!r} is "
            f"{mirrored[(*index,)].tolist()}; one must be the other with win and loss exchanged"
        )


def confusion(data: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Matrix (..., predicted, actual), class sizes (..., actual) and labels of confusion
    matrices.
    """
    if not _is_array(data, (names.PREDICTED, names.ACTUAL)):
        raise ValueError(
            f"expected a confusion matrix, dims (predicted, actual), got {_describe(data)}; "
            "see betterthan.labels.confusion_matrix"
        )
    ordered = data.transpose(..., names.PREDICTED, names.ACTUAL)
    labels = [str(x) for x in ordered[names.PREDICTED].values]
    if labels != [str(x) for x in ordered[names.ACTUAL].values]:
        raise ValueError("predicted and actual must have the same labels in the same order")
    matrix = nonnegative_integers(ordered.values, "cells of the confusion matrix")
    actual = matrix.sum(-2)
    if "n_actual" in ordered.coords:
        column = ordered.isel({names.PREDICTED: 0}, drop=True)
        actual = (
            ordered["n_actual"]
            .broadcast_like(column)
            .transpose(*column.dims)
            .values.astype(np.int64)
        )
    if (actual < matrix.sum(-2)).any():
        raise ValueError(
            "n_actual is below the sum of its column; it counts all items of the class"
        )
    return matrix, actual, labels


def ties_known(data: Any, question: str) -> None:
    """Refuse a question that needs ties where ties are unknown."""
    if data.sizes[names.OUTCOME] == 2 and data.attrs.get("ties", "unknown") == "unknown":
        raise ValueError(
            f"{question} needs the number of ties, which these counts do not have; "
            "give the ties, or ties='drop' to speak of the decisive examples alone"
        )


def comparison(data: Any) -> None:
    """Refuse what is not the Dataset that `compare` returns, of at least two systems."""
    if (
        not {"prob_better", "verdict", "counts"} <= set(getattr(data, "data_vars", ()))
        or "version" not in data.attrs
    ):
        raise ValueError("expected a comparison, the Dataset that betterthan.compare returns")
    if data.sizes[names.SYSTEM_A] < 2 or data.sizes[names.SYSTEM_A] != data.sizes[names.SYSTEM_B]:
        raise ValueError(
            "a comparison must keep the same systems, at least two, in system_a and system_b"
        )


def for_scores_only(*, missing: str, margin: float) -> None:
    """Refuse what can only be asked of scores, given counts."""
    if missing != "pairwise":
        raise ValueError(
            f"missing={missing!r} is for scores; these are counts, in which nothing can be missing"
        )
    if margin:
        raise ValueError(
            f"margin={margin:g} is for scores; these are counts, whose ties are settled"
        )


def not_against_itself(a: Hashable, b: Hashable, where: str) -> None:
    """Refuse a row that compares a system with itself."""
    if a == b:
        raise ValueError(f"{where}: {a!r} is compared with itself; give two different systems")


def _direction(scores: Any) -> None:
    given = scores.attrs.get("higher_is_better", True)
    if not isinstance(given, bool | int | np.bool_ | np.integer) or given not in (0, 1):
        raise ValueError(f"attrs['higher_is_better'] is {given!r}; give True or False")


def _whole_tallies(data: Any) -> None:
    """Refuse tallies that are missing, negative or fractional, and say of which item and system."""
    values = data.values
    if values.dtype.kind not in "iuf":
        raise ValueError(f"tallies are {values.dtype}; give whole numbers")
    if values.dtype.kind in "iu" and (values.dtype.kind == "u" or values.min() >= 0):
        return
    gone = ~np.isfinite(values)
    for bad, why in (
        (gone, "missing; every system needs tallies for every item, zeros where it found nothing"),
        (values < 0, "negative; a tally is at least 0"),
        (
            ~gone & (values != np.floor(values)),
            "fractional; give partial credit as whole numbers and their scale",
        ),
    ):
        if bad.any():
            at = dict(zip(data.dims, np.argwhere(bad)[0], strict=True))
            where = {
                d: str(data[d].values[k]) if d in data.coords else int(k) for d, k in at.items()
            }
            told = ", ".join(f"{d} {where[d]!r}" for d in where)
            raise ValueError(f"tally of {told} is {values[bad].flat[0]:g}: {why}")


def _unique_items(scores: Any) -> None:
    keys = [
        k
        for k in (names.DATASET, names.ITEM, "epoch")
        if k in scores.coords and scores[k].dims == (names.ITEM,)
    ]
    if names.ITEM in keys:
        rows = list(zip(*(scores[k].values.tolist() for k in keys), strict=True))
        unique(rows if len(keys) > 1 else [row[0] for row in rows], "item")


def _is_array(data: Any, dims: tuple[str, ...]) -> bool:
    return (
        hasattr(data, "dims")
        and hasattr(data, "transpose")
        and set(dims) <= set(data.dims)
        and hasattr(data, "dtype")
    )


def _describe(data: Any) -> str:
    dims = getattr(data, "dims", None)
    kind = type(data).__name__
    return f"{kind} with dims {tuple(dims)}" if dims is not None else kind
