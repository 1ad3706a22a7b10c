"""Imports go down a floor or stay in a room's own folder; rooms on one floor do not know each
other.
"""

import ast
from pathlib import Path

import pytest

import betterthan

SOURCE = Path(betterthan.__file__).parent
FLOORS = [
    {"names", "text"},
    {"checks", "files", "progress", "signed"},
    {"schemas"},
    {"answers", "blocks", "exact", "io"},
    {"counts", "labels", "logs", "people"},
    {"judged"},
    {"posterior", "significance"},
    {"features", "scores", "plan"},
    {"models", "orders", "datasets"},
    {"fits", "plot", "reading"},
    {"auditing"},
    {"comparison"},
    {"reporting"},
    {"gating"},
    {"cli"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
HEAVY = {
    "pymc",
    "arviz",
    "matplotlib",
    "pytensor",
    "nutpie",
    "statsmodels",
    "dask",
    "distributed",
    "zarr",
}
FILES = sorted(p for p in SOURCE.rglob("*.py") if p.parent != SOURCE or p.stem != "__init__")


def room_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(tree, top_only):
    """Modules imported, at the top of the file or anywhere."""
    found = []
    for node in tree.body if top_only else list(ast.walk(tree)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def rooms_used(path):
    """Other rooms of the house that a file imports, also inside its functions."""
    modules = [
        m.split(".") for m in imports(ast.parse(path.read_text(encoding="utf-8")), top_only=False)
    ]
    inside = [m for m in modules if m[0] == "betterthan" and len(m) > 1 and m[1] != "__version__"]
    return {m[1] for m in inside} - {room_of(path)}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_down(path):
    room = room_of(path)
    assert room in FLOOR, f"{room} has no floor yet: add it to FLOORS"
    for other in rooms_used(path):
        assert other in FLOOR, f"{path.name} imports {other}, which is no room"
        assert FLOOR[other] < FLOOR[room], f"{room} imports {other}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_heavy_libraries_are_imported_inside_functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not HEAVY & {module.split(".")[0] for module in imports(tree, top_only=True)}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_are_one_idea_and_have_a_purpose(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 700
    assert ast.get_docstring(ast.parse(text))


def test_exact_is_numpy_and_scipy_alone():
    for path in FILES:
        if room_of(path) == "exact":
            outside = {
                m.split(".")[0] for m in imports(ast.parse(path.read_text()), top_only=False)
            }
            assert not outside & {"xarray", "pandas"}, path


def test_files_do_not_import_in_circles():
    graph = {}
    for path in FILES:
        module = ".".join(("betterthan", *path.relative_to(SOURCE).with_suffix("").parts))
        graph[module] = set(imports(ast.parse(path.read_text(encoding="utf-8")), top_only=True))
    # `from room import file` and `from room.file import name` alike
    for module, used in graph.items():
        graph[module] = {
            m for m in graph if m in used or any(u.startswith(m + ".") for u in used)
        } - {module}
    left = dict(graph)
    while ready := [m for m, used in left.items() if not used & set(left)]:
        for module in ready:
            del left[module]
    assert not left, f"these import each other: {', '.join(sorted(left))}"
