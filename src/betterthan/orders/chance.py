"""Is an order better than chance? The distribution of tau, and orders sampled from bins of it.

The distribution is that of equally likely orders. Sampled orders, and who is to see which, are
material for a study.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact import rankings
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.orders.ranked import DOCUMENT, POSITION, Ranked, ranked_of
from betterthan.orders.references import CHOICES, coefficients, consensus_of, signs
from betterthan.orders.taus import against, measured
from betterthan.people.correlations import bin_of, rising
from betterthan.signed import Signature

_CHUNK = 4_000_000  # signs of pairs held at once
_SLACK = 1e-12  # taus this near count as equal


def tau_distribution(items: int) -> xr.Dataset:
    """Compute the distribution of Kendall's tau for random rankings.

    Parameters
    ----------
    items : int
        Number of items, from 2 to 200.

    Returns
    -------
    xarray.Dataset
        Over inversions:

        - ``tau``, ``probability``
        - ``orders``: number of rankings with so many inversions, exact (Python integers above 20
          items)
        - ``p_value``: P(tau at least this high)

    Raises
    ------
    ValueError
        If `items` is not a whole number from 2 to 200.

    References
    ----------
    M. G. Kendall (1938), A new measure of rank correlation, Biometrika 30, 81-93.

    Examples
    --------
    >>> result = tau_distribution(8)
    >>> of_13 = result.sel(inversions=13)
    >>> result.sizes["inversions"], of_13["orders"].item(), of_13["tau"].item()
    (29, 3736, 0.0714285714285714)
    """
    n = checks.whole(items, "items", 2)
    if n > rankings.EXACT_MAX:
        raise ValueError(
            f"items is {n}; the exact distribution is given up to {rankings.EXACT_MAX}"
        )
    orders = np.array(rankings.orders_by_inversions(n), dtype=object)
    k = np.arange(len(orders))
    values = {
        "tau": 1 - 4 * k / (n * (n - 1)),
        "orders": orders.astype(np.int64) if n <= 20 else orders,
        "probability": rankings.probabilities(n),
        "p_value": rankings.p_value(k, np.full(len(k), n), "greater")[0],
    }
    return xr.Dataset(
        {name: ("inversions", v) for name, v in values.items()}, coords={"inversions": k}
    )


def tau_bins(tau: np.ndarray, edges: Any) -> tuple[np.ndarray, np.ndarray]:
    """Number of the bin of each tau from 0, -1 outside, and the limits: those of so many bins of
    equal width from -1 to 1, or the limits themselves.
    """
    edges = int(edges) if isinstance(edges, np.integer) else edges
    if isinstance(edges, int):
        if edges > (most := rankings.EXACT_MAX**2):
            number = checks.quoted(edges)
            raise ValueError(f"edges is {number}; give at most {most:,} bins, or their limits")
        limits = np.linspace(-1, 1, checks.whole(edges, "edges") + 1)
    else:
        limits = rising(edges)
    return bin_of(np.round(tau, 12), np.round(limits, 12)), limits


def tau_test(
    orders: Any,
    reference: Any,
    *,
    references: str = "mean",
    alternative: str = "greater",
    shuffles: int = names.SHUFFLES,
    rng: Any = None,
) -> xr.Dataset:
    """Test whether each system's mean tau over documents is better than chance.

    Parameters
    ----------
    orders, reference
        Rankings and reference; see `orders.kendall_tau`. The items must be the same.
    references : {"mean", "weighted", "best", "consensus"}, default "mean"
        How to combine several references; see `orders.tau_scores`.
    alternative : {"greater", "less", "two-sided"}, default "greater"
        Direction of the test.
    shuffles : int, default 10,000
        Number of random rankings of every document, if the null distribution is sampled.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    xarray.Dataset
        Over system:

        - ``mean_tau``: mean tau-b, without documents that have no tau
        - ``n_documents``
        - ``p_value``, ``p_value_mcse`` (0 if p is exact), ``exact``

        p is exact against one reference without ties if the null distribution of the sum of
        inversions fits on a lattice. Otherwise it is (b + 1) / (shuffles + 1), with random rankings
        that keep the ties of the system.

    Raises
    ------
    ValueError
        For the reasons of `orders.kendall_tau`, or if an argument is not valid.

    Examples
    --------
    >>> lists = {"ref": list("abcd"), "A": list("abcd"), "B": list("dbca")}
    >>> documents = {f"d{k}": lists for k in range(3)}
    >>> tau_test(documents, "ref")["p_value"].round(4).values.tolist()  # A: 1 / 24 ** 3
    [0.0001, 0.9962]
    """
    checks.one_of(references, CHOICES, "references")
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    settings = _Settings(references, alternative, checks.whole(shuffles, "shuffles"), one_seed(rng))
    ranked, several = against(orders, reference)
    if references == "consensus":
        several = consensus_of(several)
    taus = measured(ranked, several)
    single_reference = len(several.systems) == 1 and references != "weighted"
    plain = single_reference and not bool(taus["ties"].any())
    rows = []
    for s, system in enumerate(ranked.systems):
        row = _exact(taus, system, alternative) if plain else None
        if row is None:
            random = np.random.default_rng([settings.seed, s])
            row = _sampled(ranked.of([system]), several, settings, random, plain)
        rows.append(row)
    coords = {names.SYSTEM: ranked.systems}
    columns = {name: (names.SYSTEM, [row[name] for row in rows]) for name in rows[0]}
    return xr.Dataset(columns, coords, settings.attrs())


@dataclass(frozen=True)
class _Settings:
    """What is asked of every system."""

    references: str
    alternative: str
    shuffles: int
    seed: int

    def attrs(self) -> dict[str, Any]:
        """How the answer was made."""
        provenance = Signature(seed=self.seed, shuffles=self.shuffles).to_attrs()
        return provenance | {"references": self.references, "alternative": self.alternative}


def _exact(taus: xr.Dataset, system: str, alternative: str) -> dict[str, Any] | None:
    """Return the exact p of one system against one reference, or None if the lattice is too
    large.
    """
    cell = taus.sel({names.SYSTEM: system})
    k, n = np.atleast_1d(cell["inversions"].values), np.atleast_1d(cell["n_items"].values)
    defined = n > 1
    k, n = k[defined].astype(np.int64), n[defined].astype(np.int64)
    null = rankings.sum_null(n) if len(n) else None
    if null is None:
        return None
    probability, weight, steps = null
    total = int(k @ weight)
    high, low = probability[: total + 1].sum(), probability[total:].sum()
    p = {"greater": high, "less": low, "two-sided": min(1.0, 2 * min(high, low))}[alternative]
    return _row(float(1 - 2 * total / steps / len(n)), len(n), min(float(p), 1.0), 0.0, True)


def _sampled(
    ranked: Ranked, several: Ranked, settings: _Settings, random: np.random.Generator, plain: bool
) -> dict[str, Any]:
    """Test one system by random orders of each document."""
    total, observed, documents = np.zeros(settings.shuffles), 0.0, 0
    for ranks, others in zip(ranked.ranks[:, 0], several.ranks, strict=True):
        ranked_items = ~np.isnan(ranks)
        if ranked_items.sum() < 2:
            continue
        ranks = ranks[ranked_items]
        score = _scorer(
            ranks, others[~np.isnan(others).all(1)][:, ranked_items], settings.references
        )
        tau = score(ranks[None])[0]
        if np.isnan(tau):
            continue
        observed, documents = observed + tau, documents + 1
        draw = _plain_taus if plain else _random_taus
        total += draw(score, ranks, settings.shuffles, random)
    if not documents:
        return _row(np.nan, 0, np.nan, np.nan, False)
    high, low = (total >= observed - _SLACK).sum() + 1, (total <= observed + _SLACK).sum() + 1
    b = {"greater": high, "less": low, "two-sided": 2 * min(high, low)}[settings.alternative]
    p = float(min(1.0, b / (len(total) + 1)))
    error = float(np.sqrt(p * (1 - p) / settings.shuffles))
    return _row(observed / documents, documents, p, error, False)


def _scorer(ranks_observed: np.ndarray, others: np.ndarray, references: str) -> Any:
    """From ranks (order, item) to their tau-b (order,) against the references of one document."""
    n = len(ranks_observed)
    pull, total = coefficients(others[None], weighted=references == "weighted")
    pull, total = pull[0], total[0]
    used = total > 0
    ties = (signs(ranks_observed) != 0).sum() / (n * (n - 1)) if n > 1 else 0.0
    if not used.any() or ties == 0:
        return lambda ranks: np.full(len(ranks), np.nan)
    if references != "weighted":  # tau-b: total counts the untied pairs of the reference
        total = np.sqrt(total * ties * n * (n - 1))
    flat = (pull[used] / total[used, None, None]).reshape(int(used.sum()), -1)
    if references != "best":
        flat = flat.mean(0, keepdims=True)
    return lambda ranks: (signs(ranks).reshape(len(ranks), -1) @ flat.T).max(1)


def _plain_taus(
    score: Any, ranks: np.ndarray, shuffles: int, random: np.random.Generator
) -> np.ndarray:
    """Draw taus from inversions, which suffice without ties and with one reference."""
    n = len(ranks)
    return 1 - 4 * rankings.draw(np.array([n]), shuffles, random)[:, 0] / (n * (n - 1))


def _random_taus(
    score: Any, ranks: np.ndarray, shuffles: int, random: np.random.Generator
) -> np.ndarray:
    step = max(1, _CHUNK // len(ranks) ** 2)
    parts = []
    for start in range(0, shuffles, step):
        rows = min(step, shuffles - start)
        parts.append(score(random.permuted(np.broadcast_to(ranks, (rows, len(ranks))), axis=1)))
    return np.concatenate(parts)


def _row(tau: float, documents: int, p: float, error: float, exact: bool) -> dict[str, Any]:
    return {
        "mean_tau": tau,
        "n_documents": documents,
        "p_value": p,
        "p_value_mcse": error,
        "exact": exact,
    }


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
