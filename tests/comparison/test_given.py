"""What is given is recognised, checked and counted once; two sequences are joined by their
labels.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan import schemas
from betterthan.exact.numeric import counting

A, B = [1.0, 1, 0, 1, 1, 0, 1, 1], [0.0, 1, 0, 0, 1, 0, 0, 1]
ITEMS = [f"q{k}" for k in range(8)]


def counts_of(comparison):
    return comparison["counts"].sel(system_a="A", system_b="B").values.tolist()


def test_lists_are_joined_by_position():
    assert counts_of(bt.compare(A, B)) == [3, 0, 5]
    assert counts_of(bt.compare(np.array(A), np.array(B))) == [3, 0, 5]


def test_series_are_joined_by_label_whatever_their_order():
    first = pd.Series(A, index=ITEMS, name="A")
    second = pd.Series(B, index=ITEMS, name="B").sample(frac=1, random_state=3)
    assert counts_of(bt.compare(first, second)) == [3, 0, 5]
    arrays = [
        xr.DataArray(s.values, dims="q", coords={"q": s.index}, name=s.name)
        for s in (first, second)
    ]
    assert counts_of(bt.compare(*arrays)) == [3, 0, 5]


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (A, B[:-1], "data has 8 scores and other 7; by position they must be equally many"),
        (A, pd.Series(B), "data is a list and other is labelled; give two of one kind"),
        (
            pd.Series(A, ITEMS),
            pd.Series(B, ["x", *ITEMS[1:]]),
            "other has no item 'q0' \\(1 missing in all\\)",
        ),
        (pd.Series(A, ["q1", *ITEMS[1:]]), pd.Series(B, ITEMS), "data has item 'q1' twice"),
        (A, object(), "other is object; give a list of scores, a Series, a DataArray or a path"),
        (["x"], ["y"], "data holds what is no number; give one score an item"),
        ([], [], "data has 1 dims and 0 scores; give one an item"),
    ],
)
def test_sequences_that_cannot_be_joined_are_refused(first, second, message):
    with pytest.raises(ValueError, match=message):
        bt.compare(first, second)


def test_files_and_frames_are_read(tmp_path):
    frame = pd.DataFrame({"item": ITEMS, "A": A, "B": B})
    frame.to_csv(tmp_path / "results.csv", index=False)
    assert counts_of(bt.compare(tmp_path / "results.csv")) == [3, 0, 5]
    assert counts_of(bt.compare(str(tmp_path / "results.csv"))) == [3, 0, 5]
    assert counts_of(bt.compare(frame)) == [3, 0, 5]


def scores():
    values = np.array([A, B, A[::-1]]).T
    return xr.DataArray(
        values, dims=("item", "system"), coords={"item": ITEMS, "system": ["A", "B", "C"]}
    )


def test_a_list_of_systems_picks_and_orders_and_a_mapping_renames():
    assert bt.compare(scores(), systems=["C", "A"])["system_a"].values.tolist() == ["C", "A"]
    renamed = bt.compare(scores(), systems={"C": "new"})
    assert renamed["system_a"].values.tolist() == ["A", "B", "new"]
    np.testing.assert_array_equal(renamed["counts"], bt.compare(scores())["counts"])
    counts = bt.count(scores())
    assert bt.compare(counts, systems=["C", "A"]).pairs.equals(
        bt.compare(scores(), systems=["C", "A"]).pairs[
            bt.compare(counts, systems=["C", "A"]).pairs.columns
        ]
    )
    by_pair = bt.compare(bt.counts.to_pairs(counts), systems=["B", "C"])
    assert by_pair["system_a"].values.tolist() == ["B", "C"]


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (["A", "D"], "systems names 'D'; the data have A, B, C"),
        (["A"], "two"),
        (["A", "A"], "occurs more than once"),
        ("A", "systems is str; give a list of names"),
        ({"A": "B"}, "occurs more than once"),
    ],
)
def test_systems_that_are_not_there_are_refused(systems, message):
    with pytest.raises(ValueError, match=message):
        bt.compare(scores(), systems=systems)


@pytest.mark.parametrize(
    "labels", [(1, 2, 3), (0.2, 0.7, 1.0), tuple(pd.date_range("2026", periods=3))]
)
def test_a_baseline_is_named_as_its_column_is(labels):
    frame = pd.DataFrame(scores().values[:, :3], columns=list(labels))
    for data in (frame, {label: frame[label] for label in labels}):
        assert bt.compare(data, baseline=labels[1]).statement() == (
            bt.compare(data, baseline=str(labels[1])).statement()
        )
    with pytest.raises(ValueError, match=r"baseline is '0\.3'; choose one of"):
        bt.compare(frame, baseline=0.3)


@pytest.mark.parametrize("name", ["mean", "length", "target"])
def test_a_doubtful_name_in_an_array_has_a_way_out(name):
    values, systems = scores().values[:, :2], ["A", name]
    with pytest.raises(ValueError, match="pass a DataFrame with systems="):
        bt.compare(values, systems=systems)
    answer = bt.compare(pd.DataFrame(values, columns=systems), systems=systems)
    assert list(answer.data["system"].values) == systems


def test_one_comparison_checks_its_scores_once_and_counts_once(monkeypatch):
    calls = {"scores": 0, "counts": 0, "count": 0}
    for module, name in ((schemas, "scores"), (schemas, "counts"), (counting, "count")):
        whole = getattr(module, name)

        def counted(*given, _name=name, _whole=whole, **more):
            calls[_name] += 1
            return _whole(*given, **more)

        monkeypatch.setattr(module, name, counted)
    asked = {"ties": "all", "rope": 0.05}
    bt.compare(scores(), **asked, tests=["sign", "mid_p", "trinomial"])
    assert calls == {"scores": 1, "counts": 0, "count": 1}
    calls.update(dict.fromkeys(calls, 0))
    graded = scores() / 3 + np.arange(8)[:, None] / 7  # with the randomization test
    bt.compare(graded, **asked, quantity="wins")
    assert calls == {"scores": 1, "counts": 0, "count": 1}
    calls.update(dict.fromkeys(calls, 0))
    bt.compare(bt.counts.from_table({("A", "B"): (3, 1, 4)}), ties="all", rope=0.05)
    assert calls["scores"] == 0
    assert calls["counts"] == 1


def test_the_column_that_was_compared_is_in_the_provenance():
    random = np.random.default_rng(3)
    table = pd.DataFrame(
        [(f"u{k}", s) for k in range(50) for s in "AB"], columns=["item", "system"]
    )
    table[["COMET", "chrF"]] = random.random((100, 2))
    for column in ("COMET", "chrF"):
        assert f"| metric={column} |" in bt.compare(table, score=column).signature()
    runs = pd.concat([table.assign(epoch=k, score=random.integers(0, 2, 100)) for k in (1, 2)])
    logged = bt.read(runs[["item", "system", "epoch", "score"]]).assign_attrs(
        tool="lm-eval", metric="acc", errors="worst", unscored="missing"
    )
    for quantity in (None, "pass^2"):
        signature = bt.compare(logged, quantity=quantity).signature()
        assert "| tool=lm-eval | metric=acc | errors=worst | unscored=missing |" in signature
