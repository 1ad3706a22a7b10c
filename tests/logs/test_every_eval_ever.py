"""Records of Every Eval Ever."""

import json

import numpy as np
import pytest

import betterthan as bt
from betterthan.logs import of_every_eval_ever as reader
from betterthan.logs.sniffing import LogFile

from .samples import FORMATS, cells_of, expected, files_in, needs_samples, runs_of, same_cells


def row(sample, score=1.0, result="acc", name="toy", model="org/alpha", **more):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{name}/{model}/1",
        "model_id": model,
        "evaluation_name": name,
        "evaluation_result_id": result,
        "sample_id": sample,
        "sample_hash": f"hash of {sample}",
        "input": {"raw": f"What is {sample}?", "formatted": None, "reference": ["0"]},
        "evaluation": {"score": score, "is_correct": bool(score)},
        "error": None,
        **more,
    }


def aggregate(mean=0.5, rows=2, lower=False, name="toy", model="org/alpha", result="acc"):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{name}/{model}/1",
        "eval_library": {"name": "lm_eval", "version": "0.4.13"},
        "model_info": {"id": model, "additional_details": {"dtype": "float16"}},
        "evaluation_results": [
            {
                "evaluation_result_id": result,
                "evaluation_name": name,
                "metric_config": {"lower_is_better": lower},
                "score_details": {"score": mean, "uncertainty": {"num_samples": rows}},
            }
        ],
        "detailed_evaluation_results": {"format": "jsonl", "total_rows": rows},
    }


def write(folder, rows, about=None, stem="a"):
    path = folder / f"{stem}_samples.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    if about:
        (folder / f"{stem}.json").write_text(json.dumps(about, indent=1))
    return folder


def read(folder):
    files = files_in(folder)
    assert all(reader.recognises(file.preview) for file in files)
    return reader.runs(files)


def scores(run):
    return [(c[1], c[3], c[4], c[5], c[6]) for c in cells_of(run)]


def test_rows_and_their_aggregate(tmp_path):
    rows = [row("q0"), row("q0", 0.25, "norm"), row("q1", 0.0)]
    (run,) = read(write(tmp_path, rows, aggregate(rows=3, lower=True)))
    assert scores(run) == [
        ("q0", "acc", 1, 1.0, "ok"),
        ("q0", "norm", 1, 0.25, "ok"),
        ("q1", "acc", 1, 0.0, "ok"),
    ]
    assert (run.system, run.task, run.version) == ("org/alpha", "toy", "lm_eval 0.4.13")
    assert (run.reported, run.higher_is_better, run.notes) == ({"acc": 0.5}, {"acc": False}, [])
    assert run.config == {"model.dtype": "float16"}


def test_rows_without_a_result_are_of_the_only_one_of_the_aggregate(tmp_path):
    rows = [row("q0", result=None), row("q1", 0.0, result=None)]
    (run,) = read(write(tmp_path, rows, aggregate(lower=True)))
    assert (run.metrics, run.reported) == (["score"], {"score": 0.5})
    assert run.higher_is_better == {"score": False}
    two = aggregate()
    two["evaluation_results"] += aggregate(result="norm")["evaluation_results"]
    with pytest.raises(ValueError, match=r"without an evaluation_result_id, .* 2 results \(acc, n"):
        read(write(tmp_path, rows, two))


def test_a_result_may_be_called_score_among_others(tmp_path):
    rows = [row("q0", result="score"), row("q0", 0.5, "norm")]
    two = aggregate(result="score")
    two["evaluation_results"] += aggregate(result="norm")["evaluation_results"]
    (run,) = read(write(tmp_path, rows, two))
    assert run.metrics == ["score", "norm"]


def test_an_aggregate_finds_its_samples(tmp_path):
    write(tmp_path, [row("q0"), row("q1")], aggregate())
    (run,) = reader.runs([LogFile(tmp_path / "a.json", "a.json")])
    assert run.files == ["a_samples.jsonl", "a.json"]


def test_another_aggregate_is_not_taken(tmp_path):
    (run,) = read(write(tmp_path, [row("q0")], aggregate(model="org/beta")))
    assert run.reported == {}
    assert run.notes == [("skipped", "a.json has no samples")]


def test_models_and_evaluations_are_runs_of_their_own(tmp_path):
    rows = [row("q0"), row("q0", model="org/beta"), row("q0", name="toy/maj@3")]
    found = [(run.system, run.task) for run in read(write(tmp_path, rows))]
    assert found == [("org/alpha", "toy"), ("org/beta", "toy"), ("org/alpha", "toy/maj@3")]


