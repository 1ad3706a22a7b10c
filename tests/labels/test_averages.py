"""Averages of a classifier's labels hold their own scores, and agree with the labels."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


def table(matrix, **more):
    names = [f"c{k}" for k in range(len(matrix))]
    return bt.labels.from_table(pd.DataFrame(matrix, names, names), **more)


def ends(found, of, **at):
    return found[of].sel(at).sel(estimate=["score", "mean", "lower", "upper"]).values


def test_the_score_of_twenty_labels_lies_in_its_interval():
    matrix = np.diag([9] * 20) + np.roll(np.eye(20, dtype=int), 1, 0)
    found = bt.labels.posterior(table(matrix), rng=1)
    for average in ("macro", "weighted", "pooled"):
        score, mean, low, high = ends(found, "averaged", average=average, measure="f")
        assert score == pytest.approx(0.9)
        assert abs(mean - 0.9) < 0.01  # .82 with an item made up for every label
        assert low < 0.86
        assert high > 0.92


@pytest.mark.parametrize("labels", [5, 20, 77])
def test_none_of_five_says_little_whatever_the_other_labels(labels):
    matrix = np.diag([0] + [5] * (labels - 1))
    matrix[1, 0] = 5
    found = bt.labels.posterior(table(matrix), rng=1, draws=200)
    score, _, low, high = ends(found, "by_label", label="c0", measure="recall")
    assert score == low == 0
    assert 0.35 < high < 0.5  # 1 - .05 ** (1 / 6) is .39; .047 at 20 labels before


@pytest.mark.parametrize("prior", [1e-6, 1e-3, 1 / 400])
def test_an_average_agrees_with_labels_never_predicted(prior):
    matrix = bt.labels.confusion_matrix(list("aabb"), list("aaaa"))
    found = bt.labels.posterior(matrix, prior=prior, rng=1)
    labels = found["by_label"].sel(measure="precision", estimate="mean")
    np.testing.assert_allclose(labels, 0.5)
    macro = found["averaged"].sel(average="macro", measure="precision")
    assert abs(macro.sel(estimate="mean") - 0.5) < 5 * macro.sel(estimate="mcse")


@pytest.mark.parametrize("kind", ["hdi", "eti"])
def test_every_score_is_in_its_interval_and_averages_among_their_labels(kind):
    random = np.random.default_rng(5)
    for _ in range(60):
        labels = int(random.choice([1, 2, 3, 5, 12]))
        matrix = random.poisson(random.choice([0.1, 0.5, 3]), (labels, labels))
        matrix += np.diag(random.poisson(random.choice([0, 1, 5, 40]), labels))
        if random.random() < 0.3:
            matrix[random.integers(labels)] = 0  # never predicted
        n_actual = matrix.sum(0) + random.integers(0, 2) * random.poisson(0.7, labels)
        sizes = {f"c{k}": int(n) for k, n in enumerate(n_actual)}
        if not matrix.sum():
            continue
        found = bt.labels.posterior(
            table(matrix, actual_counts=sizes), rng=1, draws=300, ci_kind=kind
        )
        for of in ("by_label", "averaged"):
            score, mean, low, high = np.moveaxis(ends(found, of), -1, 0)
            assert ((low >= 0) & (low <= score) & (score <= high) & (high <= 1)).all()
            assert ((low - 1e-12 <= mean) & (mean <= high + 1e-12)).all()
        each = found["by_label"]
        _, mean, low, high = ends(found, "averaged", average="macro").T
        least, most = (
            each.sel(estimate="lower").min("label"),
            each.sel(estimate="upper").max("label"),
        )
        assert ((least <= mean) & (mean <= most)).all()
        assert ((least - 0.06 <= low) & (high <= most + 0.06)).all()


@pytest.mark.parametrize(("labels", "items"), [(2, 10), (5, 5), (20, 5)])
def test_averages_hold_the_truth(labels, items):
    random = np.random.default_rng(11)
    right = np.linspace(0.95, 0.75, labels)
    shares = np.where(np.eye(labels, dtype=bool), right, (1 - right) / (labels - 1)) / labels
    scores = np.stack([np.diagonal(shares) / shares.sum(axis) for axis in (1, 0)])
    f = np.array([(2 * scores.prod(0) / scores.sum(0)).mean(), right.mean()])
    held = []
    for seed in range(50):
        matrix = random.multinomial(labels * items, shares.ravel()).reshape(labels, labels)
        found = bt.labels.posterior(table(matrix), rng=seed, draws=400)["averaged"]
        of = found.sel(average=["macro", "pooled"], measure="f")
        held.append((of.sel(estimate="lower") <= f) & (f <= of.sel(estimate="upper")))
    assert (np.mean(held, axis=0) >= 0.85).all()  # of .95, with 3 standard errors of 50


def test_labels_of_too_few_items_are_named_in_the_report():
    written = bt.report(table(np.diag([9, 2, 8, 1])), figures=False)
    assert "Fewer than 3 items have the labels c1, c3" in written
    assert "Fewer than" not in bt.report(table(np.diag([9, 3])), figures=False)


def test_labels_and_errors_that_are_alike_are_all_named():
    errors = bt.labels.confusion_matrix(list("aabbccdd") * 5, list("abbccdda") * 5)
    text = " ".join(str(bt.report(errors)).split())
    assert "A most frequent error is predicting" in text
    assert "(5 items, 25% of all errors; 3 others are as frequent)" in text
    highest = bt.labels.confusion_matrix(list("aabbccdd"), list("aabbccda"))
    text = " ".join(str(bt.report(highest)).split())
    assert "highest for labels b and c (1.000)" in text
    assert "The most frequent error is predicting a instead of d" in text
