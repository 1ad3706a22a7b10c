"""Records of logs become scores: the right items side by side, and every cell with its status."""

import numpy as np
import pytest
from logs.runs import run

import betterthan as bt
from betterthan.logs.frames import named, tabulate_runs
from betterthan.logs.pivoting import pivot_scores
from betterthan.logs.reading import merge_runs


def logs(*runs, again=None):
    runs, systems = merge_runs(runs, named(runs, [None] * len(runs)), again)
    return tabulate_runs(runs, systems)


def table(scores):
    return {
        str(s): dict(
            zip(scores["item"].values.tolist(), scores.sel(system=s).values.tolist(), strict=True)
        )
        for s in scores["system"].values
    }


def test_items_are_joined_by_id_in_whatever_order_they_stand():
    found = pivot_scores(logs(run("a", {"q1": 1, "q2": 0}), run("b", {"q2": 1, "q1": 0})))
    assert table(found) == {"a": {"q1": 1, "q2": 0}, "b": {"q1": 0, "q2": 1}}
    assert found.attrs["reading"] == (
        "2 logs of Toy read: 2 items x 2 systems ('a', 'b'), metric acc, joined by id; "
        "all cells scored"
    )


def test_every_cell_has_its_status_and_no_number_counts_unless_it_is_ok():
    a = run("a", {"q1": 1, "q2": None, "q3": "blank", "q4": 0}, declared=["q1", "q4", "q5"])
    b = run("b", {"q1": 1, "q2": 0, "q3": 1, "q4": 0, "q5": 1})
    found = pivot_scores(logs(a, b))
    meanings = found["status"].attrs["flag_meanings"].split()
    told = [meanings[k] for k in found["status"].sel(system="a").values]
    assert told == ["ok", "error", "unscored", "ok", "missing"]
    assert np.isnan(found.sel(system="a").values).tolist() == [False, True, True, False, True]
    assert found.attrs["n_missing"] == 3
    assert "1 cell error, 1 cell unscored, 1 cell missing" in found.attrs["reading"]


def test_errors_and_what_was_not_scored_count_as_asked():
    a = run("a", {"q1": 1, "q2": None, "q3": "blank"})
    b = run("b", {"q1": 1, "q2": 1, "q3": 1})
    worst = pivot_scores(logs(a, b), errors="worst", unscored="worst")
    assert worst.sel(system="a").values.tolist() == [1, 0, 0]
    lower = [
        run(r.system, dict(zip("xyz", v, strict=True)), higher_is_better={"acc": False})
        for r, v in ((a, (1, None, 0)), (b, (0, 1, 1)))
    ]
    assert pivot_scores(logs(*lower), errors="worst").sel(system="a").values.tolist() == [1, 1, 0]
    with pytest.raises(ValueError, match="errors"):
        pivot_scores(logs(a, b), errors="zero")


def test_ids_that_stand_for_other_content_are_refused_and_two_cases_shown():
    a = run("a", {"1": 1, "2": 0}, contents=["What is 0+0?", "What is 1+1?"])
    b = run("b", {"1": 1, "2": 1}, contents=["What is 2+2?", "What is 0+0?"])
    with pytest.raises(ValueError, match=r"2 of 2 ids have different content: '1' is") as told:
        pivot_scores(logs(a, b))
    assert "'What is 0+0?' in a and 'What is 2+2?' in b" in str(told.value)
    assert 'join="content"' in str(told.value)
    found = pivot_scores(logs(a, b), join="content")
    assert table(found)["a"]["1"] == 1
    assert table(found)["b"]["1"] == 1  # its id there is 2
    assert np.isnan(found.sel(system="b").values).sum() == 1


def test_equal_contents_are_never_merged_and_uneven_copies_are_refused():
    a = run("a", {"0": 1, "1": 0, "2": 1}, contents=["x", "y", "x"], own_ids=False)
    b = run("b", {"0": 0, "1": 1, "2": 1}, contents=["y", "x", "x"], own_ids=False)
    found = pivot_scores(logs(a, b))
    assert found.attrs["reading"].count("joined by content") == 1
    assert table(found) == {"a": {"0": 1, "1": 0, "2": 1}, "b": {"0": 1, "1": 0, "2": 1}}
    c = run("b", {"0": 0, "1": 1}, contents=["y", "x"], own_ids=False)
    with pytest.raises(ValueError, match="1 and 2 times"):
        pivot_scores(logs(a, c))


