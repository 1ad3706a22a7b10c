"""Lists of systems, items and settings in a message: the first few, and how many more."""

from collections.abc import Mapping, Sequence
from typing import Any

from betterthan.auditing.finding import SHOWN
from betterthan.io.problems import printable

_LONGEST = 40


def some(values: Sequence[Any], most: int = SHOWN) -> str:
    """The first few, plainly."""
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(short(v) for v in values[:most]) + more


def both(values: Sequence[Any]) -> str:
    """Values with an "and" between the last two."""
    told = [short(v) for v in values[:SHOWN]]
    if len(values) > SHOWN:
        return ", ".join(told) + f" and {len(values) - SHOWN} more"
    return " and ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else "".join(told)


def short(value: Any) -> str:
    """A value on one line, cut."""
    text = printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def shares(counts: Mapping[str, tuple[int, int]]) -> str:
    """``alpha 1 of 18, beta 4 of 18``; of many, those with the most first."""
    if len(counts) > SHOWN:
        counts = dict(sorted(counts.items(), key=lambda pair: -pair[1][0]))
    return some([f"{name} {n} of {of}" for name, (n, of) in counts.items()])


def of(n: int, whole: int, noun: str) -> str:
    """``1 of 6 items``, ``1 of 1 item``."""
    return f"{n} of {whole} {noun}{'' if whole == 1 else 's'}"


def are(n: int, one: str = "is", more: str = "are") -> str:
    """The verb for so many."""
    return one if n == 1 else more
