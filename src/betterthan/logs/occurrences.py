"""Number items that occur more than once."""

from collections.abc import Hashable, Iterable

from betterthan.text import escaped

_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


def occurrences(keys: Iterable[Hashable]) -> list[int]:
    """How often each key came before.

    Examples
    --------
    >>> occurrences("abaa")
    [0, 0, 1, 2]
    """
    counts: dict[Hashable, int] = {}
    numbers = []
    for key in keys:
        numbers.append(counts.get(key, 0))
        counts[key] = numbers[-1] + 1
    return numbers


def numbered(name: str, occurrence: int) -> str:
    """A name with its number, from the second on.

    Examples
    --------
    >>> numbered("1+1", 0), numbered("1+1", 1), numbered("1+1", 10)
    ('1+1', '1+1 (2nd)', '1+1 (11th)')
    """
    n = occurrence + 1
    end = "th" if n % 100 in (11, 12, 13) else _SUFFIXES.get(n % 10, "th")
    return name if n == 1 else f"{name} ({n}{end})"


def make_id(text: str, content: bytes) -> str:
    """An id for what has none: its text, cut, and the first of its digest, which tells it apart.

    Examples
    --------
    >>> make_id("1+1", bytes(16))
    '1+1 #000000000000'
    """
    plain = " ".join(escaped(text).split())
    short = plain if len(plain) <= 40 else f"{plain[:37]}..."
    return f"{short} #{content.hex()[:12]}".strip()
