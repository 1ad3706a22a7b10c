"""All items in one cluster: each answer names that as the reason; none says there are no data."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.cli import commands
from betterthan.results.tables import system_rows

FORMATS = ("text", "markdown", "html", "latex", "sentence", "latex-table", "pull-request")


def frame(systems="abc", clusters=1, of="cluster"):
    rng = np.random.default_rng(3)
    scores = {name: rng.random(40) < 0.3 + 0.2 * k for k, name in enumerate(systems)}
    items = {"item": [f"q{k}" for k in range(40)], of: [f"doc{k % clusters}" for k in range(40)]}
    return pd.DataFrame(items | {name: right.astype(int) for name, right in scores.items()})


def without_scripts(text):
    return " ".join(text.partition("<script")[0].split())


@pytest.mark.parametrize("systems", ["ab", "abc"])
@pytest.mark.parametrize("form", FORMATS)
def test_no_format_says_that_there_are_no_examples(systems, form):
    told = without_scripts(bt.report(bt.compare(frame(systems)), format=form))
    for wrong in (
        "no example",
        "common example",
        "ever compared",
        "share too little",
        "not tested",
    ):
        assert wrong not in told
    if form in ("text", "markdown", "html", "pull-request"):
        assert "no verdict: one cluster" in told
        assert "items belong to a single cluster" in told


def test_of_two_systems():
    found = bt.compare(frame("ab"))
    said = "all their items belong to a single cluster, so there is only one independent"
    assert str(found).startswith("a and b cannot be compared: " + said[:30])
    assert found.pairs["verdict"].tolist() == ["no_data"]
    assert said in " ".join(bt.report(found, format="text").split())
    assert "All items that a and b share are in one cluster" in bt.report(found, format="sentence")


def test_of_several_systems():
    found = bt.compare(frame())
    told = " ".join(bt.report(found, format="text").split())
    assert "3 cannot be compared: all items belong to a single cluster" in told
    assert "Pairs compared: 3; there is no verdict on any, for each has one cluster." in told
    assert "Each pair has a single cluster, so there is only one independent observation" in told
    assert "(accuracy, on 1 cluster)" in told
    assert system_rows(found)["never_compared"].tolist() == [0, 0, 0]


@pytest.mark.filterwarnings("ignore:Scores of b are missing on harder")
def test_a_pair_that_shares_nothing_still_has_no_examples():
    scores = frame("abc", clusters=8)
    scores.loc[:19, "a"] = None
    scores.loc[20:, "b"] = None
    comparison = bt.compare(scores)
    told = " ".join(bt.report(comparison, format="text").split())
    assert "not compared" in told
    assert "1 cannot be compared: no item in common" in told
    assert system_rows(comparison)["never_compared"].tolist() == [0, 1, 1]
    assert "one cluster" not in told


def test_a_pair_with_one_cluster_among_others_with_several():
    scores = frame("abc", clusters=8)
    scores.loc[scores["cluster"] != "doc0", "a"] = None
    told = " ".join(bt.report(bt.compare(scores), format="text").split())
    assert told.count("no verdict: one cluster") >= 2
    assert "Pairs compared: 3" in told
    assert "Never compared" not in told


def test_runs_of_one_item():
    runs = pd.DataFrame([{"item": "q1", "epoch": k, "a": k % 2, "b": int(k > 2)} for k in range(9)])
    told = " ".join(bt.report(bt.compare(runs), format="text").split())
    assert "all their runs belong to a single item, so there is only one independent" in told
    assert "no verdict: one item" in told


@pytest.mark.parametrize("scores", [[0.3], [0.3, None]])
def test_one_item_is_not_of_runs(scores):
    frame = pd.DataFrame({"item": ["q1", "q2"][: len(scores)], "a": scores, "b": 0.5})
    told = " ".join(bt.report(bt.compare(frame), format="text").split())
    assert "they have a single item in common, so there is only one independent observ" in told
    assert "runs belong" not in told


def test_a_paper_says_items_and_clusters():
    said = bt.report(bt.compare(frame(clusters=8)), format="sentence")
    assert said.startswith("On 40 items in 8 clusters, ")
    assert bt.report(bt.compare(frame()), format="sentence").startswith(
        "On 40 items in 1 cluster, "
    )


@pytest.mark.filterwarnings(
    "ignore:the uncertainty is little more", "ignore:no interval where all units"
)
def test_the_best_by_a_bootstrap_of_one_unit_is_unknown():
    found = bt.scores.compare(bt.read(frame()), rng=1)
    for name in ("prob_best", "prob_best_mcse", "expected_rank", "prob_rank"):
        assert found.data[name].isnull().all(), name
    assert found.data["in_best_set"].all()
    assert "best of all" not in str(found)
    told = " ".join(bt.report(found, format="text").split())
    assert "there is a single unit, so there is no interval for new ones" in told
    assert "The best system is among" not in told
    assert "> 0.999" not in told


def test_groups_of_a_test_on_one_cluster():
    found = bt.significance.groups(bt.randomization_test(bt.read(frame())))
    said = "3 pairs are of systems that differ on too few units for any p at or below the cutoff."
    assert found.attrs["note"].endswith(said)
    several = bt.significance.groups(bt.randomization_test(bt.read(frame(clusters=20))))
    assert "too few" not in several.attrs["note"]


def test_a_plan_of_a_pilot_in_clusters(tmp_path, capsys, monkeypatch):
    for clusters, code in ((1, 2), (8, 0)):
        frame("ab", clusters).to_csv(tmp_path / "p.csv", index=False)
        pilot = str(tmp_path / "p.csv")
        monkeypatch.setattr("sys.argv", ["betterthan", "plan", pilot])
        with pytest.raises(SystemExit) as stop:
            commands.main()
        said = capsys.readouterr()
        assert (stop.value.code or 0) == code
        if clusters == 1:
            assert "error: all items are in one cluster, which predicts nothing" in said.err
            assert said.out == ""
        else:
            assert "8 clusters)" in said.out  # of which the verdict is
            assert "on 8 new clusters" in said.out


def test_clusters_that_say_as_much_as_their_items():
    items = {"item": range(60), "cluster": [k // 2 for k in range(60)]}
    right = np.tile([1, 0], 30)
    scores = pd.DataFrame(items | {"a": right, "b": 1 - right})
    with pytest.warns(UserWarning, match="are treated as independent. betterthan.advise"):
        bt.compare(scores, unit="item")
