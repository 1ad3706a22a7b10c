"""Imports go down a floor or stay in a room's own folder."""

import ast
from pathlib import Path

import pytest

import betterthan

SOURCE = Path(betterthan.__file__).parent
FLOORS = [
    {"names", "checks", "exact", "files", "progress"},
    {"io", "outcomes", "datasets"},
    {"bayes", "frequentist", "measures", "models", "ordering", "people", "performance"},
    {
        "comparison",
        "counterparts",
        "crosscheck",
        "dependence",
        "dispersions",
        "engines",
        "joint",
        "measure_comparison",
        "measuring",
        "multiplicity",
        "order_comparison",
        "prediction",
        "provenance",
        "plots",
        "reporting",
        "cli",
        "console",
    },
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
NEIGHBOURS = {("datasets", "outcomes"), ("io", "outcomes")}  # published and read tables use the one constructor
HEAVY = {"pymc", "arviz", "matplotlib", "pytensor", "nutpie", "statsmodels"}
FILES = sorted(p for p in SOURCE.rglob("*.py") if p.parent != SOURCE or p.stem != "__init__")


def room_of(path):
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imports(tree, top_only):
    """Modules imported, at the top of the file or anywhere; type checking blocks do not run."""
    found = []
    nodes = tree.body if top_only else list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_down(path):
    room = room_of(path)
    assert room in FLOOR, f"{room} has no floor yet: add it to FLOORS"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for module in imports(tree, top_only=False):
        parts = module.split(".")
        if parts[0] != "betterthan" or len(parts) == 1 or parts[1] in ("__version__",):
            continue
        other = parts[1]
        assert other in FLOOR, f"{path.name} imports {module}"
        down = FLOOR[other] < FLOOR[room]
        front = FLOOR[room] == FLOOR[other] == 3 or FLOOR[room] == FLOOR[other] == 0
        assert down or other == room or front or (room, other) in NEIGHBOURS, f"{room} imports {other}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_heavy_libraries_are_imported_inside_functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not HEAVY & {module.split(".")[0] for module in imports(tree, top_only=True)}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_are_short_and_have_a_purpose(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 330
    assert ast.get_docstring(ast.parse(text))


def test_ground_floor_is_numpy_and_scipy_alone():
    for path in FILES:
        if FLOOR[room_of(path)] == 0:
            outside = {m.split(".")[0] for m in imports(ast.parse(path.read_text()), top_only=False)}
            assert not outside & {"xarray", "pandas"}, path
