"""Records are what Inspect itself reads of a log: `read_eval_log` and `samples_df`."""

import json
import math

import pytest

import betterthan as bt
from betterthan.auditing.run_checks import reduced
from tests.logs.samples import FORMATS, cells_of, files_in, needs_samples, runs_of, same_cells

pytest.importorskip("inspect_ai", reason="make oracle runs this")
from inspect_ai.analysis import samples_df
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import value_to_float

pytestmark = pytest.mark.oracle
FOLDER = FORMATS / "inspect"
REDUCERS = ("at_least_2", "max", "mode", "median", "pass_at_2", "pass_k_2")
as_number = value_to_float()


def logs_of(folder):
    """The logs in a folder of samples, not those that are parts of one."""
    found = [f for f in files_in(folder) if f.path.suffix == ".eval" or "log_formats" in f.name]
    return {file.name: file for file in found}


NAMES = list(logs_of(FOLDER)) if FOLDER.is_dir() else []


def values_of(scores):
    """The values by metric; those of a score of several are ``scorer/key``."""
    found = {}
    for name, value in scores.items():
        keyed = {f"{name}/{key}": one for key, one in value.items()} if type(value) is dict else {}
        found |= keyed or {name: value}
    return found


def status_of(value, failed):
    nothing = value is None or (isinstance(value, float) and math.isnan(value))
    return "error" if failed else "unscored" if nothing else "ok"


def rows(system, task, samples):
    """Rows as of `cells_of`, of (item, epoch, values by metric, whether it failed)."""
    metrics = list(dict.fromkeys(metric for *_, values, _ in samples for metric in values))
    for item, epoch, values, failed in samples:
        for metric in metrics:
            value = values.get(metric)
            status = status_of(value, failed)
            score = as_number(value) if status == "ok" else None
            yield system, str(item), task, metric, epoch, score, status


def declared(log):
    return {scorer.name: None for scorer in log.eval.scorers or []}


def of_log(log):
    samples = []
    for sample in log.samples or []:
        values = values_of({name: one.value for name, one in (sample.scores or {}).items()})
        samples.append((sample.id, sample.epoch, values, sample.error is not None))
    if not any(values for *_, values, _ in samples) and any(failed for *_, failed in samples):
        samples = [(item, epoch, declared(log), failed) for item, epoch, _, failed in samples]
    return rows(log.eval.model, log.eval.task, samples)


def of_frame(frame, log):
    names = [name for name in frame.columns if name.startswith("score_")]
    samples = []
    for row in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        told = {name.removeprefix("score_"): opened(row[name]) for name in names}
        values = values_of({name: value for name, value in told.items() if value is not None})
        failed = bool(row["error"])
        samples.append((row["id"], row["epoch"], values, failed))
    if not any(values for *_, values, _ in samples) and any(failed for *_, failed in samples):
        samples = [(item, epoch, declared(log), failed) for item, epoch, _, failed in samples]
    return rows(log.eval.model, log.eval.task, samples)


def opened(value):
    """A score as the frame holds it: a text, or JSON of several."""
    if isinstance(value, str):
        return json.loads(value) if value.startswith("{") else value
    return value


def check(run, log):
    same_cells(list(cells_of(run)), list(of_log(log)))
    states = {"success": "done", "error": "failed", "started": "died"}
    assert run.state == states[log.status]
    for score in log.results.scores if log.results else []:
        told = score.metrics.get("accuracy") or score.metrics.get("mean")
        metric = score.name if score.name in run.metrics else f"{score.scorer}/{score.name}"
        if told is None or metric not in run.metrics:
            continue
        reducer = score.reducer or "mean"
        found = run.reported if reducer == "mean" else run.reduced[reducer]
        assert found[metric] == pytest.approx(told.value, abs=1e-12)


@needs_samples()
@pytest.mark.parametrize("name", NAMES)
def test_records_are_those_of_read_eval_log(name):
    file = logs_of(FOLDER)[name]
    log = read_eval_log(str(file.path))
    (run,) = runs_of("inspect", [file])
    check(run, log)


