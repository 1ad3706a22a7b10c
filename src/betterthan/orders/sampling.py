"""Orders sampled from bins of Kendall's tau, and who is to see which: material for a study."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact import rankings
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.orders.chance import tau_bins
from betterthan.orders.ranked import DOCUMENT, POSITION, ranked_of
from betterthan.signed import Signature


def stimuli(
    references: Mapping[Any, Sequence[Any]], edges: Sequence[float] | int = 8, *, rng: Any = None
) -> xr.Dataset:
    """Sample rankings of texts from bins of tau, and assign them to lists of readers.

    Use it to design a reading study with shuffled texts.

    Parameters
    ----------
    references : mapping
        Mapping from a text to its items in the reference order, 2 to 200 of them.
    edges : int or sequence of float, default 8
        Number of bins of equal width from -1 to 1, or their limits, rising. A tau on a limit
        belongs to the bin above it, on the last limit to the last bin, as in `people.bin_by`.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    xarray.Dataset
        Over document and bin (from 1, the lowest tau):

        - ``order`` (document, bin, position): item ids, "" beyond the end; every ranking of the bin
          is equally likely
        - ``tau``: against the reference
        - ``list``: group of readers who see it, from 1 to the number of bins

        The lists are a Latin square: every text occurs once on each, and the bins as evenly as
        possible, once each if there are as many texts as bins. Over bin: ``low`` and ``high``, its
        limits.

    Raises
    ------
    ValueError
        If there are no texts, a ranking is not valid or has fewer than 2 or more than 200 items,
        the edges do not rise, or a bin has no ranking of so many items.

    References
    ----------
    Lapata (2006), Computational Linguistics 32(4), sections 3.1.1 and 3.1.2.

    Examples
    --------
    >>> texts = {f"text {k}": list("ABCDEFGH") for k in range(4)}
    >>> result = stimuli(texts, [-1, -0.5, 0, 0.5, 1], rng=1)
    >>> result.sizes["document"], result.sizes["bin"], result["order"].sizes["position"]
    (4, 4, 8)
    >>> sorted(result["list"].sel(document="text 0").values.tolist())
    [1, 2, 3, 4]
    """
    checks.of_type(references, Mapping, "references are", "mapping from texts to lists of items")
    if not references:
        raise ValueError("references are empty; give a mapping from texts to lists of items")
    ranked = ranked_of({text: {names.REFERENCE: order} for text, order in references.items()})
    limits, seed = tau_bins(np.zeros(1), edges)[1], one_seed(rng)
    random = np.random.default_rng(seed)
    sampled, width = [], ranked.items.shape[1]
    for ranks, items in zip(ranked.ranks[:, 0], ranked.items, strict=True):
        ordered = items[np.argsort(ranks)][: int((~np.isnan(ranks)).sum())]
        orders, tau = _of_each_bin(len(ordered), limits, random)
        padded = np.full((len(orders), width), "", dtype=ranked.items.dtype)
        padded[:, : len(ordered)] = ordered[orders]
        sampled.append((padded, tau))
    bins, texts = len(limits) - 1, len(sampled)
    rows, columns = random.permutation(texts), random.permutation(bins)
    table = {
        "order": ((DOCUMENT, "bin", POSITION), np.stack([orders for orders, _ in sampled])),
        "tau": ((DOCUMENT, "bin"), np.stack([tau for _, tau in sampled])),
        "list": ((DOCUMENT, "bin"), (rows[:, None] + columns) % bins + 1),
        "low": ("bin", limits[:-1]),
        "high": ("bin", limits[1:]),
    }
    coords = {DOCUMENT: ranked.documents, "bin": 1 + np.arange(bins)}
    return xr.Dataset(table, coords, Signature(seed=seed).to_attrs())


def _of_each_bin(
    items: int, limits: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """A random permutation of each bin (bin, item), and its tau (bin,)."""
    if not 2 <= items <= rankings.EXACT_MAX:
        raise ValueError(
            f"references have an order of {checks.numbered(items, 'item')}; give 2 to "
            f"{rankings.EXACT_MAX}"
        )
    number = np.array(rankings.orders_by_inversions(items), dtype=object)
    tau = 1 - 4 * np.arange(len(number)) / (items * (items - 1))
    place = tau_bins(tau, limits)[0]
    chosen = []
    for k in range(len(limits) - 1):
        inside = np.flatnonzero(place == k)
        if not len(inside):
            raise ValueError(
                f"edges: no order of {items} items has a tau from {limits[k]:g} to "
                f"{limits[k + 1]:g}; give fewer or wider bins"
            )
        chosen.append(int(random.choice(inside, p=_shares(number[inside]))))
    return np.array([_with_inversions(items, k, random) for k in chosen]), tau[chosen]


def _with_inversions(items: int, number: int, random: np.random.Generator) -> np.ndarray:
    """A random one of the permutations of 0 to items - 1 that have so many inversions.

    Item by item from the last: how many others are put after it, by how many permutations of the
    others have the inversions that are left.
    """
    order: list[int] = []
    after = []
    for size in range(items, 0, -1):
        others = rankings.orders_by_inversions(size - 1)
        most = min(size - 1, number)
        least = max(0, number - len(others) + 1)
        ways = np.array([others[number - k] for k in range(least, most + 1)], dtype=object)
        after.append(least + int(random.choice(len(ways), p=_shares(ways))))
        number -= after[-1]
    for item, behind in enumerate(reversed(after)):
        order.insert(item - behind, item)
    return np.array(order)


def _shares(ways: np.ndarray) -> np.ndarray:
    """Probabilities from numbers of any size."""
    total = sum(ways)
    return np.array([int(way) / int(total) for way in ways])
