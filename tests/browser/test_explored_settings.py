"""Settings that a reader chooses: the page claims no more than the comparison with them does."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt

pytestmark = pytest.mark.browser


def report(scores, **choices):
    return bt.report(bt.compare(scores, **choices), format="html", figures=False)


def difficult(wins, losses, missing):
    """Right and wrong items, of which B lacks some that A has wrong."""
    rows = [[1, 1]] * 150 + [[1, 0]] * wins + [[0, 1]] * losses + [[0, 0]] * 6
    values = np.array(rows + [[0, np.nan]] * missing, dtype=float)
    return xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})


@pytest.mark.filterwarnings("ignore:Scores of B are missing on harder items")
@pytest.mark.parametrize("threshold", [0.6, 0.75, 0.85])
@pytest.mark.parametrize(("wins", "missing"), [(28, 5), (22, 5), (33, 1)])
def test_missing_scores_that_decide_leave_no_verdict_at_any_threshold(
    open_page, wins, missing, threshold
):
    scores = difficult(wins, 22, missing)
    page = open_page(report(scores))
    page.set("threshold", threshold)
    verdict = str(bt.compare(scores, threshold=threshold)["verdict"].values[0, 1])
    words = {"no_verdict": "no verdict", "a_better": "A better", "b_better": "B better"}
    line = page.locator("#try .change").inner_text()
    assert line.startswith(f"At threshold {threshold:.2f}: {words.get(verdict, verdict)};")


def test_a_rope_beyond_the_slider_is_shown_as_it_is_applied(open_page):
    rng = np.random.default_rng(6)
    values = rng.random((90, 1)) * 0.5 + rng.normal(0, 0.12, (90, 2)) + [0.30, 0.25]
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    page = open_page(report(scores, quantity="mean"))
    page.set("rope", 0.3)
    number = page.locator("#bt-rope ~ input[type=number]")
    assert number.input_value() == number.get_attribute("max")
    line = page.locator("#try .change").inner_text()
    assert line.startswith(f"At ROPE {number.input_value()}: equivalent;")
