"""What holds for every figure: axes returned, nothing left behind, names drawn as they are
written.
"""

import ast
import pickle
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.text import Text

import betterthan as bt
from betterthan.plot import drawing
from betterthan.results import numbers

LONG = "a_very_long_$ystem_name_<with>_60%_characters_and_more_α-2024"
NAMES = {
    "long": (LONG, LONG.replace("α-2024", "β-2025")),
    "special": ("_$x^2$_%<b>& \\frac{1}{2} $y", "日本語モデル 🚀\nnext line"),
}


def _comparison(systems: tuple[str, str]) -> xr.Dataset:
    dims = ("system_a", "system_b")
    values = np.array([[0.0, 0.1], [-0.1, 0.0]])
    return xr.Dataset(
        {
            "difference_mean": (dims, values),
            "difference_lower": (dims, values - 0.05),
            "difference_upper": (dims, values + 0.05),
            "verdict": (dims, [["undecided", "a_better"], ["b_better", "undecided"]]),
        },
        coords={dim: list(systems) for dim in dims},
        attrs={"rope": 0.02, "ci_prob": 0.95, "ci_kind": "hdi"},
    )


def _matrix(counts, systems, ax):
    return bt.plot.matrix(bt.prob_better(counts), ax=ax)


def _confusion(counts, systems, ax):
    return bt.plot.confusion(
        bt.labels.confusion_matrix([*systems, systems[0]], [systems[1], systems[1], None]), ax=ax
    )


def _tallies(systems):
    rows = [
        {"system": s, "item": k, "tp": 5 + k, "fp": k % 3, "fn": k % 2}
        for s in systems
        for k in range(9)
    ]
    return bt.io.tallies_from_table(pd.DataFrame(rows))


def _ranks(counts, systems, ax):
    random = np.random.default_rng(0)
    scores = xr.DataArray(
        random.random((60, 2)), dims=("item", "system"), coords={"system": list(systems)}
    )
    return bt.plot.ranks(bt.scores.bootstrap(scores, draws=200, rng=1), ax=ax)


def _function(systems):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.random((12, 2)), columns=list(systems))
    return bt.features.performance_function(
        frame, frame.iloc[:, 0].rename(systems[1] + "!") + 0.1 * random.random(12)
    )


def _cross_check(counts, systems, ax):
    checked = bt.fits.cross_check(counts, bt.posterior.draws(counts, rng=1))
    return bt.plot.cross_check(checked.assign(agrees=~checked["agrees"]), ax=ax)


def _drawn(figure, **choice):
    return lambda counts, systems, ax: figure(bt.posterior.draws(counts, rng=1), ax=ax, **choice)


FIGURES = {
    "cross_check": _cross_check,
    "matrix of draws": _drawn(bt.plot.matrix),
    "differences of draws": _drawn(bt.plot.differences, rope=0.02),
    "outcomes of draws": _drawn(bt.plot.densities),
    "difference of draws": _drawn(bt.plot.densities, show="difference", rope=0.02),
    "simplex of draws": _drawn(bt.plot.simplex, rope=0.02),
    "confusion": _confusion,
    "scores": lambda counts, systems, ax: bt.plot.scores(_tallies(systems), ax=ax),
    "ranks": _ranks,
    "coefficients": lambda counts, systems, ax: bt.plot.coefficients(_function(systems), ax=ax),
    "predictions": lambda counts, systems, ax: bt.plot.predictions(_function(systems), ax=ax),
    "correlation": lambda counts, systems, ax: bt.plot.correlation(
        pd.Series([1, 2, 3, 4, 5.0], name=systems[0]),
        pd.Series([1, 2, 3, 5, 4.0], name=systems[1]),
        edges=[1, 3, 5],
        ax=ax,
    ),
    "tau_bins": lambda counts, systems, ax: bt.plot.tau_bins(6, ax=ax),
    "matrix": _matrix,
    "outcomes": lambda counts, systems, ax: bt.plot.outcomes(counts, ax=ax),
    "densities": lambda counts, systems, ax: bt.plot.densities(counts, ax=ax),
    "decisive": lambda counts, systems, ax: bt.plot.densities(counts, show="decisive", ax=ax),
    "difference": lambda counts, systems, ax: bt.plot.densities(
        counts, show="difference", rope=0.02, ax=ax
    ),
    "differences": lambda counts, systems, ax: bt.plot.differences(_comparison(systems), ax=ax),
    "simplex": lambda counts, systems, ax: bt.plot.simplex(counts, rope=0.02, ax=ax),
}


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
@pytest.mark.parametrize("systems", NAMES.values(), ids=NAMES)
def test_every_figure_draws_every_name(draw, systems):
    counts = bt.counts.from_contingency(500, 210, 200, 90, systems=systems)
    before = dict(matplotlib.rcParams)
    ax = draw(counts, systems, None)
    assert isinstance(ax, Axes)
    assert ax.get_title(loc="left")
    texts = [t for t in ax.findobj(Text) if t.get_text()]
    assert not any(t.get_parse_math() or t.get_usetex() for t in texts)
    assert min(t.get_fontsize() for t in texts) >= 7
    ax.figure.draw_without_rendering()  # a missing glyph or broken mathtext would warn or raise
    width, height = ax.figure.get_size_inches()
    box = ax.figure.get_tightbbox()
    assert min(box.x0, box.y0) > -0.01  # nothing is cut off
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01
    assert dict(matplotlib.rcParams) == before
    assert plt.get_fignums() == []


