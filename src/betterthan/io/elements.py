"""The fields of one big JSON object as they come, and the elements of its lists one by one, under
bounded memory.
"""

import codecs
import json
import re
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from betterthan.io import expanding
from betterthan.io.problems import problem
from betterthan.io.unique_keys import (
    RepeatedKeyError,
    any_keys,
    count_keys,
    decode_unique,
    keys_written,
    unreadable,
)

WINDOW = 2**20  # bytes read at a time
_BLANK: Any = re.compile(r"[ \t\n\r]*")
_COMMA: Any = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_SEVERAL = 500  # values
_LONG = 2**22  # characters of a value from which it is looked how much it holds
_SLACK = 16  # characters that a literal may be cut in


def fields(
    file: BinaryIO, name: str, lists: frozenset[str] = frozenset()
) -> Iterator[tuple[str, Any]]:
    """The fields of the one object in a file, in their order.

    Parameters
    ----------
    file : binary file
    name : str
        Of the file, for messages.
    lists : set of str
        Fields whose elements come one by one, each as a field of its own.

    Examples
    --------
    >>> import io
    >>> text = io.BytesIO(b'{"a": 1, "samples": [{"id": 1}, {"id": 2}]}')
    >>> list(fields(text, "log.json", frozenset({"samples"})))
    [('a', 1), ('samples', {'id': 1}), ('samples', {'id': 2})]
    """
    window = Window(file, name)
    window.expect("{")
    if window.skip("}"):
        window.end()
        return
    while True:
        key = window.value()
        window.expect(":")
        if key in lists and window.skip("["):
            for element in elements(window):
                yield key, element
        else:
            yield key, window.value()
        if not window.skip(","):
            window.expect("}")
            window.end()
            return


def listed(file: BinaryIO, name: str) -> Iterator[Any]:
    """The elements of the one list in a file.

    Examples
    --------
    >>> import io
    >>> list(listed(io.BytesIO(b'[{"a": 1}, 2]'), "log.json"))
    [{'a': 1}, 2]
    """
    window = Window(file, name)
    window.expect("[")
    yield from elements(window)
    window.end()


def elements(window: "Window") -> Iterator[Any]:
    """What stands in a list that was begun, up to its end."""
    if window.skip("]"):
        return
    while True:
        yield from window.several()
        yield window.value()
        if not window.skip(","):
            window.expect("]")
            return


class Window:
    """A part of a text that moves on, and grows where a value is longer."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text, self._at, self._ended = "", 0, False
        self._line, self._column = 1, 1  # where the text begins

    def skip(self, mark: str) -> bool:
        """Whether this mark comes next; then it is passed over."""
        if self.next() != mark:
            return False
        self._at += 1
        return True

    def expect(self, mark: str) -> None:
        """Pass over a mark that must come next."""
        if not self.skip(mark):
            raise self._wrong(f"Expecting '{mark}'", self._at)

    def end(self) -> None:
        """Refuse what comes next, where nothing may."""
        if self.next():
            raise self._wrong("Extra data", self._at)

    def value(self) -> Any:
        """The value that comes next."""
        self.next()
        while True:
            try:
                value, end = decode_unique(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos + _SLACK > len(self._text)
                if self._ended or not cut:
                    raise self._wrong(error.msg, error.pos) from None
            except (ValueError, RecursionError) as error:
                deep = isinstance(error, RecursionError)
                why = "nested too deeply" if deep else unreadable(error)
                row = None if deep else self._place(self._digits())[0]
                raise problem(self._name, f"not readable as JSON ({why})", row=row) from None
            except RepeatedKeyError as error:
                reason = f"the key {error} occurs twice in one object"
                raise problem(self._name, reason) from None
            else:
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
            self._more()

    def several(self) -> list[Any]:
        """The next values, as far as each and the comma behind it stand in the text: most of many
        small ones, which are read faster than one by one.
        """
        self.next()
        values, end = self._several(any_keys)
        text = self._text[self._at : end].encode("utf-8", "surrogatepass")
        if keys_written(text) != count_keys(values):
            values, end = self._several(decode_unique)
        self._at = end
        return values

    def _several(self, scan: Any) -> tuple[list[Any], int]:
        values: list[Any] = []
        position = self._at
        try:
            while len(values) < _SEVERAL:
                value, end = scan(self._text, position)
                if (comma := _COMMA.match(self._text, end)) is None:
                    break
                values.append(value)
                position = comma.end()
        except (ValueError, RecursionError, RepeatedKeyError):
            pass  # which `value` reads again
        return values, position

    def next(self) -> str:
        """The mark that comes next, nothing at the end."""
        mark = self._text[self._at : self._at + 1]
        if mark > " ":
            return mark
        while True:
            self._at = _BLANK.match(self._text, self._at).end()
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more()

    def _more(self) -> None:
        """Read more of the file: as much as is buffered, so that a long value is not rescanned
        often.
        """
        remaining = self._text[self._at :]
        if len(remaining) > expanding.MOST_BYTES:
            raise problem(self._name, f"holds a value of more than {expanding.MOST_BYTES:,} bytes")
        raw = self._file.read(max(WINDOW, len(remaining)))
        try:
            more = self._decode(raw, not raw)
        except UnicodeDecodeError as error:
            raise problem(self._name, f"not readable as UTF-8 ({error.reason})") from None
        self._line, self._column = self._place(self._at)
        self._text, self._at, self._ended = remaining + more, 0, not raw
        if len(remaining) > _LONG:
            expanding.refuse_crowded(self._text.encode(), self._name)

    def _place(self, position: int) -> tuple[int, int]:
        """Return line and column of a character."""
        lines = self._text.count("\n", 0, position)
        before = (
            self._column + position if not lines else position - self._text.rfind("\n", 0, position)
        )
        return self._line + lines, before

    def _digits(self) -> int:
        """Return the position of the next number with more digits than Python reads."""
        long = re.compile(rf"\d{{{sys.get_int_max_str_digits() + 1}}}")
        match = long.search(self._text, self._at)
        return self._at if match is None else match.start()

    def _wrong(self, message: str, position: int) -> ValueError:
        """Return the error for invalid JSON at a position."""
        line, column = self._place(position)
        message = f"not valid JSON ({message}, character {column:,}); is the file cut?"
        return problem(self._name, message, row=line)
