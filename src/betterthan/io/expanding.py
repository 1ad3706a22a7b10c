"""How much what is read may expand to: one limit for tables and logs, by ratio and in total."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from betterthan.io.problems import problem

MOST_BYTES = 2 * 2**30  # that a file, member, line or value expands to, however it is packed
HARMLESS = 2**25  # that any may expand to
RATIO = 200  # bytes for one packed byte: tables and logs reach 20, rarely 100, a bomb 1,000


_LIGHT, _PIECE = 2**23, 2**20  # bytes of JSON that may hold anything; that are looked at together
_WEIGHTS = {b"{": 208, b"[": 64, b",": 48}  # bytes in memory of what begins with a mark
_TIMES = 6  # as many bytes in memory as in the file


def max_expanded(packed: int) -> int:
    """How many bytes some packed bytes may expand to.

    Examples
    --------
    >>> max_expanded(1), max_expanded(10**6), max_expanded(10**9)
    (33554432, 200000000, 2147483648)
    """
    return min(MOST_BYTES, max(HARMLESS, RATIO * packed))


@dataclass
class Expansion:
    """What a file, or a member of an archive, has expanded to so far.

    Attributes
    ----------
    where : str
        Its name, for messages.
    packed : int
        Its bytes before they expand.
    within : Expansion, optional
        That of the archive, in which all its members count.
    right : str
        What to do where that much is meant.
    size : int
        The bytes that it has expanded to.

    Examples
    --------
    >>> packed = Expansion("a.gz", 900)
    >>> packed.add(10**6)
    >>> packed.add(10**8)
    Traceback (most recent call last):
    ...
    ValueError: a.gz: unpacks 900 bytes to more than 33,554,432; unpack it yourself if that is meant
    """

    where: str
    packed: int
    within: "Expansion | None" = None
    right: str = "unpack it yourself if that is meant"
    size: int = 0

    def add(self, size: int) -> None:
        """Count bytes that were expanded; refuse more than the limit, here or in the archive."""
        for level in self._counted():
            level.size += size
            if level.size > max_expanded(level.packed):
                raise self._refusal(level, "")

    def expect(self, size: int) -> None:
        """Refuse what says that it expands to more than the limit, before any of it is read."""
        for level in self._counted():
            if level.size + size > max_expanded(level.packed):
                raise self._refusal(level, f"{level.size + size:,}, ")

    def _counted(self) -> list["Expansion"]:
        return [self] if self.within is None else [self, self.within]

    def _refusal(self, level: "Expansion", target: str) -> ValueError:
        size = f"{level.packed:,} bytes"
        packed_size = size if level is self else f"the {size} of the file, with members before it,"
        most = f"to {target}more than {max_expanded(level.packed):,}"
        return problem(self.where, f"unpacks {packed_size} {most}; {self.right}")


def refuse_crowded(data: bytes, where: str, row: int | None = None) -> None:
    """Refuse one value of JSON that takes far more memory than its bytes: as millions of empty
    lists do.

    Parameters
    ----------
    data : bytes
    where : str
        The name of the file, for messages.
    row : int, optional
    """
    most = _TIMES * len(data)
    if len(data) <= _LIGHT or _weight([data]) <= most:
        return
    weight = _weight(_outside_texts(data))
    if weight > most:
        reason = (
            f"holds so many small values in {len(data):,} bytes that they take {weight:,} bytes of "
            f"memory, more than {most:,}; give parts of it"
        )
        raise problem(where, reason, row=row)


def _weight(pieces: Iterable[bytes]) -> int:
    return sum(piece.count(mark) * weight for piece in pieces for mark, weight in _WEIGHTS.items())


def _outside_texts(data: bytes) -> Iterator[bytes]:
    """What of JSON stands between its texts."""
    data = data.replace(rb"\\", b"").replace(rb"\"", b"")
    inside = 0
    for begin in range(0, len(data), _PIECE):
        parts = data[begin : begin + _PIECE].split(b'"')
        yield b"".join(parts[inside::2])
        inside = (inside + len(parts) - 1) % 2
