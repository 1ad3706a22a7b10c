"""The folder is what you type: every name stands in one namespace, documented, and opens."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import betterthan as bt

SOURCE = Path(bt.__file__).parent
NAMESPACES = sorted(
    [
        "counts",
        "datasets",
        "features",
        "fits",
        "io",
        "judged",
        "labels",
        "logs",
        "models",
        "orders",
        "people",
        "plan",
        "plot",
        "posterior",
        "runs",
        "scores",
        "significance",
    ]
)
MAIN_ROAD = sorted(
    [
        "read",
        "read_logs",
        "audit",
        "count",
        "compare",
        "report",
        "load",
        "advise",
        "gate",
        "signature",
        "prob_better",
        "difference",
        "prob_equivalent",
        "sign_test",
        "randomization_test",
    ]
)


def door(name):
    return bt if not name else getattr(bt, name)


def folder(name):
    return SOURCE / name


def test_at_bt_stand_the_main_road_and_the_namespaces():
    assert sorted(bt.__all__) == sorted(MAIN_ROAD + NAMESPACES)


@pytest.mark.parametrize("name", ["", *NAMESPACES])
def test_dir_shows_what_is_public(name):
    assert sorted(n for n in dir(door(name)) if not n.startswith("_")) == sorted(door(name).__all__)
    assert len(set(door(name).__all__)) == len(door(name).__all__)
    assert door(name).__doc__


@pytest.mark.parametrize("name", ["", *NAMESPACES])
def test_stub_and_all_agree(name):
    tree = ast.parse((folder(name) / "__init__.pyi").read_text())
    imported = {
        alias.asname
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == set(door(name).__all__)


@pytest.mark.parametrize("name", [n for n in NAMESPACES if n != "models"])
def test_no_module_shares_the_name_of_a_public_function_of_its_package(name):
    modules = {p.stem for p in folder(name).glob("*.py")}
    assert not modules & set(door(name).__all__)


def test_models_are_the_files_with_build_and_fit_and_one_record_of_how_to_sample():
    models = {n for n in bt.models.__all__ if inspect.ismodule(getattr(bt.models, n))}
    assert len(models) == 13
    assert set(bt.models.__all__) == models | {"Sampling"}
    for name in models:
        defaults = inspect.signature(getattr(bt.models, name).fit).parameters
        assert defaults["sampling"].default == bt.models.Sampling()
        assert not {"draws", "tune", "chains", "target_accept"} & set(defaults)


def test_no_room_shares_the_name_of_a_function_at_bt():
    rooms = {p.stem if p.is_file() else p.name for p in SOURCE.iterdir()}
    assert not rooms & set(MAIN_ROAD)


def test_what_is_typed_lives_there():
    for name in NAMESPACES:
        for public in door(name).__all__:
            thing = getattr(door(name), public)
            if inspect.isfunction(thing) and public not in ELSEWHERE:
                assert thing.__module__.startswith(f"betterthan.{name}."), (
                    f"bt.{name}.{public} is in {thing.__module__}"
                )
                assert thing.__name__ == public


# of posterior, where the gate of every fit stands; they take a fit
ELSEWHERE = {"diagnose", "summary"}


@pytest.mark.parametrize("name", ["", *NAMESPACES])
def test_public_functions_tell_parameters_returns_and_an_example(name):
    for public in door(name).__all__:
        thing = getattr(door(name), public)
        if not inspect.isfunction(thing):
            continue
        for section in ("Parameters\n", "Returns\n", "Examples\n"):
            assert section in thing.__doc__ or (
                section == "Parameters\n" and not inspect.signature(thing).parameters
            ), public


def test_everything_opens_at_once():
    names = [f"bt.{n}" for n in ("", *NAMESPACES)]
    doors = ", ".join(["bt", *names[1:]])
    code = f"import betterthan as bt; [getattr(d, n) for d in [{doors}] for n in d.__all__]"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"EAGER_IMPORT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_type_checkers_are_told_that_there_are_types():
    assert (SOURCE / "py.typed").is_file()
