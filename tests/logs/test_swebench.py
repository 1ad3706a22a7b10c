"""Results of SWE-bench."""

import json

import pytest

from betterthan.logs import of_swebench

from .samples import FORMATS, cells_of, files_in, needs_samples

A, B, C, D, E = (f"{owner}__{owner}-1" for owner in "abcde")
REPORT = {
    "total_instances": 5,
    "resolved_instances": 1,
    "submitted_ids": [A, B, C, D],
    "resolved_ids": [A],
    "unresolved_ids": [B],
    "empty_patch_ids": [C],
    "error_ids": [D],
    "incomplete_ids": [E],
    "schema_version": 2,
}


def write(folder, **files):
    for name, value in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return folder


def read(folder, **options):
    files = files_in(folder)
    assert all(of_swebench.recognises(file.preview) for file in files)
    return of_swebench.runs(files, **options)


def scores(run):
    return {c[1]: (c[5], c[6]) for c in cells_of(run)}


def test_a_report(tmp_path):
    (run,) = read(write(tmp_path, model=REPORT))
    wanted = {A: (1.0, "ok"), B: (0.0, "ok"), C: (0.0, "ok"), D: (None, "error")}
    assert scores(run) == wanted
    assert run.declared == [A, B, C, D, E]
    assert (run.reported, run.rule) == ({"resolved": 0.2}, "mean_of_declared")
    assert run.notes == [("unanswered", "empty patches, counted as 0: 1 in model.json")]


def test_failures_that_say_nothing_of_the_patch_are_errors(tmp_path):
    more = {"unresolved_ids": [B, E], "infra_failure_ids": [B], "ambiguous_failure_ids": [E]}
    (run,) = read(write(tmp_path, model=REPORT | more))
    assert scores(run)[B] == scores(run)[E] == (None, "error")


def test_results_need_the_items(tmp_path):
    results = {"resolved": [A], "no_generation": [B], "no_logs": [C]}
    write(tmp_path, sub__results=results)
    with pytest.raises(ValueError, match=r"results\.json: .* pass items="):
        read(tmp_path)
    (run,) = read(tmp_path, items=[A, B, C, D])
    wanted = {A: (1.0, "ok"), B: (0.0, "ok"), C: (None, "error"), D: (0.0, "ok")}
    assert scores(run) == wanted
    assert run.system == "sub"
    (run,) = read(tmp_path, items=[B, C, D])
    assert run.notes == [("unmatched", f"sub/results.json has 1 id outside items: {A!r}")]


@pytest.mark.parametrize("log", [{"resolved": [A], "no_generation": []}, REPORT])
def test_items_of_another_data_set_are_refused(tmp_path, log):
    write(tmp_path, sub__results=log)
    with pytest.raises(ValueError, match=r"and no id of items .'other-1', "):
        read(tmp_path, items=["other-1", "other-2"])


def test_another_file_gives_the_items(tmp_path):
    results = {"resolved": [A], "no_generation": []}
    report, found = read(write(tmp_path, model=REPORT, sub__results=results))
    assert scores(found) == {A: (1.0, "ok")} | dict.fromkeys((B, C, D, E), (0.0, "ok"))
    assert len(report.cells) == 4


@pytest.mark.parametrize("resolved", [5, -1, 1, 0.0, "0", "true", [], {}])
def test_resolved_is_true_or_false(tmp_path, resolved):
    write(tmp_path, details={A: {"resolved": True}, B: {"resolved": resolved}})
    said = r"^details\.json, row 2, column 'resolved', value .*: is neither true nor false"
    with pytest.raises(ValueError, match=said):
        read(tmp_path)


def test_details_with_the_results_of_their_folder(tmp_path):
    details = {A: {"resolved": True, "cost": 1.0}, B: {"resolved": False}, C: {"resolved": None}}
    results = {"resolved": [A, B], "no_generation": [], "no_logs": []}
    write(tmp_path, sub__results__per_instance_details=details, sub__results__results=results)
    (run,) = read(tmp_path)
    assert scores(run) == {A: (1.0, "ok"), B: (0.0, "ok"), C: (None, "unscored")}
    assert run.system == "sub"
    assert run.reported == {"resolved": pytest.approx(2 / 3)}  # which the details do not give


def test_reports_of_one_instance_are_one_run(tmp_path):
    for item, resolved in ((A, True), (B, False)):
        folder = tmp_path / "gpt" / item
        folder.mkdir(parents=True)
        told = {item: {"patch_is_None": False, "resolved": resolved, "tests_status": {}}}
        (folder / "report.json").write_text(json.dumps(told))
    (run,) = read(tmp_path)
    assert run.system == "gpt"
    assert scores(run) == {A: (1.0, "ok"), B: (0.0, "ok")}
    assert run.cells.file == [0, 1]


@needs_samples()
def test_samples():
    files = {file.name: file for file in files_in(FORMATS / "swebench")}
    (report,) = of_swebench.runs([files["harness_report_v2__model.run_id.json"]])
    wanted = {"a__a-1": 1, "a__a-2": 0, "b__b-1": 0, "b__b-2": 0}
    assert {k: v for k, (v, _) in scores(report).items()} == wanted
    assert set(report.declared) - set(wanted) == {"b__b-3"}
    (details,) = of_swebench.runs([files["format_B_per_instance_details.json"]])
    assert [v for v, _ in scores(details).values()] == [1, 0]
    with pytest.raises(ValueError, match="items="):
        of_swebench.runs([files["format_A_results.json"]])
