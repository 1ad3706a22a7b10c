"""The door names everything public once, and opens."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import betterthan as bt

SOURCE = Path(bt.__file__).parent


def test_every_public_name_is_there_and_documented():
    assert sorted(bt.__all__) == list(bt.__all__)
    for name in bt.__all__:
        assert getattr(bt, name).__doc__, name


def test_stub_and_all_agree():
    tree = ast.parse((SOURCE / "__init__.pyi").read_text())
    imported = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported == set(bt.__all__)


def test_no_module_shares_a_public_name():
    # a model may be named like the function whose Bayesian counterpart it is: it stands behind betterthan.models
    files = [p for p in SOURCE.rglob("*.py") if p.parent.name != "models"]
    modules = {p.stem for p in files} | {p.name for p in SOURCE.rglob("*") if p.is_dir()}
    functions = {name for name in bt.__all__ if not hasattr(getattr(bt, name), "__path__")} - {"datasets", "models"}
    assert not modules & functions


def test_public_functions_tell_parameters_returns_and_an_example():
    for name in bt.__all__:
        thing = getattr(bt, name)
        if not callable(thing) or isinstance(thing, type):
            continue
        for section in ("Parameters\n", "Returns\n", "Examples\n"):
            assert section in thing.__doc__ or (section == "Parameters\n" and thing.__code__.co_argcount == 0), name


def test_everything_imports_at_once():
    code = "import betterthan; [getattr(betterthan, n) for n in betterthan.__all__]"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"EAGER_IMPORT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_type_checkers_are_told_that_there_are_types():
    assert (SOURCE / "py.typed").is_file()
