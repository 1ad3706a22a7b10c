"""The commands measures and outcome: one call each, one line for bad input."""

import sys

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.cli.commands import main


def run(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["betterthan", *map(str, words)])
    with pytest.raises(SystemExit) as stopped:
        main()
    out, err = capsys.readouterr()
    return stopped.value.code, out, err


@pytest.fixture
def labels(tmp_path):
    random = np.random.default_rng(4)
    gold = random.choice(list("abc"), 60)
    said = {
        s: np.where(random.random(60) < p, gold, random.choice(list("abc"), 60))
        for s, p in (("A", 0.8), ("B", 0.4))
    }
    path = tmp_path / "labels.csv"
    pd.DataFrame({"item": range(60), "gold": gold} | said).to_csv(path, index=False)
    return path


@pytest.fixture
def features(tmp_path, regression_frame):
    path = tmp_path / "features.csv"
    regression_frame.assign(who=[f"u{k % 9}" for k in range(35)]).to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore:'a' has")
def test_measures_of_labels(labels, monkeypatch, capsys):
    code, out, err = run(monkeypatch, capsys, "measures", labels, "--seed", 1)
    assert code == 0
    assert "60 items x 2 systems" in err
    read = bt.labels.read(labels)
    found = bt.scores.compare(
        bt.labels.tallies(read).assign_attrs(reading="x"), statistic="macro_f1", rng=1
    )
    assert f"{found['score'].values[0]:.4f}" in out
    assert "Score and 95% HDI of each label" in out
    _, micro, _ = run(monkeypatch, capsys, "measures", labels, "--statistic", "f1", "--seed", 1)
    assert "F1 of A and B" in micro


def test_measures_of_a_confusion_matrix_one_system_and_scores(
    labels, tmp_path, monkeypatch, capsys
):
    bt.datasets.beetle_confusion().to_pandas().to_csv(tmp_path / "beetle.csv")
    code, out, err = run(
        monkeypatch, capsys, "measures", tmp_path / "beetle.csv", "-o", tmp_path / "b.html"
    )
    assert (code, out) == (0, "")
    assert "read as a confusion matrix" in err
    assert "<svg" in (tmp_path / "b.html").read_text("utf-8")
    pd.read_csv(labels)[["gold", "A"]].to_csv(tmp_path / "one.csv", index=False)
    code, out, _ = run(monkeypatch, capsys, "measures", tmp_path / "one.csv", "--seed", 1)
    assert code == 0
    assert "A classifier by its confusions" in out
    scores = pd.DataFrame(np.random.default_rng(0).random((30, 2)), columns=["A", "B"])
    scores.to_csv(tmp_path / "scores.csv", index=False)
    code, out, _ = run(monkeypatch, capsys, "measures", tmp_path / "scores.csv", "--seed", 1)
    assert code == 0
    assert "Mean score of A and B" in out


