"""One function for each kind of argument; what data must look like is in `schemas`.

Every message is one line: what is wrong, where, and what would be right.
"""

import math
import re
import warnings
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from betterthan import names, text

_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%", re.ASCII)


def warn(message: str) -> None:
    """Warn the user, at the line that called the package."""
    warnings.warn(message, skip_file_prefixes=names.PACKAGE)


def one_of(value: Any, allowed: Sequence[str], what: str) -> str:
    """Return `value` when it is one of `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(quoted(name) if "=" in name else name for name in allowed)
        like = text.looks_like(value, allowed) if isinstance(value, str) else ""
        raise ValueError(f"{what} is {quoted(value)}; choose one of {choices}{like}")
    return value


def instance(value: Any, wanted: Any, what: str, hint: str) -> None:
    """Refuse what is not of the type `wanted`; `hint` says what to give."""
    if not isinstance(value, wanted):
        raise ValueError(f"{what} {type(value).__name__}; give {hint}")


def of_type(value: Any, wanted: type, what: str, hint: str) -> None:
    """As `instance`, with an article before the type and before the hint."""
    instance(value, wanted, f"{what} a", f"a {hint}")


def numbered(count: int, what: str) -> str:
    """How many there are, as "1 number" or "2 numbers"."""
    return f"{count} {what}{'s' * (count != 1)}"


def quoted(value: Any) -> str:
    """A value as it stands in a message: what is no number and no text by its kind alone."""
    if value is None or isinstance(value, str | bytes | bool | int | float | complex | np.generic):
        return text.quoted(value)
    return f"a {type(value).__name__}"


def real(value: Any, what: str, wanted: str = "a number") -> float:
    """Return `value` as a float."""
    if isinstance(value, bool | str) or not isinstance(value, int | float | np.number):
        percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
        hint = f", such as {float(percent[1]) / 100:g}" if percent else ""
        raise ValueError(f"{what} is {quoted(value)}; give {wanted}{hint}")
    try:
        return float(value)
    except OverflowError:
        reason = f"{what} is {quoted(value)}, too large for a number"
        raise ValueError(f"{reason}; give {wanted}") from None


def positive_real(value: Any, what: str) -> float:
    """Return `value` as a positive float whose square is finite."""
    number = real(value, what, "a positive number")
    if not 0 < number <= names.SCORE_MAX:
        most = f" of at most {names.SCORE_MAX:g}" if number > 0 else ""
        raise ValueError(f"{what} is {quoted(value)}; give a positive number{most}")
    return number


def reals(values: Any, what: str, wanted: str = "numbers") -> np.ndarray:
    """Return `values` as an array of floats."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} is {quoted(values)}; give {wanted}") from None
    no_times(np.asarray(values).dtype, what)
    return array


def no_times(dtype: Any, name: str) -> None:
    """Refuse dates and durations: as a number a missing one is -9.2e18."""
    if dtype.kind in "mM":
        right = "seconds, such as column.dt.total_seconds()" if dtype.kind == "m" else "numbers"
        raise ValueError(
            f"{name} holds {'dates' if dtype.kind == 'M' else 'durations'}; give {right}"
        )


def flag(value: Any, what: str) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{what} is {quoted(value)}; give True or False")
    return bool(value)


def label(value: Any, what: str, wanted: str = "text") -> str:
    """Return a text that names one thing, such as a column."""
    if not isinstance(value, str):
        raise ValueError(f"{what} is {quoted(value)}; give {wanted}")
    return value


def labels(value: Any, what: str, wanted: str = "text, or a list of texts") -> tuple[str, ...]:
    """Return one text or several as a tuple."""
    values = (value,) if isinstance(value, str) else value
    several = isinstance(values, Iterable) and getattr(values, "ndim", 1) == 1
    if not several or isinstance(values, bytes | Mapping | Iterator):
        raise ValueError(f"{what} is {quoted(value)}; give {wanted}")
    return tuple(label(one, what, wanted) for one in values)


def path(value: Any, what: str = "path") -> Path:
    """Return the name of a file as a path."""
    if not isinstance(value, str | Path):
        raise ValueError(f"{what} is {quoted(value)}; give the name of a file")
    return Path(value)


def probability(value: float, what: str) -> float:
    """Return `value` as a float strictly between 0 and 1."""
    number = real(value, what)
    if not 0 < number < 1:
        hint = f", such as {number / 100:g} for {number:g}%" if 1 < number < 100 else ""
        right = f"give a number between 0 and 1, both excluded{hint}"
        raise ValueError(f"{what} is {quoted(value)}; {right}")
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
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what}s are {quoted(values)}; give numbers between 0 and 1") from None
    bad = ~((array >= 0) & (array <= 1))
    if bad.any():
        reason = f"{what} {array[bad].flat[0]} is outside 0 and 1"
        raise ValueError(f"{reason}; a p-value is a probability")
    return array


