"""Rows of one dialogue are left out together, whether or not anybody said so."""

import warnings

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


def rated(seed, dialogues=12, raters=4, features=8):
    """Features of dialogues that have nothing to do with their ratings; a row for each rater."""
    random = np.random.default_rng(seed)
    of = np.repeat(np.arange(dialogues), raters)
    x = random.normal(size=(dialogues, features))[of]
    y = random.normal(size=dialogues)[of] + 0.5 * random.normal(size=len(of))
    columns = [f"x{k}" for k in range(features)]
    return pd.DataFrame(x, [f"d{k}" for k in of], columns).assign(rating=y)


def honest(frame, **choice):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bt.features.performance_function(frame, "rating", **choice).fit


@pytest.mark.parametrize("named", [True, False], ids=["index labels", "features"])
def test_noise_of_dialogues_predicts_nothing(named):
    """It was .48 on average, and above 0 in 95 of 100."""
    frames = [rated(seed) for seed in range(25)]
    frames = frames if named else [frame.reset_index(drop=True) for frame in frames]
    found = [honest(frame) for frame in frames]
    r2 = np.array([float(fit["r2_held_out_chosen"]) for fit in found])
    assert r2.mean() < 0
    assert (r2 > 0).mean() < 0.2
    assert {fit.attrs["folds"] for fit in found} == {12}
    assert {fit.attrs["left_out_by"] for fit in found} == {
        "index label" if named else "same features"
    }


def test_rows_grouped_unasked_are_those_of_leave_out():
    frame = rated(3)
    with pytest.warns(UserWarning, match="48 rows are of 12 different index labels, and rows of"):
        unasked = bt.features.performance_function(frame, "rating").fit
    asked = honest(frame.rename_axis("dialogue"), leave_out="dialogue")
    for name in ("r2_held_out_chosen", "standard_error", "lower"):
        np.testing.assert_allclose(unasked[name], asked[name])


def test_rows_alike_by_label_or_by_features_are_one_group():
    frame = rated(4, raters=2)
    frame.index = [*frame.index[:-1], "new"]  # of a dialogue whose features stand above
    assert honest(frame).attrs["folds"] == 12


def test_rows_said_to_stand_alone_do():
    frame = rated(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = bt.features.performance_function(frame, "rating", leave_out="row").fit
    assert (fit.attrs["left_out_by"], fit.attrs["folds"]) == ("row", 48)
    assert fit.attrs["n_in_other_folds"] == 48
    assert "48 rows have the same features as a row in another fold" in bt.report(_function(frame))
    halves = frame.assign(dialogue=np.arange(48) % 4)
    whole = bt.features.performance_function(halves, "rating", leave_out="dialogue")
    assert whole.fit.attrs["n_in_other_folds"] > 0
    assert "rows have the same features" not in bt.report(whole)
    column = honest(frame.assign(row=np.arange(48) // 8), leave_out="row")
    assert column.attrs["folds"] == 6  # a column of that name is meant


def _function(frame):
    return bt.features.performance_function(frame, "rating", leave_out="row")


def test_rows_that_differ_stand_alone():
    frame = rated(6, dialogues=30, raters=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = bt.features.performance_function(frame, "rating").fit
    assert (fit.attrs["left_out_by"], fit.attrs["n_in_other_folds"]) == ("row", 0)


def test_a_feature_of_two_values_needs_a_word():
    frame = pd.DataFrame({"success": [0, 1] * 10, "rating": np.random.default_rng(1).random(20)})
    with pytest.raises(ValueError, match="20 rows are of 2 different rows of features, and at"):
        bt.features.performance_function(frame, "rating")
    assert honest(frame, leave_out="row").attrs["folds"] == 20


def test_feature_sets_and_the_model_are_told_too():
    frame = rated(7)
    with pytest.warns(UserWarning, match="12 different index labels"):
        found = bt.features.compare(frame, "rating", {"two": ["x0", "x1"], "one": ["x2"]})
    assert found.attrs["folds"] == 12
    with pytest.warns(UserWarning, match="12 different index labels, and the model takes them as"):
        bt.models.performance_function.build(frame, "rating")


def test_the_command_line_takes_the_word(tmp_path, capsys, monkeypatch):
    from betterthan.cli.commands import main

    rated(8).to_csv(tmp_path / "f.csv", index=False)
    asked = f"betterthan outcome {tmp_path / 'f.csv'} --outcome rating --leave-out row --seed 1"
    monkeypatch.setattr("sys.argv", asked.split())
    with pytest.raises(SystemExit) as stopped:
        main()
    assert not stopped.value.code
    assert "48 folds, each leaves out one row" in capsys.readouterr().out


def test_groups_of_rows_in_another_order_are_refused():
    frame = rated(6, dialogues=30, raters=1)
    frame.index = [f"q{k}" for k in range(30)]
    groups = pd.Series(np.arange(30) // 3, frame.index)
    honest(frame, leave_out=groups)
    with pytest.raises(ValueError, match="features and groups name different rows: 'q0' and 'q29'"):
        honest(frame, leave_out=groups[::-1])