def test_places_without_content_are_not_trusted_unasked():
    a = run("a", {"1": 1, "2": 0}, contents=[None, None], own_ids=False)
    b = run("b", {"1": 1, "2": 1}, contents=[None, None], own_ids=False)
    with pytest.raises(ValueError, match='pass join="id" to trust the numbers, or join="order"'):
        pivot_scores(logs(a, b))
    assert pivot_scores(logs(a, b), join="order").shape == (2, 2)
    c = run("b", {"1": 1}, contents=[None], own_ids=False)
    with pytest.raises(ValueError, match="equally long"):
        pivot_scores(logs(a, c), join="order")


def test_no_id_in_common_but_contents_is_refused():
    a, b = run("a", {"x1": 1, "x2": 0}, contents="uv"), run("b", {"1": 1, "2": 0}, contents="uv")
    with pytest.raises(ValueError, match="no id in common, but 2 of 2 contents"):
        pivot_scores(logs(a, b))


def test_several_metrics_are_listed_with_their_counts():
    one = run("a", {"q1": 1, "q2": 0})
    one.cells.score(0, "f1", 0.5)
    one.cells.score(1, "f1", None)
    two = run("b", {"q1": 1, "q2": 0})
    with pytest.raises(ValueError, match=r"2 metrics: acc \(4\), f1 \(1 of 2 scored\); pass m"):
        pivot_scores(logs(one, two))
    assert pivot_scores(logs(one, two), metric="acc").shape == (2, 2)
    with pytest.raises(ValueError, match="there is no metric 'bleu' among acc"):
        pivot_scores(logs(one, two), metric="bleu")


def test_the_beginning_of_a_metric_is_enough_where_one_fits():
    runs = [run(s, {"q1": 1, "q2": 0}, metric="em,strict") for s in "ab"]
    assert pivot_scores(logs(*runs), metric="em").attrs["metric"] == "em,strict"
    assert pivot_scores(logs(*runs), metric="em", filter="strict").attrs["metric"] == "em,strict"
    with pytest.raises(ValueError, match="no metric 'em,loose'"):
        pivot_scores(logs(*runs), metric="em", filter="loose")


def test_several_tasks_are_data_sets_and_one_can_be_picked():
    runs = [run(s, {"1": 1, "2": k}, task=t) for t in ("x", "y") for k, s in enumerate("ab")]
    both = pivot_scores(logs(*runs))
    assert both["dataset"].values.tolist() == ["x", "x", "y", "y"]
    assert "dataset" not in pivot_scores(logs(*runs), task="y").coords
    with pytest.raises(ValueError, match="no task 'z' among 'x', 'y'"):
        pivot_scores(logs(*runs), task="z")


def test_runs_of_an_item_keep_their_epochs():
    runs = [run(s, {"q1@1": 1, "q1@2": 0, "q2@1": 1}, epochs=2) for s in "ab"]
    found = pivot_scores(logs(*runs))
    assert found["epoch"].values.tolist() == [1, 2, 1]
    assert pivot_scores(logs(*runs), epoch=1).sizes["item"] == 2
    assert ", up to 2 runs of each, metric" in found.attrs["reading"]
    second = pivot_scores(logs(*runs), epoch=2).attrs["reading"]
    assert "1 item x 2 systems ('a', 'b'), run 2 of each, metric" in second
    with pytest.raises(ValueError, match="no epoch 3 among 1, 2"):
        pivot_scores(logs(*runs), epoch=3)


def test_direction_is_the_log_s_and_a_contradiction_is_refused():
    runs = [run(s, {"q1": 1, "q2": 0}, higher_is_better={"acc": False}) for s in "ab"]
    assert pivot_scores(logs(*runs)).attrs["higher_is_better"] == 0
    with pytest.raises(ValueError, match="contradicts the logs"):
        pivot_scores(logs(*runs), higher_is_better=True)
    silent = run("b", {"q1": 1, "q2": 0})  # its tool states no direction
    assert pivot_scores(logs(runs[0], silent)).attrs["higher_is_better"] == 0
    silent.higher_is_better = {"acc": True}
    with pytest.raises(ValueError, match="worse in others"):
        pivot_scores(logs(runs[0], silent))


def test_direction_that_no_log_states_is_asked_for_where_the_metric_names_errors():
    runs = [run(s, {"q1": 1, "q2": 0}, metric="wer") for s in "ab"]
    with pytest.raises(
        ValueError, match=r"\(wer\), less is better in 'wer'; pass higher_is_better"
    ):
        pivot_scores(logs(*runs))
    for better in (False, True):
        read = pivot_scores(logs(*runs), higher_is_better=better)
        assert read.attrs["higher_is_better"] == better
    costs = [run(s, {"q1": 1, "q2": 0}, metric="steps") for s in "ab"]
    assert pivot_scores(logs(*costs), higher_is_better=False).attrs["higher_is_better"] == 0
    stated = [run(s, {"q1": 1, "q2": 0}) for s in "ab"]
    for one in stated:
        one.higher_is_better = {"acc": True}
    with pytest.raises(ValueError, match="contradicts the logs"):
        pivot_scores(logs(*stated), higher_is_better=False)


