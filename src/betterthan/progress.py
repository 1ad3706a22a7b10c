"""A bar for long work, on a terminal only."""

import sys
from collections.abc import Iterable, Iterator


def with_bar[T](steps: Iterable[T], total: int, what: str, long: bool) -> Iterator[T]:
    """The steps one by one, with a bar on stderr where the work is long and somebody watches a
    terminal.
    """
    if not (long and sys.stderr.isatty()):
        yield from steps
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(
        steps, description=what, total=total, console=Console(stderr=True), transient=True
    )
