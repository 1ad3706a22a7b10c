"""Shell cells whose `betterthan` runs in a fork of the process of the page.

A command would load the libraries again, which takes longer than most commands run. A fork has
them already.
"""

import importlib
import io
import marshal
import os
import pkgutil
import select
import socket
import stat
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import betterthan

_TASKS = Path("/proc/self/task")  # the threads of this process, on Linux
# what the shell starts as `betterthan`: hands its streams over, and ends with the code it is sent;
# `socket` and `pickle` would take longer to load than Python
_COMMAND = """#!{python} -IS
import _socket, marshal, os, sys
connection = _socket.socket(_socket.AF_UNIX)
connection.connect({address!r})
streams = b"".join(k.to_bytes(4, sys.byteorder) for k in range(3))
connection.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
connection.sendall(marshal.dumps((os.getcwd(), dict(os.environ), sys.argv[1:])))
connection.shutdown(_socket.SHUT_WR)
code = connection.recv(1)
sys.exit(code[0] if code else "betterthan ended without an exit code")
"""


def load() -> None:
    """Load what a command may load.

    A command that starts without dask keeps it from loading, and xarray, which has seen that it is
    installed, would fail.
    """
    for module in pkgutil.walk_packages(betterthan.__path__, "betterthan."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    with suppress(ModuleNotFoundError):
        importlib.import_module("dask.array")


def threads() -> int:
    """How many threads this process has; 1 where that is not known."""
    return len(list(_TASKS.iterdir())) if _TASKS.exists() else 1


def shell(script: str) -> tuple[str, int]:
    """Output and errors of a script of bash as one text, in this order, and its exit code."""
    with tempfile.TemporaryDirectory() as folder, _listening(Path(folder)) as listener:
        # a fork of several threads might wait for one of them forever
        environment = dict(os.environ)
        if threads() == 1:
            environment["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        with open(Path(folder) / "output", "w+") as output:
            both: dict[str, Any] = {"stdout": output, "stderr": subprocess.STDOUT}
            process = subprocess.Popen(["bash", "-c", script], env=environment, **both)
            forks: list[int] = []
            while process.poll() is None:
                if select.select([listener], [], [], 0.01)[0]:
                    forks.append(_fork(listener))
            for fork in forks:
                os.waitpid(fork, 0)
            output.seek(0)
            return output.read(), process.returncode


@contextmanager
def _listening(folder: Path) -> Any:
    """A socket on which the command `betterthan` of this folder calls."""
    command, address = folder / "betterthan", str(folder / "socket")
    command.write_text(_COMMAND.format(python=sys.executable, address=address))
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        yield listener


def _fork(listener: socket.socket) -> int:
    """Run the command that calls, in a fork of its own: those of a pipe run at once."""
    with listener.accept()[0] as connection:
        return os.fork() or _run(connection)


def _run(connection: socket.socket) -> NoReturn:
    """The command, in this process, which ends with it."""
    code = 1
    try:
        _, streams, *_ = socket.recv_fds(connection, 1, 3)
        with connection.makefile("rb") as file:
            folder, environment, arguments = marshal.load(file)
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
            os.close(stream)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["betterthan", *arguments]
        sys.stdin, sys.stdout, sys.stderr = (_stream(place) for place in range(3))
        code = _code()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # closed
                stream.flush()
        connection.sendall(bytes([code]))
    finally:
        os._exit(code)


def _code() -> int:
    """Exit code of the command line."""
    from betterthan.cli import start

    try:
        start.run()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _stream(place: int) -> io.TextIOWrapper:
    """A standard stream as an interpreter opens it."""
    return open(
        place,
        "w" if place else "r",
        encoding="utf-8",
        errors=("surrogateescape", "strict", "backslashreplace")[place],
        buffering=1 if place == 2 else -1,
        closefd=False,
    )
