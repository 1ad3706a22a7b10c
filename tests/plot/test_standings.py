"""The systems with their scores, who is not told apart, and how the rope's width decides."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact.wins import dirichlet
from betterthan.plot.pair_figures import _verdicts
from betterthan.posterior.verdicts import decide

# random counts of each system are of no common gold
pytestmark = pytest.mark.filterwarnings("ignore:The gold mentions")


def scores(systems, items=40, seed=5):
    rng = np.random.default_rng(seed)
    values = rng.random((items, systems)) < np.linspace(0.9, 0.4, systems)
    names = [f"system {k}" for k in range(systems)]
    return xr.DataArray(values.astype(float), dims=("item", "system"), coords={"system": names})


@pytest.fixture(scope="module")
def eight():
    return bt.compare(scores(8))


def rows(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_systems_stand_by_rank_with_their_intervals(eight):
    ax = bt.plot.leaderboard(eight)
    table = eight.systems
    assert rows(ax) == table["system"].tolist()
    middle = np.concatenate([line.get_xdata() for line in ax.lines])
    assert sorted(middle) == pytest.approx(sorted(table["score"]))
    ends = np.array([segment[:, 0] for segment in ax.collections[0].get_segments()])
    np.testing.assert_allclose(ends, table[["score_lower", "score_upper"]])
    bold = [label.get_fontweight() == "bold" for label in ax.get_yticklabels()]
    assert bold == table["in_best_set"].tolist()


def test_without_scores_it_is_the_mean_probability_of_being_better():
    counts = bt.counts.from_table({("A", "B"): (9, 2), ("A", "C"): (4, 8), ("B", "C"): (1, 9)})
    found = bt.compare(counts)
    ax = bt.plot.leaderboard(found)
    square = found.prob_better.to_numpy(copy=True)
    np.fill_diagonal(square, np.nan)
    expected = sorted(np.nanmean(square, axis=1), reverse=True)
    assert ax.lines[0].get_xdata().tolist() == pytest.approx(expected)
    assert rows(ax) == ["C", "A", "B"]


def test_bars_hold_those_who_are_not_told_apart(eight):
    ax = bt.plot.cliques(eight)
    order = eight.systems["system"].tolist()
    verdict = eight["verdict"].sel(system_a=order, system_b=order).values
    bars = [set(line.get_ydata()) for line in ax.lines]
    for bar in bars:
        assert all(verdict[i, j] == "undecided" for i in bar for j in bar if i != j)
    shared = {(i, j) for bar in bars for i in bar for j in bar if i < j}
    n = len(order)
    assert shared == {
        (i, j) for i in range(n) for j in range(i + 1, n) if verdict[i, j] == "undecided"
    }


def test_fewer_bars_than_there_are_is_said(eight):
    assert "1 of 4 bars, each system's longest first" in bt.plot.cliques(eight, limit=1).get_title(
        loc="left"
    )


def test_the_curve_of_a_pair_is_the_masses():
    counts = bt.counts.from_contingency(698, 12, 2, 288)
    ax = bt.plot.rope_curve(bt.compare(counts), widest=0.04)
    width, within = ax.lines[1].get_data()
    assert within[0] == 0
    k = 20
    exact = bt.prob_equivalent(counts, width[k]).sel(system_a="A", system_b="B").values
    found = [line.get_ydata()[k] for line in ax.lines[:3]]
    np.testing.assert_allclose(found, exact[::-1], atol=1e-9)


@pytest.mark.parametrize("threshold", [0.7, 0.95])
def test_shares_of_verdicts_are_those_of_every_pair(threshold):
    rng = np.random.default_rng(4)
    a, b, t = (rng.integers(0, 30, 60) + 1.0 for _ in range(3))
    width = np.linspace(0, 0.3, 7)
    beyond, better, equal, open_ = _verdicts(width, a, b, t, threshold=threshold)
    for k, w in enumerate(width):
        within = dirichlet.prob_within(a, b, t, w)
        ahead, behind = dirichlet.prob_above(a, b, t, 0.0), dirichlet.prob_below(a, b, t, 0.0)
        verdict = decide(ahead, behind, within, w, threshold)[0]
        named = np.isin(verdict, ("a_better", "b_better"))
        np.testing.assert_array_equal(beyond[:, k] | better[:, k], named)
        np.testing.assert_array_equal(equal[:, k], verdict == "equivalent")
        np.testing.assert_array_equal(open_[:, k], verdict == "undecided")
        far = np.maximum(dirichlet.prob_above(a, b, t, w), dirichlet.prob_below(a, b, t, -w))
        np.testing.assert_array_equal(beyond[:, k], named & (far >= threshold))


@pytest.mark.parametrize("seed", [0, 1])
def test_no_system_loses_its_only_bar_to_longer_ones(seed):
    rng = np.random.default_rng(seed)
    wins = rng.random((50, 60)) < np.linspace(0.3, 0.8, 60)
    comparison = bt.compare(wins.astype(float), systems=[f"m{k}" for k in range(60)])
    ax = bt.plot.cliques(comparison)
    drawn = {int(y) for line in ax.lines for y in line.get_ydata()}
    rows = [label.get_text() for label in ax.get_yticklabels()]
    verdict = comparison.data["verdict"].sel(system_a=rows, system_b=rows).values
    undecided = {k for k, row in enumerate(verdict) if (np.delete(row, k) == "undecided").any()}
    assert "40 of" in ax.get_title(loc="left")
    assert drawn == undecided


def test_systems_that_were_never_compared_share_no_bar():
    shown = [("old", "mid", (6, 34, 0)), ("mid", "new", (3, 37, 0))]
    counts = bt.counts.from_table({(a, b): row for a, b, row in shown})
    comparison = bt.compare(counts)
    assert "no_data" in comparison.data["verdict"].values
    ax = bt.plot.cliques(comparison)
    assert len(ax.lines) == 0
    assert ax.get_title(loc="left").startswith("Every compared pair has a better system")


def test_scores_in_clusters_are_counted_with_a_warning():
    clustered = scores(2).assign_coords(cluster=("item", [k // 4 for k in range(40)]))
    for figure in (bt.plot.matrix, bt.plot.simplex, bt.plot.differences):
        with pytest.warns(UserWarning, match="Items of a cluster count .* draw the comparison of"):
            figure(clustered)


def test_what_has_no_counts_has_no_curve():
    runs = scores(3).assign_coords(item=[k // 2 for k in range(40)])
    runs = runs.assign_coords(epoch=("item", [k % 2 for k in range(40)]))
    for figure in (bt.plot.rope_curve, bt.plot.simplex, bt.plot.densities):
        with pytest.raises(ValueError, match="means on units"):
            figure(bt.compare(runs))
    with pytest.raises(ValueError, match="needs the number of ties"):
        bt.plot.rope_curve(bt.datasets.intent_detection())
    with pytest.raises(ValueError, match="widest is 0"):
        bt.plot.rope_curve(bt.datasets.contingency_case("a"), widest=0)
    with pytest.raises(ValueError, match="give a comparison"):
        bt.plot.leaderboard(scores(3))


@pytest.mark.parametrize("systems", [2, 40])
def test_every_new_figure_is_drawn_of_few_and_of_many(systems):
    found = bt.compare(scores(systems))
    for draw in (bt.plot.leaderboard, bt.plot.cliques, bt.plot.rope_curve):
        ax = draw(found)
        ax.figure.canvas.draw()
        assert ax.get_title(loc="left")


def test_all_figures_become_files(tmp_path, eight, monkeypatch):
    from betterthan.plot import drawing
    from betterthan.plot.drawing import FIGURES, write_figures

    written, left_out = write_figures(eight, tmp_path / "figures")
    names = {path.name for path in written}
    assert {"leaderboard.pdf", "leaderboard.svg", "leaderboard.png", "cliques.pdf"} <= names
    assert all(path.read_bytes() for path in written)
    assert len(written) == 3 * (len(FIGURES) - len(left_out))
    assert [line.partition(":")[0] for line in left_out] == ["densities", "simplex"]
    data = f"data={eight.data.attrs['data_hash']}".encode()
    assert all(data in path.read_bytes() for path in written)
    first = (tmp_path / "figures" / "ranks.pdf").read_bytes()
    again = tuple(one for one in FIGURES if one.name == "ranks")
    monkeypatch.setattr(drawing, "FIGURES", again)
    write_figures(eight, tmp_path / "figures")
    assert (tmp_path / "figures" / "ranks.pdf").read_bytes() == first
    (tmp_path / "file").write_text("here")
    with pytest.raises(ValueError, match="is a file"):
        write_figures(eight, tmp_path / "file")


def test_a_pair_without_data_counts_for_nothing():
    """Its probability is that of the prior alone: it is no reason to stand between two others."""
    counts = bt.counts.from_table(
        {("A", "B"): (9, 2, 3), ("C", "D"): (6, 4, 1), ("B", "D"): (4, 5, 0)}
    )
    found = bt.compare(counts)
    ax = bt.plot.leaderboard(found)
    better = found.prob_better
    alone = {"A": better.loc["A", "B"], "C": better.loc["C", "D"]}
    alone["B"] = (better.loc["B", "A"] + better.loc["B", "D"]) / 2
    alone["D"] = (better.loc["D", "B"] + better.loc["D", "C"]) / 2
    expected = sorted(alone.values(), reverse=True)
    assert ax.lines[0].get_xdata().tolist() == pytest.approx(expected)
    drawn = np.ma.getmaskarray(bt.plot.matrix(found).images[0].get_array())
    assert drawn.sum() == 2 * 3  # A and C, A and D, B and C
    assert not drawn.diagonal().any()


def test_figures_name_the_statistic_of_tallies():
    rng = np.random.default_rng(4)
    rows = {
        "system": np.repeat(["A", "B", "C"], 40),
        "item": np.tile(np.arange(40), 3),
        **{count: rng.integers(1, 6, 120) for count in ("tp", "fp", "fn")},
    }
    answer = bt.scores.compare(bt.io.tallies_from_table(pd.DataFrame(rows)), rng=1)
    ax = bt.plot.leaderboard(answer)
    assert ax.get_xlabel() == "F1"
    assert "F1 with 95% interval" in ax.get_title(loc="left")
    ax = bt.plot.differences(answer)
    assert ax.get_xlabel().startswith("Difference in F1 (")
    assert bt.plot.differences(scores(3)).get_xlabel().startswith("Difference in win rate (")
