"""An answer shows itself, keeps its numbers, and comes back from a file."""

import re

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import tables


def scores(systems, items=60, seed=1):
    random = np.random.default_rng(seed)
    solved = random.random((items, systems)) < np.linspace(0.3, 0.9, systems)
    return xr.DataArray(
        solved.astype(float),
        dims=("item", "system"),
        coords={"item": np.arange(items), "system": [f"s{k}" for k in range(systems)]},
    )


@pytest.fixture(scope="module")
def two():
    return bt.compare(bt.datasets.contingency_case("a"))


@pytest.fixture(scope="module")
def many():
    return bt.compare(scores(4))


def test_words_come_first_then_the_picture_then_the_rule_then_how_it_was_computed(two):
    first, shown, rule, made = str(two).split("\n\n")
    assert first.startswith("A is better than B (probability 0.996).")
    assert "12 wins, 2 losses, 986 ties for A." in " ".join(first.split())
    assert shown.splitlines()[0] == " Difference in win rate, A − B, point and 95% HDI"
    assert shown.split()[-3:] == ["+0.0100", "0.996", "better"]
    assert rule.startswith("A verdict needs a posterior probability of at least 0.95. HDI: the")
    assert made == two.signature()


def test_the_better_system_is_named_first_and_told_from_its_side(many):
    table = many.pairs
    assert len(table) == 6
    p = many["prob_better"]
    for row in table.itertuples():
        assert row.prob_better == p.sel(system_a=row.system, system_b=row.other).item()
        counts = many["counts"].sel(system_a=row.system, system_b=row.other)
        assert [row.wins, row.losses, row.ties] == counts.values.tolist()
        mean = many["difference_mean"].sel(system_a=row.system, system_b=row.other).item()
        assert row.difference == pytest.approx(mean, abs=1e-15)
        low = many["difference_lower"].sel(system_a=row.system, system_b=row.other).item()
        assert row.lower == pytest.approx(low, abs=1e-12)
        assert row.prob_better >= 0.5
    assert set(table["verdict"]) <= {"better", "undecided"}


def test_systems_say_how_their_pairs_ended(many):
    table = many.systems
    assert (table[["better_than", "worse_than", "undecided"]].sum(axis=1) == 3).all()
    assert (
        table["better_than"].sum()
        == table["worse_than"].sum()
        == (many.pairs["verdict"] == "better").sum()
    )
    assert table["expected_rank"].is_monotonic_increasing
    assert table["score"].iloc[0] == many["score"].max().item()


def test_probabilities_are_a_labelled_square(many):
    square = many.prob_better
    assert square.loc["s3", "s0"] == many["prob_better"].sel(system_a="s3", system_b="s0").item()
    np.testing.assert_allclose(square + square.T, 1, rtol=1e-12)


def test_tails_keep_their_digits():
    counts = bt.counts.from_table({("A", "B"): (0, 200, 3)})
    row = bt.compare(counts).pairs.iloc[0]
    turned = bt.compare(bt.counts.from_table({("B", "A"): (200, 0, 3)})).pairs.iloc[0]
    assert row["system"] == "B"
    assert row["prob_better"] == turned["prob_better"]


def test_the_answer_stands_first_then_systems_then_the_pairs_that_matter():
    three, ten, many = (bt.compare(scores(k)) for k in (3, 10, 45))
    first, *rest = str(ten).split("\n\n")
    assert first.split("\n")[0].startswith(("s9 is the best", "s9 is probably the best"))
    assert rest[0].startswith(" Difference in accuracy from s9 (most likely the best)")
    at = next(k for k, block in enumerate(rest) if block.startswith("Systems, best first"))
    assert len(rest[at + 1].splitlines()) >= 12  # a head, a line and ten systems
    assert "Probability, in per cent, that the system of the row" not in str(ten)
    assert "Pairs with the first system, the system ahead first; all 45 are in" in str(ten)
    assert len(re.findall(r"^ s9 +s\d ", str(ten), re.M)) == 9
    assert "All 3 pairs, the system ahead first" in str(three)
    assert "the first 20 of 45 rows" in str(many)


def test_a_notebook_shows_the_same_and_names_are_no_markup():
    data = scores(3).assign_coords(system=["<b>one</b>", "two & three", "four"])
    shown = bt.compare(data)._repr_html_()
    assert "<b>one</b>" not in shown.replace("&lt;b&gt;one&lt;/b&gt;", "")
    assert "&amp;" in shown
    assert shown.index("better") < shown.index("<table")


def test_an_undecided_pair_is_not_called_equal():
    said = str(bt.compare(bt.counts.from_table({("A", "B"): (3, 2, 10)})))
    assert said.startswith(
        "Undecided: the data do not show whether A or B is better (P(A better) ="
    )
    assert '"Undecided" does not mean equal.' in " ".join(said.split())
    assert "equivalent" not in said


def test_practically_equivalent_is_said_with_the_rope():
    said = str(bt.compare(bt.counts.from_table({("A", "B"): (10, 10, 2000)}), rope=0.02))
    assert said.startswith(
        "A and B are practically equivalent: they differ by at most 0.02 with probability > 0.999"
    )


def test_a_baseline_is_told_against():
    found = bt.compare(scores(4), baseline="s0")
    said = " ".join(str(found).split())
    assert "Compared with the baseline s0 (" in said
    assert "): better: s3" in said
    with pytest.raises(ValueError, match="baseline is 'x'; choose one of s0, s1, s2, s3"):
        bt.compare(scores(4), baseline="x")


def test_what_is_saved_comes_back_with_what_stands_beside(tmp_path, many):
    many.save(tmp_path / "c.nc")
    back = bt.load(tmp_path / "c.nc")
    xr.testing.assert_identical(back.data, many.data)
    assert str(back) == str(many)
    assert not back.alternatives
    beside = type(many)(many.data, {"exact": many.data[["prob_better", "verdict"]]})
    beside.save(tmp_path / "b.nc")
    xr.testing.assert_identical(
        bt.load(tmp_path / "b.nc").alternatives["exact"], beside.alternatives["exact"]
    )


def test_what_is_no_comparison_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"give a name that ends in \.nc"):
        bt.compare(scores(2)).save(tmp_path / "c.csv")
    with pytest.raises(FileNotFoundError, match="no such file"):
        bt.load(tmp_path / "none.nc")
    (tmp_path / "text.nc").write_text("no netCDF")
    with pytest.raises(ValueError, match="is no netCDF file"):
        bt.load(tmp_path / "text.nc")
    xr.Dataset({"x": 1}).to_netcdf(tmp_path / "other.nc", engine="h5netcdf")
    with pytest.raises(ValueError, match="holds no comparison"):
        bt.load(tmp_path / "other.nc")


def test_pairs_that_came_by_pair_stay_pairs():
    data = xr.Dataset(
        {
            "prob_better": ("pair", [0.99, 0.3]),
            "verdict": ("pair", ["a_better", "undecided"]),
            "difference_mean": ("pair", [0.1, -0.05]),
            "difference_lower": ("pair", [0.02, -0.2]),
            "difference_upper": ("pair", [0.2, 0.1]),
        },
        coords={"system_a": ("pair", ["A", "A"]), "system_b": ("pair", ["B", "C"])},
    )
    table = tables.pairs(data)
    assert table[["system", "other", "verdict"]].values.tolist() == [
        ["A", "B", "better"],
        ["C", "A", "undecided"],
    ]
    assert table.loc[1, ["prob_better", "difference", "lower", "upper"]].tolist() == [
        0.7,
        0.05,
        -0.1,
        0.2,
    ]
