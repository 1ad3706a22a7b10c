"""Samples of lm-eval: which results are theirs, filters, metrics that are no scores, bad files."""

import json
import re
from pathlib import Path

import pytest

import betterthan as bt
from betterthan.cli.options import in_options
from betterthan.logs import of_lm_eval
from betterthan.logs.sniffing import LogFile

from . import made_lm_eval as made
from .samples import cells_of, files_in


def read(*paths):
    files = [LogFile(path, path.name) for path in paths]
    assert all(of_lm_eval.recognises(file.preview) for file in files)
    return of_lm_eval.runs(files)


def scores(run):
    return [(item, metric, score, status) for _, item, _, metric, _, score, status in cells_of(run)]


@pytest.fixture
def folder(tmp_path):
    made.samples(tmp_path, "toy", [made.row(0), made.row(1, 0.0)])
    made.written(tmp_path, made.results({"toy": {"acc,none": 0.5, "acc_stderr,none": 0.3}}))
    return tmp_path


@pytest.mark.parametrize("given", ["samples_*", "results_*", "*"])
def test_the_file_beside_is_found(folder, given):
    (run,) = read(*folder.glob(given))
    assert (run.system, run.task, run.version) == ("org/alpha", "toy", "0.4.13")
    assert run.reported == {"acc": 0.5}
    assert scores(run) == [("0", "acc", 1.0, "ok"), ("1", "acc", 0.0, "ok")]


def test_results_of_another_time_or_folder_are_not_taken(tmp_path):
    alone = made.samples(tmp_path, "toy", [made.row(0)])
    other = made.results({"toy": {"acc,none": 1.0}})
    made.written(tmp_path, other, "2026-11-21T21-00-23.000000")
    written = made.written(tmp_path / "below", other)
    made.samples(tmp_path / "below", "toy", [made.row(0)])
    first, second = read(alone, written)
    assert first.system is None
    assert "pass a mapping" in first.notes[0][1]
    assert second.system == "org/alpha"


def test_tasks_with_figures_and_lines_in_their_names(tmp_path):
    made.written(tmp_path, made.results({"a_2024": {"acc,none": 1.0}, "b_a_2024": {}}))
    paths = [made.samples(tmp_path, task, [made.row(0)]) for task in ("a_2024", "b_a_2024")]
    assert [run.task for run in read(*paths)] == ["a_2024", "b_a_2024"]


def test_filters_are_metrics_of_one_sample(tmp_path):
    rows = [
        made.row(k, float(k == 0 or chosen == "maj"), "em", chosen)
        for chosen in ("strict", "maj")
        for k in (0, 1)
    ]
    path = made.samples(tmp_path, "toy", rows)
    means = {"em,strict": 0.5, "em,maj": 1.0}
    made.written(tmp_path, made.results({"toy": means}))
    (run,) = read(path)
    assert len(run.cells) == 2
    assert run.reported == means
    assert ("1", "em,strict", 0.0, "ok") in scores(run)


def test_a_file_written_twice_has_each_row_twice(tmp_path):
    rows = [made.row(k, 1.0, "em", chosen) for k in (0, 1) for chosen in ("strict", "maj")]
    (run,) = read(made.samples(tmp_path, "toy", rows + rows))
    assert run.cells.item == ["0", "1", "0", "1"]
    assert len(run.cells.score_sample) == 8


@pytest.mark.parametrize(
    ("score", "status", "why"),
    [
        ([-6.26, 2], "unscored", "is an aggregate"),
        ({"a": 1}, "unscored", "is an object"),
        (None, "unscored", None),
        (float("nan"), "unscored", None),
        (float("inf"), "unscored", None),
        (True, "ok", None),
        (1, "ok", None),
        ("0.5", "ok", None),
    ],
)
def test_scores(tmp_path, score, status, why):
    (run,) = read(made.samples(tmp_path, "toy", [made.row(0, score)]))
    assert run.cells.status == [status]
    assert (why is None) == (not run.refused)
    assert why is None or why in run.refused["acc"]


