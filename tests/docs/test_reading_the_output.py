"""The page on the output explains every variable, column, mark and section of comparisons."""

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from golden import cases

import betterthan as bt
from betterthan.results.brief import brief_page_of
from betterthan.results.context import PAIR_COUNTS
from betterthan.results.kinds import build_page
from betterthan.results.marks import UNICODE
from betterthan.signed import Signature

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "reading-the-output.md"
STORED = Path(__file__).parents[1] / "golden" / "stored" / "two_engines.nc"
CODE = re.compile(r"`([^`]+)`")
INTERVAL = re.compile(r" \[\d+% \w+\]")
ROPE = re.compile(r"P\(\|d\| ≤ [\d.]+\)")
SAMPLED = {"prob_better_new"}  # has a row, and its numbers a test in tests/comparison


def graded(systems):
    return cases.scored(cases.graded(80, [0.3, 0.25, 0.2], 3)[:, :systems], [*"ABC"[:systems]])


def right(systems, **coords):
    values = cases.right_or_wrong(120, np.linspace(0.8, 0.5, systems), 3)
    return cases.scored(values, [f"s{k}" for k in range(systems)], **coords)


def hard_items_missing(systems):
    ease = np.linspace(0.4, -0.4, 120)
    values = cases.right_or_wrong(120, [0.65, 0.45, 0.4], 5, ease)[:, :systems]
    absent = np.random.default_rng(1).random(50) < 0.6
    values[70:, 0] = np.where(absent, np.nan, values[70:, 0])
    return cases.scored(values, ["new", "old", "older"][:systems])


def clustered(systems):
    scores = cases.in_clusters()
    third = scores.isel(system=[1]).assign_coords(system=["third"]).copy()
    third[::3] = 0
    return xr.concat([scores, third], "system").isel(system=slice(systems))


