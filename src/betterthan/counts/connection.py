"""Find systems that no chain of shared data connects."""

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
    smallest_group = [s for s, where in zip(systems, part, strict=True) if where == smallest]
    return ", ".join(map(repr, smallest_group[:5])) + (
        f" and {len(smallest_group) - 5} more" if len(smallest_group) > 5 else ""
    )
