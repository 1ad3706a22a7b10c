"""What runs first: an interrupt is one line and code 130, also while libraries still load."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from betterthan import __version__
from betterthan.cli.console import INTERRUPTED, ended, ready, say
from betterthan.cli.options import number

_OF_COMPARE = tuple(
    f"betterthan.{name}" for name in ("reading.read", "comparison.compare", "results.brief")
)
_OF_GATE = ("betterthan.gating.deciding",)


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
    for library in _left_out(sys.argv[1:]):  # xarray and pandas would load them
        sys.modules.setdefault(library, None)  # type: ignore[arg-type]
    for library in ("pandas", "xarray") if sys.argv[1:2] == ["gate"] else ():
        sys.modules.setdefault(library, _Later(library))
    command = _command(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return command()


def _left_out(arguments: list[str]) -> tuple[str, ...]:
    """Return the libraries that no file of a comparison in memory needs.

    Only a folder or a scheduler needs dask. Only Parquet, which a pattern may match, and what
    samples need pyarrow.
    """
    values = {*arguments, *(argument.rpartition("=")[2] for argument in arguments)}
    lazy = any(map(os.path.isdir, values - {*arguments[:1]}))
    if arguments[:1] not in (["compare"], ["gate"]) or lazy:
        return ()
    if any(argument.startswith("--scheduler") for argument in arguments):
        return ()
    parquet = any(".parquet" in x.lower() or set(x) & set("*?[") for x in arguments)
    return ("dask",) if parquet or values & _SAMPLING else ("dask", "pyarrow")


_SAMPLING = {"mcmc", "both", "advised"}  # methods that sample, or may


def _command(arguments: list[str]) -> Callable[[], Any]:
    """Return the command to run.

    Files to compare, or a gate with its margin, need no parser, which loads as long as they take.
    """
    if arguments == ["--version"]:
        return partial(print, f"betterthan {__version__}")
    options = [argument for argument in arguments if argument.startswith("-")]
    match arguments:
        case ["compare", _, *_] if not options:
            _load(*_OF_COMPARE)
            from betterthan.cli.comparing import compare

            return partial(compare, arguments[1:])
        case ["gate", baseline, candidate, "--margin", text] if len(options) == 1:
            with suppress(ValueError):  # the parser says what is wrong
                margin = number(text)
                _load(*_OF_GATE)
                from betterthan.cli.gating import gate

                return partial(gate, baseline, candidate, margin)
        case _:
            pass
    if arguments[1:] and "--help" not in arguments:
        _load(*(_OF_GATE if arguments[0] == "gate" else ("xarray",)))
    from betterthan.cli.commands import parser

    return partial(parser(), standalone_mode=False)


class _Later(ModuleType):
    """A library that loads when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        library = import_module(self.__name__)
        vars(self).update(vars(library))
        return getattr(library, name)


def _load(*modules: str) -> None:
    """Load what is needed anyway.

    The collector of garbage would look through it all again and again while it loads.
    """
    gc.disable()
    try:
        with _without_f2py():
            import_module("scipy.special")
        for module in modules:
            import_module(module)
        gc.freeze()
    finally:
        gc.enable()


@contextmanager
def _without_f2py() -> Generator[None]:
    """Keep scipy, which copies each name of numpy, from loading the Fortran compiler among them."""
    import numpy

    if "numpy.f2py" in sys.modules:
        yield
        return
    sys.modules["numpy.f2py"] = ModuleType("numpy.f2py")
    vars(numpy)["f2py"] = sys.modules["numpy.f2py"]
    try:
        yield
    finally:
        del numpy.f2py, sys.modules["numpy.f2py"]


def _leave(*_: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
