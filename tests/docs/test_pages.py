"""Check the pages without building them: links lead somewhere, figures are drawn, all public names
are listed, pictures show the current answer, and cells import public names only.
"""

import ast
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

import betterthan as bt
from betterthan.io import layouts

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if not {"_build", "notebooks"} & set(p.parts))
FENCED = re.compile(r"^```.*?^```", re.S | re.M)
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ROAD = ("Comparison", "Audit", "Gate")
NOTEBOOKS = sorted((DOCS.parent / "notebooks").glob("*.ipynb"))
BLOCK = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", re.S | re.M)
PLAIN = re.compile(r"^(`{3,})python\n(.*?)^\1$", re.S | re.M)
OPTION = re.compile(r"^:\w.*\n", re.M)
DRAWN = re.compile(r"(plt|bt\.plot)\.\w+|az\.plot_\w+")
SHELL = ("%%", "#!")


def text(page):
    return page.read_text(encoding="utf-8")


def headings(page):
    """Anchors as MyST makes them."""
    found = re.findall(r"^#+ (.+)$", FENCED.sub("", text(page)), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in found}


def linked(page):
    """Each link to a file or a heading: where it leads. The docs are built with copies of the
    notebooks.
    """
    for target in LINK.findall(FENCED.sub("", text(page))):
        if "://" not in target:
            file, _, anchor = target.partition("#")
            path = (page.parent / file).resolve() if file else page
            if path.parent == DOCS / "notebooks":
                path = DOCS.parent / "notebooks" / path.name
            yield target, path, anchor


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(DOCS).as_posix())
def test_every_link_leads_somewhere(page):
    for target, file, anchor in linked(page):
        assert file.is_file(), target
        if anchor and file.stem != "models":
            assert anchor in headings(file), target


def test_every_notebook_is_listed_and_its_links_lead_somewhere():
    notebooks = sorted((DOCS.parent / "notebooks").glob("*.ipynb"))
    listed = re.findall(r"^notebooks/(\S+)$", text(DOCS / "notebooks.md"), re.M)
    assert sorted(listed) == [path.stem for path in notebooks]
    assert listed[0] == "00-in-ten-minutes"
    for path in notebooks:
        for target, file, _ in linked(path):
            assert file.is_file(), f"{path.name}: {target}"


def test_every_test_that_a_page_names_is_there():
    names = re.findall(r"`([\w/]+\.py)::(\w+)`", text(DOCS / "reference" / "hostile-input.md"))
    assert names
    for file, name in names:
        assert f"def {name}(" in text(DOCS.parent / "tests" / file), (file, name)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(DOCS).as_posix())
def test_no_page_has_a_magic_that_a_reader_sees(page):
    """Two are taken away before a page is shown: see docs/_ext/plain_cells.py."""
    magics = re.findall(r"^%\S+", text(page), re.M)
    assert set(magics) <= {"%%bash", "%%writefile"}


def test_models_link_their_cards():
    for target, _, anchor in linked(DOCS / "reference/models.md"):
        if anchor:
            card = DOCS.parent / "models" / anchor / "card.md"
            assert text(card).startswith(f"# {anchor}\n"), target


def test_every_row_of_the_questions_names_a_page():
    lines = text(DOCS / "questions.md").splitlines()
    headers = {above for above, below in pairwise(lines) if "|---" in below}
    rows = [x for x in lines if x.startswith("| ") and x not in headers]
    assert len(rows) > 90
    for row in rows:
        assert LINK.search(row.strip(" |").split("|")[-1]), row


def test_every_function_a_question_names_is_there():
    for name in set(re.findall(r"`(bt(?:\.\w+)+)\(", text(DOCS / "questions.md"))):
        found = bt
        for part in name.split(".")[1:]:
            found = getattr(found, part)
        assert callable(found), name


@pytest.mark.parametrize("name", bt.plot.__all__)
def test_every_figure_is_drawn_in_the_gallery(name):
    assert re.search(rf"bt\.plot\.{name}\(", text(DOCS / "guides/figures.md"))


def sections():
    """Of the API page: the names under each heading."""
    parts = re.split(r"^## ", text(DOCS / "reference/api.md"), flags=re.M)[1:]
    return {p.splitlines()[0].strip("`"): re.findall(r"^   ([\w.]+)$", p, re.M) for p in parts}


def test_the_api_page_is_grouped_as_the_namespaces_are():
    told = sections()
    road = [n for n in bt.__all__ if not hasattr(getattr(bt, n), "__path__")]
    assert {n.split(".")[-1] for n in told["bt"]} == {*road, *ROAD}
    rooms = sorted(set(bt.__all__) - set(road))
    assert sorted(told) == sorted(["bt", "Names and defaults", *(f"bt.{n}" for n in rooms)])
    for room in rooms:
        listed = {n.split(".")[1] for n in told[f"bt.{room}"]}
        assert listed == set(getattr(bt, room).__all__), room


