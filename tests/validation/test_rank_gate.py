"""The gate of ranks stops a posterior that is too narrow, and lets a right one pass."""

import json
from pathlib import Path

import numpy as np
import pytest

from validation import models, rank_gate
from validation.decisions import of_gates, stored
from validation.decisions.of_gates import Gate
from validation.roster import ROSTER

EVIDENCE = sorted((Path(__file__).parents[2] / "models").glob("*/evidence.json"))


def of_parameters(gate, width, seed):
    ranks = gate.ranks(width, 1, np.random.default_rng(seed))[0]
    return {f"p{k}": ranks[:, k] for k in range(gate.quantities)}


def test_a_right_posterior_passes_and_one_too_narrow_or_off_to_a_side_does_not():
    gate = Gate(500, 4, 0.3)
    right = of_parameters(gate, 1.0, 1)
    found = rank_gate.level(right, 100)
    assert found.passed
    assert (found.simulations, found.quantities) == (500, 4)
    assert found.correlation == pytest.approx(0.3, abs=0.1)
    assert not rank_gate.level(of_parameters(gate, 0.9, 1), 100).passed
    assert not rank_gate.level(of_parameters(gate, 1.15, 1), 100).passed
    aside = {k: np.clip(v + 6, 0, 99) for k, v in right.items()}
    assert not rank_gate.level(aside, 100).passed


def test_quantities_that_go_together_have_wider_limits():
    def limit(rho):
        alike = np.where(np.eye(5, dtype=bool), 1.0, rho)
        return rank_gate.limit(alike, 200, 100)

    assert limit(0.0) < limit(0.5) < limit(0.99)
    # five copies of one quantity say as much as one, in errors that are sqrt(5) too small
    assert limit(0.999) == pytest.approx(np.sqrt(5) * rank_gate.limit(np.eye(1), 200, 100), rel=0.1)


def test_distances_are_those_of_the_distribution_functions():
    ranks = np.array([0, 0, 0, 0, 1, 2, 3, 3, 3, 3] * 8)
    errors = np.array([(0.4 - 0.25), (0.5 - 0.5), (0.6 - 0.75)]) / np.sqrt(
        np.array([0.25, 0.5, 0.75]) * np.array([0.75, 0.5, 0.25]) / 80
    )
    folded = (0.2 - 0.5) / np.sqrt(0.25 / 80)  # a fifth in the middle half
    assert rank_gate.largest(ranks[:, None], 4) == pytest.approx(
        max(np.abs(errors).max(), abs(folded))
    )


def test_the_number_of_simulations_is_that_of_the_published_power():
    """Every number the gate asks for is a cell, in which a posterior too narrow fails often
    enough.
    """
    found = stored.table("gates")
    for quantities, simulations in rank_gate.SIMULATIONS.items():
        cell = found[found["cell"].str.startswith(f"{simulations} simulations of {quantities} ")]
        row = cell[(cell["answer"] == of_gates.GATE) & (cell["says"] == "10 % too narrow fails")]
        assert len(row) == 1
        assert row["actual"].item() >= rank_gate.POWER
        right = cell[(cell["answer"] == of_gates.GATE) & (cell["says"] != "10 % too narrow fails")]
        assert abs(right["actual"].item() - rank_gate.LEVEL) < 4 * right["error"].item()


def test_before_there_was_a_gate_a_posterior_too_narrow_passed():
    found = stored.table("gates")
    row = found[
        (found["cell"] == "200 simulations of 5 quantities, correlation 0.3")
        & (found["answer"] == of_gates.BEFORE)
        & (found["says"] == "10 % too narrow fails")
    ]
    assert row["actual"].item() < 0.1


@pytest.mark.parametrize("row", ROSTER, ids=lambda row: row.name)
def test_as_many_simulations_as_the_gate_needs_unless_told(row):
    for form in row.forms:
        quantities = len(form.scalars(form.simulate(1, 0)[0]))
        assert row.simulations(form) >= rank_gate.needed(quantities) >= 500


