"""Workflows: a job that may sign or publish builds nothing, and actions are pinned by commit."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
USES = re.compile(r"uses: (\S+)@(\S+)(?: # (\S+))?")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_job_that_has_an_identity_runs_no_code_of_ours_or_of_dependencies(path):
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        rights = job.get("permissions", {})
        if "write" in rights.values():
            uses = [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]
            runs = [step["run"] for step in job["steps"] if "run" in step]
            assert "actions/checkout" not in uses, name
            assert all(re.match(r"pipx run --spec uv==[\d.]+ uv publish ", run) for run in runs)


def test_an_action_is_pinned_by_commit_or_listed_as_not_verified():
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    pins = {}
    for path in WORKFLOWS:
        for action, pin, tag in USES.findall(path.read_text("utf-8")):
            pins.setdefault(action, set()).add((pin, tag))
    for action, versions in pins.items():
        ((pin, tag),) = versions
        if re.fullmatch(r"[0-9a-f]{40}", pin):
            assert re.fullmatch(r"v\d+\.\d+\.\d+", tag), action
        else:
            assert f"`{action}@{pin}`" in contributing, action


def test_tools_of_a_release_have_exact_versions():
    lines = (ROOT / ".ci" / "release.txt").read_text("utf-8").splitlines()
    tools = [line for line in lines if line and not line.startswith("#")]
    assert len(tools) > 20
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in tools)
    script = (ROOT / ".ci" / "build").read_text("utf-8")
    assert "--no-isolation" in script  # else the newest build backend
    assert 'cyclonedx-py" environment' in script
