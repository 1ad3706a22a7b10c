"""Parse JSON and refuse repeated keys, nearly as fast as json alone."""

import json
import sys
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from betterthan.io.problems import shown

_FIRST = 50  # objects of which it is looked what they hold
_LARGE = 2**15  # bytes from which counting keys is faster than looking at each object
_PIECE = 2**17  # bytes that are counted at a time, and stay in the processor's cache
_QUOTE, _COLON, _BACKSLASH = (ord(sign) for sign in '":\\')
_BLANK = 32  # and what is below, such as line ends
_SPACE = " \t\n\r"  # of JSON


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


# the value that begins at a place, and where it ends; of the first a key may be there twice
any_keys = json.JSONDecoder().raw_decode
decode_unique = json.JSONDecoder(object_pairs_hook=unique_keys).raw_decode


def loads(data: bytes) -> Any:
    """The value in some bytes.

    Raises
    ------
    RepeatedKeyError
        If a key stands twice in one object.
    ValueError
        If the bytes are no JSON.

    Notes
    -----
    As many keys in the objects as in the text: then none was given twice. Where the keys of the
    text cannot be counted, or the numbers differ, each object is looked at by itself.

    Examples
    --------
    >>> loads(b'[{"a": 1}, {"a": {"b": "c"}}]')
    [{'a': 1}, {'a': {'b': 'c'}}]
    """
    if len(data) >= _LARGE:
        value = json.loads(data)
        if keys_written(data) == count_keys([value]):
            return value
    try:  # as most are: in UTF-8, and one value from the first letter on
        text = data.decode()
        value, end = decode_unique(text)
        if not text[end:].strip(_SPACE):
            return value
    except ValueError:
        pass
    return json.loads(data, object_pairs_hook=unique_keys)


def keys_written(data: bytes) -> int:
    r"""How many keys stand in a text of JSON, or more; -1 where that cannot be said.

    The quote that ends a key stands right before a colon. A quote after one backslash is part of a
    text, as in ``"a \": b"``.

    Examples
    --------
    >>> keys_written(b'{"a": 1, "b": "\\": c"}'), keys_written(b'{"a" : 1}')
    (2, -1)
    """
    signs = np.frombuffer(data, np.uint8)
    count = 0
    for begin in range(0, len(data), _PIECE):
        colons = np.flatnonzero(signs[begin : begin + _PIECE] == _COLON) + begin
        last, second_last, third_last = (signs.take(colons - k, mode="clip") for k in (1, 2, 3))
        blank = (last <= _BLANK) & (
            (second_last <= _BLANK) | (second_last == _QUOTE)
        )  # may stand behind a key
        quoted = last == _QUOTE
        escaped = quoted & (second_last == _BACKSLASH)
        if blank.any() or (escaped & (third_last == _BACKSLASH)).any():
            return -1
        count += int(np.count_nonzero(quoted) - np.count_nonzero(escaped))
    return count


def count_keys(values: list[Any]) -> int:
    """How many keys the objects in some values have, or fewer: objects are looked for where one of
    the first objects has one.
    """
    kinds = set(map(type, values))
    objects = values if kinds == {dict} else [value for value in values if type(value) is dict]
    count = sum(map(len, objects))
    for key in dict.fromkeys(
        k for value in objects[:_FIRST] for k, v in value.items() if _holds(v)
    ):
        count += count_keys(_under(objects, key))
    lists = [value for value in values if type(value) is list] if list in kinds else []
    return count + (count_keys(list(chain.from_iterable(lists))) if lists else 0)


def _under(objects: list[dict[str, Any]], key: str) -> list[Any]:
    """Return the values of a key in the objects that have it."""
    try:
        return list(map(itemgetter(key), objects))  # as a rule all have it
    except KeyError:
        return [obj[key] for obj in objects if key in obj]


def _holds(value: Any) -> bool:
    return type(value) is dict or type(value) is list


def unreadable(error: ValueError) -> str:
    """Why valid JSON cannot be read, without advice for programmers."""
    if "int_max_str_digits" in str(error):
        return f"a number of more than {sys.get_int_max_str_digits():,} digits"
    return getattr(error, "reason", str(error))
