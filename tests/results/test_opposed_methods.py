"""Two methods set side by side never read as agreeing where they favour different systems."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.cli.commands import main
from betterthan.results import score_sentences, significance_tables
from betterthan.results.context import report_context
from betterthan.results.methods import MODEL_REASONS
from betterthan.results.pair_tables import opposed_notes
from betterthan.results.significance_tables import REASONS, reasons
from betterthan.signed import Signature

# the example of docs/methods/several-data-sets.md: a large set for B, four small ones for A
WINS, LOSSES, TIES = [20, 14, 12, 15, 11], [120, 3, 4, 5, 2], [100, 8, 9, 5, 12]
PAIR = {"system_a": "A", "system_b": "B"}


def sets_that_disagree():
    return bt.read(
        pd.DataFrame(
            {
                "dataset": ["large", "w", "x", "y", "z"],
                "system_a": "A",
                "system_b": "B",
                "wins": WINS,
                "losses": LOSSES,
                "ties": TIES,
            }
        )
    )


@cache
def compared(counts, tests):
    return bt.compare(bt.counts.from_table({("A", "B"): counts}), tests=tests)


def as_if(found, verdict, model=None):
    """A comparison whose verdict on A and B is given, as by a model."""
    data = found.data.copy(deep=True)
    mirror = {"a_better": "b_better", "b_better": "a_better"}
    said = data["verdict"].astype(object)
    said.loc[PAIR] = verdict
    said.loc[{"system_a": "B", "system_b": "A"}] = mirror.get(verdict, verdict)
    p = 0.998 if verdict == "a_better" else 0.002
    data["prob_better"].loc[PAIR] = p
    data["prob_better"].loc[{"system_a": "B", "system_b": "A"}] = 1 - p
    attrs = data.attrs | ({"method": "advised", "model": model} if model else {})
    return data.assign(verdict=said.astype(str)).assign_attrs(attrs).expand_dims(engine=["exact"])


def why(found, **at):
    cell = found.isel(engine=0).sel(at or PAIR)
    return reasons(cell, Signature.from_attrs(found.attrs))


@pytest.mark.parametrize("model", [*MODEL_REASONS, "made_up"])
def test_a_test_for_the_other_system_is_no_agreement(model):
    found = bt.compare(sets_that_disagree())
    assert found["p_value"].sel(PAIR).item() < 2e-5  # 72 to 134: for B
    named = MODEL_REASONS.get(model, "model")
    shown = as_if(found, "a_better", model)
    assert why(shown) == ["opposed", named]
    part = significance_tables.tests_part(report_context(shown.drop_vars("engine")))
    said = " ".join(part.notes)
    assert "agree on" not in said
    assert REASONS["opposed"] in said
    assert part.tables[0].rows[0][-1] == "1, 2"


@pytest.mark.parametrize("model", list(MODEL_REASONS))
def test_the_same_side_agrees_whatever_the_model(model):
    shown = as_if(bt.compare(sets_that_disagree()), "b_better", model)
    assert why(shown) == []
    part = significance_tables.tests_part(report_context(shown.drop_vars("engine")))
    assert "agree on every pair" in " ".join(part.notes)


@pytest.mark.parametrize("verdict", ["a_better", "b_better", "undecided", "equivalent", "split"])
@pytest.mark.parametrize("counts", [(40, 10, 5), (10, 40, 5), (12, 9, 30), (0, 0, 9), (6, 0, 0)])
@pytest.mark.parametrize("tests", ["sign", "mid_p", "trinomial"])
@pytest.mark.parametrize("model", [None, "hierarchical"])
def test_no_row_agrees_unless_verdict_and_test_name_the_same(verdict, counts, tests, model):
    found = compared(counts, tests)
    p, favours = (found[name].sel(PAIR).item() for name in ("p_value", "favours"))
    significant = favours if p <= 0.05 else 0
    named = {"a_better": 1, "b_better": -1}.get(verdict, 0)
    assert (not why(as_if(found, verdict, model))) == (significant == named)


def test_every_p_value_says_for_whom_it_speaks():
    found = bt.compare(bt.counts.from_table({("A", "B"): (10, 40, 5)}), tests=["sign", "mid_p"])
    assert found["favours"].sel(PAIR).values.tolist() == [-1, -1]
    assert found["favours"].sel(system_a="B", system_b="A").values.tolist() == [1, 1]
    row = significance_tables.tests_part(report_context(found.by_engine())).tables[0].rows[0]
    assert row[:2] == ("B", "A")  # the system ahead first
    assert row[4].endswith("(B)")
    assert row[5].endswith("(B)")


@pytest.mark.parametrize("higher", [True, False])
def test_randomization_speaks_for_the_better_mean(higher):
    rng = np.random.default_rng(1)
    values = rng.normal([0.6, 0.4], 0.1, size=(40, 2))
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    scores.attrs["higher_is_better"] = higher
    found = bt.compare(scores)
    assert found["test"].values.tolist() == ["sign", "randomization"]
    assert found["favours"].sel(PAIR).values.tolist() == [2 * higher - 1] * 2
    assert found["swapped_difference"].sel(PAIR).item() > 0


def test_a_mean_against_wins_is_named():
    d = np.array([0.05] * 15 + [-1.0] * 6)  # ahead on 15 of 21, and behind in the mean
    values = np.stack([np.maximum(d, 0), np.maximum(-d, 0)], axis=1)
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    found = bt.compare(scores, quantity="wins", tests="randomization").by_engine()
    assert found["verdict"].sel(PAIR).item() == "a_better"
    assert found["favours"].sel(PAIR).item() == -1
    assert why(found) == ["opposed", "sizes"]


def test_scores_of_two_values_have_no_sizes():
    values = np.array([[1, 0]] * 16 + [[0, 1]] * 6 + [[1, 1]] * 9, dtype=float)
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    assert why(bt.compare(scores, tests="randomization").by_engine()) == ["sides"]


def test_ties_given_to_one_system_are_named():
    """The verdict gives 60 ties to A, the trinomial test keeps them and speaks for B."""
    found = bt.compare(
        bt.counts.from_table({("A", "B"): (5, 30, 60)}), ties="to_a", tests="trinomial"
    ).by_engine()
    assert found["verdict"].sel(PAIR).item() == "a_better"
    assert found["p_value"].sel(PAIR).item() < 0.05
    assert why(found) == ["opposed", "ties"]


def test_tests_that_are_significant_for_both_systems_flip():
    """To A 160 to 20, to B 60 to 120: every policy is significant, not every one for A."""
    every = bt.sign_test(bt.counts.from_table({("A", "B"): (60, 20, 100)}), ties="all")
    found = every.sel(PAIR)
    assert (found["p_value"] <= 0.05).all()
    assert found["favours"].values.tolist() == [1, 1, 1, 1, -1]
    assert found["flips"].item()


def test_a_pair_that_never_met_agrees_with_nothing():
    counts = bt.counts.from_table({("A", "B"): (40, 10, 5), ("A", "C"): (40, 10, 5)})
    notes = significance_tables.tests_part(report_context(bt.compare(counts).by_engine())).notes
    assert any("agree on every pair" in note for note in notes)
    counts = bt.counts.from_table({("A", "B"): (30, 18, 5), ("A", "C"): (40, 10, 5)})
    notes = significance_tables.tests_part(report_context(bt.compare(counts).by_engine())).notes
    assert any("On the other 1 of 2 pairs" in note for note in notes)


def test_two_engines_that_favour_different_systems_are_named():
    found = bt.compare(sets_that_disagree())
    model = as_if(found, "a_better", "hierarchical")
    closed = found.data.expand_dims(engine=["exact"])
    columns = ("prob_better", "verdict")
    both = xr.concat(
        [model[list(columns)].assign_coords(engine=["hierarchical"]), closed[list(columns)]],
        "engine",
        join="exact",
    )
    data = found.data.drop_vars(columns).merge(both).assign_attrs(model.attrs)
    (note,) = opposed_notes(report_context(data))
    assert "on 1 of 1 pairs" in note
    assert "A better than B 0.998 by hierarchical, < 0.001 by closed form" in note
    assert "every data set alike" in note
    same = data.copy(deep=True)
    same["prob_better"].values[0] = same["prob_better"].values[1]
    assert opposed_notes(report_context(same)) == []
    assert opposed_notes(report_context(found.by_engine())) == []


@pytest.mark.parametrize(
    ("verdict", "p", "favours", "said"),
    [
        ("a_better", 0.01, 1, ""),
        ("a_better", 0.01, -1, "in favor of the other system"),
        ("b_better", 0.01, 1, "in favor of the other system"),
        ("a_better", 0.08, 1, "one-sided, the p-value two-sided"),
        ("a_better", 0.3, 1, "the test is exact"),
        ("undecided", 0.3, 1, ""),
    ],
)
def test_a_score_and_its_test(verdict, p, favours, said):
    found = score_sentences.why(verdict, p, favours, 0.05)
    assert said in found
    assert bool(said) == bool(found)


@pytest.mark.parametrize("higher", [True, False])
def test_a_score_says_for_whom_its_p_speaks(higher):
    values = np.random.default_rng(2).normal([0.4, 0.7], 0.3, size=(60, 2))
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    scores.attrs["higher_is_better"] = higher
    written = " ".join(bt.report(bt.scores.compare(scores, rng=1, draws=500)).split())
    better = "B" if higher else "A"
    other = "A" if higher else "B"
    assert f"{better} is better than {other} by mean score (probability" in written
    assert f"0.0002 ± 0.0001 ({better})" in written  # the p-value, and whom it favors


def equal_systems(rng, systems=20, items=100):
    """Items of all difficulties, on which all systems are equally able."""
    chance = 1 / (1 + np.exp(-1.5 * rng.normal(size=(items, 1))))
    values = (rng.random((items, systems)) < chance).astype(float)
    labels = [f"s{k:02d}" for k in range(systems)]
    return xr.DataArray(values, dims=("item", "system"), coords={"system": labels})


@pytest.mark.parametrize("rope", [0.0, 0.1])
@pytest.mark.parametrize("tests", [None, "mid_p"])
def test_groups_of_a_report_are_those_of_its_verdicts(rope, tests):
    scores = equal_systems(np.random.default_rng(4), systems=8)
    scores[:20, :3] = 1.0  # three are better
    found = bt.compare(scores, rope=rope, tests=tests)
    shown = report_context(found.by_engine())
    (table,) = significance_tables.groups_part(shown).tables
    apart = np.isin(shown.data["verdict"].values, ["a_better", "b_better"])
    assert apart.any()
    marked = np.array([[cell == "✓" for cell in row[2:10]] for row in table.rows])
    assert (marked == ~apart).all()
    letters = [set(row[-1]) for row in table.rows]
    shared = np.array([[bool(a & b) for b in letters] for a in letters])
    assert (shared == ~apart).all()
    assert "0.95" in table.caption
    assert "0.01" not in table.caption


def test_groups_by_a_test_are_corrected_for_the_number_of_pairs():
    """Of 20 equal systems some pair was told apart in about half of the sets without correction."""
    rng, told = np.random.default_rng(1), {"none": 0, None: 0}
    for _ in range(40):
        test = bt.sign_test(equal_systems(rng))
        for correction in told:
            found = bt.significance.groups(test, correction=correction)
            told[correction] += not bool(found["similar"].all())
    assert told["none"] >= 10
    assert told[None] <= 2


def test_the_command_corrects_as_the_function_does(tmp_path, capsys, monkeypatch):
    target = tmp_path / "scores.csv"
    equal_systems(np.random.default_rng(3)).to_pandas().to_csv(target, index_label="item")
    monkeypatch.setattr("sys.argv", ["betterthan", "groups", str(target), "--test", "sign"])
    with pytest.raises(SystemExit):
        main()
    assert "correction=holm" in capsys.readouterr().out
