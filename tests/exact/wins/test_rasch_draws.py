"""Successes drawn for many parameters at once, against what they must be."""

import numpy as np
import pytest
from scipy import special, stats

from betterthan.exact.wins import rasch

DRAWS = 40_000


def spread_out(*values):
    """The same parameters for every draw."""
    return np.tile(np.array(values, float), (DRAWS, 1))


def as_expected(seen, expected):
    """Counts of kinds are as expected; kinds that are rare go together."""
    rare = expected < 5
    both = [np.append(x[~rare], x[rare].sum()) for x in (seen, expected)]
    kept = both[1] > 0
    return stats.chisquare(both[0][kept], both[1][kept]).pvalue > 1e-3


@pytest.mark.parametrize("slope", [None, 1.7])
def test_one_trial_succeeds_with_its_chance(slope):
    place, difficulty = spread_out(0.3, -2.0, 5.0), spread_out(-0.5, 1.0)
    slopes = None if slope is None else np.full((DRAWS, 2), slope)
    tried = np.array([[True, True, True], [True, False, True]])
    found = rasch.solved(place, difficulty, slopes, tried, np.random.default_rng(1))
    assert found.shape == (DRAWS, 2, 3)
    chance = special.expit((slope or 1.0) * (place[0] - difficulty[0][:, None])) * tried
    error = np.sqrt(chance * (1 - chance) / DRAWS)
    assert (np.abs(found.mean(0) - chance) <= 4 * error).all()


def test_odds_beyond_all_numbers_are_certain():
    place, difficulty = np.array([[900.0, -900.0]]), np.array([[0.0, 1e4, -1e4]])
    with np.errstate(all="raise", under="ignore"):
        found = rasch.solved(
            place, difficulty, None, np.ones((3, 2), bool), np.random.default_rng(1)
        )
    assert found.tolist() == [[[True, False], [False, False], [True, True]]]


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("most", [3, 16, 17])
def test_trials_of_a_cell_are_beta_binomial(rho, most):
    trials = np.array([[most, 0], [2, 1]])
    found = rasch.succeeded(
        spread_out(0.4, 0.4),
        spread_out(0.0, 1.0),
        np.full(DRAWS, rho),
        trials,
        np.random.default_rng(2),
    )
    assert not found[:, 0, 1].any()
    for item, system in ((0, 0), (1, 0), (1, 1)):
        n, p = trials[item, system], special.expit(0.4 - item)
        kappa = 1 / rho - 1 if rho else np.inf
        law = stats.betabinom(n, kappa * p, kappa * (1 - p)) if rho else stats.binom(n, p)
        seen = np.bincount(found[:, item, system].astype(int), minlength=n + 1)
        assert as_expected(seen, DRAWS * law.pmf(np.arange(n + 1)))
    cells = np.corrcoef(found[:, 0, 0], found[:, 1, 0])[0, 1]
    assert abs(cells) < 4 / np.sqrt(DRAWS)  # systems and items are independent given the rest


def test_expected_scores_are_integrals():
    random = np.random.default_rng(3)
    ability, mean, spread = random.normal(0, 3, (20, 4)), random.normal(size=20), np.full(20, 1.3)
    x, log_weight = rasch.nodes(61)
    odds = mean[:, None, None] + ability[..., None]
    for slope in (None, np.full(20, 0.4)):
        steep = [(0.0, 0.0)] if slope is None else zip(*rasch.hermite(9), strict=True)
        wanted = sum(
            np.exp(w)
            * (np.exp(log_weight) * special.expit(np.exp(0.4 * z) * (odds - 1.3 * x))).sum(-1)
            for z, w in steep
        )
        assert rasch.expected_score(ability, mean, spread, slope) == pytest.approx(
            wanted, rel=1e-12
        )