def test_bypass_is_no_score(tmp_path):
    (run,) = read(made.samples(tmp_path, "toy", [made.row(0, 999, "bypass")]))
    assert run.cells.status == ["unscored"]
    assert "only wrote the answers down" in run.refused["bypass"]


def test_less_is_better_and_means_of_another_kind(tmp_path):
    rows = [made.row(0, 2.0, "ter", extra=1.0)]
    rows[0]["metrics"] = ["ter", "extra"]
    means = {"ter,none": 2.0, "extra,none": 9.0}
    listed = [{"metric": "ter", "aggregation": "mean"}, {"metric": "extra", "aggregation": "max"}]
    about = made.results(
        {"toy": means},
        higher_is_better={"toy": {"ter": False, "extra": True}},
        configs={"toy": {"metric_list": listed}},
    )
    made.written(tmp_path, about)
    (run,) = read(made.samples(tmp_path, "toy", rows))
    assert run.higher_is_better == {"ter": False, "extra": True}
    assert run.reported == {"ter": 2.0}


def test_versions_that_say_what_is_better_only_in_the_metrics_of_a_task(tmp_path):
    about = made.results({"toy": {"pct_stereotype,none": 1.0}})
    listed = [{"metric": "pct_stereotype", "aggregation": "mean", "higher_is_better": False}]
    about["configs"] = {"toy": {"metric_list": listed}}
    about.pop("higher_is_better", None)
    made.written(tmp_path, about)
    (run,) = read(made.samples(tmp_path, "toy", [made.row(0, 1.0, "pct_stereotype")]))
    assert run.higher_is_better == {"pct_stereotype": False}


def test_a_perplexity_of_rows_is_their_log_likelihood_of_which_more_is_better(tmp_path):
    rows = [made.row(k, value, "perplexity") for k, value in enumerate((-1.0, -2.0))]
    about = made.results(
        {"toy": {"perplexity,none": 4.48}},
        higher_is_better={"toy": {"perplexity": False}},
        configs={"toy": {"metric_list": [{"metric": "perplexity", "aggregation": "perplexity"}]}},
    )
    made.written(tmp_path, about)
    (run,) = read(made.samples(tmp_path, "toy", rows))
    assert run.metrics == ["perplexity/log-likelihood"]
    assert run.higher_is_better == {"perplexity/log-likelihood": True}
    assert run.reported == {}
    alone = made.samples(tmp_path / "alone", "toy", rows)
    assert read(alone)[0].higher_is_better == {"perplexity/log-likelihood": True}
    blank = [made.row(9, None, "perplexity"), *rows]
    assert read(made.samples(tmp_path / "blank", "toy", blank))[0].metrics == run.metrics
    real = [made.row(0, 12.0, "perplexity")]
    assert read(made.samples(tmp_path / "real", "toy", real))[0].metrics == ["perplexity"]


@pytest.mark.parametrize(("reported", "unscored"), [(0.5, 2), (-0.25, 0), (0.9, 0)])
def test_rows_of_other_items_that_lm_eval_leaves_out_have_no_score(tmp_path, reported, unscored):
    rows = [made.row(k, value, "4096") for k, value in enumerate((1.0, 0.0, -1.0, -1.0))]
    listed = [{"metric": "4096", "aggregation": "def aggregate_metrics(metrics): ..."}]
    about = made.results({"toy": {"4096,none": reported}}, configs={"toy": {"metric_list": listed}})
    made.written(tmp_path, about)
    (run,) = read(made.samples(tmp_path, "toy", rows))
    assert run.cells.status.count("unscored") == unscored
    assert run.reported == ({"4096": 0.5} if unscored else {})


