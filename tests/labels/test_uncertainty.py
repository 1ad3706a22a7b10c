"""Posteriors of a confusion matrix: labels exactly, averages against plain Dirichlet draws and a
jackknife item by item.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import betterthan as bt

BEETLE = bt.datasets.beetle_confusion()


def cells_of(confusion):
    lost = confusion["n_actual"].values - confusion.values.sum(0)
    return np.vstack([confusion.values, lost])


def averages_of(cells):
    """Macro, weighted and pooled (average, measure) of cells or shares (..., predicted, actual)."""
    right = np.diagonal(cells[..., :-1, :], axis1=-2, axis2=-1)
    said, there = cells[..., :-1, :].sum(-1), cells.sum(-2)
    p, r = right / said, right / there
    each = np.stack([p, r, 2 * p * r / (p + r)], axis=-1)
    weighted = (each * there[..., None]).sum(-2) / there.sum(-1)[..., None]
    p, r = right.sum(-1) / said.sum(-1), right.sum(-1) / there.sum(-1)
    pooled = np.stack([p, r, 2 * p * r / (p + r)], axis=-1)
    return np.stack([each.mean(-2), weighted, pooled], axis=-2)


def plain(cells, draws):
    """Dirichlet draws of one right and one wrong made-up item, spread, moved and scored."""
    labels = cells.shape[1]
    prior = np.full(cells.shape, 1 / labels / labels)  # wrong: labels - 1 rows and the lost one
    np.fill_diagonal(prior, 1 / labels)
    shares = np.random.default_rng(8).dirichlet((cells + prior).ravel(), draws)
    drawn = averages_of(shares.reshape(-1, *cells.shape))
    n, items = cells.sum(), [at for at in np.argwhere(cells) for _ in range(cells[tuple(at)])]
    full, less, little = averages_of(cells), [], []
    for row, column in items:
        rest = cells.astype(float)
        rest[row, column] -= 1
        less.append(averages_of(rest))
        rest[row, column] += 1 - 1e-5
        little.append((averages_of(rest) - full) / 1e-5)
    bias = (n - 1) * (np.mean(less, axis=0) - full)
    times = ((np.array(less) - full) ** 2).sum(0) / (np.array(little) ** 2).sum(0)
    mean = drawn.mean(0)
    return mean - bias + (drawn - mean) * np.sqrt(np.maximum(times, 1))


FEW = bt.labels.from_table(
    pd.DataFrame([[3, 1, 0], [0, 2, 1], [0, 0, 2]], list("abc"), list("abc")),
    actual_counts={"a": 4, "b": 3, "c": 4},
)


@pytest.fixture(scope="module")
def found():
    return bt.labels.posterior(BEETLE, rng=1, ci_kind="eti", draws=20_000)


@pytest.mark.parametrize("prior", [1.0, 0.5])
def test_labels_are_exactly_betas(prior):
    found = bt.labels.posterior(BEETLE, rng=1, ci_kind="eti", draws=10, prior=prior)
    for k, label in enumerate(BEETLE["actual"].values):
        right = BEETLE.values[k, k]
        predicted, actual = BEETLE.values[k].sum(), BEETLE["n_actual"].values[k]
        for measure, whole in (("precision", predicted), ("recall", actual)):
            exact = beta(right + prior, whole - right + prior)
            at = found["by_label"].sel(label=label, measure=measure)
            expected = [exact.mean(), exact.ppf(0.025), exact.ppf(0.975), 0]
            np.testing.assert_allclose(
                at.sel(estimate=["mean", "lower", "upper", "mcse"]), expected, rtol=1e-9
            )
        t = beta(right + prior, predicted + actual - 2 * right + prior)
        at = found["by_label"].sel(label=label, measure="f", estimate=["lower", "upper"])
        ends = t.ppf([0.025, 0.975])
        np.testing.assert_allclose(at, 2 * ends / (1 + ends), rtol=1e-9)


@pytest.mark.parametrize("of", [BEETLE, FEW], ids=["BEETLE", "a dozen items"])
def test_averages_against_plain_draws(of):
    found = bt.labels.posterior(of, rng=1, ci_kind="eti", draws=20_000)["averaged"]
    drawn = np.clip(plain(cells_of(of), 20_000), 0, 1)
    error = drawn.std(0) / np.sqrt(20_000)
    np.testing.assert_allclose(found.sel(estimate="mcse"), error, rtol=0.05)
    assert (abs(found.sel(estimate="mean") - drawn.mean(0)) < 6 * error).all()
    for estimate, prob in (("lower", 0.025), ("upper", 0.975)):
        gap = abs(found.sel(estimate=estimate) - np.quantile(drawn, prob, axis=0))
        assert (gap < 0.12 * drawn.std(0)).all()


def test_f_beta_of_labels_beside_f1():
    found = bt.labels.posterior(FEW, beta=2, rng=1, draws=10)["by_label"].sel(label="b")
    tp, fp, fn = np.random.default_rng(3).dirichlet([3, 1.5, 1.5], 200_000).T
    f = 5 * tp / (5 * tp + 4 * fn + fp)
    assert abs(found.sel(measure="f", estimate="mean") - f.mean()) < 6 * f.std() / 450
    inside = found.sel(measure="f", estimate=["lower", "upper"]).values
    assert abs(((inside[0] < f) & (f < inside[1])).mean() - 0.95) < 0.003


def test_scores_are_those_of_the_data(found):
    scores = bt.labels.precision_recall_f(BEETLE)
    np.testing.assert_array_equal(found["by_label"].sel(estimate="score"), scores["by_label"])
    np.testing.assert_array_equal(found["averaged"].sel(estimate="score"), scores["averaged"])


def test_nothing_unclassified_means_no_row_for_it():
    table = pd.DataFrame([[8, 2], [1, 9]], ["a", "b"], ["a", "b"])
    found = bt.labels.posterior(bt.labels.from_table(table), prior=1, rng=1)
    recall = found["by_label"].sel(label="a", measure="recall", estimate="mean").item()
    assert recall == pytest.approx(9 / 11)
    one = bt.labels.posterior(bt.labels.from_table(pd.DataFrame([[5]], ["a"], ["a"])), rng=1)
    assert one["by_label"].sel(label="a", measure="recall", estimate="lower").item() == 1


def test_a_seed_repeats_whatever_the_chunks(monkeypatch):
    from betterthan.labels import uncertainty

    first = bt.labels.posterior(BEETLE, rng=3, draws=101)
    monkeypatch.setattr(uncertainty, "_NUMBERS", 1)
    again = bt.labels.posterior(BEETLE, rng=first.attrs["seed"], draws=101)
    np.testing.assert_allclose(first["averaged"], again["averaged"], rtol=1e-12)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"prior": 0}, "prior is 0"),
        ({"beta": -1}, "beta is -1"),
        ({"draws": 1}, "draws is 1; give a whole number of at least 2"),
        ({"ci_kind": "x"}, "ci_kind is 'x'"),
    ],
)
def test_bad_arguments(choice, words):
    with pytest.raises(ValueError, match=words):
        bt.labels.posterior(BEETLE, **choice)
    by = bt.labels.confusion_matrix(["a", "b"], ["a", "b"], by=["x", "y"])
    with pytest.raises(ValueError, match="give one matrix"):
        bt.labels.posterior(by)


def test_the_report_lists_confusions_and_no_correct_prediction():
    actual, predicted = ["y"] * 30 + ["n"] * 30, ["y"] * 28 + ["n"] * 32
    text = bt.report(bt.labels.confusion_matrix(actual, predicted), format="markdown")
    listed = text[text.index("Most frequent confusions") :]
    assert "| n | y | 2 | 100.0% |" in listed
    assert "0.0% |" not in listed.replace("100.0% |", "")
