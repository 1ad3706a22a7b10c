"""Commands in forks of one process that has loaded the package: each costs what it computes.

Loading takes most of the time of a command. A fork has standard streams as the interpreter makes
them at its start; what only a start can show is tested in processes of their own.
"""

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import subprocess
import sys
import traceback
from pathlib import Path

OPEN = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Server:
    """A process that runs commands in forks of itself, in a folder.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore::DeprecationWarning", __file__],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ) | {"PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"},
        )

    def run(self, command, out="out", err="err", encoding="utf-8", unbuffered=False, memory=None):
        """Exit code, stdout and stderr of a command, a text or its words.

        None as `out` or `err` is a closed stream; `memory` is the most bytes that it may take.
        """
        words = command.split() if isinstance(command, str) else command
        how = {"encoding": encoding, "unbuffered": unbuffered, "memory": memory}
        request = {"words": words, "out": out, "err": err, **how}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        texts = (self._read(name) if name in ("out", "err") else "" for name in (out, err))
        return code, *texts

    def _read(self, name):
        return (Path(self.folder) / name).read_bytes().decode("utf-8")

    def stop(self):
        with self.process:
            self.process.stdin.close()
        assert self.process.returncode == 0


def serve():
    """Run the commands of standard input, one a line, and answer with their exit codes."""
    import betterthan

    for module in pkgutil.walk_packages(betterthan.__path__, "betterthan."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for library in ("dask.array", "jinja2", "pydantic.plugin._loader", "pydantic.type_adapter"):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(library)
    gc.freeze()  # a fork that ends need not look through what is loaded
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            end(run, json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def end(function, *arguments):
    """Call it, and end as the interpreter does, but leave its memory to the system: to free what
    is loaded takes longer than most commands.
    """
    code = 0
    try:
        function(*arguments)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        if not isinstance(error.code, int | None):
            print(error.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    try:
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
    except BaseException as error:
        print(f"Exception ignored while flushing sys.stdout: {error!r}", file=sys.stderr)
        code = 120
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


def run(request):
    """A command in this process."""
    from betterthan.cli import start

    if request["memory"]:
        _limit(request["memory"])
    targets = os.devnull, request["out"], request["err"]
    for place, target in enumerate(targets):
        if target is not None:
            _redirect(place, target)
    for place, target in enumerate(targets):
        if target is None:
            os.close(place)
    for place in (1, 2):
        _stream(place, request)
    sys.argv = ["betterthan", *request["words"]]
    start.run()


def _limit(memory):
    """Lets the process take so many bytes more than reading a small table has taken."""
    import resource

    from betterthan.reading.read import read

    Path("small.csv").write_text("item,A,B\nq,1,0\n")
    read("small.csv")
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))


def _redirect(place, target):
    file = os.open(target, OPEN if place else os.O_RDONLY, 0o644)
    os.dup2(file, place)
    os.close(file)


def _stream(place, request):
    """The stream that the interpreter would make at its start."""
    name, stream = ("", "stdout", "stderr")[place], None
    if request[("", "out", "err")[place]] is not None:
        raw = io.FileIO(place, "w", closefd=False)
        through = request["unbuffered"]
        stream = io.TextIOWrapper(
            raw if through else io.BufferedWriter(raw),
            encoding=request["encoding"],
            errors=("", "strict", "backslashreplace")[place],
            line_buffering=place == 2,
            write_through=through,
        )
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)


if __name__ == "__main__":
    serve()
