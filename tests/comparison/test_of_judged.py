"""The comparison of judged counts: corrected, with labels alone and the judge alone beside it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.cli.commands import main
from betterthan.comparison.judged import _uneven
from betterthan.results.kinds import build_page
from validation.decisions import of_judged

TABLE = {("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))}
COUNTS = bt.judged.from_table(TABLE)


def at(found, name):
    return found[name].sel(system_a="A", system_b="B").item()


def test_corrected_labels_alone_and_judge_alone():
    found = bt.compare(COUNTS, rope=0.05)
    assert at(found, "prob_better") == pytest.approx(0.947146441983, abs=1e-12)
    assert at(found, "gold_prob_better") == pytest.approx(0.917925, abs=5e-7)
    assert at(found, "judge_prob_better") == pytest.approx(1.0, abs=5e-7)
    assert (at(found, "verdict"), at(found, "gold_verdict")) == ("undecided", "undecided")
    assert at(found, "judge_verdict") == "a_better"
    mass = found["mass"].sel(system_a="A", system_b="B")
    assert mass.sel(region="a_beyond").item() == pytest.approx(0.858737986338, abs=1e-12)
    assert mass.sum().item() == pytest.approx(1, abs=1e-9)
    assert (at(found, "n"), at(found, "n_gold"), at(found, "unlabelled")) == (500, 60, 0)
    assert found["counts"].sel(system_a="B", system_b="A").values.tolist() == [16, 25, 19]
    assert found["prob_better"].values[1, 0] == pytest.approx(1 - 0.947146441983, abs=1e-12)


def test_the_answer_says_whose_labels_and_never_names_the_judge_alone_a_verdict():
    found = bt.compare(COUNTS)
    first, _, more, truth, alone = found.statement()
    assert first.startswith("Undecided: the data do not show whether A or B is better")
    assert "(P(A better) = 0.947; a verdict needs 0.95)" in first
    assert "Human labels (people): 60 of 500 judged items" in truth
    assert "with the judge only (uncorrected for its errors), > 0.999" in alone
    assert "more human labels (80% chance of a verdict" in more
    heading = "Human labels only and judge only"
    part = next(p for p in build_page(found).parts if p.heading == heading)
    heads = part.tables[0].heads
    assert any(head.startswith("Judge only") for head in heads)
    assert "Verdict" not in heads


def test_the_worked_pair_of_pandalm():
    worked = bt.judged.from_table(
        {("llama-7b", "pythia-6.9b"): ([[16, 1, 0], [3, 6, 1], [1, 2, 0]], (60, 28, 6))}
    )
    found = bt.compare(worked)
    row = found.pairs.iloc[0]
    assert row["prob_better"] == pytest.approx(0.928549684360, abs=1e-12)
    assert row["gold_prob_better"] == pytest.approx(0.90753333, abs=5e-9)
    assert row["judge_prob_better"] == pytest.approx(0.99969487, abs=5e-9)


def test_each_function_takes_judged_counts():
    assert bt.prob_better(COUNTS).item() == pytest.approx(0.947146441983, abs=1e-12)
    assert bt.posterior.sf(COUNTS, 0.05).item() == pytest.approx(0.858737986338, abs=1e-12)
    size = bt.difference(COUNTS, ci_kind="eti", ci_prob=0.9)
    assert size["mean"].item() == pytest.approx(0.14520245, abs=5e-9)
    assert bt.prob_better(COUNTS, prior=(3, 3, 3)).item() == pytest.approx(
        0.942544016865, abs=1e-12
    )
    masses = bt.prob_equivalent(COUNTS, 0.05)
    assert masses.sel(region="a_beyond").item() == pytest.approx(0.858737986338, abs=1e-12)
    tree = bt.posterior.draws(COUNTS, rng=1)
    checked = bt.fits.cross_check(COUNTS, tree)
    assert checked["exact"].item() == pytest.approx(0.947146441983, abs=1e-12)
    assert checked["agrees"].all()


def test_systems_are_picked_ordered_and_renamed():
    three = {("A", "B"): TABLE["A", "B"], ("A", "C"): TABLE["A", "B"], ("C", "B"): TABLE["A", "B"]}
    counts = bt.judged.from_table(three)
    found = bt.compare(counts, systems=["B", "A"])
    assert found["prob_better"]["system_a"].values.tolist() == ["B", "A"]
    assert at(found, "prob_better") == pytest.approx(0.947146441983, abs=1e-12)
    renamed = bt.compare(counts, systems={"A": "new"}, baseline="new")
    assert "Compared with the baseline new: " in " ".join(renamed.statement())
    assert "P(best) is not available" in bt.report(renamed)
    assert "prob_best" not in renamed


def test_pairs_that_never_met_have_no_data():
    table = {("A", "B"): TABLE["A", "B"], ("B", "C"): TABLE["A", "B"]}
    found = bt.compare(bt.judged.from_table(table))
    assert found["verdict"].sel(system_a="A", system_b="C").item() == "no_data"
    assert len(bt.report(found)) > 100


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"ties": "drop"}, "ties='drop'"),
        ({"quantity": "mean"}, "quantity='mean'"),
        ({"margin": 0.1}, "margin=0.1"),
        ({"missing": "wrong"}, "missing='wrong'"),
        ({"unit": "item"}, "unit='item'"),
        ({"weight": "unit"}, "weight='unit'"),
        ({"over": "dataset"}, "over='dataset'"),
        ({"over": "no such column", "weights": "size"}, "over='no such column'"),
        ({"tests": "sign"}, "tests="),
        ({"method": "advised"}, "method='advised'"),
        ({"baseline": "Z"}, "baseline"),
        ({"systems": ["A", "Z"]}, "'Z'"),
    ],
)
def test_choices_that_do_not_apply(choice, said):
    with pytest.raises(ValueError, match=said):
        bt.compare(COUNTS, **choice)


@pytest.mark.parametrize("others", [[("A", "B")], [("A", "B"), ("B", "D")]])
def test_a_baseline_without_human_labels_is_refused(others):
    bare = {("A", "C"): ([[0, 0, 0]] * 3, (210, 120, 170))}
    counts = bt.judged.from_table(dict.fromkeys(others, TABLE["A", "B"]) | bare)
    labelled = ", ".join(sorted({system for pair in others for system in pair}))
    reason = (
        f"baseline='C' has no human label in any pair; label items of C, or pass one of {labelled}"
    )
    with pytest.raises(ValueError, match=f"^{reason}$"):
        bt.compare(counts, baseline="C")
    assert "C" not in bt.compare(counts, baseline="A")["system_a"]


@pytest.mark.parametrize("choice", [{"ties": "drop"}, {"model": "independent"}])
def test_choices_of_counts_do_not_apply(choice):
    with pytest.raises(ValueError, match="does not apply to judged counts"):
        bt.prob_better(COUNTS, **choice)


def test_saved_and_loaded(tmp_path):
    found = bt.compare(COUNTS)
    found.save(tmp_path / "judged.nc")
    assert bt.load(tmp_path / "judged.nc").statement() == found.statement()


def test_many_items_without_a_label_are_told():
    bare = bt.judged.from_table({("A", "B"): ([[9, 0, 0], [0, 9, 0], [0, 0, 0]], (90, 80, 60))})
    notes = bt.compare(bare).provenance.notes
    assert any(
        "26% of the items of A vs B have a judge output without any human label" in n for n in notes
    )


def test_swapping_the_systems_mirrors_the_answer():
    turned = np.array(TABLE["A", "B"][0])[[1, 0, 2]][:, [1, 0, 2]]
    other = bt.compare(bt.judged.from_table({("B", "A"): (turned, (120, 210, 170))}))
    found = bt.compare(COUNTS)
    for name in ("prob_better", "difference_lower", "gold_prob_better", "judge_prob_better"):
        assert at(other, name) == pytest.approx(at(found, name), abs=1e-9)


def _table(path, blank=False):
    rows = []
    for truth, row in zip(("A", "B", "tie"), TABLE["A", "B"][0], strict=True):
        for said, number in zip(("A", "B", "tie"), row, strict=True):
            rows += [(said, "" if blank else truth)] * number
    rest = np.array(TABLE["A", "B"][1]) - np.array(TABLE["A", "B"][0]).sum(0)
    rows += [(s, "") for s, k in zip(("A", "B", "tie"), rest, strict=True) for _ in range(k)]
    lines = [f"{k},A,B,{said},{truth}" for k, (said, truth) in enumerate(rows)]
    path.write_text("\n".join(["item,system_a,system_b,gpt,people", *lines]))
    return str(path)


def run(monkeypatch, *words):
    monkeypatch.setattr("sys.argv", ["betterthan", "compare", *words])
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    return 0


def test_on_the_command_line(monkeypatch, capsys, tmp_path):
    path = _table(tmp_path / "judged.csv")
    assert run(monkeypatch, path, "--judge", "gpt", "--human", "people") == 0
    told = capsys.readouterr()
    assert "60 of them labelled in 'people'" in told.err
    assert "P(better)" in told.out
    assert "0.947" in told.out
    folder = tmp_path / "out"
    assert run(monkeypatch, path, "--judge", "gpt", "--human", "people", "-o", str(folder)) == 0
    assert {p.name for p in folder.iterdir()} == {"report.html", "pairs.csv", "comparison.nc"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge", "gpt", "--drop"), "--drop is for judged outcomes"),
        (("--human", "people"), "human names a column, and judge does not"),
        (("--judge", "gpt", "--strata", "x"), "--strata is for judged outcomes"),
        (("--judge", "gpt", "--human", "item"), "no outcome"),
        (("--judge", "gpt", "--human", "people", "--ties", "drop"), "--ties drop"),
    ],
)
def test_the_command_line_refuses_in_one_line(monkeypatch, capsys, tmp_path, words, said):
    assert run(monkeypatch, _table(tmp_path / "judged.csv"), *words) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert not told.out


def test_labels_that_the_judge_has_no_answer_to(monkeypatch, capsys, tmp_path):
    path = tmp_path / "judged.csv"
    whole = Path(_table(path)).read_text("utf-8")
    path.write_text(whole + "\nmore,A,B,,A\nand more,A,B,,B\n", "utf-8")
    words = (str(path), "--judge", "gpt", "--human", "people")
    assert run(monkeypatch, *words) == 2
    assert "2 labels by people without an answer of the judge" in capsys.readouterr().err
    assert run(monkeypatch, *words, "--drop") == 0
    told = capsys.readouterr()
    assert "60 of them labelled in 'people', 3 signals, 2 labels without an answer left" in told.err
    assert "0.947" in told.out
    with pytest.raises(ValueError, match="drop=True is for judged outcomes"):
        bt.read(str(path), drop=True)


def test_without_labels_it_points_to_tipping(monkeypatch, capsys, tmp_path):
    path = _table(tmp_path / "judged.csv", blank=True)
    assert run(monkeypatch, path, "--judge", "gpt", "--human", "people") == 2
    assert "betterthan.judged.tipping" in capsys.readouterr().err


def test_pairs_without_a_label_are_left_out_and_told():
    bare = (np.zeros((3, 3), dtype=int), (20, 10, 5))
    table = {("A", "B"): TABLE["A", "B"], ("A", "C"): bare}
    found = bt.compare(bt.judged.from_table(table))
    assert found["prob_better"]["system_a"].values.tolist() == ["A", "B"]
    assert any(
        note.startswith("! Human labels: 1 more pair was judged") for note in found.provenance.notes
    )


def test_no_sampler_is_loaded():
    code = "import sys, betterthan as bt; bt.report(bt.compare(bt.datasets.pandalm(labels='30')));"
    code += "print({'pymc', 'arviz', 'matplotlib', 'scipy.stats'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_calibration_is_of_what_compare_says():
    truth = of_judged.Judged("good", 0.1, 100, 30)
    values = truth.play(2, np.random.default_rng(1))
    random, phi = np.random.default_rng(1), truth.table()
    gold = random.multinomial(30, phi.ravel(), size=2).reshape(2, 3, 3)
    rest = random.multinomial(70, phi.ravel(), size=2).reshape(2, 3, 3).sum(1)
    for k in range(2):
        counts = bt.judged.from_table({("A", "B"): (gold[k], gold[k].sum(0) + rest[k])})
        found = bt.compare(counts)
        for name in ("prob_better", "gold_prob_better", "judge_prob_better"):
            short = {"p": "", "g": "labels ", "j": "judge "}[name[0]]
            assert values[f"{short}better"][k] == pytest.approx(at(found, name), abs=1e-9)
        ends = bt.difference(counts, ci_kind="eti")
        inside = ends["lower"].item() <= 0.1 <= ends["upper"].item()
        assert inside == (abs(values["level"][k] - 0.5) <= 0.475)


def test_labels_spread_by_the_judge_alone_are_no_answer():
    gold = [[40, 2, 0], [1, 9, 0], [10, 2, 10]]  # 51 of 100 items, then 13 of 120 and 10 of 200
    one = bt.judged.from_table({("A", "B"): (gold, (100, 120, 200))})
    alone = bt.compare(one)
    assert np.isnan(at(alone, "gold_prob_better"))
    assert at(alone, "gold_verdict") == "no_data"
    assert at(alone, "judge_prob_better") == pytest.approx(0.089, abs=5e-4)
    assert "With human labels only" not in str(alone)
    assert "not spread over the judge's outputs as the items are" in " ".join(
        alone.report().split()
    )
    both = bt.judged.from_table({("A", "B"): (gold, (100, 120, 200)), ("A", "C"): TABLE["A", "B"]})
    several = bt.compare(both)
    assert several["gold_prob_better"].sel(system_a="A", system_b="C").item() == pytest.approx(
        at(bt.compare(COUNTS), "gold_prob_better")
    )
    assert "The human labels of 1 pair are not spread" in several.report()


def test_a_random_part_of_the_items_is_seldom_taken_for_another():
    random, hits = np.random.default_rng(1), 0
    for _ in range(500):
        signal = random.choice(3, 300, p=random.dirichlet(np.ones(3)))
        labelled = signal[random.choice(300, 40, replace=False)]
        gold = np.zeros((3, 3), int)
        gold[0] = np.bincount(labelled, minlength=3)
        judged = bt.judged.from_table({("A", "B"): (gold, np.bincount(signal, minlength=3))})
        hits += int(_uneven(judged)[0])
    assert hits <= 5
