"""Runs the cells of each page in a fork of the process that builds the pages.

A kernel would load the libraries again for each page, which takes longer than most pages run. A
fork has them already. Like a kernel it starts with no name defined, and keeps nothing for the next
page.
"""

import base64
import gc
import importlib
import io
import logging
import os
import pickle
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import forked_commands
import matplotlib as mpl
import matplotlib.pyplot as plt
import stored_fits
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from jupyter_cache.executors.utils import ExecutionResult
from myst_nb.core.execute import cache
from nbclient.exceptions import CellExecutionError
from nbformat import v4
from sphinx.errors import ExtensionError
from traitlets.config import Config

_LIBRARIES = (
    *("betterthan", "pandas", "scipy.optimize", "scipy.stats", "xarray", "arviz", "pymc"),
    # what libraries load when they first need it
    *("IPython.core.application", "IPython.core.completerlib", "IPython.core.oinspect"),
    *("matplotlib.backends.backend_pdf", "pandas.io.formats.style", "pyarrow.vendored.version"),
    *("pytensor.link.c.cvm", "pytensor.link.numba.dispatch", "pytensor.sparse", "sqlite3"),
    "typer._adapters",
)
_INLINE = "module://matplotlib_inline.backend_inline"


class _Stream(io.TextIOBase):
    """Standard output or error, among the outputs of a cell."""

    def __init__(self, name: str, outputs: list[Any]) -> None:
        self.name, self.outputs = name, outputs

    def write(self, text: str) -> int:
        last = self.outputs[-1] if self.outputs else {}
        if last.get("name") == self.name:
            last["text"] += text
        elif text:
            self.outputs.append(v4.new_output("stream", name=self.name, text=text))
        return len(text)


class _Publisher(DisplayPublisher):
    """What `display` shows, figures included."""

    def publish(self, data: Any, metadata: Any = None, **_: Any) -> None:
        self.shell.show("display_data", data, metadata)


class _LastValue(DisplayHook):
    """The value of the last line of a cell."""

    def __call__(self, result: Any = None) -> None:
        if result is None or self.quiet():
            return
        data, metadata = self.shell.display_formatter.format(result)
        if data:  # an object that displays itself has none
            count = self.shell.execution_count
            self.shell.show("execute_result", data, metadata, execution_count=count)


class _Shell(InteractiveShell):
    """IPython whose outputs are a list."""

    def __init__(self) -> None:
        self.outputs: list[Any] = []
        super().__init__(
            ipython_dir=str(Path(__file__).parents[1] / "_build" / "ipython"),
            display_pub_class=_Publisher,
            displayhook_class=_LastValue,
            config=Config({"HistoryManager": {"hist_file": ":memory:"}}),
        )

    def show(self, kind: str, data: Any, metadata: Any, **more: Any) -> None:
        """Add an output; images as text, as notebooks have them."""
        texts = {
            k: base64.b64encode(v).decode() if isinstance(v, bytes) else v for k, v in data.items()
        }
        self.outputs.append(v4.new_output(kind, data=texts, metadata=metadata or {}, **more))

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        text = {"ename": etype.__name__, "evalue": str(evalue), "traceback": stb}
        self.outputs.append(v4.new_output("error", **text))


def _bash(line: str, cell: str) -> None:
    """Like the magic of IPython, but output and errors are one text, in the order written."""
    text, code = forked_commands.shell(cell)
    print(text, end="")
    if code:
        raise RuntimeError(f"exit code {code}")


def _redirect(outputs: list[Any]) -> None:
    """What is printed or logged becomes an output."""
    before = sys.stderr
    sys.stdout, sys.stderr = (_Stream(name, outputs) for name in ("stdout", "stderr"))
    for logger in [*logging.Logger.manager.loggerDict.values()]:
        for handler in getattr(logger, "handlers", ()):
            if getattr(handler, "stream", None) is before:
                handler.setStream(sys.stderr)


def _outputs(sources: list[str]) -> list[list[Any]]:
    """What each cell shows, up to the first error."""
    os.environ["MPLBACKEND"] = mpl.rcParams["backend"] = _INLINE
    sys.argv = [""]
    plt.install_repl_displayhook = lambda: None  # it draws each figure before the one that is shown
    shell = _Shell.instance()
    shell.register_magic_function(_bash, "cell", "bash")
    _redirect(shell.outputs)
    every = []
    for source in sources:
        shell.outputs.clear()
        shell.run_cell(source, store_history=True)
        every.append(list(shell.outputs))
        if shell.outputs and shell.outputs[-1]["output_type"] == "error":
            break
    return every


def _forked(sources: list[str], folder: str, seconds: int) -> list[list[Any]]:
    """The outputs, from a fork that runs in this folder for so long at most."""
    if forked_commands.threads() > 1:  # a fork might wait for one forever
        raise ExtensionError("pages run in forks of a process of one thread; this one has more")
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            signal.alarm(seconds)
            os.chdir(folder)
            with open(writer, "wb") as file:
                pickle.dump(_outputs(sources), file)
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if not text:
        end = os.waitstatus_to_exitcode(status)
        why = f"after {seconds} s" if end == -signal.SIGALRM else f"with exit code {end}"
        raise ExtensionError(f"a page ended {why}, without outputs")
    return pickle.loads(text)


def run(nb: Any, cwd: str, timeout: int, **_: Any) -> ExecutionResult:
    """Run the cells of a page, in place of a kernel."""
    start = time.perf_counter()
    cells = [cell for cell in nb.cells if cell.cell_type == "code"]
    every = _forked([cell.source for cell in cells], cwd, timeout)
    for number, (cell, outputs) in enumerate(zip(cells, every, strict=False), 1):
        cell.outputs, cell.execution_count = outputs, number
    nb.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    result = ExecutionResult(nb, cwd, time.perf_counter() - start)
    last = every[-1][-1] if every and every[-1] else {}
    if last.get("output_type") == "error":
        result.exc_string = "\n".join([cells[len(every) - 1].source, *last["traceback"]])
        result.err = CellExecutionError(result.exc_string, last["ename"], last["evalue"])
    return result


def setup(app: Any) -> dict[str, bool]:
    """Load the libraries once, and run pages in forks."""
    stored_fits.install()
    for library in _LIBRARIES:
        importlib.import_module(library)
    forked_commands.load()
    gc.freeze()  # a fork need not look through what is loaded
    cache.single_nb_execution = run
    return {"parallel_read_safe": True, "parallel_write_safe": True}
