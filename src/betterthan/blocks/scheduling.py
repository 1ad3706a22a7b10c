"""Where blocks are worked on: here, or by the workers of a dask scheduler."""

from collections.abc import Iterator
from contextlib import contextmanager

_HERE = ("threads", "synchronous")
_SECONDS = 5  # to answer in


@contextmanager
def scheduled(address: str | None) -> Iterator[None]:
    """Let dask work at `address` while this is open.

    Parameters
    ----------
    address : str, optional
        Of a dask scheduler, such as ``tcp://10.0.0.1:8786``; or "threads" of this process.

    Raises
    ------
    ValueError
        If no scheduler answers there, or it has no workers.
    """
    if address is None:
        yield
        return
    from betterthan.blocks.needed import needed

    needed("dask", "distributed")
    if address in _HERE:
        from dask.config import set as set_dask

        with set_dask(scheduler=address):
            yield
        return
    with _connected(address):
        yield


@contextmanager
def _connected(address: str) -> Iterator[None]:
    import logging

    from distributed import Client

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is wrong is one line, ours
    try:
        client = Client(address, timeout=_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(
            f"no dask scheduler answers at {address} ({type(error).__name__}); start one with "
            "'dask scheduler', or leave --scheduler out"
        ) from None
    with client:
        if not client.scheduler_info(n_workers=1)["workers"]:
            raise ValueError(
                f"the dask scheduler at {address} has no workers; start one with "
                f"'dask worker {address}'"
            )
        yield