@needs_samples()
@pytest.mark.parametrize("name", NAMES)
def test_records_are_those_of_samples_df(name):
    file = logs_of(FOLDER)[name]
    frame = samples_df(str(file.path))
    if frame.empty:
        pytest.skip(
            "samples_df gives no row of a log of 2024; test_records_are_those_of_read_eval_log "
            "checks it"
        )
    (run,) = runs_of("inspect", [file])
    wanted = list(of_frame(frame, read_eval_log(str(file.path), header_only=True)))
    same_cells(list(cells_of(run)), wanted)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Logs that Inspect writes here: two epochs, two scorers, two reducers, errors, long inputs."""
    from inspect_ai import Epochs, Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score, accuracy, includes, mean, scorer
    from inspect_ai.solver import solver

    @scorer(metrics={"a": [mean()], "b": [mean()]})
    def both():
        async def score(state, target):
            n = float(len(state.input_text) % 3)
            return Score(value={"a": n / 2, "b": 1 if n else 0})

        return score

    @scorer(metrics=[accuracy()])
    def graded():
        grades = ["C", "P", "I", "N", float("nan")]

        async def score(state, target):
            return Score(value=grades[int(str(state.sample_id)[-1]) % len(grades)])

        return score

    @solver
    def answering():
        async def solve(state, generate):
            if state.sample_id == "q3" and state.epoch == 2:
                raise ValueError("boom")
            state.output = ModelOutput.from_content("mock", f"output {state.epoch}")
            return state

        return solve

    samples = [
        Sample(id=f"q{k}", input=f"What is {k}? {'x' * 3000 * k}", target=f"output {k % 3 + 1}")
        for k in range(6)
    ]
    samples.append(Sample(id=7, input="[]", target="no", choices=["a", "b"]))
    folder = tmp_path_factory.mktemp("made")
    for kind in ("eval", "json"):
        task = Task(
            dataset=samples,
            solver=answering(),
            scorer=[includes(), both(), graded()],
            epochs=Epochs(3, ["mean", *REDUCERS]),
            name="toy",
        )
        for model in ("mockllm/a", "mockllm/b"):
            eval(
                task,
                model=model,
                log_dir=str(folder / kind),
                log_format=kind,
                fail_on_error=False,
                display="none",
            )
    return folder


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_logs_written_now_are_read_as_inspect_reads_them(made, kind):
    files = files_in(made / kind)
    runs = runs_of("inspect", files)
    assert len(runs) == 2
    for file, run in zip(files, runs, strict=True):
        log = read_eval_log(str(file.path))
        check(run, log)
        assert sum(run.cells.failed) == 1
    # what was asked is told apart, also where a summary cuts it
    assert len(set(runs[0].cells.content)) == 7
    assert runs[0].cells.content == runs[1].cells.content


@pytest.mark.parametrize("kind", ["eval", "json"])
def test_what_each_reducer_reports_is_what_its_items_give(made, kind):
    logs = bt.read_logs(made / kind)
    numbers = 0
    for k, run in logs.runs.iterrows():
        assert set(run["reduced"]) == set(REDUCERS)
        for name, told in run["reduced"].items():
            for metric, value in told.items():
                own = logs.records[(logs.records["run"] == k) & (logs.records["metric"] == metric)]
                if not (name == "mode" and metric == "graded"):  # I and N are two values there
                    assert reduced(own, name) == pytest.approx(value, abs=1e-12)
                    numbers += 1
    assert numbers == 2 * (4 * len(REDUCERS) - 1)
    found = bt.audit(logs).findings
    assert "warn" not in set(found.loc[found["code"] == "reported", "level"])


def test_both_ways_to_write_a_log_are_one(made):
    eval_, json_ = (runs_of("inspect", files_in(made / kind))[0] for kind in ("eval", "json"))
    same_cells(list(cells_of(eval_)), list(cells_of(json_)))
    of = [dict(zip(run.cells.item, run.cells.content, strict=True)) for run in (eval_, json_)]
    assert of[0] == of[1]
