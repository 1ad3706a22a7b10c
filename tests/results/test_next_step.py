"""The page of a comparison names the criterion by which systems were compared in its next step."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results.context import report_context
from betterthan.results.first_screen import first_screen


def screen(comparison):
    return first_screen(report_context(comparison.by_engine()), "")


def graded(systems):
    """Each system wins most items of the next by a little, and loses a few by much."""
    rng = np.random.default_rng(1)
    values = rng.random((80, 1)) + 0.02 * np.arange(systems)[::-1]
    values[:8] += 3.0 * np.arange(systems)
    coords = {"system": list("abcd")[:systems]}
    return xr.DataArray(values, dims=("item", "system"), coords=coords)


@pytest.mark.parametrize(
    ("data", "choices"),
    [
        (bt.counts.from_table({("A", "B"): (40, 10, 50)}), {}),
        (graded(2), {"quantity": "wins"}),
    ],
)
def test_where_wins_decide_the_next_step_and_the_first_line_name_wins(data, choices):
    shown = screen(bt.compare(data, **choices))
    assert shown.step is not None
    assert shown.step.do.startswith("By wins alone, choose ")
    assert "wins" in shown.meta
    assert "mean score" not in shown.meta


def test_where_accuracy_decides_it_is_named():
    right = (np.random.default_rng(0).random((90, 2)) < [0.9, 0.5]).astype(float)
    data = xr.DataArray(right, dims=("item", "system"), coords={"system": ["a", "b"]})
    shown = screen(bt.compare(data))
    assert shown.step is not None
    assert shown.step.do == "By accuracy alone, choose a."


def test_missing_scores_are_to_be_obtained_and_not_invented():
    right = (np.random.default_rng(0).random((90, 2)) < [0.8, 0.6]).astype(float)
    right[:20, 1] = np.nan
    data = xr.DataArray(right, dims=("item", "system"), coords={"system": ["a", "b"]})
    shown = screen(bt.compare(data))
    assert shown.step is not None
    assert shown.step.do == "Obtain the 20 missing scores."


def test_a_warning_on_the_units_is_to_be_read_before_a_choice():
    """Few clusters: the answer may be too certain."""
    right = (np.random.default_rng(0).random((90, 2)) < [0.95, 0.3]).astype(float)
    labels = np.repeat(["c1", "c2", "c3"], 30)
    coords = {"system": ["a", "b"], "cluster": ("item", labels)}
    data = xr.DataArray(right, dims=("item", "system"), coords=coords)
    shown = screen(bt.compare(data))
    assert shown.step is not None
    assert shown.step.do == "By accuracy alone, choose a."
    assert shown.step.condition.startswith("First read the warning")
