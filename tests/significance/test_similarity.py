"""Groups: the tables of MUC-6 from their check marks, and the rule for sampled and exact tests."""

import csv
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import betainc

import betterthan as bt
from betterthan import names
from betterthan.exact.swaps.corrections import benjamini_hochberg, holm
from betterthan.significance import similarity
from betterthan.significance.randomizing import randomization_test
from betterthan.significance.signs import sign_test
from betterthan.significance.similarity import ranges
from tests.exact.swaps.test_cliques import by_all_subsets

REFERENCE = Path(__file__).parents[1] / "reference"
TASKS = ("named_entity", "template_element", "scenario_template")


def groups(result, *, correction="none", **choices):
    """As the MUC evaluations did: each pair at its own cutoff, without a correction."""
    return similarity.groups(result, correction=correction, **choices)


def muc6(task):
    """Check marks of a task of MUC-6, systems named by rank."""
    with open(REFERENCE / f"muc6_{task}.csv", newline="") as file:
        rows = [row for row in csv.reader(file) if row][1:]
    marks = np.array([[int(cell) for cell in row[2:]] for row in rows]) == 1
    labels = [row[0] for row in rows]
    coords = {
        "system_a": labels,
        "system_b": labels,
        "score": ("system_a", [float(row[1]) for row in rows]),
    }
    return xr.DataArray(marks, dims=("system_a", "system_b"), coords=coords)


def members(found):
    """Groups as tuples of names."""
    return [
        tuple(found["system"].values[found["member"].values[:, k]])
        for k in range(found.sizes["group"])
    ]


def table(p, *, exceedances=None, shuffles=None, **attrs):
    """A test of every pair, of p above the diagonal."""
    p = np.array(p, dtype=float)
    labels = [chr(65 + k) for k in range(len(p))]
    dims = ("system_a", "system_b")
    mirrored = np.triu(p, 1) + np.triu(p, 1).T + np.eye(len(p))
    found = xr.Dataset(
        {"p_value": (dims, mirrored)},
        coords=dict.fromkeys(dims, labels) | {"system": labels},
        attrs=attrs,
    )
    if exceedances is not None:
        b = np.array(exceedances)
        found["exceedances"] = (dims, np.triu(b, 1) + np.triu(b, 1).T)
        found["p_value"] = (found["exceedances"] + 1) / (shuffles + 1)
        found = found.assign_attrs(sampled=1, shuffles=shuffles)
    return found


def counted(b, n=10_000, **attrs):
    """A sampled test of two systems."""
    return table(np.ones((2, 2)), exceedances=[[0, b], [b, 0]], shuffles=n, **attrs)


@pytest.mark.parametrize("task", TASKS)
def test_muc6_groups_are_all_largest_sets_of_similar_systems(task):
    marks = muc6(task)
    found = groups(marks)
    mutual = marks.values & marks.values.T
    labels = marks["system_a"].values
    np.testing.assert_array_equal(found["similar"], marks)
    if len(labels) <= 12:
        assert members(found) == [tuple(labels[list(c)]) for c in by_all_subsets(mutual)]
    for i, j in itertools.product(range(len(labels)), repeat=2):
        shared = set(str(found["letters"].values[i])) & set(str(found["letters"].values[j]))
        assert bool(shared) == mutual[i, j]
    assert not found["rank_possible"]
    assert not found["unsettled"].any()
    assert "confidence" not in found


def test_muc6_named_entity_says_what_the_prose_says():
    found = groups(muc6("named_entity"))
    assert found["system"].values[found["separate"]].tolist() == ["17", "18", "19", "20"]
    assert members(found)[-3:] == [("17", "18"), ("19",), ("20",)]
    assert not found["one_way"].any()
    assert found.attrs["note"].startswith(
        "The systems at ranks 2-13 are in more than one group: where groups overlap"
    )


def test_muc6_template_element_is_printed_in_one_direction_once():
    found = groups(muc6("template_element"))
    at = np.argwhere(found["one_way"].values)
    pairs = [(found["system_a"].values[i], found["system_b"].values[j]) for i, j in at]
    assert pairs == [("7", "9"), ("9", "7")]
    assert not found["similar"].sel(system_a="7", system_b="9")
    assert found["similar"].sel(system_a="9", system_b="7")
    assert not any({"7", "9"} <= set(group) for group in members(found))
    # the prose also has "a similar case at the high end", but 2 is marked as similar to 4 and 5
    assert found["system"].values[found["separate"]].tolist() == ["11", "12"]
    assert "1 pair is marked in one direction only" in found.attrs["note"]


