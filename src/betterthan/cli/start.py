"""What runs first: an interrupt is one line and code 130, also while libraries still load."""

import gc
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from betterthan.cli.console import INTERRUPTED

_LINE = "interrupted\n"
_ALWAYS = ("xarray", "scipy.special")  # what every command takes long to load
_OF_COMPARE = ("reading.any_source", "comparison.comparing", "reporting.of_comparison")


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
        _load(*_ALWAYS, *(f"betterthan.{name}" for name in _OF_COMPARE))
        from betterthan.cli.comparing import compare

        return partial(compare, given[1:])
    if given[1:] and "--help" not in given:
        _load(*_ALWAYS)
    from betterthan.cli.commands import app

    return partial(app, standalone_mode=False)


def _load(*modules: str) -> None:
    """What is needed anyway; the collector of garbage would look through it all again and again
    while it loads.
    """
    gc.disable()
    try:
        for module in modules:
            import_module(module)
        gc.freeze()
    finally:
        gc.enable()


def _leave(*_: object) -> None:
    os.write(2, _LINE.encode())
    os._exit(INTERRUPTED)
