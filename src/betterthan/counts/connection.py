"""Which systems can be compared at all: those between which a chain of shared data leads."""

import numpy as np


def systems_apart(met: np.ndarray, systems: list[str]) -> str:
    """The smallest group of systems that none of the others met, by name; empty if all are
    connected.

    Parameters
    ----------
    met : numpy.ndarray, (system, system)
        Anything but 0 where two systems met.
    systems : list of str

    Returns
    -------
    str

    Examples
    --------
    >>> systems_apart(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]), ["A", "B", "C"])
    "'C'"
    """
    from scipy.sparse import csgraph

    count, part = csgraph.connected_components(met, directed=False)
    if count < 2:
        return ""
    smallest = np.bincount(part).argmin()
    apart = [s for s, where in zip(systems, part, strict=True) if where == smallest]
    return ", ".join(map(repr, apart[:5])) + (
        f" and {len(apart) - 5} more" if len(apart) > 5 else ""
    )
