"""PandaLM's test set: figures, and what they say."""

import numpy as np
import pytest

import betterthan as bt


def test_the_figures_of_both_judges_are_of_the_same_items():
    one, other = bt.datasets.pandalm(), bt.datasets.pandalm("pandalm-7b")
    assert int(one["judged"].sum()) == int(other["judged"].sum()) == 999
    truth = [data["gold"].sum("signal").values for data in (one, other)]
    np.testing.assert_array_equal(*truth)
    assert truth[0].sum(0)[2] == 105  # ties, as printed
    assert int(one["judged"].sel(signal="unparsed").sum()) == 25


def test_accuracies_in_print():
    for judge, accuracy in (("gpt-3.5", 0.7107), ("pandalm-7b", 0.6677)):
        gold = bt.datasets.pandalm(judge)["gold"].sum("pair").values
        if judge == "gpt-3.5":  # what could not be read counted as a tie there
            gold = np.column_stack([gold[:, :2], gold[:, 2] + gold[:, 3]])
        assert np.trace(gold) / gold.sum() == pytest.approx(accuracy, abs=5e-5)


def test_two_pairs_change_their_verdict_if_the_judge_is_taken_for_the_truth():
    pairs = bt.compare(bt.datasets.pandalm()).pairs.set_index(["system", "other"])
    changed = pairs[pairs["gold_verdict"] != pairs["judge_verdict"]]
    assert {frozenset(pair) for pair in changed.index} == {
        frozenset({"opt-7b", "pythia-6.9b"}),
        frozenset({"opt-7b", "cerebras-gpt-6.7B"}),
    }
    people = pairs.loc[("pythia-6.9b", "opt-7b")]
    assert people["gold_prob_better"] == pytest.approx(0.9885, abs=5e-5)
    assert people["judge_prob_better"] == pytest.approx(0.845, abs=5e-4)


def test_what_is_not_there():
    with pytest.raises(ValueError, match=r"labels=.30. is of the judge gpt-3\.5"):
        bt.datasets.pandalm("pandalm-7b", labels="30")
