"""How often a feature is chosen again when dialogues are drawn anew: its inclusion frequency.

Folds that differ by one row choose nearly the same features from noise, too; bootstrap samples
differ as data sets do (Heinze, Wallisch & Dunkler 2018, Biometrical Journal 60(3),
doi:10.1002/bimj.201700067). As rows stand in them twice, they choose more than fresh data would (De
Bin, Janitza, Sauerbrei & Boulesteix 2016, Biometrics 72(1), doi:10.1111/biom.12381): there is room
for as many features as different rows allow, and noise has a frequency well above 0.
"""

from typing import Any

import numpy as np

from betterthan.exact.regression import stepwise


def frequency(
    z: np.ndarray,
    y: np.ndarray,
    groups: np.ndarray,
    how: dict[str, Any],
    resamples: int,
    seed: int,
) -> np.ndarray:
    """Return the share of resampled groups in which each feature is chosen."""
    number = int(groups.max()) + 1
    random = np.random.default_rng(seed)
    times = random.multinomial(number, np.full(number, 1 / number), size=resamples)
    products, sizes, distinct = stepwise.resampled(z, y, groups, times)
    searches = stepwise.search(products, sizes, distinct=distinct, **how)
    return searches.inside.mean(0)
