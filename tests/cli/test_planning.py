"""The command `plan`: first, always and ceiling, a curve, and what cannot be planned."""

import sys
import warnings

import numpy as np
import pytest

import betterthan as bt
from betterthan.cli import commands
from betterthan.cli.planning import bars


def run(capsys, monkeypatch, *args):
    """Exit code, stdout and stderr of one command, in this process."""
    monkeypatch.setattr(sys, "argv", ["betterthan", "plan", *map(str, args)])
    with pytest.raises(SystemExit) as stop:
        commands.main()
    out = capsys.readouterr()
    return stop.value.code or 0, out.out, out.err


@pytest.fixture
def pilot(tmp_path):
    path = tmp_path / "pilot.csv"
    path.write_text("system_a,system_b,wins,losses,ties\nnew,old,12,6,22\n")
    return path


def test_a_guess_is_planned_as_if_it_were_known(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    args = "--decisive", 0.45, "--difference", 0.15
    code, out, err = run(capsys, monkeypatch, *args)
    assert code == 0
    needed = bt.plan.items_needed(theta=(0.3, 0.15, 0.55))
    assert (
        f"items needed {int(needed['first'])}, sufficient from {int(needed['always'])}, "
        "limiting probability > 0.999"
    ) in out
    assert "items needed 121" in out
    assert "asks for too few" in err
    curve = [line for line in out.splitlines() if " items  0." in line]
    assert len(curve) == 10
    assert all(len(line) <= 60 and "|" in line for line in curve)
    assert "\x1b" not in out


def test_a_guess_is_planned_for_the_system_ahead(capsys, monkeypatch):
    ahead, behind = (
        run(capsys, monkeypatch, "--decisive", 0.2, "--difference", d)[1].splitlines()[1]
        for d in (0.05, -0.05)
    )
    assert behind == ahead.replace("A better", "B better") != ahead


def test_a_pilot_says_how_unsure_it_is(pilot, capsys, monkeypatch):
    code, out, _ = run(capsys, monkeypatch, pilot, "--until", 200)
    assert code == 0
    counts = bt.counts.from_table({("new", "old"): (12, 6, 22)})
    expected = bt.plan.items_needed(counts)
    assert out.startswith("For the items so far:\n")
    assert (
        f"items needed {int(expected['first'])}, sufficient from {int(expected['always'])}"
    ) in out
    assert bt.plan.foresee(counts, until=200).lines[1] in out
    assert bt.plan.replication(counts).lines[1] in out


def test_a_pilot_asks_for_the_system_that_is_ahead(tmp_path, capsys, monkeypatch):
    path = tmp_path / "results.csv"
    rows = [(0, 1)] * 12 + [(1, 0)] * 4 + [(1, 1)] * 24
    path.write_text("item,old,new\n" + "".join(f"q{k},{a},{b}\n" for k, (a, b) in enumerate(rows)))
    _, out, _ = run(capsys, monkeypatch, path)
    assert "A is" not in out
    assert "items lead to the verdict new better with probability 0.8" in out
    assert "No number" not in out
    _, out, _ = run(capsys, monkeypatch, path, "--verdict", "a_better")
    assert out.startswith("a_better: old is better; b_better: new is better.\n")
    assert "No number of items leads to the verdict old better" in out


def test_no_number_is_said_with_its_ceiling(pilot, capsys, monkeypatch):
    _, out, _ = run(capsys, monkeypatch, pilot, "--target", 0.95)
    assert "items needed none, sufficient from none, limiting probability 0.9" in out
    _, out, _ = run(capsys, monkeypatch, "--decisive", 0.4, "--difference", 0.05, "--most", 300)
    assert "items needed more than 300, sufficient from more than 300, limiting" in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "give either a file of results"),
        (("{pilot}", "--decisive", ".2"), "give either a file of results"),
        (("--decisive", ".2"), "--decisive and --difference belong together"),
        (("--decisive", "1.2", "--difference", ".1"), "decisive is 1.2"),
        (("--decisive", ".2", "--difference", ".3"), "difference is 0.3"),
        (("--decisive", ".2", "--difference", ".1", "--until", "9"), "need a file of results"),
        (("--decisive", ".2", "--difference", ".1", "--target", "2"), "target is 2"),
        (("--decisive", ".2", "--difference", ".1", "--verdict", "best"), "--verdict is 'best'"),
        (("--decisive", ".2", "--difference", ".1", "--rope", "-1"), "rope is -1"),
        (("nothing.csv",), "no such file"),
        (("{pilot}", "--until", "10"), "until is 10"),
        (("{pilot}", "--verdict", ""), "--verdict is ''"),
        (("{pilot}", "-o", "x.csv"), "x.csv: give one file, such as x.html; a plan is one report"),
        (("{pilot}", "-o", "a/x.json"), "such as a/x.html; a plan is one report, in .txt, .md, "),
        (("{pilot}", "-o", "a/x"), "a/x: give one file, such as a/x.html"),
        (("{pilot}", "-o", "."), ".: give one file, such as report.html"),
    ],
)
def test_what_cannot_be_planned_is_one_line_and_code_2(pilot, capsys, monkeypatch, args, said):
    given = [arg.format(pilot=pilot) for arg in args]
    code, out, err = run(capsys, monkeypatch, *given)
    assert (code, out) == (2, "")
    assert said in err.splitlines()[-1]