@pytest.mark.parametrize(
    ("change", "cell"),
    [
        ({"evaluation": {"score": None}}, (None, "unscored")),
        ({"evaluation": {"score": None, "is_correct": True}}, (1.0, "ok")),
        ({"evaluation": {"score": float("nan")}}, (None, "unscored")),
        ({"error": "timeout"}, (None, "error")),
    ],
)
def test_cells_without_a_score(tmp_path, change, cell):
    (run,) = read(write(tmp_path, [row("q0") | change]))
    assert [one[3:] for one in scores(run)] == [cell]


@pytest.mark.parametrize("failed", [0, 1, 2])
def test_an_error_in_any_row_is_one_of_its_sample(tmp_path, failed):
    rows = [row("q0", 1.0, "acc"), row("q0", 0.0, "acc_norm"), row("q0", 0.5, "f1")]
    rows[failed]["error"] = "timeout after 60 s\nmore"
    (run,) = read(write(tmp_path, [*rows, row("q1", 0.25, "acc")]))
    assert [one[3:] for one in scores(run)] == [(None, "error")] * 3 + [(0.25, "ok")]
    assert (run.cells.failed, run.why) == ([True, False], "timeout after 60 s")
    rows += [row("q1", 1.0, "acc_norm")]
    write(tmp_path, [one | {"model_id": m} for one in rows for m in ("m", "n")])
    found = bt.read(tmp_path, metric="acc_norm")
    assert found.isnull().values.tolist() == [[True, True], [False, False]]


def test_repeats_are_told_from_rows_given_twice(tmp_path):
    once = [row("q0"), row("q1", 0.0)]
    again = [row("q0", 0.0), row("q1", 0.0)]
    (run,) = read(write(tmp_path, once + again))
    assert run.cells.epoch == [1, 1, 2, 2]
    assert run.notes[0][0] == "repeats"
    (run,) = read(write(tmp_path, once + once))
    assert run.cells.epoch == [1, 1, 1, 1]
    (run,) = read(write(tmp_path, once + again[:1]))
    assert run.cells.epoch == [1, 1, 1]


def test_rows_that_are_gone_are_said(tmp_path):
    (run,) = read(write(tmp_path, [row("q0")], aggregate(rows=2)))
    assert run.notes[0][0] == "rows"


def test_an_aggregate_alone_says_what_to_do(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(aggregate()))
    with pytest.raises(ValueError, match=r"a\.json: .*--include_samples"):
        read(tmp_path)


def test_a_row_without_a_sample(tmp_path):
    with pytest.raises(ValueError, match=r"row 2: has no sample_id"):
        read(write(tmp_path, [row("q0"), row(None)]))


def test_a_score_is_a_number(tmp_path):
    with pytest.raises(ValueError, match=r"row 2, column 'acc', value '1\.0': is no score; one is"):
        read(write(tmp_path, [row("q0"), row("q1", "1.0")]))


@needs_samples()
def test_cells_are_those_expected():
    folder = "every_eval_ever/0.3.0_from_lm_eval"
    runs = runs_of("every_eval_ever", files_in(FORMATS / folder))
    same_cells([one for run in runs for one in cells_of(run)], expected(folder)["records"])
    assert [run.reported for run in runs] == [
        {"acc": 0.0, "acc_norm": 0.0},
        {"acc": pytest.approx(1 / 3), "acc_norm": pytest.approx(1 / 3)},
    ]
    content = dict(zip(runs[0].cells.item, runs[0].cells.content, strict=True))
    assert content["1"] == content["5"]
    assert all(run.notes == [] for run in runs)


@needs_samples()
def test_one_system_of_one_row():
    here = FORMATS / "every_eval_ever"
    (run,) = runs_of("every_eval_ever", [f for f in files_in(here) if "/" not in f.name])
    assert scores(run) == [("demo_0001", "demo-source.demo_bench", 1, 1.0, "ok")]
    assert run.system == "demo-org/demo-model"


def test_logs_of_tasks_on_other_scales_raise_a_warning(tmp_path):
    share = np.random.default_rng(1).random(40).round(3)
    tasks = {"toy": share, "long": 100 * share}
    for model in ("a", "b"):
        rows = [
            row(f"{name} {k}", float(v), name=name, model=model)
            for name, values in tasks.items()
            for k, v in enumerate(values)
        ]
        write(tmp_path, rows, stem=model)
    with pytest.warns(UserWarning, match="not on one scale"):
        bt.read(tmp_path)
