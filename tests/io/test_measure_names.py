"""Names of columns say what they measure: errors are not compared as if they were successes."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.cli.start import run

ITEMS = [f"q{k}" for k in range(12)]


def wide(*columns, highest=1):
    values = np.random.default_rng(1).integers(0, highest + 1, (len(ITEMS), len(columns)))
    return pd.DataFrame(values, columns=list(columns)).assign(item=ITEMS)


ERRORS = [
    ("wer_A", "wer_B"),
    ("A_loss", "B_loss"),
    ("A rank", "B rank"),
    ("A-incorrect", "B-incorrect", "C-incorrect"),
    ("word error rate A", "word error rate B"),
    ("failed (gpt)", "failed (pal)"),
    ("A_latency", "B_latency"),
    ("A_ms", "B_ms"),
    ("bugs A", "bugs B"),
    ("A escalations", "B escalations"),
    ("A false positives", "B false positives"),
    ("missed by A", "missed by B"),
    ("A_errorRate", "B_errorRate"),
    ("A latencyMs", "B latencyMs"),
    ("A_hallucinationRate", "B_hallucinationRate"),
    ("A_noise_sensitivity", "B_noise_sensitivity"),
    ("A n_major", "B n_major"),
    ("A LPIPS ↓", "B LPIPS ↓"),
    ("A (lower is better)", "B (lower is better)"),
    ("errors A", "error B"),
]


@pytest.mark.parametrize("columns", ERRORS)
def test_columns_of_errors_need_a_direction(columns):
    with pytest.raises(ValueError, match=r"less is better .* pass higher_is_better=False, or"):
        bt.read(wide(*columns, highest=3))
    with pytest.raises(ValueError, match="less is better"):  # which systems does not say it
        bt.read(wide(*columns, "other", highest=3), systems=list(columns))
    for better in (False, True):
        assert (
            bt.read(wide(*columns, highest=3), higher_is_better=better).attrs["higher_is_better"]
            == better
        )


@pytest.mark.parametrize("measure", ["refused", "attack_success", "mqm"])
def test_a_measure_of_which_more_may_be_better_or_worse_needs_a_direction(measure):
    columns = f"A_{measure}", f"B_{measure}"
    with pytest.raises(
        ValueError, match=rf"by its name \({measure[:3]}.*may be better or worse in"
    ):
        bt.compare(wide(*columns))
    assert bt.read(wide(*columns), higher_is_better=True).shape == (12, 2)


def test_fewer_errors_win_once_the_direction_is_stated():
    errors = pd.DataFrame({"item": ITEMS, "A_errors": 0, "B_errors": [1] * 11 + [0]})
    p = bt.compare(errors, higher_is_better=False).data["prob_better"]
    assert p.sel(system_a="A_errors", system_b="B_errors") > 0.99


@pytest.mark.parametrize(
    "columns",
    [
        ("low_cost_v1", "large"),
        ("A_no_error", "B_no_error"),
        ("RankGPT", "RankT5"),
        ("A_acc", "B_acc"),
        ("ms-marco-small", "ms-marco-large"),
        ("terse", "costly"),
        ("loss_focal", "loss_ce"),  # scores of 0 and 1 are no losses
        ("rank_svm", "rank_net"),
    ],
)
def test_names_that_only_look_like_it_are_systems(columns):
    assert bt.read(wide(*columns)).system.values.tolist() == list(columns)


def test_a_column_of_scores_that_is_named_so():
    long = wide("A", "B").melt("item", var_name="system", value_name="ppl")
    with pytest.raises(ValueError, match=r"by its name \(ppl\), less is better in 'ppl'"):
        bt.read(long, score="ppl")
    assert not bt.read(long, score="ppl", higher_is_better=False).attrs["higher_is_better"]


def test_a_file_for_each_system(tmp_path):
    for name in ("A", "B"):
        wide("errors")[["item", "errors"]].to_csv(tmp_path / f"{name}.csv", index=False)
    files = {name: tmp_path / f"{name}.csv" for name in ("A", "B")}
    with pytest.raises(ValueError, match="less is better in 'errors'"):
        bt.read(files)
    assert bt.read(files, higher_is_better=False).sizes["system"] == 2


@pytest.mark.parametrize(
    ("columns", "measures"),
    [
        (("A_bleu", "B_bleu", "A_ter", "B_ter"), "'bleu', 'ter'"),
        (("gpt_correct", "gpt_conf", "pal_correct", "pal_conf"), "'correct', 'conf'"),
        (("A_rouge1", "A_rouge2", "B_rouge1", "B_rouge2"), "'rouge1', 'rouge2'"),
        (("A f1", "B f1", "A em"), "'f1', 'em'"),
        (("f1_A", "p_A", "f1_B", "p_B"), "'f1', 'p'"),
    ],
)
def test_measures_are_no_systems(columns, measures):
    with pytest.raises(ValueError, match=f"2 measures .{measures}.* pass one measure: systems="):
        bt.read(wide(*columns))
    assert bt.read(wide(*columns), systems=columns[:2], higher_is_better=True).sizes["system"] == 2


@pytest.mark.parametrize("columns", [("precision", "recall"), ("passed", "seconds"), ("F1", "em")])
def test_measures_alone_are_no_systems(columns, tmp_path):
    table = wide(*columns)
    with pytest.raises(ValueError, match="are measures and no systems; pass score= with one"):
        bt.read(table)
    assert bt.read(table, systems=columns, higher_is_better=True).sizes["system"] == 2
    files = {name: tmp_path / f"{name}.csv" for name in ("A", "B")}
    for path in files.values():
        table.to_csv(path, index=False)
    assert bt.read(files, score=columns[0]).system.values.tolist() == ["A", "B"]


@pytest.mark.parametrize(
    "columns",
    [
        ("small_base", "small_tuned", "large_base", "large_tuned"),
        ("f1_tuned", "acc_tuned_more"),  # no system in both
        ("A_bleu", "B_bleu"),
        ("comet", "bert"),
        ("gpt base", "gpt large", "pal base", "f1 tuned"),
    ],
)
def test_several_words_are_no_several_measures(columns):
    assert bt.read(wide(*columns)).system.values.tolist() == list(columns)


def command(capsys, monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["betterthan", *arguments])
    try:
        run()
        code = 0
    except SystemExit as end:
        code = end.code
    return code, *capsys.readouterr()


def test_the_command_line_names_its_options(tmp_path, capsys, monkeypatch):
    file = tmp_path / "errors.csv"
    wide("A_errors", "B_errors").to_csv(file, index=False)
    code, out, err = command(capsys, monkeypatch, "compare", str(file))
    assert (code, out) == (2, "")
    assert "pass --lower-is-better, or --higher-is-better if more is better" in err
    better = []
    for option in ("--lower-is-better", "--higher-is-better"):
        more = (option, "--format", "json")
        code, out, _ = command(capsys, monkeypatch, "compare", str(file), *more)
        assert code == 0
        better.append(json.loads(out)["systems"][0]["system"])
    assert better[0] != better[1]
    both = ("--lower-is-better", "--higher-is-better")
    code, _, err = command(capsys, monkeypatch, "compare", str(file), *both)
    assert code == 2
    assert "--lower-is-better or --higher-is-better" in err


def sides(first, second):
    return {
        name: pd.DataFrame({"item": ITEMS, column: [1] * 8 + [0] * 4})
        for name, column in (("A", first), ("B", second))
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("accuracy", "error"),
        ("F1", "bleu_score"),
        ("error rate", "acc"),
        ("score", "wer"),
        ("score", "error_count"),
        ("wer A", "acc B"),  # less is better in one
    ],
)
def test_a_file_of_another_measure_is_no_system_to_compare(first, second):
    reason = f"B: '{second}' is by its name another measure than '{first}' of A"
    with pytest.raises(ValueError, match=reason):
        bt.read(sides(first, second))
    named = [pd.Series([1.0, 0.0, 1.0], name=column) for column in (first, second)]
    with pytest.raises(ValueError, match="another measure than"):
        bt.compare(dict(zip("AB", named, strict=True)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("acc", "Accuracy"),
        ("score", "f1"),
        ("gpt", "bleu"),
        ("f1_score", "F1"),
        ("bleu A", "acc B"),
    ],
)
def test_files_whose_columns_may_be_one_measure_are_compared(first, second):
    assert bt.read(sides(first, second)).sizes["system"] == 2


def test_successes_of_one_system_and_errors_of_another_are_not_compared():
    frame = wide("A_acc", "B_error")
    reason = r"column 'B_error': is by its name another measure than 'A_acc', of which more is bet"
    with pytest.raises(ValueError, match=reason):
        bt.read(frame)
    assert bt.read(frame, systems=["A_acc", "B_error"]).shape == (12, 2)
    assert bt.read(wide("A_acc", "B_error", "C")).shape == (12, 3)  # which may be names


def test_errors_are_scores_once_the_direction_is_stated():
    assert not bt.read(sides("score", "wer"), higher_is_better=False).attrs["higher_is_better"]


def _long(**metrics):
    """Two systems of ten items, the scores of each of a metric."""
    rows = [
        {"item": k, "system": system, "metric": metric, "score": 0.1 * k + (system == "B")}
        for system, metric in metrics.items()
        for k in range(10)
    ]
    return pd.DataFrame(rows)


def test_the_metric_of_a_long_table_says_which_way_is_better():
    with pytest.raises(ValueError, match=r"by its name \(wer\), less is better"):
        bt.read(_long(A="wer", B="wer"))
    assert not bt.read(_long(A="wer", B="wer"), higher_is_better=False).attrs["higher_is_better"]
    assert bt.read(_long(A="acc", B="acc")).attrs["higher_is_better"]
    assert bt.read(_long(A="acc", B=None)).shape == (10, 2)


@pytest.mark.parametrize("column", ["metric", "Measure", "scorer"])
def test_scores_of_two_metrics_are_not_compared(column):
    table = _long(A="acc", B="wer").rename(columns={"metric": column})
    with pytest.raises(
        ValueError, match=f"column '{column}' names 2 metrics .'acc', 'wer'."
    ) as line:
        bt.read(table)
    assert f"ignore='{column}'" in str(line.value)
    assert bt.read(table, ignore=column).shape == (10, 2)
    parts = dict(list(_long(A="acc", B="wer").groupby("system")))
    with pytest.raises(ValueError, match="'wer' is by its name another measure than 'acc' of A"):
        bt.read(parts)


def test_one_of_several_metrics_is_read_alone(tmp_path):
    several = pd.concat(
        [
            _long(A=m, B=m).assign(score=score)
            for m, score in [("acc", [0, 1] * 10), ("wer", np.arange(20) / 20), ("werp", 0.5)]
        ]
    )
    alone = several[several["metric"] == "acc"]
    path = tmp_path / "t.csv"
    several.sample(frac=1, random_state=1).to_csv(path, index=False)
    for source in (several, path):
        found = bt.read(source, metric="acc")
        xr.testing.assert_equal(
            found.sortby("item"), bt.read(alone).astype(found.dtype).sortby("item")
        )
        assert found.attrs["reading"].endswith("0 scores missing, rows of metric 'acc'")
    assert bt.compare(several, metric="a")["n"].values[0, 1] == 10
    with pytest.raises(ValueError, match=r"by its name \(wer\), less is better"):
        bt.read(several, metric="wer")
    assert bt.read(several, metric="wer", higher_is_better=False).values.max() == 0.95
    with pytest.raises(ValueError, match="'metric': metric='we' is the beginning of several"):
        bt.read(several, metric="we")
    unnamed = several.reset_index(drop=True)
    unnamed.loc[7, "metric"] = None
    with pytest.raises(ValueError, match="row 7, column 'metric': blank; give each row its metric"):
        bt.read(unnamed, metric="acc")
    with pytest.raises(ValueError, match="metric='f1' is none of 'acc', 'wer', 'werp'"):
        bt.read(several, metric="f1")
    wide = several.pivot(index=["item", "metric"], columns="system", values="score").reset_index()
    assert bt.read(wide, metric="acc").equals(bt.read(alone).astype(float).sortby("item"))
    for table in (several, wide):
        with pytest.raises(ValueError, match=r"pass metric='acc', or ignore='metric' if"):
            bt.read(table)
        with pytest.raises(ValueError, match=r"by its name \(wer\), less is better"):
            bt.read(table, metric="wer")


def test_a_row_for_each_metric_is_an_average_whatever_metric_is_asked_for():
    averages = pd.DataFrame({"metric": ["acc", "f1"], "A": [0.5, 0.4], "B": [0.6, 0.3]})
    for choice in ({}, {"metric": "acc"}):
        with pytest.raises(ValueError, match=r"value 'acc': one row per metric, so these are aver"):
            bt.read(averages, **choice)


def test_data_sets_may_have_metrics_of_their_own_but_not_of_another_direction():
    parts = {"x": _long(A="acc", B="acc"), "y": _long(A="f1", B="f1")}
    assert bt.read(parts).shape == (20, 2)
    with pytest.raises(ValueError, match="less is better in 'wer'"):
        bt.read(parts | {"y": _long(A="wer", B="wer")})


def test_data_sets_on_two_scales_are_warned_of():
    random = np.random.default_rng(0)
    shares = pd.DataFrame(random.random((30, 2)).round(2), columns=["A", "B"])
    shares.loc[0, "A"] = 1.0
    percent = (100 * shares).round(1)
    named = {"item": range(30)}
    parts = {"x": shares.assign(**named), "y": percent.assign(**named)}
    with pytest.warns(UserWarning, match="of 'y' run from .* and those of 'x' run from .*, not on"):
        bt.read(parts)
    both = pd.concat([frame.assign(dataset=name) for name, frame in parts.items()])
    with pytest.warns(UserWarning, match="not on one scale"):
        bt.read(both)
    bt.read({"x": parts["x"], "y": parts["x"].assign(A=0.5)})
