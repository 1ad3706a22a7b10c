"""What one dialogue alone can steer is told, and what means nothing is not taken for a weight."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt


def test_a_loss_after_a_nearly_perfect_test_is_told():
    with pytest.warns(
        UserWarning,
        match=r"steer least squares: 1 of 3 learning gains are below -1, the lowest -99 at ",
    ):
        gain = bt.features.learning_gain([0.5, 0.99, 0.2], [0.7, 0.0, 0.1])
    assert gain.tolist() == pytest.approx([0.4, -99, -0.125])
    with pytest.warns(UserWarning, match="position 0, where pre is 0.99 and little was left"):
        assert bt.features.learning_gain(0.99, 0) == pytest.approx(-99)
    labelled = xr.DataArray([0.5, 0.9], dims="dialogue")
    with pytest.warns(UserWarning, match="position 1"):
        bt.features.learning_gain(labelled, labelled * 0 + 0.2)


def test_losses_of_no_more_than_could_be_gained_are_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bt.features.learning_gain([0.9, 0.2, np.nan], [0.8, 0.0, 0.5])


def dialogues(names=None):
    random = np.random.default_rng(5)
    by = np.repeat(np.arange(20) if names is None else names, 20)
    gold = random.choice(["a", "b"], by.size)
    skill = random.uniform(0.4, 0.9, 20)
    right = random.random(by.size) < np.repeat(skill, 20)
    return bt.labels.confusion_matrix(gold, np.where(right, gold, None), by=by), skill


def test_a_better_f_that_goes_with_a_lower_response_is_no_weight():
    confusion, skill = dialogues()
    with pytest.warns(UserWarning, match="a better F goes with a lower 'response'"):
        assert bt.features.fit_beta(confusion, -skill)["slope"] < 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert bt.features.fit_beta(confusion, skill)["slope"] > 0


def test_dialogues_named_twice_are_refused():
    confusion, skill = dialogues()
    twice = confusion.assign_coords(dialogue=[f"d{k // 2}" for k in range(20)])
    with pytest.raises(ValueError, match="dialogue 'd0' occurs more than once"):
        bt.features.fit_beta(twice, skill)


def test_gains_are_of_the_same_dialogues():
    pre, post = pd.Series([0.5, 0.6], ["d1", "d2"]), pd.Series([0.7, 0.9], ["d2", "d1"])
    with pytest.raises(ValueError, match="pre and post name different dialogues: 'd1' and 'd2'"):
        bt.features.learning_gain(pre, post)
    more = pd.Series([0.9, 0.7, 0.8], ["d1", "d2", "d3"])
    arrays = [x.rename_axis("dialogue").to_xarray() for x in (pre, more)]
    for sides, counts in ((arrays, "2 and 3"), (arrays[::-1], "3 and 2")):
        with pytest.raises(ValueError, match=f"name {counts} dialogues; give the same"):
            bt.features.learning_gain(*sides)
