"""Reading without looking for circles among what was read, which has none."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Generator[None]:
    """Let Python's cyclic collector rest: values of JSON go when the last that refers to them goes,
    and looking through all of them again and again takes a fifth of the time of reading.

    Examples
    --------
    >>> with uncollected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
