"""What runs first: an interrupt is one line and code 130, also while libraries still load."""

import gc
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from betterthan import __version__
from betterthan.cli.console import INTERRUPTED, ended, ready, say

_ALWAYS = ("xarray", "scipy.special")  # what every command takes long to load
_OF_COMPARE = ("reading.read", "comparison.compare", "results.comparison_page")


def run() -> None:
    """Run the command line."""
    # while libraries load an interrupt may surface as any error, of any of them
    signal.signal(signal.SIGINT, _leave)
    ready()
    try:
        ended(_load_and_run)
    except KeyboardInterrupt:
        say("interrupted")
        raise SystemExit(INTERRUPTED) from None


def _load_and_run() -> Any:
    """Load what is asked for, and run it."""
    if _needs_no_blocks(sys.argv[1:]):
        sys.modules.setdefault("dask", None)  # type: ignore[arg-type]  # xarray would load it
    command = _command(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return command()


def _needs_no_blocks(arguments: list[str]) -> bool:
    """Whether a command compares files alone, in memory: what dask holds in blocks is a folder or
    asks for a scheduler.
    """
    return arguments[:1] in (["compare"], ["gate"]) and not any(
        argument.startswith("--scheduler") or os.path.isdir(argument.rpartition("=")[2])
        for argument in arguments[1:]
    )


def _command(arguments: list[str]) -> Callable[[], Any]:
    """Return the command to run; without options no parser is loaded, which takes as long as
    comparing.
    """
    if arguments == ["--version"]:
        return partial(print, f"betterthan {__version__}")
    if (
        arguments[:1] == ["compare"]
        and arguments[1:]
        and not any(x.startswith("-") for x in arguments)
    ):
        _load(*_ALWAYS, *(f"betterthan.{name}" for name in _OF_COMPARE))
        from betterthan.cli.comparing import compare

        return partial(compare, arguments[1:])
    if arguments[1:] and "--help" not in arguments:
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
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
