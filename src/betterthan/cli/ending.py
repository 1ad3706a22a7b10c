"""How a command ends: bad input is one line on stderr and exit code 2."""

import sys
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from betterthan.cli.console import INTERRUPTED, fail, say


def ended(command: Callable[[], Any]) -> NoReturn:
    """Run a command, and leave."""
    warnings.showwarning = lambda message, *_args, **_kwargs: say(f"warning: {message}")
    try:
        code = command() or 0
        if code == INTERRUPTED:  # the argument parser says so in silence
            raise KeyboardInterrupt
        sys.exit(code)
    except (ValueError, OSError, ArithmeticError) as error:
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
        if not hasattr(error, "format_message"):  # not a complaint of the argument parser
            raise
        message = error.format_message()  # type: ignore[attr-defined]
        # no arguments: that is a question, and the answer is the help
        if not message or "\n" in message:
            print(message)
            raise SystemExit(2) from None
        fail(f"{message[:1].lower()}{message[1:].rstrip('.')}; see betterthan --help")
