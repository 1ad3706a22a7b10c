"""How far long work is, and about how much longer it takes: on a terminal only, after two seconds.

Two kinds: `with_bar` of work in steps, whose rest is estimated from the steps that are done; and
`working` around work in one piece, of which it says how long it has taken, and what to expect.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Generator, Iterable, Iterator
from typing import TextIO

_AFTER = 2.0  # seconds of work that need no word
_EVERY = 0.5  # from one line to the next


def with_bar[T](steps: Iterable[T], total: int, what: str, long: bool = True) -> Iterator[T]:
    """The steps one by one, with a line on stderr where somebody watches a terminal: how many are
    done, and about how many seconds the rest takes.

    Parameters
    ----------
    steps : iterable
    total : int
        How many there are.
    what : str
        Said before the numbers: what is done.
    long : bool, default True
        False for work that is known to be short.
    """
    if not (long and _watched()):
        yield from steps
        return
    begun = written = time.monotonic()
    line = _Line()
    try:
        for done, step in enumerate(steps):
            now = time.monotonic()
            if done and now - begun > _AFTER and now - written > _EVERY:
                rest = (now - begun) / done * (total - done)
                line.say(f"{what}: {done:,} of {total:,}, about {in_words(rest)} more")
                written = now
            yield step
    finally:
        line.clear()


@contextlib.contextmanager
def working(what: str, expect: str = "") -> Generator[None]:
    """Around work in one piece: after two seconds a line on stderr, with the time it has taken.

    Parameters
    ----------
    what : str
        What is done.
    expect : str, optional
        How long it may take, or why it takes so long.
    """
    if not _watched():
        yield
        return
    over, line, begun = threading.Event(), _Line(), time.monotonic()

    def tell() -> None:
        wait = _AFTER
        while not over.wait(wait):
            wait = _EVERY
            taken = in_words(time.monotonic() - begun)
            line.say(f"{what}: {taken} so far" + (f"; {expect}" if expect else ""))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
        line.clear()


class _Line:
    """One line of a terminal, written over and at last taken away."""

    def __init__(self) -> None:
        self.wide = 0

    def say(self, text: str) -> None:
        """In place of what stood there."""
        sys.stderr.write(f"\r{text.ljust(self.wide)}")
        sys.stderr.flush()
        self.wide = len(text)

    def clear(self) -> None:
        """Nothing is left of it."""
        if self.wide:
            sys.stderr.write(f"\r{' ' * self.wide}\r")
            sys.stderr.flush()
            self.wide = 0


def _watched() -> bool:
    """Whether somebody watches a terminal; one that cannot go back has no line to write over."""
    return on_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"


def on_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; a closed one, which Python has as None, is not.

    Examples
    --------
    >>> on_terminal(None)
    False
    """
    return stream is not None and stream.isatty()


def in_words(seconds: float) -> str:
    """Seconds, as roughly as a reader wants them.

    Examples
    --------
    >>> in_words(3.4), in_words(95), in_words(7300)
    ('3 s', '1 min 35 s', '2 h 1 min')
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
