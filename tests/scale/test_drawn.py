"""Weights and swaps of items by their number: the same however blocks are cut, and of the right
law.
"""

import numpy as np
import pytest
from scale.made_blocks import graded, labelled, right_or_wrong, watched

import betterthan as bt
from betterthan.exact.blocks import bits, exponentials

GRADED = np.round(graded(700, 3), 3)


def test_weights_and_swaps_depend_on_the_number_of_the_item_alone():
    whole = exponentials(0, 500, 30, seed=5), bits(0, 500, 130, seed=5)
    for at, n in ((0, 1), (63, 2), (64, 64), (131, 200)):
        np.testing.assert_array_equal(exponentials(at, n, 30, 5), whole[0][at : at + n])
        np.testing.assert_array_equal(bits(at, n, 130, 5), whole[1][at : at + n])
    assert not (exponentials(0, 500, 30, seed=6) == whole[0]).any()
    assert whole[0].mean() == pytest.approx(1, abs=0.05)
    assert whole[1].mean() == pytest.approx(0.5, abs=0.01)
    assert abs(np.corrcoef(whole[1][:64].ravel(), whole[1][64:128].ravel())[0, 1]) < 0.05


def test_bootstrap_draws_are_the_same_for_any_blocks_and_of_the_law_in_memory():
    of = []
    for rows in (100, 333, 700):
        lazy, read = watched(GRADED, rows)
        of.append(bt.scores.bootstrap_draws(lazy, draws=2000, rng=3))
        assert read.most() == 1
        np.testing.assert_allclose(of[-1], of[0], rtol=1e-12, atol=0)
    whole = bt.scores.bootstrap_draws(labelled(GRADED), draws=2000, rng=3)
    error = whole.std("draw") * np.sqrt(2 / 2000)
    assert (abs(of[0].mean("draw") - whole.mean("draw")) < 4 * error).all()
    apart, before = (x[:, 0] - x[:, 1] for x in (of[0].values, whole.values))
    assert apart.std() == pytest.approx(before.std(), rel=0.1)
    assert {k: v for k, v in of[0].attrs.items() if k in whole.attrs} == whole.attrs


def test_randomization_is_the_same_for_any_blocks_and_near_that_in_memory():
    of = []
    for rows in (100, 700):
        lazy, read = watched(GRADED, rows)
        of.append(bt.randomization_test(lazy, shuffles=4000, method="monte_carlo", rng=3))
        assert read.most() == 1
    assert of[0].identical(of[1]) or np.allclose(of[0]["p_value"], of[1]["p_value"], atol=0)
    whole = bt.randomization_test(labelled(GRADED), method="exact")
    apart = abs(of[0]["p_value"] - whole["p_value"])
    assert (apart <= 4 * of[0]["p_value_mcse"] + 1e-12).all()
    assert (whole["p_value"] < 0.9).sum() > 3  # there is something to tell
    for name in ("difference", "score", "n"):
        np.testing.assert_allclose(of[0][name], whole[name], atol=1e-12)
    np.testing.assert_array_equal(of[0]["n_differ"], whole["n_differ"])


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("higher", [True, False])
def test_of_0_and_1_it_is_exact_as_in_memory(alternative, higher):
    values = right_or_wrong(400, 3)
    lazy, read = watched(values, 90, higher_is_better=higher)
    found = bt.randomization_test(lazy, alternative=alternative)
    whole = bt.randomization_test(
        labelled(values, higher_is_better=higher), alternative=alternative
    )
    assert read.most() == 1
    for name in ("p_value", "p_adjusted", "smallest_p", "difference"):
        np.testing.assert_allclose(found[name], whole[name], atol=1e-14)
    assert found.attrs["method"] == whole.attrs["method"] == "binomial"


def test_blocks_of_0_and_1_among_graded_ones_are_read_again():
    values = np.concatenate([right_or_wrong(200, 2).astype(float), GRADED[:200, :2]])
    lazy, read = watched(values, 200)
    found = bt.randomization_test(lazy, shuffles=500, rng=1)
    assert found.attrs["method"] == "monte_carlo"
    assert read.most() == 2
    again = bt.randomization_test(watched(values, 400)[0], shuffles=500, rng=1)
    np.testing.assert_array_equal(found["p_value"], again["p_value"])


GAPS = graded(50, 2, missing=0.2)
BAD = {
    "gaps": (lambda d: bt.randomization_test(d(GAPS)), "has no score for"),
    "exact": (lambda d: bt.randomization_test(d(), method="exact"), "not possible in blocks"),
    "unit": (lambda d: bt.randomization_test(d(), unit="document"), "unit='document' needs"),
    "max_t": (lambda d: bt.randomization_test(d(), correction="max_t"), "scores in blocks, is"),
    "f1": (lambda d: bt.randomization_test(d(), statistic="f1"), "statistic is 'f1'; of scores"),
    "many": (lambda d: bt.randomization_test(d(), shuffles=10**9), "give at most"),
    "accuracy": (lambda d: bt.scores.bootstrap_draws(d(), statistic="accuracy"), "0 and 1"),
    "draws": (lambda d: bt.scores.bootstrap_draws(d(), draws=10**9), "give at most"),
    "unit of draws": (lambda d: bt.scores.bootstrap_draws(d(), unit="x"), "unit='x' needs"),
    "beside": (
        lambda d: bt.compare(d(), tests="randomization"),
        "would read scores in blocks a third time; call randomization_test",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_refusals(what):
    call, words = BAD[what]
    with pytest.raises(ValueError, match=words):
        call(lambda values=GRADED: watched(values, 25)[0])
