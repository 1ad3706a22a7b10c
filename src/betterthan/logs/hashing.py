"""What two logs gave a system to do is the same where its digest is."""

import json
import unicodedata
from hashlib import blake2b
from typing import Any

BYTES = 16


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
    text = json.dumps(
        [_canonical(part) for part in parts],
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=BYTES).digest()


def _canonical(value: Any) -> Any:
    if isinstance(value, str):
        plain = value.replace("\r\n", "\n").replace("\r", "\n")
        return plain if plain.isascii() else unicodedata.normalize("NFC", plain)
    if isinstance(value, dict):
        return {str(_canonical(k)): _canonical(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(one) for one in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
