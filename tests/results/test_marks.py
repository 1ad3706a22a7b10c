"""Tables of check marks, on the page of groups."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
import xarray as xr
from rich.cells import cell_len

import betterthan as bt
from betterthan.results.reports import FORMATS
from betterthan.results.significance_tables import groups_page, marks_table
from betterthan.results.text import as_text
from betterthan.significance.similarity import groups
from tests.significance.test_similarity import TASKS, counted, muc6

PAGES = [form.name for form in FORMATS]


def chain(n, reach=1, labels=None):
    """Systems that are similar to their neighbours."""
    marks = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= reach
    labels = labels or [f"system {k + 1}" for k in range(n)]
    return xr.DataArray(
        marks, dims=("system_a", "system_b"), coords={"system_a": labels, "system_b": labels}
    )


class Cells(HTMLParser):
    """Rows of cells, and the tags that are open."""

    VOID = ("meta", "wbr")

    def __init__(self):
        super().__init__()
        self.rows, self.open = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def html_rows(text):
    parser = Cells()
    parser.feed(text)
    assert not parser.open
    return parser.rows


@pytest.mark.parametrize("task", TASKS)
def test_marks_are_where_they_are_printed(task):
    marks = muc6(task)
    table = marks_table(groups(marks))
    n = len(marks)
    assert table.heads == ("System", "Rank", "Score", *(str(k + 1) for k in range(n)), "Groups")
    assert table.sides == "lrr" + n * "c" + "l"
    printed = np.array([row[3:-1] for row in table.rows])
    np.testing.assert_array_equal(printed != "", marks)
    scores = [row[2] for row in table.rows]
    assert scores == [f"{s:.2f}" for s in marks["score"].values]
    flagged = [(int(i) + 1, int(j) + 1) for i, j in np.argwhere(printed == "✓!")]
    assert flagged == ([(9, 7)] if task == "template_element" else [])
    assert html_rows(bt.report(groups(marks), format="html")) == [
        list(table.heads),
        *map(list, table.rows),
    ]


def test_the_text_in_full():
    rule = "─" * 82
    assert bt.report(groups(muc6("template_element"))) == (
        "Homogeneous groups of systems\n"
        "=============================\n"
        "Which systems are not significantly different?\n"
        "\n"
        "Answer\n"
        "  - 18 of 66 pairs of systems are not significantly different, 1 of them in one direction "
        "only. 1, at rank 1,\n"
        "    is not significantly different from 2.\n"
        "  - 11 and 12 differ significantly from every other system.\n"
        "\n"
        "✓: the systems of row and column are not different. ✓!: marked in this direction only, "
        "so that the pair is in\n"
        "no group. Marks as given, for p ≤ 0.01 with a confidence of at least 0.99.\n"
        "\n"
        " System   Rank   Score   1   2   3   4   5   6   7    8   9   10   11   12   Groups\n"
        f" {rule}\n"
        " 1           1   79.99   ✓   ✓                                               a\n"
        " 2           2   79.85   ✓   ✓       ✓   ✓                                   ab\n"
        " 3           3   77.31           ✓   ✓   ✓   ✓                               c\n"
        " 4           4   77.24       ✓   ✓   ✓   ✓   ✓                               bc\n"
        " 5           5   76.29       ✓   ✓   ✓   ✓   ✓   ✓    ✓                      bcd\n"
        " 6           6   74.96           ✓   ✓   ✓   ✓   ✓    ✓                      cd\n"
        " 7           7   74.32                   ✓   ✓   ✓    ✓                      d\n"
        " 8           8   71.97                   ✓   ✓   ✓    ✓   ✓   ✓              de\n"
        " 9           9   71.16                           ✓!   ✓   ✓   ✓              e\n"
        " 10         10   69.80                                ✓   ✓   ✓              e\n"
        " 11         11   61.17                                             ✓         f\n"
        " 12         12   53.80                                                  ✓    g\n"
        "\n"
        "  - The systems at ranks 2, 4-6, 8 are in more than one group: where groups overlap, a "
        "ranking of their\n"
        "    systems is impossible; 1 pair is marked in one direction only and joined in no "
        "group.\n"
        "\n"
        "Limits\n"
        '  - "Not significantly different" does not mean equal.\n'
        "\n"
        "betterthan 0.1.0 | groups by printed marks | cutoff=0.01 | confidence=0.99 | "
        "correction=none | systems=12\n"
    )


def test_thirty_systems_stay_aligned_whatever_their_names():
    labels = ["システム", "a" * 30, "é\u0301tude", *(f"s{k}" for k in range(27))]
    found = groups(chain(30, reach=3, labels=labels))
    lines = as_text(groups_page(found), 170).split("\n")
    (head,) = [line for line in lines if line.split()[:2] == ["System", "Rank"]]
    starts = [found.start() for found in re.finditer(r"(?<= )\d+(?= )", head)]
    assert len(starts) == 30
    table = lines[lines.index(head) + 2 :]
    for i, line in enumerate(table[:30]):
        columns = [cell_len(line[:k]) for k in range(len(line)) if line[k] == "✓"]
        assert columns == [starts[j] for j in range(30) if abs(i - j) <= 3]
    # where they do not fit, columns stand in pieces below each other, each with its head
    pieces = [line.split()[1:] for line in bt.report(found).split("\n") if line[:7] == " System"]
    assert [*pieces[0], *pieces[1]] == ["Rank", *map(str, range(1, 31)), "Groups"]


def test_unsettled_pairs_are_flagged():
    text = " ".join(bt.report(groups(counted(99), correction="none")).split())
    assert "✓?" in text
    assert "more random permutations would show" in text
    assert "Two systems differ only if p ≤ 0.01 with a confidence of at least 0.99." in text
    assert "✓?" not in bt.report(groups(counted(500), correction="none"))


def test_many_systems_are_listed_by_rank():
    table = marks_table(groups(chain(41, reach=2)))
    assert table.heads == ("System", "Rank", "Not different from", "Groups")
    assert table.sides == "lrll"
    assert table.rows[0] == ("system 1", "1", "2-3", "a")
    assert table.rows[10] == ("system 11", "11", "9-10, 12-13", "ijk")
    for format in PAGES:
        written = bt.report(groups(chain(41, reach=2)), format=format).replace("<wbr>", "")
        assert "9-10, 12-13" in written
    assert len(marks_table(groups(chain(40))).heads) == 2 + 40 + 1


def test_long_letters_are_counted():
    n = 60
    marks = ~np.eye(n, dtype=bool)
    marks[:, 1:] = marks[1:, :] = False
    marks[0, :] = marks[:, 0] = True
    data = chain(n).copy(data=marks | np.eye(n, dtype=bool))
    assert marks_table(groups(data)).rows[0][-1] == "59 groups"


@pytest.mark.parametrize(
    ("scores", "written"),
    [
        ([96.42, 95.6], ["96.42", "95.60"]),
        ([0.5, 0.25], ["0.50", "0.25"]),
        ([0.125, 0.1], ["0.125", "0.100"]),
        ([2 / 3, 0.5], ["0.6667", "0.5000"]),
        ([0.5, np.nan], ["0.50", "–"]),
    ],
)
def test_scores_have_two_to_four_decimals(scores, written):
    data = chain(2).assign_coords(score=("system_a", scores))
    assert [row[2] for row in marks_table(groups(data)).rows] == written


HOSTILE = ["a_b & $c$ | <i>#%", "\\emph{x}\u202e[31m\nnext", "]*`~^"]


def test_names_are_harmless():
    found = groups(chain(3, labels=HOSTILE))
    assert "\u202e" not in "".join(bt.report(found, format=f) for f in PAGES)
    assert html_rows(bt.report(found, format="html"))[1][0] == HOSTILE[0]
    rows = [line for line in bt.report(found, format="markdown").split("\n") if line[:1] == "|"]
    assert {line.replace(r"\|", "").count("|") for line in rows} == {2 + 3 + 1 + 1}
    written = bt.report(found, format="latex").replace(r"\allowbreak{}", "")
    assert r"a\_b \& \$c\$ \textbar{} \textless{}i\textgreater{}\#\%" in written


def latex_pages():
    tables = [
        muc6("named_entity"),
        muc6("template_element"),
        chain(2, labels=["a_b & $c$ | <i>#%", "[x]*`~^"]),
    ]
    return [(table, bt.report(groups(table), format="latex")) for table in tables]


def test_latex_is_well_formed():
    """What a compiler would stumble over, checked without one: it is not there on every machine."""
    for table, written in latex_pages():
        bare = re.sub(r"\\[&%$#_{}]", "", written)  # without escaped characters
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0
        assert "#" not in bare
        assert bare.count("%") == 0
        body = written[written.index(r"\begin{document}") :]
        assert body.count(r"\begin{longtable}") == 1
        for what in set(re.findall(r"\\begin\{(\w+)\}", body)):
            assert body.count(rf"\begin{{{what}}}") == body.count(rf"\end{{{what}}}")
        sides = re.search(r"\\begin\{longtable\}\{(.+)\}", bare).group(1)
        columns = len(re.findall(r"[lrc]|p", re.sub(r">\{.*?\}p\{.*?\}", "p", sides)))
        rows = [line for line in bare.split("\n") if line.endswith(r" \\")]
        assert len(rows) == table.sizes["system_a"] + 1
        assert {row.count("&") for row in rows} == {columns - 1}


@pytest.mark.skipif(
    not shutil.which("pdflatex"),
    reason="pdflatex is a program of the system that this project does not install; "
    "test_latex_is_well_formed checks the same tables without it",
)
def test_latex_compiles(tmp_path):
    for _, written in latex_pages():
        (tmp_path / "x.tex").write_text(written, encoding="utf-8")
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"],
            cwd=tmp_path,
            capture_output=True,
        )
        assert done.returncode == 0, done.stdout[-2000:]


def test_bad_input():
    with pytest.raises(
        ValueError, match="format is 'pdf'; choose one of text, markdown, html, latex"
    ):
        bt.report(groups(chain(3)), format="pdf")
    with pytest.raises(ValueError, match=r"answers hold a Dataset .*significance\.groups"):
        bt.report(counted(1))
