"""One recorded integer seed from whatever the caller gave as `rng`."""

from typing import Any

import numpy as np

_LIMIT = 2**32  # fits every sampler and a netCDF attribute


def one_seed(rng: Any = None) -> int:
    """An int seed: the one given, or one drawn from the Generator (or from fresh entropy for None).

    Whatever is then drawn from ``np.random.default_rng(seed)`` or handed to a sampler can be
    repeated by passing the recorded seed as `rng`.

    Examples
    --------
    >>> one_seed(7)
    7
    >>> one_seed(np.random.default_rng(7)) == one_seed(np.random.default_rng(7))
    True
    """
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and 0 <= rng < _LIMIT:
        return int(rng)
    try:
        return int(np.random.default_rng(rng).integers(_LIMIT))
    except (TypeError, ValueError):
        raise ValueError(
            f"rng is {rng!r}; give a whole number of at least 0, a numpy Generator or None"
        ) from None
