"""Imports go down: from each layer to those below it, and within a layer from left to right."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from house.parsing import nodes, parsed

import betterthan

SOURCE = Path(betterthan.__file__).parent
# from top to bottom; within a line, what is imported stands to the right
LAYERS = [
    ["__main__", "cli"],
    ["gating", "runs", "comparison", "auditing", "reading", "plot"],
    ["fits", "models", "plan", "datasets", "orders", "scores", "features"],
    ["results"],
    ["people", "posterior", "significance", "model_registry"],
    ["judged", "labels", "logs", "counts", "io"],
    ["blocks", "exact"],
    ["schemas", "signed", "files", "progress", "checks", "text", "rounding", "libraries", "names"],
]
# a subpackage may import those with a larger number
PLACE = {name: place for place, name in enumerate(name for layer in LAYERS for name in layer)}
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


def subpackage_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def name_of(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


@cache
def imports(tree, top_only):
    """Modules imported, at the top of the file or anywhere, also by `import_module`."""
    found = []
    for node in tree.body if top_only else nodes(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found + named_at_run_time(tree)


def named_at_run_time(tree):
    """Modules that `import_module` is called with by name, wherever the call stands."""
    calls = [n for n in nodes(tree) if isinstance(n, ast.Call) and n.args]
    return [
        call.args[0].value
        for call in calls
        if isinstance(call.args[0], ast.Constant)
        and getattr(call.func, "attr", getattr(call.func, "id", "")) == "import_module"
    ]


def subpackages_used(path):
    """Other subpackages that a file imports, also inside its functions."""
    modules = [m.split(".") for m in imports(parsed(path), top_only=False)]
    inside = [m for m in modules if m[0] == "betterthan" and len(m) > 1 and m[1] != "__version__"]
    return {m[1] for m in inside} - {subpackage_of(path)}


def test_imports_go_down():
    used = {path: subpackages_used(path) for path in FILES}
    unknown = {subpackage_of(path) for path in FILES}.union(*used.values()) - set(PLACE)
    assert not unknown, f"{unknown} have no layer yet: add them to LAYERS"
    upward = [
        f"{name_of(path)} imports {other}, which stands above it"
        for path, others in used.items()
        for other in others
        if PLACE[subpackage_of(path)] >= PLACE[other]
    ]
    assert not upward


def test_there_are_at_most_eight_layers():
    assert len(LAYERS) <= 8


def test_heavy_libraries_are_imported_inside_functions():
    tops = {
        name_of(path): {module.split(".")[0] for module in imports(parsed(path), top_only=True)}
        for path in FILES
    }
    assert not {name: top & HEAVY for name, top in tops.items() if top & HEAVY}


def test_files_are_one_idea_and_have_a_purpose():
    lines = {name_of(path): path.read_text(encoding="utf-8").count("\n") for path in FILES}
    assert not {name: number for name, number in lines.items() if number > 700}
    assert not [name_of(path) for path in FILES if not ast.get_docstring(parsed(path))]


def test_exact_is_numpy_and_scipy_alone():
    for path in FILES:
        if subpackage_of(path) == "exact":
            outside = {m.split(".")[0] for m in imports(parsed(path), top_only=False)}
            assert not outside & {"xarray", "pandas"}, path


def test_files_do_not_import_in_circles():
    graph = {}
    for path in FILES:
        module = f"betterthan.{name_of(path)}"
        used = set(imports(parsed(path), top_only=True))
        graph[module] = used
    # `from subpackage import file` and `from subpackage.file import name` alike
    for module, used in graph.items():
        graph[module] = {
            m for m in graph if m in used or any(u.startswith(m + ".") for u in used)
        } - {module}
    left = dict(graph)
    while ready := [m for m, used in left.items() if not used & set(left)]:
        for module in ready:
            del left[module]
    assert not left, f"these import each other: {', '.join(sorted(left))}"


def test_private_names_stay_in_their_file():
    modules, outside = {path.stem for path in FILES}, []
    for path in FILES:
        nodes = list(ast.walk(parsed(path)))
        imported = [a for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names]
        called = {alias.asname or alias.name for alias in imported} & modules
        reached = [
            node.attr
            for node in nodes
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in called
        ]
        own = {alias.name for alias in imported} - modules
        names = [name for name in [*own, *reached] if re.match("_[^_]", name)]
        outside += [(name_of(path), name) for name in names]
    assert not outside


def test_private_functions_and_classes_are_used():
    kinds = ast.FunctionDef | ast.ClassDef
    unused = []
    for path in FILES:
        used = Counter(re.findall(r"\w+", path.read_text(encoding="utf-8")))
        nodes = [node for node in ast.walk(parsed(path)) if isinstance(node, kinds)]
        defined = [node.name for node in nodes if not node.decorator_list]
        alone = [name for name in defined if re.fullmatch("_.*[^_]", name) and used[name] == 1]
        unused += [(name_of(path), name) for name in alone]
    assert not unused


def test_imports_at_run_time_are_seen():
    tree = ast.parse("def f():\n    return import_module('betterthan.cli.start')")
    assert imports(tree, top_only=True) == ["betterthan.cli.start"]
    assert not imports(ast.parse("import_module(name)"), top_only=True)
