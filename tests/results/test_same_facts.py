"""One answer states the same facts in words, tables, figures and papers, and names the winner."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results.context import report_context
from betterthan.results.pair_tables import matrix_table
from betterthan.results.significance_tables import groups_part

ONE_SIDED = bt.counts.from_table({("new", "old"): (8, 2, 50)})
FORMATS = ("text", "markdown", "html", "latex")


def scores_of(names, clusters=False, seed=0, items=120):
    rng = np.random.default_rng(seed)
    effect = np.repeat(rng.normal(0, 0.5, items // 6), 6)[:, None]
    level = np.linspace(0.3, -0.3, len(names))
    values = (rng.normal(0, 1, (items, len(names))) + effect + level > 0).astype(float)
    coords = {"system": list(names)}
    if clusters:
        coords["cluster"] = ("item", np.arange(items) // 6)
    return xr.DataArray(values, dims=("item", "system"), coords=coords)


@pytest.mark.parametrize("form", FORMATS)
def test_a_verdict_whose_interval_includes_0_is_marked_next_to_it(form):
    text = " ".join(bt.report(bt.compare(ONE_SIDED), format=form).split())
    assert "one-sided: the interval includes 0" in text
    assert ("$\\dagger$" if form == "latex" else "†") in text
    clear = bt.report(bt.compare(bt.counts.from_table({("new", "old"): (20, 2, 50)})), format=form)
    assert "one-sided: the interval" not in clear.partition("<script")[0]


def test_the_same_holds_of_the_short_answer_and_the_paper():
    c = bt.compare(ONE_SIDED)
    for text in (c.statement()[1], c.report(format="sentence")):
        assert "one-sided: the interval includes 0" in text


def test_an_undecided_pair_is_not_marked():
    c = bt.compare(bt.counts.from_table({("new", "old"): (5, 4, 50)}))
    assert "†" not in c.report()


@pytest.mark.parametrize(("threshold", "rates"), [(0.95, ("10%", "5%")), (0.975, ("5%", "2.5%"))])
def test_limits_say_how_often_equal_systems_get_a_verdict(threshold, rates):
    text = " ".join(bt.report(bt.compare(ONE_SIDED, threshold=threshold)).split())
    assert f"in about {rates[0]} of data sets ({rates[1]} with threshold" in text


def test_the_joint_rate_is_said_where_there_is_a_joint_answer():
    text = " ".join(bt.compare(scores_of("abcd")).report().split())
    assert "at most 0.3% of pairs of 10 or 20 systems that are equal (simulated)" in text


def test_figure_and_table_of_a_joint_answer_show_the_same_numbers():
    c = bt.compare(scores_of(["large", "small", "tuned", "base"], clusters=True))
    assert "pairwise_prob_better" in c.data
    table = matrix_table(report_context(c.data.expand_dims("engine")))
    order = [row[0] for row in table.rows]
    ax = bt.plot.matrix(c, systems=order)
    drawn = [(text.get_text(), text.get_fontweight() == "bold") for text in ax.texts]
    cells = [cell for row in table.rows for cell in row[1:] if cell]
    assert [(cell.rstrip("*"), cell.endswith("*")) for cell in cells] == drawn
    for drawn in (ax, bt.plot.differences(c)):
        assert "joint model of all systems" in " ".join(drawn.get_title(loc="left").split())


def test_no_winner_is_called_by_the_letter_of_a_column():
    systems = ["prompt A (current)", "prompt B", "prompt C"]
    c = bt.compare(scores_of(systems, items=240), tests=("sign", "trinomial"), ties="all")
    for form in FORMATS:
        text = bt.report(c, format=form)
        assert "● A better" not in text
        assert "P(A better)" not in text
    cells = [cell for line in c.report().splitlines() for cell in line.split("  ")]
    assert not {"A better", "B better"} & {cell.strip() for cell in cells}


def test_papers_count_items_and_clusters_as_they_are():
    c = bt.compare(scores_of("abc", clusters=True))
    assert "On 120 items in 20 clusters, " in c.report(format="sentence")
    macros = c.report(format="latex-macros")
    assert "\\btItems}{120}" in macros
    assert "\\btClusters}{20}" in macros
    assert "on 120 items in 20 clusters" in c.report(format="latex-table")
    alone = bt.compare(scores_of("abc")).report(format="latex-macros")
    assert "Clusters" not in alone


def test_an_advised_closed_form_has_no_empty_brackets():
    signature = bt.compare(scores_of("ab"), method="advised").signature()
    assert "method=advised" in signature
    assert "()" not in signature


def test_groups_are_of_the_verdicts_that_count():
    c = bt.compare(scores_of(["large", "small", "tuned", "base"], clusters=True, seed=4))
    final = c.data["verdict"].values
    alone = c.data["pairwise_verdict"].values
    assert (final != alone).any()
    part = groups_part(report_context(c.data.expand_dims("engine")))
    systems = report_context(c.data.expand_dims("engine")).systems
    at = [c.data["system_a"].values.tolist().index(name) for name in systems]
    marks = [[cell == "✓" for cell in row[2:-1]] for row in part.tables[0].rows]
    undecided = ~np.isin(final[np.ix_(at, at)], ["a_better", "b_better"])
    np.testing.assert_array_equal(marks, undecided)
    assert not part.notes[1:]  # that a verdict speaks of its pair alone
