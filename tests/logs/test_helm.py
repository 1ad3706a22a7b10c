"""Runs of HELM."""

import json

import pytest

from betterthan.logs import of_helm
from betterthan.logs.sniffing import LogFile

from .samples import FORMATS, cells_of, files_in, needs_samples


def stat(name, mean=1.0, split="test", count=1, perturbation=None):
    named = {"name": name, "split": split}
    if perturbation:
        named["perturbation"] = {"name": perturbation}
    return {"name": named, "count": count, "sum": mean, "mean": mean}


def instance(id, *stats, trial=0, **more):
    return {"instance_id": id, "train_trial_index": trial, "stats": list(stats), **more}


SPEC = {
    "name": "mmlu:subject=philosophy,method=joint,model=openai_gpt2",
    "scenario_spec": {"class_name": "x"},
    "adapter_spec": {"model": "openai/gpt2", "max_train_instances": 5, "temperature": 0.0},
}


def write(folder, instances, spec=SPEC, stats=None):
    folder.mkdir(exist_ok=True)
    names = {"per_instance_stats": instances, "run_spec": spec, "stats": stats}
    for name, value in names.items():
        if value is not None:
            (folder / f"{name}.json").write_text(json.dumps(value, indent=1))
    return folder


def read(folder):
    files = files_in(folder)
    assert all(of_helm.recognises(file.preview) for file in files)
    return of_helm.runs(files)


def scores(run):
    return [(c[1], c[3], c[4], c[5], c[6]) for c in cells_of(run)]


def test_scores_by_instance(tmp_path):
    rows = [
        instance("id1", stat("em"), stat("num_prompt_tokens", 300)),
        instance("id1", stat("em", 0.0), trial=1),
        instance("id2", stat("em", None, count=0)),
    ]
    (run,) = read(write(tmp_path, rows, stats=[stat("em", 0.5), stat("em", 0.9, "valid")]))
    assert scores(run) == [
        ("id1", "em", 1, 1.0, "ok"),
        ("id1", "em", 2, 0.0, "ok"),
        ("id2", "em", 1, None, "unscored"),
    ]
    assert (run.system, run.task) == ("openai/gpt2", "mmlu:subject=philosophy,method=joint")
    assert run.config["max_train_instances"] == 5
    assert run.reported == {"em": 0.5}


def test_of_two_splits_test_is_taken(tmp_path):
    rows = [instance("id1", stat("em", split="valid")), instance("id2", stat("em"))]
    (run,) = read(write(tmp_path, rows))
    assert run.cells.item == ["id2"]
    assert run.notes[0][0] == "split"
    (run,) = read(write(tmp_path, rows[:1]))
    assert run.cells.item == ["id1"]
    assert run.notes == []


def test_perturbed_instances_are_items_of_a_cluster(tmp_path):
    rows = [
        instance("id1", stat("em")),
        instance("id1", stat("em", 0.0, perturbation="typos"), perturbation={"name": "typos"}),
    ]
    (run,) = read(write(tmp_path, rows, stats=[stat("em", 1.0)]))
    assert run.cells.item == ["id1", "id1 (typos)"]
    assert run.cells.cluster == ["id1", "id1"]
    assert run.reported == {}


def test_the_files_beside_are_found(tmp_path):
    folder = write(tmp_path, [instance("id1", stat("em"))], stats=[stat("em", 1.0)])
    (run,) = of_helm.runs(
        [LogFile(folder / "per_instance_stats.json", "x/per_instance_stats.json")]
    )
    assert (run.system, run.reported) == ("openai/gpt2", {"em": 1.0})
    assert run.files == ["x/per_instance_stats.json", "x/run_spec.json", "x/stats.json"]


def test_no_specification_is_no_name(tmp_path):
    (run,) = read(write(tmp_path, [instance("id1", stat("em"))], spec=None))
    assert run.system is None
    assert run.notes[0][0] == "name"


def test_nothing_of_instances(tmp_path):
    with pytest.raises(ValueError, match=r"run_spec\.json: .*per_instance_stats"):
        read(write(tmp_path, None))


@pytest.mark.parametrize("row", [1, {"train_trial_index": 0}])
def test_rows_that_are_none(tmp_path, row):
    with pytest.raises(ValueError, match="row 2: has no instance_id"):
        read(write(tmp_path, [instance("id1", stat("em")), row]))


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (
            instance("id2", stat("em"), trial="1"),
            "column 'train_trial_index', value '1': is no whole",
        ),
        (
            instance("id2", stat("em", "0.5")),
            "column 'em', value '0.5': is no mean; one is a number",
        ),
    ],
)
def test_a_trial_or_a_mean_of_another_kind(tmp_path, second, said):
    with pytest.raises(ValueError, match=rf"per_instance_stats\.json, row 2, {said}"):
        read(write(tmp_path, [instance("id1", stat("em")), second]))


@needs_samples()
def test_sample():
    (run,) = read(FORMATS / "helm")
    assert [one[:4] for one in scores(run) if one[1] == "exact_match"] == [
        (item, "exact_match", 1, 0.0) for item in ("id147", "id65", "id344")
    ]
    assert "(valid 1)" in run.notes[0][1]
    assert run.system == "openai/gpt2"
