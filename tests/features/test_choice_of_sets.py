"""The best of several feature sets predicts less well than it seems to."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt

SETS = {str(k): [f"x{3 * k + j}" for j in range(3)] for k in range(5)}


def table(seed, n=20, slope=0.0):
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 15))
    y = slope * x[:, 0] + random.normal(size=n)
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(15)]).assign(y=y)


@pytest.fixture(scope="module")
def noise():
    return [bt.features.compare(table(seed), "y", SETS) for seed in range(30)]


def test_the_best_set_of_noise_predicts_nothing(noise):
    """The best of five is above 0 in a fifth to a half; chosen in the folds it is far below."""
    best = np.array([float(found["r2_held_out_chosen"].max()) for found in noise])
    nested = np.array([float(found["r2_held_out_best"]) for found in noise])
    assert (best > 0).mean() >= 0.2
    assert (nested > 0).mean() <= 0.15
    assert nested.mean() < -0.2
    assert (nested <= best + 1e-12).mean() > 0.9


def test_a_set_that_predicts_is_picked():
    found = bt.features.compare(table(1, n=30, slope=1.5), "y", SETS)
    assert found["picked"].sel(feature_set="0") == 1
    assert found["r2_held_out_best"] == pytest.approx(float(found["r2_held_out_chosen"][0]))
    assert float(found["picked"].sum()) == pytest.approx(1)


def test_the_choice_in_every_fold_is_that_of_refits():
    frame = table(2, n=14)
    sets = {"a": ["x0", "x1"], "b": ["x2", "x3"]}
    found, error, picked = bt.features.compare(frame, "y", sets), 0.0, []
    for k in range(14):
        rest, one = frame.drop(index=k), frame.loc[[k]]
        inside = bt.features.compare(rest, "y", sets)["r2_held_out_chosen"]
        best = "ab"[int(inside.values.argmax())]
        function = bt.features.performance_function(rest, "y", columns=sets[best], resamples=1)
        error += (frame["y"][k] - np.ravel(function.predict(one))[0]) ** 2
        picked.append(best)
    total = ((frame["y"] - frame["y"].mean()) ** 2).sum()
    assert found["r2_held_out_best"].item() == pytest.approx(1 - error / total)
    assert found["picked"].values.tolist() == [picked.count("a") / 14, picked.count("b") / 14]


def test_many_groups_have_fifty_outer_folds():
    frame = table(3, n=60)
    found = bt.features.compare(frame, "y", {"a": ["x0"], "b": ["x1", "x2"]})
    assert (found["picked"] * 50 % 1).values.tolist() == [0, 0]
    assert float(found["r2_held_out_best"]) < 1


def test_the_honest_measure_has_an_error():
    """About what it differs by from one set of data to the next; it had none."""
    fits = [
        bt.features.performance_function(table(seed), "y", resamples=1).fit for seed in range(40)
    ]
    r2 = np.array([float(fit["r2_held_out_chosen"]) for fit in fits])
    error = np.array([float(fit["r2_held_out_chosen_se"]) for fit in fits])
    assert 0.5 < error.mean() / r2.std() < 1.2


def test_the_error_is_that_of_a_ratio_over_groups():
    frame = table(4, n=24).assign(of=np.repeat(np.arange(8), 3))
    fit = bt.features.performance_function(frame, "y", leave_out="of").fit
    y = fit["observed"] - fit["observed"].mean()
    error = ((fit["observed"] - fit["held_out_chosen"]) ** 2).groupby("group").sum()
    total = (y**2).groupby("group").sum()
    apart = error - (error.sum() / total.sum()) * total
    expected = np.sqrt(8 / 7 * float((apart**2).sum())) / float(total.sum())
    assert fit["r2_held_out_chosen_se"].item() == pytest.approx(expected)


def test_the_report_tells_it(noise):
    text = bt.report(noise[0])
    best, error = (float(noise[0][f"r2_held_out_best{end}"]) for end in ("", "_se"))
    expected = f"R2 is {best:.3f} (standard error {error:.3f}); this estimate is free of selection"
    assert expected.replace("-", "−") in " ".join(text.split()).replace("-", "−")
    text = bt.report(bt.features.performance_function(table(1), "y"))
    assert "(standard error 0." in text


def test_errors_of_two_sets_are_compared_row_by_row():
    """Refits of every fold by hand, and the correction written out; another road by folds."""
    frame, sets = table(5, n=16, slope=0.8), {"a": ["x0", "x1"], "b": ["x2", "x3"]}
    found = bt.features.compare(frame, "y", sets, ci_prob=0.9)
    errors = {}
    for name, columns in sets.items():
        rows = [
            frame["y"][k]
            - np.ravel(
                bt.features.performance_function(
                    frame.drop(index=k), "y", columns=columns, resamples=1
                ).predict(frame.loc[[k]])
            )[0]
            for k in range(16)
        ]
        errors[name] = np.square(rows)
    apart = errors["a"] - errors["b"]
    scale = np.sqrt(apart.var(ddof=1) * (1 / 16 + 1 / 15))
    pair = found.sel(feature_set_a="a", feature_set_b="b")
    assert pair["mse_difference"].item() == pytest.approx(apart.mean())
    p = 2 * stats.t.sf(abs(apart.mean()) / scale, 15)
    assert pair["p_value"].item() == pytest.approx(p)
    low, high = stats.t.interval(0.9, 15, apart.mean(), scale)
    assert [pair[f"mse_difference_{k}"].item() for k in ("lower", "upper")] == pytest.approx(
        [low, high]
    )
    scores = xr.DataArray(
        np.column_stack([errors["b"], errors["a"]]),
        dims=("item", "system"),
        coords={"system": ["b", "a"]},
        attrs={"higher_is_better": False},
    )
    folds = bt.scores.compare_folds(scores, test_share=1 / 16)
    better = folds["prob_better"].sel(system_a="a", system_b="b").item()
    assert pair["prob_better"].item() == pytest.approx(better)


def test_exchanged_sets_and_equal_sets():
    frame = table(6, n=24, slope=0.5).assign(of=np.repeat(np.arange(8), 3))
    sets = {"a": ["x0", "x1"], "again": ["x1", "x0"], "b": ["x2", "x3"]}
    found = bt.features.compare(frame, "y", sets, leave_out="of")
    difference = found["mse_difference"].values
    np.testing.assert_allclose(difference, -difference.T)
    np.testing.assert_allclose(found["prob_better"].values, 1 - found["prob_better"].values.T)
    np.testing.assert_array_equal(found["p_value"].values, found["p_value"].values.T)
    assert found["p_value"].sel(feature_set_a="a", feature_set_b="again") == 1
    assert (np.diag(found["p_value"].values) == 1).all()
    fits = [
        bt.features.performance_function(frame, "y", columns=sets[k], leave_out="of").fit
        for k in ("a", "b")
    ]
    expected = float(fits[0]["mse_chosen"] - fits[1]["mse_chosen"])
    assert difference[0, 2] == pytest.approx(expected)


def test_a_set_that_predicts_has_the_smaller_error():
    pair = bt.features.compare(table(1, n=30, slope=1.5), "y", SETS).sel(
        feature_set_a="0", feature_set_b="1"
    )
    assert pair["mse_difference_upper"] < 0
    assert pair["p_value"] < 0.05
    assert pair["prob_better"] > 0.95
    assert "Nested MSE difference" in bt.report(
        bt.features.compare(table(1, n=30, slope=1.5), "y", SETS)
    )


def test_a_set_with_more_columns_than_rows_is_refused_in_one_line():
    frame = table(7, n=10)
    with pytest.raises(
        ValueError,
        match=r"feature set 'wide': 10 dialogues are too few for least squares on 12 features "
        r"\(at least 15\); choose fewer",
    ):
        bt.features.compare(frame, "y", {"a": ["x0"], "wide": [f"x{k}" for k in range(12)]})


def test_the_printed_decrease_is_not_significant_unless_errors_go_together():
    """Printed are MSE and SD of two sets on 35 dialogues, not the errors of each."""
    fits = bt.datasets.beetle_function_fits()
    of = {k: fits.loc[k] for k in ("scores.f", "conf+scores.f")}
    apart = of["scores.f"]["mse"] - of["conf+scores.f"]["mse"]
    assert apart / of["scores.f"]["mse"] == pytest.approx(0.228, abs=5e-4)  # printed: 22 %
    sd = [each["mse_sd"] for each in of.values()]
    for r, significant in ((0.0, False), (0.93, False), (0.94, True)):
        variance = sd[0] ** 2 + sd[1] ** 2 - 2 * r * sd[0] * sd[1]
        t = apart / np.sqrt(variance * (1 / 35 + 1 / 34))
        assert (2 * stats.t.sf(t, 34) < 0.05) == significant


def test_groups_of_unequal_size_weigh_by_their_rows():
    """The error of a ratio of two sums over groups, and the mean over rows."""
    of = np.repeat(np.arange(9), [1, 6, 2, 2, 5, 3, 1, 4, 4])
    frame = table(8, n=len(of), slope=0.7).assign(of=of)
    sets = {"a": ["x0", "x1"], "b": ["x2", "x3"]}
    pair = bt.features.compare(frame, "y", sets, leave_out="of").sel(
        feature_set_a="a", feature_set_b="b"
    )
    squares = []
    for columns in sets.values():
        fit = bt.features.performance_function(frame, "y", columns=columns, leave_out="of").fit
        squares.append(((fit["observed"] - fit["held_out_chosen"]) ** 2).values)
    apart = squares[0] - squares[1]
    sums = np.array([(apart[of == k] - apart.mean()).sum() for k in range(9)])
    scale = np.sqrt((sums**2).sum() / 8 * 81 / len(of) ** 2 * (1 / 9 + 1 / 8))
    assert pair["mse_difference"].item() == pytest.approx(apart.mean())
    p = 2 * stats.t.sf(abs(apart.mean()) / scale, 8)
    assert pair["p_value"].item() == pytest.approx(p)


def test_sets_with_the_same_errors_share_the_first_place():
    """A feature and its copy: neither predicts better than the other."""
    frame = table(1, n=40, slope=2.0).assign(copy=lambda t: t["x0"])
    found = bt.features.compare(frame, "y", {"A": ["x0"], "B": ["x1"], "C": ["copy"]})
    text = " ".join(bt.report(found).split())
    assert "A and C have the highest R2 of 3 feature sets for y" in text
    assert text.count("A and C are the best sets in 100% of the folds") == 2
    assert "is the best set" not in text


def test_two_sets_must_not_be_printed_alike():
    with pytest.raises(ValueError, match="feature set '1' occurs more than once"):
        bt.features.compare(table(1), "y", {1: ["x0"], "1": ["x1"]})


@pytest.mark.parametrize("dims", [("",), ("", "_a", "_b")])
def test_a_report_of_some_sets_is_refused(noise, dims):
    part = noise[0].isel({f"feature_set{dim}": slice(2) for dim in dims})
    with pytest.raises(ValueError, match="some of the feature sets that were compared"):
        bt.report(part)