def test_muc6_scenario_template_overlaps_throughout():
    found = groups(muc6("scenario_template"))
    assert not found["separate"].any()
    assert members(found)[-1] == ("10", "11")
    assert found["letters"].sel(system="8") == "abcd"


def test_order_of_the_input_does_not_matter():
    marks = muc6("template_element")
    mixed = marks.isel(dict.fromkeys(marks.dims, np.random.default_rng(2).permutation(12)))
    xr.testing.assert_identical(groups(mixed.T.transpose(*mixed.dims)), groups(marks))
    xr.testing.assert_identical(groups(marks.astype(int)), groups(marks))


def test_a_shifted_row_is_refused_and_a_blank_diagonal_is_not():
    marks = muc6("named_entity")
    printed = marks.copy(deep=True)
    printed.values[16:18] = np.roll(printed.values[16:18], 1, axis=1)
    with pytest.raises(
        ValueError,
        match="'17' is not marked as similar to itself, and others are; is its row shifted",
    ):
        groups(printed)
    blank = marks.copy(data=marks.values & ~np.eye(20, dtype=bool))
    xr.testing.assert_identical(groups(blank), groups(marks))


def test_netcdf_keeps_everything(tmp_path):
    for found in (groups(muc6("template_element")), groups(counted(80))):
        found.to_netcdf(tmp_path / "groups.nc", engine="h5netcdf")
        with xr.open_dataset(tmp_path / "groups.nc", engine="h5netcdf") as again:
            xr.testing.assert_equal(again.load(), found)
            assert again.attrs == found.attrs


@pytest.mark.parametrize(
    ("b", "similar", "unsettled"),
    [
        (0, False, False),
        (60, False, False),
        (77, False, False),
        (78, True, True),
        (99, True, True),
        (123, True, True),
        (125, True, False),
        (500, True, False),
    ],
)
def test_the_rule_needs_the_level_and_confidence_in_it(b, similar, unsettled):
    found = groups(counted(b)).isel(system_a=0, system_b=1)
    assert found["confidence"].item() == betainc(1 + b, 1 + 10_000 - b, 0.01)
    assert (found["similar"].item(), found["unsettled"].item()) == (similar, unsettled)


def test_a_higher_confidence_needs_fewer_exceedances():
    assert groups(counted(76), confidence=0.999)["similar"].all()
    assert not groups(counted(76), confidence=0.99)["similar"].all()


def test_exact_p_is_certain():
    p = np.array([[1, 0.01, 0.02], [1, 1, 0.0101], [1, 1, 1]])
    found = groups(table(p, sampled=0))
    assert members(found) == [("A", "C"), ("B", "C")]
    assert "confidence" not in found
    assert found.attrs["rule"] == "Two systems differ only if p ≤ 0.01, p being exact."
    assert found.attrs["note"].startswith("C is in more than one group")


@pytest.mark.parametrize(("method", "adjust"), [("holm", holm), ("bh", benjamini_hochberg)])
def test_exact_p_with_a_correction_is_the_adjusted_p(method, adjust):
    p = np.triu(np.random.default_rng(4).random((7, 7)) ** 4, 1)
    found = groups(table(p), correction=method, cutoff=0.1)
    upper = np.triu_indices(7, 1)
    np.testing.assert_array_equal(~found["similar"].values[upper], adjust(p[upper]) <= 0.1)
    assert "adjusted p ≤ 0.1" in found.attrs["rule"]


def test_holm_needs_confidence_at_each_step():
    b = np.zeros((3, 3), dtype=int)
    b[0, 1], b[0, 2], b[1, 2] = 10, 35, 60
    found = groups(table(b, exceedances=b, shuffles=10_000), correction="holm")
    steps = [betainc(1 + k, 10_001 - k, 0.01 / m) for k, m in ((10, 3), (35, 2), (60, 1))]
    sure = found["confidence"].values[np.triu_indices(3, 1)]
    np.testing.assert_allclose(sure, np.minimum.accumulate(steps), rtol=1e-12)
    # by itself the third pair would be sure enough, but the second step before it is not
    assert steps[2] > 0.99 > steps[1] > 0.01
    assert found["similar"].values[np.triu_indices(3, 1)].tolist() == [False, True, True]
    assert found["unsettled"].values[np.triu_indices(3, 1)].tolist() == [False, True, True]


