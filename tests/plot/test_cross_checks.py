import matplotlib.collections
import numpy as np
import pytest
import xarray as xr
from matplotlib.text import Text
from scipy import stats

import betterthan as bt

pytestmark = pytest.mark.usefixtures("no_layout")

TABLE = bt.datasets.intent_detection()
CHECKED = bt.fits.cross_check(TABLE, bt.posterior.draws(TABLE, rng=1))
ONE = bt.datasets.contingency_case("b")


def wrong(*places):
    """With draws that are off at some pairs."""
    found = CHECKED.copy(deep=True)
    for i, j in places:
        found["sampled"].values[i, j] += 0.05
        found["z"].values[i, j] = 7.0
        found["agrees"].values[i, j] = False
    return found


def _title(ax):
    return " ".join(ax.get_title(loc="left").split())


def _points(ax):
    """Of every mark: its place, without the bars."""
    marks = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    return np.concatenate([line.get_xydata() for line in marks])


def test_each_unordered_pair_is_one_point():
    first, second = np.triu_indices(8, 1)
    found = _points(bt.plot.cross_check(CHECKED))
    assert len(found) == 28
    exact, sampled = (CHECKED[k].values[first, second] for k in ("exact", "sampled"))
    np.testing.assert_allclose(found, np.stack([exact, sampled - exact], axis=-1))


def test_bars_are_one_error_and_the_band_is_two():
    ax = bt.plot.cross_check(bt.fits.cross_check(ONE, bt.posterior.draws(ONE, rng=1)))
    (bars,) = [c for c in ax.collections if isinstance(c, matplotlib.collections.LineCollection)]
    checked = bt.fits.cross_check(ONE, bt.posterior.draws(ONE, rng=1)).isel(system_a=0, system_b=1)
    (low, high) = bars.get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(checked["mcse"].item())
    (band,) = [c for c in ax.collections if isinstance(c, matplotlib.collections.PolyCollection)]
    widest = band.get_paths()[0].vertices[:, 1].max()
    assert widest == pytest.approx(2 * 0.5 / checked["ess"].item() ** 0.5)


def test_the_title_counts_pairs_that_agree_and_names_the_largest_z():
    largest = np.abs(CHECKED["z"].values).max()
    expected = "Sampled and exact P(better) agree on 28 of 28 pairs "
    assert _title(bt.plot.cross_check(CHECKED)) == (
        f"{expected}The largest |z| is {largest:.1f}; pairs agree up to 4"
    )
    assert "agree on 26 of 28 pairs The largest |z| is 7.0" in _title(
        bt.plot.cross_check(wrong((0, 1), (2, 5)))
    )


def test_pairs_that_do_not_agree_are_marked_and_named():
    ax = bt.plot.cross_check(wrong((0, 1), (2, 5)))
    systems = CHECKED["system_a"].values
    named = {t.get_text() for t in ax.texts}
    assert named == {f"{systems[0]}, {systems[1]}", f"{systems[2]}, {systems[5]}"}
    assert "does not agree, ± one error" in [t.get_text() for t in ax.get_legend().get_texts()]
    assert not bt.plot.cross_check(CHECKED).texts


def test_of_many_that_do_not_agree_ten_are_named():
    assert len(bt.plot.cross_check(wrong(*zip(*np.triu_indices(8, 1), strict=True))).texts) == 10


@pytest.mark.usefixtures("layout")
def test_names_of_neighbors_do_not_overlap():
    first, second = np.triu_indices(8, 1)
    ax = bt.plot.cross_check(wrong(*zip(first[:9], second[:9], strict=True)))
    ax.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts]  # without the lines
    for k, one in enumerate(boxes):
        for other in boxes[k + 1 :]:
            across = min(one.x1, other.x1) - max(one.x0, other.x0)
            along = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert min(across, along) < 1.5


def test_five_pairs_or_more_have_a_histogram_of_z():
    ax = bt.plot.cross_check(CHECKED)
    (small,) = ax.child_axes
    area = sum(bar.get_width() * bar.get_height() for bar in small.patches)
    assert area == pytest.approx(1)
    x, y = small.lines[0].get_data()
    np.testing.assert_allclose(y, stats.norm.pdf(x))
    pairs = bt.counts.to_pairs(TABLE)[:4]
    few = bt.fits.cross_check(pairs, bt.posterior.draws(pairs, rng=1))
    assert not bt.plot.cross_check(few).child_axes


def test_pairs_and_squares_are_drawn_alike():
    pairs = bt.counts.to_pairs(TABLE)
    by_pair = bt.fits.cross_check(pairs, bt.posterior.draws(pairs, rng=1))
    drawn = [bt.plot.cross_check(checked) for checked in (CHECKED, by_pair)]
    np.testing.assert_allclose(*(_points(ax) for ax in drawn))
    assert _title(drawn[0]) == _title(drawn[1])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (ONE, "checked is a DataArray; give what betterthan.fits.cross_check returned"),
        (CHECKED.drop_vars("z"), "checked is a Dataset without 'z'; give what"),
        (xr.DataTree(), "checked is a DataTree; give what"),
    ],
)
def test_bad_input_is_one_line(data, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.plot.cross_check(data)
    assert "\n" not in str(caught.value)