def repeated():
    runs = {"item": np.arange(60) // 5, "epoch": np.arange(60) % 5}
    return cases.scored(cases.right_or_wrong(60, [0.8, 0.6], 3), ["A", "B"], **runs)


DATASETS = ["x"] * 50 + ["y"] * 40 + ["z"] * 30
COMPARISONS = {
    "two systems": lambda: bt.compare(bt.datasets.contingency_case("a")),
    "rope": lambda: bt.compare(bt.datasets.contingency_case("b"), rope=0.05),
    "baseline": lambda: bt.compare(right(3), baseline="s2"),
    "many systems": lambda: bt.compare(right(12)),
    "ties to A": lambda: bt.compare(right(3), ties="to_a"),
    "policies for ties": lambda: bt.compare(right(3), rope=0.05, ties="all"),
    "all tests": lambda: bt.compare(right(2), tests=["sign", "mid_p", "trinomial"]),
    "graded": lambda: bt.compare(graded(2), rng=1),
    "graded, three": lambda: bt.compare(graded(3), rng=1),
    "graded, wins": lambda: bt.compare(graded(2), quantity="wins", rng=1),
    "margin": lambda: bt.compare(graded(2), margin=0.05, rng=1),
    "clusters": lambda: bt.compare(clustered(2), rng=1),
    "clusters, three": lambda: bt.compare(clustered(3), rng=1),
    "swaps at random": lambda: bt.compare(right(3, cluster=np.arange(120) // 4), rng=1),
    "epochs": lambda: bt.compare(repeated(), rng=1),
    "missing": lambda: bt.compare(hard_items_missing(2), rng=1),
    "missing, three": lambda: bt.compare(hard_items_missing(3), rng=1),
    "judged": lambda: bt.compare(cases.judged_counts()),
    "over, two": lambda: bt.compare(right(2, dataset=DATASETS), over="dataset", weights="size"),
    "over, three": lambda: bt.compare(right(3, dataset=DATASETS), over="dataset"),
    "counts of TP, FP, FN": lambda: bt.compare(cases.tallies(), rng=1),
    "counts, ties unknown": lambda: bt.compare(bt.counts.from_table({("A", "B"): (12, 2)})),
    "votes": lambda: bt.compare(cases.votes()),
    "both methods": lambda: bt.load(STORED),
}


@pytest.fixture(scope="module")
def comparisons():
    return {name: make() for name, make in COMPARISONS.items()}


def section(title):
    """The text below one heading, down to the next of the same depth or above."""
    text = PAGE.read_text("utf-8")
    start = re.search(rf"^(#+) {re.escape(title)}$", text, re.M)
    assert start, f"no section {title!r}"
    rest = text[start.end() :]
    end = re.search(rf"^#{{2,{len(start[1])}}} ", rest, re.M)
    return rest[: end.start()] if end else rest


def rows(title, heading):
    """The cells of the rows of the table in a section whose first column has this heading."""
    for table in re.split(r"\n\n", section(title)):
        lines = [line for line in table.splitlines() if line.startswith("|")]
        if lines and lines[0].startswith(f"| {heading} |"):
            cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[2:]]
            return [[cell.strip().replace("\\|", "|") for cell in row] for row in cells]
    raise AssertionError(f"no table of {heading!r} in {title!r}")


def documented():
    """The dims of each variable of the table."""
    table = rows("Variables of `Comparison.data`", "Variable")
    return {name: row[1] for row in table for name in CODE.findall(row[0])}


def variables(comparison):
    """Names with dims, of the answer and of its second method."""
    for data in (comparison.data, *comparison.alternatives.values()):
        for name, variable in data.data_vars.items():
            yield name, ", ".join(variable.dims)


def test_every_variable_has_a_row_with_its_dims(comparisons):
    dims = documented()
    for label, comparison in comparisons.items():
        for name, names in variables(comparison):
            assert name in dims, f"{label}: {name} has no row"
            assert dims[name] == names, f"{label}: {name}"


def test_no_row_names_a_variable_that_is_gone(comparisons):
    present = {name for c in comparisons.values() for name, _ in variables(c)}
    assert documented().keys() - present == SAMPLED


def test_every_dimension_has_a_row(comparisons):
    table = rows("Variables of `Comparison.data`", "Dimension")
    listed = {name for row in table for name in CODE.findall(row[0])}
    assert listed == {dim for c in comparisons.values() for dim in map(str, c.data.dims)}


def test_every_attribute_has_a_row(comparisons):
    listed = {n for row in rows("Attributes", "Attribute") for n in CODE.findall(row[0])}
    assert listed == {field.name for field in fields(Signature)}
    for label, comparison in comparisons.items():
        assert comparison.data.attrs.keys() <= listed, label


def printed_headers(comparison):
    """The section and the heading of each column, in print and in the full report, without those
    that are names of systems, ranks or data.
    """
    names = {*comparison.pairs["system"], *comparison.pairs["other"]}
    for page in (brief_page_of(comparison), build_page(comparison)):
        for part in page.parts:
            for table in part.tables:
                for heading in table.heads:
                    if heading and heading not in names and not heading.isdigit():
                        yield part.heading, ROPE.sub("P(|d| ≤ ROPE)", INTERVAL.sub("", heading))


def test_every_column_is_explained(comparisons):
    every = CODE.findall(section("All tables"))
    for label, comparison in comparisons.items():
        first = comparison.pairs["system"].iloc[0]
        for part, heading in printed_headers(comparison):
            listed = [code.replace("\\|", "|") for code in CODE.findall(section(part))]
            name = heading.replace(f"P({first} better)", "P(A better)")
            assert name in [*every, *listed], f"{label}, {part}: {name}"


def test_numbers_of_verdicts_are_explained():
    assert {*PAIR_COUNTS.values()} <= {*CODE.findall(section("Systems"))}


def test_every_section_is_explained(comparisons):
    headings = {*re.findall(r"^### (.+)$", PAGE.read_text("utf-8"), re.M)}
    without_table = {*re.findall(r"\*([^*]+)\*", section("Sections without a table"))}
    for label, comparison in comparisons.items():
        for part in build_page(comparison).parts:
            assert part.heading in headings | without_table, f"{label}: {part.heading}"


def test_every_mark_is_explained():
    marks = {mark for row in rows("The picture", "Mark") for mark in CODE.findall(row[0])}
    assert {*vars(UNICODE).values()} <= marks


def test_every_part_of_the_provenance_line_is_explained(comparisons):
    parts = CODE.findall(section("The provenance line"))
    for label, comparison in comparisons.items():
        for part in bt.signature(comparison).split(" | ")[1:]:
            assert any(part.startswith(name) for name in parts), f"{label}: {part}"


def test_the_docstring_names_variables_of_the_page():
    returns = bt.compare.__doc__.partition("Returns\n")[2].partition("Raises\n")[0]
    assert {*re.findall(r"``(\w+)``", returns)} <= documented().keys()
