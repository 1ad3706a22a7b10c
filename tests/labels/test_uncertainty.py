"""The posterior over the cells of a confusion matrix: Betas exactly, averages against plain
Dirichlet draws.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import betterthan as bt

BEETLE = bt.datasets.beetle_confusion()


def plain(confusion, draws, prior):
    """Dirichlet draws and the scores of the draws, written out."""
    lost = confusion["n_actual"].values - confusion.values.sum(0)
    cells = np.vstack([confusion.values, lost]) + prior
    shares = np.random.default_rng(8).dirichlet(cells.ravel(), draws).reshape(-1, *cells.shape)
    right = np.diagonal(shares[:, :-1], axis1=1, axis2=2)
    precision, recall = right / shares[:, :-1].sum(2), right / shares.sum(1)
    return precision, recall, 2 * precision * recall / (precision + recall), shares.sum(1)


@pytest.fixture(scope="module")
def found():
    return bt.labels.posterior(BEETLE, rng=1, ci_kind="eti", draws=20_000)


def test_precision_and_recall_are_exactly_betas(found):
    for k, label in enumerate(BEETLE["actual"].values):
        right = BEETLE.values[k, k] + 0.2
        predicted, actual = BEETLE.values[k].sum() + 1, BEETLE["n_actual"].values[k] + 6 * 0.2
        for measure, whole in (("precision", predicted), ("recall", actual)):
            exact = beta(right, whole - right)
            at = found["by_label"].sel(label=label, measure=measure)
            expected = [exact.mean(), exact.ppf(0.025), exact.ppf(0.975), 0]
            np.testing.assert_allclose(
                at.sel(estimate=["mean", "lower", "upper", "mcse"]), expected, rtol=1e-9
            )


def test_f_and_averages_against_plain_draws(found):
    precision, recall, f, size = plain(BEETLE, 20_000, 0.2)
    expected = {
        ("macro", "precision"): precision.mean(1),
        ("macro", "f"): f.mean(1),
        ("weighted", "f"): (f * size).sum(1),
        ("weighted", "recall"): (recall * size).sum(1),
    }
    for (average, measure), draws in expected.items():
        at = found["averaged"].sel(average=average, measure=measure)
        error = draws.std() / np.sqrt(20_000)
        assert at.sel(estimate="mcse").item() == pytest.approx(error, rel=0.05)
        assert abs(at.sel(estimate="mean").item() - draws.mean()) < 6 * error
        np.testing.assert_allclose(
            at.sel(estimate=["lower", "upper"]),
            np.quantile(draws, [0.025, 0.975]),
            atol=0.03 * draws.std() * 4,
        )
    for k, label in enumerate(BEETLE["actual"].values):
        at = found["by_label"].sel(label=label, measure="f", estimate="mean").item()
        assert abs(at - f[:, k].mean()) < 6 * f[:, k].std() / np.sqrt(20_000)


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
        ({"prior": 0}, "prior holds 0"),
        ({"beta": -1}, "beta holds -1"),
        ({"draws": 0}, "draws is 0"),
        ({"ci_kind": "x"}, "ci_kind is 'x'"),
    ],
)
def test_bad_arguments(choice, words):
    with pytest.raises(ValueError, match=words):
        bt.labels.posterior(BEETLE, **choice)
    by = bt.labels.confusion_matrix(["a", "b"], ["a", "b"], by=["x", "y"])
    with pytest.raises(ValueError, match="give one matrix"):
        bt.labels.posterior(by)
