"""Standard output and standard error of a command: what cannot be printed is a failure, in one
line and with exit code 2; what cannot be said beside it is left unsaid.
"""

import errno
import io
import os
import sys
from typing import Any

_CLOSED = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}


class NotPrintedError(Exception):
    """Standard output does not take what is printed.

    It is no OSError: of a broken pipe the argument parser makes exit code 1, which is a verdict.
    """


class _Output(io.TextIOWrapper):
    """Standard output, in which ? stands for a character that its encoding lacks."""

    replaced = False
    failed = ""  # why, from the first failure on: whoever printed may have overheard it

    def write(self, text: str, /) -> int:
        self.refuse_failed()
        self.replaced = self.replaced or not _has(self.encoding, text)
        try:
            return super().write(text)
        except OSError as error:
            raise self._failed(error) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise self._failed(error) from None

    def refuse_failed(self) -> None:
        """Fail again."""
        if self.failed:
            raise NotPrintedError(self.failed)

    def _failed(self, error: OSError) -> NotPrintedError:
        _to_nowhere(self)
        reason = "it is closed" if error.errno == errno.EBADF else error.strerror
        self.failed = f"standard output cannot be written to ({reason})"
        return NotPrintedError(self.failed)


class _Beside(io.TextIOWrapper):
    """Standard error, which nobody need read."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            _to_nowhere(self)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            _to_nowhere(self)


def ready() -> None:
    """Take both streams over, unless somebody else has; where one is closed, keep its place, in
    which the next file that is opened would stand.
    """
    for name, flags in _CLOSED.items():
        if getattr(sys, name) is None:
            place = os.open(os.devnull, flags)
            setattr(sys, f"__{name}__", os.fdopen(place, "r" if name == "stdin" else "w"))
            setattr(sys, name, getattr(sys, f"__{name}__"))
    if sys.stdout is sys.__stdout__:
        sys.stdout = _of(_Output, sys.stdout, "replace")
    if sys.stderr is sys.__stderr__:
        sys.stderr = _of(_Beside, sys.stderr, "backslashreplace")


def finish() -> str:
    """Print what still waits, and return what should be known of it; empty as a rule.

    Raises
    ------
    NotPrintedError
        If it cannot be printed.
    """
    out = sys.stdout
    out.flush()
    if not isinstance(out, _Output):
        return ""
    out.refuse_failed()
    if not out.replaced:
        return ""
    return (
        f"? stands for characters that the encoding of standard output, {out.encoding}, "
        "lacks; set PYTHONUTF8=1, or write to a file"
    )


def _of(kind: type[io.TextIOWrapper], stream: Any, errors: str) -> Any:
    return kind(
        stream.buffer,
        encoding=stream.encoding,
        errors=errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _has(encoding: str, text: str) -> bool:
    """Whether an encoding has every character of a text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _to_nowhere(stream: io.TextIOWrapper) -> None:
    """Let go of what waits, which Python would try again, and fail again, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
