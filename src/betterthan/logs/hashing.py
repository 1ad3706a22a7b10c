"""Digests of the content of samples: equal content gives equal digests in all logs."""

import json
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

BYTES = 16
_written = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


class TooDeepError(ValueError):
    """A value is nested too deeply to be digested."""


def digest(*parts: Any) -> bytes:
    r"""Sixteen bytes of values as JSON holds them, in canonical form: sorted keys, texts in NFC
    with line ends ``\n``, whole numbers as such.

    Examples
    --------
    >>> digest({"q": "a\r\nb", "n": 1.0}) == digest({"n": 1, "q": "a\nb"})
    True
    >>> digest("1") == digest(1)
    False
    """
    text = ""
    for part in parts:  # texts alone, as most are
        if part is None:
            text += "-"
        elif type(part) is str:
            plain = _text(part)
            text += f"{len(plain)}:{plain}"
        else:
            text = _written_out(parts)
            break
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=BYTES).digest()


def digest_task(question: str, target: str) -> bytes:
    """The digest of input and target without choices, ``digest(asked, target, None)``.

    Examples
    --------
    >>> digest_task("Why?", "42") == digest("Why?", "42", None)
    True
    """
    text = question + target
    if "\r" in text or not text.isascii():
        return digest(question, target, None)
    return _digest_plain(question, target)


def _digest_plain(question: str, target: str) -> bytes:
    text = f"{len(question)}:{question}{len(target)}:{target}-"
    return blake2b(text.encode(), digest_size=BYTES).digest()


def digest_tasks(questions: Sequence[str], targets: Sequence[str]) -> list[bytes | None]:
    """The same of many, in ASCII and without carriage returns.

    Examples
    --------
    >>> digest_tasks(["Why?"], ["42"]) == [digest_task("Why?", "42")]
    True
    """
    return list(map(_digest_plain, questions, targets))


def all_joined(start: bytes, others: Sequence[bytes | None]) -> list[bytes | None]:
    """Combine the digest of one thing with each of the others. None where the other is unknown."""
    digests = np.frombuffer(b"".join(filter(None, others)), np.uint8).reshape(-1, BYTES)
    combined = (digests ^ np.frombuffer(start, np.uint8)).tobytes()
    joined = [combined[k : k + BYTES] for k in range(0, len(combined), BYTES)]
    if len(joined) == len(others):
        return [*joined]
    remaining = iter(joined)
    return [other and next(remaining) for other in others]


def _written_out(parts: Sequence[Any]) -> str:
    try:
        return _written([_canonical(part) for part in parts])
    except RecursionError:
        raise TooDeepError("what a sample asks is nested too deeply to be compared") from None


def _text(value: str) -> str:
    plain = value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value
    return plain if plain.isascii() else unicodedata.normalize("NFC", plain)


def _canonical(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return {str(_canonical(k)): _canonical(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(element) for element in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