def test_a_constant_lead_has_no_empty_part_and_no_verdict_of_its_own(tmp_path, capsys, monkeypatch):
    path = tmp_path / "constant.csv"
    path.write_text("item,A,B\n" + "".join(f"q{k},{k / 30},{k / 30 + 0.1}\n" for k in range(30)))
    code, out, _ = run(capsys, monkeypatch, path)
    assert code == 0
    assert "Difference in means (A − B) −0.1 (standard error 0, 30 items)." in out
    assert "No verdict" not in out  # compare has one: B is ahead on each item
    assert not out.rstrip().endswith(":")


def test_no_plan_where_missing_scores_leave_no_verdict(tmp_path, capsys, monkeypatch):
    rows = [f"q{k},{int(k < 30)},{'' if k >= 30 else int(k < 18)}" for k in range(60)]
    path = tmp_path / "missing.csv"
    path.write_text("item,A,B\n" + "\n".join(rows) + "\n")
    with pytest.warns(UserWarning, match="missing on harder items"):
        assert bt.compare(path).data["verdict"].values[0, 1] == "no_verdict"
    with warnings.catch_warnings():  # the command prints it
        warnings.simplefilter("ignore")
        code, out, err = run(capsys, monkeypatch, path)
    assert (code, out) == (2, "")
    assert "there is no verdict on A and B, as their missing scores may lead to another" in err
    path.write_text("item,A,B\n" + "\n".join(rows[:30]) + "\n")
    assert run(capsys, monkeypatch, path)[0] == 0


def test_a_plan_is_of_two_systems(tmp_path, capsys, monkeypatch):
    path = tmp_path / "three.csv"
    path.write_text("item,A,B,C\n1,1,0,1\n2,1,1,0\n3,0,1,1\n")
    code, _, err = run(capsys, monkeypatch, path)
    assert code == 2
    assert "3 systems (A, B, C); a plan is for two systems" in err
    assert run(capsys, monkeypatch, path, "--systems", "A,C", "--target", 0.3)[0] == 0


def test_bars_keep_within_the_width_and_are_green_from_the_target_on():
    lines = bars([50, 1000], [0.4, 1.0], 0.8, 40, colour=True)
    assert "\x1b" not in lines[0]
    assert lines[1].count("\x1b") == 2
    assert all(len(line) <= 40 for line in bars([50, 1000], [0.4, 1.0], 0.8, 40))


def test_lower_scores_may_be_the_better_ones(tmp_path, capsys, monkeypatch):
    path = tmp_path / "errors.csv"
    rows = [f"q{k},{k / 100},{k / 100 + (k % 5 > 0) * 0.1}" for k in range(60)]
    path.write_text("item,old,new\n" + "\n".join(rows) + "\n")
    for option, better in (("--higher-is-better", "new"), ("--lower-is-better", "old")):
        code, out, _ = run(capsys, monkeypatch, path, option)
        assert code == 0
        assert f"{better} is better: difference in means" in out
        assert " 1.000" not in out  # of what may yet be, nothing is certain


