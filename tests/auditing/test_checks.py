"""Each check finds what it is for, says so in numbers, and is silent elsewhere."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.auditing.audit import CHECKS
from betterthan.auditing.run_checks import RULES, differing
from betterthan.logs.frames import tabulate_runs
from tests.logs.runs import run

nan = np.nan
SIX = {f"q{k}": k % 2 for k in range(6)}
TWELVE = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1]


def of(*runs):
    return tabulate_runs(list(runs), [r.system for r in runs])


def found(source, code, **how):
    rows = bt.audit(source, **how).findings
    return rows[rows["code"] == code]


def said(source, code, **how):
    return found(source, code, **how)["message"].tolist()


def scores(values, systems="AB", **coords):
    values = np.asarray(values, float)
    named = {"system": list(systems)} | {k: ("item", v) for k, v in coords.items()}
    return xr.DataArray(values, dims=("item", "system"), coords=named)


def test_one_id_for_two_questions_stops():
    a, b = run("a", SIX), run("b", SIX, contents=[f"other {k}" for k in range(6)])
    (one,) = found(of(a, b), "content").to_dict("records")
    assert (one["level"], one["n"], one["of"]) == ("stop", 6, 6)
    assert "q0 is 'q0' in a and 'other 0' in b" in one["message"]
    assert said(of(run("a", SIX), run("b", SIX)), "content") == []


def test_two_ids_for_one_question_are_told():
    renamed = {f"x{k}": v for k, v in enumerate(SIX.values())}
    a, b = run("a", SIX), run("b", renamed, contents=list(SIX))
    (one,) = found(of(a, b), "renamed").to_dict("records")
    assert (one["level"], one["n"], one["of"]) == ("warn", 6, 6)
    assert said(of(a, b), "join")  # the reader refuses, and names the argument


def test_a_question_that_stands_twice_is_told_with_the_distinct_number():
    contents = ["q0", "q1", "q2", "q3", "q4", "q0"]
    both = of(*(run(s, SIX, contents=contents) for s in "ab"))
    told = "items q0 and q5 have the same content; 5 distinct of 6 items"
    assert said(both, "double") == [f"{told}; pass cluster='content' to treat them as one cluster"]


def test_of_one_model_other_prompts_stop():
    runs = [run(s, SIX) for s in ("m (shots=0)", "m (shots=1)")]
    for k, one in enumerate(runs):
        one.system, one.config = "m", {"num_fewshot": k}
        one.cells.prompt = [str(k).encode()] * 6
    both = tabulate_runs(runs, ["m (shots=0)", "m (shots=1)"])
    assert found(both, "prompt")["level"].tolist() == ["stop"]
    assert said(both, "prompt") == ["prompts differ on 6 of 6 shared items, and all runs use m"]
    assert said(both, "config") == ["num_fewshot differs: 0 and 1"]


def test_settings_that_change_numbers_warn_one_by_one_and_others_are_listed():
    a = run("a", SIX, config={"temperature": 0, "limit": 6, "dtype": "x", "model": "a"})
    b = run("b", SIX, config={"temperature": 1, "dtype": "y", "model": "b"}, version="2")
    rows = found(of(a, b), "config")
    told = dict(zip(rows["message"], rows["level"], strict=True))
    assert told == {
        "limit differs: 6 and not given": "warn",
        "temperature differs: 0 and 1": "warn",
        "other settings differ: dtype": "note",
    }


def test_other_judges_and_versions_about_a_known_break_are_told():
    how = {"scorer": "model_graded_qa"}
    a = run("a", SIX, judge="gpt-4o", version="0.3.240", **how)
    b = run("b", SIX, judge="gpt-4.1", version="0.3.285", **how)
    a.tool = b.tool = "Inspect"
    told = said(of(a, b), "scorer")
    assert told[0] == "judges differ: gpt-4o and gpt-4.1"
    assert "since 0.3.245" in told[1]
    assert said(of(run("a", SIX, version="1"), run("b", SIX, version="1")), "scorer") == []


def test_what_is_reported_and_not_in_the_items_warns():
    a = run("a", SIX, reported={"acc": 0.696})
    told = found(of(a, run("b", SIX, reported={"acc": 0.5})), "reported")
    assert told["message"].tolist() == ["a: reported 0.696, items give 0.500 (6 of 6 items scored)"]
    assert told["level"].tolist() == ["warn"]


def test_a_mean_over_fewer_items_is_noted():
    a = run("a", SIX | {"q5": None}, reported={"acc": 0.4})
    (one,) = found(of(a, run("b", SIX)), "reported").to_dict("records")
    assert (one["level"], one["message"]) == ("note", "a: the reported 0.400 is over 5 of 6 items")


def test_every_rule_of_a_reader_can_be_computed():
    source = Path(bt.__file__).parent / "logs"
    named = {
        rule
        for path in source.glob("*.py")
        for rule in re.findall(r'rule(?:: str)? ?= ?"([^"]+)"', path.read_text("utf-8"))
    }
    assert named <= set(RULES)
    assert "mean" in named


def test_errors_and_blanks_are_counted_of_all_cells():
    a, b = run("a", SIX), run("b", SIX | {"q0": None, "q1": "blank", "q2": None})
    assert said(of(a, b), "errors") == ["runs that ended in an error: b 2 of 6"]
    assert said(of(a, b), "unscored") == ["runs without a score: b 1 of 6"]
    table = bt.audit(of(a, b)).table.set_index("system")
    assert table.loc["b", ["cells", "ok", "error", "unscored", "missing"]].tolist() == [
        *(6, 3, 2, 1, 0)
    ]


def test_an_item_that_no_system_has_is_missing_in_all():
    blank = scores([[1, 0], [nan, nan], [1, nan]], item=["x", "y", "z"])
    (text,) = said(blank, "unmatched")
    assert text.endswith("item y missing in A and B; item z only in A")


def test_an_item_that_one_system_lacks_and_means_over_other_items():
    few = {k: v for k, v in SIX.items() if k != "q5"}
    both = of(run("a", SIX), run("b", few))
    assert said(both, "unmatched") == [
        "1 of 6 items lacks a score of some system: item q5 only in a"
    ]
    (told,) = said(both, "denominators")
    assert (
        told == "means are over different items: 0.500 and 0.400 on 6 and 5 items; 0.400 and 0.400 "
        "on the 5 shared items"
    )


def test_a_headline_that_names_the_other_winner_is_said():
    values = [(1, 1)] * 3 + [(1, 0)] + [(0, nan)] * 6
    (told,) = said(scores(values), "denominators")
    assert told.endswith("the ranking changes")


def test_ids_that_share_nothing_stop_with_advice():
    own, other = ({f"{p}{k}": v for k, v in enumerate(SIX.values())} for p in ("test-", "dev-"))
    both = of(run("a", own, contents=[None] * 6), run("b", other, contents=[None] * 6))
    (one,) = found(both, "disjoint").to_dict("records")
    assert one["level"] == "stop"
    assert "ids match if you ignore the part before the last - or _" in one["message"]


def test_runs_are_no_items():
    many = {f"q{k}@{e}": k % 2 for k in range(4) for e in (1, 2, 3)}
    both = of(run("a", many), run("b", many | {"q1@2": None}))
    rows = found(both, "repeats")
    assert rows["message"].tolist() == [
        "3 runs per item, 11-12 of 12 scored; the sample size is 4 items, not 12"
    ]
    assert rows["level"].tolist() == ["warn"]
    assert found(of(run("a", many), run("b", many)), "repeats")["level"].tolist() == ["note"]


def test_per_cent_beside_shares_is_told():
    (told,) = said(scores([(0.9, 87), (0.4, 12)]), "range")
    assert told == "the highest score of B is 87, of A 0.9: are some scores percentages?"
    assert found(scores([(3, 4), (5, 2)]), "range")["level"].tolist() == ["note"]


def test_twins_constants_ceilings_and_items_that_separate_nobody():
    same = scores([(x, x, 1) for x in TWELVE], "ABC")
    assert said(same, "twins") == ["A and B have the same score on 12 of 12 shared items"]
    assert said(same, "constant") == ["all scores of C are 1"]
    assert said(same, "ceiling") == ["all systems have the score 1 on 7 of 12 shared items"]
    assert said(same, "dead") == [
        "all systems have equal scores on 7 of 12 shared items (non-discriminating items)"
    ]
    assert said(scores([(x, 1 - x) for x in TWELVE]), "twins") == []


def test_scores_that_fall_along_the_file_are_told():
    chance = np.random.default_rng(2)
    steady = chance.integers(0, 2, 40)
    falling = np.r_[np.ones(20), np.zeros(20)]
    (one,) = found(scores(np.column_stack([steady, falling])), "order").to_dict("records")
    assert one["message"].startswith(
        "scores of B fall along the file: mean 1.00 in the first half, 0.00 in the second"
    )


def test_missing_on_hard_items_is_told():
    values = [(1, 1)] * 30 + [(1, 0)] * 4 + [(0, nan)] * 14
    (one,) = found(scores(values), "mnar").to_dict("records")
    assert (one["level"], one["n"], one["of"]) == ("warn", 14, 48)
    assert "missing on harder items" in one["message"]


def test_a_verdict_that_some_values_would_change_is_told_for_the_pairs_asked():
    three = scores([(1, 0, 0)] * 6 + [(0, nan, nan)] * 6, "ABC")
    first, second = said(three, "verdict")[:2]
    assert (
        first
        == 'the pairwise verdict "A better than B" depends on the 6 missing scores: P(A better) is '
        "between 0.500 and 0.992"
    )
    assert second.startswith('the pairwise verdict "A better than C"')
    assert said(three, "verdict", baseline="B")[0] == first
    bounds = bt.audit(three, baseline="B").bounds
    assert set(map(tuple, bounds[["system", "other"]].to_numpy())) == {("A", "B"), ("B", "C")}


def test_what_was_declared_and_not_scored_may_count_as_failed():
    a = run("a", SIX, declared=[*SIX, "q6"], reported={"acc": 3 / 7}, rule="mean_of_declared")
    (told,) = said(of(a, run("b", SIX)), "reported")
    assert told == "a: the reported 0.429 takes 1 of 7 items as failed"


def test_metrics_that_choose_other_winners_are_told():
    a, b = run("a", SIX), run("b", SIX | {"q0": 1})
    for one, second in ((a, 1.0), (b, 0.0)):
        for k in range(6):
            one.cells.score(k, "f1", second)
    (told,) = said(of(a, b), "metrics")
    assert told == "acc and f1 have different best systems: b by acc, a by f1"


def test_less_is_better_as_the_logs_say():
    lower = {"higher_is_better": {"acc": False}}
    both = of(run("a", SIX, **lower), run("b", SIX, **lower))
    assert said(both, "direction") == ["lower acc is better, as the logs say"]
    mixed = of(run("a", SIX, **lower), run("b", SIX, higher_is_better={"acc": True}))
    assert found(mixed, "direction")["level"].tolist() == ["stop"]


def test_a_log_that_did_not_finish_and_one_without_scores():
    both = of(run("a", SIX), run("b", {"q0": 1}, state="died", declared=list(SIX)))
    assert said(both, "state") == ["log not finished: b (died), 1 of 6 samples"]
    nothing = dict.fromkeys(SIX)
    none = bt.audit(of(run("a", nothing), run("b", nothing)))
    assert none.level == "stop"
    assert none.bounds.empty
    assert none.table["error"].tolist() == [6, 6]


def test_one_system_alone_is_audited_but_not_compared():
    alone = bt.audit(of(run("a", SIX)))
    assert alone.level == "note"
    assert said(of(run("a", SIX)), "alone") == [
        "a is the only system: a comparison needs the logs of two"
    ]
    assert alone.table["system"].tolist() == ["a"]
    missing = "You cannot compare these data yet: no metric has scores of two systems; add the logs"
    assert str(alone).startswith(missing)
    doubled = bt.audit(of(run("a", SIX, contents=["one"] * 6)))
    assert doubled.level == "warn"
    for shown in (str(alone), alone.to_markdown(), str(doubled), doubled.to_markdown()):
        assert "You can compare" not in shown
        assert "You cannot compare these data yet" in shown


def test_a_metric_of_one_system_next_to_one_of_two_leaves_a_comparison():
    one = of(run("a", SIX), run("b", SIX), run("a", SIX, metric="f1", task="other"))
    assert len(found(one, "alone")) == 1
    assert str(bt.audit(one)).startswith("You can compare these data")


def test_clean_logs_have_notes_at_most():
    values = {f"q{k}": x for k, x in enumerate(TWELVE)}
    other = {k: 1 - v if k in ("q1", "q3") else v for k, v in values.items()}
    assert bt.audit(of(run("a", values), run("b", other))).level in ("", "note")


def test_codes_and_levels_are_written_once():
    assert {check.level for check in CHECKS} == {"stop", "warn", "note"}
    finders = [check.find for check in CHECKS]
    assert len(finders) == len(set(finders))


def test_what_does_not_apply_is_refused():
    plain = scores([(1, 0), (0, 1)])
    with pytest.raises(ValueError, match=r"metric='acc' does not apply: the source is scores"):
        bt.audit(plain, metric="acc")
    with pytest.raises(ValueError, match="baseline"):
        bt.audit(plain, baseline="C")
    both = of(run("a", SIX), run("b", SIX))
    for wrong in ({"join": "x"}, {"errors": "x"}, {"layout": "wide"}, {"epoch": 3}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            bt.audit(both, **wrong)
    with pytest.raises(ValueError, match="there is no task 'x'"):
        bt.audit(of(run("a", SIX), run("b", SIX)), task="x")


def three_of(tmp_path):
    """The same scores of three systems as scores, a table, logs of TREC, and these as read."""
    values = dict(zip("ABC", ([1, 1, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0]), strict=True))
    table = pd.DataFrame({"item": ["q1", "q2", "q3", "q4"], **values})
    for system, column in values.items():
        lines = [f"map\tq{k}\t{value}\n" for k, value in enumerate(column)]
        (tmp_path / f"{system}.txt").write_text("".join(lines), "utf-8")
    array = scores(np.transpose(list(values.values())), "ABC")
    return array, table, tmp_path, bt.read_logs(tmp_path)


def test_an_audit_is_of_the_systems_that_are_passed(tmp_path):
    for source in three_of(tmp_path):
        audit = bt.audit(source, systems=["B", "A"])
        assert audit.table["system"].tolist() == ["B", "A"]
        assert audit.bounds[["system", "other"]].values.tolist() == [["B", "A"]]
        assert bt.audit(source).table["system"].tolist() == ["A", "B", "C"]
        with pytest.raises(ValueError, match="'D'"):
            bt.audit(source, systems=["A", "D"])


def test_how_logs_are_read_is_no_choice_for_those_already_read():
    for choice in ({"again": "first"}, {"format": "inspect"}, {"cluster": "content"}):
        with pytest.raises(ValueError, match="does not apply: the source is logs that were read"):
            bt.audit(of(run("a", SIX), run("b", SIX)), **choice)


def test_ids_that_are_numbers_do_not_read_as_counts():
    values = np.ones((60, 2))
    values[3, 0] = nan
    (text,) = said(scores(values.tolist(), item=[str(k) for k in range(60)]), "unmatched")
    assert text.endswith("item 3 only in B")


def test_numbers_that_differ_are_written_with_the_digits_that_show_it():
    assert differing(0.014312, 0.013962) == ["0.0143", "0.0140"]
    assert differing(0.85, 0.8) == ["0.850", "0.800"]
    assert differing(0.85, 0.85) == ["0.850", "0.850"]


def test_what_a_log_reports_of_all_epochs_is_not_of_the_chosen_one():
    right = {f"q{k}@{epoch}": epoch % 2 for k in range(6) for epoch in (1, 2)}
    a, b = (run(s, right, epochs=2, reported={"acc": 0.5}) for s in "ab")
    assert said(of(a, b), "reported") == said(of(a, b), "reported", epoch=1) == []


def test_errors_that_are_counted_are_no_percentages():
    counts = np.stack([np.arange(40) % 7, np.arange(40) % 2], axis=1)
    assert found(scores(counts), "range")["level"].tolist() == ["note"]
    (message,) = said(scores(counts * [14, 1]), "range")
    assert message.endswith("are some scores percentages?")
