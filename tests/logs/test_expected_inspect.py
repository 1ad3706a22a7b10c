"""Logs that Inspect wrote, read as a careful person reads them."""

import pytest

from .samples import FORMATS, cells_of, expected, files_in, needs_samples, runs_of, same_cells

pytestmark = needs_samples()
FOLDERS = (
    "basic_0.3.285",
    "epochs_errors_0.3.285",
    "multi_scorers_nan_limit_0.3.285",
    "failed_logs_0.3.285",
    "multi_frame_member",
    "died_no_header",
)
STATES = {"success": "done", "error": "failed", "started": "died"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_cells_are_those_expected(folder):
    wanted = expected(f"inspect/{folder}")
    runs = runs_of("inspect", files_in(FORMATS / "inspect" / folder))
    same_cells([row for run in runs for row in cells_of(run)], wanted["records"])
    for run in runs:
        log = wanted["logs"][run.files[0]]
        assert run.system == log["model"]
        assert run.state == STATES[log["status"]]
        never = [one for one in run.declared if one not in run.cells.item]
        assert never == log["never_run"]
        for told in log["reported"]:
            single = told["name"] == told["scorer"]
            metric = told["scorer"] if single else f"{told['scorer']}/{told['name']}"
            value = told.get("accuracy", told.get("mean"))
            reducer = told["reducer"] or "mean"
            found = run.reported if reducer == "mean" else run.reduced[reducer]
            assert found[metric] == pytest.approx(value, abs=1e-6)
            if reducer == "mean":
                assert mean_of_items(run, metric) == pytest.approx(found[metric], abs=1e-6)


def mean_of_items(run, metric):
    """Inspect's own rule: the mean over items of the mean over the runs that ended well."""
    items = {}
    for _, item, _, of, _, score, status in cells_of(run):
        if of == metric and status == "ok":
            items.setdefault(item, []).append(score)
    return sum(sum(x) / len(x) for x in items.values()) / len(items)


def one(name):
    folder = FORMATS / "inspect"
    return runs_of("inspect", [f for f in files_in(folder) if f.name == name])[0]


def scores(run, metric):
    return {(c[1], c[4]): (c[5], c[6]) for c in cells_of(run) if c[3] == metric}


def test_two_epochs_and_a_score_of_two():
    a = one("2026-11-20T21-54-07-00-00_toy_G8Rn33WNixTB2rn3FG5EHt.eval")
    b = one("2026-11-20T21-54-08-00-00_toy_R3zBQTECjuiUXUdKYaVZf2.eval")
    right = {
        (run.system, item, epoch)
        for run in (a, b)
        for (item, epoch), (score, _) in scores(run, "match").items()
        if score == 1
    }
    assert right == {("mockllm/a", "q0", 1), ("mockllm/b", "q3", 2)}
    assert a.metrics == ["match", "dictscore/fluency", "dictscore/ok"]
    assert {s for s, _ in scores(a, "dictscore/fluency").values()} == {3.0}
    assert a.reduced["pass_at_1"]["match"] == 0.125


def test_unscored_partial_no_answer_and_error():
    run = one("errors_unscored_partial.eval")
    wanted = {"q0": (1, "ok"), "q1": (None, "unscored"), "q2": (0.5, "ok")}
    wanted |= {"q3": (0, "ok"), "q4": (None, "error")}
    assert scores(run, "s") == {(item, 1): cell for item, cell in wanted.items()}
    assert "RuntimeError('boom')" in run.why
    assert [code for code, _ in run.notes] == ["unanswered"]


def test_old_logs():
    popular = one("old_0.3.6x_deflate_popularity.eval")
    assert (len(popular.cells), popular.metrics) == (10, [])
    older = one("old_2024-10_log_formats.json")
    assert scores(older, "match") == {("1", 1): (0.0, "ok")}
    assert older.reported == {"match": 0.0}
    # the same question in both, written by two versions in two formats
    assert older.cells.content[0] == popular.cells.content[popular.cells.item.index("1")]
    assert older.cells.prompt[0] == popular.cells.prompt[popular.cells.item.index("1")]


def test_content_tells_items_and_prompts_apart():
    runs = runs_of("inspect", files_in(FORMATS / "inspect" / "multi_scorers_nan_limit_0.3.285"))
    alpha, beta = (dict(zip(r.cells.item, r.cells.content, strict=True)) for r in runs)
    assert all(alpha[item] == beta[item] for item in beta)
    assert len(set(alpha.values())) == 6
    prompts = [dict(zip(r.cells.item, r.cells.prompt, strict=True)) for r in runs]
    assert all(prompts[0][item] != prompts[1][item] for item in beta)
    assert runs[0].config["system_message.template"] == "Be brief"
