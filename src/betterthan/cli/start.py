"""What runs first: an interrupt is one line and code 130, also while libraries still load."""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from betterthan.cli.console import INTERRUPTED

_LINE = "interrupted\n"


def run() -> None:
    """Run the command line."""
    # while libraries load an interrupt may surface as any error, of any of them
    signal.signal(signal.SIGINT, _leave)
    if sys.argv[1:] == ["--version"]:  # which needs no parser
        from betterthan import __version__

        print(f"betterthan {__version__}")
        return
    from betterthan.cli.ending import ended

    command = _command(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        ended(command)
    except KeyboardInterrupt:
        sys.stderr.write(_LINE)
        raise SystemExit(INTERRUPTED) from None


def _command(given: list[str]) -> Callable[[], Any]:
    """What is asked for; files alone need no parser, whose loading takes as long as comparing."""
    if given[:1] == ["compare"] and given[1:] and not any(x.startswith("-") for x in given):
        from betterthan.cli.comparing import compare

        return partial(compare, given[1:])
    from betterthan.cli.commands import app

    return partial(app, standalone_mode=False)


def _leave(*_: object) -> None:
    os.write(2, _LINE.encode())
    os._exit(INTERRUPTED)
