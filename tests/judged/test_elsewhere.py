"""Labels of another population, by importance sampling."""

import numpy as np
import pytest

import betterthan as bt

GOLD, JUDGED = np.array([[18, 2, 5], [3, 9, 4], [4, 3, 12]]), np.array([210, 120, 170])


def test_labels_from_elsewhere_say_far_less():
    """Only how the judge errs carries over; importance sampling: 0.130, 0.238, 0.737 (ESS 132,600
    of 2e6 draws).
    """
    random, draws = np.random.default_rng(1), 300_000
    theta = random.dirichlet(np.ones(3), size=draws)
    confusion = [random.dirichlet(1 + row, size=draws) for row in GOLD]
    signal = sum(theta[:, k, None] * confusion[k] for k in range(3))
    logs = np.log(signal) @ (JUDGED - GOLD.sum(0))
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    ess = 1 / (weight**2).sum()
    d = theta[:, 0] - theta[:, 1]
    mean = weight @ d
    sd, p = np.sqrt(weight @ (d - mean) ** 2), weight @ (d > 0)
    assert abs(mean - 0.130) < 3 * sd / np.sqrt(ess)
    assert sd == pytest.approx(0.238, abs=3 * sd / np.sqrt(2 * ess))
    assert abs(p - 0.737) < 3 * np.sqrt(p * (1 - p) / ess)
    inside = bt.difference(bt.judged.from_table({("A", "B"): (GOLD, JUDGED)}))
    assert inside["sd"].item() < 0.4 * sd
