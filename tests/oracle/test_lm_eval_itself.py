"""Records of lm-eval are what its own files are called, what its own means are, and what the
converter of Every Eval Ever reads of the same samples; and its files are what its own types read.
"""

import json
from pathlib import Path

import pytest

from tests.logs.samples import FORMATS, cells_of, files_in, needs_samples, runs_of

pytest.importorskip("lm_eval", reason="make oracle runs this")
pytest.importorskip("every_eval_ever", reason="make oracle runs this")
from every_eval_ever.converters.lm_eval.instance_level_adapter import LMEvalInstanceLevelAdapter
from every_eval_ever.eval_types import EvaluationLog
from every_eval_ever.instance_level_types import InstanceLevelEvaluationLog
from lm_eval.api.metrics import mean
from lm_eval.utils import get_file_task_name, get_results_filenames, get_sample_results_filenames

pytestmark = [pytest.mark.oracle, needs_samples()]
LM_EVAL = FORMATS / "lm_eval" / "v0.4.13_two_models_three_tasks"
FOLDERS = ("org__alpha", "org__beta")
CONVERTED = FORMATS / "every_eval_ever" / "0.3.0_from_lm_eval"


def runs_by_task(folder):
    return {run.task: run for run in runs_of("lm_eval", files_in(folder))}


@pytest.mark.parametrize("folder", FOLDERS)
def test_tasks_are_those_of_its_file_names(folder):
    names = [str(path) for path in (LM_EVAL / folder).iterdir()]
    samples = get_sample_results_filenames(names)
    assert len(get_results_filenames(names)) == 1
    assert set(runs_by_task(LM_EVAL / folder)) == {
        get_file_task_name(Path(name).name) for name in samples
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_its_mean_of_our_scores_is_what_it_reports(folder):
    compared = 0
    for run in runs_by_task(LM_EVAL / folder).values():
        by_metric = {}
        for row in cells_of(run):
            by_metric.setdefault(row[3], []).append(row[5])
        for metric, told in run.reported.items():
            if metric in by_metric and metric not in run.refused:
                assert mean(by_metric[metric]) == pytest.approx(told, abs=1e-12)
                compared += 1
    assert compared >= 4


@pytest.mark.parametrize("folder", FOLDERS)
def test_scores_are_those_of_another_reader(folder):
    compared = 0
    for task, run in runs_by_task(LM_EVAL / folder).items():
        if run.refused:
            continue  # of these it writes 0 for every document
        (path,) = (LM_EVAL / folder).glob(f"samples_{task}_*.jsonl")
        read = LMEvalInstanceLevelAdapter().transform_samples(path, "e", run.system, task)
        wanted = [(row.sample_id, row.evaluation_result_id, row.evaluation.score) for row in read]
        found = [(c[1], c[3].replace(",", ":"), c[5]) for c in cells_of(run) if c[6] == "ok"]
        assert sorted(found) == sorted(wanted)
        compared += len(found)
    assert compared >= 12


@pytest.mark.parametrize(
    "path", sorted(CONVERTED.rglob("*_samples.jsonl")), ids=lambda p: p.parent.name
)
def test_rows_of_every_eval_ever_are_what_its_types_read(path):
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [InstanceLevelEvaluationLog.model_validate(line) for line in lines]
    about = EvaluationLog.model_validate_json(
        path.with_name(path.name.replace("_samples.jsonl", ".json")).read_text("utf-8")
    )
    runs = runs_of("every_eval_ever", files_in(path.parent))
    found = [row for run in runs for row in cells_of(run)]
    assert {row[0] for row in found} == {about.model_info.id} == {one.model_id for one in rows}
    wanted = [(one.sample_id, one.evaluation_result_id, one.evaluation.score) for one in rows]
    assert sorted((row[1], row[3], row[5]) for row in found) == sorted(wanted)
    reported = {x.evaluation_result_id: x.score_details.score for x in about.evaluation_results}
    told = {metric: value for run in runs for metric, value in run.reported.items()}
    assert sorted(told.values()) == pytest.approx(sorted(reported.values()), abs=1e-12)
