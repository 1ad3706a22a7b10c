"""Objects of JSON of which no key may be given twice, where json alone would keep the last."""

from typing import Any

from betterthan.io.problems import shown


class RepeatedKeyError(Exception):
    """A key occurs twice in one object."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no key was given twice.

    Examples
    --------
    >>> unique_keys([("a", 1), ("b", 2)])
    {'a': 1, 'b': 2}
    """
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(shown(next(key for key in keys if keys.count(key) > 1)))
    return record