def test_the_page_on_the_first_page_has_the_answer_of_today(monkeypatch):
    """Else: python docs/first_screen.py, where a browser is."""
    monkeypatch.syspath_prepend(DOCS)
    import first_screen

    with Image.open(DOCS / "_static" / "page.png") as picture:
        told, size = picture.text["Answer"], picture.size
    found = bt.compare(first_screen.results(), baseline="base")
    assert told == "\n".join(found.statement())
    assert size == (first_screen.WIDTH, first_screen.HEIGHT)


def test_the_table_of_columns_has_every_name_that_is_recognized():
    _, _, section = text(DOCS / "reference/formats.md").partition("## Recognized columns")
    section, _, _ = section.partition("\n## ")
    table = {name for row in re.findall(r"^\|.*$", section, re.M) for name in CODE.findall(row)}
    columns = {name for found in layouts.ALIASES.values() for name in found}
    assert {*columns, *(name for pair in layouts.PAIRS for name in pair)} <= table


def test_reports_that_are_linked_are_written():
    pages = text(DOCS / "index.md") + text(DOCS / "guides/reports.md")
    named = set(re.findall(r"reports/([\w-]+\.html)", pages))
    code = "".join(cell for _, cell in BLOCK.findall(pages))
    assert named == set(re.findall(r'path="([\w-]+\.html)"', code))
    assert len(named) == 9


def cells(path):
    """Code of a notebook or of a page, cell by cell, without those of a shell or a file."""
    if path.suffix == ".ipynb":
        every = json.loads(text(path))["cells"]
        found = ["".join(c["source"]) for c in every if c["cell_type"] == "code"]
    else:
        found = [OPTION.sub("", code) for _, code in BLOCK.findall(text(path))]
        found += [code for _, code in PLAIN.findall(text(path))]
    return [ast.parse(code) for code in found if not code.lstrip().startswith(SHELL)]


def public():
    """Every dotted name of the API page: a namespace, what it exposes, and the module of names."""
    listed = {name for names in sections().values() for name in names}
    models = {f"models.{name}" for name in bt.models.__all__}
    return {"names", *bt.__all__, *models, *listed}


def dotted(node):
    """`bt.plot.matrix` as text; nothing for what is not a name and its attributes."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def imported(tree):
    """Dotted names that a cell imports from betterthan, without the name of the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (n.partition(".")[2] for n in found if n.partition(".")[0] == "betterthan")


def reached(tree):
    """The names `x` and `x.y` of every `bt.x.y`."""
    for node in ast.walk(tree):
        name = dotted(node)
        if name.startswith("bt."):
            first, *rest = name.split(".")[1:]
            yield first
            if rest and first in bt.__all__ and hasattr(getattr(bt, first), "__path__"):
                yield f"{first}.{rest[0]}"


def private(tree):
    """Imports and attributes of a cell that the public namespaces do not expose."""
    allowed = public()
    names = [n for n in imported(tree) if n and n not in allowed and not n.startswith("names.")]
    return sorted({*names, *(n for n in reached(tree) if n not in {*allowed, "__version__"})})


def draws(tree):
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(DRAWN.fullmatch(dotted(call)) for call in calls)


def place(path):
    return path.relative_to(DOCS.parent).as_posix()


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 7


@pytest.mark.parametrize("path", [*NOTEBOOKS, *PAGES], ids=place)
def test_cells_take_public_names_only(path):
    assert [name for tree in cells(path) for name in private(tree)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=place)
def test_every_notebook_draws_a_figure(path):
    assert any(draws(tree) for tree in cells(path))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import betterthan as bt", []),
        ("from betterthan import names", []),
        ("from betterthan.names import PRIOR", []),
        ("from betterthan.models import davidson", []),
        ("from betterthan.models.davidson import fit", []),
        ("bt.models.davidson.fit(bt.read('a.csv'))", []),
        ("bt.compare(x).data.attrs", []),
        ("from betterthan.exact.wins import clusters", ["exact.wins.clusters"]),
        ("import betterthan.exact.wins.beta", ["exact.wins.beta"]),
        ("from betterthan.posterior import closed", ["posterior.closed"]),
        ("bt.posterior.parameters.posterior_parameters(x)", ["posterior.parameters"]),
        ("bt.exact.wins", ["exact"]),
    ],
)
def test_what_is_private_is_seen(code, expected):
    assert private(ast.parse(code)) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("figure, ax = plt.subplots()", True),
        ("bt.plot.matrix(c).figure", True),
        ("az.plot_ppc_dist(tree)", True),
        ("import matplotlib.pyplot as plt", False),
        ("table.plot", False),
    ],
)
def test_what_draws_is_seen(code, expected):
    assert draws(ast.parse(code)) is expected
