"""Find items whose texts are nearly identical: near-duplicates in a test set."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import combinations

import numpy as np

from betterthan.auditing.finding import NOTE, Finding
from betterthan.auditing.seen import record_table
from betterthan.auditing.told import some
from betterthan.logs.record import Logs

LEAST = 40  # characters of a text that is looked at
WITHIN = 3  # bits of 64 in which near copies differ at most
_WORDS = 3  # of a shingle
_BANDS = 4  # one more than the bits that differ: one band at least is the same
_MOST = 1_000  # texts of one band that are looked at, pair by pair


def near_copies(logs: Logs) -> Iterator[Finding]:
    """Pairs of items of a task whose texts are near copies; equal ones are no pairs."""
    for task, records in record_table(logs).groupby("task", observed=True, sort=False):
        texts = records[["item", "text"]].drop_duplicates("text")
        texts = texts[texts["text"].str.len() >= LEAST]
        items = texts["item"].astype(str).tolist()
        pairs = [(items[i], items[j]) for i, j in similar_pairs(texts["text"].tolist())]
        if pairs:
            subject = "1 pair of items is a near copy"
            subject = subject if len(pairs) == 1 else f"{len(pairs)} pairs of items are near copies"
            message = f"{subject}: {some([f'{a} and {b}' for a, b in pairs])}"
            where = some(["=".join(pair) for pair in pairs])
            yield Finding(
                "near-double",
                message,
                NOTE,
                task=str(task),
                n=len(pairs),
                of=len(items),
                where=where,
            )


def similar_pairs(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Places of texts whose simhashes differ in at most 3 of 64 bits.

    References
    ----------
    G. S. Manku, A. Jain, A. Das Sarma (2007), Detecting near-duplicates for web crawling, WWW.

    Examples
    --------
    >>> many = " ".join(f"word{k}" for k in range(300))
    >>> similar_pairs([many, f"{many} more", "quite another text"])
    [(0, 1)]
    """
    if len(texts) < 2:
        return []
    hashes = np.array([simhash(text) for text in texts], np.uint64)
    bands = hashes.view(np.uint16).reshape(-1, _BANDS)
    candidates: set[tuple[int, int]] = set()
    for band in bands.T:
        order = np.argsort(band, kind="stable")
        boundaries = np.flatnonzero(np.diff(band[order])) + 1
        for group in np.split(order, boundaries):
            candidates.update(combinations(np.sort(group)[:_MOST].tolist(), 2))
    return sorted((i, j) for i, j in candidates if int(hashes[i] ^ hashes[j]).bit_count() <= WITHIN)


def simhash(text: str) -> int:
    """Return 64 bits; each is the majority bit among the shingles of three words."""
    words = text.lower().split()
    shingles = {" ".join(words[k : k + _WORDS]) for k in range(max(1, len(words) - _WORDS + 1))}
    digests = b"".join(
        blake2b(shingle.encode("utf-8", "replace"), digest_size=8).digest() for shingle in shingles
    )
    bits = np.unpackbits(np.frombuffer(digests, np.uint8).reshape(-1, 8), axis=1)
    return int.from_bytes(np.packbits(2 * bits.sum(0, dtype=int) > len(shingles)).tobytes(), "big")
