"""The fields of one big JSON object as they come, and the elements of its lists one by one, under
bounded memory.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from betterthan.io import expanding
from betterthan.io.problems import problem

WINDOW = 2**20  # bytes read at a time
_BLANK: Any = re.compile(r"\s*")
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
    window = _Window(file, name)
    window.expect("{")
    if window.skip("}"):
        return
    while True:
        key = window.value()
        window.expect(":")
        if key in lists and window.skip("["):
            for element in _elements(window):
                yield key, element
        else:
            yield key, window.value()
        if not window.skip(","):
            window.expect("}")
            return


def listed(file: BinaryIO, name: str) -> Iterator[Any]:
    """The elements of the one list in a file.

    Examples
    --------
    >>> import io
    >>> list(listed(io.BytesIO(b'[{"a": 1}, 2]'), "log.json"))
    [{'a': 1}, 2]
    """
    window = _Window(file, name)
    window.expect("[")
    yield from _elements(window)


def _elements(window: "_Window") -> Iterator[Any]:
    if window.skip("]"):
        return
    while True:
        yield window.value()
        if not window.skip(","):
            window.expect("]")
            return


class _Window:
    """A part of a text that moves on, and grows where a value is longer."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._scan = json.JSONDecoder().raw_decode
        self._text, self._at, self._ended, self._passed = "", 0, False, 0

    def skip(self, mark: str) -> bool:
        """Whether this mark comes next; then it is passed over."""
        if self._next() != mark:
            return False
        self._at += 1
        return True

    def expect(self, mark: str) -> None:
        """Pass over a mark that must come next."""
        if not self.skip(mark):
            raise self._wrong(f"Expecting '{mark}'", self._at)

    def value(self) -> Any:
        """The value that comes next."""
        self._next()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or error.pos + _SLACK > len(self._text)
                if self._ended or not cut:
                    raise self._wrong(error.msg, error.pos) from None
            except (ValueError, RecursionError) as error:
                deep = isinstance(error, RecursionError)
                why = "nested too deeply" if deep else str(error)
                raise problem(self._name, f"not readable as JSON ({why})") from None
            else:
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
            self._more()

    def _next(self) -> str:
        while True:
            self._at = _BLANK.match(self._text, self._at).end()
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more()

    def _more(self) -> None:
        """Read on, as much again as is kept, so that a long value is not scanned often."""
        kept = self._text[self._at :]
        if len(kept) > expanding.MOST_BYTES:
            raise problem(self._name, f"holds a value of more than {expanding.MOST_BYTES:,} bytes")
        raw = self._file.read(max(WINDOW, len(kept)))
        try:
            more = self._decode(raw, not raw)
        except UnicodeDecodeError as error:
            raise problem(self._name, f"not readable as UTF-8 ({error.reason})") from None
        self._passed += self._at
        self._text, self._at, self._ended = kept + more, 0, not raw

    def _wrong(self, what: str, at: int) -> ValueError:
        place = self._passed + at + 1
        return problem(
            self._name, f"not valid JSON ({what}, character {place:,}); is the file cut?"
        )
