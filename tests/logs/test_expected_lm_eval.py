"""Samples that lm-eval wrote, read as a careful person reads them."""

import pytest

from .samples import FORMATS, cells_of, expected, files_in, needs_samples, runs_of, same_cells

pytestmark = needs_samples()
THREE = "v0.4.13_two_models_three_tasks"


def runs_in(folder):
    return runs_of("lm_eval", files_in(FORMATS / "lm_eval" / folder))


def test_cells_and_means_are_those_expected():
    wanted = expected(f"lm_eval/{THREE}")
    runs = runs_in(THREE)
    same_cells([row for run in runs for row in cells_of(run)], wanted["records"])
    assert {(run.system, run.task) for run in runs} == {
        (system, task) for system, tasks in wanted["reported"].items() for task in tasks
    }
    for run in runs:
        assert {metric.partition(",")[0] for metric in run.refused} == (
            {"word_perplexity", "bits_per_byte"} if run.task == "toy_ppl" else set()
        )
        assert set(run.higher_is_better.values()) == {run.task != "toy_ppl"}
        told = wanted["reported"][run.system][run.task]
        assert run.reported == {
            key.removesuffix(",none"): value for key, value in told.items() if run.task != "toy_ppl"
        }
        for metric, value in run.reported.items():
            scores = [c[5] for c in cells_of(run) if c[3] == metric]
            assert sum(scores) / len(scores) == pytest.approx(value, abs=1e-6)


def test_equal_documents_have_one_content_and_two_items():
    run = next(run for run in runs_in(THREE) if run.task == "toy_mc")
    content = dict(zip(run.cells.item, run.cells.content, strict=True))
    assert content["1"] == content["5"]
    assert len(set(content.values())) == 5


def acc(run):
    return [c[5] for c in cells_of(run) if c[3] == "acc"]


def test_two_runs_of_a_model_without_a_name():
    runs = [*runs_in("model_a"), *runs_in("model_b")]
    assert [run.task for run in runs] == ["toy_gen", "toy_mc"] * 2
    assert acc(runs[1]) == [1, 1, 1, 1, 1, 0]
    assert acc(runs[3]) == [0, 0, 0, 1, 1, 0]
    assert set(runs[0].cells.raw) == {0.0}
    assert len(runs[0].metrics) == 2


def test_older_layouts_and_samples_alone():
    runs = {run.files[0]: run for run in runs_in("") if len(run.files) == 1}
    old = runs["old_v0.4.0-0.4.2_pretrained__gpt2_toy_mc.jsonl"]
    middle = runs["old_v0.4.3-0.4.6_samples_toy_mc_nofilter.jsonl"]
    new = next(run for run in runs_in("model_a") if run.task == "toy_mc")
    for run in (old, middle):
        assert acc(run) == [1, 1, 1, 1, 1, 0]
        assert run.system is None
        assert run.cells.content == new.cells.content
        assert run.cells.prompt == new.cells.prompt
    assert len(runs["real_samples_math_perturbed_full.head3.jsonl"].cells) == 3
