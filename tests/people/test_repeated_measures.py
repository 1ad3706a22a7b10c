"""Repeated measures: pairs of conditions that vary unlike each other, and data without an error."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import betterthan as bt


def long(values):
    n, k = values.shape
    return pd.DataFrame(
        {
            "subject": np.repeat([f"p{s}" for s in range(n)], k),
            "level": np.tile([f"l{c}" for c in range(k)], n),
            "y": values.ravel(),
        }
    )


def test_pairs_within_subjects_need_no_sphericity():
    random, sets = np.random.default_rng(13), 250
    spread = np.array([1, 1, 1, 4.0])
    named = [
        (bt.people.anova(long(spread * random.normal(size=(12, 4))), "y", "level")["p_pairwise"])
        .min()
        .item()
        <= 0.05
        for _ in range(sets)
    ]
    assert np.mean(named) <= 0.05 + 1.5 * np.sqrt(0.05 * 0.95 / sets)


def test_pairs_are_paired_t_with_holm():
    values = np.random.default_rng(1).normal(size=(10, 3)) + np.arange(3)
    found = bt.people.anova(long(values), "y", "level")
    pairs = [(0, 1), (0, 2), (1, 2)]
    p = np.array([stats.ttest_rel(values[:, a], values[:, b]).pvalue for a, b in pairs])
    order = np.argsort(p)
    wanted = np.empty(3)
    wanted[order] = np.minimum(np.maximum.accumulate(p[order] * [3, 2, 1]), 1)
    assert [found["p_pairwise"].values[pair] for pair in pairs] == pytest.approx(wanted)
    assert found.attrs["pairwise"] == "paired t, Holm"


def test_differences_equal_but_for_rounding_are_no_error():
    table = long(np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))
    with pytest.raises(ValueError, match="nothing varies within the levels"):
        bt.people.anova(table, "y", "level")
    with pytest.raises(ValueError, match="there is one subject, 'p0'"):
        bt.people.anova(table[table["subject"] == "p0"], "y", "level")
    off = bt.people.anova(table.assign(y=table["y"] + [0, 0, 0, 1e-6, 0, 0]), "y", "level")
    assert np.isfinite(off["f"].item())


@pytest.mark.parametrize("slope", [0.1, 0.0])
def test_slopes_that_are_all_the_same_have_no_test(slope):
    x = np.tile([0.0, 1, 2, 4], 3)
    table = pd.DataFrame({"subject": np.repeat(list("abc"), 4), "x": x, "y": slope * x})
    table["y"] += np.repeat([0.3, 0.7, 1.1], 4)
    with pytest.warns(UserWarning, match="all 3 slopes are the same"):
        found = bt.people.slopes(table, "y", "x", text=None)
    assert found["mean_slope"].item() == pytest.approx(slope)
    assert np.isnan([found[k].item() for k in ("t", "p_value", "lower", "upper")]).all()


def test_no_whole_row_is_said_in_a_line():
    table = pd.DataFrame({"subject": ["a", "b"], "x": [1.0, 2.0], "y": [np.nan, np.nan]})
    with pytest.raises(ValueError, match="0 subjects have a slope"):
        bt.people.slopes(table, "y", "x")


def test_too_few_times_to_screen_are_said():
    times = [1, 1.1, 0.9, 1, 1.05, 0.95, 1, 50]
    with pytest.warns(
        UserWarning, match="screened for 1 of 1 participants: they have fewer than 9 times"
    ):
        found = bt.people.winsorise(times, by=["a"] * 8)
    assert (found.attrs["n_changed"], found.attrs["n_too_few"]) == (0, 1)
    assert bt.people.winsorise([*times, 1.0], by=["a"] * 9).attrs["n_changed"] == 1
    with pytest.raises(ValueError, match="by is missing at place 2"):
        bt.people.winsorise(times, by=["a", None, *"aaaaaa"])


def test_levels_that_differ_by_a_constant_are_not_called_the_same():
    values = {"x": [1, 2, 3, 4], "y": [2, 3, 4, 5], "z": [4, 1, 3, 9]}
    table = pd.DataFrame(values).melt(var_name="bin", value_name="rating", ignore_index=False)
    result = bt.people.anova(table.rename_axis("subject").reset_index(), "rating", "bin")
    assert np.isnan(result["p_pairwise"].sel(level_a="x", level_b="y").item())
