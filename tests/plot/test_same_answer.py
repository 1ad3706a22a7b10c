"""Figures of a comparison show the numbers, the order, the reference and the verdicts of its
tables, and fit a paper.
"""

from itertools import combinations

import numpy as np
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text

import betterthan as bt
from betterthan.plot import drawing
from betterthan.results import numbers
from betterthan.results.context import report_context, systems_table

COLOURS = {"better": "#0b5cad", "worse": "#a8480a", "equivalent": "#0f6f66", "undecided": "#5d6875"}
MARKS = {"better": "o", "worse": "s", "equivalent": "D", "undecided": "o"}


def scores(systems, items=150, seed=2, lower=False):
    random = np.random.default_rng(seed)
    level = np.linspace(0.85, 0.45, len(systems))
    values = (random.random((items, len(systems))) < level[::-1] if lower else level).astype(float)
    values = np.where(random.random((items, len(systems))) < values, 1.0, 0.0)
    return xr.DataArray(values, dims=("item", "system"), coords={"system": list(systems)})


def graded(systems, lower=False, seed=3):
    random = np.random.default_rng(seed)
    level = np.linspace(0.7, 0.5, len(systems))
    values = np.clip(level + random.normal(0, 0.1, (90, len(systems))), 0, 1)
    data = xr.DataArray(values, dims=("item", "system"), coords={"system": list(systems)})
    return data.assign_attrs(higher_is_better=not lower)


NINE = [f"system {k}" for k in (4, 1, 7, 2, 9, 3, 8, 5, 6)]
LONG = [
    f"2025{k:02d}05_sonar-foundation-agent_with-a-very-long-name-{k}-claude-opus" for k in range(9)
]


@pytest.fixture(scope="module")
def nine():
    return bt.compare(scores(NINE))


@pytest.fixture(scope="module")
def long_names():
    return bt.compare(scores(LONG), baseline=LONG[4], rope=0.03)


@pytest.fixture(scope="module")
def lower():
    return bt.compare(graded(NINE, lower=True))


def table(comparison):
    return systems_table(report_context(comparison.by_engine()))


def order(comparison):
    return [row[0] for row in table(comparison).rows]


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def title(ax):
    return " ".join(ax.get_title(loc="left").split())


def printed_reference(comparison):
    """The title of the printed picture, up to the system that the others are compared with."""
    (line,) = (t for t in str(comparison).splitlines() if t.startswith(" Difference in"))
    return line.strip().partition(",")[0].partition(";")[0].removesuffix(")")


@pytest.mark.parametrize("draw", ["matrix", "leaderboard", "differences", "ranks", "cliques"])
@pytest.mark.parametrize("which", ["nine", "lower"])
def test_systems_stand_in_the_order_of_the_table(draw, which, request):
    c = request.getfixturevalue(which)
    assert rows(getattr(bt.plot, draw)(c)) == order(c)


@pytest.mark.parametrize("baseline", [None, "system 3"])
def test_the_reference_is_that_of_the_printed_picture(baseline):
    c = bt.compare(scores(NINE), baseline=baseline)
    assert title(bt.plot.differences(c)).startswith(printed_reference(c))
    reference = baseline or c.systems.loc[c.systems["prob_best"].idxmax(), "system"]
    bars = bt.plot.outcomes(c)
    assert title(bars) == f"Wins, ties and losses against {reference}"
    assert rows(bars) == [name for name in order(c) if name != reference]


@pytest.mark.parametrize("which", ["nine", "lower", "long_names"])
def test_marks_and_numbers_are_those_of_the_table(which, request):
    c = request.getfixturevalue(which)
    ax = bt.plot.differences(c)
    reference = c.data.attrs.get("baseline") or c.systems["system"][c.systems["prob_best"].idxmax()]
    words = {"a_better": "better", "b_better": "worse"}
    at = {name: k for k, name in enumerate(order(c))}
    cell = c.data.sel(system_b=reference)
    expected = {}
    for name, place in at.items():
        verdict = cell["verdict"].sel(system_a=name).item()
        mean = cell["difference_mean"].sel(system_a=name).item()
        expected[place] = (words.get(verdict, verdict), mean)
    del expected[at[reference]]
    drawn = {}
    for line in ax.lines:
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
            if line.get_marker() in ("o", "s", "D"):
                drawn[int(y)] = (line.get_marker(), line.get_markeredgecolor(), x)
    assert drawn.keys() == expected.keys()
    for place, (verdict, mean) in expected.items():
        assert drawn[place][:2] == (MARKS[verdict], COLOURS[verdict])
        assert drawn[place][2] == pytest.approx(mean)


def test_where_lower_is_better_the_better_side_is_on_the_right_and_named_first(lower):
    left, right = bt.plot.differences(lower).get_xlim()
    assert left > right
    first = [name.partition(" − ") for name in rows(bt.plot.differences(lower, all_pairs=True))]
    p = lower.prob_better
    assert all(p.loc[a, b] >= 0.5 for a, _, b in first)