@pytest.mark.parametrize("row", [r for r in ROSTER if r.larger], ids=lambda row: row.name)
def test_larger_designs_can_be_ranked(row):
    truth, other = row.larger.simulate(2, 3)
    assert len(row.larger.scalars(truth)) >= 3
    given, small = row.larger.data(truth), row.forms[0].data(row.forms[0].simulate(1, 3)[0])
    assert set(given) == set(small)
    assert {k: np.shape(v) for k, v in row.larger.data(other).items()} == {
        k: np.shape(v) for k, v in given.items()
    }
    # more systems, data sets or examples of a cluster
    assert sum(np.size(v) for v in given.values()) > sum(np.size(v) for v in small.values()) or (
        sum(np.sum(v) for v in given.values()) > sum(np.sum(v) for v in small.values())
    )


def test_the_evidence_of_every_model_passes_the_gate():
    assert {path.parent.name for path in EVIDENCE} == {row.name for row in ROSTER}
    for path in EVIDENCE:
        found = json.loads(path.read_text("utf-8"))
        tables = [found["calibration"]]
        others = [v for v in found.values() if isinstance(v, dict)]
        tables += [v["calibration"] for v in others if "calibration" in v]
        for table in tables:
            pooled = table["pooled"]
            assert pooled["largest"] <= pooled["limit"], (found["model"], pooled)


@pytest.fixture
def folder(tmp_path):
    """Of a model whose evidence is that of today."""
    of = tmp_path / "davidson"
    of.mkdir()
    for name in ("reference.toml", "evidence.json"):
        (of / name).write_bytes((EVIDENCE[0].parents[1] / "davidson" / name).read_bytes())
    return of


def test_a_larger_design_is_added_to_evidence_of_the_same_model_alone(folder, monkeypatch, capsys):
    before = json.loads((folder / "evidence.json").read_text("utf-8"))
    monkeypatch.setattr(models, "computes", lambda name: before["computes"])
    monkeypatch.setattr(models, "calibrated", lambda row, form, run: [form.name, run.simulations])
    found = models.with_larger("davidson", folder, simulations=7, seed=1)
    assert found == before | {"larger": ["larger", 7]}
    changed = before["computes"] | {"sampler": {}}
    monkeypatch.setattr(models, "computes", lambda name: changed)
    assert models.main(["davidson", "--output", str(folder.parent), "--larger"]) == 2
    assert "validate davidson as a whole first" in capsys.readouterr().err
    assert json.loads((folder / "evidence.json").read_text("utf-8")) == before


def test_ranks_anew_leave_all_else_as_it_was(folder, monkeypatch):
    before = json.loads((folder / "evidence.json").read_text("utf-8"))
    monkeypatch.setattr(models, "computes", lambda name: before["computes"])
    told = before["calibration"] | {"simulations": 7}
    monkeypatch.setattr(
        models, "calibrated", lambda row, form, run: {"calibration": told, "form": form.name}
    )
    found = models.with_ranks("davidson", folder, simulations=7, seed=1)
    assert found["calibration"] == told
    assert found["rao_kupper"]["form"] == "rao_kupper"
    anew = {"calibration", "rao_kupper", "form"}
    assert {k: v for k, v in found.items() if k not in anew} == {
        k: v for k, v in before.items() if k not in anew
    }
    assert (folder / "ranks.png").is_file()
    monkeypatch.setattr(models, "computes", lambda name: before["computes"] | {"sampler": {}})
    with pytest.raises(ValueError, match="validate davidson as a whole first"):
        models.with_ranks("davidson", folder, simulations=7, seed=1)


def test_a_model_without_a_larger_design_says_so(tmp_path, capsys):
    of = tmp_path / "mallows"
    of.mkdir()
    (of / "reference.toml").touch()
    assert models.main(["mallows", "--output", str(tmp_path), "--larger"]) == 0
    assert "mallows: has no larger design" in capsys.readouterr().out
    assert [p.name for p in of.iterdir()] == ["reference.toml"]