def test_settings_that_tell_runs_of_one_model_apart(tmp_path):
    def run(name, **changes):
        made.written(tmp_path / name, made.results({"toy": {"acc,none": 1.0}}, **changes))
        return read(made.samples(tmp_path / name, "toy", [made.row(0)]))[0]

    plain = run("a")
    args = {"config": {"model_args": "pretrained=org/alpha,dtype=float16"}}
    changed = run("b", **args, **{"n-shot": {"toy": 5}, "chat_template_sha": "abc"})
    assert plain.system == changed.system
    assert plain.config["num_fewshot"] == 0
    assert changed.config["num_fewshot"] == 5
    assert changed.config["model_args.dtype"] == "float16"
    assert changed.config["chat_template_sha"] == "abc"


def test_rows_that_are_gone_are_counted(tmp_path):
    counts = {"n-samples": {"toy": {"original": 3, "effective": 3}}}
    made.written(tmp_path, made.results({"toy": {"acc,none": 1.0}}, **counts))
    (run,) = read(made.samples(tmp_path, "toy", [made.row(0)]))
    assert run.notes == [("rows", f"{run.files[0]} holds 1 of the 3 documents that were run")]


def test_older_rows(tmp_path):
    rows = [made.row(0), made.row(1, 0.0)]
    old = [
        {k: v for k, v in one.items() if not k.endswith("_hash") and k not in ("metrics", "filter")}
        for one in rows
    ]
    old = [one | {"arguments": [["What is 0?", " x"]]} for one in old[:1]]
    path = tmp_path / "pretrained__gpt2_toy.jsonl"
    path.write_text(json.dumps(old, indent=1))
    made.written(tmp_path, made.results({"toy": {"acc,none": 1.0}}))
    (tmp_path / f"results_{made.STAMP}.json").rename(tmp_path / "results.json")
    (run,) = read(path)
    (new,) = read(made.samples(tmp_path / "new", "toy", rows[:1]))
    assert (run.system, run.task, run.metrics) == ("org/alpha", "toy", ["acc"])
    assert run.cells.content == new.cells.content
    assert run.cells.prompt == new.cells.prompt


# -- bad files -------------------------------------------------------------------------------------


def test_results_alone_say_what_to_do(tmp_path):
    path = made.written(tmp_path, made.results({"toy": {"acc,none": 0.5}}))
    with pytest.raises(ValueError, match=r"results_.*run lm-eval with --log_samples"):
        read(path)
    made.samples(tmp_path / "other", "toy", [made.row(0)])
    (run,) = of_lm_eval.runs(files_in(tmp_path))
    assert run.notes[-1] == ("skipped", f"results_{made.STAMP}.json has no samples")


def test_cut_last_line(folder):
    path = next(folder.glob("samples_*"))
    path.write_text(path.read_text()[:-20])
    with pytest.raises(ValueError, match=r"samples_.* row 2: .*is the file cut"):
        read(path)


@pytest.mark.parametrize(
    "line", ["[]", "1", '{"doc_id": 1}', '{"doc_id": [], "doc": {}}', '{"doc": {}, "resps": []}']
)
def test_rows_that_are_none(folder, line):
    path = next(folder.glob("samples_*"))
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(ValueError, match=r"samples_.* row 3"):
        read(path)


def test_a_first_document_longer_than_what_is_looked_at(tmp_path):
    (run,) = read(made.samples(tmp_path, "toy", [made.row(0, question="x" * 70_000), made.row(1)]))
    assert len(run.cells) == 2


def test_results_of_many_tasks_are_recognised(tmp_path):
    tasks = {f"task_{k:04}": {"acc,none": 0.5} for k in range(2000)}
    path = made.written(tmp_path, made.results(tasks))
    assert path.stat().st_size > 2**17
    assert of_lm_eval.recognises(LogFile(path, path.name).preview)


def test_nesting(tmp_path):
    deep = json.loads("[" * 300 + "]" * 300)
    (run,) = read(made.samples(tmp_path, "toy", [made.row(0, doc=deep, doc_hash=None)]))
    assert len(run.cells) == 1
    path = made.samples(tmp_path / "deep", "toy", [made.row(0), made.row(1, doc="HERE")])
    path.write_text(path.read_text().replace('"HERE"', "[" * 100_000 + "]" * 100_000))
    with pytest.raises(ValueError, match=r"row 2: .*nested too deeply"):
        of_lm_eval.runs([LogFile(path, path.name)])


