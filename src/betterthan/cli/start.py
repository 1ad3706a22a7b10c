"""What runs first: an interrupt is one line and code 130, also while libraries still load."""

import os
import signal
import sys

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
    from betterthan.cli.commands import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:
        sys.stderr.write(_LINE)
        raise SystemExit(INTERRUPTED) from None


def _leave(*_: object) -> None:
    os.write(2, _LINE.encode())
    os._exit(INTERRUPTED)