def test_bh_takes_confidence_of_a_later_step():
    b = np.zeros((3, 3), dtype=int)
    b[0, 1], b[0, 2], b[1, 2] = 30, 40, 60
    found = groups(table(b, exceedances=b, shuffles=10_000), correction="bh")
    steps = [betainc(1 + k, 10_001 - k, 0.01 / m) for k, m in ((30, 3), (40, 1.5), (60, 1))]
    np.testing.assert_allclose(
        found["confidence"].values[np.triu_indices(3, 1)], max(steps), rtol=1e-12
    )
    assert steps[0] < 0.99 < steps[2]
    assert members(found) == [("A",), ("B",), ("C",)]


@pytest.mark.parametrize("correction", names.CORRECTIONS)
def test_pairs_without_a_test_are_not_told_apart(correction):
    b = np.zeros((3, 3), dtype=int)
    test = table(b, exceedances=b, shuffles=10_000)
    test["p_value"][0, 1] = test["p_value"][1, 0] = np.nan
    found = groups(test, correction=correction)
    assert members(found) == [("A", "B"), ("C",)]
    assert found["confidence"].values[0, 1] == 0
    assert not found["unsettled"].any()
    assert "1 pair is not tested" in found.attrs["note"]


def test_notes():
    alone = groups(table(np.zeros((3, 3))))
    assert alone.attrs["note"] == "All systems are significantly different, so they can be ranked."
    assert alone["rank_possible"]
    same = groups(table(np.ones((3, 3))))
    assert (
        same.attrs["note"]
        == "No two systems are significantly different, which does not mean that they are equal."
    )
    assert same["separate"].all()
    p = np.zeros((4, 4))
    p[0, 1] = p[2, 3] = 1
    apart = groups(table(p))
    assert (
        apart.attrs["note"]
        == "Groups do not overlap, so they can be ranked, but not the systems within a group."
    )
    marks = apart["similar"].copy(deep=True)
    marks[0, 2] = True
    crossed = groups(marks)
    assert not crossed["rank_possible"]
    assert not crossed["separate"].any()
    assert crossed.attrs["note"].startswith(
        "Groups overlap only where marks are in one direction; 1 pair"
    )


def test_systems_are_sorted_by_score_with_missing_scores_last():
    test = table(np.array([[1, 0, 1], [1, 1, 0], [1, 1, 1]]))
    test["score"] = ("system", [0.2, np.nan, 0.9])
    found = groups(test)
    assert found["system"].values.tolist() == ["C", "A", "B"]
    assert found["score"].values[:2].tolist() == [0.9, 0.2]
    assert members(found) == [("C", "A"), ("B",)]
    assert groups(test.drop_vars("score"))["system"].values.tolist() == ["A", "B", "C"]
    turned = groups(test.isel(system=[2, 0, 1]))  # scores go by name
    xr.testing.assert_identical(turned, found)


def test_from_the_tests_of_the_package():
    rng = np.random.default_rng(5)
    coords = {"item": range(200), "system": ["A", "B", "C"]}
    right = (rng.random((200, 3)) < [0.9, 0.55, 0.5]).astype(float)
    scores = xr.DataArray(right, dims=("item", "system"), coords=coords)
    for test in (
        randomization_test(scores),
        randomization_test(scores, method="monte_carlo", shuffles=2000, rng=1),
        randomization_test(scores, method="monte_carlo", shuffles=2000, stop_after=50, rng=1),
        sign_test(scores),
    ):
        found = groups(test)
        assert [set(group) for group in members(found)] == [{"A"}, {"B", "C"}]
        assert ("confidence" in found) == bool(test.attrs.get("sampled", 0))
    assert found.attrs["test"] == "sign test"


