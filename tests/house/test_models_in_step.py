"""A model is a source file, a folder of evidence, a test file and a line in the docs: never one
alone.
"""

import ast
import inspect
import json
from importlib import import_module
from pathlib import Path

import pytest

from validation.computed import computes
from validation.in_step import what_differs

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "betterthan" / "models"


def is_model(path):
    tree = ast.parse(path.read_text("utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return {"build", "fit"} <= defined


FILES = {path.stem for path in SOURCE.glob("*.py")}
MODELS = sorted(path.stem for path in SOURCE.glob("*.py") if is_model(path))


def test_there_are_models():
    assert len(MODELS) >= 3


def test_every_model_has_a_folder_and_every_folder_a_model():
    assert sorted(p.name for p in (ROOT / "models").iterdir() if p.is_dir()) == MODELS


def test_every_model_has_a_test_and_every_test_a_source():
    tests = {p.stem.removeprefix("test_") for p in (ROOT / "tests" / "models").glob("test_*.py")}
    assert set(MODELS) <= tests <= FILES


def test_every_model_is_behind_the_door():
    import betterthan as bt

    assert set(MODELS) <= set(dir(bt.models))


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_the_same_functions(name):
    module = import_module(f"betterthan.models.{name}")
    public = {
        k
        for k, v in vars(module).items()
        if inspect.isfunction(v) and v.__module__ == module.__name__ and not k.startswith("_")
    }
    card = (ROOT / "models" / name / "card.md").read_text("utf-8")
    closed = set() if "**Closed form.** None" in card else {"closed_form"}
    assert public == {"simulate", "build", "fit", "describe"} | closed


@pytest.mark.parametrize("name", MODELS)
def test_folder_is_complete(name):
    found = {p.name for p in (ROOT / "models" / name).iterdir()}
    assert found == {"card.md", "evidence.json", "reference.toml", "ranks.png", "graph.svg"}


@pytest.mark.parametrize("name", MODELS)
def test_evidence_is_of_what_the_model_computes(name):
    evidence = json.loads((ROOT / "models" / name / "evidence.json").read_text("utf-8"))
    differs = what_differs(evidence["computes"], computes(name))
    assert not differs, f"{differs}; if it should, run: python -m validation.models {name}"


@pytest.mark.parametrize("name", MODELS)
def test_docs_list_the_card(name):
    assert name in (ROOT / "docs" / "reference" / "models.md").read_text("utf-8")
