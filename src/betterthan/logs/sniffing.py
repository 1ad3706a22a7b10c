"""What a file is, from its first bytes: never from its name."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from betterthan.io.compression import LINES, count_size, opened
from betterthan.io.json_records import NOT_READ, SPACE, decode_unique

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]|[^\s{}\[\],:"]+', re.DOTALL)
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
            if not mark.startswith('"'):
                raise ValueError("is no JSON: the name of a value is no text")
            key = str(_value(mark))
        else:
            value = {} if mark == "{" else [] if mark == "[" else _value(mark)
            top = value if top is None else top
            if inside and isinstance(inside[-1], list):
                inside[-1].append(value)
            elif inside:
                inside[-1][key], key = value, None
            if mark in "{[":
                inside.append(value)
        if len(inside) > _DEEPEST:
            break
    if top is None:
        raise ValueError("is no JSON object or list")
    return top


def _value(mark: str) -> Any:
    try:
        return json.loads(mark)
    except (ValueError, RecursionError):
        return mark


PREVIEW_BYTES = 2**16  # bytes that are looked at
JSON = ("object", "lines", "list")  # kinds of head
_MAGIC = {b"version https://git-lfs": "a Git LFS pointer", b"%PDF": "a PDF"}
_MAGIC |= dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "an image")
_ZIP, _PARQUET = b"PK", b"PAR1"
_WORD = re.compile(rb"[A-Za-z_][\w.]{2,60}")


@dataclass(frozen=True)
class Preview:
    """What the first bytes of a file show.

    ``kind`` is ``zip``, ``object`` (one JSON object), ``lines`` (JSON Lines), ``list`` (a JSON
    list), ``text``, ``parquet``; or why no reader can read it: ``empty``, ``a Git LFS pointer``,
    ``an image``, ``a web page``, ``binary``.
    """

    kind: str
    first: Any = None  # of JSON the object, of lines or a list the first; cut, where it is long
    members: tuple[str, ...] = ()  # of a zip; of parquet, words of its footer: columns too
    lines: tuple[str, ...] = ()  # the first of a text, unless it is one object and small
    infos: tuple[zipfile.ZipInfo, ...] = field(default=(), repr=False, compare=False)  # of a zip
    size: int = 0  # of a file that was read whole: bytes
    whole: bool = False  # whether the object is all of the file, with each key once

    @property
    def keys(self) -> frozenset[str]:
        """The names in the first object."""
        return frozenset(self.first) if isinstance(self.first, dict) else frozenset()

    def has(self, *keys: str) -> bool:
        """Whether the first object has all these keys; ``a.b`` is b in the object a."""
        return all(self.value(key) is not None for key in keys)

    def value(self, key: str) -> Any:
        """The value at ``a.b``, None where there is none; of a list its first is taken."""
        value = self.first
        for name in key.split("."):
            value = value[0] if isinstance(value, list) and value else value
            if not isinstance(value, dict) or name not in value:
                return None
            value = value[name]
        return value


@dataclass(frozen=True)
class LogFile:
    """A file that may be a log, by the name it has in messages."""

    path: Path
    name: str

    @cached_property
    def preview(self) -> Preview:
        """What its first bytes show."""
        with self.open(io.DEFAULT_BUFFER_SIZE) as file:  # not twice what is looked at
            start = file.read(len(_ZIP))
            if start != _ZIP:  # whose members are listed at its end
                start += file.read(PREVIEW_BYTES - len(_ZIP))
        return make_preview(start, self.path)

    @property
    def small(self) -> dict[str, Any] | None:
        """The one object in it, if that was parsed for the preview."""
        preview = self.preview
        if not preview.whole:
            return None
        count_size(self.name, preview.size)
        return preview.first

    def release(self) -> None:
        """Free the memory of the preview, once the file is read."""
        self.__dict__.pop("preview", None)

    def open(self, buffer: int = LINES) -> BinaryIO:
        """Its bytes, unpacked; of a plain file so many are read at once."""
        return opened(self.path, self.name, buffer)

    def siblings(self, pattern: str) -> list["LogFile"]:
        """The files of its folder, or below it, whose path fits a pattern; no links."""
        folder, name = self.path.parent, PurePosixPath(self.name).parent
        paths = sorted(p for p in folder.glob(pattern) if p.is_file() and not p.is_symlink())
        return [LogFile(p, (name / p.relative_to(folder).as_posix()).as_posix()) for p in paths]

    def sibling(self, pattern: str, recognises: Callable[[Preview], bool]) -> "LogFile | None":
        """The first of these that is recognised."""
        return next((file for file in self.siblings(pattern) if recognises(file.preview)), None)


def make_preview(data: bytes, path: Path) -> Preview:
    """Describe the first bytes of a file; of a zip, also its members."""
    if not data.strip():
        return Preview("empty")
    for magic, kind in _MAGIC.items():
        if data.startswith(magic):
            return Preview(kind)
    if data.startswith(_ZIP):
        return _zip_preview(path)
    if data.startswith(_PARQUET):
        return _parquet_preview(path)
    text = _decoded(data)
    if text is None or "\0" in text:
        return Preview("binary")
    if text.lstrip()[:1] in ("{", "["):
        complete = len(data) < PREVIEW_BYTES
        small = _small_object(text) if complete and data.rstrip().endswith(b"}") else None
        if small is not None:
            return Preview("object", small, size=len(data), whole=True)
        return _json_preview(text.lstrip(), complete)
    if text.lstrip()[:14].lower().startswith(("<!doctype html", "<html")):
        return Preview("a web page")
    return Preview("text", lines=tuple(text.splitlines()[:20]))


def _zip_preview(path: Path) -> Preview:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = tuple(archive.infolist())
        return Preview("zip", members=tuple(info.filename for info in infos), infos=infos)
    except NotImplementedError:  # how zipfile refuses an archive of a later version of the format
        return Preview("a zip file of a version that Python cannot read")
    except (zipfile.BadZipFile, OSError, ValueError):
        return Preview("a zip file that is cut or damaged")


def _parquet_preview(path: Path) -> Preview:
    """Read the column names from the last bytes."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - PREVIEW_BYTES))
            end = file.read(PREVIEW_BYTES)
    except OSError:
        return Preview("parquet")
    words = dict.fromkeys(word.decode("ascii") for word in _WORD.findall(end))
    return Preview("parquet", members=tuple(words) if end.endswith(_PARQUET) else ())


def _small_object(text: str) -> dict[str, Any] | None:
    """The object that a text is, None where readers must say what is wrong with it."""
    text = text.strip(SPACE)
    try:
        value, end = decode_unique(text)
    except NOT_READ:
        return None
    return value if end == len(text) and isinstance(value, dict) else None


def _json_preview(text: str, complete: bool) -> Preview:
    lines = tuple(text.splitlines()[:20])
    try:
        value, end = partial(text)
    except ValueError:
        return Preview("text", lines=lines)
    if isinstance(value, list):
        return Preview("list", first=value[0] if value else None, lines=lines)
    remainder = text[end:].lstrip() if end >= 0 else ""
    if end < 0 and complete and "\n{" in text:  # a first line that is no JSON
        return Preview("text", lines=lines)
    return Preview("lines" if remainder.startswith("{") else "object", first=value, lines=lines)


def _decoded(start: bytes) -> str | None:
    """Text in UTF-8, which the last bytes may cut in a character."""
    for cut in range(4):
        try:
            return start[: len(start) - cut].decode("utf-8-sig")
        except UnicodeDecodeError as error:
            if error.start < len(start) - 4:
                return None
    return None