def test_tasks_of_one_system_each_are_refused_with_their_systems():
    a, b = (run(s, {"q1": 1, "q2": 0}, task=task) for s, task in (("a", "x/gpqa"), ("b", "gpqa")))
    with pytest.raises(
        ValueError, match=r"'a' ran 'x/gpqa', 'b' ran 'gpqa'; 2 of 2 questions are the same"
    ):
        pivot_scores(logs(a, b))


def test_trials_that_count_as_items_are_warned_of():
    contents = [f"question {k % 4}" for k in range(12)]
    scores = {f"q{k}": k % 2 for k in range(12)}
    two = logs(*(run(s, scores, contents=contents) for s in "ab"))
    with pytest.warns(UserWarning, match="12 items have 4 distinct contents"):
        pivot_scores(two)


def test_samples_that_never_ran_have_no_content_and_do_not_keep_others_from_a_join():
    a = run("a", {"1": 1, "2": 0, "3": 1}, contents=["x", "y", "z"])
    b = run("b", {"1": 0}, contents=["z"], declared=["1", "2", "3"], state="died")
    found = pivot_scores(logs(a, b), join="content")
    assert found.sizes["item"] == 3
    assert found.sel(item="3").values.tolist() == [1, 0]


def test_no_score_at_all_says_how_the_runs_ended():
    runs = [run(s, {"q1": None}, state="failed", why="boom") for s in "ab"]
    with pytest.raises(ValueError, match=r"no item has a score: .*failed.*first error: boom"):
        pivot_scores(logs(*runs))


def test_a_system_without_any_score_stays_in_the_comparison():
    """Its samples failed, or were not scored, or it has none."""
    a, b = (run(s, {"q1": 1, "q2": k, "q3": 1}) for k, s in enumerate("ab"))
    items = ["q1", "q2", "q3"]
    failed = run("c", dict.fromkeys(items), state="failed")
    unscored, empty = run("c", dict.fromkeys(items, 0.0)), run("c", {}, state="failed")
    unscored.cells = run("c", dict.fromkeys(items)).cells
    unscored.cells.failed = [False] * 3
    for other, status in ((failed, "error"), (unscored, "unscored"), (empty, "missing")):
        scores = pivot_scores(logs(a, b, other))
        assert scores["system"].values.tolist() == ["a", "b", "c"]
        meanings = scores["status"].attrs["flag_meanings"].split()
        assert {meanings[k] for k in scores["status"].sel(system="c").values} == {status}
        assert scores.sel(system="c").isnull().all()
        assert f"3 cells {status}" in scores.attrs["reading"]
        worst = pivot_scores(logs(a, b, other), errors="worst", unscored="worst")
        counted = [0, 0, 0] if other is not empty else [np.nan] * 3
        np.testing.assert_array_equal(worst.sel(system="c"), counted)
    compared = str(bt.compare(logs(a, b, failed)))
    assert "c" in bt.compare(logs(a, b, failed))["system"]
    assert "2 cannot be compared" in compared


def test_a_system_that_lacks_the_metric_is_named():
    a, b = (run(s, {"q1": 1, "q2": k}) for k, s in enumerate("ab"))
    with pytest.warns(UserWarning, match="'c' left out of .*: no score by acc, but by 'f1'"):
        scores = pivot_scores(logs(a, b, run("c", {"q1": 1, "q2": 1}, metric="f1")), metric="acc")
    assert scores["system"].values.tolist() == ["a", "b"]
    assert "without metric acc: system 'c'" in scores.attrs["reading"]


def test_an_audit_takes_the_direction_of_each_metric_from_its_name():
    runs = [run(s, {"q1": k, "q2": 0}, metric="wer") for k, s in enumerate("ab")]
    assert "join" not in set(bt.audit(logs(*runs)).findings["code"])


def test_the_last_of_several_runs_is_the_latest_in_any_time_zone():
    first = run("a", {"q1": 1}, started="2026-01-01T10:00:00+02:00")
    last = run("a", {"q1": 0}, started="2026-01-01T09:00:00+00:00", files=["later.log"])
    found = logs(last, first, run("b", {"q1": 1}), again="last").records
    assert found.loc[found["system"] == "a", "score"].tolist() == [0.0]


def test_a_system_that_failed_in_every_task_keeps_its_tasks():
    runs = [run("a", {"q1": 1, "q2": 0}, task=task) for task in "xy"]
    runs += [run("b", {"q1": None, "q2": None}, task=task) for task in "xy"]
    assert pivot_scores(logs(*runs))["system"].values.tolist() == ["a", "b"]
