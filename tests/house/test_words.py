"""Identifiers are made of the terms of the field, not of private words."""

import ast
import re
from pathlib import Path

import pytest
from house.parsing import nodes, parsed

import betterthan

SOURCE = Path(betterthan.__file__).parent
PRIVATE = {
    *("found", "told", "said", "asked", "given", "made"),
    *("beside", "apart", "shown", "seen"),
}
# parts of public names, which stay as they are
PUBLIC = {"beside_quantity", "as_given", "probability_as_given"}
FILES = sorted(SOURCE.rglob("*.py"))


def identifiers(tree):
    """Functions, classes, arguments and variables, each with its line."""
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno


def words(name):
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)}


@pytest.mark.parametrize(
    "package", sorted({path.relative_to(SOURCE).parts[0] for path in FILES}), ids=str
)
def test_a_name_that_is_a_private_word(package):
    bad = [
        f"{path.relative_to(SOURCE)}:{line}: {name}"
        for path in FILES
        if path.relative_to(SOURCE).parts[0] == package
        for name, line in identifiers(parsed(path))
        if words(name) & PRIVATE and name not in PUBLIC
    ]
    assert not bad, f"use a term of CONTRIBUTING.md, Words: {bad}"