def rope(value: float, what: str = "rope") -> float:
    """Return the half width of the region of practical equivalence, in [0, 1)."""
    number = real(value, what)
    if not 0 <= number < 1:
        hint = f", such as {number / 100:g} for {number:g}%" if 1 <= number < 100 else ""
        raise ValueError(f"{what} is {value}; give a number from 0 up to, not including, 1{hint}")
    return number


def margin(value: float, what: str = "margin", unit: str = "the score") -> float:
    """Return a score difference of at least 0, such as that up to which two scores tie."""
    number = real(value, what)
    if not (number >= 0 and math.isfinite(number)):
        raise ValueError(f"{what} is {value}; give a number of at least 0, in units of {unit}")
    return number


def whole(value: int, what: str, least: int = 1, most: int = names.SIZE_MAX) -> int:
    """Return `value` as an int of at least `least` and at most `most`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{what} is {quoted(value)}; give a whole number of at least {least}")
    if value > most:
        raise ValueError(f"{what} is {quoted(value)}; give at most {most:,}")
    return int(value)


def prior(
    value: Any, length: int = 3, labels: Sequence[str] = names.OUTCOMES, what: str = "prior"
) -> tuple[float, ...]:
    """Return Dirichlet parameters: a name of `names.PRIORS` or `length` positive numbers."""
    if value is None:
        value = names.PRIOR
    choices = f"a name ({', '.join(names.PRIORS)}) or one number per outcome"
    if isinstance(value, str) and value == names.SKEPTICAL:
        reason = f"{what}={value!r} follows the ties of the data, and there are none here"
        raise ValueError(f"{reason}; give {choices}")
    if isinstance(value, str):
        value = names.PRIORS[one_of(value, (*names.PRIORS, names.SKEPTICAL), what)]
    try:
        numbers = tuple(float(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} is {quoted(value)}; give {choices}") from None
    if len(numbers) == 3 and length == 2:
        numbers = numbers[:2]
    if len(numbers) != length:
        there, wanted = numbered(len(numbers), "number"), ", ".join(labels[:length])
        raise ValueError(f"{what} has {there}; give {length}, for {wanted}")
    for label, number in zip(labels, numbers, strict=False):
        if not (number > 0 and math.isfinite(number)):
            right = f"every {what} number must be positive"
            raise ValueError(f"{what} for {label} is {number}; {right}")
        if number > names.MOST_PRIOR:
            reason = f"{what} for {label} is {number:g}; give at most {names.MOST_PRIOR:g}"
            raise ValueError(f"{reason}, so many items that no data could speak against it")
    return numbers


def positive(values: Any, what: str) -> np.ndarray:
    """Return `values` as a float array whose entries are all positive and finite."""
    array = reals(values, what, "positive numbers")
    bad = ~(np.isfinite(array) & (array > 0))
    if bad.any():
        right = "every value must be positive and finite"
        raise ValueError(f"{what} holds {array[bad].flat[0]}; {right}")
    return array


def fit(labels: Iterable[Any], what: str) -> None:
    """Refuse labels with what no name may hold, such as U+0000, and a system without a name."""
    texts = [label for label in labels if isinstance(label, str)]
    k = text.first_flawed(texts)
    if k is not None:
        raise ValueError(f"{what} {texts[k]!r} {text.flaw(texts[k])}")
    if what in (names.SYSTEM, *names.SQUARE, "table") and not all(map(str.strip, texts)):
        k = next(k for k, label in enumerate(texts) if not label.strip())
        place = f"{k + 1} of {len(texts)}"
        raise ValueError(f"{what} {place} is {quoted(texts[k])}, blank; give it a name")


def not_nested(values: Iterable[Any], what: str, right: str = "give one label") -> None:
    """Refuse a list, a tuple, a set or a mapping where each value is one label."""
    for k, value in enumerate(values):
        if isinstance(value, list | tuple | set | frozenset | dict):
            raise ValueError(f"{what} {k + 1} is a {type(value).__name__}; {right}")


def unique(labels: Iterable[Hashable], what: str) -> None:
    """Refuse labels that occur twice, or hold what no name may; also systems that would be printed
    alike.
    """
    labels = list(labels)
    fit(labels, what)
    same: dict[Hashable, Hashable] = {}
    for label in labels:
        printed: Hashable = label
        if what == "system" and isinstance(label, str):
            printed = " ".join(label.split())
        if printed not in same:
            same[printed] = label
        elif same[printed] == label:
            right = f"every {what} needs its own name"
            raise ValueError(f"{what} {label!r} occurs more than once; {right}")
        else:
            both = f"systems {same[printed]!r} and {label!r}"
            raise ValueError(f"{both} differ only in white space; give them other names")


_FEWEST = ContextVar("fewest systems", default=2)


@contextmanager
def one_system() -> Generator[None]:
    """One system is enough, as for the noise of its runs; also a decorator."""
    token = _FEWEST.set(1)
    try:
        yield
    finally:
        _FEWEST.reset(token)


def too_few(systems: Sequence[Hashable]) -> bool:
    """Whether these are fewer than two systems, or none where one is enough."""
    return len(systems) < _FEWEST.get()


def at_least_two(systems: Sequence[Hashable]) -> None:
    """Refuse data with fewer than two systems."""
    if too_few(systems):
        number = f"only {systems[0]!r}" if len(systems) else "no system"
        raise ValueError(f"a comparison needs at least two systems; found {number}")


def several_systems(systems: Sequence[Hashable]) -> None:
    """Refuse fewer than two systems, and two of the same name."""
    unique(systems, "system")
    at_least_two(systems)


def nonnegative_integers(values: Any, what: str) -> np.ndarray:
    """Return `values` as int64; refuse negative, fractional, missing and inexact numbers."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        raise ValueError(f"{what} are {quoted(values)}; give whole numbers") from None
    if isinstance(values, list | tuple):
        refuse_rounded(values, what)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{what} are {array.dtype}; give whole numbers")
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array) | (array != np.floor(array))
        if bad.any():
            raise ValueError(f"{what} hold {array[bad].flat[0]}; give whole numbers")
    if (array < 0).any():
        raise ValueError(f"{what} hold {array[array < 0].flat[0]}; a count is at least 0")
    exactly_countable(array, what)
    return array.astype(np.int64)


