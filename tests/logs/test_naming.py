"""Two settings never share a name, and one run never counts twice."""

import pytest
from logs.runs import run

from betterthan.logs.frames import chosen, named
from betterthan.logs.reading import merge_runs
from betterthan.logs.record import Cells


def names(*runs, keys=None, of_run=None):
    return named(runs, keys or [None] * len(runs), of_run)


def test_the_name_of_a_mapping_comes_first_then_the_log_s_then_the_file_s():
    a = run("org/alpha", {"q": 1})
    nameless = run(None, {"q": 1}, files=["folder/sys-a.jsonl.gz"])
    assert names(a, nameless) == ["org/alpha", "sys-a"]
    assert names(a, nameless, keys=["old", None]) == ["old", "sys-a"]
    assert names(a, of_run=lambda run: run.tool) == ["Toy"]


def test_one_name_of_a_mapping_with_two_systems_keeps_both():
    a, b = run("alpha", {"q": 1}), run("beta", {"q": 1})
    assert names(a, b, keys=["exp", "exp"]) == ["exp | alpha", "exp | beta"]


def test_settings_that_differ_stand_behind_a_name():
    zero = run("a", {"q": 1}, config={"args.num_fewshot": 0, "limit": 5})
    one = run("a", {"q": 1}, config={"args.num_fewshot": 1, "limit": 6})
    assert names(zero, one) == ["a (num_fewshot=0)", "a (num_fewshot=1)"]
    other = run("a", {"q": 1}, config={"args.num_fewshot": 1}, task="x")
    assert names(zero, other) == ["a", "a"]  # of different tasks


def test_a_part_with_one_level_is_left_out():
    def of(system, prompt):
        return run(system, {"q": 1}, parts={"prompt": prompt})

    assert names(of("a", "Say {{x}}"), of("b", "Say {{x}}")) == ["a", "b"]
    assert names(of("a", "one"), of("a", "two")) == ["one", "two"]
    both = [of(s, p) for s in "ab" for p in ("one", "two\nlines")]
    assert names(*both) == ["a | one", "a | two lines", "b | one", "b | two lines"]


def test_long_prompts_are_cut_unless_that_makes_them_equal():
    def of(prompt):
        return run("a", {"q": 1}, parts={"prompt": prompt})

    text = "x" * 50
    assert max(map(len, names(of("y" + text), of("z" + text)))) == 40
    assert names(of(text + "y"), of(text + "z")) == [text + "y", text + "z"]


def test_long_settings_are_cut_unless_that_makes_them_equal():
    def of(prompt):
        return run("a", {"q": 1}, config={"system_message.template": prompt})

    text = "x" * 50
    assert names(of("y" + text), of("z" + text))[0] == f"a (template=y{'x' * 36}...)"
    assert names(of(text + "y"), of(text + "z")) == [f"a (template={text}{k})" for k in "yz"]


def test_systems_picks_orders_and_renames():
    assert list(chosen(["b", "a"], ["a", "b", "c"])) == ["b", "a"]
    assert chosen({"b": "new"}, ["a", "b"]) == {"a": "a", "b": "new"}
    with pytest.raises(ValueError, match="no system 'x' among 'a'"):
        chosen(["x"], ["a"])
    with pytest.raises(ValueError, match="'n' occurs more than once"):
        chosen({"a": "n", "b": "n"}, ["a", "b"])
    with pytest.raises(ValueError, match="systems is a str"):
        chosen("a", ["a"])


def items(one):
    scores = dict(zip(one.cells.score_sample, one.cells.raw, strict=True))
    return {item: scores.get(k) for k, item in enumerate(one.cells.item)}


@pytest.mark.parametrize("state", ["done", "failed", "died"])
def test_two_runs_of_the_same_items_are_a_choice_that_somebody_must_make(state):
    first = run("a", {"q1": 1, "q2": 0}, started="1", state=state)
    last = run("a", {"q1": 0, "q2": 0}, started="2", state=state)
    with pytest.raises(ValueError, match=r'a was run 2 times, .*again="last"'):
        merge_runs([first, last], "aa", None)
    with pytest.raises(ValueError, match="again is 'both'"):
        merge_runs([first, last], "aa", "both")
    (kept,), _ = merge_runs([last, first], "aa", "last")
    assert items(kept) == {"q1": 0, "q2": 0}
    assert ("again", "a ran 2 times: 1 of 2 items differ") in kept.notes
    (kept,), _ = merge_runs([last, first], "aa", "first")
    assert items(kept) == {"q1": 1, "q2": 0}
    (both,), _ = merge_runs([last, first], "aa", "epochs")
    assert both.cells.epoch == [1, 1, 2, 2]


def test_a_finished_run_wins_whole_over_an_unfinished_one():
    died = run("a", {"q1": 1, "q3": 1}, state="died")
    done = run("a", {"q1": 0, "q2": 0})
    (kept,), _ = merge_runs([died, done], "aa", None)
    assert items(kept) == {"q1": 0, "q2": 0}
    assert any(code == "again" and "unfinished" in text for code, text in kept.notes)


def test_tries_are_one_run_and_a_score_wins_over_an_error():
    first = run("a", {"q1": 1, "q2": None, "q3": "blank"}, again="t", started="1", state="failed")
    retry = run("a", {"q2": 0, "q3": None}, again="t", started="2")
    (kept,), _ = merge_runs([retry, first], "aa", None)
    scores = items(kept)
    assert (scores["q1"], scores["q2"]) == (1, 0)
    assert [kept.cells.failed[kept.cells.item.index(q)] for q in ("q1", "q2", "q3")] == [False] * 3
    assert kept.files == ["a.log", "a.log"]


def test_a_run_that_was_scored_again_is_refused():
    scores = {"q1": 1, "q2": 0}
    old = run("a", scores, again="t", started="1", files=["a.json"])
    new = run("a", scores | {"q2": 1}, again="t", started="1", files=["a-scored.json"])
    with pytest.raises(ValueError, match=r"'a-scored.json' and 'a.json' hold one run with other"):
        merge_runs([new, old], "aa", None)
    copy = run("a", scores, again="t", started="1", files=["copy.json"])
    assert items(merge_runs([old, copy], "aa", None)[0][0]) == scores
    retry = run("a", {"q2": 1}, again="t", started="2", files=["retry.json"])
    assert items(merge_runs([old, retry], "aa", None)[0][0]) == scores | {"q2": 1}


def test_parts_of_one_run_are_put_together():
    parts = [run("a", {"q1": 1, "q2": 0}), run("a", {"q3": 1})]
    (kept,), systems = merge_runs(parts, "aa", None)
    assert systems == ["a"]
    assert items(kept) == {"q1": 1, "q2": 0, "q3": 1}


def test_a_row_given_twice_counts_once_and_another_score_is_refused():
    def twice(second):
        cells = Cells()
        for score in (1, second):
            cells.score(cells.sample("q1", row=score), "acc", score)
        found = run("a", {})
        found.cells = cells
        return found

    (kept,), _ = merge_runs([twice(1)], "a", None)
    assert items(kept) == {"q1": 1}
    assert ("twice", "1 row of a.log given twice, counted once") in kept.notes
    with pytest.raises(ValueError, match=r"item .q1. .epoch 1. is in row 1 too"):
        merge_runs([twice(0)], "a", None)
