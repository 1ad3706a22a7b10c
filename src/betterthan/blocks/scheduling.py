"""Where work of many like steps is done: in this process, or by the workers of a dask scheduler."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any


def needed(*modules: str) -> None:
    """Refuse in one line where a module is not installed.

    Raises
    ------
    ValueError
        That names the first one that is absent, and what to install.
    """
    for name in modules:
        if find_spec(name) is None:
            right = "in the clone, run pip install '.[scale]'"
            raise ValueError(f"this needs {name}, which is not installed: {right}")


_LOCAL = ("threads", "synchronous")
_SECONDS = 5  # to answer in


@contextmanager
def scheduled(address: str | None) -> Generator[None]:
    """Let dask work at `address` while this is open.

    Parameters
    ----------
    address : str, optional
        Of a dask scheduler, such as ``tcp://10.0.0.1:8786``; or "threads" of this process.

    Raises
    ------
    ValueError
        If no scheduler answers there, or it has no workers, or they have no betterthan or another.
    """
    if address is None:
        yield
        return

    needed("dask", "distributed")
    if address in _LOCAL:
        from dask.config import set as set_dask

        with set_dask(scheduler=address):
            yield
        return
    with _connected(address):
        yield


@contextmanager
def _connected(address: str) -> Generator[None]:
    import logging

    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is wrong is one line, ours
    try:
        client = Client(address, timeout=_SECONDS)
    except (OSError, ValueError) as error:
        reason = f"no dask scheduler answers at {address} ({type(error).__name__})"
        right = "start one with 'dask scheduler', or leave --scheduler out"
        raise ValueError(f"{reason}; {right}") from None
    with client:
        if not client.scheduler_info(n_workers=1)["workers"]:
            right = f"start one with 'dask worker {address}'"
            raise ValueError(f"the dask scheduler at {address} has no workers; {right}")
        _same_everywhere(client)
        yield


def _same_everywhere(client: Any) -> None:
    """Refuse workers without this version of the package: they would fail without a message."""
    from importlib.metadata import version

    def theirs() -> str | None:  # sent as it stands here, for there may be no betterthan to load
        from importlib import metadata

        try:
            return metadata.version("betterthan")
        except metadata.PackageNotFoundError:
            return None

    local = version("betterthan")
    for worker, remote in client.run(theirs).items():
        if remote != local:
            installed = f"betterthan {remote}" if remote else "no betterthan"
            right = f"install betterthan {local} there, as here"
            raise ValueError(f"the dask worker at {worker} has {installed}; {right}")


def shared_map(function: Callable[[Any], Any], values: Iterable[Any]) -> Iterator[Any]:
    """Like `map`, with each value computed by one of the workers."""
    client = open_client()
    if client is None:
        return map(function, values)
    return (future.result() for future in client.map(function, list(values), pure=False))


def open_client() -> Any:
    """The client that is open, if any; who has none has not loaded `distributed`."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client = distributed.default_client()
    except ValueError:
        return None
    return None if client.status in ("closing", "closed") else client
