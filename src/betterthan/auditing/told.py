"""List systems, items and settings in a message: the first few, and how many more."""

from collections.abc import Mapping, Sequence
from typing import Any

from betterthan.auditing.finding import MAX_LISTED
from betterthan.io.problems import printable

_LONGEST = 40


def some(values: Sequence[Any], most: int = MAX_LISTED) -> str:
    """The first few, plainly."""
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(short(v) for v in values[:most]) + more


def both(values: Sequence[Any]) -> str:
    """Join values, with "and" between the last two."""
    texts = [short(v) for v in values[:MAX_LISTED]]
    if len(values) > MAX_LISTED:
        return ", ".join(texts) + f" and {len(values) - MAX_LISTED} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def short(value: Any) -> str:
    """A value on one line, cut."""
    text = printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def shares(counts: Mapping[str, tuple[int, int]]) -> str:
    """``alpha 1 of 18, beta 4 of 18``; of many, those with the most first."""
    if len(counts) > MAX_LISTED:
        counts = dict(sorted(counts.items(), key=lambda pair: -pair[1][0]))
    return some([f"{name} {n} of {total}" for name, (n, total) in counts.items()])


def fraction(n: int, total: int, noun: str) -> str:
    """``1 of 6 items``, ``1 of 1 item``."""
    return f"{n} of {total} {noun}{'' if total == 1 else 's'}"


def are(n: int, singular: str = "is", plural: str = "are") -> str:
    """Choose the verb for a number."""
    return singular if n == 1 else plural
