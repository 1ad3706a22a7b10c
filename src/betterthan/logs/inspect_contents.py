"""Digests of what samples of Inspect ask; summaries may cut their texts."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from betterthan.io.json_records import fields
from betterthan.logs.archives import Archive
from betterthan.logs.hashing import digest, digest_task, digest_tasks
from betterthan.logs.json_values import column

_CUT = "...\n(content truncated)"  # behind 5120 characters of a text in a summary
_STANDS_FOR = re.compile(r"\([A-Z][a-z_]+\)")  # (Image) and such, in place of what is no text
_ATTACHED = "attachment://"
_ODD = ("(", _ATTACHED)
_FIRST = frozenset(start[0] for start in _ODD)
_BY_PLACE = re.compile(r"attachment://\d+")  # which the log counts, and no other log alike
_INPUT_KEYS = ("input", "choices", "target")
_MAX_CACHED, _SHORT = 2**13, 2**13  # how many texts are kept, and of how many characters


class Contents:
    """Digests of what samples ask; of texts in several logs reckoned once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, Any], bytes | None] = {}

    def digest_all(
        self, samples: Sequence[dict[str, Any]], archive: Archive | None, choices: bool
    ) -> Iterable[bytes | None]:
        """Digest samples of one log: together, unless a log before asks the same."""
        questions, offered, targets = (column(samples, key) for key in _INPUT_KEYS)
        plain = set(map(type, questions)) | set(map(type, targets)) == {str}
        if plain and not choices and not any(offered):
            texts = list(zip(questions, targets, strict=True))
            digests = list(map(self._known.get, texts))
            if None not in digests:
                return digests
            if (digests := _digest_together(questions, targets)) is not None:
                few = len(self._known) + len(texts) <= _MAX_CACHED
                if few and max(map(len, questions)) < _SHORT:
                    self._known.update(zip(texts, digests, strict=True))
                return digests
        return (self.digest(sample, archive, choices) for sample in samples)

    def digest(
        self, sample: dict[str, Any], archive: Archive | None = None, choices: bool = False
    ) -> bytes | None:
        """The digest of input, target and choices; None where the log does not hold them whole.

        Parameters
        ----------
        sample : dict
            A summary or a whole sample.
        archive : Archive, optional
            Of the summary; a sample is read from it where its summary is cut.
        choices : bool, default False
            Whether samples have choices, which summaries of older logs leave out.
        """
        question, target = sample.get("input"), sample.get("target")
        if choices or sample.get("choices") or type(question) is not str or type(target) is not str:
            return _digest_any(sample, archive, choices)
        if (known_digest := self._known.get((question, target))) is not None:
            return known_digest
        if _is_odd(question) or _is_odd(target):
            return _digest_any(sample, archive, choices)
        known_digest = digest_task(question, target)
        if len(self._known) < _MAX_CACHED and len(question) < _SHORT:
            self._known[question, target] = known_digest
        return known_digest


def _digest_together(questions: Sequence[str], targets: Sequence[str]) -> list[bytes | None] | None:
    """Digest samples that are plain texts, all at once, as `Contents.digest` does one by one.
    None if one may be cut.
    """
    text = "\n".join([*questions, *targets])
    if not text.isascii() or "\r" in text or _CUT in text or _any_odd([*questions, *targets]):
        return None
    return digest_tasks(questions, targets)


def _any_odd(texts: Sequence[str]) -> bool:
    """Whether one stands for something else; told by first letters alone, as a rule."""
    if not _FIRST & {text[:1] for text in texts}:
        return False
    return any(text.startswith(_ODD) for text in texts)


def _is_odd(text: str) -> bool:
    """Whether a text may be cut, or stand for something else."""
    if text[-1:] == ")" and text.endswith(_CUT):
        return True
    return text[:1] in "(a" and text.startswith(_ODD)


def _digest_any(sample: dict[str, Any], archive: Archive | None, choices: bool) -> bytes | None:
    """Digest a sample, with the fields that only the archive has in full."""
    values: list[Any] = [sample.get(key) for key in _INPUT_KEYS]
    texts = list(_texts(values))
    if archive is not None and (any(map(_is_cut, texts)) or (choices and values[1] is None)):
        if (fields_read := _begun(sample, archive)) is None:
            return None
        values = [fields_read.get(key) for key in _INPUT_KEYS]
        texts = list(_texts(values))
    if any(text.startswith(_ATTACHED) and _BY_PLACE.fullmatch(text) for text in texts):
        return None
    question, offered, target = values
    return digest(_messages(question), target, offered or None)


def input_text(question: Any) -> str:
    """Return the first text of an input that is no plain text, for messages."""
    return next(filter(str.strip, _texts(question)), "")


def _begun(summary: dict[str, Any], archive: Archive) -> dict[str, Any] | None:
    """Read the first fields of a sample, before its messages and events."""
    name = f"samples/{summary.get('id')}_epoch_{summary.get('epoch')}"
    member = next((m for m in (f"{name}.json", f"{name}/sample.json") if m in archive), None)
    if member is None:
        return None
    sample: dict[str, Any] = {}
    where = f"{archive.name}, member {member}"
    with archive.open(member, whole=False) as file:
        for key, value in fields(file, where):
            sample[key] = value
            if key == "target":
                break
    return sample


def _is_cut(text: str) -> bool:
    return text.endswith(_CUT) or (text[:1] == "(" and _STANDS_FOR.fullmatch(text) is not None)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        for key in ("content", "text", "image", "audio", "video", "document"):
            if key in value:
                yield from _texts(value[key])


def _messages(question: Any) -> Any:
    """Return role and content of messages, without ids, which differ between runs."""
    if not isinstance(question, list):
        return question
    return [
        [message.get("role"), _content(message.get("content"))]
        if isinstance(message, dict)
        else message
        for message in question
    ]


def _content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    parts = [_part(part) for part in content]
    return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else parts


def _part(part: Any) -> Any:
    if isinstance(part, dict) and part.get("type") == "text":
        return part.get("text")
    if isinstance(part, dict):
        return json.dumps({k: v for k, v in part.items() if k != "id"}, sort_keys=True)
    return part
