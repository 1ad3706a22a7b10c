"""JSON and JSON Lines: no key twice, big objects field by field, and records into columns."""

import codecs
import io
import json
import re
import sys
from array import array
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, BinaryIO

import numpy as np

from betterthan.io import compression
from betterthan.io.compression import refuse_crowded
from betterthan.io.problems import problem, quoted
from betterthan.io.table import Table, make_table, refuse_large
from betterthan.text import VANISHES, vanishes

_FIRST = 4  # objects of which it is looked first what they hold
_LARGE = 2**15  # bytes from which counting keys is faster than looking at each object
_HOLDERS = frozenset({dict, list})
_PIECE = 2**17  # bytes that are counted at a time, and stay in the processor's cache
_QUOTE, _COLON, _BACKSLASH = (ord(sign) for sign in '":\\')
_BLANK = 32  # and what is below, such as line ends
SPACE = " \t\n\r"  # of JSON


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
        raise RepeatedKeyError(quoted(next(key for key in keys if keys.count(key) > 1)))
    return record


class _VanishingError(ValueError):
    """A number differs from 0 as it is written, and is 0 as a float."""


def _float(literal: str) -> float:
    value = float(literal)
    if value == 0 and vanishes(literal):
        raise _VanishingError(literal)
    return value


# the value that begins at a place, and where it ends; of the first a key may be there twice
_ANY = json.JSONDecoder(parse_float=_float)
any_keys = _ANY.raw_decode
_UNIQUE = json.JSONDecoder(object_pairs_hook=unique_keys, parse_float=_float)
decode_unique = _UNIQUE.raw_decode