def test_by_default_p_is_adjusted_by_holm_and_marks_are_not():
    values = np.full((4, 4), 0.004)
    np.fill_diagonal(values, 1.0)
    test = table(values)
    assert members(similarity.groups(test)) == [("A", "B", "C", "D")]  # 6 x 0.004 > 0.01
    xr.testing.assert_identical(similarity.groups(test), groups(test, correction="holm"))
    assert len(members(groups(test))) == 4
    marks = similarity.groups(muc6(TASKS[0]))
    assert marks.attrs["correction"] == "none"
    xr.testing.assert_identical(marks, groups(muc6(TASKS[0])))


def test_input_is_left_alone():
    test = counted(5)
    before = test.copy(deep=True)
    groups(test, correction="holm")
    xr.testing.assert_identical(test, before)


def one_way_p():
    test = table(np.zeros((2, 2)))
    test["p_value"][0, 1] = 0.5
    return test


@pytest.mark.parametrize(
    ("result", "choices", "message"),
    [
        (
            counted(1, alternative="greater"),
            {},
            "the test has alternative='greater'; groups need a two-sided test",
        ),
        (
            one_way_p(),
            {},
            "p_value of 'A' against 'B' is 0.5 but 0 the other way round; groups need a two-sided",
        ),
        (
            counted(1).drop_vars("exceedances"),
            {},
            "a sampled test needs its exceedances and shuffles",
        ),
        (counted(1).drop_attrs(), {}, "a sampled test needs its exceedances and shuffles"),
        (xr.Dataset({"q": 1}), {}, "expected a test of every pair, a Dataset with a variable p"),
        (None, {}, "expected a test of every pair"),
        (
            counted(1)["p_value"],
            {},
            "check marks must be True or False; for p-values give the Dataset",
        ),
        (
            muc6(TASKS[0]),
            {"correction": "holm"},
            "correction='holm' needs p-values; these are check marks",
        ),
        (muc6(TASKS[0])[:2], {}, "must name the same systems in the same order"),
        (muc6(TASKS[0])[:1, :1], {}, "a comparison needs at least two systems"),
        (
            xr.DataArray(np.eye(2), dims=("system_a", "system_b")),
            {},
            "check marks needs coordinates",
        ),
        (xr.DataArray(np.eye(2), dims=("x", "y")), {}, "check marks has dims x, y; give"),
        (
            counted(1).expand_dims(ties_policy=["drop"]),
            {},
            "p_value has dims ties_policy, system_a, system_b; give",
        ),
        (counted(1).assign(score=1.0), {}, "score has dims none; give one number per system"),
        (
            counted(1).assign(score=("system", ["a", "b"])),
            {},
            "give one number for each of 2 systems",
        ),
        (counted(1), {"cutoff": 1}, "cutoff is 1; give a number between 0 and 1"),
        (counted(1), {"confidence": 0}, "confidence is 0; give a number between 0 and 1"),
        (
            counted(1),
            {"correction": "scheffe"},
            "correction is 'scheffe'; choose one of none, holm, bh, max_t, tukey",
        ),
    ],
)
def test_bad_input_ends_in_one_line(result, choices, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")) as caught:
        groups(result, **choices)
    assert "\n" not in str(caught.value)


def test_ranges():
    assert ranges([]) == ""
    assert ranges([1]) == "1"
    assert ranges([1, 2, 4, 6, 7, 8]) == "1-2, 4, 6-8"


def test_systems_without_scores_are_ranked_by_who_is_significantly_better():
    """Not by their columns: the sign test has no scores."""
    right = [[0] * 36 + [1] * 4, [0] * 20 + [1] * 20, [0] * 2 + [1] * 38]
    table = pd.DataFrame(dict(zip(("worst", "middle", "best"), right, strict=True)))
    found = groups(bt.sign_test(bt.read(table.assign(item=range(40)))))
    assert found["system"].values.tolist() == ["best", "middle", "worst"]
    assert found["rank_possible"].item()


def test_no_ranking_where_the_test_favors_the_one_ranked_below():
    """B has scores of the easy items alone."""
    a = np.r_[np.ones(30), np.zeros(30)]
    b = np.r_[np.ones(18), np.zeros(12), np.full(30, np.nan)]
    table = pd.DataFrame({"item": range(60), "A": a, "B": b})
    found = groups(bt.randomization_test(bt.read(table), rng=1))
    assert not found["rank_possible"].item()
    assert "favors A, which ranks below by its score on its own items" in found.attrs["note"]
