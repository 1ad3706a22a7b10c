"""Tables of check marks in four formats."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
import xarray as xr
from rich.cells import cell_len
from tests.frequentist.test_similarity import TASKS, counted, muc6

from betterthan import names
from betterthan.reporting.of_groups import group_table, marks_content
from betterthan.significance.similarity import groups


def chain(n, reach=1, labels=None):
    """Systems that are similar to their neighbours."""
    marks = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= reach
    labels = labels or [f"system {k + 1}" for k in range(n)]
    return xr.DataArray(
        marks, dims=("system_a", "system_b"), coords={"system_a": labels, "system_b": labels}
    )


class Cells(HTMLParser):
    """Rows of cells, and the tags that are open."""

    def __init__(self):
        super().__init__()
        self.rows, self.open = [], []

    def handle_starttag(self, tag, attrs):
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
    table = marks_content(groups(marks))
    n = len(marks)
    assert table.heads == ("System", "Rank", "Score", *(str(k + 1) for k in range(n)), "Groups")
    printed = np.array([row[3:-1] for row in table.rows])
    np.testing.assert_array_equal(printed != "", marks)
    scores = [row[2] for row in table.rows]
    assert scores == [f"{s:.2f}" for s in marks["score"].values]
    flagged = [(int(i) + 1, int(j) + 1) for i, j in np.argwhere(printed == "✓!")]
    assert flagged == ([(9, 7)] if task == "template_element" else [])
    assert html_rows(group_table(groups(marks), format="html")) == [
        list(table.heads),
        *map(list, table.rows),
    ]


def test_the_text_in_full():
    assert group_table(groups(muc6("template_element"))) == (
        "Similar systems\n"
        "\n"
        "System  Rank  Score  1  2  3  4  5  6  7   8  9  10  11  12  Groups\n"
        "------  ----  -----  -  -  -  -  -  -  --  -  -  --  --  --  ------\n"
        "1          1  79.99  ✓  ✓                                    a\n"
        "2          2  79.85  ✓  ✓     ✓  ✓                           ab\n"
        "3          3  77.31        ✓  ✓  ✓  ✓                        c\n"
        "4          4  77.24     ✓  ✓  ✓  ✓  ✓                        bc\n"
        "5          5  76.29     ✓  ✓  ✓  ✓  ✓  ✓   ✓                 bcd\n"
        "6          6  74.96        ✓  ✓  ✓  ✓  ✓   ✓                 cd\n"
        "7          7  74.32              ✓  ✓  ✓   ✓                 d\n"
        "8          8  71.97              ✓  ✓  ✓   ✓  ✓  ✓           de\n"
        "9          9  71.16                    ✓!  ✓  ✓  ✓           e\n"
        "10        10  69.80                        ✓  ✓  ✓           e\n"
        "11        11  61.17                                  ✓       f\n"
        "12        12  53.80                                      ✓   g\n"
        "\n"
        "✓!: marked in this direction only, so that the pair is in no group.\n"
        "The systems at ranks 2, 4-6, 8 are in more than one group: where groups overlap, a "
        "ranking of their systems "
        "is impossible; 1 pair is marked in one direction only and joined in no group.\n"
        "Marks as given, for p ≤ 0.01 with a confidence of at least 0.99.\n"
    )


def test_thirty_systems_stay_aligned_whatever_their_names():
    labels = ["システム", "a" * 50, "é\u0301tude", *(f"s{k}" for k in range(27))]
    lines = group_table(groups(chain(30, reach=3, labels=labels))).split("\n")
    rule = lines[3]
    starts = [k for k in range(len(rule)) if rule[k] == "-" and (k == 0 or rule[k - 1] == " ")]
    assert len(starts) == 2 + 30 + 1
    for i, line in enumerate(lines[4:34]):
        columns = [cell_len(line[:k]) for k in range(len(line)) if line[k] == "✓"]
        assert columns == [starts[2 + j] for j in range(30) if abs(i - j) <= 3]


def test_unsettled_pairs_are_flagged():
    text = group_table(groups(counted(99)))
    assert "✓?" in text
    assert "more shuffles would say" in text
    assert "Two systems differ only if p ≤ 0.01 with a confidence of at least 0.99." in text
    assert "?" not in group_table(groups(counted(500)))


def test_many_systems_are_listed_by_rank():
    table = marks_content(groups(chain(41, reach=2)))
    assert table.heads == ("System", "Rank", "Not told from", "Groups")
    assert table.rows[0] == ("system 1", "1", "2-3", "a")
    assert table.rows[10] == ("system 11", "11", "9-10, 12-13", "ijk")
    for format in names.FORMATS:
        assert "9-10, 12-13" in group_table(groups(chain(41, reach=2)), format=format)
    assert len(marks_content(groups(chain(40))).heads) == 2 + 40 + 1


def test_long_letters_are_counted():
    n = 60
    marks = ~np.eye(n, dtype=bool)
    marks[:, 1:] = marks[1:, :] = False
    marks[0, :] = marks[:, 0] = True
    data = chain(n).copy(data=marks | np.eye(n, dtype=bool))
    assert marks_content(groups(data)).rows[0][-1] == "59 groups"


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
    assert [row[2] for row in marks_content(groups(data)).rows] == written


HOSTILE = ["a_b & $c$ | <i>#%", "\\emph{x}\x1b[31m\nnext", "]*`~^"]


def test_names_are_harmless():
    found = groups(chain(3, labels=HOSTILE))
    assert "\x1b" not in "".join(group_table(found, format=f) for f in names.FORMATS)
    assert html_rows(group_table(found, format="html"))[1][0] == HOSTILE[0]
    rows = [
        line for line in group_table(found, format="markdown").split("\n") if line.startswith("|")
    ]
    assert {line.replace(r"\|", "").count("|") for line in rows} == {2 + 3 + 1 + 1}
    assert r"a\_b \& \$c\$ \textbar{} \textless{}i\textgreater{}\#\%" in group_table(
        found, format="latex"
    )


def latex_tables():
    return [
        muc6("named_entity"),
        muc6("template_element"),
        chain(2, labels=["a_b & $c$ | <i>#%", "[x]*`~^"]),
    ]


def test_latex_is_well_formed():
    """What a compiler would stumble over, checked without one: it is not there on every machine."""
    for table in latex_tables():
        written = group_table(groups(table), format="latex")
        bare = re.sub(r"\\[&%$#_{}]", "", written)  # without escaped characters
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0
        assert "#" not in bare
        assert bare.count("%") == 1  # the comment that names the packages
        opened = re.findall(r"\\begin\{(\w+)\}", written)
        assert opened == re.findall(r"\\end\{(\w+)\}", written)[::-1] == ["center", "tabular"]
        columns = len(re.search(r"\\begin\{tabular\}\{([lrc]+)\}", written).group(1))
        rows = [line for line in bare.split("\n") if line.endswith(r" \\")]
        assert len(rows) == table.sizes["system_a"] + 1
        assert {row.count("&") for row in rows} == {columns - 1}


@pytest.mark.skipif(
    not shutil.which("pdflatex"),
    reason="pdflatex is a program of the system that this project does not install; "
    "test_latex_is_well_formed checks the same tables without it",
)
def test_latex_compiles(tmp_path):
    body = "".join(group_table(groups(t), format="latex") for t in latex_tables())
    packages = (
        r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{amssymb,booktabs,textcomp}"
    )
    document = rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "x.tex").write_text(document, encoding="utf-8")
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
        group_table(groups(chain(3)), format="pdf")
    with pytest.raises(
        ValueError, match=r"expected groups, the Dataset that betterthan\.groups returns"
    ):
        group_table(counted(1))