def loads(data: bytes) -> Any:
    """The value in some bytes.

    Raises
    ------
    RepeatedKeyError
        If a key occurs twice in one object.
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
        value = _ANY.decode(data.decode(json.detect_encoding(data), "surrogatepass"))
        if _keys_are_unique(data, [value]):
            return value
    try:  # as most are: in UTF-8, and one value from the first letter on
        text = data.decode()
        value, end = decode_unique(text)
        if not text[end:].strip(SPACE):
            return value
    except ValueError:
        pass
    return json.loads(data, object_pairs_hook=unique_keys, parse_float=_float)


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
        colons = colons[np.searchsorted(colons, 2) :]  # no key ends before the third byte
        last, second_last = signs[colons - 1], signs[colons - 2]
        blank = last <= _BLANK
        if (blank & ((second_last <= _BLANK) | (second_last == _QUOTE))).any():
            return -1  # a blank may stand behind a key
        quoted = last == _QUOTE
        escaped = colons[quoted & (second_last == _BACKSLASH)]
        if (signs[escaped - 3] == _BACKSLASH).any():
            return -1
        count += int(np.count_nonzero(quoted)) - len(escaped)
    return count


def count_keys(values: list[Any], first: int | None = None) -> int:
    """How many keys the objects in some values have; or fewer, where objects are looked for under
    the keys that hold one in the `first` objects.
    """
    kinds = set(map(type, values))
    objects = values if kinds == {dict} else [value for value in values if type(value) is dict]
    count = sum(map(len, objects))
    for key in {k for value in objects[:first] for k, v in value.items() if type(v) in _HOLDERS}:
        count += count_keys(_under(objects, key), first)
    lists = [value for value in values if type(value) is list] if list in kinds else []
    return count + (count_keys(list(chain.from_iterable(lists)), first) if lists else 0)


def _keys_are_unique(text: bytes, values: list[Any]) -> bool:
    """Whether no object has a key twice in the text; False also where that is not known."""
    try:
        written = keys_written(text)
        return written == count_keys(values, _FIRST) or written == count_keys(values)
    except RecursionError:
        return False


def _under(objects: list[dict[str, Any]], key: str) -> list[Any]:
    """Return the values of a key in the objects that have it."""
    try:
        return list(map(itemgetter(key), objects))  # as a rule all have it
    except KeyError:
        return [obj[key] for obj in objects if key in obj]


_MORE = "Extra data"  # what the library says of a second object
NOT_READ = (ValueError, RecursionError, RepeatedKeyError)  # what reading JSON raises


def _line_hint(source: str) -> str:
    """What is right where more follows an object."""
    if ".jsonl" in source:
        return "; give one object a line"
    return "; if each line is an object, name the file .jsonl"


def json_problem(error: Exception, source: str, row: int | None, hint: str = "") -> ValueError:
    """Why JSON could not be read, as a refusal; the hint is for what is no JSON."""
    if isinstance(error, json.JSONDecodeError):
        hint = _line_hint(source) if error.msg == _MORE else hint
        reason = f"not valid JSON ({error.msg}, character {error.colno}){hint}"
        return problem(source, reason, row=row or error.lineno)
    if isinstance(error, RepeatedKeyError):
        return problem(source, f"the key {error} occurs twice in one object", row=row)
    why = getattr(error, "reason", str(error))
    if isinstance(error, RecursionError):
        why = "nested too deeply"
    elif "int_max_str_digits" in why:
        why = f"a number of more than {sys.get_int_max_str_digits():,} digits"
    elif isinstance(error, _VanishingError):
        why = f"{quoted(why)} is {VANISHES}"
    return problem(source, f"not readable as JSON ({why})", row=row)


def unread_number(text: str, error: ValueError, start: int = 0) -> int:
    """Where the next number begins that cannot be read: of too many digits, or named by `error`."""
    long = rf"\d{{{sys.get_int_max_str_digits() + 1}}}"
    pattern = re.escape(str(error)) if isinstance(error, _VanishingError) else long
    match = re.compile(pattern).search(text, start)
    return start if match is None else match.start()


WINDOW = 2**20  # bytes read at a time
_BLANKS: Any = re.compile(r"[ \t\n\r]*")
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
    keys: set[str] = set()
    for _ in window.entries("}"):
        key = window.value()
        if key in keys:
            raise problem(name, f"the key {quoted(key)} occurs twice in one object")
        keys.add(key)
        window.expect(":")
        if key in lists and window.skip("["):
            for element in elements(window):
                yield key, element
        else:
            value = window.value()
            _refuse_no_list(key, value, name, lists)
            yield key, value
    window.end()


def fields_of(
    value: dict[str, Any], name: str, lists: frozenset[str]
) -> Iterator[tuple[str, list[Any]]]:
    """The fields of an object that was parsed, each as a list: of those in `lists` the elements.

    Examples
    --------
    >>> list(fields_of({"a": 1, "samples": [{"id": 1}]}, "log.json", frozenset({"samples"})))
    [('a', [1]), ('samples', [{'id': 1}])]
    """
    for key, part in value.items():
        if key in lists and isinstance(part, list):
            yield key, part
        else:
            _refuse_no_list(key, part, name, lists)
            yield key, [part]


def _refuse_no_list(key: str, value: Any, name: str, lists: frozenset[str]) -> None:
    """Refuse a field whose elements are wanted, if it is neither a list nor null."""
    if key in lists and value is not None:
        raise problem(name, f"{key} is no list", value=value)


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
    for _ in window.entries("]"):
        yield from window.several()
        yield window.value()


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

    def entries(self, end: str) -> Iterator[None]:
        """Once for each entry, which the caller passes over, up to the mark that ends them."""
        if not self.skip(end):
            yield
            while self.skip(","):
                yield
            self.expect(end)

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
            except NOT_READ as error:
                row = None
                if isinstance(error, ValueError):
                    row = self._place(unread_number(self._text, error, self._at))[0]
                raise json_problem(error, self._name, row) from None
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
        if not _keys_are_unique(text, values):
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
        except NOT_READ:
            pass  # which `value` reads again
        return values, position

    def next(self) -> str:
        """The mark that comes next, nothing at the end."""
        mark = self._text[self._at : self._at + 1]
        if mark > " ":
            return mark
        while True:
            self._at = _BLANKS.match(self._text, self._at).end()
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._more()

    def _more(self) -> None:
        """Read more of the file: as much as is buffered, so that a long value is not rescanned
        often.
        """
        remaining = self._text[self._at :]
        if len(remaining) > compression.MOST_BYTES:
            reason = f"holds a value of more than {compression.MOST_BYTES:,} bytes"
            raise problem(self._name, reason)
        raw = self._file.read(max(WINDOW, len(remaining)))
        try:
            more = self._decode(raw, not raw)
        except UnicodeDecodeError as error:
            raise problem(self._name, f"not readable as UTF-8 ({error.reason})") from None
        self._line, self._column = self._place(self._at)
        self._text, self._at, self._ended = remaining + more, 0, not raw
        if len(remaining) > _LONG:
            compression.refuse_crowded(self._text.encode(), self._name)

    def _place(self, position: int) -> tuple[int, int]:
        """Return line and column of a character."""
        lines = self._text.count("\n", 0, position)
        if not lines:
            return self._line, self._column + position
        return self._line + lines, position - self._text.rfind("\n", 0, position)

    def _wrong(self, message: str, position: int) -> ValueError:
        """Return the error for invalid JSON at a position."""
        line, column = self._place(position)
        right = _line_hint(self._name) if message == _MORE else "; is the file cut?"
        message = f"not valid JSON ({message}, character {column:,}){right}"
        return problem(self._name, message, row=line)


_decode = _UNIQUE.decode
_BLOCK = 512  # records that are put into columns together
_SHARED = {str, int}  # and not what equals an int


def parse_json_lines(data: bytes, source: str) -> Table:
    """The table in JSON Lines in UTF-8; rows are numbered by line."""
    columns, rows = _Columns(source, len(data)), array("q")
    lines = io.BytesIO(data)
    lines.seek(len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    for row, line in enumerate(lines, start=1):
        if not line.isspace() and (text := line.decode()).strip():
            refuse_crowded(line, source, row)
            columns.add(value_of(text, source, row), row)
            rows.append(row)
    return columns.table(rows)


def parse_json(data: bytes, source: str) -> Table:
    """The table in a JSON list of objects in UTF-8; rows are numbered by object, from 1."""
    columns, window = _Columns(source, len(data)), Window(io.BytesIO(data), source)
    if window.next() and not window.skip("["):
        window.value()
        window.end()
        reason = "is not a list of objects; give [{...}, {...}], or one object a line as .jsonl"
        raise problem(source, reason)
    for row, record in enumerate(elements(window) if window.next() else (), start=1):
        columns.add(record, row)
    window.end()
    return columns.table(range(1, columns.size + 1))


class _Columns:
    """The cells of records by their keys; one that a record lacks is a blank cell."""

    def __init__(self, source: str, length: int) -> None:
        self._source, self.size = source, 0
        self._blanks = compression.most_blanks(length)
        self._filled = 0
        self._last: list[dict[str, Any]] = []  # that are in no column yet
        self._begin: dict[str, int] = {}
        self._cells: dict[str, list[Any]] = {}

    def add(self, record: Any, row: int) -> None:
        """Add a record, which must be an object."""
        if not isinstance(record, dict):
            reason = "is not an object; give {column: value, ...}"
            raise problem(self._source, reason, row=row, value=record)
        self._last.append(record)
        self.size += 1
        if len(self._last) == _BLOCK:
            self._put()

    def _put(self) -> None:
        """Put the last records into columns."""
        records, self._last = self._last, []
        done = self.size - len(records)
        keys = dict.fromkeys(chain.from_iterable(records))
        self._filled += sum(map(len, records))
        self._refuse_large({*keys, *self._cells})
        for key in keys:
            begin, cells = self._begin.setdefault(key, done), self._cells.setdefault(key, [])
            cells += [None] * (done - begin - len(cells))
            cells += _shared([record.get(key) for record in records])

    def table(self, rows: Sequence[int]) -> Table:
        """All of them; `rows` are the numbers of their rows."""
        if not self.size:
            raise problem(self._source, "is empty; give one object for each item, pair or vote")
        self._put()
        for key, cells in self._cells.items():
            if begin := self._begin[key]:
                cells[:0] = [None] * begin
            cells += [None] * (self.size - len(cells))
        return make_table(self._source, list(self._cells), list(self._cells.values()), rows)

    def _refuse_large(self, keys: Collection[str]) -> None:
        """Refuse keys that few objects share, before they take memory."""
        refuse_large(self._source, objects=self.size, keys=len(keys))
        if self.size * len(keys) - self._filled > self._blanks:
            reason = (
                f"holds {self.size:,} objects with {len(keys):,} keys, of which most lack most; "
                "give each cell a row with item, system and score"
            )
            raise problem(self._source, reason, row=self.size)


def _shared(cells: list[Any]) -> list[Any]:
    """The cells; equal items of lists in them, such as rankings, are in memory once."""
    values: dict[Any, Any] = {}
    return [
        [values.setdefault(x, x) if type(x) in _SHARED else x for x in cell]
        if type(cell) is list
        else cell
        for cell in cells
    ]


def value_of(text: str, source: str, row: int | None) -> Any:
    """The value in a text of JSON; what is wrong with it is said with its row."""
    try:
        return _decode(text)
    except NOT_READ as error:
        raise json_problem(error, source, row) from None
