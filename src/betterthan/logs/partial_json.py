"""As much of a JSON value as its first characters tell."""

import json
import re
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]|[^\s{}\[\],:"]+', re.DOTALL)
_LITERALS = {"true": True, "false": False, "null": None}
_DEEPEST = 64


def partial(text: str) -> tuple[Any, int]:
    """The first value in `text`, with what is cut off left out; and where it ends, -1 where that is
    beyond the text.

    Raises
    ------
    ValueError
        If the text is not the beginning of JSON.

    Examples
    --------
    >>> partial('{"eval": {"model": "m", "ta')
    ({'eval': {'model': 'm'}}, -1)
    >>> partial('{"a": 1} {"a": 2}')
    ({'a': 1}, 8)
    """
    try:
        start = len(text) - len(text.lstrip())
        value, end = json.JSONDecoder().raw_decode(text, start)
        return value, end
    except (ValueError, RecursionError):  # also a number of more digits than Python reads
        return _begun(text), -1


def _begun(text: str) -> Any:
    """What is there of a value that the text cuts."""
    top: Any = None
    inside: list[Any] = []
    key: str | None = None
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "}]":
            if not inside:
                raise ValueError("closes what was not opened")
            inside.pop()
        elif token.end() == len(text) and mark not in "{[":
            break  # a text or a number that may be longer
        elif not inside and (top is not None or mark not in "{["):
            raise ValueError("is no JSON object or list")
        elif inside and isinstance(inside[-1], dict) and key is None:
            key = _name(mark)
        else:
            value = {} if mark == "{" else [] if mark == "[" else _value(mark)
            top = value if top is None else top
            if inside:
                _put(inside[-1], key, value)
                key = None
            if mark in "{[":
                inside.append(value)
        if len(inside) > _DEEPEST:
            break
    if top is None:
        raise ValueError("is no JSON object or list")
    return top


def _name(mark: str) -> str:
    if not mark.startswith('"'):
        raise ValueError("is no JSON: the name of a value is no text")
    return str(_value(mark))


def _put(into: Any, key: str | None, value: Any) -> None:
    if isinstance(into, list):
        into.append(value)
    else:
        into[key] = value


def _value(mark: str) -> Any:
    if mark in _LITERALS:
        return _LITERALS[mark]
    try:
        return json.loads(mark)
    except (ValueError, RecursionError):
        return mark
