"""Beta fitted to a response: found where it is known, honest where beta is chosen anew."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.features import tables


def dialogues(seed=0, n=60, items=40):
    """Confusions whose precision and recall move apart: some items are left unclassified, some are
    wrong.
    """
    random = np.random.default_rng(seed)
    gold = random.choice(["a", "b", "c"], n * items)
    wrong, silent = (np.repeat(random.uniform(0.02, 0.45, n), items) for _ in range(2))
    draw = random.random(n * items)
    said = np.where(draw < wrong, np.roll(gold, 1), gold).astype(object)
    said[(draw >= wrong) & (draw < wrong + silent)] = None
    return bt.labels.confusion_matrix(gold, said, by=np.repeat(np.arange(n), items))


def f(confusion, beta, average="weighted"):
    return (
        bt.labels.precision_recall_f(confusion, beta=beta)["averaged"]
        .sel(average=average, measure="f")
        .values
    )


@pytest.mark.parametrize("beta", [0.5, 1, 2])
@pytest.mark.parametrize("average", ["weighted", "macro", "pooled"])
def test_the_beta_of_the_response_is_found(beta, average):
    confusion = dialogues()
    score = f(confusion, beta, average)
    response = 0.3 + 0.5 * score + 0.001 * np.random.default_rng(3).normal(size=60)
    found = bt.features.fit_beta(confusion, response, average=average)
    assert found["best"].item() == pytest.approx(beta, rel=0.15)
    assert found["slope"].item() == pytest.approx(0.5, abs=0.02)
    assert found["r2_held_out"].item() > 0.98


def test_r2_and_held_out_are_those_of_refits():
    confusion = dialogues(n=14)
    response = f(confusion, 2) + 0.1 * np.random.default_rng(5).normal(size=14)
    found = bt.features.fit_beta(confusion, response)
    grid = {b: f(confusion, b) for b in tables._BETAS}
    r2 = {b: np.corrcoef(s, response)[0, 1] ** 2 for b, s in grid.items()}
    best = max(r2, key=r2.get)
    assert found["best"].item() == pytest.approx(best)
    assert found["r2"].item() == pytest.approx(r2[best])
    np.testing.assert_allclose(found["profile"], list(r2.values()))
    error = []
    for k in range(14):
        rest = np.arange(14) != k
        chosen = max(grid, key=lambda b, r=rest: np.corrcoef(grid[b][r], response[r])[0, 1] ** 2)
        slope, start = np.polyfit(grid[chosen][rest], response[rest], 1)
        error.append(response[k] - start - slope * grid[chosen][k])
    expected = 1 - np.square(error).sum() / np.square(response - response.mean()).sum()
    assert found["r2_held_out"].item() == pytest.approx(expected)
    assert found["r2_held_out"].item() < found["r2"].item()


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    confusion = dialogues(n=40)
    score, random = f(confusion, 1), np.random.default_rng(7)
    inside = 0
    for _ in range(60):
        found = bt.features.fit_beta(confusion, score + 0.05 * random.normal(size=40))
        inside += found["lower"].item() <= 1 <= found["upper"].item()
    assert inside >= 51  # of 60 with probability 0.95 each: fewer has probability below 0.001


def test_dialogues_without_an_response_are_counted():
    confusion = dialogues(n=10)
    response = f(confusion, 1) + 0.01 * np.random.default_rng(1).normal(size=10)
    response[3] = np.nan
    found = bt.features.fit_beta(confusion, response)
    assert (found.attrs["n"], found.attrs["n_dropped"]) == (9, 1)


def test_bad_input():
    confusion = dialogues(n=10)
    with pytest.raises(ValueError, match=r"give \(dialogue, predicted, actual\)"):
        bt.features.fit_beta(bt.datasets.beetle_confusion(), [1.0])
    with pytest.raises(ValueError, match="response 'response' is 1 in all 10"):
        bt.features.fit_beta(confusion, np.ones(10))
    with pytest.raises(ValueError, match="average is 'micro'"):
        bt.features.fit_beta(confusion, np.arange(10.0), average="micro")
