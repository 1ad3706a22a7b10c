"""The short way of a cell is the long way of `bt.compare`, on some of its sets."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.counts.shapes import pair_indices
from validation.decisions import of_graded, of_judgments, of_many, of_pairs, of_units
from validation.decisions.tables_of_items import Graded, Rasch

FOUND = {
    "better": "prob_better",
    "lower": "difference_lower",
    "upper": "difference_upper",
}


def as_scores(values, unit=None):
    """Scores (item, system), with clusters where items share units."""
    coords = {"system": [f"s{k:02}" for k in range(values.shape[1])]}
    if unit is not None and len(set(unit)) < len(unit):
        coords["cluster"] = ("item", [f"c{k:02}" for k in unit])
    coords["item"] = [f"i{k}" for k in range(len(values))]
    return xr.DataArray(values, dims=("item", "system"), coords=coords)


def agree(found, comparison, prefix=""):
    """Pairs in the order of a square's upper triangle."""
    at = pair_indices(comparison.data.sizes["system_a"])
    for key, name in FOUND.items():
        whole = f"{prefix}{name}"
        if prefix:
            whole = f"{prefix}_{name}"
        np.testing.assert_allclose(
            found[key], comparison.data[whole].values[at], atol=1e-9, err_msg=name
        )


@pytest.mark.parametrize("seed", range(3))
def test_of_a_pair(seed):
    counts = of_pairs.Truth(0.1, 0.4, 30).counts(1, np.random.default_rng(seed))
    w, l, t = counts[0]
    scores = np.array([[1, 0]] * w + [[0, 1]] * l + [[1, 1]] * t, dtype=float)
    comparison = bt.compare(as_scores(scores), tests="sign")
    found = of_pairs.answered(counts)
    agree(found, comparison)
    p = comparison.data["p_value"].sel(test="sign").values[0, 1]
    assert found["p"].item() == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize(
    "truth",
    [
        Rasch(systems=5, items=20, sd=0.5),
        Rasch(systems=4, items=20, apart=1.5, twins=1.0),
        Rasch(systems=6, items=30, sd=0.3, families=2, copied=0.9),
    ],
)
def test_of_many_systems(truth):
    random = np.random.default_rng(3)
    for _ in range(2):
        scores = truth.draw(random)
        comparison = bt.compare(as_scores(scores.values), tests="sign", rng=1)
        agree(of_many.alone(scores), comparison, "pairwise")
        among = of_many.among_all(scores, random)
        agree(among, comparison)
        # from draws of another seed: a system at the edge of the set may change
        assert np.sum(among["best"] != comparison.data["in_best_set"].values) <= 1


def test_of_many_systems_on_clusters():
    random = np.random.default_rng(4)
    scores = Rasch(systems=4, items=30, sd=0.3, clusters=6, together=1.0).draw(random)
    comparison = bt.compare(as_scores(scores.values, scores.unit), tests="sign", rng=1)
    agree(of_many.on_units(scores), comparison, "pairwise")
    agree(of_many.among_all(scores, random), comparison)
    scores = Rasch(systems=4, items=40, sizes=(12, 9, 7, 5, 4, 3), together=1.0).draw(random)
    comparison = bt.compare(as_scores(scores.values, scores.unit), tests="sign", rng=1)
    agree(of_many.among_all(scores, random), comparison)


def test_of_many_systems_with_graded_scores():
    random = np.random.default_rng(5)
    scores = Graded(systems=4, items=12, sd=0.3, noise=0.5).draw(random)
    skewed = Graded(systems=4, items=12, sd=0.3, noise=0.5, skewed=True).draw(random)
    for one in (scores, skewed):
        comparison = bt.compare(as_scores(one.values), tests="sign", rng=1)
        agree(of_many.on_units(one), comparison, "pairwise")
        agree(of_many.among_all(one, random), comparison)


def test_of_a_pair_on_units():
    sizes = (5,) * 6
    truth = of_units.Truth(0.1, sizes)
    outcome = truth.outcomes(0.6, 1, np.random.default_rng(6))
    t = of_units.on_units(outcome, sizes)
    lower, upper = t.interval(0.95)
    values = np.stack([outcome[0] == 1, outcome[0] == -1], axis=1) * 1.0
    comparison = bt.compare(as_scores(values, truth.unit), tests="sign")
    agree({"better": t.prob_above(), "lower": lower, "upper": upper}, comparison)


def test_of_a_pair_with_graded_scores():
    noise = of_graded.NOISES[1]
    apart = noise.draw(np.random.default_rng(7), (1, 15)) + 0.5
    t = of_graded.on_items(apart)
    lower, upper = t.interval(0.95)
    values = np.stack([apart[0], np.zeros(15)], axis=1)
    comparison = bt.compare(as_scores(values), quantity="mean", tests="sign")
    agree({"better": t.prob_above(), "lower": lower, "upper": upper}, comparison)


def test_the_mean_unless_wins_are_against_it():
    seen = set()
    for k in range(12):
        apart = of_graded.NOISES[1].draw(np.random.default_rng(k), (1, 60)) - 0.25
        mean, won = of_graded.on_items(apart).prob_above().item(), int((apart > 0).sum())
        wins = of_pairs.answered(np.array([[won, 60 - won, 0]]))
        values = np.stack([apart[0], np.zeros(60)], axis=1)
        verdict = str(bt.compare(as_scores(values), tests="sign").data["verdict"].values[0, 1])
        won_more = wins["better"].item()
        split = (mean >= 0.95 and won_more < 0.5) or (mean <= 0.05 and won_more > 0.5)
        assert (verdict == "split") == split
        assert (verdict == "a_better") == (mean >= 0.95 and not split)
        seen.add(verdict)
    assert {"split", "b_better", "undecided"} <= seen


def test_of_judgments_by_prompt():
    truth = of_judgments.Many(systems=3, prompts=12, judgments=5, sd=1.0)
    judged = truth.judged(np.random.default_rng(8))
    found = of_judgments.weighed(judged, 5)
    long = bt.models.davidson.by_cluster(judged, draws=of_judgments._DRAWS, ci_kind="eti", rng=5)
    better = long["prob_better"].values[pair_indices(3)]
    np.testing.assert_allclose(found["better"], better, atol=1e-12)
