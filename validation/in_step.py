"""Numbers kept from an earlier run, held against those of today: which one is another, in words."""

from collections.abc import Iterator
from typing import Any

import numpy as np

SEED = 20261121
WHOLE = 12  # numbers up to which a vector is kept as it is
# Rounding differs between machines and libraries by 1e-12 or less, a changed constant by much more
# than this
RELATIVE = 1e-8
# ... and of a sum that cancels to about 0, rounding leaves some 1e-13 of terms of order 1 to 1000
ABSOLUTE = 1e-10


def what_differs(was: dict[str, Any], now: dict[str, Any]) -> str:
    """In one line the first number that is another one, and how many more; nothing if all agree.

    Examples
    --------
    >>> what_differs({"sampler": {"tune": 1000}}, {"sampler": {"tune": 500}})
    'tune of sampler: was 1000, is 500'
    >>> what_differs({"log_density": [-12.3]}, {"log_density": [-12.3 * (1 + 1e-12)]})
    ''
    """
    before, after = dict(_told(was)), dict(_told(now))
    places = [*before, *(place for place in after if place not in before)]
    apart = [place for place in places if not _same(before.get(place), after.get(place))]
    if not apart:
        return ""
    first = apart[0]
    more = f" (and {len(apart) - 1} more)" if len(apart) > 1 else ""
    return f"{first}: was {_printed(before.get(first))}, is {_printed(after.get(first))}{more}"


def short(values: Any) -> list[float]:
    """A few numbers that change when any of the values does: its length, its product with a fixed
    vector, its head.
    """
    flat = np.ravel(values).astype(float)
    if len(flat) <= WHOLE:
        return flat.tolist()
    fixed = np.random.default_rng(SEED).uniform(0.5, 1.5, size=len(flat))  # none of them near 0
    return [float(np.linalg.norm(flat)), float(fixed @ flat), *flat[:4].tolist()]


def _told(found: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Each number with its place in words: gradient of data set 2 at point 3, number 1."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from _told(
                value, f"{key.replace('_', ' ')} of {place}" if place else key.replace("_", " ")
            )
    elif isinstance(found, list):
        for k, value in enumerate(found):
            yield from _told(value, _numbered(place, k + 1))
    else:
        yield place, found


def _numbered(place: str, k: int) -> str:
    if place == "data sets":
        return f"data set {k}"
    if place.startswith(("log density of", "gradient of")) and " at point " not in place:
        return f"{place} at point {k}"
    return f"{place}, number {k}"


def _same(was: Any, now: Any) -> bool:
    if isinstance(was, float) or isinstance(now, float):
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (was, now))
        return numbers and bool(np.isclose(now, was, rtol=RELATIVE, atol=ABSOLUTE))
    return was == now


def _printed(value: Any) -> str:
    return (
        "not there"
        if value is None
        else f"{value:.12g}"
        if isinstance(value, float)
        else str(value)
    )
