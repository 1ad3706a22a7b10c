"""What is written for a paper and for a pull request."""

import re
import shutil
import subprocess

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import numbers


@pytest.fixture(scope="module")
def three():
    random = np.random.default_rng(3)
    values = (random.random((60, 3)) < [0.9, 0.55, 0.5]).astype(float)
    names = ["best_of & all", "gpt-4-1106-preview (functions)/v2_long", "c"]
    return bt.compare(xr.DataArray(values, dims=("item", "system"), coords={"system": names}))


@pytest.fixture(scope="module")
def pair():
    return bt.compare(bt.datasets.contingency_case("a"))


def test_the_sentence_says_what_was_found_and_how(pair):
    said = bt.report(pair, format="sentence")
    assert said.startswith(
        "On 1,000 items A was better than B with posterior probability 0.996 (P(A wins) - P(B wins)"
    )
    assert bt.signature(pair) in said
    assert said.count("\n") == 1


def macros_of(found):
    written = bt.report(found, format="latex-macros")
    return dict(re.findall(r"\\newcommand\{\\(\w+)\}\{(.*)\} %", written))


def test_macros_hold_the_numbers(pair, three):
    macros = macros_of(pair)
    assert (macros["btPAoverB"], macros["btItems"]) == ("0.996", "1,000")
    macros, systems = macros_of(three), three.systems["system"].tolist()
    assert macros["btNameA"] == r"best\_of \& all"
    assert macros["btScoreA"] == f"{three.systems['score'][0]:.3f}"
    square = three.data["prob_better"].sel(system_a=systems, system_b=systems).values
    ahead = (1, 2) if square[1, 2] >= 0.5 else (2, 1)
    name = "btP{}over{}".format(*("ABC"[k] for k in ahead))
    assert macros[name] == numbers.probability(square[ahead])
    assert all(name.isalpha() for name in macros)


def test_the_best_set_is_bold_and_decided_pairs_are_marked(three):
    table = bt.report(three, format="latex-table")
    rows = re.findall(r"^(.*) \\\\$", table, re.M)[1:]
    assert [r"\textbf" in row for row in rows] == three.systems["in_best_set"].tolist()
    verdict = three.data["verdict"].sel(system_a="best_of & all", system_b="c").item()
    assert verdict == "a_better"
    assert "^{*}" in rows[0]
    assert r"\label{tab:betterthan}" in table
    assert "3 systems on 60 items; Dirichlet(1, 1, 1) prior" in table


@pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="pdflatex is a program of the system that this project does not install; the tests "
    "above check what the table and the macros hold without it",
)
@pytest.mark.parametrize("columns", ["onecolumn", "twocolumn"])
def test_table_and_macros_compile_in_one_column_and_in_two(tmp_path, pair, three, columns):
    """Nothing is wider than its column."""
    bt.report(pair, format="latex-macros", path=tmp_path / "macros.tex")
    for name, found in (("two", pair), ("three", three)):
        bt.report(found, format="latex-table", path=tmp_path / f"{name}.tex")
    (tmp_path / "paper.tex").write_text(
        rf"\documentclass[{columns}]{{article}}\usepackage{{booktabs}}"
        r"\begin{document}\input{macros}P is \btPAoverB.\input{two}\input{three}\end{document}"
    )
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    told = done.stdout.decode("latin-1")
    assert done.returncode == 0, told[-2000:]
    assert "Overfull" not in told
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def test_a_pull_request_is_short_and_folds_the_pairs(three):
    said = bt.report(three, format="pull-request")
    assert said.startswith("### 3 systems compared")
    assert said.index("best of 3 systems") < said.index("| System |")
    assert "<details><summary>Pairs</summary>" in said
    assert "## Model" not in said


@pytest.mark.parametrize("format", ["sentence", "latex-table", "latex-macros", "pull-request"])
def test_formats_for_papers_are_of_one_comparison(pair, format):
    for given in ([pair, pair], [bt.datasets.beetle_confusion()]):
        with pytest.raises(ValueError, match=f"format='{format}' is of one comparison"):
            bt.report(*given, format=format)