@pytest.mark.parametrize("place", ["model1/hpbhprii", "."])
def test_a_drawn_name_says_how_to_give_one(tmp_path, place):
    """Where no argument names the model, lm-eval draws a name for its folder."""
    path = made.samples(tmp_path / place, "t", [made.row(0)])
    results = made.results({"t": {"acc,none": 1.0}}, "hpbhprii", config={"model": "dummy"})
    made.written(tmp_path / place, results)
    (run,) = of_lm_eval.runs([LogFile(path, str(path.relative_to(tmp_path)))])
    (note,) = [note for code, note in run.notes if code == "name"]
    assert note.startswith("lm-eval drew the name hpbhprii")
    folder = "FOLDER" if place == "." else place
    assert note.endswith(f"name the system yourself: NAME={folder}")


SIDES = {"A": "modelA", "B": "modelB"}


@pytest.fixture
def nameless(tmp_path, monkeypatch):
    """Two folders without results, so that no file names a model."""
    monkeypatch.chdir(tmp_path)
    for k, folder in enumerate(SIDES.values()):
        path = made.samples(Path("logs", folder), "x", [made.row(0), made.row(1, float(k))])
        path.rename(path.with_name("samples_x.jsonl"))
    return {name: f"logs/{folder}" for name, folder in SIDES.items()}


@pytest.mark.parametrize("suffix", [None, "", "/samples_x.jsonl"])
def test_folders_that_name_no_system_are_to_be_named(nameless, suffix):
    source = "logs" if suffix is None else [folder + suffix for folder in nameless.values()]
    line = f"name the system of each folder: pass {nameless}; if"
    with pytest.raises(ValueError, match=re.escape(line)):
        bt.read(source)
    assert in_options(line).endswith("pass A=logs/modelA B=logs/modelB; if")
    assert bt.read(nameless).sizes == {"item": 2, "system": 2}
    assert {"again", "name"} <= set(bt.audit(source).findings["code"])
    assert "name" not in set(bt.audit(nameless).findings["code"])


def test_runs_of_one_named_system_or_one_folder_are_a_choice(nameless):
    with pytest.raises(ValueError, match="A was run 2 times"):
        bt.read({"A": "logs"})
    for folder in nameless.values():
        made.written(Path(folder), made.results({"x": {"acc,none": 0.5}}), stamp="")
        Path(folder, "results_.json").rename(Path(folder, "results.json"))
    with pytest.raises(ValueError, match="org/alpha was run 2 times"):
        bt.read("logs")


@pytest.mark.parametrize("seeds", [False, True])
def test_runs_of_several_seeds_are_epochs_whose_mean_is_checked(tmp_path, seeds):
    """The mean of all runs is no number that the last log reports; seeds tell no systems apart."""
    for model, right in (("a", ([1, 0, 1], [1, 1, 1])), ("b", ([0, 0, 1], [0, 1, 0]))):
        for k, scored in enumerate(right):
            stamp = f"2026-11-2{k}T21-00-22.307630"
            rows = [made.row(item, float(score)) for item, score in enumerate(scored)]
            made.samples(tmp_path / model, "toy", rows, stamp)
            mean = {"acc,none": sum(scored) / 3}
            config = {"model": "hf", "random_seed": k, "fewshot_seed": k if seeds else 1234}
            value = made.results({"toy": mean}, model, config=config, date=1795294819.0 + k)
            made.written(tmp_path / model, value, stamp)
    logs = bt.read_logs(tmp_path, again="epochs")
    assert logs.runs["system"].tolist() == ["a", "b"]
    assert logs.runs["reported"].tolist() == [{"acc": pytest.approx(5 / 6)}, {"acc": 1 / 3}]
    assert "reported" not in str(bt.audit(logs))
    last = bt.read_logs(tmp_path, again="last").runs["system"]
    assert last.nunique() == (4 if seeds else 2)  # which are of other settings
