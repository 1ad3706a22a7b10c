"""List the differences between a frozen file and the current one, one per line."""

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from typing import Any

# Processors and linear algebra differ in the last digits of a sum: relative and absolute, for every
# case alike. Whole numbers are compared exactly; those written with a point are not whole.
TOLERANCE = 1e-12
_FLOAT = re.compile(r"-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)")
_LONGEST = 120  # characters of a value in a message
ABSENT = object()


@dataclass(frozen=True)
class Difference:
    """A place where a file is not what was frozen."""

    case: str
    file: str
    path: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.case}/{self.file}: {self.path}: was {self.was}, is {self.now}"


@dataclass(frozen=True)
class Allowed:
    """Differences that are intended, with the reason; `*` in case, file and path stands for any
    text.
    """

    case: str
    file: str
    reason: str
    path: str = "*"

    def covers(self, difference: Difference) -> bool:
        """Whether a difference is one of these."""
        return all(
            re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text)
            for pattern, text in (
                (self.case, difference.case),
                (self.file, difference.file),
                (self.path, difference.path),
            )
        )


def read_allowed(path: Path) -> list[Allowed]:
    """The differences that a file lists, each with its reason."""
    rows = [Allowed(**row) for row in tomllib.loads(path.read_text("utf-8")).get("allowed", [])]
    for row in rows:
        if len(row.reason.split()) < 3:
            raise ValueError(f"{row.case}/{row.file} has no reason; write one sentence")
    return rows


def differences(case: str, was: Mapping[str, str], now: Mapping[str, str]) -> list[Difference]:
    """All differences of the files of one case."""
    differing = []
    for file in sorted({*was, *now}):
        if file not in now or file not in was:
            there = ("frozen", "absent") if file in was else ("absent", "new")
            differing.append(Difference(case, file, "whole file", *there))
        elif was[file] != now[file]:
            of_one = of_numbers if file.endswith(".json") else of_lines
            differing += [Difference(case, file, *one) for one in of_one(was[file], now[file])]
    return differing


def of_lines(was: str, now: str) -> Iterator[tuple[str, str, str]]:
    """Lines of a text that differ."""
    before, after = was.splitlines(), now.splitlines()
    for tag, *places in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            start, stop, first, last = places
            lines = zip_longest(before[start:stop], after[first:last], fillvalue=ABSENT)
            for k, (one, two) in enumerate(lines, start + 1):
                yield f"line {k}", *_sides(one, two)
    if before == after and was != now:
        yield "ends of lines", *_sides(was[-10:], now[-10:])


def of_numbers(was: str, now: str) -> Iterator[tuple[str, str, str]]:
    """Values of JSON that differ, floats by more than rounding; where none does, its layout."""
    differing = list(_walked("", json.loads(was), json.loads(now)))
    yield from differing
    if not differing:
        before, after = (_FLOAT.sub("0.0", text) for text in (was, now))
        yield from ((f"layout, {path}", one, two) for path, one, two in of_lines(before, after))


def _walked(path: str, was: Any, now: Any) -> Iterator[tuple[str, str, str]]:
    if isinstance(was, dict) and isinstance(now, dict):
        for key in [*was, *(k for k in now if k not in was)]:
            inner = f"{path}.{key}" if path else key
            yield from _walked(inner, was.get(key, ABSENT), now.get(key, ABSENT))
    elif isinstance(was, list) and isinstance(now, list):
        if len(was) != len(now):
            yield f"{path} (length)", str(len(was)), str(len(now))
        for k, (one, two) in enumerate(zip(was, now, strict=False)):
            yield from _walked(f"{path}[{k}]", one, two)
    elif not same(was, now):
        yield path, *_sides(was, now)


def same(was: Any, now: Any) -> bool:
    """Whether two values are the same: floats up to rounding, all else exactly and of one type."""
    if type(was) is not type(now):
        return False
    if not isinstance(was, float) or was == now:
        return was == now
    if math.isnan(was) or math.isnan(now):
        return math.isnan(was) and math.isnan(now)
    return abs(was - now) <= TOLERANCE * (1 + abs(was))


def _sides(was: Any, now: Any) -> tuple[str, str]:
    """Both values as a message shows them: of long ones the part around the first difference."""
    texts = ["absent" if side is ABSENT else repr(side) for side in (was, now)]
    if max(map(len, texts)) <= _LONGEST:
        return texts[0], texts[1]
    changed = (k for k, (one, two) in enumerate(zip(*texts, strict=False)) if one != two)
    start = max(next(changed, min(map(len, texts))) - _LONGEST // 3, 0)
    ends = [text[start : start + _LONGEST] for text in texts]
    cut = [
        "…" * (start > 0) + end + "…" * (len(text) > start + _LONGEST)
        for text, end in zip(texts, ends, strict=True)
    ]
    return cut[0], cut[1]


def not_allowed(differing: Sequence[Difference], allowed: Sequence[Allowed]) -> list[Difference]:
    """Differences that no row covers."""
    return [one for one in differing if not any(row.covers(one) for row in allowed)]


def no_longer_needed(differing: Sequence[Difference], allowed: Sequence[Allowed]) -> list[Allowed]:
    """Rows that cover nothing."""
    return [row for row in allowed if not any(row.covers(one) for one in differing)]
