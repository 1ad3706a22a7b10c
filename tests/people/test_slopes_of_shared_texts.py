"""Texts that all read: a slope that is these texts' own is not one of other texts."""

import warnings

import numpy as np
import pandas as pd
import pytest

import betterthan as bt

pytestmark = pytest.mark.filterwarnings("ignore:with other texts there may be no slope:UserWarning")


def study(random, subjects=20, texts=24, slope=0.0, text_sd=0.5):
    x = random.normal(size=texts)
    own = random.normal(0, 0.5, (subjects, 1)) + random.normal(0, 0.1, (subjects, 1)) * x
    y = own + slope * x + random.normal(0, text_sd, texts) + random.normal(size=(subjects, texts))
    return pd.DataFrame(
        {
            "subject": np.repeat([f"p{k}" for k in range(subjects)], texts),
            "text": np.tile([f"t{k}" for k in range(texts)], subjects),
            "x": np.tile(x, subjects),
            "y": y.ravel(),
        }
    )


def test_by_texts_a_slope_of_nothing_is_rarely_found():
    random = np.random.default_rng(8)
    found = [bt.people.slopes(study(random), "y", "x") for _ in range(100)]
    by_subject, by_text = (
        np.mean([one[k].item() <= 0.05 for one in found]) for k in ("p_value", "by_text_p_value")
    )
    assert by_subject > 0.35  # it is other people that this speaks of, and these texts
    assert by_text <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 100)
    assert found[0].attrs["texts"] == "shared by subjects"


def test_by_texts_is_least_squares_through_their_means():
    from scipy import stats

    table = study(np.random.default_rng(3), slope=0.5)
    found = bt.people.slopes(table, "y", "x")
    means = table.groupby("text", sort=False)[["x", "y"]].mean()
    line = stats.linregress(means["x"], means["y"])
    names = ("slope", "standard_error", "p_value")
    told = [found[f"by_text_{k}"].item() for k in names]
    assert told == pytest.approx([line.slope, line.stderr, line.pvalue])
    assert found["by_text_df"].item() == 22


def test_where_the_predictor_varies_within_a_text_each_text_has_a_slope():
    table = study(np.random.default_rng(4), subjects=6, texts=5)
    table["x"] = np.random.default_rng(5).normal(size=len(table))
    found = bt.people.slopes(table, "y", "x")
    turned = bt.people.slopes(table, "y", "x", subject="text", text=None)
    assert found["by_text_p_value"].item() == pytest.approx(turned["p_value"].item())


def test_f1_without_f2_is_warned_of():
    table = study(np.random.default_rng(1), text_sd=2.0)
    with pytest.warns(UserWarning, match=r"F1 without F2"):
        found = bt.people.slopes(table, "y", "x")
    assert found["p_value"].item() <= 0.05 < found["by_text_p_value"].item()


def test_shared_values_without_a_column_of_texts_are_warned_of():
    table = study(np.random.default_rng(1)).rename(columns={"text": "story"})
    with pytest.warns(
        UserWarning,
        match="may hold for these texts only .* share values of 'x', and no column names",
    ):
        bt.people.slopes(table, "y", "x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bt.people.slopes(table, "y", "x", text=None)
    with pytest.warns(UserWarning, match="subjects share values of 'x'"):
        bt.models.subject_slopes.build(table, "y", "x")
    named = bt.people.slopes(table, "y", "x", text="story")
    assert "by_text_p_value" in named
    with pytest.raises(ValueError, match="no column 'storey' among"):
        bt.people.slopes(table, "y", "x", text="storey")


def test_texts_of_one_reader_each_are_no_sample_apart():
    table = study(np.random.default_rng(2), subjects=4)
    table["text"] = table["subject"] + table["text"]
    found = bt.people.slopes(table, "y", "x")
    assert "by_text_slope" not in found
    assert found.attrs["texts"] == "none read by two subjects"
    model = bt.models.subject_slopes.build(table, "y", "x")
    assert "text_sd" not in model.named_vars


def test_the_model_has_an_effect_of_shared_texts():
    model = bt.models.subject_slopes.build(study(np.random.default_rng(2), subjects=4), "y", "x")
    assert {"text_sd", "text_effect"} <= set(model.named_vars)