def test_p_best_has_the_digits_of_the_table(nine):
    best = nine.systems.set_index("system")["prob_best"].loc[order(nine)]
    written = [numbers.probability(p) for p in best]
    for draw in (bt.plot.leaderboard, bt.plot.ranks):
        texts = [t.get_text() for t in draw(nine).texts if isinstance(t, Annotation)]
        assert texts[-len(written) :] == written


def test_a_figure_of_one_pair_of_a_joint_comparison_says_that_it_is_pairwise(nine):
    pair = {"systems": ["system 4", "system 1"]}
    for draw in (bt.plot.densities, bt.plot.simplex, bt.plot.rope_curve):
        assert "pairwise" in title(draw(nine, **pair)).lower()
        two = bt.compare(scores(NINE[:2]))
        assert "pairwise" not in title(draw(two)).lower()


def test_the_matrix_has_seven_classes_and_the_threshold_bounds_the_outer_two():
    dims = ("system_a", "system_b")
    p = np.array([[0.5, 0.91, 0.96], [0.09, 0.5, 0.7], [0.04, 0.3, 0.5]])
    square = xr.DataArray(p, dims=dims, coords={dim: list("abc") for dim in dims})
    colours = {}
    for threshold in (0.95, 0.9):
        image = bt.plot.matrix(square.assign_attrs(threshold=threshold)).images[0]
        rgba = image.cmap(image.norm(image.get_array()))
        colours[threshold] = [matplotlib_hex(rgba[cell]) for cell in ((0, 1), (0, 2), (1, 2))]
    assert colours[0.95] == ["#86b5e6", "#0b5cad", "#d3e4f6"]
    assert colours[0.9] == ["#0b5cad", "#0b5cad", "#d3e4f6"]


def matplotlib_hex(rgba):
    from matplotlib.colors import to_hex

    return to_hex(rgba)


DRAWN = ("matrix", "leaderboard", "differences", "ranks", "cliques", "outcomes")


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("draw", DRAWN)
@pytest.mark.parametrize("which", ["nine", "lower", "long_names"])
def test_figures_fit_the_columns_of_a_paper_and_nothing_overlaps(which, draw, columns, request):
    ax = getattr(bt.plot, draw)(request.getfixturevalue(which), columns=columns)
    assert ax.figure.get_size_inches()[0] == pytest.approx({1: 3.4, 2: 7.0}[columns])
    assert_readable(ax)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("draw", ["densities", "simplex", "rope_curve", "outcomes", "differences"])
@pytest.mark.parametrize("systems", [NINE[:2], LONG[:2]], ids=["short", "long"])
def test_figures_of_a_pair_fit_too(systems, draw, columns):
    c = bt.compare(scores(systems), rope=0.05)
    ax = getattr(bt.plot, draw)(c, columns=columns)
    assert ax.figure.get_size_inches()[0] == pytest.approx({1: 3.4, 2: 7.0}[columns])
    assert_readable(ax)


@pytest.mark.parametrize("columns", [0, 3, "1", True])
def test_columns_are_one_or_two(nine, columns):
    with pytest.raises(ValueError, match="columns is"):
        bt.plot.matrix(nine, columns=columns)


def assert_readable(ax):
    """No text is cut, smaller than 7 points, or on another text; the legend is on no mark."""
    figure = ax.figure
    figure.draw_without_rendering()
    hidden = set()
    for axis in (axis for one in figure.findobj(Axes) for axis in (one.xaxis, one.yaxis)):
        drawn = axis._update_ticks() if axis.axes.axison else []  # others are beyond the limits
        hidden |= {t for k in axis.majorTicks if k not in drawn for t in (k.label1, k.label2)}
    texts = [t for t in figure.findobj(Text) if t.get_text().strip() and t.get_visible()]
    texts = [t for t in texts if t not in hidden]
    boxes = []
    for text in texts:
        assert text.get_fontsize() >= 7, text.get_text()
        box = text.get_window_extent()
        assert box.x0 >= -1, text.get_text()
        assert box.y0 >= -1, text.get_text()
        assert box.x1 <= figure.bbox.width + 1, text.get_text()
        assert box.y1 <= figure.bbox.height + 1, text.get_text()
        if not text.get_rotation() % 90:  # the box of slanted text is larger than the text
            boxes.append((text.get_text(), box))
    for (one, a), (two, b) in combinations(boxes, 2):
        wide = min(a.x1, b.x1) - max(a.x0, b.x0)
        high = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert not (wide > 1 and high > 1), f"{one!r} on {two!r}"
    legend = ax.get_legend()
    if legend is not None and figure.axes == [ax]:
        box = legend.get_window_extent()
        for line in ax.lines:
            if line.get_marker() not in ("None", None, "") and line.get_transform() == ax.transData:
                inside = [
                    box.contains(*point) for point in ax.transData.transform(line.get_xydata())
                ]
                assert not any(inside), line.get_label()


def test_colours_are_those_of_the_page():
    for verdict, colour in COLOURS.items():
        assert drawing.LOOKS[verdict].color == colour
