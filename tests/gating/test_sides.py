"""Both sides from files: what they may be, what stops them, and the baseline that was accepted."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from gating.made import answers, first, log, rehashed, table
from logs import made_promptfoo

import betterthan as bt
from betterthan import names
from betterthan.auditing.audit import SCORES, findings_of
from betterthan.gating import baseline_files
from betterthan.gating.inputs import accept_candidate
from betterthan.gating.rule import paired
from betterthan.io.items import as_array
from betterthan.io.plain_scores import PlainScores

OLD = first(200)
SAME = answers(OLD, 0.1, 0.04)
BAD = answers(OLD, 0.05, 0.4)


def accepted(path, candidate, **choices):
    baseline_files.write(path, accept_candidate(candidate, choices))
    return path


def test_tables_of_one_system_each(tmp_path):
    old, new = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", SAME)
    found = bt.gate(old, new, margin=0.05)
    assert (found.verdict, found.exit_code) == ("pass", 0)
    assert found.evidence.won == [f"q{k + 1}" for k in np.flatnonzero(SAME > OLD)]
    assert found.evidence.lost == [f"q{k + 1}" for k in np.flatnonzero(SAME < OLD)]
    turned = bt.gate(new, old, margin=0.05).evidence
    assert turned.lost == found.evidence.won
    assert turned.difference == -found.evidence.difference
    assert turned.chances.observed.behind == pytest.approx(
        1 - found.evidence.chances.observed.behind, abs=1e-12
    )


@pytest.mark.parametrize("gaps", [0, 30])
def test_plain_scores_are_checked_and_paired_as_the_array_of_them(gaps):
    values = np.stack([OLD, SAME], axis=1).astype(float)
    values[:gaps, 0] = values[gaps : 2 * gaps : 3, 1] = np.nan
    ids = [f"q{k}" for k in range(len(values))]
    plain = PlainScores(values, ids, ["baseline", "candidate"], {}, {"higher_is_better": False})
    findings, array_findings = ([*findings_of(SCORES, s)] for s in (plain, as_array(plain)))
    assert findings == array_findings
    assert ("unmatched" in {finding.code for finding in findings}) == bool(gaps)
    pairs, array_pairs = (asdict(paired(s)) for s in (plain, as_array(plain)))
    np.testing.assert_equal(pairs, array_pairs)


def test_items_in_another_order_are_the_same_items(tmp_path):
    old, new = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", SAME)
    ids = [f"q{k}" for k in range(200, 0, -1)]
    turned = table(tmp_path / "c.csv", SAME[::-1], ids)
    assert bt.gate(old, turned, margin=0.05).evidence == bt.gate(old, new, margin=0.05).evidence


def test_logs_with_another_prompt_are_what_is_gated(tmp_path):
    old = log(tmp_path / "a.json", OLD)
    new = log(tmp_path / "b.json", SAME, prompt="Think step by step.")
    found = bt.gate(old, new, margin=0.05)
    assert found.verdict == "pass"
    assert "prompts differ on 200 of 200 shared items" in found.notes[0]
    assert bt.gate(old, log(tmp_path / "c.json", BAD), margin=0.05).verdict == "worse"


def test_logs_of_other_questions_are_not_comparable(tmp_path):
    old, new = log(tmp_path / "a.json", OLD), log(tmp_path / "b.json", SAME, shift=1)
    found = bt.gate(old, new, margin=0.05)
    assert (found.verdict, found.exit_code, found.evidence) == ("not comparable", 4, None)
    assert "200 of 200 ids have different content" in found.why[0]
    told = bt.gate(old, new, margin=0.05, join="id")  # somebody has looked
    assert told.verdict == "pass"
    assert any("different content" in line for line in told.warned)


def test_logs_in_which_the_candidate_has_no_score(tmp_path):
    old, new = log(tmp_path / "a.json", OLD), log(tmp_path / "b.json", [None] * 200)
    assert bt.gate(old, new, margin=0.05).exit_code == 4
    assert bt.gate(new, log(tmp_path / "c.json", [None] * 200, shift=1), margin=0.05).exit_code == 4


def test_tables_of_several_metrics_are_gated_by_one(tmp_path):
    def of_two(name, right):
        scores = [*right.tolist(), *(1 - right).tolist()]
        metrics, ids = ["acc"] * 200 + ["f1"] * 200, [f"q{k}" for k in range(200)] * 2
        return table(tmp_path / name, scores, ids, metric=metrics)

    old, new = of_two("a.csv", OLD), of_two("b.csv", SAME)
    wanted = bt.gate(table(tmp_path / "c.csv", OLD), table(tmp_path / "d.csv", SAME), margin=0.05)
    how = {"metric": "acc", "score": "score"}
    found = bt.gate(old, new, margin=0.05, **how)
    assert found.verdict == wanted.verdict == "pass"
    assert found.evidence.chances == wanted.evidence.chances
    kept = accepted(tmp_path / "base.csv", old, **how)
    assert bt.gate(kept, new, margin=0.05, **how).verdict == "pass"
    with pytest.raises(ValueError, match=r"f1.* another measure than 'acc'"):
        bt.gate(kept, new, margin=0.05, **how | {"metric": "f1"})
    with pytest.raises(ValueError, match=r"a.csv: column 'metric' names 2 metrics .* pass metric="):
        bt.gate(old, new, margin=0.05)
    errors = [
        table(tmp_path / name, scores / 3, metric=["wer"] * 200)
        for name, scores in (("e.csv", OLD), ("f.csv", SAME))
    ]
    for choice in ({}, {"score": "score"}, {"metric": "wer"}):
        for compare in (lambda *two, **how: bt.gate(*two, margin=0.05, **how), bt.compare):
            with pytest.raises(ValueError, match=r"by its name \(wer\), less is better"):
                compare(*map(str, errors), **choice)


def test_logs_need_one_metric(tmp_path):
    both = {"more": ("f1",)}
    old, new = log(tmp_path / "a.json", OLD, **both), log(tmp_path / "b.json", SAME, **both)
    with pytest.raises(ValueError, match="2 metrics: match"):
        bt.gate(old, new, margin=0.05)
    assert bt.gate(old, new, margin=0.05, metric="f1").verdict == "pass"
    with pytest.raises(ValueError, match="there is no metric 'bleu'"):
        bt.gate(old, new, margin=0.05, metric="bleu")


def test_logs_of_two_scales_are_not_compared(tmp_path):
    old, new = (log(tmp_path / f"{name}.json", OLD[:40]) for name in ("old", "new"))
    worse = new.read_text().replace('"I"', "0").replace('"C"', "70").replace('"m"', '"n"')
    new.write_text(worse)  # percentages
    scale = "scores of '{}' run from 0 to 70 and those of '{}' from 0 to 1, not on one scale"
    found = bt.gate(old, new, margin=0.05)
    assert (found.exit_code, found.why) == (4, (scale.format("candidate", "baseline"),))
    with pytest.raises(ValueError, match=scale.format("n", "m")):
        bt.read([old, new])
    with pytest.warns(UserWarning, match=scale.format("n", "m")):
        assert bt.read([old, new], systems=["m", "n"]).max() == 70


def test_a_side_is_one_system(tmp_path):
    old = log(tmp_path / "a.json", OLD)
    folder = tmp_path / "new"
    folder.mkdir()
    log(folder / "b.json", SAME)
    log(folder / "c.json", SAME, prompt="Think.")
    with pytest.raises(ValueError, match="the candidate holds 2 systems"):
        bt.gate(old, folder, margin=0.05)
    wide = tmp_path / "wide.csv"
    wide.write_text("item,A,B\nq1,1,0\nq2,1,0\n")
    one = table(tmp_path / "one.csv", [1, 1])
    with pytest.raises(ValueError, match="holds 2 systems"):
        bt.gate(one, wide, margin=0.05)
    other = tmp_path / "other.csv"
    other.write_text("item,A,B\nq1,1,1\nq2,1,1\n")
    assert bt.gate(wide, other, margin=0.05, score="B").evidence.won == ["q1", "q2"]


def test_a_log_beside_a_table_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is no log of a tool"):
        bt.gate(table(tmp_path / "a.csv", OLD), log(tmp_path / "b.json", SAME), margin=0.05)


def test_the_same_file_or_content_was_not_measured_anew(tmp_path):
    old = table(tmp_path / "a.csv", OLD)
    assert "is a file of the baseline and of the candidate" in bt.gate(old, old, margin=0.05).why[0]
    copy = table(tmp_path / "b.csv", OLD)
    found = bt.gate(old, copy, margin=0.05)
    assert found.exit_code == 4
    assert "byte for byte" in found.why[0]
    (tmp_path / "link.csv").symlink_to(old)
    assert bt.gate(old, tmp_path / "link.csv", margin=0.05).exit_code == 4
    frame = pd.DataFrame({"item": range(4), "score": [1, 0, 1, 1]})
    assert bt.gate(frame, frame.copy(), margin=0.05).exit_code == 4


def test_other_items_are_not_comparable(tmp_path):
    old = table(tmp_path / "a.csv", OLD)
    none = bt.gate(old, table(tmp_path / "b.csv", OLD, range(200)), margin=0.05)
    assert none.exit_code == 4
    assert "no item in common" in none.why[0]
    ids = [f"q{k}" for k in range(31, 231)]
    some = bt.gate(old, table(tmp_path / "c.csv", SAME, ids), margin=0.05)
    assert some.exit_code == 4
    assert some.why[0].startswith("60 of 230 items lack a score (30 of the baseline and 30")
    more = bt.gate(old, table(tmp_path / "c.csv", SAME, ids), margin=0.05, max_missing=0.3)
    assert more.verdict == "inconclusive"


def test_tables_without_any_score_are_not_comparable(tmp_path):
    none = [None, None, None]
    old, new = table(tmp_path / "a.csv", none), table(tmp_path / "b.csv", [*none, None])
    found = bt.gate(old, new, margin=0.05)
    assert (found.exit_code, found.why) == (4, ("no item has a score in any of the tables",))


def test_missing_scores_that_could_turn_a_pass(tmp_path):
    old = table(tmp_path / "a.csv", OLD)
    cells = [None if k < 19 else score for k, score in enumerate(SAME.tolist())]
    found = bt.gate(old, table(tmp_path / "b.csv", cells), margin=0.05)
    assert found.evidence.chances.observed.verdict == "pass"
    assert found.verdict == "inconclusive"
    assert found.why == (
        "the observed scores lead to pass, but the 19 missing scores could change that",
    )
    assert found.evidence.missing == (0, 19)
    few = [None if k < 2 else score for k, score in enumerate(SAME.tolist())]
    assert bt.gate(old, table(tmp_path / "c.csv", few), margin=0.1).verdict == "pass"


@pytest.mark.parametrize(
    ("gone", "condition"),
    [(0, "equal"), (1, "equal and the missing score is"), (15, "equal and the 15 missing scores")],
)
def test_more_items_lead_to_a_pass_only_with_the_missing_scores(gone, condition):
    """The worst of what is missing would have to pass, however many items are added."""
    old = np.ones(200)
    new = np.where(np.arange(200) < 8, 0.0, 1.0)
    old[:4] = 0
    new[:4], new[100 : 100 + gone] = 1, np.nan
    sides = (pd.DataFrame({"item": range(200), "score": scores}) for scores in (old, new))
    line = " ".join(str(bt.gate(*sides, margin=0.02)).split())
    assert f"if the two systems are in fact {condition}" in line
    assert ("obtained" in line) == (gone > 0)


def test_several_data_sets_keep_their_items_apart(tmp_path):
    sets, ids = ["x", "x", "y", "y"] * 30, [k // 4 * 2 + k % 2 for k in range(120)]
    old = table(tmp_path / "a.csv", first(120), ids, dataset=sets)
    new = table(tmp_path / "b.csv", answers(first(120), 0.2, 0.05), ids, dataset=sets)
    found = bt.gate(old, new, margin=0.05).evidence
    assert found.items == 120
    assert all(" / " in item for item in found.won)
    kept = accepted(tmp_path / "base.csv", old)
    assert bt.gate(kept, new, margin=0.05).evidence == found


def test_clusters_and_runs_by_student_t(tmp_path):
    ids = [f"q{k // 3}" for k in range(120)]
    runs = {"epoch": [k % 3 for k in range(120)]}
    rng = np.random.default_rng(1)
    sides = [table(tmp_path / f"{n}.csv", rng.integers(0, 2, 120), ids, **runs) for n in "ab"]
    found = bt.gate(*sides, margin=0.1).evidence
    assert (found.items, found.units, found.runs, found.cases) == (40, 40, 3, None)
    cluster = {"cluster": [k // 10 for k in range(120)]}
    sides = [table(tmp_path / f"{n}.csv", rng.integers(0, 2, 120), **cluster) for n in "cd"]
    found = bt.gate(*sides, margin=0.1).evidence
    assert (found.items, found.units, found.per, found.cases) == (120, 12, "cluster", None)
    with pytest.raises(ValueError, match="looks needs scores of 0 and 1"):
        bt.gate(*sides, margin=0.1, looks=(2, 50))


def test_scores_beyond_0_and_1_have_margins_in_their_units(tmp_path):
    rng = np.random.default_rng(2)
    old = rng.integers(1, 6, 150)
    new = np.clip(old + rng.integers(-1, 2, 150), 1, 5)
    sides = table(tmp_path / "a.csv", old), table(tmp_path / "b.csv", new)
    found = bt.gate(*sides, margin=0.3)
    assert (found.verdict, found.evidence.quantity) == ("pass", "mean")
    with pytest.raises(ValueError, match="margin is 4, and scores are no further apart than 4"):
        bt.gate(*sides, margin=4)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"margin": 0}, "margin is 0; give by how much"),
        ({"margin": -0.1}, "margin is -0.1"),
        ({"margin": float("nan")}, "margin is nan"),
        ({"margin": 1}, "margin is 1, and scores are within 0 and 1: every candidate would pass"),
        ({"margin": 3.5}, "margin is 3.5"),
        ({"margin": 0.05, "max_missing": 1.5}, "max_missing is 1.5"),
        ({"margin": 0.05, "threshold": 0.3}, "threshold is 0.3"),
        ({"margin": 0.05, "looks": (5, 3)}, "5 looks are more than 3"),
        ({"margin": 0.05, "looks": (1, 5)}, "beyond the 5 of the plan"),
        ({"margin": 0.05, "metric": "acc"}, "metric='acc' does not apply"),
        ({"margin": 0.05, "columns": "acc"}, "there is no choice 'columns' of a gate"),
    ],
)
def test_choices_that_are_not_valid(tmp_path, choices, said):
    sides = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", SAME)
    with pytest.raises(ValueError, match=said):
        bt.gate(*sides, **choices)


def test_an_accepted_table_gates_as_the_table_does(tmp_path):
    old, new = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", SAME)
    kept = accepted(tmp_path / "base.csv", old)
    assert bt.gate(kept, new, margin=0.05).evidence == bt.gate(old, new, margin=0.05).evidence
    again = bt.gate(kept, old, margin=0.05)
    assert again.exit_code == 4
    assert "the candidate is what was accepted" in again.why[0]
    graded = table(tmp_path / "g.csv", [0.25, None, 1 / 3], epoch=[1, 1, 2], ids=["x", "y", "x"])
    found = baseline_files.read(accepted(tmp_path / "g_base.csv", graded)).baseline
    assert [row["score"] for row in found.rows] == ["0.25", "", repr(1 / 3)]


def test_an_accepted_table_is_read_as_the_candidate_was_told(tmp_path):
    old, new = tmp_path / "a.csv", tmp_path / "b.csv"
    for path, scores in ((old, OLD), (new, SAME)):
        rows = [f"{k};{'C' if s else 'I'}" for k, s in enumerate(scores)]
        path.write_text("\n".join(["frage;urteil", *rows]) + "\n")
    told = {"item": "frage", "score": "urteil", "true": "C", "false": "I", "sep": ";"}
    kept = accepted(tmp_path / "base.csv", old, **told)
    found = bt.gate(kept, new, margin=0.05, **told)
    assert found.evidence == bt.gate(old, new, margin=0.05, **told).evidence


def test_an_accepted_log_gates_as_the_log_does(tmp_path):
    old, new = log(tmp_path / "a.json", [None, *OLD[1:].tolist()]), log(tmp_path / "b.json", SAME)
    kept = accepted(tmp_path / "base.csv", old)
    assert bt.gate(kept, new, margin=0.05).evidence == bt.gate(old, new, margin=0.05).evidence
    other = bt.gate(kept, log(tmp_path / "c.json", SAME, shift=1), margin=0.05)
    assert other.exit_code == 4
    assert "different content: q1 is 'what was accepted' in baseline" in other.why[0]
    with pytest.raises(ValueError, match="was accepted of logs, and the candidate is a table"):
        bt.gate(kept, table(tmp_path / "d.csv", SAME), margin=0.05)


def test_an_accepted_baseline_that_was_changed_is_not_comparable(tmp_path):
    old, new = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", SAME)
    kept = accepted(tmp_path / "base.csv", old)
    text = kept.read_text()
    kept.write_text(text.replace(",q1,,,1", ",q1,,,0"))
    found = bt.gate(kept, new, margin=0.05)
    assert found.exit_code == 4
    assert "base.csv was changed after it was accepted" in found.why[0]
    kept.write_text(text.replace("\n", "\r\n"))  # as some checkouts write it
    assert bt.gate(kept, new, margin=0.05).verdict == "pass"


def test_a_baseline_of_another_version_is_said_and_of_another_form_refused(tmp_path):
    old, new = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", SAME)
    kept = accepted(tmp_path / "base.csv", old)
    text = kept.read_text()
    kept.write_text(rehashed(text.replace(f'"{bt.__version__}"', '"0.0.1"')))
    found = bt.gate(kept, new, margin=0.05)
    assert found.verdict == "pass"
    assert found.notes == (f"base.csv was accepted by betterthan 0.0.1; this is {bt.__version__}",)
    kept.write_text(text.replace("baseline 2:", "baseline 1:"))
    with pytest.raises(
        ValueError, match=r"is a baseline of form '1', and betterthan .* reads form 2"
    ):
        bt.gate(kept, new, margin=0.05)
    kept.write_text("\n".join([*text.splitlines()[:-3], "x"]))
    with pytest.raises(ValueError, match=r"base.csv, row 207: has 1 cells where the header has 5"):
        bt.gate(kept, new, margin=0.05)
    kept.write_text("# betterthan baseline 2: cut\n")
    with pytest.raises(ValueError, match=r"base.csv: the key 'version' is missing"):
        bt.gate(kept, new, margin=0.05)


def test_a_baseline_is_no_candidate(tmp_path):
    old, new = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", SAME)
    kept = accepted(tmp_path / "base.csv", new)
    with pytest.raises(ValueError, match="is a baseline that --accept wrote; give the results"):
        bt.gate(old, kept, margin=0.05)


def test_accepting_writes_over_nothing_else(tmp_path):
    old, new = table(tmp_path / "a.csv", OLD), table(tmp_path / "b.csv", SAME)
    with pytest.raises(ValueError, match="is no baseline that --accept wrote"):
        accepted(old, new)
    assert old.read_text().startswith("item,score")
    with pytest.raises(ValueError, match="holds not one score"):
        accepted(tmp_path / "base.csv", table(tmp_path / "c.csv", [None, None]))
    assert not (tmp_path / "base.csv").exists()


@pytest.mark.parametrize(
    "name", ["a,b", 'say "x"', "two\nlines", "# no comment", " =1+1", "a\u2028b"]
)
def test_names_of_items_survive_being_accepted(tmp_path, name):
    frame = pd.DataFrame({"item": [name, "q2", "q3"], "score": [1, 0, 1]})
    kept = accepted(tmp_path / "base.csv", frame)
    found = bt.gate(kept, frame.assign(score=[0, 0, 1]), margin=0.05)
    assert found.evidence.items == 3
    assert [item.strip() for item in found.evidence.lost] == [name.strip()]


@pytest.mark.parametrize("right_or_wrong", [False, True])
def test_where_lower_is_better_the_higher_candidate_is_worse(tmp_path, right_or_wrong):
    rng = np.random.default_rng(4)
    old = rng.random(200)
    old = (old < 0.3) * 1.0 if right_or_wrong else old
    new = (
        np.where(rng.random(200) < 0.2, 1.0, old) if right_or_wrong else old + 0.1 * rng.random(200)
    )
    sides = [pd.DataFrame({"item": range(200), "score": values}) for values in (old, new)]
    assert bt.gate(*sides, margin=0.02).verdict == "pass"
    found = bt.gate(*sides, margin=0.02, higher_is_better=False)
    assert found.verdict == "worse"
    assert found.evidence.difference < 0
    assert not found.evidence.won
    quantity = "error rate" if right_or_wrong else "mean"
    printed = " ".join(f"{found}".split())
    assert f"{quantity} candidate" in printed
    assert "positive where the candidate is better)" in printed
    assert "accuracy" not in printed
    assert f"{quantity.capitalize()}: candidate" in " ".join(found.report().split())
    assert bt.gate(*sides[::-1], margin=0.02, higher_is_better=False).verdict == "pass"


def test_an_accepted_baseline_keeps_its_direction(tmp_path):
    old = table(tmp_path / "old.csv", [0.2, 0.4, 0.3, 0.5] * 10)
    new = table(tmp_path / "new.csv", [0.4, 0.6, 0.5, 0.8] * 10)
    kept = accepted(tmp_path / "kept.txt", old, higher_is_better=False)
    assert bt.gate(kept, new, margin=0.02).verdict == "worse"
    assert bt.gate(kept, new, margin=0.02, higher_is_better=False).verdict == "worse"
    other = accepted(tmp_path / "other.txt", old)
    with pytest.raises(ValueError, match="was accepted with higher scores better; accept it again"):
        bt.gate(other, new, margin=0.02, higher_is_better=False)


@pytest.mark.parametrize("options", [{}, {"score": "errors", "item": "id"}])
def test_errors_by_their_name_are_not_gated_as_successes(tmp_path, options):
    columns = {"score": "errors", **({"item": "id"} if options else {})}
    old, new = (
        table(tmp_path / f"{name}.csv", values) for name, values in (("old", OLD), ("new", BAD))
    )
    for file in (old, new):
        pd.read_csv(file).rename(columns=columns).to_csv(file, index=False)
    for judge in (bt.gate, lambda *_, **__: accept_candidate(new, options)):
        with pytest.raises(ValueError, match=r"\(errors\), less is better in 'errors'"):
            judge(old, new, margin=0.05, **options)
    kept = accepted(tmp_path / "kept.txt", old, higher_is_better=False, **options)
    assert bt.gate(kept, new, margin=0.05, **options).verdict == "pass"


def test_a_candidate_of_another_measure_than_was_accepted_is_refused(tmp_path):
    old, new = (
        table(tmp_path / f"{name}.csv", values) for name, values in (("old", OLD), ("new", SAME))
    )
    pd.read_csv(old).rename(columns={"score": "accuracy"}).to_csv(old, index=False)
    kept = accepted(tmp_path / "kept.csv", old)
    assert bt.gate(kept, new, margin=0.05).verdict == bt.gate(old, new, margin=0.05).verdict
    for column in ("error", "f1"):
        file = tmp_path / f"{column}.csv"
        pd.read_csv(new).rename(columns={"score": column}).to_csv(file, index=False)
        reason = f"{column}.csv: '{column}' is by its name another measure than 'accuracy' of "
        for baseline in (old, kept):
            with pytest.raises(ValueError, match=reason + baseline.name):
                bt.gate(baseline, file, margin=0.05)
    labels = tmp_path / "labels.csv"
    pd.DataFrame({"item": range(4), "gold": [1, 0, 1, 0], "f1": [1, 0, 1, 1]}).to_csv(
        labels, index=False
    )
    assert "metric" not in accept_candidate(labels, {}).about


def test_an_accepted_log_keeps_the_direction_of_a_metric_of_errors(tmp_path):
    old = log(tmp_path / "a.json", OLD, scorer="wer")
    new = log(tmp_path / "b.json", BAD, scorer="wer")
    with pytest.raises(ValueError, match=r"\(wer\), less is better"):
        bt.gate(old, new, margin=0.05)
    assert bt.gate(old, new, margin=0.05, higher_is_better=False).verdict == "pass"
    kept = accepted(tmp_path / "kept.txt", old, higher_is_better=False)
    assert bt.gate(kept, new, margin=0.05).verdict == "pass"
    with pytest.raises(ValueError, match="was accepted with lower scores better"):
        bt.gate(kept, new, margin=0.05, higher_is_better=True)


@pytest.mark.parametrize("lost", [(0, 3), (3, 0), (2, 3)])
def test_a_number_that_may_stand_for_missing_is_not_gated(tmp_path, lost):
    coded = [OLD.copy(), OLD.copy()]
    for scores, n in zip(coded, lost, strict=True):
        scores[:n] = -1
    sides = table(tmp_path / "old.csv", coded[0]), table(tmp_path / "new.csv", coded[1])
    decision = bt.gate(*sides, margin=0.1)
    who = ", ".join(repr(s) for s, n in zip(("baseline", "candidate"), lost, strict=True) if n)
    reason = f"-1 may mean missing: {sum(lost)} scores of {who} next to 0 to 1"
    assert (decision.exit_code, decision.why) == (4, (f"{reason}; leave the cell blank",))


def prompted(path, column, wrong=()):
    """A promptfoo log of one provider and one of its two prompts."""
    rows = [made_promptfoo.result(k, column, f"x{k}", passed=k not in wrong) for k in range(20)]
    return made_promptfoo.as_json(path, rows, repeat=1)


@pytest.mark.parametrize("prompt", [0, 1])
def test_a_new_prompt_is_gated_as_the_old_one(tmp_path, prompt):
    old = prompted(tmp_path / "old.json", 0)
    new = prompted(tmp_path / "new.json", prompt, wrong=range(12))
    how = {"margin": 0.1, "metric": "has"}
    assert bt.gate(old, new, **how).verdict == "worse"
    kept = tmp_path / "kept.csv"
    baseline_files.write(kept, accept_candidate(old, {"metric": "has"}))
    assert bt.gate(kept, new, **how).verdict == "worse"


@pytest.mark.parametrize("number", [0, 1, 5])
def test_a_baseline_run_once_is_gated_against_repeated_runs(number):
    """Its only run has a number that is a score, too."""
    columns = {"item": [f"q{k}" for k in range(40)], "score": [int(k % 3 > 0) for k in range(40)]}
    once = pd.DataFrame(columns).assign(run=number)
    twice = pd.concat([once.assign(run=k) for k in range(2)])
    assert bt.gate(once, twice, margin=0.3, run="run").verdict == "pass"


def test_counts_of_tp_fp_and_fn_are_no_score():
    counts = pd.DataFrame({"item": range(30), "tp": 3, "fp": [0, 1, 2] * 10, "fn": 1})
    with pytest.raises(ValueError, match="baseline: holds TP/FP/FN counts, and a gate compares"):
        bt.gate(counts, counts.assign(fp=2 * counts["fp"] + 1), margin=0.05)
    with pytest.raises(ValueError, match="pass higher_is_better=False"):
        bt.gate(counts, counts.assign(fp=2 * counts["fp"] + 1), margin=0.05, score="fp")
    scored = counts.assign(f1=0.5)
    better = scored.assign(f1=0.6)
    assert bt.gate(scored, better, margin=0.05, score="f1").verdict == "pass"


@pytest.mark.parametrize(("lacks", "max_missing"), [(0, 0), (5, 0.05)])
def test_as_many_scores_may_be_missing_as_the_user_allows(lacks, max_missing):
    old = pd.DataFrame({"item": range(100), "score": 1.0})
    new = old.assign(score=[None] * lacks + [0.0] + [1.0] * (99 - lacks))
    assert bt.gate(old, new, margin=0.1, max_missing=max_missing).verdict != "not comparable"
    if lacks:
        few = bt.gate(old, new, margin=0.1, max_missing=max_missing - 0.001)
        assert few.verdict == "not comparable"


def test_missing_scores_of_the_baseline_may_be_the_best():
    """Of a cluster of two: with them lost the pass would rest on few clusters, if they are 1."""
    sizes = [1, 6, 1, 6, 5, 2, 1, 1, 4, 5, 2, 1, 7, 3, 2, 2, 4, 7, 6, 3, 3, 1, 6, 1, 3]
    cluster = np.repeat(np.arange(25), sizes)
    new = pd.DataFrame({"item": range(83), "cluster": cluster, "score": np.arange(83) != 32}) * 1.0
    old = new.assign(score=np.where(cluster == 10, np.nan, 1.0))
    decision = bt.gate(old, new, margin=0.1, max_missing=1)
    assert decision.verdict == "inconclusive"
    assert "the 2 missing scores could change that" in decision.why[0]


def test_a_percentage_of_errors_is_refused_with_the_limits_as_they_are_written():
    old = pd.DataFrame({"item": range(30), "score": [1.0, 5.0, 3.0] * 10})
    new = old.assign(score=[2.0, 4.0, 3.0] * 10)
    with pytest.raises(ValueError, match="these go from 1 to 5: pass the margin in units"):
        bt.gate(old, new, margin=names.Percentage(0.05), higher_is_better=False)