@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_every_figure_draws_into_given_axes_in_any_style(draw):
    with matplotlib.rc_context(
        {"text.usetex": True, "font.family": ["serif"], "axes.facecolor": "black"}
    ):
        figure = matplotlib.figure.Figure()
        ax = figure.add_subplot()
        assert draw(bt.counts.from_contingency(50, 21, 20, 9), ("A", "B"), ax) is ax
        figure.draw_without_rendering()


def test_matplotlib_is_imported_inside_functions_only():
    for path in Path(drawing.__file__).parent.glob("*.py"):
        # the top level, without what only type checkers read
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert "matplotlib" not in ast.unparse(node), path


def test_a_notebook_shows_a_figure_without_a_magic():
    """Where pyplot was never loaded no backend has said how: then a notebook asks the figure."""
    figure = bt.plot.outcomes(bt.datasets.contingency_case("a")).figure
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert pickle.loads(pickle.dumps(figure))._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "length", "short"),
    [
        ("NN[n] W", 24, "NN[n] W"),
        ("abcdefghij", 6, "ab…hij"),
        ("abcdefghij", 8, "abc…ghij"),
        ("ab", 2, "ab"),
    ],
)
def test_short_labels_keep_both_ends(name, length, short):
    assert drawing.labels([name], length) == [short]


def test_labels_stay_different():
    same_ends = [f"{'a' * 15}{middle}{'z' * 15}" for middle in "xy"]
    one, two = drawing.labels(same_ends)
    assert one != two
    assert max(map(len, (one, two))) <= 24
    too_long = [f"{'a' * 40}{middle}{'z' * 40}" for middle in "xy"]
    one, two = drawing.labels(too_long)
    assert one != two
    assert len(one) < 30


def test_labels_escape_what_no_font_can_draw():
    assert drawing.labels(["a\nb\tc", "\ud800"]) == ["a b c", "\\ud800"]


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "< 0.001"),
        (0.0004, "< 0.001"),
        (0.0312, "= 0.031"),
        (0.9994, "= 0.999"),
        (0.9996, "> 0.999"),
        (1, "> 0.999"),
    ],
)
def test_probabilities_never_round_to_certainty(p, text):
    assert numbers.equal_to(p) == text


def test_legends_have_names_that_begin_with_an_underscore():
    def entries(ax):
        return [text.get_text() for text in ax.get_legend().get_texts()]

    comparison = bt.compare({"_base": [1, 1, 0, 1] * 9, "new": [1, 0, 0, 1] * 9})
    assert "_base better" in entries(bt.plot.rope_curve(comparison))
    rows = {"system": ["_base", "new"], "item": [1, 1], "tp": [30, 25], "fp": [5, 9], "fn": [5, 9]}
    tallies = bt.read(pd.DataFrame(rows))
    assert entries(bt.plot.scores(tallies))[0].startswith("_base")
    runs = pd.DataFrame(
        [(s, i, (i + k) % 4, 4) for k, s in enumerate(("_base", "new")) for i in range(20)],
        columns=["system", "item", "successes", "trials"],
    )
    reliability = bt.runs.reliability(bt.counts.trials_from_table(runs), k=(1, 2))
    assert sorted(entries(bt.plot.reliability(reliability))) == ["_base", "new"]


@pytest.mark.parametrize("figure", [bt.plot.leaderboard, bt.plot.differences])
def test_a_title_names_its_reference_as_the_rows_do(figure):
    systems = [f"meta-llama/Llama-3.1-{k}B-Instruct-tuned-on-support-2024-06-01" for k in (1, 8)]
    systems.append(systems[0].replace("1B", "70B"))
    scores = np.random.default_rng(0).normal([0.4, 0.5, 0.6], 0.2, (60, 3))
    ax = figure(bt.compare(pd.DataFrame(scores, columns=systems)))
    first = ax.get_yticklabels()[0].get_text()
    assert "70B" in first
    assert f" {first} (most likely the best)" in ax.get_title(loc="left")
