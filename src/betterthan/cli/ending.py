"""How a command ends: bad input is one line on stderr and exit code 2, as is what cannot be
printed; a failure of ours is exit code 2, too, for others are verdicts.
"""

import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from betterthan.cli.console import INTERRUPTED, fail, say
from betterthan.cli.streams import NotPrintedError, finish


def ended(command: Callable[[], Any]) -> NoReturn:
    """Run a command, and leave."""
    warnings.showwarning = lambda message, *_args, **_kwargs: say(f"warning: {message}")
    try:
        code = _code_of(command)
        if note := finish():
            say(note)
        sys.exit(code)
    except (ValueError, OSError, ArithmeticError, NotPrintedError) as error:
        fail(str(error))
    except ModuleNotFoundError as error:  # installed without what samples
        fail(
            f"this needs {error.name}, which is not installed; install it, or choose the method "
            f"exact"
        )
    except MemoryError:
        fail("there is not enough memory for this; give fewer systems, items or draws")
    except RecursionError:
        fail("what was given is nested too deeply; give plain tables")
    except Exception as error:
        if isinstance(error.__context__, KeyboardInterrupt):  # as the argument parser wraps it
            raise KeyboardInterrupt from None
        traceback.print_exc()
        raise SystemExit(2) from None


def _code_of(command: Callable[[], Any]) -> int:
    """Return the exit code of a command; bad options give 2."""
    try:
        code = command() or 0
    except SystemExit as stop:
        return stop.code  # type: ignore[return-value]
    except Exception as error:
        if not hasattr(error, "format_message"):  # not a complaint of the argument parser
            raise
        message = error.format_message()  # type: ignore[attr-defined]
        # no arguments: that is a question, and the answer is the help
        if message and "\n" not in message:
            fail(f"{message[:1].lower()}{message[1:].rstrip('.')}; see betterthan --help")
        print(message)
        return 2
    if code == INTERRUPTED:  # the argument parser says so in silence
        raise KeyboardInterrupt
    return code
