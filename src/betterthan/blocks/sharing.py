"""Work of many like steps, such as simulations and refits: here, or by the workers of a dask
cluster where a client is open.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

Steps = Callable[[Sequence[Any]], Iterable[Any]]  # yields as many as it is given


def shared_map(function: Callable[[Any], Any], values: Iterable[Any]) -> Iterator[Any]:
    """Like `map`, with each value computed by one of the workers."""
    client = _client()
    if client is None:
        return map(function, values)
    return (future.result() for future in client.map(function, list(values), pure=False))


def in_parts(steps: Steps, values: Sequence[Any]) -> Iterator[Any]:
    """Yield what `steps` yields of the values, in their order; each worker gets one part, so that
    setup such as compiling is done once per worker.
    """
    client = _client()
    if client is None:
        yield from steps(values)
        return
    number = min(len(client.scheduler_info(n_workers=-1)["workers"]), len(values))
    edges = [len(values) * k // number for k in range(number + 1)] if number else []
    parts = [values[a:b] for a, b in pairwise(edges)]
    for future in client.map(partial(_listed, steps), parts, pure=False):
        yield from future.result()


def _listed(steps: Steps, values: Sequence[Any]) -> list[Any]:
    return list(steps(values))


def _client() -> Any:
    """The client that is open, if any; who has none has not loaded `distributed`."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client = distributed.default_client()
    except ValueError:
        return None
    return None if client.status in ("closing", "closed") else client
