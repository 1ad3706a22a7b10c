"""Texts in arrays, without a place of the longest one's size for each."""

from typing import Any

import numpy as np

_WIDTHS = 4  # times the letters there are: so much may stay empty
_SMALL = 2**20  # letters that need no second thought


def text_array(values: Any) -> np.ndarray:
    """Texts as an array of fixed width, or of Python's own texts where one is far longer than most.

    Examples
    --------
    >>> text_array(["a", "bc"]).dtype.kind, text_array(["a"] * 4000 + ["b" * 100_000]).dtype.kind
    ('U', 'O')
    """
    found = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if found.dtype.kind == "U":
        return found
    texts = found.ravel().tolist()
    if set(map(type, texts)) - {str}:
        texts = [text if type(text) is str else str(text) for text in texts]
    lengths = list(map(len, texts))
    longest = max(lengths, default=0)
    if longest * len(texts) > max(_SMALL, _WIDTHS * sum(lengths)):
        wide = np.empty(len(texts), dtype=object)
        wide[:] = texts
        return wide.reshape(found.shape)
    return np.array(texts, dtype=f"U{max(1, longest)}").reshape(found.shape)