@pytest.mark.parametrize("how", ["graded", "in clusters", "run repeatedly"])
def test_a_plan_of_means_agrees_with_the_comparison(tmp_path, capsys, monkeypatch, how):
    path = tmp_path / "pilot.csv"
    head = "item,cluster,old,new" if how == "in clusters" else "item,epoch,old,new"
    head = "item,old,new" if how == "graded" else head
    middle = {"graded": "", "in clusters": "c{},", "run repeatedly": "{},"}[how]
    rows = []
    for k in range(60):
        scores = (k % 7) / 7, (k % 7) / 7 + 0.1 * (k % 3 - 0.9)
        if how != "graded":
            scores = (k % 3 > 0) * 1, (k % 4 > 0) * 1
        item = f"q{k // 3}" if how == "run repeatedly" else f"q{k}"
        place = k % 3 if how == "run repeatedly" else k // 4
        rows.append(f"{item},{middle.format(place)}{scores[0]},{scores[1]}")
    path.write_text("\n".join([head, *rows]) + "\n")
    data = bt.read(path)
    code, out, _ = run(capsys, monkeypatch, path, "--until", 200)
    assert code == 0
    assert bt.plan.replication(data).lines[1] in out
    assert bt.plan.foresee(data, until=200).lines[1] in out
    assert bt.plan.outlook(bt.compare(data)).lines[0] in out
    assert run(capsys, monkeypatch, path, "--verdict", "either")[0] == 2


def test_a_plan_is_also_a_page(capsys, monkeypatch, pilot, tmp_path):
    page = tmp_path / "plan.html"
    code, out, err = run(capsys, monkeypatch, pilot, "-o", page)
    assert code == 0
    assert f"wrote {page}" in err
    html = page.read_text("utf-8")
    more, fresh = (line for line in out.splitlines() if "items lead to the verdict" in line)
    assert more.strip() in html
    assert fresh.strip() in html


@pytest.mark.parametrize("name", ["plan.json", "plan.pdf", "folder"])
def test_a_page_that_cannot_be_written_is_refused_before_work(
    capsys, monkeypatch, pilot, tmp_path, name
):
    code, out, err = run(capsys, monkeypatch, pilot, "-o", tmp_path / name)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert not (tmp_path / name).exists()


def test_a_page_does_not_overwrite_the_pilot(capsys, monkeypatch, tmp_path):
    pilot = tmp_path / "pilot.txt"
    pilot.write_text("system_a,system_b,wins,losses,ties\nnew,old,12,6,22\n")
    before = pilot.read_bytes()
    code, _, err = run(capsys, monkeypatch, pilot, "-o", pilot)
    assert code == 2
    assert "would destroy it" in err
    assert pilot.read_bytes() == before


def test_tallies_are_not_planned_for(tmp_path, capsys, monkeypatch):
    path = tmp_path / "f.csv"
    path.write_text("system,item,tp,fp,fn\nA,1,1,0,1\nB,1,2,1,1\nA,2,1,0,1\nB,2,2,1,1\n")
    code, _, err = run(capsys, monkeypatch, path)
    assert code == 2
    assert "error: these are TP/FP/FN counts, and a plan takes scores of items, or wins, " in err
    tallies = bt.read(path)
    for plan in (bt.plan.items_needed, bt.plan.foresee):
        with pytest.raises(ValueError, match=r"got TP/FP/FN counts; see betterthan\.counts\.tally"):
            plan(tallies)
    assert bt.plan.foresee(bt.counts.tally_scores(tallies), more=5).data.sizes["verdict"] == 4


def test_a_rope_of_means_is_in_units_of_the_score(tmp_path, capsys, monkeypatch):
    path = tmp_path / "points.csv"
    rng = np.random.default_rng(1)
    points = (50 + 20 * rng.normal(size=(60, 1)) + 4 * rng.normal(size=(60, 2))).round(1)
    rows = "".join(f"q{k},{a},{b}\n" for k, (a, b) in enumerate(points))
    path.write_text(f"item,new,old\n{rows}")
    code, out, _ = run(capsys, monkeypatch, path, "--rope", 5)
    assert (code, "Practically equivalent: difference in means" in out) == (0, True), out
    code, _, error = run(capsys, monkeypatch, path, "--rope", "2%")
    assert (code, "--rope 2% is for scores within 0 and 1; these go from" in error) == (2, True)
    code, _, error = run(capsys, monkeypatch, "--decisive", 0.2, "--difference", 0, "--rope", 2)
    assert (code, "rope is 2" in error) == (2, True)
