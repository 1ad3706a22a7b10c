"""The clusters of what is compared, for tests and Bayes factors: whole clusters, not items."""

from collections.abc import Iterator

import numpy as np

from betterthan.comparison import unit_wins
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.counts.picking import systems_of
from betterthan.counts.units import CLUSTER
from betterthan.exact.joint.units import once, pair_sums
from betterthan.significance.on_clusters import OnClusters, Sums


def net_wins(given: Given, asked: Asked) -> tuple[np.ndarray, np.ndarray]:
    """Wins less losses, and examples, of each cluster, (cluster, pair)."""
    if given.found.by_item:
        found = unit_wins.of_items(given.plain, asked.margin, asked.ties)
    else:
        found = unit_wins.of_counts(given.plain, asked.ties)
    return once(*found) if asked.weight == "unit" else found


def clusters_of(given: Given, asked: Asked) -> OnClusters | None:
    """The clusters, where they are the unit of the answer: their totals, or their wins less losses
    where wins decide.
    """
    scores = given.scores
    if given.unit != CLUSTER:
        return None

    def totals() -> Iterator[Sums]:
        sums = scores.totals, scores.sizes, scores.unit
        return pair_sums(*sums, each_once=asked.weight == "unit")

    def wins() -> Iterator[Sums]:
        net, size = net_wins(given, asked)
        yield net, size, np.zeros_like(net), size

    systems = systems_of(given.counts)
    if scores is not None and given.quantity.lead != "wins":
        return OnClusters.from_sums(systems, totals, scores.pairs())
    return OnClusters.from_sums(systems, wins)