def exactly_countable(array: np.ndarray, what: str) -> None:
    """Refuse numbers above 2^53, or floats of that size: which of several whole numbers was meant
    is lost, and sums of them wrap.
    """
    large = array >= names.EXACT if array.dtype.kind == "f" else array > names.EXACT
    if large.any():
        raise _too_large(what, str(array[large].flat[0]))


def refuse_rounded(values: Iterable[Any], what: str) -> None:
    """Refuse whole numbers that an array of floats would round, and one of ints wrap."""
    for value in values:
        if isinstance(value, int | np.integer) and abs(int(value)) > names.EXACT:
            raise _too_large(what, quoted(int(value)))


def _too_large(what: str, value: str) -> ValueError:
    most = f"give at most {names.EXACT:,} in size"
    return ValueError(f"{what} hold {value}, too large to be exact; {most}")


def for_scores_only(*, missing: str, margin: float) -> None:
    """Refuse what can only be asked of scores, given counts."""
    if one_of(missing, names.MISSING, "missing") != "pairwise":
        why = "these are counts, in which nothing can be missing"
        raise ValueError(f"missing={missing!r} is for scores; {why}")
    if real(margin, "margin"):
        why = "these are counts, whose ties are settled"
        raise ValueError(f"margin={margin:g} is for scores; {why}")


def sampled_pairs(number: int, instead: str) -> None:
    """Refuse more pairs than are sampled jointly; `instead` says what to do."""
    if number > names.MCMC_PAIRS_MAX:
        raise ValueError(
            f"{number} pairs are more than the {names.MCMC_PAIRS_MAX} that are sampled jointly; "
            f"{instead}"
        )


def same_items(values: dict[str, Any], items: str) -> None:
    """Refuse two Series or one-dimensional DataArrays that name other items, or in another order;
    what names none is joined by place.
    """
    labels: list[Any] = []
    for value in values.values():
        index = getattr(value, "index", None)  # of a Series; that of a list is a method
        if getattr(value, "ndim", 0) == 1 and hasattr(value, "indexes"):
            index = value.indexes.get(value.dims[0])
        labels.append(None if index is None or callable(index) else list(index))
    if any(own is None for own in labels) or labels[0] == labels[1]:
        return
    both = " and ".join(values)
    if len(labels[0]) != len(labels[1]):
        raise ValueError(
            f"{both} name {len(labels[0])} and {len(labels[1])} {items}; give the same"
        )
    k = next(k for k, (p, q) in enumerate(zip(*labels, strict=True)) if p != q)
    raise ValueError(
        f"{both} name different {items}: {labels[0][k]!r} and {labels[1][k]!r} at place {k + 1}"
    )


def not_against_itself(a: Hashable, b: Hashable, where: str) -> None:
    """Refuse a row that compares a system with itself."""
    if a == b:
        raise ValueError(f"{where}: {a!r} is compared with itself; give two different systems")