@pytest.mark.parametrize(
    "words",
    [
        *(["--statistic", "f1"], ["--beta", "2"], ["--rope", "0.1"], ["--shuffles", "99"]),
        *(["--ci-prob", "0.9"], ["--correction", "bh"], ["--unit", "item"]),
        *(["--systems", "A"], ["--ignore", "x"], ["--lower-is-better"], ["--scale", "100"]),
    ],
)
def test_options_that_one_confusion_matrix_has_no_use_for(words, tmp_path, monkeypatch, capsys):
    bt.datasets.beetle_confusion().to_pandas().to_csv(tmp_path / "beetle.csv")
    code, out, err = run(monkeypatch, capsys, "measures", tmp_path / "beetle.csv", *words)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(f"error: {words[0]} is for ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scale", "100"], "--scale is for scores and tallies, and labels.csv holds labels"),
        (["--lower-is-better"], "--lower-is-better is for scores and tallies"),
        (["--unit", "dialogue"], "is 'dialogue'; give one of item"),
        (["--layout", "votes"], "layout is 'votes'"),
        (["--statistic", "bleu"], "statistic is 'bleu'"),
        (["-o", "folder"], "give one file, such as folder.html"),
        (["-f", "json"], "format is 'json'"),
        (["--layout", "tallies"], "layout 'tallies' needs columns"),
    ],
)
def test_bad_measures(labels, words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(monkeypatch, capsys, "measures", labels, *words)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["labels.csv"]


def test_outcome(features, monkeypatch, capsys):
    code, out, _ = run(
        monkeypatch, capsys, "outcome", features, "--outcome", "gain", "--leave-out", "who"
    )
    assert code == 0
    function = bt.features.performance_function(pd.read_csv(features), "gain", leave_out="who")
    assert f"{function.fit['r2_held_out_chosen'].item():.3f}" in out
    assert "9 folds, each leaves out one value of who" in out


def test_outcome_with_the_model(
    features, tmp_path, regression_frame, regression_tree, monkeypatch, capsys
):
    asked = {}

    def fit(table, outcome, **choice):
        asked.update(choice, outcome=outcome, rows=len(table))
        return regression_tree

    monkeypatch.setattr(bt.models.performance_function, "fit", fit)
    pd.DataFrame({"name": ["new", "old"], "f": [0.6, 0.4], "words": 100}).to_csv(
        tmp_path / "c.csv", index=False
    )
    words = [
        "outcome",
        features,
        "--outcome",
        "gain",
        "--features",
        "f, words",
        "--method",
        "both",
        "--seed",
        7,
    ]
    code, out, _ = run(monkeypatch, capsys, *words, "--components", tmp_path / "c.csv")
    assert code == 0
    expected = {
        "columns": ["f", "words"],
        "by": None,
        "ordinal": False,
        "sampling": bt.models.Sampling(draws=2000),
        "rng": 7,
    }
    assert asked == expected | {"outcome": "gain", "rows": 35}
    assert "Pairs of components" in out
    assert "new" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--outcome", "gain"], "'who', value 'u0': not a number; name the features"),
        (["--outcome", "price", "--leave-out", "who"], "there is no column 'price'"),
        (["--outcome", "gain", "--features", "f,x"], "there is no column 'x'"),
        (["--outcome", "gain", "--ordinal"], "--ordinal and --components need the PyMC model"),
        (["--outcome", "gain", "--draws", "9"], "--draws, --ordinal and --components need the"),
        (["--outcome", "gain", "--method", "mcmc"], "method is 'mcmc'"),
        (["--outcome", "gain", "--direction", "up", "--features", "f"], "direction is 'up'"),
        ([], "outcome"),
    ],
)
def test_bad_outcome(features, words, message, monkeypatch, capsys):
    code, out, err = run(monkeypatch, capsys, "outcome", features, *words)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]


COMPARING = {"references": "best", "rope": "0.1", "interval": "eti", "ci-prob": "0.5"}
COMPARING |= {"draws": "9000", "correction": "none", "shuffles": "99"}


@pytest.mark.parametrize("option", COMPARING)
@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no --reference is passed"),
        (["--reference", "1"], "orders.csv has one document, or one system"),
        (["--reference", "1", "--restrict", "common"], "--restrict compares none"),
    ],
)
def test_options_of_comparing_rankings_need_systems_to_compare(
    words, why, option, tmp_path, monkeypatch, capsys
):
    path = tmp_path / "orders.csv"
    path.write_text("judge,order\n1,a > b > c > d\n2,b > a > c > d\n3,a > b > d > c\n", "utf-8")
    code, out, err = run(
        monkeypatch, capsys, "order", path, *words, f"--{option}", COMPARING[option]
    )
    assert (code, out) == (2, "")
    reason = f"--{option} is for comparing systems, and {why}; leave it out"
    assert err.splitlines()[-1] == f"error: {reason}"
    code, _, _ = run(monkeypatch, capsys, "order", path, *words)
    assert code == 0


@pytest.mark.parametrize("command", ["groups", "measures", "plan"])
def test_pooled_data_sets_of_unequal_size_are_named(command, tmp_path, monkeypatch, capsys):
    values = np.random.default_rng(1).integers(0, 2, (30, 2))
    table = pd.DataFrame(values, columns=["a", "b"])
    table.insert(0, "item", range(30))
    table.insert(0, "dataset", np.repeat(["news", "web"], [20, 10]))
    unequal, equal = tmp_path / "unequal.csv", tmp_path / "equal.csv"
    table.to_csv(unequal, index=False)
    table[10:].to_csv(equal, index=False)
    line = "the 2 data sets are pooled, so large ones weigh more"
    assert line in run(monkeypatch, capsys, command, unequal)[2]
    assert "pooled" not in run(monkeypatch, capsys, command, equal)[2]
