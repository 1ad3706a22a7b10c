"""Pairs under the mixture of all systems: the few components beside the plain sum of all."""

import numpy as np
import pytest
from scipy import special

from betterthan.exact.joint import differences, shrinkage
from betterthan.exact.joint.mixture import Mixture, mixture


def components(of: Mixture, first, second):
    """Weights (component,), means and variances (pair, component) of everything there is."""
    basis, variance = of.of.basis, of.of.variance
    parts = []
    for t, tau in enumerate(of.tau):
        share = 1 / (variance + tau**2)
        apart = basis[first] - basis[second]
        mean = apart @ (tau**2 * share * of.of.at)
        spread = apart**2 @ (tau**2 * share * variance)
        parts.append((of.weight[t, 0, :1], mean[:, None], spread[:, None]))
        a, c = (basis**2) @ share, basis @ (share * of.of.at)
        reached = apart @ (basis * variance * share).T
        for k, far in enumerate(shrinkage.APART):
            kappa = (of.of.scale * far) ** 2
            gain = kappa / (1 + kappa * a)
            moved, more = gain * c * reached, gain * reached**2
            parts.append((of.weight[t, 1:, k], mean[:, None] + moved, spread[:, None] + more))
    return tuple(np.concatenate(z, axis=-1) for z in zip(*parts, strict=True))


def board(systems, items, seed=0, alike=0.0):
    """Systems of which some share what they get wrong."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=(items, 1)) * np.where(np.arange(systems) % 2, alike, 0.3)
    rows = hard + rng.normal(size=(items, systems)) + np.linspace(0, 0.6, systems)
    mean = rows.mean(0)
    return mixture(shrinkage.contrasts(mean, rows - mean, pseudo=0, scale=0.5))


@pytest.mark.parametrize(
    ("systems", "items", "alike"), [(3, 8, 0.0), (5, 30, 4.0), (12, 200, 1.0), (25, 40, 8.0)]
)
def test_answers_are_those_of_the_plain_sum(systems, items, alike):
    of = board(systems, items, alike=alike)
    first, second = np.triu_indices(systems, 1)
    weight, mean, variance = components(of, first, second)
    better, worse, low, high = of.answers(first, second, 0.9)
    sd = np.sqrt(variance)
    np.testing.assert_allclose(better, special.ndtr(mean / sd) @ weight, atol=1e-10)
    np.testing.assert_allclose(worse, special.ndtr(-mean / sd) @ weight, atol=1e-10)
    for end, level in ((low, 0.05), (high, 0.95)):
        below = special.ndtr((end[:, None] - mean) / sd) @ weight
        np.testing.assert_allclose(below, level, atol=1e-8)


def test_short_moves_are_collapsed_and_long_ones_are_not():
    of = board(25, 400)
    first, second = np.triu_indices(25, 1)
    found = differences.differences(of._nodes(first, second))
    alone = len(found.row) / len(first)
    assert 2 * len(shrinkage.APART) <= alone < 0.25 * (of.weight > 1e-12).sum()
    total = found.moments[0].sum(1) + np.bincount(found.row, found.weight, minlength=len(first))
    np.testing.assert_allclose(total, 1, atol=1e-9)


def test_density_and_moments_are_those_of_the_mixture():
    of = board(6, 50, alike=2.0)
    first, second = np.triu_indices(6, 1)
    weight, mean, variance = components(of, first, second)
    found = differences.differences(of._nodes(first, second))
    middle, sd = found.middle()
    np.testing.assert_allclose(middle, mean @ weight, atol=1e-9)
    raw = (variance + mean**2) @ weight
    np.testing.assert_allclose(sd, np.sqrt(raw - (mean @ weight) ** 2), rtol=1e-7)
    x, h = middle + 0.7 * sd, 1e-4 * sd
    slope = (found.above(x - h) - found.above(x + h)) / (2 * h)
    np.testing.assert_allclose(found.density(x), slope, rtol=1e-6)
